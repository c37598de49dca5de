"""The search for rows that prove that a column can be NULL."""

import time
from decimal import Decimal

import duckdb
import pytest
import sqlglot
from tests.sql.null_suite import models, sources
from tests.sql.provable import TABLES, relation

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.relation import Column, Relation
from dagster_contracts.sql.witness import find_witness
from dagster_contracts.sql.witness_values import shown

LEFT_JOIN = "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON c.key = o.customer_id"


def query(sql: str, dialect: str = "duckdb") -> sqlglot.exp.Query:
    return sqlglot.parse_one(sql, read=dialect)


def test_a_witness_for_nearly_every_nullable_column_of_the_suite_within_seconds():
    tables = sources()
    wanted = [
        (model, position)
        for model in models()
        if model.dialect == "duckdb"
        for position, nullable in enumerate(model.nullable)
        if nullable
    ]
    queries = {model.name: model.query for model, _ in wanted}
    spent = time.process_time()
    missed = [
        f"{model.name} {position}"
        for model, position in wanted
        if find_witness(queries[model.name], position, tables) is None
    ]
    spent = time.process_time() - spent
    assert len(missed) <= 0.05 * len(wanted), missed
    assert spent < 10


def test_the_rows_are_as_few_as_will_do_and_show_what_the_query_mentions():
    witness = find_witness(query(LEFT_JOIN), 1, TABLES)
    assert witness is not None
    assert witness.output["name"] is None
    (order,) = witness.inputs["orders"]
    assert set(order) == {"id", "customer_id"}
    assert witness.output["id"] == order["id"]
    assert witness.inputs["customers"] == ()


def test_a_witness_is_true_on_another_duckdb():
    witness = find_witness(query("SELECT max(amount) FILTER (WHERE id > 41) AS m FROM orders GROUP BY code"), 0, TABLES)
    assert witness is not None
    connection = duckdb.connect()
    connection.execute("CREATE TABLE orders (id BIGINT, amount DOUBLE, code VARCHAR)")
    for row in witness.inputs["orders"]:
        connection.execute("INSERT INTO orders VALUES (?, ?, ?)", [row["id"], row["amount"], row["code"]])
    assert connection.execute("SELECT max(amount) FILTER (WHERE id > 41) FROM orders GROUP BY code").fetchall() == [
        (None,)
    ]


def test_the_same_seed_finds_the_same_rows():
    assert find_witness(query(LEFT_JOIN), 1, TABLES, seed=5) == find_witness(query(LEFT_JOIN), 1, TABLES, seed=5)


def test_no_witness_where_there_is_none_and_none_after_the_time_is_over():
    assert find_witness(query("SELECT id FROM orders"), 0, TABLES, rounds=20) is None
    started = time.monotonic()
    assert find_witness(query("SELECT id FROM orders"), 0, TABLES, rounds=10**9, seconds=0.3) is None
    assert time.monotonic() - started < 5


def test_constants_of_the_query_are_tried():
    sql = "SELECT CASE WHEN id = 123456 AND code = 'zebra' THEN NULL ELSE 1 END AS x FROM orders"
    witness = find_witness(query(sql), 0, TABLES)
    assert witness is not None
    assert witness.inputs["orders"] == ({"id": 123456, "code": "zebra"},)


def test_enough_rows_for_a_condition_on_their_number():
    witness = find_witness(query("SELECT max(note) AS m FROM orders GROUP BY code HAVING count(*) > 4"), 0, TABLES)
    assert witness is not None
    assert len(witness.inputs["orders"]) == 5


def test_a_chain_of_models_is_traced_to_its_sources():
    chain = {
        "named": query("SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON c.key = o.customer_id"),
        "loud": query("SELECT id, upper(name) AS name FROM named"),
    }
    witness = find_witness(query("SELECT name || '!' AS n FROM loud"), 0, TABLES, models=chain)
    assert witness is not None
    assert set(witness.inputs) == {"orders", "customers"}
    assert witness.output == {"n": None}


def test_tables_in_schemas_and_with_odd_names():
    tables = {
        "raw.in": relation("raw.in", id="Int64", x="Int64?"),
        'main.we"ird': relation('main.we"ird', x="Int64"),
    }
    witness = find_witness(query('SELECT a.x FROM raw."in" a, main."we""ird" b WHERE b.x > 0'), 0, tables)
    assert witness is not None
    assert witness.output == {"x": None}


def test_a_recursion_that_may_never_end_is_interrupted():
    sql = (
        "WITH RECURSIVE r AS (SELECT id, note FROM orders UNION ALL SELECT r.id, r.note FROM r JOIN orders o ON o.id = r.id) "
        "SELECT note FROM r"
    )
    started = time.monotonic()
    find_witness(query(sql), 0, TABLES, rounds=5, seconds=1)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT x FROM elsewhere", TABLES),
        ("SELECT x FROM t", {"t": Relation("t", (Column("x", None, nullable=True),))}),
        ("SELECT my_macro(id) FROM orders", TABLES),
        ("SELECT * FROM read_csv('/etc/passwd')", TABLES),
        ("COPY orders TO '/tmp/leak'", TABLES),
    ],
)
def test_what_cannot_be_run_has_no_witness(sql: str, tables: dict[str, Relation]):
    parsed = sqlglot.parse_one(sql, read="duckdb")
    assert find_witness(parsed, 0, tables, rounds=3) is None


def test_other_dialects_are_transpiled_or_have_no_witness():
    tables = sources("snowflake")
    sql = "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON c.id = o.customer_id"
    assert find_witness(query(sql, "snowflake"), 1, tables, dialect="snowflake") is not None
    flattened = "SELECT f.value FROM events e, LATERAL FLATTEN(input => e.tags) f"
    assert find_witness(query(flattened, "snowflake"), 0, tables, dialect="snowflake") is None


def test_a_date_is_infinite_only_where_the_dialect_has_such():
    tables = {"t": relation("t", d="Date")}
    assert find_witness(query("SELECT extract(month FROM d) AS m FROM t"), 0, tables) is not None
    transpiled = query("SELECT extract(month FROM d) AS m FROM t", "bigquery")
    assert find_witness(transpiled, 0, tables, dialect="bigquery", rounds=30) is None


def test_nested_types_have_values():
    point = Type("Struct", fields=(("x", Type("Int64")),))
    kinds = {
        "a": Type("Array", args=(Type("Int64"),)),
        "s": point,
        "m": Type("Map", args=(Type("String"), Type("Int64"))),
    }
    t = Relation("t", tuple(Column(name, kind, nullable=False) for name, kind in kinds.items()))
    for sql in ("SELECT a[1] AS x FROM t", "SELECT s.x FROM t", "SELECT m['a'] AS x FROM t"):
        assert find_witness(query(sql), 0, {"t": t}) is not None, sql


def test_the_query_is_not_changed():
    parsed = query(LEFT_JOIN)
    find_witness(parsed, 1, TABLES, rounds=2)
    assert parsed == query(LEFT_JOIN)


def test_values_are_shown_as_json_can_hold_them():
    assert shown(float("nan")) == "nan"
    assert shown(Decimal("1.50")) == "1.50"
    assert shown([1, {"a": None}]) == [1, {"a": None}]
    assert shown(b"ab") == "b'ab'"
