"""Which tables a query reads, and circles among models."""

import random
from itertools import pairwise

import pytest
import sqlglot

from dagster_contracts.sql.graph import descendants, find_cycles, sort_models
from dagster_contracts.sql.references import find_references


def references(sql: str, dialect: str = "duckdb") -> list[str]:
    return [one.folded for one in find_references(sqlglot.parse_one(sql, dialect=dialect), dialect)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM a JOIN raw.b ON true, db.raw.c", ["a", "raw.b", "db.raw.c"]),
        ("SELECT * FROM a AS x JOIN a AS y ON true", ["a"]),
        (
            "SELECT (SELECT max(i) FROM inside) FROM a WHERE EXISTS (SELECT 1 FROM b) AND c IN (SELECT x FROM d)",
            ["inside", "a", "b", "d"],
        ),
        ("SELECT * FROM a UNION ALL SELECT * FROM b EXCEPT SELECT * FROM c", ["a", "b", "c"]),
        ("WITH x AS (SELECT * FROM a), y AS (SELECT * FROM x) SELECT * FROM x JOIN y ON true", ["a"]),
        ("WITH a AS (SELECT * FROM a) SELECT * FROM a", ["a"]),  # the CTE reads the table of its own name
        ("WITH x AS (SELECT * FROM y), y AS (SELECT 1) SELECT * FROM x", ["y"]),  # y is not there yet
        ("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT * FROM n", []),
        ("SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x) JOIN x ON true", ["x"]),  # another x, outside
        ("WITH x AS (SELECT 1) SELECT * FROM main.x", ["main.x"]),
        ("WITH X AS (SELECT 1) SELECT * FROM x", []),
        ("SELECT * FROM range(3), unnest([1, 2])", []),
        ("SELECT * FROM a, LATERAL (SELECT * FROM b WHERE b.i = a.i)", ["a", "b"]),
        ("FROM a SELECT x", ["a"]),
        ("PIVOT a ON x IN ('1') USING sum(y)", ["a"]),
    ],
)
def test_the_tables_that_a_query_reads(sql: str, expected: list[str]):
    assert sorted(references(sql)) == sorted(expected)


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("postgres", 'SELECT * FROM Orders JOIN "Orders" ON true', ["orders", "Orders"]),
        ("snowflake", 'SELECT * FROM Orders JOIN "Orders" ON true', ["ORDERS", "Orders"]),
        ("bigquery", "SELECT * FROM `p.d.Orders`", ["p.d.orders"]),
        ("databricks", "SELECT * FROM `Raw`.Orders", ["raw.orders"]),
    ],
)
def test_names_are_folded_by_the_dialect(dialect: str, sql: str, expected: list[str]):
    assert references(sql, dialect) == expected


def test_a_reference_knows_its_place():
    sql = "SELECT *\nFROM raw.orders"
    (found,) = find_references(sqlglot.parse_one(sql, dialect="duckdb"), "duckdb")
    assert sql[slice(*found.position)] == "raw.orders"


def test_each_model_of_a_circle_knows_its_way_back():
    reads = {"a": ("b",), "b": ("c", "d"), "c": ("a",), "d": ("b",), "e": ("a", "e"), "f": ("e",), "g": ()}
    assert find_cycles(reads) == {
        "a": ("a", "b", "c"),
        "b": ("b", "d"),
        "c": ("c", "a", "b"),
        "d": ("d", "b"),
        "e": ("e",),
    }
    assert sort_models(reads) == ["g"]
    assert descendants(["c"], reads) == ["b", "a", "d", "e", "f"]


def test_every_model_comes_after_what_it_reads():
    rng = random.Random(7)
    for _ in range(50):
        names = [f"m{at}" for at in range(12)]
        order = rng.sample(names, 12)
        reads = {name: tuple(rng.sample(order[:at], rng.randint(0, min(at, 3)))) for at, name in enumerate(order)}
        result = sort_models(reads)
        assert sorted(result) == sorted(names)
        assert all(result.index(read) < result.index(name) for name in names for read in reads[name])
        assert find_cycles(reads) == {}


def test_circles_are_those_that_following_every_way_finds():
    rng = random.Random(11)
    for _ in range(100):
        names = [f"m{at}" for at in range(7)]
        reads = {name: tuple(rng.sample(names, rng.randint(0, 2))) for name in names}
        reachable = {name: set(reads[name]) for name in names}
        for _ in names:
            for name in names:
                reachable[name] |= set().union(*(reachable[other] for other in reachable[name]), set())
        found = find_cycles(reads)
        assert set(found) == {name for name in names if name in reachable[name]}
        for name, way in found.items():
            assert way[0] == name
            assert all(after in reads[before] for before, after in pairwise([*way, name]))


def test_a_long_chain_needs_no_recursion():
    reads = {f"m{at}": (f"m{at + 1}",) for at in range(5000)} | {"m5000": ()}
    assert sort_models(reads)[0] == "m5000"
    assert find_cycles(reads) == {}
