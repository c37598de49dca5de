"""What is proved never NULL is never NULL: every model of the suite, and random queries, run on random tables."""

from __future__ import annotations

import random
import threading

import duckdb
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sql.null_suite import Model, models, nulls_seen, sources
from tests.sql.provable import ALL, TABLES
from tests.sql.provable import DDL as PROVABLE_DDL
from tests.sql.random_queries import DDL, NOT_NULL, Queries, rows
from tests.sql.random_queries import TABLES as KINDS

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.nullability import infer_nullability
from dagster_contracts.sql.relation import Column, Relation

SUITE = models()
SOURCES = {dialect: sources(dialect) for dialect in ("duckdb", "postgres", "snowflake", "bigquery", "databricks")}
SHORT, LONG = 15, 200
# What DuckDB has no way to say once it is transpiled: these run nowhere here.
# (The last one does on DuckDB 2.)
DO_NOT_RUN = {"snowflake_event_tags", "databricks_dates", "postgres_tags"}


def hold(model: Model, rounds: int) -> None:
    """A column that is NULL in some round must be one that the hand-written truth and the proof both allow."""
    seen, ran, error = nulls_seen(model, rounds)
    assert ran > rounds / 10 or model.name in DO_NOT_RUN, f"{model.name} ran {ran} times: {error}"
    columns = infer_nullability(model.query, dialect=model.dialect, tables=SOURCES[model.dialect], text=model.text)
    proved = {position for position, column in enumerate(columns) if column.nullable is False}
    never = {position for position, truth in enumerate(model.nullable) if truth is False}
    assert not seen & proved, [columns[position].name for position in seen & proved]
    assert not seen & never, [columns[position].name for position in seen & never]


@pytest.mark.parametrize("model", SUITE, ids=lambda model: model.name)
def test_the_suite_is_sound(model: Model):
    hold(model, SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("model", SUITE, ids=lambda model: model.name)
def test_the_suite_is_sound_after_many_rounds(model: Model):
    hold(model, LONG)


@pytest.mark.slow
def test_what_the_suite_calls_nullable_by_hand_is_null_in_some_round():
    missed = []
    for model in SUITE:
        if model.dialect == "duckdb":
            seen, _, _ = nulls_seen(model, LONG)
            missed += [f"{model.name} {n}" for n, truth in enumerate(model.nullable) if truth and n not in seen]
    assert missed == []


TYPES = {
    "int": Type("Int32"),
    "str": Type("String"),
    "date": Type("Date"),
    "float": Type("Float64"),
    "bool": Type("Boolean"),
    "list": Type("Array", args=(Type("Int32"),)),
    "json": Type("Json"),
}
RELATIONS = {
    name: Relation(
        name,
        tuple(Column(column, TYPES[kind], nullable=column not in NOT_NULL[name]) for column, kind in columns.items()),
    )
    for name, columns in KINDS.items()
}


class Engine:
    """One DuckDB with the random queries' tables."""

    def __init__(self) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        self.connection.execute(DDL)

    def nulls(self, sql: str, rng: random.Random, rounds: int) -> tuple[set[int], int]:
        """The positions that were NULL in some round, and how many columns there are; none if it never ran."""
        seen: set[int] = set()
        width = 0
        for _ in range(rounds):
            for table in KINDS:
                self.connection.execute(f"TRUNCATE {table}")
                lines = rows(rng, table)
                if lines:
                    self.connection.execute(f"INSERT INTO {table} VALUES {', '.join(lines)}")
            timer = threading.Timer(2, self.connection.interrupt)
            timer.start()
            try:
                result = self.connection.execute(sql).fetchall()
            except (duckdb.BinderException, duckdb.ParserException):
                return seen, 0
            except (duckdb.Error, OverflowError, ValueError, RuntimeError):
                continue
            finally:
                timer.cancel()
            width = len(self.connection.description)
            seen |= {position for row in result for position, value in enumerate(row) if value is None}
        return seen, width


ENGINE = Engine()


def hold_for(seed: int, rounds: int) -> str:
    """One random query; what became of it."""
    rng = random.Random(seed)
    sql, _ = Queries(rng).query()
    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except sqlglot.ParseError:
        return "did not run"
    columns = infer_nullability(query, dialect="duckdb", tables=RELATIONS, text=sql)
    seen, width = ENGINE.nulls(sql, rng, rounds)
    if not width:
        return "did not run"
    assert len(columns) == width, sql
    wrong = [column.name for position, column in enumerate(columns) if column.nullable is False and position in seen]
    assert not wrong, f"{wrong} of {sql}"
    return "proved" if any(column.nullable is False for column in columns) else "nothing proved"


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_random_queries_are_sound(seed: int):
    hold_for(seed, 5)


@pytest.mark.slow
def test_many_random_queries_are_sound_and_most_of_them_run():
    outcomes = [hold_for(seed, 8) for seed in range(3000)]
    assert outcomes.count("did not run") < len(outcomes) / 4
    assert outcomes.count("proved") > len(outcomes) / 4


def test_the_examples_of_the_docs_are_what_duckdb_does():
    connection = duckdb.connect(config={"threads": 1})
    connection.execute(PROVABLE_DDL)
    rng = random.Random(7)
    pools = {
        "Int64": ["0", "1", "2", "5"],
        "Float64": ["0", "1.5", "'nan'"],
        "String": ["''", "'a'", "'1'"],
        "Date": ["'2024-01-01'", "'infinity'"],
        "Json": ["'null'", "'{\"a\": 1}'"],
    }
    seen: dict[str, set[int]] = {case.sql: set() for case in ALL}
    for _ in range(25):
        for table in TABLES.values():
            connection.execute(f"TRUNCATE {table.name}")
            for _ in range(rng.choice([0, 1, 2, 4])):
                values = [
                    "NULL" if column.nullable and rng.random() < 0.4 else rng.choice(pools[column.type.name])
                    for column in table.columns
                ]
                connection.execute(f"INSERT INTO {table.name} VALUES ({', '.join(values)})")
        for case in ALL:
            wanted = {position for position, nullable in enumerate(case.nullable) if nullable}
            if len(wanted) == len(case.nullable) and wanted == seen[case.sql]:
                continue
            try:
                result = connection.execute(case.sql).fetchall()
            except duckdb.Error:
                continue
            seen[case.sql] |= {position for row in result for position, value in enumerate(row) if value is None}
    for case in ALL:
        for position, nullable in enumerate(case.nullable):
            if nullable is not None:
                assert (position in seen[case.sql]) == nullable, f"column {position} of {case.sql}"
