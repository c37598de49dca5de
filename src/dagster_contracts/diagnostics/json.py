"""A report as one JSON object."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.diagnostics.finding import Diagnostic, Report, Span, Witness


def as_dict(report: Report) -> dict[str, Any]:
    """A report as what JSON can hold."""
    return {
        "version": report.version,
        "summary": asdict(report.summary),
        "models": [
            {
                "name": model.name,
                "path": model.path,
                "dialect": model.dialect,
                "columns": [asdict(column) for column in model.columns],
            }
            for model in report.models
        ],
        "diagnostics": [_finding(found) for found in report.diagnostics],
    }


def render(report: Report) -> str:
    """A report as one JSON object, as text."""
    return json.dumps(as_dict(report), indent=2, allow_nan=False) + "\n"


def _finding(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity,
        "model": found.model,
        "column": found.column,
        "message": found.message,
        "hint": found.hint,
        "reasons": list(found.reasons),
        "witness": _witness(found.witness),
        "contract": _span(found.contract),
        "source": _span(found.source),
    }


def _span(span: Span | None) -> dict[str, Any] | None:
    return None if span is None else asdict(span)


def _witness(witness: Witness | None) -> dict[str, Any] | None:
    if witness is None:
        return None
    inputs = {table: [_row(row) for row in rows] for table, rows in witness.inputs.items()}
    return {"inputs": inputs, "output": _row(witness.output)}


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _cell(value) for name, value in row.items()}


def _cell(value: Any) -> Any:
    """A value of a witness as JSON has it; what JSON has no word for as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _cell(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_cell(inner) for inner in value]
    return str(value)
