"""How databases that cannot be asked would refuse a query for its aggregates: nothing of it shows green."""

from pathlib import Path
from random import Random

import duckdb
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from tests.sql.null_suite import sources
from tests.sql.random_queries import DDL, Queries
from tests.sql.test_engine_answers import answers
from tests.sql.test_project import write

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Report
from dagster_contracts.sql.query_error import RefusedQueryError
from dagster_contracts.sql.typing.ungrouped import refuse_ungrouped

OTHERS = ("postgres", "snowflake", "bigquery", "databricks")
SOURCES = """[[sources]]
name = "t"
columns = [{name = "id", nullable = true}, {name = "name", nullable = true}, {name = "x", nullable = true}]
[[sources]]
name = "keyed"
columns = [{name = "id", nullable = false}, {name = "name", nullable = true}]
"""


def check(folder: Path, sql: str, dialect: str) -> Report:
    files = {
        "contracts.toml": f'dialect = "{dialect}"\n{SOURCES}',
        "models/m.sql": sql,
        "contracts/m.contract.toml": '[rules]\nrequired = ["r"]',
    }
    return dc.sql.check(write(folder, files))


@pytest.mark.parametrize("dialect", OTHERS)
@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("SELECT id AS r, name FROM t GROUP BY id", "name"),
        ("SELECT 1 AS r, upper(name) AS n, count(*) AS c FROM t GROUP BY id", "name"),
        ("SELECT id AS r, sum(x) AS s FROM t", "id"),
        ("SELECT id AS r, x + max(x) AS s FROM t GROUP BY id", "x"),
        ("SELECT id AS r, sum(x) OVER () AS s FROM t GROUP BY id", "x"),
        ("SELECT id AS r, count(*) OVER (ORDER BY x) AS s FROM t GROUP BY id", "x"),
        ("SELECT x AS r FROM t HAVING count(*) > 1", "x"),
        ("SELECT name AS r FROM t GROUP BY 1, lower(name) HAVING max(x) > 1 UNION ALL SELECT name FROM t GROUP BY x", "name"),
        ("WITH c AS (SELECT id, name FROM t GROUP BY id) SELECT id AS r FROM c", "name"),
        ("SELECT r FROM (SELECT id AS r, count(*) AS c FROM t) AS d", "id"),
        ("SELECT 1 AS r FROM t WHERE sum(x) > 1", None),
        ("SELECT 1 AS r FROM t WHERE x > 1 AND row_number() OVER (ORDER BY x) = 1", None),
    ],
)  # fmt: skip
def test_what_any_database_would_refuse_is_not_verified(tmp_path: Path, sql: str, place: str | None, dialect: str):
    report = check(tmp_path, sql, dialect)
    (found,) = report.diagnostics
    assert (report.summary.held, report.summary.broken, found.code) == (0, 0, "I003")
    assert found.reasons[0].startswith(f"{dialect} would refuse the query: ")
    if place is not None:
        assert sql[found.source.column - 1 : found.source.end_column - 1] == place


@pytest.mark.parametrize("dialect", OTHERS)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id AS r, upper(name) AS n, sum(x) AS s FROM t GROUP BY id, name",
        "SELECT id AS r, upper(name) AS n, sum(x) AS s FROM t GROUP BY id, upper(name)",
        "SELECT t.id AS r, name, sum(x) AS s FROM t GROUP BY id, t.name",
        "SELECT id AS r, name || 'a' AS n FROM t GROUP BY 1, 2",
        "SELECT id AS r, name || 'a' AS n FROM t GROUP BY r, n",
        "SELECT (id + 1) * 2 AS r FROM t GROUP BY id + 1",
        "SELECT id AS r, name FROM t GROUP BY ROLLUP (id, name)",
        "SELECT id AS r, name FROM t GROUP BY CUBE (id, name)",
        "SELECT id AS r, name FROM t GROUP BY GROUPING SETS ((id, name), (id), ())",
        "SELECT id AS r, sum(sum(x)) OVER (PARTITION BY id) AS s FROM t GROUP BY id",
        "SELECT id AS r, row_number() OVER (ORDER BY count(*) DESC) AS n FROM t GROUP BY id",
        "SELECT id AS r, sum(x) OVER (PARTITION BY name) AS s FROM t",
        "SELECT 'a' AS r, count(*) AS n, max(x) + 1 AS m FROM t",
        "SELECT id AS r, (SELECT max(x) FROM t AS u WHERE u.id = t.id) AS m FROM t",
        "SELECT id AS r, count(CASE WHEN x > 1 THEN name END) AS n FROM t GROUP BY id",
        "SELECT id AS r FROM t WHERE x > (SELECT max(x) FROM t)",
        "SELECT id AS r FROM t GROUP BY id HAVING max(x) > 1 ORDER BY count(*)",
        "SELECT id AS r, own_aggregate(x) AS a FROM t GROUP BY id",
        "SELECT DISTINCT id AS r, name FROM t",
        "SELECT count(*) AS r FROM t AS a JOIN t AS b ON a.id = b.id WHERE a.x > 1",
    ],
)
def test_what_they_would_not_refuse_is_held(tmp_path: Path, sql: str, dialect: str):
    config = tmp_path / "contracts.toml"
    report = check(tmp_path, sql, dialect)
    config.write_text('functions = ["own_aggregate"]\n' + config.read_text())
    report = dc.sql.check(tmp_path)
    assert (report.summary.held, report.diagnostics) == (1, ())


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("snowflake", "SELECT id AS r, name, sum(x) AS s FROM t GROUP BY ALL"),
        ("databricks", "SELECT id AS r, name, sum(x) AS s FROM t GROUP BY ALL"),
        ("snowflake", "SELECT sum(x) AS r, r + 1 AS s FROM t"),
        ("snowflake", "SELECT id AS r, listagg(name, ',') WITHIN GROUP (ORDER BY x) AS s FROM t GROUP BY id"),
        ("postgres", "SELECT id AS r, count(*) FILTER (WHERE x > 1) AS s FROM t GROUP BY id"),
        ("postgres", "SELECT id AS r, string_agg(name, ',' ORDER BY x) AS s FROM t GROUP BY id"),
        ("postgres", "SELECT keyed.id AS r, name, count(*) AS n FROM keyed GROUP BY keyed.id"),  # `id` may be its key
        ("bigquery", "SELECT id AS r, ARRAY_AGG(x ORDER BY name LIMIT 1)[OFFSET(0)] AS s FROM t GROUP BY id"),
    ],
)
def test_nor_is_what_one_of_them_has_of_its_own(tmp_path: Path, dialect: str, sql: str):
    assert check(tmp_path, sql, dialect).summary.held == 1


def test_no_key_makes_up_for_a_column_where_there_is_none(tmp_path: Path):
    for sql in (
        "SELECT id AS r, name FROM (SELECT * FROM keyed) AS k GROUP BY id",
        "SELECT k.id AS r, t.name FROM keyed AS k JOIN t ON t.id = k.id GROUP BY k.id",
        "SELECT name AS r, id FROM keyed GROUP BY name",
    ):
        assert check(tmp_path, sql, "postgres").summary.held == 0, sql


@pytest.mark.parametrize("dialect", ["postgres", "databricks", "bigquery"])
def test_nothing_that_an_engine_answered_is_refused(dialect: str):
    for answer in answers(dialect):
        if not answer.error:
            refuse_ungrouped(sqlglot.parse_one(answer.sql, dialect=dialect), dialect, sources(dialect))


@given(st.integers(0, 2**32))
def test_no_query_that_duckdb_takes_is_refused(seed: int):
    sql, _ = Queries(Random(seed)).query()
    with duckdb.connect() as connection:
        connection.execute(DDL)
        try:
            connection.sql(sql)
        except duckdb.Error:
            return
    refuse_ungrouped(sqlglot.parse_one(sql, dialect="duckdb"), "duckdb", {})


@pytest.mark.parametrize(
    "item", ["a", "b + 1", "sum(c)", "max(a) + c", "count(*) OVER ()", "sum(sum(c)) OVER (PARTITION BY a)", "(b)"]
)
@pytest.mark.parametrize(
    "group",
    [
        "",
        "GROUP BY a",
        "GROUP BY b, a",
        "GROUP BY b + 1",
        "GROUP BY CUBE (a, b)",
        "HAVING count(*) > 1",
    ],
)
def test_duckdb_refuses_the_same(item: str, group: str):
    sql = f"SELECT {item}, max(b) AS m FROM t {group}"
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER)")
        try:
            connection.sql(sql)
        except duckdb.BinderException:
            with pytest.raises(RefusedQueryError):
                refuse_ungrouped(sqlglot.parse_one(sql, dialect="duckdb"), "duckdb", {})
        else:
            refuse_ungrouped(sqlglot.parse_one(sql, dialect="duckdb"), "duckdb", {})
