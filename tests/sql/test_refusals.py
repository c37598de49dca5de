"""What the engine refuses cannot run, so nothing of it shows green: neither its types nor its NULLs, nor what reads it."""

from pathlib import Path

import pytest
import sqlglot
from tests.sql.test_engine_answers import answers
from tests.sql.test_project import write

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Report, Summary
from dagster_contracts.sql.refusals import refuse_unknown

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


@pytest.mark.parametrize(
    "call",
    [
        *("ifnull(name, 'a')", "NVL(name, 'a')", "isnull(name, 'a')", "IF(id > 1, 'a', 'b')", "iif(id > 1, 'a', 'b')"),
        *("len(name)", "datediff(day, day, day)", "Year(day)", "group_concat(name)", "listagg(name, ',')"),
        *("safe_cast(name AS INT)", "try_cast(name AS INT)", "count_if(id > 1)", "sha1(name)", "last_day(day)"),
        *(
            "own.upper(name)",
            "public.coalesce(name, 'a')",
            "date_diff(day, day, DAY)",
            "median(id)",
            "array_size(name)",
        ),
    ],
)
def test_a_function_of_other_products_is_not_known_in_postgres(tmp_path: Path, call: str):
    sql = f"SELECT id, coalesce({call}, 'a') AS x FROM t"
    report = check(tmp_path, sql, dialect="postgres")
    assert report.summary.held == 0
    name = call.partition("(")[0]
    assert (
        report.diagnostics[0].reasons[0].startswith(f"it is not known whether postgres has a function {name.lower()};")
    )
    span = report.diagnostics[0].source
    assert sql[span.column - 1 : span.end_column - 1] == name.rpartition(".")[2]
    assert check(tmp_path, sql, dialect="postgres", config=f'functions = ["{name}"]').summary.held == 4


@pytest.mark.parametrize(
    "sql",
    [
        "WITH year(a) AS (SELECT 1) SELECT id, b FROM t, year AS month(b)",
        "SELECT id, CAST(name AS timestamp(3)) AS a, count(*) FILTER (WHERE id > 1) OVER () AS b FROM t",
        "SELECT id FROM t WHERE (id > 1 OR (id < 0 AND (name LIKE ('a')))) AND id = ANY (ARRAY[1]) AND EXISTS (SELECT 1)",
        "SELECT id, 'ifnull(1)' AS a, name AS \"nvl\", pg_catalog.upper(name) AS b FROM t -- len(name)",
        "SELECT id, extract(year FROM day) AS a, position('a' IN name) AS b, trim(both FROM name) AS c FROM t",
        "SELECT id, overlay(name PLACING 'a' FROM 1) AS a, date_trunc('year', day) AS b, now() AS c FROM t",
        "SELECT id, string_agg(name, ',') AS a, to_char(day, 'YYYY') AS b FROM t GROUP BY id, day",
    ],
)
def test_what_postgres_has_is_not_refused(tmp_path: Path, sql: str):
    assert check(tmp_path, sql, dialect="postgres").summary.held == 4


@pytest.mark.parametrize("dialect", ["postgres", "databricks", "bigquery"])
def test_what_an_engine_answered_is_not_refused(dialect: str):
    for answer in answers(dialect):
        refuse_unknown(sqlglot.parse_one(answer.sql, dialect=dialect), answer.sql, dialect, frozenset())


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
