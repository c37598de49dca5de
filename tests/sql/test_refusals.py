"""What the engine refuses cannot run, so nothing of it shows green: neither its types nor its NULLs, nor what reads it."""

from pathlib import Path

import pytest
from tests.sql.test_project import write

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Report, Summary

CONTRACT = '[rules]\nrequired = ["id"]\n[[columns]]\nname = "id"\ntype = "Int64"\nnullable = false'
SOURCE = "CREATE TABLE t (id BIGINT NOT NULL, name VARCHAR NOT NULL, day DATE NOT NULL)"


def check(folder: Path, sql: str, *, config: str = "", dialect: str = "duckdb", cache: bool = False) -> Report:
    files = {
        "contracts.toml": f'dialect = "{dialect}"\n{config}\n[[sources]]\nsql = "sources.sql"',
        "sources.sql": SOURCE,
        "models/m.sql": sql,
        "contracts/m.contract.toml": CONTRACT,
        "models/reader.sql": "SELECT count(*) AS id FROM m",
        "contracts/reader.contract.toml": '[[columns]]\nname = "id"\nnullable = false',
    }
    return dc.sql.check(write(folder, files), cache=cache)


UNKNOWN = "nobody_has_this"
PLACES = [
    "SELECT id, coalesce({}(name), 'none') AS x FROM t",
    "SELECT id, count({}(name)) AS x FROM t GROUP BY id",
    "SELECT id, {}(name) IS NULL AS x FROM t",
    "SELECT id, CAST({}(name) AS INTEGER) AS x FROM t",
    "SELECT id, CASE WHEN {}(name) THEN 1 ELSE 2 END AS x FROM t",
    "SELECT id FROM t WHERE {}(name)",
    "SELECT id FROM t GROUP BY id HAVING {}(count(*)) > 1",
    "SELECT id FROM t ORDER BY {}(name)",
    "SELECT t.id FROM t JOIN t AS u ON {}(u.id) = t.id",
    "SELECT id, row_number() OVER (ORDER BY {}(name)) AS x FROM t",
    "SELECT id, {}(name) OVER () AS x FROM t",
    "SELECT id FROM t WHERE EXISTS (SELECT {}(1) AS x)",
    "WITH one AS (SELECT {}(1) AS x) SELECT id FROM t, one",
    "SELECT id FROM t UNION ALL SELECT {}(id) FROM t",
]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "databricks"])
@pytest.mark.parametrize("sql", PLACES)
def test_a_function_that_nobody_knows_leaves_the_whole_model_unverified(tmp_path: Path, dialect: str, sql: str):
    report = check(tmp_path, sql.format(UNKNOWN), dialect=dialect)
    assert report.summary == Summary(held=0, broken=0, not_verified=4)
    first, second = report.diagnostics
    assert (first.code, first.model, second.code, second.model) == ("I003", "m", "I003", "reader")
    assert f"a function {UNKNOWN}" in first.reasons[0].replace("no function", "a function")
    assert second.reasons == ("reader reads m", *first.reasons)
    assert first.source is not None
    assert sql.format(UNKNOWN)[first.source.column - 1 : first.source.end_column - 1] == UNKNOWN


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, initcap(name) AS x FROM t",  # other products' functions, which the parser knows
        "SELECT id, nvl(name, 'a') AS x FROM t",
        "SELECT id, st_area(name) AS x FROM t",  # an extension's
        "SELECT id FROM nobody_has_this(1), t",
        "SELECT id, CAST(name AS no_such_type) AS x FROM t",
        "SELECT id, name COLLATE no_such_collation AS x FROM t",
        "SELECT id, nextval('no_such_sequence') AS x FROM t",
        "SELECT id FROM t WHERE id > $least",
        "SELECT id FROM t, range('a')",
    ],
)
def test_nothing_that_duckdb_refuses_shows_green(tmp_path: Path, sql: str):
    assert check(tmp_path, sql).summary.held == 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1::BIGINT AS id, coalesce({}(x), 1) AS y FROM nobody_declares_this",
        "SELECT id, nvl(name, 'a') AS x FROM t, nobody_declares_this",
        "SELECT id, CAST(1 AS no_such_type) AS x FROM t, nobody_declares_this",
    ],
)
def test_nor_does_it_where_a_source_is_not_declared(tmp_path: Path, sql: str):
    assert check(tmp_path, sql.format(UNKNOWN)).summary.held == 0


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "databricks"])
@pytest.mark.parametrize("sql", PLACES)
def test_a_function_that_the_project_declares_leaves_the_rest_as_it_is(tmp_path: Path, dialect: str, sql: str):
    report = check(tmp_path, sql.format(UNKNOWN), config=f'functions = ["{UNKNOWN.upper()}"]', dialect=dialect)
    held = 2 if "UNION" in sql else 4  # half of the union's `id` is what the function returns
    assert report.summary.held == held
    assert report.summary.broken == 0


def test_what_is_known_is_never_taken_for_unknown(tmp_path: Path):
    sql = "SELECT id, upper(trim(name)) AS x, date_trunc('month', day) AS d, [y FOR y IN [1] IF y > 0] AS l FROM t"
    assert check(tmp_path, sql).summary.held == 4


def test_a_refusal_comes_back_from_the_cache_as_it_was(tmp_path: Path):
    sql = PLACES[0].format(UNKNOWN)
    first = check(tmp_path, sql, cache=True)
    (tmp_path / "models/other.sql").write_text("SELECT 1 AS one")
    again = dc.sql.check(tmp_path, cache=True)
    assert again.diagnostics == first.diagnostics
    declared = check(tmp_path, sql, config=f'functions = ["{UNKNOWN}"]', cache=True)
    assert declared.summary.held == 4
    assert check(tmp_path, sql, cache=True).summary.held == 0


def test_a_model_without_a_contract_says_why_it_was_not_looked_at(tmp_path: Path):
    write(tmp_path, {"contracts.toml": "", "models/m.sql": f"SELECT {UNKNOWN}(1) AS x"})
    (found,) = dc.sql.check(tmp_path).diagnostics
    assert (found.code, found.message) == ("I003", "`m` was not looked at")
    assert found.reasons[0].startswith(f"DuckDB has no function {UNKNOWN}")
