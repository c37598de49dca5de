"""The contracts of a folder, without their models."""

import logging
from pathlib import Path

import pytest

import dagster_contracts as dc
from dagster_contracts.errors import ContractParseError, UnknownTypeError


def folder(path: Path, **files: str) -> Path:
    for name, text in files.items():
        (path / f"{name}.contract.toml").write_text(text)
    return path


def test_a_folder_that_is_not_there_has_no_contracts(tmp_path: Path):
    assert dc.discover_contract_rules(tmp_path / "nowhere") == {}


def test_the_kinds_of_rules_of_each_contract(tmp_path: Path):
    folder(
        tmp_path,
        b='[rules]\nrequired = ["id"]',
        a='[rules]\nprotected = ["id"]\nno_new_nullable = false',
        c='[[columns]]\nname = "id"\ntype = "NUMBER(38,0)"',
        d="[rules]\nno_new_nullable = true",
        empty="",
        nothing="[rules]\nrequired = []\nno_new_nullable = false",
    )
    (tmp_path / "deep").mkdir()
    folder(tmp_path / "deep", e='[rules]\nrequired = ["id"]')
    (tmp_path / "orders.toml").write_text("not = a contract")
    found = dc.discover_contract_rules(str(tmp_path))
    assert list(found.items()) == [
        ("a", dc.ContractRules(has_protected=True)),
        ("b", dc.ContractRules(has_required=True)),
        ("c", dc.ContractRules(has_column_constraints=True)),
        ("d", dc.ContractRules(has_column_constraints=True)),
    ]


def test_a_file_without_a_models_name_is_logged_and_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    folder(tmp_path, a='[rules]\nrequired = ["id"]', **{"": '[rules]\nrequired = ["id"]'})
    with caplog.at_level(logging.WARNING):
        assert list(dc.discover_contract_rules(tmp_path)) == ["a"]
    assert ".contract.toml names no model" in caplog.text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[rules", r"orders\.contract\.toml:1: This is no TOML"),
        ("[rules]\nrequird = []", r"orders\.contract\.toml:2: .*Did you mean 'required'"),
        ('[[columns]]\nname = "id"\ntype = "Int46"', r"orders\.contract\.toml:3: .*Int46"),
    ],
)
def test_a_contract_that_cannot_be_read_names_its_file_and_line(tmp_path: Path, text: str, words: str):
    folder(tmp_path, orders=text)
    with pytest.raises(ContractParseError, match=words):
        dc.discover_contract_rules(tmp_path)


def test_a_contract_that_is_not_utf8_names_its_file_and_line(tmp_path: Path):
    (tmp_path / "orders.contract.toml").write_bytes(b"[rules]\nrequired = ['\xe9']")
    with pytest.raises(ContractParseError, match=r"orders\.contract\.toml cannot be read: it is not UTF-8 .*line 2"):
        dc.discover_contract_rules(tmp_path)


def test_rules_are_empty_without_a_kind_and_cannot_be_changed():
    assert dc.ContractRules().is_empty
    assert not dc.ContractRules(has_protected=True).is_empty
    with pytest.raises(AttributeError):
        dc.ContractRules().has_required = True


def test_the_error_of_a_type_is_one_of_parsing():
    assert issubclass(UnknownTypeError, ContractParseError)
