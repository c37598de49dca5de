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
    if dialect == "duckdb" and "{}(name) OVER" in sql:
        held = 0  # what stands in for a function in DuckDB is none over a window
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
    grouped = f"{sql} GROUP BY id, name, day"  # some are aggregates
    assert check(tmp_path, grouped, dialect="postgres", config=f'functions = ["{name}"]').summary.held == 4


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
        "SELECT id FROM t WHERE name <> ALL (ARRAY['a']) AND name = SOME (ARRAY['a']) AND id > ALL (SELECT id FROM t)",
        "SELECT id FROM t FETCH FIRST (3) ROWS ONLY",
        "SELECT id, regexp_match(name, 'a') AS a, xmlforest(name) AS b, to_jsonb(t) AS c, age(day, day) AS d FROM t",
        "SELECT id, quote_literal(name) AS a, make_date(2024, 1, 1) AS b, jsonb_build_object('a', 1) AS c FROM t",
        "SELECT t.id, tag, n FROM t, unnest(ARRAY['a', 'b']) WITH ORDINALITY AS u(tag, n)",
        "SELECT t.id, u.v, u.ordinality FROM t, unnest(ARRAY['a', 'b']) WITH ORDINALITY AS u(v)",
        "SELECT t.id, i, o FROM t, generate_series(1, 2) WITH ORDINALITY AS u(i, o)",
        "SELECT t.id, v, o FROM t, jsonb_array_elements('[]') WITH ORDINALITY AS u(v, o)",
    ],
)
def test_what_postgres_has_is_not_refused(tmp_path: Path, sql: str):
    assert check(tmp_path, sql, dialect="postgres").summary.held == 4


def test_the_number_of_a_row_is_called_and_typed_as_the_query_says(tmp_path: Path):
    sql = (
        "SELECT t.id, u.*, g.* FROM t, unnest(ARRAY['a']) WITH ORDINALITY AS u(tag, n), "
        "generate_series(1, 2) WITH ORDINALITY AS g(i, o)"
    )
    columns = check(tmp_path, sql, dialect="postgres").models[0].columns
    assert [(one.name, one.type) for one in columns] == [
        ("id", "Int64"), ("tag", "String"), ("n", "Int64"), ("i", "Int32"), ("o", "Int64")
    ]  # fmt: skip


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


OWN = "SELECT {} FROM t {}"


@pytest.mark.parametrize(
    ("items", "rest"),
    [
        ("id, own(name) AS n, upper([day]) AS u", ""),
        ("id, name, own(max(day)) AS n", "GROUP BY id"),
        ("id, own(name) AS n", "GROUP BY id"),
        ("id, own(sum(id)) AS n", ""),
        ("id, own(name) AS n, struct_pack(a := 1).b AS x", ""),
        ("id, own(name) AS n", "ORDER BY 5"),
        ("id, own(name) AS n", "WHERE sum(id) > 1"),
        ("id, own(name) AS n", "WHERE row_number() OVER () > 1"),
        ("id, own(name) AS n, filename", ""),
        ("id, own(name) AS n, rowid + day AS x", ""),
        ("id, own(name) AS n, (SELECT 1, 2) AS x", ""),
        ("id, own(name) AS n", "LIMIT name"),
        ("id, own(name) AS n, day + name + 1.5 AS x", ""),
        ("id, own(DISTINCT name) AS n", ""),
        ("id, own(a := name) AS n", ""),
        ("id, util.own(day + name + 1.5) AS n", ""),
        ("id, own(name) FILTER (WHERE id > 1) AS n", ""),
        ("id, own(name ORDER BY id) AS n", ""),
        ("t.id", ", own(3)"),
        ("t.id, o.a", ", own(3) AS o(a)"),
    ],
)
def test_a_declared_function_does_not_hide_what_is_wrong_beside_it(tmp_path: Path, items: str, rest: str):
    report = check(tmp_path, OWN.format(items, rest), config='functions = ["own"]')
    assert report.summary == Summary(held=0, broken=0, not_verified=4)
    found = report.diagnostics[0]
    assert found.severity == "error" or any("DuckDB" in reason for reason in found.reasons)


@pytest.mark.parametrize(
    "items",
    [
        "id, own() AS n",
        "id, own(name, 1, day) AS n, own(own(name)) AS m",
        "id, date_trunc('month', own(name)) AS n, extract(year FROM own(name)) AS y",
        "id, upper(own(name)) AS n, own(name) + 1 AS m, own(name)[1] AS o, own(name).x AS p",
        "id, list_transform([name], lambda x: own(x)) AS n",
        "id, sum(id) OVER (PARTITION BY own(name)) AS n",
        "id, [x FOR x IN [own(name)] IF x <> 'a'] AS n",
        "id, util.own(name) AS n, main.own(name) AS m, other.util.own(name) AS o, name.own() AS p",
    ],
)
def test_a_declared_function_may_return_anything(tmp_path: Path, items: str):
    report = check(tmp_path, OWN.format(items, ""), config='functions = ["own"]')
    assert report.summary.broken == 0
    assert report.summary.held >= 3, report.diagnostics  # where nothing was worked out, the type of `id` is not known


def test_a_function_that_is_declared_in_a_schema_is_known_there_alone(tmp_path: Path):
    for name, held in (("util.own", 4), ("own", 0), ("other.own", 0)):
        report = check(tmp_path, f"SELECT id, {name}(name) AS n FROM t", config='functions = ["util.own"]')
        assert report.summary.held == held, name


def test_beside_a_declared_function_columns_are_named_and_typed_as_duckdb_does_or_not_at_all(tmp_path: Path):
    sql = "SELECT own(name) AS n, id + 1, count(*) OVER (), count_if(id > 1) OVER () AS c, id FROM t"
    report = check(tmp_path, sql, config='functions = ["own"]')
    names = [column.name for column in report.models[0].columns]
    assert names == ["n", "(id + 1)", "count() OVER ()", "c", "id"]
    assert [column.type for column in report.models[0].columns[3:]] == [None, "Int64"]  # DuckDB says HUGEINT


def test_nor_is_an_aggregate_of_another_type_than_duckdb_gives_it(tmp_path: Path):
    report = check(tmp_path, "SELECT own(max(name)) AS n, max(name, 2) AS m FROM t", config='functions = ["own"]')
    assert [column.type for column in report.models[0].columns] == [None, None]  # DuckDB says VARCHAR[]


@pytest.mark.parametrize("source", ['{name = "nope"}', "other", "m_own", "read_parquet('s3://b/x.parquet') AS x"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT t.id, upper([t.day]) AS u FROM t, {}",
        "SELECT t.id, t.name FROM t, {} GROUP BY t.id",
        "SELECT t.id FROM t, {} WHERE sum(t.id) > 1",
        "SELECT t.id FROM t, {} ORDER BY 5",
    ],
)
def test_nor_does_what_nobody_knows_of_a_table(tmp_path: Path, sql: str, source: str):
    files = {
        "contracts.toml": 'functions = ["own"]\n[[sources]]\nsql = "sources.sql"\n[[sources]]\nname = "other"\n'
        '[[sources.columns]]\nname = "a"\n[[sources.columns]]\nname = "b"\ntype = "Int64"',
        "sources.sql": SOURCE,
        "models/m_own.sql": "SELECT own(name) AS a, id AS b FROM t",
        "models/m.sql": sql.format(source if "{" not in source else "nope"),
        "contracts/m.contract.toml": CONTRACT,
    }
    assert dc.sql.check(write(tmp_path, files)).summary == Summary(held=0, broken=0, not_verified=3)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT t.id, n.z, upper(n.y) AS u FROM t JOIN nope AS n ON n.k = t.id WHERE n.w > 1",
        "SELECT t.id, count(*) AS n FROM t, raw.nope WHERE raw.nope.k = t.id GROUP BY ALL",
        "WITH n AS (SELECT z, max(y) AS y FROM nope GROUP BY z) SELECT t.id, n.y FROM t JOIN n ON n.z = t.id",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM nope WHERE k = t.id AND j > 1)",
        "SELECT id FROM t WHERE id NOT IN (SELECT k FROM nope)",
        "SELECT t.id AS id, a AS k FROM t, nope ORDER BY k",
        "SELECT t.id, n.a FROM t, nope AS n(a, b) WHERE b > 1",
        "SELECT t.id AS id, t.id AS k FROM t, nope GROUP BY t.id ORDER BY k",
    ],
)
def test_what_is_right_beside_a_source_that_nobody_declares_is_held(tmp_path: Path, sql: str):
    assert check(tmp_path, sql).summary.held == 4


@pytest.mark.parametrize(
    "sql", ["SELECT id, z FROM t LEFT JOIN nope USING (id)", "SELECT id, z FROM nope RIGHT JOIN t USING (id)"]
)
def test_all_but_the_type_of_a_column_that_it_is_joined_by(tmp_path: Path, sql: str):
    assert check(tmp_path, sql).summary == Summary(held=3, broken=0, not_verified=1)


THERE = [
    ("SELECT id FROM nope", 0),
    ("SELECT z AS id FROM nope", 0),
    ("SELECT coalesce(n.z, 1) AS id FROM t, nope AS n", 0),
    ("SELECT n.z IS NULL AS id FROM t, nope AS n", 0),
    ("WITH n AS (SELECT id, 1 AS x FROM nope) SELECT n.id FROM n", 0),
    ("SELECT id FROM (SELECT DISTINCT id FROM nope) AS n", 0),
    ("SELECT (SELECT max(z) FROM nope) AS id FROM t", 0),
    ("SELECT id FROM nope UNION ALL SELECT id FROM t", 0),
    ("SELECT id FROM first", 0),
    ("SELECT x AS id FROM first", 1),
    ("SELECT t.id FROM t, nope", 1),
    ("SELECT id FROM t JOIN nope USING (id)", 1),
    ("SELECT 1 AS id FROM nope", 1),
    ("SELECT count(*) AS id FROM nope", 1),
    ("WITH n AS (SELECT id, 1 AS x FROM nope) SELECT x AS id FROM n", 1),
]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "bigquery"])
@pytest.mark.parametrize("rule", ['rules]\nrequired = ["id"]', 'rules]\nprotected = ["id"]', '[columns]]\nname = "id"'])
@pytest.mark.parametrize(("sql", "held"), THERE)
def test_a_column_of_a_source_that_nobody_declares_may_not_be_there(
    tmp_path: Path, sql: str, held: int, rule: str, dialect: str
):
    files = {
        "contracts.toml": f'dialect = "{dialect}"\n[[sources]]\nname = "t"\n[[sources.columns]]\nname = "id"\ntype = "Int64"',
        "models/first.sql": "SELECT id, 1 AS x FROM nope",
        "models/m.sql": sql,
        "contracts/m.contract.toml": f"[{rule}",
    }
    report = dc.sql.check(write(tmp_path, files), cache=dialect == "duckdb")
    assert report.summary == Summary(held=held, broken=0, not_verified=1 - held)
    if dialect == "duckdb" and "required" in rule:
        (tmp_path / "models/other.sql").write_text("SELECT 1 AS one")
        assert dc.sql.check(tmp_path, cache=True).diagnostics == report.diagnostics
    if not held:
        assert report.diagnostics[0].message == "whether `id` is in the output could not be worked out"
        assert report.diagnostics[0].reasons == ("it comes from nope, whose columns are not known",)
