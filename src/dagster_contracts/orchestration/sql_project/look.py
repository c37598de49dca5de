"""What a query returned, held against the model's contract before anyone can see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.contract_check import check_contract
from dagster_contracts.sql.contract_findings import Contracted
from dagster_contracts.sql.dialect_types import spelled_type
from dagster_contracts.sql.relation import Column, Relation

if TYPE_CHECKING:
    from dagster_contracts.contract.types import Type
    from dagster_contracts.diagnostics.finding import Diagnostic
    from dagster_contracts.orchestration.sql_project.execution import Written
    from dagster_contracts.orchestration.sql_project.models import ProjectModel


def returned(written: Written, one: ProjectModel) -> Relation:
    """The table that a query returned, with what its rows show of NULLs.

    A column that can be NULL as far as the model's text tells stays one, though these rows have none.
    """
    known = {column.name.lower(): column for column in one.output.columns} if one.output is not None else {}
    nulls = {name.lower(): count for name, count in written.nulls.items()}
    columns = [_column(name, kind, nulls[name.lower()], known.get(name.lower())) for name, kind in written.columns]
    return Relation(one.model.name, tuple(columns))


def broken_promises(written: Written, one: ProjectModel, *, assignable: bool) -> tuple[Diagnostic, ...]:
    """What the rows that a query returned break of the model's contract.

    Args:
        written: What the query returned.
        one: The model.
        assignable: Whether a narrower type passes.
    """
    if one.contract is None or not one.contract.is_readable:
        return ()
    found = check_contract(
        Contracted(
            model=one.model.name,
            dialect="duckdb",
            file=one.contract.path,
            promises=one.contract.promises,
            output=returned(written, one),
            path=one.model.path,
            sql=one.model.sql or "",
            locked=one.locked,
            assignable=assignable,
        )
    )
    return found.findings


def _column(name: str, kind: str, nulls: int, known: Column | None) -> Column:
    nullable = bool(nulls) or bool(known and known.nullable)
    reasons = (f"the rows that the model returned have {nulls} NULL{'' if nulls == 1 else 's'} in it",) if nulls else ()
    return Column(
        name=name,
        type=_type(kind),
        nullable=nullable,
        reasons=reasons or (known.reasons if known else ()),
        type_reasons=(f"DuckDB's type {kind} has no name that contracts know",),
        span=known.span if known else None,
    )


def _type(kind: str) -> Type | None:
    try:
        return spelled_type(kind, "duckdb")
    except UnknownTypeError:
        return None
