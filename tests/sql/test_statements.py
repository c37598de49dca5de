"""Models that are no SELECT and return rows all the same: VALUES, PIVOT, UNPIVOT; and what is none of these."""

from pathlib import Path

import duckdb
import pytest
from tests.sql.test_project import write

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Report
from dagster_contracts.sql.lineage import column_lineage

SOURCE = "CREATE TABLE t (id BIGINT NOT NULL, kind VARCHAR NOT NULL, amount INTEGER)"
QUERIES = {
    "VALUES (1, 'a'), (2, NULL)": [("col0", "Int32", False), ("col1", "String", True)],
    "(VALUES (1), (2))": [("col0", "Int32", False)],
    "-- some\nVALUES (1), (2) ORDER BY 1 LIMIT 1;": [("col0", "Int32", False)],
    "PIVOT t ON kind IN ('a', 'b') USING sum(amount)": [
        ("id", "Int64", None),
        ("a", "Int128", None),
        ("b", "Int128", None),
    ],
    "WITH c AS (FROM t) PIVOT c ON kind IN ('a') USING count(*) GROUP BY id": [
        ("id", "Int64", None),
        ("a", "Int64", None),
    ],
    "UNPIVOT t ON amount INTO NAME name VALUE x": [
        ("id", "Int64", None),
        ("kind", "String", None),
        ("name", "String", None),
        ("x", "Int32", None),
    ],
}


def check(folder: Path, sql: str, contract: str = "", dialect: str = "duckdb") -> Report:
    files = {
        "contracts.toml": f'dialect = "{dialect}"\n[[sources]]\nsql = "sources.sql"',
        "sources.sql": SOURCE,
        "models/m.sql": sql,
        "models/reader.sql": "SELECT * FROM m",
        "contracts/reader.contract.toml": contract,
    }
    return dc.sql.check(write(folder, files))


@pytest.mark.parametrize(("sql", "columns"), QUERIES.items())
def test_a_statement_that_returns_rows_is_a_model(tmp_path: Path, sql: str, columns: list):
    report = check(tmp_path, sql)
    assert report.diagnostics == ()
    for model in report.models:
        assert [(one.name, one.type, one.nullable) for one in model.columns] == columns


@pytest.mark.parametrize(("sql", "columns"), QUERIES.items())
def test_duckdb_returns_what_is_said(sql: str, columns: list):
    connection = duckdb.connect()
    connection.execute(SOURCE)
    connection.execute("INSERT INTO t VALUES (1, 'a', NULL), (2, 'b', 3)")
    result = connection.execute(sql)
    assert [column[0] for column in result.description] == [name for name, _, _ in columns]
    for row in result.fetchall():
        assert all(value is not None for value, (_, _, nullable) in zip(row, columns, strict=True) if nullable is False)


def test_what_reads_it_is_checked(tmp_path: Path):
    contract = '[[columns]]\nname = "col1"\ntype = "String"\nnullable = false'
    report = check(tmp_path, "VALUES (1, 'a'), (2, NULL)", contract)
    assert [(one.code, one.column) for one in report.diagnostics] == [("E012", "col1")]
    assert (report.summary.held, report.summary.broken) == (1, 1)


def test_values_have_the_names_that_the_dialect_gives_them(tmp_path: Path):
    (model, _) = check(tmp_path, "VALUES (1, 'a')", dialect="postgres").models
    assert [column.name for column in model.columns] == ["column1", "column2"]


def test_a_pivot_whose_columns_are_in_the_data_says_what_to_do(tmp_path: Path):
    report = check(tmp_path, "PIVOT t ON kind USING sum(amount)", '[[columns]]\nname = "a"\ntype = "Int64"')
    (found,) = report.diagnostics
    assert (found.code, found.model) == ("I003", "reader")
    assert "a PIVOT, where it lists the values: ON kind IN ('a', 'b')" in found.reasons[0]
    assert report.summary.held == 0


@pytest.mark.parametrize(
    "sql", ["DESCRIBE t", "SUMMARIZE t", "SHOW TABLES", "CALL range(3)", "EXPLAIN SELECT 1", "PRAGMA version"]
)
def test_a_statement_that_is_no_query_is_none(tmp_path: Path, sql: str):
    assert [(one.code, one.model) for one in check(tmp_path, sql).diagnostics] == [("E017", "m"), ("I003", "reader")]


def test_bigquery_has_no_values_of_its_own(tmp_path: Path):
    assert check(tmp_path, "VALUES (1)", dialect="bigquery").diagnostics[0].code == "E017"


@pytest.mark.parametrize("sql", QUERIES)
def test_their_lineage_is_right_or_empty(sql: str):
    assert column_lineage(sql, "duckdb", {}) == {}


def test_what_a_pivot_does_to_nulls_is_not_followed_and_that_is_said(tmp_path: Path):
    contract = '[[columns]]\nname = "id"\nnullable = false'
    (found,) = check(tmp_path, "PIVOT t ON kind IN ('a') USING sum(amount) GROUP BY id", contract).diagnostics
    assert found.code == "I003"
    assert found.reasons[1].startswith(
        "the check does not follow where NULLs go in a query whose columns are made by PIVOT"
    )
