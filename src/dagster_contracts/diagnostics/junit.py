"""A report as JUnit XML: what is broken fails, what was not verified is skipped, and neither shows green."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from dagster_contracts.diagnostics.words import held

if TYPE_CHECKING:
    from dagster_contracts.diagnostics.finding import Diagnostic, FailOn, Report

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, fail_on: FailOn = "error") -> str:
    """One suite a model that has findings, one test case a finding, and one case for all promises that were held.

    Args:
        report: The report.
        fail_on: The mildest finding that is a failure; milder ones are skipped cases.
    """
    root = ET.Element("testsuites", name="dagster-contracts")
    if report.summary.held:
        suite = _suite(root, "held", tests=1, failures=0, skipped=0)
        ET.SubElement(suite, "testcase", classname="held", name=held(report))
    by_model = groupby(sorted(report.diagnostics, key=lambda found: found.model), key=lambda found: found.model)
    for model, group in by_model:
        found = list(group)
        failures = sum(_fails(one, fail_on) for one in found)
        suite = _suite(root, model, tests=len(found), failures=failures, skipped=len(found) - failures)
        for one in found:
            _case(suite, one, fails=_fails(one, fail_on))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(root: ET.Element, name: str, *, tests: int, failures: int, skipped: int) -> ET.Element:
    attributes = {"name": _clean(name), "tests": str(tests), "failures": str(failures), "errors": "0"}
    return ET.SubElement(root, "testsuite", {**attributes, "skipped": str(skipped)})


def _case(suite: ET.Element, found: Diagnostic, *, fails: bool) -> None:
    name = f"{found.code} {found.column}" if found.column else found.code
    case = ET.SubElement(suite, "testcase", classname=_clean(found.model), name=_clean(name))
    span = found.source or found.contract
    place = [f"{span.file}:{span.line}:{span.column}"] if span else []
    hint = [f"hint: {found.hint}"] if found.hint else []
    text = _clean("\n".join([*place, *(f"because: {reason}" for reason in found.reasons), *hint]))
    message = _clean(found.message)
    if fails:
        ET.SubElement(case, "failure", type=found.code, message=message).text = text
    else:
        ET.SubElement(case, "skipped").text = message
        ET.SubElement(case, "system-out").text = "\n".join(filter(None, [message, text]))


def _fails(found: Diagnostic, fail_on: FailOn) -> bool:
    counted = {"error": ["error"], "warning": ["error", "warning"]}.get(fail_on, ["error", "warning", "info"])
    return found.severity in counted


def _clean(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
