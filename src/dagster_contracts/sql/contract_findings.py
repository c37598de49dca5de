"""What a check of one contract is given, and what it finds, collected in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from dagster_contracts.contract.suggestions import did_you_mean, nearest
from dagster_contracts.contract.verdict import Verdict
from dagster_contracts.diagnostics.finding import Diagnostic
from dagster_contracts.sql.column_names import Match, find_columns
from dagster_contracts.sql.positions import span_at, span_of

if TYPE_CHECKING:
    from dagster_contracts.contract.toml import ContractFile
    from dagster_contracts.contract.toml_places import Place
    from dagster_contracts.diagnostics.finding import Severity, Span
    from dagster_contracts.sql.relation import Column, Relation


@dataclass(frozen=True)
class Contracted:
    """One contract and the output that it is held against.

    Args:
        model: The model's name.
        dialect: Its dialect, whose rules columns' names are compared by.
        file: The contract's file.
        promises: What it promises.
        output: What the model returns.
        path: The model's file.
        sql: Its text.
        locked: What it returned when the lock was written, if there is a lock that knows it.
        strict: Whether what cannot be verified is an error.
        assignable: Whether a narrower type passes.
    """

    model: str
    dialect: str
    file: str
    promises: ContractFile
    output: Relation
    path: str = ""
    sql: str = ""
    locked: Relation | None = None
    strict: bool = False
    assignable: bool = False

    @cached_property
    def span(self) -> Span | None:
        """Where the model says what it returns, for what is not in its output."""
        from dagster_contracts.sql.select_list import output_place  # noqa: PLC0415  (imports the SQL parser)

        place = output_place(self.sql, self.dialect)
        return None if place is None else span_of(self.path, self.sql, *place)


def not_verified(
    model: str,
    message: str,
    *,
    strict: bool,
    column: str | None = None,
    reasons: tuple[str, ...] = (),
    contract: Span | None = None,
    source: Span | None = None,
    hint: str | None = None,
) -> Diagnostic:
    """The finding that something could not be verified: an information, or an error under `strict`."""
    severity: Severity = "error" if strict else "info"
    return Diagnostic("E059" if strict else "I003", severity, message, model, column, contract, source, reasons, hint)


@dataclass
class Collected:
    """What one check has found so far.

    Args:
        of: The contract and the output.
        findings: The findings, in order.
        verdicts: How each promise ended.
    """

    of: Contracted
    findings: list[Diagnostic] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def find(self, name: str) -> Match:
        """The output's columns of a name in the contract."""
        return find_columns(name, self.of.output, self.of.dialect)

    def broken(
        self,
        code: str,
        name: str,
        place: Place,
        message: str,
        *,
        found: Match,
        column: Column | None = None,
        reasons: tuple[str, ...] = (),
    ) -> None:
        """A promise that is broken, and its finding."""
        self.verdicts.append(Verdict.BROKEN)
        self.report(code, "error", name, place, message, found=found, column=column, reasons=reasons)

    def report(
        self,
        code: str,
        severity: Severity,
        name: str | None,
        place: Place,
        message: str,
        *,
        found: Match | None = None,
        column: Column | None = None,
        reasons: tuple[str, ...] = (),
    ) -> None:
        """A finding, with the nearest name where the column is not there."""
        of = self.of
        hint = None if found is None else found.note
        if found is not None and not found.columns and name is not None and hint is None:
            hint = did_you_mean(name, of.output.column_names).strip() or None
            near = nearest(name, of.output.column_names)
            column = next((one for one in of.output.columns if one.name == near), None)
        source = of.span if column is None or column.span is None else column.span
        contract = span_at(of.file, place)
        self.findings.append(Diagnostic(code, severity, message, of.model, name, contract, source, reasons, hint))

    def unverified(
        self,
        name: str,
        place: Place,
        message: str,
        *,
        column: Column,
        reasons: tuple[str, ...],
        note: str | None = None,
    ) -> None:
        """The finding that something about a column could not be worked out."""
        of = self.of
        self.findings.append(
            not_verified(
                of.model,
                message,
                strict=of.strict,
                column=name,
                reasons=reasons,
                hint=note,
                contract=span_at(of.file, place),
                source=column.span or of.span,
            )
        )
