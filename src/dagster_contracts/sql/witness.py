"""Rows that prove that a column can be NULL: tiny random tables, on which the query is really run."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import ErrorLevel, exp
from sqlglot.errors import SqlglotError

from dagster_contracts.contract.types import Type
from dagster_contracts.diagnostics.finding import Witness
from dagster_contracts.sql.dialect_types import type_sql
from dagster_contracts.sql.witness_values import Constants, constants_of, literals_of, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.sql.relation import Relation

# No file, no network, no extension, no Python variable as a table, and not much memory.
_LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": "256MB",
    "threads": "1",
}
_LONGEST_RUN = 0.25  # seconds, for one run of the query: a recursion over random rows may never end
_MOST_ROWS = 20_000
_MANY = 12  # rows of a table, where there are many
_CONSTANT = 0.4  # how often a column has the same value in all rows

Rows = dict[str, list[tuple[str, ...]]]


def find_witness(
    query: exp.Query,
    column: int,
    tables: Mapping[str, Relation],
    *,
    dialect: str = "duckdb",
    models: Mapping[str, exp.Query] | None = None,
    seed: int = 0,
    rounds: int = 400,
    seconds: float = 2.0,
) -> Witness | None:
    """Looks for rows of a query's tables that make one of its columns NULL.

    Tiny random tables, which keep what the tables promise, are filled in an in-memory DuckDB that reaches nothing
    outside of it, and the query is run on them.

    Args:
        query: The query. It is not changed.
        column: The column's position, from 0.
        tables: The columns of the tables that it reads, by the name that it calls them.
        dialect: The dialect that it is written in; others than `duckdb` are transpiled.
        models: The queries of those of its tables that are models, and of the models that those read, by name.
        seed: The same seed finds the same rows.
        rounds: How many fillings to try at most.
        seconds: How long to look at most.

    Returns:
        The rows, as few as will do, and the output row; `None` where none were found, which proves nothing.
    """
    deadline = time.monotonic() + seconds
    try:
        search = _prepare(query, column, tables, dialect, models or {})
    except (SqlglotError, duckdb.Error, ValueError, RecursionError):
        return None
    if search is None:
        return None
    rng = Random(seed)  # noqa: S311 - rows to try, not secrets
    guard = threading.Timer(seconds, search.connection.interrupt)
    guard.start()
    try:
        for number in range(rounds):
            if time.monotonic() > deadline:
                return None
            rows = _filling(search, rng, number)
            if search.run(rows) is not None:
                return _witness(search, _shrunk(search, rows, deadline))
    finally:
        guard.cancel()
        search.connection.close()
    return None


@dataclass
class _Search:
    """One search: the database, the query, and what its tables' columns can hold.

    Args:
        connection: The database.
        sql: The query as DuckDB reads it.
        column: The position of the column that is to be NULL.
        tables: The tables to fill, by the name they are created under.
        literals: For each table and column, the values to choose from.
        mentioned: The names that the queries mention; `None` where they mention all.
        may_not_end: Whether they are recursive, so that one run may never end.
    """

    connection: duckdb.DuckDBPyConnection
    sql: str
    column: int
    tables: dict[str, Relation]
    literals: dict[str, list[list[str]]]
    mentioned: frozenset[str] | None
    may_not_end: bool

    def run(self, rows: Rows) -> dict[str, Any] | None:
        """The first output row whose column is NULL, if there is one."""
        timer = threading.Timer(_LONGEST_RUN, self.connection.interrupt) if self.may_not_end else None
        try:
            for name, lines in rows.items():
                self.connection.execute(f"TRUNCATE {name}")
                if lines:
                    listed = ", ".join(f"({', '.join(line)})" for line in lines)
                    self.connection.execute(f"INSERT INTO {name} VALUES {listed}")  # noqa: S608 - our own literals
            if timer is not None:
                timer.start()
            result = self.connection.execute(self.sql)
            names = [described[0] for described in result.description]
            for line in result.fetchmany(_MOST_ROWS):
                if line[self.column] is None:
                    return dict(zip(names, map(shown, line), strict=True))
        except (duckdb.Error, OverflowError, ValueError, RuntimeError, IndexError):
            return None
        finally:
            if timer is not None:
                timer.cancel()
        return None


def _prepare(
    query: exp.Query, column: int, tables: Mapping[str, Relation], dialect: str, models: Mapping[str, exp.Query]
) -> _Search | None:
    """The database with empty tables, and the models above them as views."""
    needed = _models_read(query, models)
    queries = [query, *needed.values()]
    relations: dict[str, Relation] = {}
    for name in {table.lower(): table for each in queries for table in _tables_read(each)}.values():
        if name not in needed:
            relation = tables.get(name) or tables.get(name.lower()) or tables.get(name.upper())
            if relation is None:
                return None
            relations[name] = relation
    connection = duckdb.connect(":memory:", config=_LOCKED)
    constants = constants_of(queries, infinite=dialect in {"duckdb", "postgres"})
    literals = {}
    for name, relation in relations.items():
        choices = _create(connection, name, relation, constants)
        if choices is None:
            connection.close()
            return None
        literals[_quoted(name)] = choices
    for name, model in needed.items():
        _make_home(connection, name)
        connection.execute(f"CREATE OR REPLACE VIEW {_quoted(name)} AS {_transpiled(model, dialect)}")
    recursive = any(clause.args.get("recursive") for each in queries for clause in each.find_all(exp.With))
    quoted = {_quoted(name): relation for name, relation in relations.items()}
    return _Search(connection, _transpiled(query, dialect), column, quoted, literals, _mentioned(queries), recursive)


def _transpiled(query: exp.Query, dialect: str) -> str:
    """A query as DuckDB reads it; an error where it has no way to say the same."""
    level = ErrorLevel.IGNORE if dialect == "duckdb" else ErrorLevel.RAISE
    return query.sql(dialect="duckdb", unsupported_level=level)


def _tables_read(query: exp.Query) -> list[str]:
    """The dotted names of what a query reads, CTEs left out."""
    ctes = {cte.alias.lower() for cte in query.find_all(exp.CTE)}
    found = []
    for table in query.find_all(exp.Table):
        parts = [part.name for part in table.parts if isinstance(part, exp.Identifier)]
        if parts and not (len(parts) == 1 and parts[0].lower() in ctes):
            found.append(".".join(parts))
    return found


def _models_read(query: exp.Query, models: Mapping[str, exp.Query]) -> dict[str, exp.Query]:
    """The models that a query reads and that those read, each after the ones it reads itself."""
    found: dict[str, exp.Query] = {}
    for name in _tables_read(query):
        model = models.get(name)
        if model is not None and model is not query and name not in found:
            found = {**found, **_models_read(model, {other: m for other, m in models.items() if other != name})}
            found[name] = model
    return found


def _create(
    connection: duckdb.DuckDBPyConnection, name: str, relation: Relation, constants: Constants
) -> list[list[str]] | None:
    """Creates one table; each column's values to choose from, or `None` where a type is not known."""
    columns, choices = [], []
    for column in relation.columns:
        spelled = _spelled(column.type) if column.type is not None else None
        values = literals_of(column.type, constants) if column.type is not None else []
        if spelled is None or not values:
            return None
        columns.append(f"{_identifier(column.name)} {spelled}{' NOT NULL' if column.nullable is False else ''}")
        nulls = [] if column.nullable is False else ["NULL"] * max(1, len(values) // 2)
        choices.append([*values, *nulls])
    _make_home(connection, name)
    connection.execute(f"CREATE TABLE {_quoted(name)} ({', '.join(columns)})")
    return choices


def _spelled(of: Type) -> str | None:
    """A type as DuckDB spells it; a decimal whose digits are not known has enough."""
    return "DECIMAL(28, 6)" if of == Type("Decimal") else type_sql(of, "duckdb")


def _make_home(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Creates the catalog and the schema that a dotted name is in."""
    parts = name.split(".")
    if len(parts) > 2:  # noqa: PLR2004 - catalog, schema and table
        connection.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {_identifier(parts[-3])}")
    if len(parts) > 1:
        home = ".".join(_identifier(part) for part in parts[-3:-1])
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {home}")


def _quoted(name: str) -> str:
    """A dotted name with each part in quotes."""
    return ".".join(_identifier(part) for part in name.split("."))


def _identifier(name: str) -> str:
    """A name in quotes."""
    return '"' + name.replace('"', '""') + '"'


def _mentioned(queries: list[exp.Query]) -> frozenset[str] | None:
    """The names that queries mention, or `None` where a `*` mentions all."""
    for query in queries:
        if any(not isinstance(star.parent, exp.Count) for star in query.find_all(exp.Star)):
            return None
    return frozenset(name.name.lower() for query in queries for name in query.find_all(exp.Identifier))


def _filling(search: _Search, rng: Random, number: int) -> Rows:
    """Random rows for each table: none at first, then few, now and then many; some columns hold one value only."""
    most = _MANY if number % 5 == 4 else min(number, 3)  # noqa: PLR2004
    rows: Rows = {}
    for name, choices in search.literals.items():
        count = rng.randint(0 if number % 3 == 0 else min(most, 1), most)
        columns = [[rng.choice(values)] if rng.random() < _CONSTANT else values for values in choices]
        rows[name] = [tuple(rng.choice(values) for values in columns) for _ in range(count)]
    return rows


def _shrunk(search: _Search, rows: Rows, deadline: float) -> Rows:
    """As few of the rows as still make the column NULL."""
    for name in rows:
        position = 0
        while position < len(rows[name]) and time.monotonic() < deadline:
            fewer = {**rows, name: rows[name][:position] + rows[name][position + 1 :]}
            if search.run(fewer) is not None:
                rows = fewer
            else:
                position += 1
    return rows


def _witness(search: _Search, rows: Rows) -> Witness | None:
    """The rows as they are shown: only the columns that the query mentions."""
    output = search.run(rows)
    if output is None:
        return None
    inputs = {}
    for name, relation in search.tables.items():
        result = search.connection.execute(f"SELECT * FROM {name}")  # noqa: S608 - quoted above
        lines = [dict(zip(relation.column_names, map(shown, line), strict=True)) for line in result.fetchall()]
        kept = search.mentioned
        inputs[relation.name] = tuple(
            {column: value for column, value in line.items() if kept is None or column.lower() in kept}
            for line in lines
        )
    return Witness(inputs, output)
