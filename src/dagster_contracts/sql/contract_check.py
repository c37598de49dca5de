"""One contract against what its model returns: the findings in their order, and how each promise ended.

Every promise is counted once: each name in `required` and `protected`, each `type` and each `nullable = false` of
`[[columns]]`, an entry of it that says neither, and `no_new_nullable`. What a contract promises about a column that is
not in the output is broken.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.contract.types import matches
from dagster_contracts.contract.verdict import Verdict
from dagster_contracts.diagnostics.finding import Diagnostic
from dagster_contracts.sql.column_names import Match, find_columns
from dagster_contracts.sql.positions import span_at

if TYPE_CHECKING:
    from dagster_contracts.contract.toml import ContractColumn, ContractFile, Named
    from dagster_contracts.contract.toml_places import Place
    from dagster_contracts.diagnostics.finding import Severity, Span
    from dagster_contracts.sql.relation import Column, Relation


@dataclass(frozen=True)
class Checked:
    """What checking one contract found.

    Args:
        findings: The findings, in order.
        verdicts: How each promise ended.
    """

    findings: tuple[Diagnostic, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True)
class Contracted:
    """One contract and the output that it is held against.

    Args:
        model: The model's name.
        dialect: Its dialect, whose rules columns' names are compared by.
        file: The contract's file.
        promises: What it promises.
        output: What the model returns.
        span: Where the model's text begins, for what is not in its output.
        locked: What it returned when the lock was written, if there is a lock that knows it.
        strict: Whether what cannot be verified is an error.
        assignable: Whether a narrower type passes.
    """

    model: str
    dialect: str
    file: str
    promises: ContractFile
    output: Relation
    span: Span | None = None
    locked: Relation | None = None
    strict: bool = False
    assignable: bool = False


def check_contract(contracted: Contracted) -> Checked:
    """Hold a model's output against its contract.

    Args:
        contracted: Both.
    """
    run = _Run(contracted)
    promises = contracted.promises
    required = {name.name for name in promises.required}
    for name in promises.required:
        run.required(name)
    for column in promises.columns:
        run.column(column, is_required=column.name in required)
    for name in promises.protected:
        run.protected(name)
    if promises.no_new_nullable is not None:
        run.no_new_nullable(promises.no_new_nullable)
    return Checked(tuple(run.findings), tuple(run.verdicts))


def count_promises(promises: ContractFile) -> int:
    """How many promises a contract makes."""
    columns = sum(_count(column) for column in promises.columns)
    return len(promises.required) + len(promises.protected) + columns + (promises.no_new_nullable is not None)


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


def _count(column: ContractColumn) -> int:
    """How many promises an entry of `[[columns]]` makes."""
    return max(1, (column.type is not None) + (column.nullable is False))


@dataclass
class _Run:
    """One check under way."""

    of: Contracted
    findings: list[Diagnostic] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def required(self, name: Named) -> None:
        """E010, or held."""
        found = self._find(name.name)
        if found.columns:
            self.verdicts.append(Verdict.HELD)
            return
        self._broken(
            "E010", name.name, name.place, f"the required column `{name.name}` is not in the output", found=found
        )

    def protected(self, name: Named) -> None:
        """E013, or held."""
        found = self._find(name.name)
        if found.columns:
            self.verdicts.append(Verdict.HELD)
            return
        of = self.of
        was = of.locked is not None and find_columns(name.name, of.locked, of.dialect).columns
        since = ": the lock has it" if was else ""
        self._broken(
            "E013",
            name.name,
            name.place,
            f"the protected column `{name.name}` is not in the output{since}",
            found=found,
        )

    def column(self, declared: ContractColumn, *, is_required: bool) -> None:
        """W010, or E011 and E012, or held."""
        found = self._find(declared.name)
        if not found.columns:
            self.verdicts += [Verdict.BROKEN] * _count(declared)
            if not is_required:
                message = f"the declared column `{declared.name}` is not in the output"
                self._report("W010", "warning", declared.name, declared.place, message, found=found)
            return
        if declared.type is not None:
            self._type(declared, found)
        if declared.nullable is False:
            self._nullable(declared, found)
        if declared.type is None and declared.nullable is not False:
            self.verdicts.append(Verdict.HELD)

    def _type(self, declared: ContractColumn, found: Match) -> None:
        """Whether a column is of its declared type; where several have the name, all of them must be."""
        wanted = declared.type
        if wanted is None:
            return
        place = declared.type_place or declared.place
        verdicts = [
            None if one.type is None else matches(wanted, one.type, assignable=self.of.assignable)
            for one in found.columns
        ]
        if all(verdicts):
            self.verdicts.append(Verdict.HELD)
            return
        at = next((at for at, verdict in enumerate(verdicts) if verdict is False), None)
        if at is not None:
            message = f"`{declared.name}` is {found.columns[at].type}, and the contract says {_said(declared)}"
            self._broken("E011", declared.name, place, message, found=found, column=found.columns[at])
            return
        column = found.columns[verdicts.index(None)]
        message = (
            f"the type of `{declared.name}` could not be worked out, so it was not compared with {_said(declared)}"
        )
        if column.type is not None:
            message = f"`{declared.name}` is {column.type}, which leaves open whether it is {_said(declared)}"
        self.verdicts.append(Verdict.NOT_VERIFIED)
        self._unverified(declared.name, place, message, column=column, reasons=column.type_reasons, note=found.note)

    def _nullable(self, declared: ContractColumn, found: Match) -> None:
        """Whether a column is never NULL; where several have the name, none of them may be."""
        place = declared.nullable_place or declared.place
        answers = [one.nullable for one in found.columns]
        if True in answers:
            column = found.columns[answers.index(True)]
            message = f"`{declared.name}` can be NULL, and the contract says that it never is"
            self._broken("E012", declared.name, place, message, found=found, column=column, reasons=column.reasons)
        elif None in answers:
            column = found.columns[answers.index(None)]
            message = f"whether `{declared.name}` can be NULL could not be worked out"
            self.verdicts.append(Verdict.NOT_VERIFIED)
            self._unverified(declared.name, place, message, column=column, reasons=column.reasons, note=found.note)
        else:
            self.verdicts.append(Verdict.HELD)

    def no_new_nullable(self, place: Place) -> None:
        """E014 for each column that is new and can be NULL, or for a contract without a baseline."""
        of = self.of
        if not of.promises.columns and of.locked is None:
            message = "`no_new_nullable` has nothing to compare with: no column is declared, and there is no lock"
            self._report("E014", "error", None, place, message)
            self.verdicts.append(Verdict.BROKEN)
            return
        declared = {id(column) for entry in of.promises.columns for column in self._find(entry.name).columns}
        verdict = Verdict.HELD
        for column in of.output.columns:
            if id(column) in declared or column.nullable is False:
                continue
            is_new, how = self._is_new(column)
            if is_new and column.nullable:
                message = f"`{column.name}` can be NULL, and {how}"
                self._report("E014", "error", column.name, place, message, column=column, reasons=column.reasons)
                verdict = Verdict.BROKEN
            elif is_new is not False:
                message = f"whether `{column.name}` can be NULL could not be worked out, and {how}"
                self._unverified(column.name, place, message, column=column, reasons=column.reasons)
                verdict = Verdict.NOT_VERIFIED if verdict is Verdict.HELD else verdict
        self.verdicts.append(verdict)

    def _is_new(self, column: Column) -> tuple[bool | None, str]:
        """Whether a nullable column would be new, and why."""
        locked = self.of.locked
        if locked is None:
            return True, "the contract does not declare it"
        before = find_columns(column.name, locked, self.of.dialect).columns
        if not before:
            return True, "neither the contract nor the lock has it"
        if any(one.nullable is False for one in before):
            return True, "in the lock it is never NULL"
        if any(one.nullable is None for one in before):
            return None, "the lock does not know whether it could before"
        return False, ""

    def _find(self, name: str) -> Match:
        return find_columns(name, self.of.output, self.of.dialect)

    def _broken(
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
        self._report(code, "error", name, place, message, found=found, column=column, reasons=reasons)

    def _report(
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
        source = of.span if column is None or column.span is None else column.span
        contract = span_at(of.file, place)
        self.findings.append(Diagnostic(code, severity, message, of.model, name, contract, source, reasons, hint))

    def _unverified(
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


def _said(declared: ContractColumn) -> str:
    """A declared type as the contract spells it, and what that is where it is a dialect's own spelling."""
    text = declared.type_text or ""
    return text if text == str(declared.type) else f"{text} ({declared.type})"
