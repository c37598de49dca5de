"""DuckDB's binder over empty tables: what it tells, what it refuses, and that nothing outside can be reached."""

from __future__ import annotations

import duckdb
import pytest

from dagster_contracts.sql.binder import Binder
from dagster_contracts.sql.query_error import QueryError, UnknownOutputError


@pytest.fixture
def binder() -> Binder:
    binder = Binder()
    binder.declare(["orders"], (("id", "BIGINT"), ("status", "VARCHAR"), ('odd "name"', "DECIMAL(10,2)")))
    return binder


def test_a_query_is_described_without_running(binder: Binder):
    assert binder.describe('SELECT id + 1 AS next, "odd ""name""" FROM orders -- end') == (
        ("next", "BIGINT"),
        ('odd "name"', "DECIMAL(10,2)"),
    )
    assert binder.describe("SELECT count(*) AS n FROM range(1000000000000)") == (("n", "BIGINT"),)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT nope FROM orders", "unknown-column"),
        ("SELECT o.nope FROM orders AS o", "unknown-column"),
        ("SELECT x.id FROM orders AS o", "unknown-relation"),
        ("SELECT id FROM orders AS a, orders AS b", "ambiguous-column"),
        ("SELECT id FROM orders UNION ALL SELECT 1, 2", "column-count"),
        ("SELECT id FROM orders WHERE id = (SELECT id, status FROM orders)", "column-count"),
        ("SELECT status - 1 FROM orders", "type-error"),
        ("SELECT sum(status) FROM orders", "type-error"),
        ("SELECT id, count(*) FROM orders", "invalid"),
        ("SELECT id FROM orders WHERE count(*) > 1", "invalid"),
        ("SELECT FROM WHERE", "syntax"),
        ("SELECT 1; SELECT 2", "syntax"),
        ("", "syntax"),
    ],
)
def test_a_wrong_query_is_told_by_its_kind(binder: Binder, sql: str, code: str):
    with pytest.raises(QueryError) as caught:
        binder.describe(sql)
    assert caught.value.code == code
    assert "\n" not in caught.value.message
    assert "Candidate functions" not in caught.value.message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM undeclared",
        "SELECT unheard_of(id) FROM orders",
        "SELECT st_area(id) FROM orders",
        "SELECT id FROM orders WHERE id = $id",
        "SELECT id FROM orders WHERE id = ?",
        "PIVOT orders ON status USING count(*)",
        "CREATE TABLE other (a INTEGER)",
        "DROP TABLE orders",
        "INSERT INTO orders VALUES (1, 'a', 2)",
    ],
)
def test_what_cannot_be_known_is_no_error_of_the_query(binder: Binder, sql: str):
    with pytest.raises(UnknownOutputError) as caught:
        binder.describe(sql)
    assert caught.value.reasons
    assert binder.describe("SELECT id FROM orders") == (("id", "BIGINT"),)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM 'https://example.com/x.parquet'",
        "SELECT * FROM frame",
        "SELECT getenv('HOME')",
        "ATTACH '/tmp/other.db'",
        "LOAD httpfs",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "COPY orders TO '/tmp/orders.csv'",
        "EXPORT DATABASE '/tmp/export'",
    ],
)
def test_nothing_outside_can_be_reached(binder: Binder, sql: str):
    frame = [1]
    assert frame
    with pytest.raises((QueryError, UnknownOutputError)):
        binder.describe(sql)


def test_a_table_is_created_again_only_when_its_columns_are_others(binder: Binder):
    binder.declare(["orders"], (("id", "VARCHAR"),))
    assert binder.describe("SELECT * FROM Orders") == (("id", "VARCHAR"),)
    binder.declare(["ORDERS"], (("id", "DATE"),))
    assert binder.describe("SELECT * FROM orders") == (("id", "DATE"),)


@pytest.mark.parametrize(
    "name", [["raw", "orders"], ["lake", "raw", "orders"], ['odd "schema"', "a.b"], ["LAKE", "main", "T"]]
)
def test_a_table_may_be_in_a_schema_and_a_catalog(binder: Binder, name: list[str]):
    binder.declare(name, (("at", "TIMESTAMP"),))
    dotted = ".".join('"' + part.replace('"', '""') + '"' for part in name)
    assert binder.describe(f"SELECT * FROM {dotted}") == (("at", "TIMESTAMP"),)


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        (["a", "b", "c", "d"], (("id", "BIGINT"),)),
        (["empty"], ()),
        (["twice"], (("id", "BIGINT"), ("ID", "BIGINT"))),
        (["typed"], (("id", "NO_SUCH_TYPE"),)),
        (["pg_catalog", "mine"], (("id", "BIGINT"),)),
    ],
)
def test_what_duckdb_cannot_hold_is_not_known(binder: Binder, name: list[str], columns: tuple[tuple[str, str], ...]):
    with pytest.raises(UnknownOutputError):
        binder.declare(name, columns)
    assert binder.describe("SELECT id FROM orders") == (("id", "BIGINT"),)


def test_no_database_is_started_before_it_is_asked(monkeypatch: pytest.MonkeyPatch):
    started = []
    original = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda *given, **more: started.append(given) or original(*given, **more))
    unused = Binder()
    unused.close()
    assert started == []
    asked = Binder()
    assert asked.describe("SELECT 1 AS one") == (("one", "INTEGER"),)
    asked.close()
    assert len(started) == 1


def test_what_a_query_calls_is_found_wherever_it_is_called(binder: Binder):
    sql = "SELECT 'é', a(1), [2].B(), c(x -> d(x)) FROM e(1) WHERE f(2) GROUP BY g(3) HAVING h(4) ORDER BY i(5) -- j(6)"
    calls = binder.calls(sql)
    assert [name for name in calls if len(name) == 1 and name.isalpha()] == list("abcdefghi")
    assert {sql[slice(*place)].lower() for name, place in calls.items() if place and len(name) == 1} >= set("abcdefghi")
    assert "upper" in binder.functions()
    with pytest.raises(QueryError):
        binder.calls("SELECT 1 FROM t WHERE a RLIKE 'b'")
