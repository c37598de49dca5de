"""Queries that call what the engine, as far as is known, does not have: they would fail as a whole."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import TokenType, exp

from dagster_contracts.sql.nullability.function_table import is_known_function
from dagster_contracts.sql.postgres_functions import foreign_functions, is_postgres_function
from dagster_contracts.sql.query_error import QueryError, RefusedQueryError
from dagster_contracts.sql.typing.function_tables import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dagster_contracts.sql.binder import Binder
    from dagster_contracts.sql.query_error import UnknownOutputError


def refuse_absent(
    query: exp.Query, sql: str, binder: Binder, functions: frozenset[str], because: UnknownOutputError | None
) -> tuple[str, ...]:
    """Refuse a DuckDB query that DuckDB refuses, unless that is for a function that the real database has.

    Args:
        query: The parsed query.
        sql: Its text.
        binder: The binder.
        functions: The functions that the real database has beside DuckDB's own, in small letters.
        because: Why the binder could not tell, if it was asked.

    Returns:
        Those of the functions that it calls, and that DuckDB does not have.

    Raises:
        RefusedQueryError: It calls a function that neither has, names a type that DuckDB does not have, or is refused
            by the binder.
    """
    own = {name: place for name, place in binder.calls(sql).items() if name not in binder.functions()}
    declared = {*functions, *(name.rpartition(".")[2] for name in functions)}
    for name, place in own.items():
        if name not in declared:
            raise RefusedQueryError(f"DuckDB has no function {name} of its own; {_DECLARE}", place)
    if isinstance(because, RefusedQueryError) and not own:
        raise because
    for of in query.find_all(exp.DataType):
        if of.this is exp.DataType.Type.USERDEFINED:
            _refuse_absent_type(of, binder)
    return tuple(name for name in functions if name.rpartition(".")[2] in own)


def _refuse_absent_type(of: exp.DataType, binder: Binder) -> None:
    """Refuse a type that DuckDB does not have."""
    with suppress(QueryError):  # it has it, with parameters of its own
        binder.describe(f"SELECT CAST(NULL AS {of.sql('duckdb')})")


def refuse_unknown(query: exp.Query, sql: str | None, dialect: str, functions: frozenset[str]) -> None:
    """Refuse a query that calls a function which is not known to exist in its dialect.

    Args:
        query: The parsed query.
        sql: Its text, if it is at hand.
        dialect: Its dialect.
        functions: The functions that the real database has beside those of the dialect, in small letters.

    Raises:
        RefusedQueryError: There is such a function.
    """
    foreign = _foreign_calls(query, sql) if sql is not None and dialect == "postgres" else []
    for name, place in [*_unknown_calls(query, dialect), *foreign]:
        if name not in functions and name.rpartition(".")[2] not in functions:
            raise RefusedQueryError(f"it is not known whether {dialect} has a function {name}; {_DECLARE}", place)


def _unknown_calls(query: exp.Query, dialect: str) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """Calls of functions that the parser knows of no product, and of those in a schema of the project's own."""
    for call in query.find_all(exp.Anonymous, exp.AnonymousAggFunc):
        name, around = call.name.lower(), call.parent
        schema = around.this.sql().lower() if isinstance(around, exp.Dot) else _OWN_SCHEMA
        is_known = name in BY_NAME.get(dialect, {}) or is_known_function(call, dialect) or name in _QUANTIFIERS
        is_known = is_known or (dialect == "postgres" and is_postgres_function(name))
        if is_known and schema == _OWN_SCHEMA:
            continue
        start, end = call.meta.get("start"), call.meta.get("end")
        place = None if start is None or end is None else (start, end + 1)
        yield name if schema == _OWN_SCHEMA else f"{schema}.{name}", place


def _foreign_calls(query: exp.Query, sql: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Calls in a text for PostgreSQL of functions that the parser knows of other products."""
    aliases = {alias.name.lower() for alias in query.find_all(exp.TableAlias)}
    tokens = sqlglot.tokenize(sql, dialect="postgres")
    for before, token, after in zip([None, *tokens], tokens, tokens[1:], strict=False):
        name = token.text.lower()
        if after.token_type is not TokenType.L_PAREN or name not in foreign_functions() or name in aliases:
            continue
        if token.token_type not in _NO_NAMES and (before is None or before.token_type not in _NO_CALL_BEHIND):
            yield name, (token.start, token.end + 1)


_NO_NAMES = {TokenType.STRING, TokenType.IDENTIFIER, TokenType.NATIONAL_STRING}
_NO_CALL_BEHIND = {TokenType.DOT, TokenType.FETCH}
_QUANTIFIERS = {"all", "any", "some"}  # what stands before the rows or the array of a comparison
_OWN_SCHEMA = "pg_catalog"
_DECLARE = "if your database has it, list it under `functions` in contracts.toml"
