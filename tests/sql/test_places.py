"""Where findings point to in a model: the item, the mistake, or what the model reads; never just its first letter."""

from pathlib import Path

import duckdb
import pytest
from tests.sql.test_project import write

import dagster_contracts as dc
from dagster_contracts.sql.select_list import find_items, item_places, output_place

ONE_WORD = int(duckdb.__version__.split(".")[0]) < 2
"""Whether DuckDB tells at best the word that a mistake begins with, as it does before 2.0."""
SOURCE = "CREATE TABLE t (id BIGINT NOT NULL, name VARCHAR, tm TIME, day DATE)"


def pointed(folder: Path, sql: str, contract: str = "", dialect: str = "duckdb") -> list[tuple[str, str]]:
    """The code of each finding, and what it underlines in the model."""
    files = {
        "contracts.toml": f'dialect = "{dialect}"\n[[sources]]\nsql = "sources.sql"',
        "sources.sql": SOURCE,
        "models/m.sql": sql,
        "contracts/m.contract.toml": contract,
    }
    found = []
    for one in dc.sql.check(write(folder, files)).diagnostics:
        span = one.source
        assert span is not None
        lines = sql.split("\n")[span.line - 1 : span.end_line]
        lines[-1] = lines[-1][: span.end_column - 1]
        found.append((one.code, "\n".join([lines[0][span.column - 1 :], *lines[1:]])))
    return found


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ("CAST(name AS VARCHAR) AS x", "E012"),
        ("CASE WHEN id > 1 THEN 'a, b' END AS x", "E012"),
        ("(name) AS x", "E012"),
        ("NULL::VARCHAR AS x", "E012"),
        ("name || '(' AS x", "E012"),
        ("extract(year FROM day) AS x", "E012"),
        ("(SELECT max(name) FROM t) AS x", "E012"),
        ("name x", "E012"),
    ],
)
@pytest.mark.parametrize(
    "around",
    [
        "SELECT id, {} FROM t",
        "SELECT DISTINCT {}, id FROM t",
        "SELECT DISTINCT ON (id, day) {}, id FROM t",
        "-- a, b\nWITH c AS (SELECT 1 AS x) SELECT /* x, */ {}, id\nFROM t",
        "SELECT {} FROM t UNION ALL SELECT 'a' FROM t",
        "FROM t SELECT id, {}",
    ],
)
def test_a_finding_about_a_column_points_to_its_whole_item(tmp_path: Path, item: str, code: str, around: str):
    contract = '[[columns]]\nname = "x"\nnullable = false'
    assert pointed(tmp_path, around.format(item), contract) == [(code, item)]


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("-- first\nSELECT id, nme AS amount, amout\nFROM (SELECT 1 AS id, 2 AS nme, 3 AS amout)", "nme AS amount"),
        ("-- first\nSELECT id,\n  day\nFROM t", "id,\n  day"),
        ("WITH c AS (SELECT 1 AS one) SELECT * FROM c", "*"),
        ("SELECT 1 AS one UNION ALL SELECT 2", "1 AS one"),
        ("FROM t", "FROM"),
    ],
)
@pytest.mark.parametrize(
    ("contract", "code"),
    [
        ('[rules]\nrequired = ["amounts"]', "E010"),
        ('[rules]\nprotected = ["amounts"]', "E013"),
        ('[[columns]]\nname = "amounts"', "W010"),
    ],
)
def test_a_column_that_is_not_there_is_looked_for_where_the_output_is_named(
    tmp_path: Path, sql: str, place: str, contract: str, code: str
):
    assert pointed(tmp_path, sql, contract) == [(code, place)]


def test_a_contract_without_a_baseline_points_to_the_select_list(tmp_path: Path):
    assert pointed(tmp_path, "SELECT id, day FROM t", "[rules]\nno_new_nullable = true") == [("E014", "id, day")]


@pytest.mark.parametrize("before", ["", "-- é, 日本\n", "/* 😀 */ "])
@pytest.mark.parametrize(
    ("sql", "code", "place"),
    [
        ("SELECT 'é日本' AS e, id\nFROM t\nWHERE tm > 1700", "E015", "tm > 1700"),
        ("SELECT id, count(*) FROM t", "E015", "id"),
        ("SELECT sum(name) FROM t", "E015", "sum(name)"),
        ("SELECT tm - name FROM t", "E015", "-"),
        ("SELECT id FROM t WHERE count(*) > 1", "E015", "count(*)"),
        ("SELECT id FROM t WHERE id = (SELECT id, day FROM t)", "E015", "(SELECT id, day FROM t)"),
        ("SELECT id FROM t UNION ALL SELECT 1, 2", "E015", "id"),
        ("SELECT id FROM t GROUP BY 7", "E015", "id"),
        ("SELECT id FROM t ORDER BY t.nope", "E002", "nope"),
        ("SELECT a.id, day FROM t AS a, t AS b", "E003", "day"),
        ("SELECT id, unheard_of(day) AS x FROM t", "I003", "unheard_of"),
        ("SELECT id, CAST(day AS unheard_of) AS x FROM t", "I003", "unheard_of"),
    ],
)
def test_a_query_that_is_wrong_is_pointed_to_where_it_is(tmp_path: Path, before: str, sql: str, code: str, place: str):
    ((found, at),) = pointed(tmp_path, before + sql)
    assert found == code
    if ONE_WORD:
        assert at in place or place in at
    else:
        assert at == place


def test_a_model_that_waits_for_another_points_to_where_it_reads_it(tmp_path: Path):
    contract = '[[columns]]\nname = "id"\nnullable = false'
    (tmp_path / "models").mkdir()
    (tmp_path / "models/wrong.sql").write_text("SELECT FROM")
    found = pointed(tmp_path, "SELECT id FROM t JOIN wrong USING (id)", contract)
    assert found[0] == ("I003", "wrong")
    (tmp_path / "models/wrong.sql").unlink()
    assert pointed(tmp_path, "SELECT *\nFROM t, nowhere", contract) == [("I003", "nowhere")]


@pytest.mark.parametrize(
    ("sql", "items"),
    [
        ("SELECT '(' AS a, b FROM t", ["'(' AS a", "b"]),
        ("SELECT \"(\", ']' AS b FROM t", ['"("', "']' AS b"]),
        ("SELECT a, b, FROM t", ["a", "b"]),
        ("SELECT [1, 2] AS a, {'x': 1, 'y': 2} AS b", ["[1, 2] AS a", "{'x': 1, 'y': 2} AS b"]),
        ("SELECT ALL a, b HAVING a > 1", ["a", "b"]),
        ("(SELECT a)", []),
        ("VALUES (1, 2)", []),
        ("SELECT", []),
        ("SELECT 'a", []),
    ],
)
def test_items_are_told_apart_by_words_and_not_by_letters(sql: str, items: list[str]):
    assert [sql[slice(*place)] for place in item_places(sql, "duckdb")] == items


def test_an_item_of_a_bracket_in_quotes_is_one_item():
    sql = "SELECT '(' AS a, b FROM t"
    assert [sql[one.start : one.end] for one in find_items(sql, "duckdb")] == ["'(' AS a", "b"]


def test_no_text_has_no_place():
    assert output_place("", "duckdb") is None
    assert output_place("-- nothing", "duckdb") is None
