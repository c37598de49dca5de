"""A report as SARIF 2.1.0, the form that code scanning reads."""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from dagster_contracts.diagnostics.codes import known_codes

if TYPE_CHECKING:
    from dagster_contracts.diagnostics.finding import Diagnostic, Report, Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def as_dict(report: Report) -> dict[str, Any]:
    """A report as one SARIF log with one run."""
    codes = list(dict.fromkeys(found.code for found in report.diagnostics))
    driver = {"name": "dagster-contracts", "version": report.version, "rules": [_rule(code) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "properties": {
            "held": report.summary.held,
            "broken": report.summary.broken,
            "notVerified": report.summary.not_verified,
        },
        "results": [_result(found, codes.index(found.code)) for found in report.diagnostics],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def render(report: Report) -> str:
    """A report as SARIF, as text."""
    return json.dumps(as_dict(report), indent=2) + "\n"


def _rule(code: str) -> dict[str, Any]:
    known = known_codes().get(code)
    if known is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": known.title},
        "help": {"text": known.page, "markdown": known.page},
        "defaultConfiguration": {"level": _LEVELS[known.severity]},
    }


def _result(found: Diagnostic, index: int) -> dict[str, Any]:
    hint = [f"Hint: {found.hint}"] if found.hint else []
    text = "\n".join([found.message, *(f"Because: {reason}" for reason in found.reasons), *hint])
    name = f"{found.model}.{found.column}" if found.column else found.model
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": index,
        "level": _LEVELS[found.severity],
        "message": {"text": text},
        "locations": [_location(found.source or found.contract, name)],
        "partialFingerprints": {
            "promise/v1": hashlib.sha256(
                f"{found.code}\0{name}\0{found.message}".encode("utf-8", "replace")
            ).hexdigest()
        },
    }
    if found.source is not None and found.contract is not None:
        result["relatedLocations"] = [
            {"id": 1, **_location(found.contract), "message": {"text": "The contract says so here."}}
        ]
    return result


def _location(span: Span | None, name: str | None = None) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if span is not None:
        region = {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }
        location["physicalLocation"] = {"artifactLocation": _artifact(span.file), "region": region}
    if name is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": name}]
    return location


def _artifact(file: str) -> dict[str, str]:
    if PurePosixPath(file).is_absolute():
        return {"uri": f"file://{quote(file)}"}
    return {"uri": quote(file), "uriBaseId": "%SRCROOT%"}
