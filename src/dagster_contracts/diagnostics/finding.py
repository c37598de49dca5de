"""One finding, and a whole report, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Severity: TypeAlias = Literal["error", "warning", "info"]
FailOn: TypeAlias = Literal["error", "warning", "unverified"]

UNKNOWN_PRESENCE = "is in the output could not be worked out"
"""How an I003 ends that is about a column's being there, and not about its type or NULLs."""


@dataclass(frozen=True)
class Span:
    """A range of text in a file.

    Args:
        file: The file's path, relative to the project where it lies inside of it, with forward slashes.
        line: The first line, from 1.
        column: The first character of the range in its line, from 1.
        end_line: The last line.
        end_column: One past the last character of the range.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Witness:
    """Rows of the tables that a model reads, and a row of its output that they lead to.

    Args:
        inputs: The rows by table.
        output: The row that breaks the promise.
    """

    inputs: Mapping[str, tuple[Mapping[str, Any], ...]]
    output: Mapping[str, Any]


@dataclass(frozen=True)
class Diagnostic:
    """One finding about one model or asset.

    Args:
        code: Such as `E012`; `codes.py` lists them.
        severity: How bad it is.
        message: What was found, in one sentence.
        model: The model's or asset's name; for a finding about the project itself, its configuration file.
        column: The column it is about, if it is about one.
        contract: Where the promise was written.
        source: Where it is broken.
        reasons: Why, outermost first.
        hint: What to do about it.
        witness: Rows that prove it.
    """

    code: str
    severity: Severity
    message: str
    model: str
    column: str | None = None
    contract: Span | None = None
    source: Span | None = None
    reasons: tuple[str, ...] = ()
    hint: str | None = None
    witness: Witness | None = None


@dataclass(frozen=True)
class ReportedColumn:
    """One column that a model returns; `type` and `nullable` are `None` where they could not be worked out."""

    name: str
    type: str | None
    nullable: bool | None


@dataclass(frozen=True)
class ReportedModel:
    """One model or asset of a report, whether it has a contract or not."""

    name: str
    path: str
    dialect: str | None
    columns: tuple[ReportedColumn, ...]


@dataclass(frozen=True)
class Summary:
    """How many promises ended how."""

    held: int
    broken: int
    not_verified: int


@dataclass(frozen=True)
class Report:
    """Everything that one check found.

    Args:
        version: The package's version.
        summary: How many promises ended how.
        models: Every model or asset that was looked at.
        diagnostics: The findings, ordered by model.
        texts: The text of every file that a span points into, by the span's `file`.
    """

    version: str
    summary: Summary
    models: tuple[ReportedModel, ...]
    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, str]

    def exit_code(self, fail_on: FailOn = "error") -> int:
        """What a command that made this report exits with: 0 for clean, 1 for findings. Wrong use is 2, and no report.

        Args:
            fail_on: The mildest finding that counts. `"unverified"` counts warnings and every promise that was not
                verified, too.
        """
        counted = {"error": {"error"}, "warning": {"error", "warning"}}.get(fail_on, {"error", "warning", "info"})
        unverified = fail_on == "unverified" and self.summary.not_verified > 0
        return int(unverified or any(found.severity in counted for found in self.diagnostics))
