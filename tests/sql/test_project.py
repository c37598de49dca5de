"""What a project's files say: models, the files beside them, contracts and which of two wins."""

import os
from pathlib import Path

import pytest

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Report
from dagster_contracts.errors import ContractParseError, InvalidSettingError
from dagster_contracts.sql.config import parse_config
from dagster_contracts.sql.files import read_project_files
from dagster_contracts.sql.project import Project, read_project


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in {"contracts.toml": "", **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def project(folder: Path, files: dict[str, str]) -> Project:
    write(folder, files)
    config, problems = parse_config((folder / "contracts.toml").read_text(), folder / "contracts.toml")
    assert problems == ()
    return read_project(config, read_project_files(config))


def codes(report: Report) -> list[tuple[str, str]]:
    return [(one.code, one.model) for one in report.diagnostics]


def test_a_model_is_what_its_file_and_the_file_beside_it_say(tmp_path: Path):
    sidecar = """
name = "orders_daily"
description = "One row a day."
dialect = "postgres"
owner = "team:sales"
materialized = "view"
tags = { domain = "sales", tier = "1" }
"""
    files = {"models/a/daily.sql": "SELECT 1 AS id\r\n", "models/a/daily.toml": sidecar, "models/b.sql": "SELECT 2"}
    found = project(tmp_path, files)
    assert found.findings == ()
    b, daily = found.models
    assert (b.name, b.path, b.dialect, b.materialized, b.tags) == ("b", "models/b.sql", "duckdb", "table", {})
    assert (daily.name, daily.path, daily.sql) == ("orders_daily", "models/a/daily.sql", "SELECT 1 AS id\n")
    assert (daily.description, daily.dialect, daily.owner) == ("One row a day.", "postgres", "team:sales")
    assert (daily.materialized, daily.tags) == ("view", {"domain": "sales", "tier": "1"})


def test_tags_may_be_a_list(tmp_path: Path):
    (model,) = project(tmp_path, {"models/a.sql": "SELECT 1", "models/a.toml": 'tags = ["daily", "pii"]'}).models
    assert model.tags == {"daily": "", "pii": ""}


def test_the_contracts_folder_wins_over_the_file_beside_the_model_whole(tmp_path: Path):
    files = {
        "models/a.sql": "SELECT 1 AS id",
        "models/a.contract.toml": '[rules]\nrequired = ["id"]\nprotected = ["id"]',
        "contracts/deep/a.contract.toml": '[rules]\nrequired = ["other"]',
        "models/b.sql": "SELECT 1 AS id",
        "models/b.contract.toml": '[rules]\nrequired = ["id"]',
    }
    found = project(tmp_path, files)
    assert {name: one.path for name, one in found.contracts.items()} == {
        "a": "contracts/deep/a.contract.toml",
        "b": "models/b.contract.toml",
    }
    assert [one.name for one in found.contracts["a"].promises.required] == ["other"]
    assert found.contracts["a"].promises.protected == ()


def test_contracts_may_stand_in_the_models_folder_by_configuration(tmp_path: Path):
    files = {
        "contracts.toml": 'models_dir = "."\ncontracts_dir = "."',
        "a.sql": "SELECT 1 AS id",
        "a.contract.toml": '[rules]\nrequired = ["id"]',
    }
    report = dc.sql.check(write(tmp_path, files))
    assert report.summary.held == 1


def test_hidden_files_and_folders_are_no_models(tmp_path: Path):
    files = {
        "models/.a.sql": "x",
        "models/.git/b.sql": "x",
        "models/__pycache__/c.sql": "x",
        "models/d.sql": "SELECT 1",
    }
    assert [model.name for model in project(tmp_path, files).models] == ["d"]


def test_a_contract_finds_its_model_whatever_the_letters_case(tmp_path: Path):
    files = {"models/Orders.sql": "SELECT 1 AS id", "contracts/orders.contract.toml": '[rules]\nrequired = ["id"]'}
    report = dc.sql.check(write(tmp_path, files))
    assert (report.summary.held, codes(report)) == (1, [])


def test_a_broken_contract_counts_its_promises_as_not_verified(tmp_path: Path):
    text = '[rules]\nrequired = ["id", "b"]\nprotectd = ["id"]'
    report = dc.sql.check(write(tmp_path, {"models/a.sql": "SELECT 1 AS id", "contracts/a.contract.toml": text}))
    assert codes(report) == [("E008", "a")]
    assert (report.summary.held, report.summary.broken, report.summary.not_verified) == (0, 0, 2)


def test_a_model_with_a_broken_file_beside_it_is_not_checked_in_the_wrong_dialect(tmp_path: Path):
    files = {
        "models/a.sql": "SELECT 1 AS id",
        "models/a.toml": 'dialekt = "postgres"',
        "contracts/a.contract.toml": '[rules]\nrequired = ["id"]',
    }
    report = dc.sql.check(write(tmp_path, files))
    assert codes(report) == [("E018", "a")]
    assert (report.summary.held, report.summary.not_verified) == (0, 1)


def test_a_name_that_two_models_have_verifies_nothing(tmp_path: Path):
    files = {
        "models/x/a.sql": "SELECT 1 AS id",
        "models/y/a.sql": "SELECT 1 AS id",
        "contracts/a.contract.toml": '[rules]\nrequired = ["id"]',
        "models/b.sql": "SELECT id FROM a",
        "contracts/b.contract.toml": '[rules]\nrequired = ["id"]',
    }
    report = dc.sql.check(write(tmp_path, files))
    assert codes(report) == [("E005", "a"), ("E005", "a"), ("I003", "b")]
    assert (report.summary.held, report.summary.not_verified) == (0, 2)
    assert [(model.name, model.path) for model in report.models] == [
        ("a", "models/x/a.sql"),
        ("a", "models/y/a.sql"),
        ("b", "models/b.sql"),
    ]


def test_no_project_is_wrong_use(tmp_path: Path):
    with pytest.raises(ContractParseError, match=r"no contracts\.toml"):
        dc.sql.check(tmp_path)
    with pytest.raises(InvalidSettingError, match="There is no"):
        dc.sql.check(tmp_path / "nowhere")
    with pytest.raises(ContractParseError, match="no configuration"):
        dc.sql.check(config=tmp_path / "contracts.toml")


def test_a_configuration_of_another_name(tmp_path: Path):
    write(tmp_path, {"shop.toml": 'models_dir = "sql"', "sql/a.sql": "SELECT 1 AS id"})
    assert [model.path for model in dc.sql.check(config=tmp_path / "shop.toml").models] == ["sql/a.sql"]


def test_models_behind_links_are_models_and_a_circle_of_links_ends(tmp_path: Path):
    write(tmp_path / "elsewhere", {"models/linked.sql": "SELECT 1 AS id"})
    write(tmp_path / "shop", {"models/a.sql": "SELECT 1 AS id"})
    (tmp_path / "shop/models/more").symlink_to(tmp_path / "elsewhere/models", target_is_directory=True)
    (tmp_path / "shop/models/again").symlink_to(tmp_path / "shop/models", target_is_directory=True)
    (tmp_path / "shop/models/dead.sql").symlink_to(tmp_path / "nowhere.sql")
    report = dc.sql.check(tmp_path / "shop")
    assert [model.name for model in report.models] == ["a", "dead", "linked"]
    assert codes(report) == [("E007", "dead")]


def test_a_folder_that_cannot_be_read_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, {"models/a.sql": "SELECT 1 AS id", "models/closed/b.sql": "SELECT 1 AS id"})
    scandir = os.scandir

    def refuse(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    report = dc.sql.check(tmp_path)
    assert codes(report) == [("E007", "contracts.toml")]
    assert "closed cannot be read: Permission denied" in report.diagnostics[0].message
    assert report.exit_code() == 1
