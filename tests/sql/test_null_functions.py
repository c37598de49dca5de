"""Each function of the table on the real engine: it is NULL when the table says so, and never else."""

from __future__ import annotations

import itertools
import random

import duckdb
import pytest
import sqlglot

from dagster_contracts.sql.nullability.function_table import Function, Rule, function_of

VALUES = {
    "BIGINT": ["0", "1", "-1", "7", "-9223372036854775807"],
    "DOUBLE": ["0.0::DOUBLE", "1.5::DOUBLE", "'nan'::DOUBLE", "'inf'::DOUBLE", "-2.5::DOUBLE"],
    "DECIMAL(5,2)": ["0.0", "1.50", "-3.25"],
    "VARCHAR": ["''", "'a'", "'abc'", "'1'", "'null'", "'%Y'", "' é'"],
    "DATE": ["DATE '2024-01-31'", "DATE 'infinity'", "DATE '-infinity'"],
    "TIMESTAMP": ["TIMESTAMP '2024-01-01 10:00:00'", "TIMESTAMP 'infinity'"],
    "TIMESTAMPTZ": ["TIMESTAMPTZ '2024-01-01 10:00:00+00'", "TIMESTAMPTZ '-infinity'"],
    "TIME": ["TIME '10:00:00'"],
    "INTERVAL": ["INTERVAL 1 DAY", "INTERVAL '-2' MONTH"],
    "BOOLEAN": ["true", "false"],
    "BLOB": [r"'\xAA'::BLOB", "''::BLOB"],
    "INTEGER[]": ["[]::INTEGER[]", "[1, NULL]", "[3]"],
    "VARCHAR[]": ["[]::VARCHAR[]", "['a', NULL]"],
}
ALL = [(kind, value) for kind, values in VALUES.items() for value in values]
UNITS = [(None, f"'{unit}'") for unit in ("year", "month", "day", "hour", "dow", "epoch")]
CHECKED = {Rule.STRICT, Rule.TEXT, Rule.FINITE, Rule.TOTAL, Rule.FIRST, Rule.NEVER}


def functions() -> list[tuple[str, int, Function]]:
    """DuckDB's own scalar functions that the table knows, with a number of arguments."""
    rows = duckdb.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'scalar' AND regexp_matches(function_name, '^[a-z]')"
    ).fetchall()
    found = []
    for (name,) in sorted(rows):
        for number in range(4):
            try:
                call = sqlglot.parse_one(f"SELECT {name}({', '.join('abc'[:number])})", read="duckdb").expressions[0]
            except sqlglot.ParseError:
                continue
            function = function_of(call, "duckdb")
            if function is not None and function.rule in CHECKED:
                found.append((name, number, function))
    return found


def arguments(number: int, tries: int, rng: random.Random) -> list[tuple[tuple[str | None, str], ...]]:
    """Random arguments; some begin with a unit of time."""
    if number <= 1:
        return list(itertools.product(ALL, repeat=number))
    found = [tuple(rng.choice(ALL) for _ in range(number)) for _ in range(tries)]
    alike = [tuple((kind, rng.choice(VALUES[kind])) for _ in range(number - 1)) for kind in VALUES for _ in range(4)]
    return [*found, *((rng.choice(UNITS), *rest) for rest in alike)]


def check(name: str, number: int, function: Function, tries: int) -> int:
    """Calls a function with arguments that are not NULL, and with one that is; how many calls ran."""
    connection = duckdb.connect(config={"threads": 1})
    rng = random.Random(f"{name} {number}")
    ran = 0
    for chosen in arguments(number, tries, rng):
        call = f"SELECT {name}({', '.join(value for _, value in chosen)})"
        try:
            (result,) = connection.execute(call).fetchone()
        except (duckdb.Error, OverflowError, ValueError):
            continue
        ran += 1
        infinite = function.rule is Rule.FINITE and any("infinity" in value for _, value in chosen)
        assert result is not None or infinite, call
        for position in range(1 if function.rule is Rule.FIRST else number):
            kind = chosen[position][0]
            if kind is None or not (function.propagates or function.rule is Rule.FIRST):
                continue
            values = [f"NULL::{kind}" if at == position else value for at, (_, value) in enumerate(chosen)]
            call = f"SELECT {name}({', '.join(values)})"
            try:
                (result,) = connection.execute(call).fetchone()
            except (duckdb.Error, OverflowError, ValueError):
                continue
            assert result is None, call
    return ran


def test_a_sample_of_the_functions_is_null_when_the_table_says_so():
    known = functions()
    assert len(known) > 150
    rng = random.Random(3)
    assert sum(check(*one, tries=20) > 0 for one in rng.sample(known, 20)) > 8


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number", "function"), functions(), ids=lambda value: str(value)[:30])
def test_every_function_is_null_when_the_table_says_so(name: str, number: int, function: Function):
    check(name, number, function, tries=400)


AGGREGATES = [
    "sum",
    "avg",
    "min",
    "max",
    "median",
    "mode",
    "any_value",
    "first",
    "last",
    "bool_and",
    "bool_or",
    "list",
    "string_agg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "product",
    "fsum",
    "favg",
    "geomean",
    "mad",
    "count",
    "approx_count_distinct",
    "histogram",
    "stddev",
    "variance",
]


# Between an infinite date and another there is none: what is proved of these is not proved of dates.
INTERPOLATING = {"avg", "median", "favg", "mad", "geomean"}


@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregates_over_rows_that_are_not_null(name: str):
    call = sqlglot.parse_one(f"SELECT {name}(x)", read="duckdb").expressions[0].find(sqlglot.exp.Func)
    function = function_of(call, "duckdb")
    if function is None:  # any_value is wrapped
        function = Function(Rule.AGGREGATE, "same")
    assert function.aggregates
    if function.rule is Rule.SAMPLE:
        return
    for kind, values in VALUES.items():
        if kind in {"DATE", "TIMESTAMP", "TIMESTAMPTZ"} and name in INTERPOLATING:
            continue
        for chosen in (values[:1], values[-1:], values[-2:], values, [*values, values[0]]):
            rows = ", ".join(f"({value})" for value in chosen)
            try:
                (result,) = duckdb.execute(f"SELECT {name}(x) FROM (VALUES {rows}) AS v(x) GROUP BY 'k'").fetchone()
            except (duckdb.Error, OverflowError, ValueError):
                continue
            assert result is not None, (name, kind, chosen)
