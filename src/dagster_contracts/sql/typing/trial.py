"""A DuckDB query that reads or calls what nobody knows: DuckDB's binder is asked with stand-ins for it.

Where DuckDB refuses the query whatever stands in, nobody could check it, and nothing of it is known.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp

from dagster_contracts.contract.types import matches
from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import spelled_type
from dagster_contracts.sql.query_error import QueryError, RefusedQueryError, UnknownOutputError
from dagster_contracts.sql.typing.bound import duckdb_type
from dagster_contracts.sql.typing.column import TypedColumn
from dagster_contracts.sql.typing.names import find_table, table_key
from dagster_contracts.sql.typing.reads import tables_read
from dagster_contracts.sql.typing.undeclared import columns_taken

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.contract.types import Type
    from dagster_contracts.sql.binder import Binder
    from dagster_contracts.sql.relation import Relation

# What stands in: a NULL goes almost everywhere, and a type that two of them give does not come from what stands in.
_TYPES = ('"NULL"', "VARCHAR", "TIMESTAMP", "DOUBLE", "VARCHAR[]")
_ENOUGH = 2
_Answer: TypeAlias = tuple[tuple[str, str], ...]
_Taken: TypeAlias = "Mapping[str, tuple[str, ...]]"
_EXPANDS = re.compile(r"\b(recursive|max_depth)\s*:?=|\)\s*\.\s*\*", re.IGNORECASE)
_CANDIDATES = re.compile(r"\s*Candidate (bindings|macros|Entries):.*", re.DOTALL)
_NO_COLUMN = "nothing is taken from it"


def tried_columns(
    query: exp.Query,
    sql: str,
    columns: tuple[TypedColumn, ...],
    *,
    tables: Mapping[str, Relation],
    functions: tuple[str, ...],
    binder: Binder,
) -> tuple[TypedColumn, ...]:
    """Ask DuckDB about a query with stand-ins for what is not known of it.

    Args:
        query: The parsed query.
        sql: Its text.
        columns: What was worked out without the binder.
        tables: What the tables return, as far as that is known.
        functions: The functions that it calls and that only the real database has.
        binder: The binder.

    Returns:
        The columns as DuckDB names them; without a type where DuckDB's is another one.

    Raises:
        RefusedQueryError: DuckDB refuses it whatever stands in.
    """
    answers, is_whole = _answers(query, sql, tables, functions, binder)
    if any(len(answer) != len(columns) for answer in answers):
        return _names_alone(
            answers, "its type was not worked out: DuckDB finds other columns in the query", is_whole=is_whole
        )
    return tuple(_agreed(column, [answer[at] for answer in answers]) for at, column in enumerate(columns))


def named_columns(
    query: exp.Query,
    sql: str,
    because: QueryError | UnknownOutputError,
    *,
    tables: Mapping[str, Relation],
    functions: tuple[str, ...],
    binder: Binder,
) -> tuple[TypedColumn, ...]:
    """The names alone of the columns of a query whose types could not be worked out.

    Args:
        query: The parsed query.
        sql: Its text.
        because: Why they could not; where DuckDB refuses the query, too, this is the answer.
        tables: What the tables return, as far as that is known.
        functions: The functions that it calls and that only the real database has.
        binder: The binder.

    Raises:
        QueryError: The query is wrong.
        UnknownOutputError: Its columns cannot be known.
    """
    try:
        answers, is_whole = _answers(query, sql, tables, functions, binder)
    except UnknownOutputError as error:
        raise because if isinstance(because, QueryError) else error from None
    return _names_alone(answers, str(because), is_whole=is_whole)


def _names_alone(answers: list[_Answer], reason: str, *, is_whole: bool) -> tuple[TypedColumn, ...]:
    """Columns by their names, where no table may have more of them and DuckDB gives the same each time."""
    names = [name for name, _ in answers[0]]
    if not is_whole or any([name for name, _ in answer] != names for answer in answers):
        raise UnknownOutputError(reason)
    return tuple(TypedColumn(name, None, (reason,)) for name in names)


def _answers(
    query: exp.Query, sql: str, tables: Mapping[str, Relation], functions: tuple[str, ...], binder: Binder
) -> tuple[list[_Answer], bool]:
    """What DuckDB says with one stand-in and another, and whether all columns of all tables are known by name."""
    _refuse_table_functions(query, functions)
    taken = columns_taken(query, "duckdb", tables)
    answers = []
    refusal: QueryError | UnknownOutputError | None = None
    for of in _TYPES:
        try:
            trial = binder.trial(of)
            for path in _paths(query, functions):
                trial.define(path, of)
            _declare(trial, of, query, tables, taken)
            answers.append(trial.describe(sql))
        except (QueryError, UnknownOutputError) as error:
            refusal = refusal or error
        if len(answers) >= _ENOUGH:
            break
    if not answers:
        position = refusal.position if isinstance(refusal, QueryError | RefusedQueryError) else None
        said = _CANDIDATES.sub("", str(refusal))
        if said.startswith("Macro "):  # as which DuckDB has what stands in
            said = f"{said.split()[1]} is called with named values or more than twelve, and nothing stands in for that"
        raise RefusedQueryError(f"DuckDB could not check the query; it says: {said}", position)
    if functions and _EXPANDS.search(sql):
        raise RefusedQueryError("how many columns the query returns depends on what a function of your own returns")
    return answers, not taken


def _refuse_table_functions(query: exp.Query, functions: tuple[str, ...]) -> None:
    """Refuse a query that reads the rows of a function which only the real database has: nothing stands in for it."""
    names = {name.rpartition(".")[2] for name in functions}
    for table in query.find_all(exp.Table):
        if isinstance(table.this, exp.Func) and table.this.name.lower() in names:
            start, end = table.this.meta.get("start"), table.this.meta.get("end")
            raise RefusedQueryError(
                f"it reads rows of the function {table.this.name}, whose columns nobody knows, "
                "so DuckDB could not check the rest of the query",
                None if start is None or end is None else (start, end + 1),
            )


def _paths(query: exp.Query, functions: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The names by which a query may call functions: as they are declared, and in the schema that it says itself."""
    found = {tuple(name.split(".")) for name in functions}
    for dot in query.find_all(exp.Dot):
        name = dot.expression.name.lower()
        if isinstance(dot.expression, exp.Anonymous) and name in functions and dot.this.find(exp.Func) is None:
            schema = tuple(part.name.lower() for part in dot.this.find_all(exp.Identifier))
            found.add((*schema, name) if schema[-1:] != ("main",) else (name,))
    return found


def _declare(trial: Binder, of: str, query: exp.Query, tables: Mapping[str, Relation], taken: _Taken) -> None:
    """Make the tables known that a query reads; one type stands in for all that is not known of them."""
    for table in tables_read(query):
        relation = find_table(tables, table, "duckdb")
        if relation is None and isinstance(table.this, exp.Func):
            continue
        if relation is None:
            listed = tuple((name, of) for name in taken.get(table_key(table, "duckdb")) or (_NO_COLUMN,))
        else:
            listed = tuple((column.name, _spelled(column.type, of)) for column in relation.columns)
        trial.declare([part.name for part in table.parts], listed)


def _spelled(of: Type | None, stand_in: str) -> str:
    """DuckDB's spelling of a type, or else what stands in for it."""
    return (None if of is None else duckdb_type(of)) or stand_in


def _agreed(column: TypedColumn, answers: list[tuple[str, str]]) -> TypedColumn:
    """A column as DuckDB names it, of its type where DuckDB gives the same each time."""
    named = replace(column, name=answers[0][0])
    if column.type is None:
        return named
    for _, spelled in answers:
        if not _is_same(column.type, spelled):
            reason = f"{named.name} is {column.type} as far as can be told, and {spelled} by DuckDB's binder"
            return replace(named, type=None, reasons=(reason, *column.reasons))
    return named


def _is_same(of: Type, spelled: str) -> bool:
    """Whether DuckDB gives a type, whose digits may be open."""
    try:
        found = spelled_type(spelled, "duckdb")
    except UnknownTypeError:
        return False
    return found is not None and matches(of, found) is True
