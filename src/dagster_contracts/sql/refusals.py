"""Queries that call what the engine, as far as is known, does not have: they would fail as a whole."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability.function_table import is_known_function
from dagster_contracts.sql.query_error import QueryError, RefusedQueryError
from dagster_contracts.sql.typing.function_tables import BY_NAME

if TYPE_CHECKING:
    from dagster_contracts.sql.binder import Binder
    from dagster_contracts.sql.query_error import UnknownOutputError


def refuse_absent(
    query: exp.Query, sql: str, binder: Binder, functions: frozenset[str], because: UnknownOutputError | None
) -> None:
    """Refuse a DuckDB query that DuckDB refuses, unless that is for a function that the real database has.

    Args:
        query: The parsed query.
        sql: Its text.
        binder: The binder.
        functions: The functions that the real database has beside DuckDB's own, in small letters.
        because: Why the binder could not tell, if it was asked.

    Raises:
        RefusedQueryError: It calls a function that neither has, names a type that DuckDB does not have, or is refused
            by the binder.
    """
    own = {name: place for name, place in binder.calls(sql).items() if name not in binder.functions()}
    for name, place in own.items():
        if name not in functions:
            raise RefusedQueryError(f"DuckDB has no function {name} of its own; {_DECLARE}", place)
    if isinstance(because, RefusedQueryError) and not own:
        raise because
    for of in query.find_all(exp.DataType):
        if of.this is exp.DataType.Type.USERDEFINED:
            _refuse_absent_type(of, binder)


def _refuse_absent_type(of: exp.DataType, binder: Binder) -> None:
    """Refuse a type that DuckDB does not have."""
    with suppress(QueryError):  # it has it, with parameters of its own
        binder.describe(f"SELECT CAST(NULL AS {of.sql('duckdb')})")


def refuse_unknown(query: exp.Query, dialect: str, functions: frozenset[str]) -> None:
    """Refuse a query that calls a function which is not known to exist in its dialect.

    Args:
        query: The parsed query.
        dialect: Its dialect.
        functions: The functions that the real database has beside those of the dialect, in small letters.

    Raises:
        RefusedQueryError: There is such a function.
    """
    for call in query.find_all(exp.Anonymous, exp.AnonymousAggFunc):
        name = call.name.lower()
        if name in functions or name in BY_NAME.get(dialect, {}) or is_known_function(call, dialect):
            continue
        start, end = call.meta.get("start"), call.meta.get("end")
        place = None if start is None or end is None else (start, end + 1)
        raise RefusedQueryError(f"it is not known whether {dialect} has a function {name}; {_DECLARE}", place)


_DECLARE = "if your database has it, list it under `functions` in contracts.toml"
