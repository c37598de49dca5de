"""A report as the workflow commands by which GitHub Actions marks lines of a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.diagnostics.words import counts

if TYPE_CHECKING:
    from dagster_contracts.diagnostics.finding import Diagnostic, FailOn, Report

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report, fail_on: FailOn = "error") -> str:
    """One command a finding, then the counts.

    Args:
        report: The report.
        fail_on: The mildest finding that the command exits with 1 for.
    """
    return "".join(f"{line}\n" for line in [*map(_command, report.diagnostics), counts(report, fail_on)])


def _command(found: Diagnostic) -> str:
    properties: dict[str, object] = {}
    span = found.source or found.contract
    if span is not None:
        properties |= {"file": span.file, "line": span.line, "endLine": span.end_line}
        if span.line == span.end_line:  # GitHub takes columns only on one line
            properties |= {"col": span.column, "endColumn": span.end_column}
    properties["title"] = f"{found.code} {found.model}" + (f".{found.column}" if found.column else "")
    listed = ",".join(f"{name}={_escape_property(str(value))}" for name, value in properties.items())
    hint = [f"hint: {found.hint}"] if found.hint else []
    text = "\n".join([found.message, *(f"because: {reason}" for reason in found.reasons), *hint])
    return f"::{_COMMANDS[found.severity]} {listed}::{_escape(text)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
