"""A new project, made and run by `dg` itself as a user would."""

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

BIN = Path(sys.executable).parent
FILES = {
    # What `create-dagster project` writes, without the virtual environment that it fetches from the internet.
    "pyproject.toml": """
[project]
name = "shop"
version = "0.1.0"

[tool.dg]
directory_type = "project"

[tool.dg.project]
root_module = "shop"
""",
    "src/shop/__init__.py": "",
    "src/shop/defs/__init__.py": "",
    "src/shop/definitions.py": """
from pathlib import Path

import dagster as dg


@dg.definitions
def defs() -> dg.Definitions:
    return dg.load_from_defs_folder(path_within_project=Path(__file__).parent)
""",
}
SQL = "src/shop/defs/marts/sql"
PROMISES = """
type: dagster_contracts.ContractsComponent

attributes:
  checks:
    - contract: contracts/orders.contract.toml
      assets: [example_orders]
"""


class Project:
    """A folder, and `dg` in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write(**FILES)

    def write(self, **files: str) -> None:
        for name, text in files.items():
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def dg(self, *arguments: str, code: int = 0, logs: bool = False) -> str:
        """What `dg` prints, with what it logs or without."""
        (self.folder / "home").mkdir(exist_ok=True)
        places = {
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.folder / "src"),
            "DAGSTER_HOME": str(self.folder / "home"),
            "COLUMNS": "200",
        }
        done = subprocess.run(
            [BIN / "dg", *arguments],
            check=False,
            cwd=self.folder,
            env={**os.environ, **places},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr if logs else done.stdout

    def rows(self, table: str) -> list[tuple]:
        with duckdb.connect(str(self.folder / SQL / "warehouse.duckdb"), read_only=True) as connection:
            return connection.execute(f"FROM {table} ORDER BY ALL").fetchall()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


# The sum of each customer's amounts in the scaffolder's three rows, and how many there are.
TOTALS = [("Ada", 1, 9.5), ("Grace", 1, 3.25), ("unknown", 1, 12.0)]


def totals(project: Project) -> list[tuple]:
    return [(name, count, float(amount)) for name, count, amount in project.rows("example_totals")]


def test_what_is_scaffolded_loads(project: Project):
    project.dg("scaffold", "defs", "dagster_contracts.SqlProjectComponent", "marts")
    listed = json.loads(project.dg("list", "defs", "--json"))
    assert [(one["asset_key"], one["dependency_keys"]) for one in listed["assets"]] == [
        ("example_orders", []),
        ("example_totals", ["example_orders"]),
    ]
    assert {check["key"] for check in listed["asset_checks"]} == {
        "example_totals:contract_required_columns",
        "example_totals:contract_column_constraints",
    }


@pytest.mark.slow
def test_a_project_from_its_first_day_to_its_first_broken_contract(project: Project):
    components = project.dg("list", "components", "--json")
    for name in ("SqlProjectComponent", "ContractsComponent"):
        assert f'"dagster_contracts.{name}"' in components
    project.dg("scaffold", "defs", "dagster_contracts.SqlProjectComponent", "marts")
    project.dg("scaffold", "defs", "dagster_contracts.ContractsComponent", "promises")
    project.dg("check", "yaml")
    project.dg("check", "defs")

    project.write(**{"src/shop/defs/promises/defs.yaml": PROMISES})
    contract = project.folder / "src/shop/defs/promises/contracts/orders.contract.toml"
    contract.write_text(contract.read_text().replace("Int64", "Int32"))  # as DuckDB types 1, 2, 3
    said = project.dg("launch", "--assets", "*", logs=True)
    assert totals(project) == TOTALS
    for check in ("contract_required_columns", "contract_column_constraints"):
        assert f"Asset check '{check}' on 'example_totals' passed." in said
    for check in ("dy_schema__columns", "dy_rule__id__nullability"):
        assert f"Asset check '{check}' on 'example_orders' passed." in said

    model = f"{SQL}/models/example_totals.sql"
    kept = (project.folder / model).read_text()
    project.write(**{model: kept.replace("coalesce(customer, 'unknown') AS customer", "customer")})
    project.dg("check", "defs")
    said = project.dg("launch", "--assets", "*", code=1, logs=True)
    assert "error[E012]: example_totals.customer" in said
    assert "models/example_totals.sql:3:5" in said
    assert totals(project) == TOTALS

    project.write(**{model: kept, f"{SQL}/contracts/example_totals.contract.toml": "[rules]\nrequird = []\n"})
    project.dg("check", "defs")
    said = project.dg("launch", "--assets", "*", code=1, logs=True)
    assert "ContractParseError" in said
    assert "Did you mean 'required'?" in said
    assert totals(project) == TOTALS
