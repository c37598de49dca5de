"""DuckDB's opinion on a translated query; where it differs by more than a family, nobody is believed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot.errors import ErrorLevel, SqlglotError

from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import spelled_type
from dagster_contracts.sql.query_error import QueryError, UnknownOutputError
from dagster_contracts.sql.typing.bound import duckdb_type
from dagster_contracts.sql.typing.names import find_table
from dagster_contracts.sql.typing.reads import tables_read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from dagster_contracts.contract.types import Type
    from dagster_contracts.sql.binder import Binder
    from dagster_contracts.sql.relation import Relation
    from dagster_contracts.sql.typing.column import TypedColumn

# What a query that the translator cannot translate raises in it.
_UNTRANSLATABLE = (SqlglotError, ValueError, LookupError, AttributeError, TypeError, RecursionError)
_FAMILIES = {
    "number": "Int8 Int16 Int32 Int64 Int128 UInt8 UInt16 UInt32 UInt64 Float32 Float64 Decimal",
    "time": "Date Time Timestamp TimestampNtz",
    "text": "String Json Uuid Variant",
    "truth": "Boolean",
    "binary": "Binary",
    "interval": "Interval",
}
_FAMILY = {name: family for family, names in _FAMILIES.items() for name in names.split()}
_STAND_INS = {"Decimal": "DECIMAL(18,3)", "Array": "VARCHAR[]"}


def second_opinion(
    query: exp.Query,
    columns: tuple[TypedColumn, ...],
    dialect: str,
    tables: Mapping[str, Relation],
    binder: Binder,
) -> tuple[TypedColumn, ...]:
    """Compare types with what DuckDB's binder says of the translated query.

    Args:
        query: The parsed query.
        columns: What was worked out.
        dialect: The query's dialect.
        tables: What the tables return.
        binder: The binder.

    Returns:
        The columns; without their type where DuckDB's is of another family. Where DuckDB has no opinion, as they were.
    """
    try:
        for table in tables_read(query):
            relation = find_table(tables, table, dialect)
            if relation is not None:
                binder.declare([part.name for part in table.parts], _stand_ins(relation))
        described = binder.describe(query.sql("duckdb", unsupported_level=ErrorLevel.IGNORE))
    except (QueryError, UnknownOutputError, *_UNTRANSLATABLE):
        return columns
    if len(described) != len(columns):
        return columns
    theirs = [name.lower() for name, _ in described]
    places = [_place(column.name.lower(), at, theirs) for at, column in enumerate(columns)]
    return tuple(
        column if place is None else _compared(column, described[place][1])
        for column, place in zip(columns, places, strict=True)
    )


def _place(name: str, at: int, theirs: list[str]) -> int | None:
    """Where DuckDB has a column: USING puts it elsewhere in some dialects, and what has no name is named otherwise."""
    if theirs[at] == name or name not in theirs:
        return at
    return theirs.index(name) if theirs.count(name) == 1 else None


def _stand_ins(relation: Relation) -> tuple[tuple[str, str], ...]:
    """A relation's columns, of types near enough for their family."""
    columns = []
    for column in relation.columns:
        spelled = None
        if column.type is not None:
            spelled = duckdb_type(column.type) or _STAND_INS.get(column.type.name)
        if spelled is None:
            raise UnknownOutputError(f"DuckDB has no type for {relation.name}.{column.name}")
        columns.append((column.name, spelled))
    return tuple(columns)


def _compared(column: TypedColumn, spelled: str) -> TypedColumn:
    """One column beside DuckDB's opinion."""
    try:
        opinion = spelled_type(spelled, "duckdb")
    except UnknownTypeError:
        opinion = None
    if column.type is None or opinion is None or _agree(column.type, opinion):
        return column
    reason = f"{column.name} is {column.type} by the dialect's documentation and {opinion} by DuckDB's binder"
    return replace(column, type=None, reasons=(reason, *column.reasons))


def _agree(one: Type, other: Type) -> bool:
    """Whether two types are of one family, as far as both have one."""
    families = {_FAMILY.get(one.name), _FAMILY.get(other.name)}
    return None in families or len(families) == 1
