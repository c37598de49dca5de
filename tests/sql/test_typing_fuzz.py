"""Broken, cut and crossed queries: whatever parses gives columns, or one of the two answers for queries without."""

from __future__ import annotations

import random
import re

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from tests.sql.null_suite import models, sources

from dagster_contracts.sql.binder import Binder
from dagster_contracts.sql.dialect_types import DIALECTS
from dagster_contracts.sql.typing import QueryError, UnknownOutputError, infer_types

_TOKEN = re.compile(r"\s+|\w+|'[^']*'|\"[^\"]*\"|.", re.DOTALL)
_JUNK = [
    "(",
    ")",
    ",",
    "*",
    ".",
    "NULL",
    "''",
    "SELECT",
    "FROM",
    "orders",
    "WITH",
    "AS",
    "OVER ()",
    "::",
    "[",
    "]",
    "UNION",
]
_JUNK += [
    "1e999",
    "-",
    "CASE",
    "END",
    "IN",
    "LATERAL",
    "UNNEST",
    "$1",
    "{{ x }}",
    "\0",
    "é",
    "id",
    "EXCEPT",
    "JOIN",
    "ON",
]


def broken(text: str, texts: list[str], rng: random.Random) -> str:
    """A query after a few cuts, swaps, repetitions and crossings."""
    tokens = _TOKEN.findall(text)
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(tokens)) if tokens else 0
        other = _TOKEN.findall(rng.choice(texts))
        kind = rng.randrange(5)
        if kind == 0:
            del tokens[at : at + rng.randint(1, 4)]
        elif kind == 1:
            tokens.insert(at, f" {rng.choice(_JUNK)} ")
        elif kind == 2:
            start = rng.randrange(len(other))
            tokens[at : at + rng.randint(0, 5)] = other[start : start + rng.randint(1, 12)]
        elif kind == 3 and tokens:
            swap = rng.randrange(len(tokens))
            tokens[at], tokens[swap] = tokens[swap], tokens[at]
        else:
            tokens[at:at] = tokens[at : at + rng.randint(1, 6)]
    return "".join(tokens)


def survives(dialect: str, rounds: int, seed: int) -> int:
    """How many broken queries still parsed; each of them gave columns or one of the two answers."""
    rng = random.Random(seed)
    texts = [model.text for model in models() if model.dialect == dialect]
    binder, tables = Binder(), sources(dialect)
    parsed = 0
    for _ in range(rounds):
        text = broken(rng.choice(texts), texts, rng)
        try:
            query = sqlglot.parse_one(text, dialect=dialect)
        except (SqlglotError, ValueError, LookupError, AttributeError, TypeError, RecursionError):
            continue  # the parser's own affair
        if not isinstance(query, exp.Query):
            continue
        parsed += 1
        try:
            columns = infer_types(query, dialect=dialect, tables=tables, binder=binder, sql=text)
        except (QueryError, UnknownOutputError):
            continue
        assert columns or dialect == "postgres", text  # which has tables without columns
        assert all(column.type is not None or column.reasons for column in columns), text
    return parsed


@pytest.mark.parametrize("dialect", DIALECTS)
def test_broken_queries_give_nothing_but_our_own_answers(dialect: str):
    assert survives(dialect, rounds=80, seed=7) > 10


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_many_broken_queries_give_nothing_but_our_own_answers(dialect: str):
    assert survives(dialect, rounds=3000, seed=11) > 400


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_query_too_deep_to_read_is_not_known(dialect: str):
    deep = exp.column("id")
    for _ in range(1500):
        deep = exp.Add(this=deep, expression=exp.Literal.number(1))
    query = exp.select(exp.alias_(deep, "x", copy=False), copy=False).from_("orders")
    with pytest.raises(UnknownOutputError, match=r"nested too deeply|depth limit"):
        infer_types(query, dialect=dialect, tables=sources(dialect), binder=Binder())
