"""What DuckDB's binder says of a DuckDB query."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import spelled_type, type_sql
from dagster_contracts.sql.query_error import QueryError, UnknownOutputError
from dagster_contracts.sql.typing.column import TypedColumn
from dagster_contracts.sql.typing.names import find_table, fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.contract.types import Type
    from dagster_contracts.sql.binder import Binder
    from dagster_contracts.sql.relation import Relation


def is_bindable(query: exp.Query, tables: Mapping[str, Relation]) -> bool:
    """Whether everything that a DuckDB query reads is known with its types.

    Args:
        query: The parsed query.
        tables: What the tables return.

    Returns:
        Whether the binder can be asked.
    """
    named = {cte.alias.lower() for cte in query.find_all(exp.CTE)}
    for table in query.find_all(exp.Table):
        relation = find_table(tables, table, "duckdb")
        if relation is None:
            if isinstance(table.this, exp.Identifier) and not (len(table.parts) == 1 and table.name.lower() in named):
                return False
        elif any(column.type is None or duckdb_type(column.type) is None for column in relation.columns):
            return False
    return True


def bound_columns(
    query: exp.Query, *, tables: Mapping[str, Relation], binder: Binder, sql: str | None
) -> tuple[TypedColumn, ...]:
    """Ask the binder.

    Args:
        query: The parsed query, everything that it reads being known.
        tables: What the tables return.
        binder: The binder.
        sql: The query's text, if it is at hand.

    Returns:
        The output's columns.

    Raises:
        QueryError: The query is wrong.
        UnknownOutputError: The binder cannot tell.
    """
    for table in query.find_all(exp.Table):
        relation = find_table(tables, table, "duckdb")
        if relation is not None:
            declare(binder, [fold(part, "duckdb") for part in table.parts], relation)
    try:
        described = binder.describe(sql if sql is not None else query.sql("duckdb"))
    except QueryError as error:
        raise QueryError(error.code, error.message, _position(query, error.message)) from None
    return tuple(_column(name, spelled) for name, spelled in described)


def declare(binder: Binder, name: list[str], relation: Relation) -> None:
    """Make a relation whose types are known, known to the binder.

    Args:
        binder: The binder.
        name: The parts of its name.
        relation: The relation.

    Raises:
        UnknownOutputError: A column's type has no spelling in DuckDB.
    """
    columns = []
    for column in relation.columns:
        spelled = None if column.type is None else duckdb_type(column.type)
        if spelled is None:
            raise UnknownOutputError(f"the type of {relation.name}.{column.name} is not known")
        columns.append((column.name, spelled))
    binder.declare(name, tuple(columns))


@lru_cache(maxsize=4096)
def duckdb_type(of: Type) -> str | None:
    """DuckDB's spelling of a type.

    Args:
        of: The type.

    Returns:
        The spelling, where DuckDB has such a type and enough of it is known.
    """
    return type_sql(of, "duckdb")


def _column(name: str, spelled: str) -> TypedColumn:
    """What the binder says of one column."""
    if spelled == '"NULL"':
        return TypedColumn(name, None, (f"{name} is an untyped NULL: write CAST(NULL AS …)",))
    try:
        found = spelled_type(spelled, "duckdb")
    except UnknownTypeError:
        found = None
    reasons = () if found else (f"{name} is of DuckDB's type {spelled}, which contracts have no name for",)
    return TypedColumn(name, found, reasons)


def _position(query: exp.Query, message: str) -> tuple[int, int] | None:
    """Where the first name that a message quotes stands in the query's text."""
    quoted = message.split('"')[1::2]
    last = quoted[1:2] if "does not have a column" in message else quoted[:1]
    for identifier in query.find_all(exp.Identifier):
        if identifier.name in last and "start" in identifier.meta:
            return identifier.meta["start"], identifier.meta["end"] + 1
    return None
