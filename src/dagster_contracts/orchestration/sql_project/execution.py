"""Run one model's query in a transaction: the table is the old one, or the new one that keeps its contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import duckdb

from dagster_contracts import errors
from dagster_contracts.orchestration.sql_project.quoting import literal, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dagster_contracts.orchestration.sql_project.database import Database
    from dagster_contracts.orchestration.sql_project.staging import StagedFile

Materialized: TypeAlias = Literal["table", "view"]
NEW = "dagster_contracts_new"
"""The temporary table that a partition is computed into."""


@dataclass(frozen=True)
class Slice:
    """The part of a partitioned table that a run replaces.

    Args:
        column: The column that the table is cut by.
        start: The first value of the slice, as a SQL literal; for a slice of one key, the key.
        end: The first value after the slice, as a SQL literal; `None` for a slice of one key.
    """

    column: str
    start: str
    end: str | None

    @property
    def condition(self) -> str:
        """The rows of the slice, as a SQL condition."""
        column = quoted(self.column)
        return f"{column} = {self.start}" if self.end is None else f"{column} >= {self.start} AND {column} < {self.end}"


@dataclass(frozen=True)
class Query:
    """What to run for one model.

    Args:
        model: The model's name, which is its table's.
        sql: Its one SELECT.
        materialized: Whether a table or a view is made of it.
        inputs: Files that stand for tables which are not in the database, by the name that the query calls them.
        replaces: The part of the table that is replaced; `None` replaces all of it.
        comment: What is noted on the table.
    """

    model: str
    sql: str
    materialized: Materialized = "table"
    inputs: Mapping[str, StagedFile] | None = None
    replaces: Slice | None = None
    comment: str = ""


@dataclass(frozen=True)
class Written:
    """What a query returned.

    Args:
        row_count: The rows.
        columns: Name and DuckDB type of each column, in order.
        nulls: How many NULLs each column has.
    """

    row_count: int
    columns: tuple[tuple[str, str], ...]
    nulls: Mapping[str, int]


class _NotKeptError(Exception):
    """Leaves the transaction when the new rows are not wanted."""


def run(database: Database, query: Query, keep: Callable[[Written], bool]) -> Written:
    """Compute a model and replace its table, unless what came out is not to be kept.

    Args:
        database: Where the tables are.
        query: What to run.
        keep: Decides from what came out, before anyone else can see it. If it says no, the table stands as it was.

    Returns:
        What came out.

    Raises:
        SqlModelError: The engine refuses or fails the query, or a view would read what is not in the database.
        StorageError: The database cannot be opened.
    """
    written = None
    try:
        with database.transaction() as connection:
            _open_inputs(connection, query)
            written = _replace(connection, query)
            if not keep(written):
                raise _NotKeptError  # noqa: TRY301
    except _NotKeptError:
        pass
    except duckdb.Error as error:
        raise errors.SqlModelError(
            f"{query.model}: DuckDB could not run the model, and its table stands as it was. {error}"
        ) from error
    if written is None:
        raise errors.SqlModelError(f"{query.model}: the model returned nothing to look at.")
    return written


def _open_inputs(connection: duckdb.DuckDBPyConnection, query: Query) -> None:
    """Let the query read files by the names of tables, for as long as the connection lives."""
    inputs = query.inputs or {}
    if inputs and query.materialized == "view":
        raise errors.SqlModelError(
            f"{query.model} is a view and reads {', '.join(sorted(inputs))}, which is no table of the database, so "
            'nobody else could read the view. Say materialized = "table" in its sidecar.'
        )
    for name, file in inputs.items():
        replaced = ", ".join(f"{sql} AS {quoted(column)}" for column, sql in file.read_as.items())
        columns = f"* REPLACE ({replaced})" if replaced else "*"
        table = f"read_parquet({literal(str(file.path))})"
        connection.execute(f"CREATE TEMP VIEW {quoted(name)} AS SELECT {columns} FROM {table}")


def _select(connection: duckdb.DuckDBPyConnection, query: Query) -> str:
    """The model's one statement, without what follows it."""
    statements = connection.extract_statements(query.sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise errors.SqlModelError(f"{query.model}: a model is one SELECT; this is {len(statements)} statements.")
    return statements[0].query.strip().rstrip(";")


def _replace(connection: duckdb.DuckDBPyConnection, query: Query) -> Written:
    """Put the query's rows in the place of the old ones, inside the open transaction."""
    select, table = _select(connection, query), quoted(query.model)
    if query.replaces is not None:
        return _replace_slice(connection, query, query.replaces, select)
    other = "VIEW" if query.materialized == "table" else "TABLE"
    if _exists(connection, query.model, other):
        connection.execute(f"DROP {other} main.{table}")
    connection.execute(f"CREATE OR REPLACE {query.materialized.upper()} main.{table} AS\n{select}")
    _note(connection, query, query.materialized)
    return _look_at(connection, f"main.{table}")


def _replace_slice(connection: duckdb.DuckDBPyConnection, query: Query, part: Slice, select: str) -> Written:
    """Exchange the rows of one slice; rows outside of it are refused, as the next run would keep them twice."""
    table = quoted(query.model)
    connection.execute(f"CREATE TEMP TABLE {NEW} AS\n{select}")
    outside = _one(connection, f"SELECT count(*) FROM {NEW} WHERE ({part.condition}) IS NOT TRUE")
    if outside:
        raise errors.SqlModelError(
            f"{query.model}: {outside} of the rows that it returned are not in the partition {part.condition}, and "
            "nothing was written. Filter them by @partition_start and @partition_end, or @partition_key."
        )
    written = _look_at(connection, NEW)
    connection.execute(f"CREATE TABLE IF NOT EXISTS main.{table} AS SELECT * FROM {NEW} LIMIT 0")
    before = _described(connection, f"main.{table}")
    if before != written.columns:
        raise errors.SqlModelError(
            f"{query.model}: the model's columns changed, from {_listed(before)} to {_listed(written.columns)}, and "
            "the table holds other partitions with the old ones. Drop the table and run all its partitions again."
        )
    connection.execute(f"DELETE FROM main.{table} WHERE {part.condition}")
    connection.execute(f"INSERT INTO main.{table} BY NAME SELECT * FROM {NEW}")
    _note(connection, query, "table")
    return written


def _note(connection: duckdb.DuckDBPyConnection, query: Query, kind: Materialized) -> None:
    """Leave a comment on the table."""
    connection.execute(f"COMMENT ON {kind.upper()} main.{quoted(query.model)} IS {literal(query.comment)}")


def noted(database: Database, model: str) -> str | None:
    """The comment on a model's table; `None` without a table.

    Raises:
        StorageError: The database cannot be opened.
    """
    tables = "SELECT table_name AS name, comment FROM duckdb_tables() WHERE schema_name = 'main'"
    views = "SELECT view_name AS name, comment FROM duckdb_views() WHERE schema_name = 'main'"
    with database.connect() as connection:
        found = connection.execute(
            f"SELECT comment FROM ({tables} UNION ALL {views}) WHERE lower(name) = lower({literal(model)})"
        ).fetchone()
    return None if found is None else str(found[0] or "")


def _look_at(connection: duckdb.DuckDBPyConnection, table: str) -> Written:
    columns = _described(connection, table)
    nulls = [f"count(*) - count({quoted(name)})" for name, _ in columns]
    row_count, *counts = _row(connection, f"SELECT {', '.join(['count(*)', *nulls])} FROM {table}")
    return Written(row_count, columns, {name: count for (name, _), count in zip(columns, counts, strict=True)})


def _described(connection: duckdb.DuckDBPyConnection, table: str) -> tuple[tuple[str, str], ...]:
    rows = connection.execute(f"DESCRIBE {table}").fetchall()
    return tuple((str(name), str(kind)) for name, kind, *_ in rows)


def _exists(connection: duckdb.DuckDBPyConnection, name: str, kind: str) -> bool:
    catalog = "duckdb_views()" if kind == "VIEW" else "duckdb_tables()"
    column = "view_name" if kind == "VIEW" else "table_name"
    where = f"schema_name = 'main' AND NOT temporary AND lower({column}) = lower({literal(name)})"
    return bool(_one(connection, f"SELECT count(*) FROM {catalog} WHERE {where}"))


def _row(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[int, ...]:
    row = connection.execute(sql).fetchone()
    return tuple(row or ())


def _one(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    return _row(connection, sql)[0]


def _listed(columns: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns)
