"""The names and types that a query returns."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import spelled_type, type_sql
from dagster_contracts.sql.query_error import QueryError, UnknownOutputError
from dagster_contracts.sql.typing.column import TypedColumn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.contract.types import Type
    from dagster_contracts.sql.binder import Binder
    from dagster_contracts.sql.relation import Relation

_UNTYPED = "an untyped NULL: its type is whatever reads it; write CAST(NULL AS …)"


def infer_types(
    query: exp.Query,
    *,
    dialect: str,
    tables: Mapping[str, Relation],
    binder: Binder,
    sql: str | None = None,
) -> tuple[TypedColumn, ...]:
    """Work out the names and types of a query's output.

    For `duckdb` they are what DuckDB's own binder says, as long as everything that the query reads is known.

    Args:
        query: The parsed query.
        dialect: Its dialect.
        tables: What the tables return, by their names as written and folded; a table may be missing.
        binder: The binder of this project.
        sql: The text that `query` was parsed from. DuckDB names unnamed columns by it.

    Returns:
        The output's columns, in order.

    Raises:
        QueryError: The query is wrong.
        UnknownOutputError: Its columns cannot be known.
    """
    if dialect != "duckdb":
        raise UnknownOutputError(f"the columns of {dialect} queries are not worked out yet")
    for table in query.find_all(exp.Table):
        name = table_name(table)
        relation = tables.get(name) or tables.get(name.lower())
        if relation is not None:
            _declare(binder, [part.name for part in table.parts], relation)
    try:
        described = binder.describe(sql if sql is not None else query.sql("duckdb"))
    except QueryError as error:
        raise QueryError(error.code, error.message, _position(query, error.message)) from None
    return tuple(_bound(name, of) for name, of in described)


def table_name(table: exp.Table) -> str:
    """A table's dotted name as written."""
    return ".".join(part.name for part in table.parts)


def _declare(binder: Binder, name: list[str], relation: Relation) -> None:
    """Make a relation known to the binder."""
    columns = tuple((column.name, _spelled(column.type)) for column in relation.columns)
    unknown = [name for name, of in columns if of is None]
    if unknown:
        raise UnknownOutputError(f"the type of {relation.name}.{unknown[0]} is not known")
    binder.declare(name, columns)  # type: ignore[arg-type]


@lru_cache(maxsize=1024)
def _spelled(of: Type | None) -> str | None:
    """DuckDB's spelling of a type."""
    return None if of is None else type_sql(of, "duckdb")


def _bound(name: str, of: str) -> TypedColumn:
    """What the binder says of one column."""
    if of == '"NULL"':
        return TypedColumn(name, None, (f"{name} is {_UNTYPED}",))
    try:
        found = spelled_type(of, "duckdb")
    except UnknownTypeError:
        found = None
    return TypedColumn(name, found, () if found else (f"{name} is of DuckDB's type {of}, which contracts cannot name",))


def _position(query: exp.Query, message: str) -> tuple[int, int] | None:
    """Where the first name that a message quotes stands in the query's text."""
    quoted = message.split('"')[1::2]
    for identifier in query.find_all(exp.Identifier):
        if identifier.name in quoted[:1] and "start" in identifier.meta:
            return identifier.meta["start"], identifier.meta["end"] + 1
    return None
