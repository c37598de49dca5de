"""The page on SQL contracts names every key that is read, and no other."""

import re
from pathlib import Path

from dagster_contracts.contract.toml import COLUMN_KEYS, RULES
from dagster_contracts.sql.config import DIALECTS, FORMS, KEYS, Config
from dagster_contracts.sql.project import SIDECAR_KEYS

PAGE = (Path(__file__).parents[2] / "docs/sql-contracts.md").read_text()


def first_cells(header: str) -> list[list[str]]:
    """The names in the first cell of each row of the table with this header."""
    table = PAGE.split(f"| {header} |", 1)[1].split("\n\n", 1)[0]
    return [re.findall(r"`([^`]+)`", line.split("|")[1]) for line in table.splitlines()[2:]]


def test_the_contracts_keys():
    assert {names[0] for names in first_cells("key | promise | finding")} == {
        *(f"rules.{name}" for name in RULES),
        *(f"columns.{name}" for name in COLUMN_KEYS),
    }


def test_the_configurations_keys_and_defaults():
    assert [names[0] for names in first_cells("key | value | default")] == list(KEYS)
    default = Config(Path())
    assert (
        f"| `dialect` | {', '.join(f'`{name}`' for name in DIALECTS[:-1])} or `{DIALECTS[-1]}` | `{default.dialect}` |"
        in PAGE
    )
    assert f"| `models_dir` | the models' folder | `{default.models_dir}` |" in PAGE
    assert f"| `contracts_dir` | the contracts' folder | `{default.contracts_dir}` |" in PAGE


def test_every_form_of_a_source():
    forms = {name.split(" ")[0] for names in first_cells("keys | read from") for name in names} - {"name"}
    assert forms == {*FORMS} - {"columns"} | {"[[sources.columns]]"}


def test_the_keys_beside_a_model():
    assert all(f"`{name}`" in PAGE.split("## `<model>.toml`")[1].split("##")[0] for name in SIDECAR_KEYS)
