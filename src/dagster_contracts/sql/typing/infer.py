"""The names and types that a query returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.sql.query_error import QueryError, UnknownOutputError
from dagster_contracts.sql.refusals import refuse_absent, refuse_unknown
from dagster_contracts.sql.typing.bound import bound_columns
from dagster_contracts.sql.typing.column import TypedColumn
from dagster_contracts.sql.typing.query import output_of
from dagster_contracts.sql.typing.second_opinion import second_opinion
from dagster_contracts.sql.typing.trial import named_columns, tried_columns
from dagster_contracts.sql.typing.ungrouped import refuse_ungrouped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from dagster_contracts.sql.binder import Binder
    from dagster_contracts.sql.relation import Relation

_TOO_DEEP = "the query is nested too deeply to be read"


def infer_types(
    query: exp.Query,
    *,
    dialect: str,
    tables: Mapping[str, Relation],
    binder: Binder,
    sql: str | None = None,
    functions: frozenset[str] | None = None,
) -> tuple[TypedColumn, ...]:
    """Work out the names and types of a query's output.

    For `duckdb` they are what DuckDB's own binder says, as long as everything that the query reads is known. For other
    dialects they are what the products' documentation says of each expression, and DuckDB's binder is asked for a
    second opinion on the translated query: a type of another family makes the column's type unknown.

    Args:
        query: The parsed query.
        dialect: Its dialect.
        tables: What the tables return, by their names as written and folded; a table may be missing.
        binder: The binder of this project.
        sql: The text that `query` was parsed from. Columns without a name are named by it.
        functions: The functions that the real database has beside those of the dialect, in small letters; without them,
            a function that nobody knows leaves what is made with it without a type and refuses nothing.

    Returns:
        The output's columns, in order.

    Raises:
        QueryError: The query is wrong.
        RefusedQueryError: It calls a function that nobody knows, or DuckDB refuses it for another reason.
        UnknownOutputError: Its columns cannot be known.
    """
    if dialect != "duckdb":
        if functions is not None:
            refuse_unknown(query, sql, dialect, functions)
        columns = _worked_out(query, dialect, tables, sql)
        if functions is not None:
            refuse_ungrouped(query, dialect, tables)
        return second_opinion(query, columns, dialect, tables, binder)
    because = None
    try:
        bound = bound_columns(query, tables=tables, binder=binder, sql=sql)
        if bound is not None:
            return bound
    except UnknownOutputError as error:
        because = error
    except RecursionError:
        raise UnknownOutputError(_TOO_DEEP) from None
    if functions is None:
        return _worked_out(query, dialect, tables, sql, because)
    text = sql if sql is not None else query.sql("duckdb")
    own = refuse_absent(query, text, binder, functions, because)
    if own:
        because = UnknownOutputError(f"DuckDB has no function {own[0]} of its own")
    return _with_stand_ins(query, text, because, tables=tables, functions=own, binder=binder)


def _with_stand_ins(
    query: exp.Query,
    sql: str,
    because: UnknownOutputError | None,
    *,
    tables: Mapping[str, Relation],
    functions: tuple[str, ...],
    binder: Binder,
) -> tuple[TypedColumn, ...]:
    """The output of a DuckDB query of which not everything is known, as far as DuckDB can be asked about it."""
    is_hopeless = because is not None and not functions  # nothing can stand in for what DuckDB asks for
    try:
        columns = _worked_out(query, "duckdb", tables, sql, because)
    except (QueryError, UnknownOutputError) as error:
        if is_hopeless:
            raise
        return named_columns(query, sql, error, tables=tables, functions=functions, binder=binder)
    if because is not None and is_hopeless:
        raise because
    return tried_columns(query, sql, columns, tables=tables, functions=functions, binder=binder)


def _worked_out(
    query: exp.Query,
    dialect: str,
    tables: Mapping[str, Relation],
    sql: str | None,
    because: UnknownOutputError | None = None,
) -> tuple[TypedColumn, ...]:
    """The output without the binder; `because` says why the binder could not tell."""
    try:
        found = output_of(query, dialect=dialect, tables=tables, sql=sql)
    except UnknownOutputError as error:
        raise because or error from None
    except RecursionError:
        raise UnknownOutputError(_TOO_DEEP) from None
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnknownOutputError(f"a part of the query is not understood ({type(error).__name__}: {error})") from error
    reasons = because.reasons if because else ()
    return tuple(
        TypedColumn(one.name, one.typed.type, one.typed.reasons if one.typed.type else (*one.typed.reasons, *reasons))
        for one in found
    )
