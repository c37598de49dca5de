"""What DuckDB's binder says of a DuckDB query."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import spelled_type, type_sql
from dagster_contracts.sql.query_error import QueryError
from dagster_contracts.sql.typing.column import TypedColumn
from dagster_contracts.sql.typing.names import find_table
from dagster_contracts.sql.typing.reads import tables_read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.contract.types import Type
    from dagster_contracts.sql.binder import Binder
    from dagster_contracts.sql.relation import Relation


def bound_columns(
    query: exp.Query, *, tables: Mapping[str, Relation], binder: Binder, sql: str | None
) -> tuple[TypedColumn, ...] | None:
    """Ask the binder.

    Args:
        query: The parsed query.
        tables: What the tables return.
        binder: The binder.
        sql: The query's text, if it is at hand.

    Returns:
        The output's columns; `None` where not everything that the query reads is known with its type.

    Raises:
        QueryError: The query is wrong.
        UnknownOutputError: The binder cannot tell.
    """
    read: list[tuple[list[str], Relation]] = []
    for table in tables_read(query):
        relation = find_table(tables, table, "duckdb")
        if relation is None and isinstance(table.this, exp.Func):
            continue
        relation = None if relation is None else _as_far_as_touched(relation, query)
        if relation is None:
            return None
        read.append(([part.name for part in table.parts], relation))
    for name, relation in read:
        binder.declare(name, tuple((column.name, _spelled(column.type) or "") for column in relation.columns))
    try:
        described = binder.describe(sql if sql is not None else query.sql("duckdb"))
    except QueryError as error:
        told = None if sql is None else error.position
        named = None if sql is None or told is None else _named_in(sql, told, error.message)
        raise QueryError(error.code, error.message, named or _position(query, error.message) or told) from None
    return tuple(_column(name, spelled) for name, spelled in described)


def _as_far_as_touched(relation: Relation, query: exp.Query) -> Relation | None:
    """A table without the columns of no known type, where nothing in the query can mean one of them."""
    typed = tuple(column for column in relation.columns if _spelled(column.type) is not None)
    if len(typed) == len(relation.columns):
        return relation
    stars = any(not isinstance(star.parent, exp.Count) for star in query.find_all(exp.Star))
    if not typed or stars or query.find(exp.Columns, exp.Pivot) is not None:
        return None
    if any(join.method for join in query.find_all(exp.Join)) or any(
        alias.columns for alias in query.find_all(exp.TableAlias)
    ):
        return None
    tables = {table.alias_or_name.lower() for table in query.find_all(exp.Table)}
    whole_rows = any(not column.table and column.name.lower() in tables for column in query.find_all(exp.Column))
    named = {identifier.name.lower() for identifier in query.find_all(exp.Identifier)}
    if whole_rows or any(column.name.lower() in named for column in relation.columns if column not in typed):
        return None
    return replace(relation, columns=typed)


def _spelled(of: Type | None) -> str | None:
    """DuckDB's spelling of a type."""
    return None if of is None else duckdb_type(of)


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


def _named_in(sql: str, place: tuple[int, int], message: str) -> tuple[int, int] | None:
    """Of a place, the name in it that a message quotes: of `o.nope` what is not there is `nope`."""
    for name in _quoted(message):
        at = sql.rfind(name, *place)
        if at >= 0:
            return at, at + len(name)
    return None


def _position(query: exp.Query, message: str) -> tuple[int, int] | None:
    """Where the first name that a message quotes stands in the query's text."""
    for identifier in query.find_all(exp.Identifier):
        if identifier.name in _quoted(message) and "start" in identifier.meta:
            return identifier.meta["start"], identifier.meta["end"] + 1
    return None


def _quoted(message: str) -> list[str]:
    """The name that a message is about."""
    quoted = message.split('"')[1::2]
    return quoted[1:2] if "does not have a column" in message else quoted[:1]
