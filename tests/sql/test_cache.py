"""What is kept between checks: never a stale answer, never a wrong one, and never in the way."""

import json
import random
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given
from tests.sql.test_project import codes, write
from tests.sql.test_run import PROJECT

import dagster_contracts as dc
from dagster_contracts.contract.toml import parse_contract
from dagster_contracts.contract.types import Type, parse_type
from dagster_contracts.diagnostics.finding import Report, Span
from dagster_contracts.sql import cache as cache_module
from dagster_contracts.sql import examine
from dagster_contracts.sql.dialect_types import read_type
from dagster_contracts.sql.relation import Column, Relation
from dagster_contracts.sql.stored import are_faithful, dump_contract, dump_relation, load_contract, load_relation


def cached(folder: Path, **more) -> Report:
    return dc.sql.check(folder, cache=True, **more)


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / ".dagster-contracts/cache").iterdir())


@pytest.fixture
def analyzed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were looked into, in order."""
    names: list[str] = []
    original = examine.analyze

    def analyze(model, *rest, **more):
        names.append(model.name)
        return original(model, *rest, **more)

    monkeypatch.setattr(examine, "analyze", analyze)
    return names


def test_an_unchanged_project_is_answered_from_what_was_kept(tmp_path: Path, analyzed: list[str]):
    write(tmp_path, PROJECT)
    first = cached(tmp_path)
    assert analyzed == ["aside", "stg", "daily", "final"]
    assert cached(tmp_path) == first
    assert first == dc.sql.check(tmp_path)
    assert analyzed == ["aside", "stg", "daily", "final"] * 2  # once for each that asked anew


def test_without_being_asked_nothing_is_kept(tmp_path: Path):
    dc.sql.check(write(tmp_path, PROJECT))
    assert not (tmp_path / ".dagster-contracts").exists()


def test_an_edit_looks_only_into_what_depends_on_it(tmp_path: Path, analyzed: list[str]):
    cached(write(tmp_path, PROJECT))
    analyzed.clear()
    (tmp_path / "models/final.sql").write_text("SELECT id FROM daily")
    cached(tmp_path)
    assert analyzed == ["final"]
    analyzed.clear()
    path = tmp_path / "models/staging/stg.sql"
    path.write_text(path.read_text() + "\n-- the same output")
    cached(tmp_path)
    assert analyzed == ["stg"]
    analyzed.clear()
    path.write_text("SELECT id, name, amount, 1 AS more FROM raw.orders")
    cached(tmp_path)
    assert analyzed == ["stg", "daily"]  # what daily returns is the same, so final stays


EDITS = {
    "a model": ("models/final.sql", "SELECT id + 0.5 AS id FROM daily"),
    "a model it reads": ("models/staging/stg.sql", "SELECT customer AS id, name, amount FROM raw.orders"),
    "its contract": ("contracts/final.contract.toml", '[rules]\nrequired = ["idd"]'),
    "a source": ("sources.sql", "CREATE TABLE raw.orders (id INTEGER, name VARCHAR NOT NULL, amount DECIMAL(10,2))"),
    "the configuration": ("contracts.toml", 'strict = true\n[[sources]]\nsql = "gone.sql"'),
    "a file beside a model": ("models/final.toml", 'dialect = "postgres"'),
    "a contract beside the model": ("models/daily.contract.toml", '[rules]\nrequired = ["nothing"]'),
    "a model of a taken name": ("models/staging/final.sql", "SELECT 1 AS id"),
    "a contract's folder": ("contracts/deep/aside.contract.toml", '[rules]\nrequired = ["three"]'),
}


@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_is_seen(tmp_path: Path, edit: str):
    before = cached(write(tmp_path, PROJECT))
    name, text = EDITS[edit]
    write(tmp_path, {**PROJECT, name: text})
    after = cached(tmp_path)
    assert after == dc.sql.check(tmp_path)
    assert after != before


def test_a_file_that_goes_and_comes_back_is_seen(tmp_path: Path):
    before = cached(write(tmp_path, PROJECT))
    (tmp_path / "models/daily.sql").unlink()
    without = cached(tmp_path)
    assert without == dc.sql.check(tmp_path)
    assert without.summary.held < before.summary.held
    write(tmp_path, PROJECT)
    assert cached(tmp_path) == before


@pytest.mark.parametrize("config", ["", 'models_dir = "models"\n', 'contracts_dir = "contracts"\n'])
def test_a_folder_that_goes_is_seen_although_no_file_goes_with_it(tmp_path: Path, config: str):
    write(tmp_path, {"contracts.toml": config})
    folder = tmp_path / ("contracts" if "contracts_dir" in config else "models")
    (tmp_path / "models").mkdir(exist_ok=True)
    folder.mkdir(exist_ok=True)
    assert codes(cached(tmp_path)) == []
    folder.rmdir()
    assert codes(cached(tmp_path)) == [("E006", "contracts.toml")]
    folder.mkdir()
    assert codes(cached(tmp_path)) == []


def test_what_is_asked_for_is_part_of_the_question(tmp_path: Path):
    write(tmp_path, PROJECT | {"contracts/daily.contract.toml": '[[columns]]\nname = "id"\ntype = "Int64"'})
    whole = cached(tmp_path)
    assert [model.name for model in cached(tmp_path, select=["aside"]).models] == ["aside"]
    assert codes(cached(tmp_path / "models/daily.sql")) == []
    assert cached(tmp_path) == whole
    assert cached(tmp_path, strict=True) == dc.sql.check(tmp_path, strict=True)


def test_random_edits_answer_as_a_check_from_nothing(tmp_path: Path):
    rng = random.Random(3)
    texts = {
        "models/staging/stg.sql": [
            "SELECT id, name, amount FROM raw.orders",
            "SELECT id, coalesce(name, '') AS name, amount FROM raw.orders",
            "SELECT id, name FROM raw.orders",
            "SELECT id FROM",
        ],
        "models/daily.sql": [
            "SELECT id, sum(amount) AS total FROM stg GROUP BY id",
            "SELECT s.id, x.y AS total FROM stg AS s LEFT JOIN nowhere.x AS x ON true",
            "SELECT * FROM final",
        ],
        "models/final.sql": ["SELECT * FROM daily WHERE total > 1", "SELECT id, name FROM stg", "SELECT * FROM raw.orders"],
        "sources.sql": [PROJECT["sources.sql"], "CREATE TABLE raw.orders (id INTEGER, name VARCHAR NOT NULL, amount INTEGER)"],
    }  # fmt: skip
    files = dict(PROJECT)
    for _ in range(12):
        name = rng.choice(list(texts))
        files[name] = rng.choice(texts[name])
        write(tmp_path, files)
        assert cached(tmp_path) == dc.sql.check(tmp_path), files


@pytest.mark.parametrize("damage", ["cut", "flip", "garbage", "empty", "another key", "a list"])
def test_a_damaged_cache_is_no_cache(tmp_path: Path, damage: str):
    before = cached(write(tmp_path, PROJECT))
    for name in kept(tmp_path):
        path = tmp_path / ".dagster-contracts/cache" / name
        data = path.read_bytes()
        head, _, body = data.partition(b"\n")
        path.write_bytes(
            {
                "cut": data[: len(data) // 2],
                "flip": data.replace(b'"E0', b'"W0').replace(b"[2,2,0]", b"[4,0,0]"),
                "garbage": b"\xff\x00nonsense",
                "empty": b"",
                "another key": b"0" * 64 + head[64:] + b"\n" + body,
                "a list": b"[]",
            }[damage]
        )
    assert cached(tmp_path) == before
    assert cached(tmp_path) == before


def test_another_version_of_anything_asks_anew(tmp_path: Path, analyzed: list[str], monkeypatch: pytest.MonkeyPatch):
    cached(write(tmp_path, PROJECT))
    analyzed.clear()
    for module in (cache_module, __import__("dagster_contracts.sql.run", fromlist=["run"])):
        monkeypatch.setattr(module, "versions", lambda: "others")
    cached(tmp_path)
    assert analyzed == ["aside", "stg", "daily", "final"]


def test_the_folder_is_ignored_by_git_and_holds_json_alone(tmp_path: Path):
    cached(write(tmp_path, PROJECT))
    assert (tmp_path / ".dagster-contracts/.gitignore").read_text() == "*\n"
    assert len(kept(tmp_path)) == 2
    for name in kept(tmp_path):
        _, _, body = (tmp_path / ".dagster-contracts/cache" / name).read_bytes().partition(b"\n")
        assert isinstance(json.loads(body), dict)


def test_few_reports_are_kept(tmp_path: Path):
    write(tmp_path, PROJECT)
    for at in range(12):
        (tmp_path / "models/final.sql").write_text(f"SELECT id, {at} AS at FROM daily")
        cached(tmp_path)
    assert len([name for name in kept(tmp_path) if name.startswith("report-")]) == 8


def test_a_folder_that_cannot_be_written_is_no_hindrance(tmp_path: Path):
    write(tmp_path, PROJECT | {".dagster-contracts": "a file in the way"})
    assert codes(cached(tmp_path)) == codes(dc.sql.check(tmp_path))


def test_a_parquet_source_is_known_by_its_schema(tmp_path: Path):
    config = '[[sources]]\nname = "p"\nparquet = "p.parquet"'
    files = {"contracts.toml": config, "models/a.sql": "SELECT * FROM p"}
    write(tmp_path, files)
    pl.DataFrame({"id": [1]}).write_parquet(tmp_path / "p.parquet")
    assert [column.type for column in cached(tmp_path).models[0].columns] == ["Int64"]
    pl.DataFrame({"id": ["1"]}).write_parquet(tmp_path / "p.parquet")
    assert [column.type for column in cached(tmp_path).models[0].columns] == ["String"]


def test_a_class_is_imported_again_by_every_process(tmp_path: Path):
    module = "import dataframely as dy\nclass Orders(dy.Schema):\n    id = dy.{}(nullable=False)\n"
    config = '[[sources]]\nname = "o"\nclass = "shop_contracts_b:Orders"'
    write(tmp_path, {"contracts.toml": config, "models/a.sql": "SELECT * FROM o"})
    program = (
        f"import dagster_contracts as dc; print(dc.sql.check({str(tmp_path)!r}, cache=True).models[0].columns[0].type)"
    )
    for kind in ("Int64", "String"):
        (tmp_path / "shop_contracts_b.py").write_text(module.format(kind))
        done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == kind


def test_an_unchanged_project_imports_no_parser_and_no_engine(tmp_path: Path):
    program = (
        f"import sys\nimport dagster_contracts as dc\ndc.sql.check({str(write(tmp_path, PROJECT))!r}, cache=True)\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    command = [sys.executable, "-c", program]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert {"sqlglot", "duckdb"} <= set(first.split())
    assert not {"sqlglot", "duckdb", "polars", "pydantic", "dagster", "email"} & set(second.split())


def test_rows_that_prove_a_null_are_kept_too(tmp_path: Path):
    write(tmp_path, PROJECT)
    (first,) = [one for one in cached(tmp_path).diagnostics if one.code == "E012"]
    assert first.witness is not None
    assert first.witness.output["name"] is None
    (tmp_path / "models/aside.sql").write_text("SELECT 3 AS one")
    (second,) = [one for one in cached(tmp_path).diagnostics if one.code == "E012"]
    assert second == first


COLUMN = st.builds(
    Column,
    name=st.text(max_size=5),
    type=st.none() | st.sampled_from([parse_type(text) for text in ("Int64", "Decimal", "Decimal(10,2)", 'Array<Struct<"a b": Map<String, Date>>>', "Variant")]),
    nullable=st.sampled_from([None, True, False]),
    reasons=st.lists(st.text(max_size=5), max_size=2).map(tuple),
    type_reasons=st.lists(st.text(max_size=5), max_size=2).map(tuple),
    span=st.none() | st.builds(Span, st.text(max_size=5), *[st.integers(1, 99)] * 4),
)  # fmt: skip


@given(st.builds(Relation, st.text(max_size=5), st.lists(COLUMN, max_size=4).map(tuple)))
def test_a_relation_comes_back_as_it_was(relation: Relation):
    assert load_relation(json.loads(json.dumps(dump_relation(relation)))) == relation


def test_a_contract_comes_back_as_it_was():
    text = """
[rules]
required = ["a", "b"]
protected = ["c"]
no_new_nullable = true
[[columns]]
name = "a"
type = "NUMERIC(10,2)"
nullable = false
description = "é"
[[columns]]
name = "b"
"""
    contract, problems = parse_contract(text, lambda spelled: read_type(spelled, "duckdb"))
    assert problems == ()
    assert load_contract(json.loads(json.dumps(dump_contract(contract)))) == contract


def test_a_type_that_its_text_does_not_tell_is_not_kept():
    assert are_faithful([None, Type("Int64"), Type("Decimal", 10, 2), Type("Decimal", 10)]) is False
    assert are_faithful([None, Type("Int64"), Type("Decimal", 10, 2)])
    assert not are_faithful([Type("Nonsense")])
