"""A whole project checked: what reads what, what is asked for, and what the report says."""

import os
import re
from pathlib import Path

import pytest
from tests.sql.test_project import codes, write

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Report, ReportedColumn
from dagster_contracts.errors import ContractParseError, InvalidSettingError
from dagster_contracts.sql import analyze

PROJECT = {
    "contracts.toml": '[[sources]]\nsql = "sources.sql"',
    "sources.sql": "CREATE TABLE raw.orders (id BIGINT NOT NULL, name VARCHAR, amount DECIMAL(10,2) NOT NULL)",
    "models/staging/stg.sql": "SELECT id, name, amount FROM raw.orders",
    "models/daily.sql": "SELECT id, sum(amount) AS total FROM stg GROUP BY id",
    "models/final.sql": "SELECT * FROM daily WHERE total > 1",
    "models/aside.sql": "SELECT 1 AS one",
    "contracts/final.contract.toml": '[[columns]]\nname = "id"\ntype = "Int64"\nnullable = false',
    "contracts/stg.contract.toml": '[[columns]]\nname = "name"\nnullable = false',
    "contracts/aside.contract.toml": '[rules]\nrequired = ["two"]',
}


def names(report: Report) -> list[str]:
    return [model.name for model in report.models]


def test_types_and_nullability_go_from_model_to_model(tmp_path: Path):
    report = dc.sql.check(write(tmp_path, PROJECT))
    columns = {model.name: model.columns for model in report.models}
    assert columns["final"] == (
        ReportedColumn("id", "Int64", nullable=False),
        ReportedColumn("total", "Decimal(38,2)", nullable=False),
    )
    assert columns["stg"][1] == ReportedColumn("name", "String", nullable=True)
    assert codes(report) == [("E010", "aside"), ("E012", "stg")]
    assert (report.summary.held, report.summary.broken, report.summary.not_verified) == (2, 2, 0)


def test_both_spans_of_a_finding_lie_in_texts_of_the_report(tmp_path: Path):
    (found,) = [one for one in dc.sql.check(write(tmp_path, PROJECT)).diagnostics if one.code == "E012"]
    report = dc.sql.check(tmp_path)
    cut = {}
    for span in (found.source, found.contract):
        line = report.texts[span.file].split("\n")[span.line - 1]
        cut[span.file] = line[span.column - 1 : span.end_column - 1]
    assert cut == {"models/staging/stg.sql": "name", "contracts/stg.contract.toml": "false"}
    assert found.reasons


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        (["final"], ["final"]),
        (["FINAL"], ["final"]),
        (["+final"], ["daily", "final", "stg"]),
        (["stg+"], ["daily", "final", "stg"]),
        (["+daily+"], ["daily", "final", "stg"]),
        (["*a*"], ["aside", "daily", "final"]),
        (["final,aside"], ["aside", "final"]),
        (["final", "aside"], ["aside", "final"]),
    ],
)
def test_models_are_selected_by_name(tmp_path: Path, select: list[str], expected: list[str]):
    report = dc.sql.check(write(tmp_path, PROJECT), select=select)
    assert names(report) == expected
    assert {one.model for one in report.diagnostics} <= set(expected)


def test_a_selection_of_nothing_is_wrong_use(tmp_path: Path):
    write(tmp_path, PROJECT)
    with pytest.raises(InvalidSettingError, match=r"No model is called 'finall'\. Did you mean 'final'\?"):
        dc.sql.check(tmp_path, select=["finall"])
    with pytest.raises(InvalidSettingError, match="both at these paths and selected"):
        dc.sql.check(tmp_path / "models/aside.sql", select=["final"])


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("models/staging", ["stg"]),
        ("models/staging/stg.sql", ["stg"]),
        ("contracts/final.contract.toml", ["final"]),
        ("models", ["aside", "daily", "final", "stg"]),
        ("contracts", ["aside", "final", "stg"]),
        ("contracts.toml", ["aside", "daily", "final", "stg"]),
        ("sources.sql", ["aside", "daily", "final", "stg"]),
        (".", ["aside", "daily", "final", "stg"]),
    ],
)
def test_models_are_selected_by_path(tmp_path: Path, path: str, expected: list[str]):
    assert names(dc.sql.check(write(tmp_path, PROJECT) / path)) == expected


def test_a_path_that_holds_nothing_is_wrong_use(tmp_path: Path):
    write(tmp_path, PROJECT | {"README.md": "x"})
    with pytest.raises(InvalidSettingError, match="no model, contract or source"):
        dc.sql.check(tmp_path / "README.md")
    write(tmp_path / "other", {"models/a.sql": "SELECT 1"})
    with pytest.raises(ContractParseError, match="in 2 projects"):
        dc.sql.check(tmp_path / "models", tmp_path / "other")


def test_a_project_inside_of_another_is_its_own(tmp_path: Path):
    write(tmp_path, PROJECT)
    write(tmp_path / "other", {"models/a.sql": "SELECT 1 AS one"})
    assert names(dc.sql.check(tmp_path / "other/models")) == ["a"]


def test_the_chain_to_a_broken_model_is_told(tmp_path: Path):
    report = dc.sql.check(write(tmp_path, PROJECT | {"models/staging/stg.sql": "SELECT idd FROM raw.orders"}))
    assert codes(report) == [("E010", "aside"), ("I003", "daily"), ("I003", "final"), ("E002", "stg")]
    (found,) = [one for one in report.diagnostics if one.model == "final"]
    assert found.reasons == (
        "final reads daily",
        "daily reads stg",
        "stg is wrong itself: E002 in line 1 of models/staging/stg.sql",
    )
    assert (report.summary.held, report.summary.broken, report.summary.not_verified) == (0, 1, 3)


def test_strict_comes_from_the_configuration_and_the_caller_overrules_it(tmp_path: Path):
    files = {
        "contracts.toml": "strict = true",
        "models/a.sql": "SELECT x FROM nowhere.t",
        "contracts/a.contract.toml": '[[columns]]\nname = "x"\ntype = "Int64"',
    }
    write(tmp_path, files)
    assert codes(dc.sql.check(tmp_path)) == [("E059", "a")]
    assert codes(dc.sql.check(tmp_path, strict=False)) == [("I003", "a")]


def test_a_narrower_type_passes_where_the_configuration_says_so(tmp_path: Path):
    files = {
        "models/a.sql": "SELECT 1::INTEGER AS x",
        "contracts/a.contract.toml": '[[columns]]\nname = "x"\ntype = "Int64"',
    }
    write(tmp_path, files)
    assert codes(dc.sql.check(tmp_path)) == [("E011", "a")]
    (tmp_path / "contracts.toml").write_text('type_match = "assignable"')
    assert codes(dc.sql.check(tmp_path)) == []


def test_models_of_several_dialects_read_each_other(tmp_path: Path):
    files = {
        "contracts.toml": 'dialect = "snowflake"\n[[sources]]\nsql = "sources.sql"',
        "sources.sql": "CREATE TABLE raw.orders (id INT NOT NULL, name VARCHAR)",
        "models/first.sql": "SELECT id, name FROM raw.orders",
        "models/second.sql": "SELECT id, name FROM first",
        "models/second.toml": 'dialect = "postgres"',
        "models/third.sql": "SELECT Id FROM second",
        "contracts/third.contract.toml": '[[columns]]\nname = "id"\nnullable = false',
    }
    report = dc.sql.check(write(tmp_path, files))
    assert codes(report) == []
    assert [[column.name for column in model.columns] for model in report.models] == [
        ["ID", "NAME"],
        ["id", "name"],
        ["ID"],
    ]
    assert report.summary.held == 1


def test_a_model_wins_over_a_source_of_its_name_and_a_dotted_name_is_a_source(tmp_path: Path):
    files = {
        "contracts.toml": '[[sources]]\nsql = "sources.sql"',
        "sources.sql": "CREATE TABLE orders (a DATE); CREATE TABLE raw.orders (b DATE)",
        "models/orders.sql": "SELECT 1 AS c",
        "models/bare.sql": "SELECT * FROM orders",
        "models/dotted.sql": "SELECT * FROM raw.orders",
    }
    columns = {model.name: [one.name for one in model.columns] for model in dc.sql.check(write(tmp_path, files)).models}
    assert columns == {"bare": ["c"], "dotted": ["b"], "orders": ["c"]}


def test_duckdb_knows_functions_that_the_parser_does_not(tmp_path: Path):
    files = {"models/a.sql": "SELECT list_sum([1, 2]) AS s, x FROM (VALUES (1)) AS t(x)"}
    (model,) = dc.sql.check(write(tmp_path, files)).models
    assert [column.name for column in model.columns] == ["s", "x"]
    assert model.columns[0].type is not None


@pytest.mark.parametrize(("part", "verified"), [("infer_types", 0), ("infer_nullability", 1)])
def test_a_mistake_of_our_own_about_one_model_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, verified: int
):
    original = getattr(analyze, part)

    def fail(query, **more):
        if "nothing" in query.sql():
            raise KeyError("oh")
        return original(query, **more)

    monkeypatch.setattr(analyze, part, fail)
    contract = '[rules]\nrequired = ["id"]\n[[columns]]\nname = "id"\nnullable = false'
    files = {f"contracts/{name}.contract.toml": contract for name in ("bad", "good")}
    files |= {"models/bad.sql": "SELECT 1 AS id, 'nothing' AS n", "models/good.sql": "SELECT 1 AS id"}
    report = dc.sql.check(write(tmp_path, files))
    assert codes(report) == [("I003", "bad")]
    assert "KeyError: 'oh'" in report.diagnostics[0].reasons[-1]
    assert (report.summary.held, report.summary.not_verified) == (2 + verified, 2 - verified)


def test_a_query_that_is_nested_without_end_is_not_verified(tmp_path: Path):
    deep = "SELECT " + "(" * 3000 + "1" + ")" * 3000 + " AS id"
    report = dc.sql.check(
        write(tmp_path, {"models/a.sql": deep, "models/a.contract.toml": '[rules]\nrequired = ["id"]'})
    )
    assert report.summary.held == 0
    assert report.exit_code("unverified") == 1


@pytest.mark.parametrize("select", ["", ",", " , ", "+", "++", "final,+"])
def test_a_selection_that_is_empty_says_so(tmp_path: Path, select: str):
    with pytest.raises(InvalidSettingError, match=f"^The selection names no model: {re.escape(repr(select))}\\.$"):
        dc.sql.check(write(tmp_path, PROJECT), select=[select])


def test_a_path_that_holds_nothing_says_so(tmp_path: Path):
    write(tmp_path, PROJECT | {"models/notes.txt": "x"})
    (tmp_path / "models/empty").mkdir()
    with pytest.raises(InvalidSettingError, match=r"empty' holds no model, contract or source of the project"):
        dc.sql.check(tmp_path / "models/empty")
    with pytest.raises(InvalidSettingError, match=r"notes.txt' is no model, contract or source of the project"):
        dc.sql.check(tmp_path / "models/notes.txt")
    with pytest.raises(InvalidSettingError, match=r"There is no '.*gone'"):
        dc.sql.check(tmp_path / "gone")


def test_a_pipe_among_the_models_is_not_waited_for(tmp_path: Path):
    os.mkfifo(write(tmp_path, PROJECT) / "models/pipe.sql")
    (found,) = [one for one in dc.sql.check(tmp_path).diagnostics if one.model == "pipe"]
    assert (found.code, found.message) == ("E007", "models/pipe.sql cannot be read: it is no file.")


@pytest.mark.parametrize(
    ("sql", "held"),
    [
        (b"\xef\xbb\xbfSELECT 1::BIGINT AS id", 1),
        (b"SELECT 1::BIGINT AS id\r\n;\r\n-- end\r\n", 1),
        (b";;SELECT 1::BIGINT AS id;;", 1),
        (b"select\xc2\xa01::BIGINT AS id", 1),
        (b"SELECT 1::BIGINT AS id \x00", 0),
        (b"\xef\xbb\xbf\xef\xbb\xbfSELECT 1::BIGINT AS id", 0),
        (b"\xff\xfeS\x00E\x00", 0),
        (b"SELECT 1::BIGINT AS id \x1b[31m", 0),
        (b"SELECT 1::BIGINT AS id /* open", 0),
        (b"SELECT 1::BIGINT AS id)", 0),
        (b"WITH x AS (SELECT 1)", 0),
        (b"SELECT " + b"(" * 5000 + b"1" + b")" * 5000 + b"::BIGINT AS id", 0),
        (b"SELECT 1" + b" + 1" * 5000 + b" AS id", 0),
    ],
)
def test_odd_bytes_are_read_or_refused(tmp_path: Path, sql: bytes, held: int):
    write(tmp_path, {"contracts.toml": "", "contracts/odd.contract.toml": '[[columns]]\nname = "id"\ntype = "Int64"'})
    (tmp_path / "models").mkdir(exist_ok=True)
    (tmp_path / "models/odd.sql").write_bytes(sql)
    report = dc.sql.check(tmp_path)
    assert (report.summary.held, report.summary.not_verified) == (held, 1 - held)
    assert len(report.diagnostics) == 1 - held
