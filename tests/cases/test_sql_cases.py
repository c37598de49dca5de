"""Cases S1 to S9, each checked as a project on disk."""

from pathlib import Path

import pytest
import sqlglot
from tests.sql.provable import relation
from tests.sql.test_project import codes, write

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Report
from dagster_contracts.sql.nullability import infer_nullability
from dagster_contracts.sql.witness import find_witness

SOURCES = """
CREATE TABLE raw.orders (id BIGINT NOT NULL, customer_id INTEGER NOT NULL, amount DECIMAL(10,2) NOT NULL);
CREATE TABLE raw.customers (id INTEGER NOT NULL, name VARCHAR NOT NULL);
CREATE TABLE raw.parts (a INTEGER NOT NULL, b BIGINT);
"""


def check(folder: Path, sql: str, contract: str, name: str = "orders", **more) -> Report:
    files = {
        "contracts.toml": '[[sources]]\nsql = "sources.sql"',
        "sources.sql": SOURCES,
        "models/orders.sql": sql,
        f"contracts/{name}.contract.toml": contract,
    }
    return dc.sql.check(write(folder, files), **more)


def counts(report: Report) -> tuple[int, int, int]:
    return report.summary.held, report.summary.broken, report.summary.not_verified


JOINED = "SELECT o.id, c.name\nFROM raw.orders AS o\nLEFT JOIN raw.customers AS c ON c.id = o.customer_id"
NAME_NOT_NULL = '[[columns]]\nname = "name"\nnullable = false'


def test_s1_a_left_join_makes_a_not_null_column_nullable(tmp_path: Path):
    report = check(tmp_path, JOINED, NAME_NOT_NULL)
    assert codes(report) == [("E012", "orders")]
    assert "LEFT JOIN at line 3" in report.diagnostics[0].reasons[0]
    assert counts(report) == (0, 1, 0)
    witness = report.diagnostics[0].witness
    assert witness is not None
    assert witness.output["name"] is None
    ids = {row["id"] for row in witness.inputs.get("raw.customers", ())}
    assert any(row["customer_id"] not in ids for row in witness.inputs["raw.orders"])


def test_s2_a_filter_on_null_proves_it_again(tmp_path: Path):
    report = check(tmp_path, JOINED + "\nWHERE c.name IS NOT NULL", NAME_NOT_NULL)
    assert (codes(report), counts(report)) == ([], (1, 0, 0))


def test_s3_a_union_has_the_wider_type_and_is_nullable_where_one_branch_is(tmp_path: Path):
    report = check(tmp_path, "SELECT a FROM raw.parts UNION ALL SELECT b FROM raw.parts", "")
    (column,) = report.models[0].columns
    assert (column.name, column.type, column.nullable) == ("a", "Int64", True)


def test_s4_a_star_without_the_protected_column(tmp_path: Path):
    report = check(
        tmp_path, "SELECT * EXCLUDE (customer_id) FROM raw.orders", '[rules]\nprotected = ["customer_id", "id"]'
    )
    assert [(one.code, one.column) for one in report.diagnostics] == [("E013", "customer_id")]
    assert counts(report) == (1, 1, 0)


@pytest.mark.parametrize(
    ("contract", "hint", "line"),
    [
        ('[rule]\nrequired = ["nothing"]', "Did you mean 'rules'?", 1),
        ('[[columns]]\nname = "id"\nnulable = false', "Did you mean 'nullable'?", 3),
    ],
)
def test_s5_a_typo_in_a_contract_is_an_error_with_a_hint(tmp_path: Path, contract: str, hint: str, line: int):
    report = check(tmp_path, "SELECT id FROM raw.orders", contract)
    assert codes(report) == [("E008", "orders")]
    assert report.diagnostics[0].hint == hint
    assert report.diagnostics[0].contract.line == line
    assert report.exit_code() == 1
    assert report.summary.held == 0
    with pytest.raises(dc.errors.ContractParseError, match=rf"orders\.contract\.toml:{line}: .*{hint[:-1]}"):
        dc.discover_contract_rules(tmp_path / "contracts")


def test_s6_one_of_twenty_models_does_not_parse(tmp_path: Path):
    contract = '[[columns]]\nname = "id"\ntype = "Int64"\nnullable = false'
    files = {"contracts.toml": '[[sources]]\nsql = "sources.sql"', "sources.sql": SOURCES}
    for at in range(20):
        # m7 is broken, m8 and m9 are behind it, the others are not
        reads = {8: "m7", 9: "m8"}.get(at, "raw.orders")
        files[f"models/m{at}.sql"] = f"SELECT id FROM {reads}" if at != 7 else "SELECT id,\nFROM WHERE raw.orders"
        files[f"contracts/m{at}.contract.toml"] = contract
    report = dc.sql.check(write(tmp_path, files))
    assert codes(report) == [("E001", "m7"), ("I003", "m8"), ("I003", "m9")]
    broken, _, behind = report.diagnostics
    assert (broken.source.file, broken.source.line) == ("models/m7.sql", 2)
    assert behind.reasons == ("m9 reads m8", "m8 reads m7", "m7 is wrong itself: E001 in line 2 of models/m7.sql")
    assert counts(report) == (17 * 2, 0, 3 * 2)


def test_s7_a_contract_for_no_model(tmp_path: Path):
    report = check(tmp_path, "SELECT id FROM raw.orders", '[rules]\nrequired = ["id"]', name="order")
    assert codes(report) == [("W011", "order")]
    assert report.diagnostics[0].hint == "Did you mean 'orders'?"
    assert counts(report) == (0, 0, 1)
    assert (report.exit_code("error"), report.exit_code("warning")) == (0, 1)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT id, sum(amount) AS s FROM raw.orders GROUP BY id", False),
        ("SELECT sum(amount) AS s FROM raw.orders", True),
        ("SELECT id, sum(amount) AS s FROM raw.orders GROUP BY ROLLUP (id)", True),
    ],
)
def test_s8_a_sum_is_null_without_rows_to_add(tmp_path: Path, sql: str, expected: bool):
    report = check(tmp_path, sql, '[[columns]]\nname = "s"\nnullable = false')
    nullable = report.models[0].columns[-1].nullable
    if "ROLLUP" in sql:  # the empty input has a grand total, which is NULL
        assert nullable is not False
    else:
        assert nullable is expected
    assert report.summary.held == (0 if expected else 1)


def test_s9_a_source_that_nobody_declares_verifies_nothing_and_breaks_nothing(tmp_path: Path):
    contract = '[[columns]]\nname = "x"\ntype = "Int64"\nnullable = false'
    report = check(tmp_path, "SELECT t.x FROM nowhere.t AS t", contract)
    assert codes(report) == [("I003", "orders"), ("I003", "orders")]
    assert any("no source declares it" in reason for reason in report.diagnostics[0].reasons)
    assert counts(report) == (0, 0, 2)
    assert (report.exit_code(), report.exit_code("unverified")) == (0, 1)
    strict = check(tmp_path, "SELECT t.x FROM nowhere.t AS t", contract, strict=True)
    assert codes(strict) == [("E059", "orders"), ("E059", "orders")]
    assert strict.exit_code() == 1


# S1, S2, S3 and S8 once more, of the query alone.
TABLES = {
    "orders": relation("orders", id="Int64", customer_id="Int64", amount="Decimal", quantity="Int32", small="Int32?"),
    "customers": relation("customers", id="Int64", name="String"),
}
LEFT_JOINED = "SELECT o.id, c.name\nFROM orders AS o\nLEFT JOIN customers AS c ON c.id = o.customer_id"


def nulls(sql: str) -> list[bool | None]:
    query = sqlglot.parse_one(sql, read="duckdb")
    return [column.nullable for column in infer_nullability(query, dialect="duckdb", tables=TABLES)]


def test_s1_the_reason_is_the_join_and_a_witness_is_an_order_without_a_customer():
    query = sqlglot.parse_one(LEFT_JOINED, read="duckdb")
    _, name = infer_nullability(query, dialect="duckdb", tables=TABLES)
    assert (name.nullable, name.reasons) == (True, ("c.name can be NULL after LEFT JOIN at line 3",))
    witness = find_witness(query, 1, TABLES)
    assert witness is not None
    assert (len(witness.inputs["orders"]), witness.inputs["customers"], witness.output["name"]) == (1, (), None)


def test_s2_the_filter_proves_the_column():
    assert nulls(f"{LEFT_JOINED}\nWHERE c.name IS NOT NULL") == [False, False]


def test_s3_a_union_is_nullable_where_one_of_its_branches_is():
    assert nulls("SELECT small AS x FROM orders UNION ALL SELECT id FROM customers") == [True]
    assert nulls("SELECT quantity AS x FROM orders UNION ALL SELECT id FROM customers") == [False]


def test_s8_a_sum_is_null_where_it_sees_no_rows():
    assert nulls("SELECT SUM(amount) AS s FROM orders GROUP BY customer_id") == [False]
    assert nulls("SELECT SUM(amount) AS s FROM orders") == [True]
    assert nulls("SELECT SUM(amount) AS s FROM orders GROUP BY ROLLUP (customer_id)") == [True]
