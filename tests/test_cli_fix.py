"""`check --fix`: it repairs what a new check proves to be repaired, and nothing else."""

import sys
from pathlib import Path

import pytest

from dagster_contracts.cli import main

SOURCES = "CREATE TABLE raw (id BIGINT NOT NULL, name VARCHAR, amount INTEGER NOT NULL, day DATE);"
CONTRACT = '[rules]\nrequired = ["id", "name"]\n\n[[columns]]\nname = "amount"\ntype = "Int64"\nnullable = false\n'


@pytest.fixture
def fix(tmp_path: Path, monkeypatch, capsys):
    def fix(model: str, contract: str = CONTRACT, *options: str) -> tuple[str, str, str]:
        for name, text in {
            "contracts.toml": 'functions = ["own", "util.own"]\n[[sources]]\nsql = "sources.sql"\n',
            "sources.sql": SOURCES,
            "models/orders.sql": model,
            "contracts/orders.contract.toml": contract,
        }.items():
            file = tmp_path / name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(text.encode())
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["dagster-contracts", "check", "--fix", *options])
        with pytest.raises(SystemExit):
            main()
        new = (tmp_path / "models/orders.sql").read_bytes().decode()
        return new, (tmp_path / "contracts/orders.contract.toml").read_text(), capsys.readouterr().err

    return fix


@pytest.mark.parametrize(
    ("model", "fixed"),
    [
        ("SELECT id, amount::BIGINT AS amount FROM raw", "SELECT id, amount::BIGINT AS amount, name FROM raw"),
        (
            "SELECT\n    id,\n    amount::BIGINT AS amount\nFROM raw\n",
            "SELECT\n    id,\n    amount::BIGINT AS amount,\n    name\nFROM raw\n",
        ),
        ("SELECT id, name, amount FROM raw", "SELECT id, name, CAST(amount AS BIGINT) AS amount FROM raw"),
        (
            "SELECT id, name, r.amount + 1 AS amount FROM raw AS r",
            "SELECT id, name, CAST(r.amount + 1 AS BIGINT) AS amount FROM raw AS r",
        ),
        (
            "SELECT id, amount FROM raw\r\n",
            "SELECT id, CAST(amount AS BIGINT) AS amount, name FROM raw\r\n",
        ),
    ],
)
def test_what_is_certain_is_repaired(fix, model, fixed):
    new, contract, said = fix(model)
    assert new == fixed
    assert contract == CONTRACT
    assert "fixed: models/orders.sql" in said


@pytest.mark.parametrize(
    "model",
    [
        "SELECT id, sum(amount) AS amount FROM raw GROUP BY id",  # name is not grouped by
        "SELECT DISTINCT id, amount::BIGINT AS amount FROM raw",  # another column makes more rows
        "SELECT r.id, r.amount::BIGINT AS amount FROM raw AS r JOIN raw AS s USING (id)",  # which name?
        "SELECT id, amount::BIGINT AS amount FROM raw UNION ALL SELECT 1, 2",
        "SELECT id, name, 'x' AS amount FROM raw",  # a text has no place in a number
        "SELECT id, name, amount::HUGEINT AS amount FROM raw",  # nor has a wider number
        "SELECT id, name FROM raw",  # amount is only declared: W010
    ],
)
def test_what_is_not_is_left(fix, model):
    new, contract, said = fix(model)
    assert new == model
    assert contract == CONTRACT
    assert "fixed" not in said


def test_a_contract_takes_what_the_model_returns_if_that_is_asked_for(fix):
    model = "SELECT id, amount, day FROM raw"
    contract = CONTRACT + '\n[[columns]]\nname = "day"\ntype = "Date"\nnullable = false\n'
    new, written, said = fix(model, contract, "contract")
    assert new == model
    assert written == (
        '[rules]\nrequired = ["id"]\n\n[[columns]]\nname = "amount"\ntype = "Int32"\nnullable = false\n'
        '\n[[columns]]\nname = "day"\ntype = "Date"\nnullable = true\n'
    )
    assert said.count("fixed: contracts/orders.contract.toml") == 3


def test_what_is_unknown_is_never_written_into_a_contract(fix):
    contract = '[[columns]]\nname = "x"\ntype = "Int64"\nnullable = false\n'
    assert fix("SELECT x FROM gone", contract, "contract")[1] == contract


@pytest.mark.parametrize("options", [(".",), ("models",), ("contract",), ("models", "."), (".", "--strict"), ()])
def test_what_follows_is_a_path_unless_it_says_what_is_repaired(fix, options):
    model, contract, _ = fix("SELECT id, amount::BIGINT AS amount FROM raw", CONTRACT, *options)
    if "contract" in options:
        assert contract != CONTRACT
    else:
        assert model == "SELECT id, amount::BIGINT AS amount, name FROM raw"


@pytest.mark.parametrize(
    ("model", "finding"),
    [
        ("SELECT id, own(day) AS d, amount::BIGINT AS amount FROM raw", "E010 of name"),
        ("SELECT id, name, own(day) AS d, amount FROM raw", "E011 of amount"),
        ("SELECT id, name, amount FROM raw WHERE OWN(day)", "E011 of amount"),
    ],
)
def test_a_query_that_calls_a_function_of_the_project_is_left_alone(fix, model, finding):
    new, contract, said = fix(model)
    assert (new, contract) == (model, CONTRACT)
    why = "the query calls own(), and what that makes of the query's rows cannot be checked"
    assert said == f"not fixed: models/orders.sql: {finding}: {why}\n"
