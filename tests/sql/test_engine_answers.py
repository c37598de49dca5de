"""Hundreds of expressions and queries held to what real engines answered: PostgreSQL, Spark and BigQuery's analyzer.

The answers are files under `answers/`; each says at its top which version gave them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import sqlglot
from tests.sql.null_suite import sources

from dagster_contracts.contract.types import Type
from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.binder import Binder
from dagster_contracts.sql.dialect_types import spelled_type
from dagster_contracts.sql.typing import QueryError, TypedColumn, UnknownOutputError, infer_types

ANSWERS = Path(__file__).parent / "answers"
DIALECTS = ("postgres", "databricks", "bigquery")
# Names that no documentation promises and no rule of ours tells: Spark's text of windows, CASE and the like.
NAMELESS = {"databricks": (" over ", "case when", "if(", "date_trunc(", "year(", "||", "current_date", "-o.id")}
NAMELESS["databricks"] += ("not true", " in (", "is null", "count(distinct")


@dataclass(frozen=True)
class Answer:
    """What an engine said of one query; no columns where it refused it."""

    sql: str
    error: str
    columns: tuple[tuple[str, str], ...]


@cache
def answers(dialect: str) -> tuple[Answer, ...]:
    found = []
    for line in (ANSWERS / f"{dialect}.tsv").read_text().splitlines()[1:]:
        sql, *rest = line.split("\t")
        if rest[0].startswith("error: "):
            found.append(Answer(sql, rest[0], ()))
        else:
            found.append(Answer(sql, "", tuple(tuple(one.rsplit("=", 1)) for one in rest)))
    assert len(found) > 350
    return tuple(found)


@cache
def inferred(dialect: str) -> tuple[tuple[Answer, tuple[TypedColumn, ...] | Exception], ...]:
    binder, tables = Binder(), sources(dialect)
    found: list[tuple[Answer, tuple[TypedColumn, ...] | Exception]] = []
    for answer in answers(dialect):
        query = sqlglot.parse_one(answer.sql, dialect=dialect)
        try:
            columns = infer_types(query, dialect=dialect, tables=tables, binder=binder, sql=answer.sql)
            found.append((answer, columns))
        except (QueryError, UnknownOutputError) as error:
            found.append((answer, error))
    return tuple(found)


def answered(dialect: str) -> list[tuple[Answer, tuple[TypedColumn, ...]]]:
    return [(answer, found) for answer, found in inferred(dialect) if answer.columns and isinstance(found, tuple)]


def real_type(spelled: str, dialect: str) -> Type | None:
    try:
        return spelled_type(spelled, dialect)
    except UnknownTypeError:
        return None


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_type_is_wrong(dialect: str):
    wrong = []
    for answer, found in answered(dialect):
        for column, (name, spelled) in zip(found, answer.columns, strict=True):
            real = real_type(spelled, dialect)
            open_digits = (
                column.type == Type("Decimal") and column.reasons and real is not None and real.name == "Decimal"
            )
            if column.type not in (None, real) and not open_digits:
                wrong.append((answer.sql, name, str(column.type), spelled))
    assert not wrong


@pytest.mark.parametrize("dialect", DIALECTS)
def test_at_least_85_of_100_types_are_known(dialect: str):
    columns = [column for _, found in answered(dialect) for column in found]
    assert sum(column.type is not None for column in columns) > 0.85 * len(columns)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_name_is_wrong(dialect: str):
    wrong = []
    for answer, found in answered(dialect):
        if any(part in answer.sql for part in NAMELESS.get(dialect, ())):
            continue
        for column, (name, _) in zip(found, answer.columns, strict=True):
            if column.name != name and not name.startswith("$"):
                wrong.append((answer.sql, column.name, name))
    assert not wrong


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_an_engine_runs_is_never_called_wrong(dialect: str):
    refused = [
        (answer.sql, found.message)
        for answer, found in inferred(dialect)
        if answer.columns and isinstance(found, QueryError)
    ]
    assert not refused


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_that_an_engine_does_not_find_are_errors(dialect: str):
    missed = [
        answer.sql for answer, found in inferred(dialect) if "nope" in answer.sql and not isinstance(found, QueryError)
    ]
    assert not missed
    assert sum("nope" in answer.sql for answer in answers(dialect)) >= 3
