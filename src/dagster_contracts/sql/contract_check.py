"""One contract against what its model returns: the findings in their order, and how each promise ended.

Every promise is counted once: each name in `required` and `protected`, each `type` and each `nullable = false` of
`[[columns]]`, an entry of it that says neither, and `no_new_nullable`. What a contract promises about a column that is
not in the output is broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagster_contracts.contract.types import matches
from dagster_contracts.contract.verdict import Verdict
from dagster_contracts.diagnostics.finding import UNKNOWN_PRESENCE
from dagster_contracts.sql.column_names import find_columns
from dagster_contracts.sql.contract_findings import Collected, Contracted

if TYPE_CHECKING:
    from dagster_contracts.contract.toml import ContractColumn, ContractFile, Named
    from dagster_contracts.contract.toml_places import Place
    from dagster_contracts.diagnostics.finding import Diagnostic
    from dagster_contracts.sql.column_names import Match
    from dagster_contracts.sql.relation import Column


@dataclass(frozen=True)
class Checked:
    """What checking one contract found.

    Args:
        findings: The findings, in order.
        verdicts: How each promise ended.
    """

    findings: tuple[Diagnostic, ...]
    verdicts: tuple[Verdict, ...]


def check_contract(contracted: Contracted) -> Checked:
    """Hold a model's output against its contract.

    Args:
        contracted: Both.
    """
    out = Collected(contracted)
    promises = contracted.promises
    required = {name.name for name in promises.required}
    for name in promises.required:
        _required(out, name)
    for column in promises.columns:
        _column(out, column, is_required=column.name in required)
    for name in promises.protected:
        _protected(out, name)
    if promises.no_new_nullable is not None:
        _no_new_nullable(out, promises.no_new_nullable)
    return Checked(tuple(out.findings), tuple(out.verdicts))


def count_promises(promises: ContractFile) -> int:
    """How many promises a contract makes."""
    columns = sum(_count(column) for column in promises.columns)
    return len(promises.required) + len(promises.protected) + columns + (promises.no_new_nullable is not None)


def _count(column: ContractColumn) -> int:
    """How many promises an entry of `[[columns]]` makes."""
    return max(1, (column.type is not None) + (column.nullable is False))


def _required(out: Collected, name: Named) -> None:
    """E010, or held."""
    found = out.find(name.name)
    if found.columns:
        _is_there(out, name.name, name.place, found)
        return
    out.broken("E010", name.name, name.place, f"the required column `{name.name}` is not in the output", found=found)


def _is_there(out: Collected, name: str, place: Place, found: Match) -> None:
    """Held, unless it is not certain that the column is there."""
    column = found.columns[0]
    if not all(one.doubts for one in found.columns):
        out.verdicts.append(Verdict.HELD)
        return
    message = f"whether `{name}` {UNKNOWN_PRESENCE}"
    out.verdicts.append(Verdict.NOT_VERIFIED)
    out.unverified(name, place, message, column=column, reasons=column.doubts, note=found.note)


def _protected(out: Collected, name: Named) -> None:
    """E013, or held."""
    found = out.find(name.name)
    if found.columns:
        _is_there(out, name.name, name.place, found)
        return
    of = out.of
    was = of.locked is not None and find_columns(name.name, of.locked, of.dialect).columns
    since = ": the lock has it" if was else ""
    out.broken(
        "E013",
        name.name,
        name.place,
        f"the protected column `{name.name}` is not in the output{since}",
        found=found,
    )


def _column(out: Collected, declared: ContractColumn, *, is_required: bool) -> None:
    """W010, or E011 and E012, or held."""
    found = out.find(declared.name)
    if not found.columns:
        out.verdicts += [Verdict.BROKEN] * _count(declared)
        if not is_required:
            message = f"the declared column `{declared.name}` is not in the output"
            out.report("W010", "warning", declared.name, declared.place, message, found=found)
        return
    if declared.type is not None:
        _type(out, declared, found)
    if declared.nullable is False:
        _nullable(out, declared, found)
    if declared.type is None and declared.nullable is not False:
        _is_there(out, declared.name, declared.place, found)


def _type(out: Collected, declared: ContractColumn, found: Match) -> None:
    """Whether a column is of its declared type; where several have the name, all of them must be."""
    wanted = declared.type
    if wanted is None:
        return
    place = declared.type_place or declared.place
    verdicts = [
        None if one.type is None else matches(wanted, one.type, assignable=out.of.assignable) for one in found.columns
    ]
    if all(verdicts):
        out.verdicts.append(Verdict.HELD)
        return
    at = next((at for at, verdict in enumerate(verdicts) if verdict is False), None)
    if at is not None:
        message = f"`{declared.name}` is {found.columns[at].type}, and the contract says {_said(declared)}"
        out.broken("E011", declared.name, place, message, found=found, column=found.columns[at])
        return
    column = found.columns[verdicts.index(None)]
    message = f"the type of `{declared.name}` could not be worked out, so it was not compared with {_said(declared)}"
    if column.type is not None:
        message = f"`{declared.name}` is {column.type}, which leaves open whether it is {_said(declared)}"
    out.verdicts.append(Verdict.NOT_VERIFIED)
    out.unverified(declared.name, place, message, column=column, reasons=column.type_reasons, note=found.note)


def _nullable(out: Collected, declared: ContractColumn, found: Match) -> None:
    """Whether a column is never NULL; where several have the name, none of them may be."""
    place = declared.nullable_place or declared.place
    answers = [one.nullable for one in found.columns]
    if True in answers:
        column = found.columns[answers.index(True)]
        message = f"`{declared.name}` can be NULL, and the contract says that it never is"
        out.broken("E012", declared.name, place, message, found=found, column=column, reasons=column.reasons)
    elif None in answers:
        column = found.columns[answers.index(None)]
        message = f"whether `{declared.name}` can be NULL could not be worked out"
        out.verdicts.append(Verdict.NOT_VERIFIED)
        out.unverified(declared.name, place, message, column=column, reasons=column.reasons, note=found.note)
    else:
        out.verdicts.append(Verdict.HELD)


def _no_new_nullable(out: Collected, place: Place) -> None:
    """E014 for each column that is new and can be NULL, or for a contract without a baseline."""
    of = out.of
    if not of.promises.columns and of.locked is None:
        message = "`no_new_nullable` has nothing to compare with: no column is declared, and there is no lock"
        out.report("E014", "error", None, place, message)
        out.verdicts.append(Verdict.BROKEN)
        return
    declared = {id(column) for entry in of.promises.columns for column in out.find(entry.name).columns}
    verdict = Verdict.HELD
    for column in of.output.columns:
        if id(column) in declared or column.nullable is False:
            continue
        is_new, how = _is_new(out, column)
        if is_new and column.nullable:
            message = f"`{column.name}` can be NULL, and {how}"
            out.report("E014", "error", column.name, place, message, column=column, reasons=column.reasons)
            verdict = Verdict.BROKEN
        elif is_new is not False:
            message = f"whether `{column.name}` can be NULL could not be worked out, and {how}"
            out.unverified(column.name, place, message, column=column, reasons=column.reasons)
            verdict = Verdict.NOT_VERIFIED if verdict is Verdict.HELD else verdict
    out.verdicts.append(verdict)


def _is_new(out: Collected, column: Column) -> tuple[bool | None, str]:
    """Whether a nullable column would be new, and why."""
    locked = out.of.locked
    if locked is None:
        return True, "the contract does not declare it"
    before = find_columns(column.name, locked, out.of.dialect).columns
    if not before:
        return True, "neither the contract nor the lock has it"
    if any(one.nullable is False for one in before):
        return True, "in the lock it is never NULL"
    if any(one.nullable is None for one in before):
        return None, "the lock does not know whether it could before"
    return False, ""


def _said(declared: ContractColumn) -> str:
    """A declared type as the contract spells it, and what that is where it is a dialect's own spelling."""
    text = declared.type_text or ""
    return text if text == str(declared.type) else f"{text} ({declared.type})"
