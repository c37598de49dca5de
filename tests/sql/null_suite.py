"""The models of the suite as nullability is tested on them: what they read, what they return, and random rows for them."""

from __future__ import annotations

import random
import threading
import tomllib
from dataclasses import dataclass
from pathlib import Path

import duckdb
import sqlglot
from sqlglot import exp

from dagster_contracts.sql.dialect_types import spelled_type
from dagster_contracts.sql.relation import Column, Relation

SUITE = Path(__file__).parent / "suite"


@dataclass(frozen=True)
class Model:
    """One model of the suite.

    Args:
        name: Its file's stem.
        dialect: The dialect it is written in.
        text: Its SQL.
        nullable: Of each column by hand: whether it is NULL for some rows of its sources.
    """

    name: str
    dialect: str
    text: str
    nullable: tuple[bool | None, ...]

    @property
    def query(self) -> exp.Query:
        return sqlglot.parse_one(self.text, read=self.dialect)


def models() -> list[Model]:
    found = []
    for path in sorted(SUITE.glob("*.expected.toml")):
        expected = tomllib.loads(path.read_text())
        name = path.name.removesuffix(".expected.toml")
        nullable = tuple(column.get("nullable") for column in expected["columns"])
        found.append(Model(name, expected["dialect"], (SUITE / f"{name}.sql").read_text(), nullable))
    return found


def sources(dialect: str = "duckdb") -> dict[str, Relation]:
    """The tables that the suite reads, as one dialect declares and folds them."""
    file = SUITE / ("sources.sql" if dialect == "duckdb" else f"sources.{dialect}.sql")
    tables = {}
    for create in sqlglot.parse(file.read_text(), read=dialect):
        assert isinstance(create, exp.Create)
        fold = str.upper if dialect == "snowflake" else str
        name = fold(create.this.this.name)
        columns = []
        for column in create.this.expressions:
            kind = spelled_type(column.args["kind"].sql(dialect=dialect), dialect)
            nullable = not any(isinstance(c.kind, exp.NotNullColumnConstraint) for c in column.args["constraints"])
            columns.append(Column(fold(column.name), kind, nullable))
        tables[name] = Relation(name, tuple(columns))
    return tables


POOLS = {
    "Int32": ["0", "1", "2", "3", "-1", "7"],
    "Int64": ["0", "1", "2", "3", "-1", "7"],
    "Decimal": ["0", "1", "2.50", "-3", "100", "12.34"],
    "Float64": ["0", "1.5", "-2", "11", "'nan'", "'inf'", "'-inf'", "'-0'"],
    "String": ["''", "'a'", "'b'", "'A '", "'1'", "'2024-01-01'", "'null'", "'x@y.z'"],
    "Boolean": ["true", "false"],
    "Date": ["'2024-01-01'", "'2024-01-02'", "'1992-02-29'", "'infinity'", "'-infinity'"],
    "Timestamp": ["'2024-01-01 00:00:00+00'", "'2024-01-02 03:04:05+00'", "'infinity'", "'-infinity'"],
    "TimestampNtz": ["'2024-01-01'", "'2024-01-02 03:04:05'", "'1992-02-29'", "'infinity'", "'-infinity'"],
    "Json": ["'null'", "'1'", "'{}'", "'[]'", '\'{"page": null, "n": "x"}\'', '\'{"page": "p", "n": 5, "cart": [1]}\''],
    "Array": ["[]", "[NULL]", "['a']", "['a', NULL, '1']"],
}


def pools(query: exp.Query, dialect: str, *, tame: bool) -> dict[str, list[str]]:
    """The values to choose from by the name of a type, those that a query compares with among them.

    Tame ones are no infinity and no NaN, which other dialects have not or treat in a way of their own; and no array in
    a BigQuery table has a NULL element.
    """
    literals = list(query.find_all(exp.Literal))
    found = {name: list(values) for name, values in POOLS.items()}
    found["String"] += [literal.sql() for literal in literals if literal.is_string]
    for literal in literals:
        for name in () if literal.is_string else ("Int32", "Int64", "Decimal", "Float64"):
            if literal.is_int or not name.startswith("Int"):
                found[name].append(literal.name)
    if tame:
        found = {name: [v for v in values if "inf" not in v and "nan" not in v] for name, values in found.items()}
    if dialect == "bigquery":
        found["Array"] = [value for value in found["Array"] if "NULL" not in value]
    return found


def fill(
    connection: duckdb.DuckDBPyConnection, tables: dict[str, Relation], values: dict[str, list[str]], rng: random.Random
) -> None:
    """Puts a few random rows into each table, none into some."""
    for table in tables.values():
        connection.execute(f"TRUNCATE {table.name}")
        rows = []
        for _ in range(rng.choice([0, 1, 1, 2, 3, 4])):
            row = [
                "NULL" if column.nullable and rng.random() < 0.4 else rng.choice(values[column.type.name])
                for column in table.columns
            ]
            rows.append(f"({', '.join(row)})")
        if rows:
            connection.execute(f"INSERT INTO {table.name} VALUES {', '.join(rows)}")


def nulls_seen(model: Model, rounds: int, seed: int = 0) -> tuple[set[int], int, str]:
    """The columns that were NULL in some round, the number of rounds that ran, and the last error."""
    tables = sources()
    query = model.query
    read = {table.name.lower() for table in query.find_all(exp.Table)}
    used = {name: table for name, table in tables.items() if name in read}
    text = model.text if model.dialect == "duckdb" else query.sql(dialect="duckdb")
    connection = duckdb.connect(config={"threads": 1})
    connection.execute((SUITE / "sources.sql").read_text())
    rng = random.Random(f"{model.name} {seed}")
    tame, wild = (pools(query, model.dialect, tame=is_tame) for is_tame in (True, model.dialect != "duckdb"))
    seen: set[int] = set()
    ran, last = 0, ""
    for _ in range(rounds):
        fill(connection, used, tame if rng.random() < 0.6 else wild, rng)
        timer = threading.Timer(0.3, connection.interrupt)  # a recursion over random rows may never end
        timer.start()
        try:
            rows = connection.execute(text).fetchall()
        except (duckdb.Error, OverflowError, RuntimeError) as error:
            last = str(error)
            continue
        finally:
            timer.cancel()
        ran += 1
        seen |= {position for row in rows for position, value in enumerate(row) if value is None}
    connection.close()
    return seen, ran, last
