"""`--defs MODULE`: a code location is loaded and checked in a process of its own, which can be ended."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dagster_contracts.diagnostics.finding import Diagnostic, Report, ReportedColumn, ReportedModel, Span, Summary
from dagster_contracts.errors import UsageError
from dagster_contracts.orchestration.dry_run.check import TIME_LIMIT

LOADING_LIMIT = 300.0


def check_module(text: str, *, time_limit: float = TIME_LIMIT, loading_limit: float = LOADING_LIMIT) -> Report:
    """Load a code location and check it as `dc.check_definitions` does, in a process of its own.

    Args:
        text: A module's name, a Python file's path, or either with `:` and the name of what holds the `dg.Definitions`.
        time_limit: Seconds that one call of an asset's function may take.
        loading_limit: Seconds that everything together may take; then the process is ended.

    Returns:
        The report.

    Raises:
        UsageError: There is no such module, it does not load, holds no definitions, or the process did not come back.
    """
    with tempfile.TemporaryDirectory(prefix="dagster-contracts-") as folder:
        answer = Path(folder) / "report.json"
        command = [sys.executable, "-m", f"{__package__}.child", text, str(answer), str(time_limit)]
        try:
            # What the code location prints must not get between the lines of the report.
            done = subprocess.run(command, stdout=2, timeout=loading_limit, check=False)  # noqa: S603
        except subprocess.TimeoutExpired as error:
            raise UsageError(f"{text} was not loaded and checked in {loading_limit:g} seconds.") from error
        if not answer.exists():
            raise UsageError(f"The process that checks {text} ended with code {done.returncode} and no report.")
        found = json.loads(answer.read_text("utf-8"))
    if "error" in found:
        raise UsageError(found["error"])
    return report_from(found["report"])


def as_plain(report: Report) -> dict[str, Any]:
    """A report as JSON can hold it, nothing left out. A dry run has no witness rows."""
    return asdict(report)


def report_from(found: dict[str, Any]) -> Report:
    """A report as it was before `as_plain`."""

    def span(value: dict[str, Any] | None) -> Span | None:
        return None if value is None else Span(**value)

    def diagnostic(value: dict[str, Any]) -> Diagnostic:
        spans = {name: span(value[name]) for name in ("contract", "source")}
        return Diagnostic(**{**value, **spans, "reasons": tuple(value["reasons"]), "witness": None})

    def model(value: dict[str, Any]) -> ReportedModel:
        return ReportedModel(**{**value, "columns": tuple(ReportedColumn(**column) for column in value["columns"])})

    return Report(
        version=found["version"],
        summary=Summary(**found["summary"]),
        models=tuple(map(model, found["models"])),
        diagnostics=tuple(map(diagnostic, found["diagnostics"])),
        texts=found["texts"],
    )
