"""What an output column is made of, by queries that a person can follow."""

import pytest

from dagster_contracts.sql.lineage import column_lineage
from dagster_contracts.sql.relation import Column, Relation


def table(name: str, *columns: str) -> Relation:
    return Relation(name, tuple(Column(column, None, None) for column in columns))


ORDERS = table("orders", "id", "customer_id", "amount", "note")
CUSTOMERS = table("customers", "id", "name", "amount")
RAW = table("raw.events", "id", "at")
TABLES = {one.name: one for one in (ORDERS, CUSTOMERS)}

CASES = {
    "a column": ("SELECT id FROM orders", {"id": {("orders", "id")}}),
    "another name": ("SELECT id AS x FROM orders", {"x": {("orders", "id")}}),
    "an expression": (
        "SELECT amount * 2 + length(note) AS x FROM orders",
        {"x": {("orders", "amount"), ("orders", "note")}},
    ),
    "no column": ("SELECT 1 AS x, id FROM orders", {"id": {("orders", "id")}}),
    "everything": ("SELECT * FROM customers", {name: {("customers", name)} for name in ("id", "name", "amount")}),
    "everything but": ("SELECT * EXCLUDE (name, amount) FROM customers", {"id": {("customers", "id")}}),
    "a join": (
        "SELECT o.id, c.name FROM orders AS o LEFT JOIN customers AS c ON c.id = o.customer_id",
        {"id": {("orders", "id")}, "name": {("customers", "name")}},
    ),
    "a filter is not named": ("SELECT id FROM orders WHERE amount > 1", {"id": {("orders", "id")}}),
    "a subquery": (
        "WITH a AS (SELECT id, amount + 1 AS more FROM orders) SELECT max(more) AS x FROM a GROUP BY id",
        {"x": {("orders", "amount")}},
    ),
    "a union": (
        "SELECT id FROM orders UNION ALL SELECT id FROM customers",
        {"id": {("orders", "id"), ("customers", "id")}},
    ),
    "using": (
        "SELECT id FROM orders FULL JOIN customers USING (id)",
        {"id": {("orders", "id"), ("customers", "id")}},
    ),
    "a window": (
        "SELECT row_number() OVER (PARTITION BY customer_id ORDER BY amount) AS n FROM orders",
        {"n": {("orders", "customer_id"), ("orders", "amount")}},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_column_is_made_of(case: str):
    sql, expected = CASES[case]
    found = column_lineage(sql, "duckdb", TABLES)
    assert {name: set(sources) for name, sources in found.items()} == expected


def test_a_table_with_dots_in_its_name():
    assert column_lineage("SELECT e.id FROM raw.events AS e", "postgres", {"raw.events": RAW}) == {
        "id": (("raw.events", "id"),)
    }


def test_names_of_different_depths():
    sql = "SELECT e.id, o.amount FROM raw.events AS e JOIN orders AS o ON o.id = e.id"
    assert column_lineage(sql, "duckdb", {"raw.events": RAW, "orders": ORDERS}) == {
        "id": (("raw.events", "id"),),
        "amount": (("orders", "amount"),),
    }


@pytest.mark.parametrize(
    "sql", ["SELEC", "SELECT nope FROM orders", "SELECT 1", "DROP TABLE orders", "SELECT * FROM gone"]
)
def test_what_cannot_be_followed_is_left_out(sql: str):
    assert column_lineage(sql, "duckdb", TABLES) == {}
