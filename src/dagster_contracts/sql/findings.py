"""The findings about files, models and sources that are wrong themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dagster_contracts.diagnostics.finding import Diagnostic
from dagster_contracts.sql.positions import span_at, start_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dagster_contracts.contract.toml_reader import Problem
    from dagster_contracts.diagnostics.finding import Span
    from dagster_contracts.sql.files import File

UNPARSED, UNKNOWN_COLUMN, AMBIGUOUS, CYCLE, DUPLICATE = "E001", "E002", "E003", "E004", "E005"
CONFIG, UNREADABLE, CONTRACT, SOURCE = "E006", "E007", "E008", "E009"
MISFIT, NO_SELECT, SIDECAR = "E015", "E017", "E018"


def broken(
    code: str, model: str, message: str, *, source: Span | None = None, contract: Span | None = None, hint: str = ""
) -> Diagnostic:
    """A finding about something that is wrong itself."""
    return Diagnostic(code, "error", message, model, source=source, contract=contract, hint=hint or None)


def unreadable(model: str, file: File) -> Diagnostic:
    """The finding about a file that cannot be read."""
    message = f"{file.path} cannot be read: {file.failure}."
    return broken(UNREADABLE, model, message, source=start_of(file.path))


def from_problems(code: str, model: str, file: str, problems: Iterable[Problem]) -> tuple[Diagnostic, ...]:
    """The findings about what is wrong with a TOML file."""
    return tuple(
        broken(code, model, problem.message, contract=span_at(file, problem.place), hint=problem.hint or "")
        for problem in problems
    )


def in_source(finding: Diagnostic) -> Diagnostic:
    """The same finding, its place being where it is broken and not where it was promised."""
    return replace(finding, source=finding.contract, contract=None)
