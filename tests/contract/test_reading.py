import subprocess
import sys

import pytest

HEAVY = {"dataframely", "duckdb", "numpy", "pandas", "sqlglot", "upath"}


@pytest.mark.parametrize("name", ["asset", "ParquetIOManager", "Quarantine", "validate"])
def test_what_a_definition_needs_imports_no_form_of_contract(name: str):
    code = f"import sys, dagster_contracts as dc; dc.{name}; print(*sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


def test_an_asset_without_a_contract_runs_without_dataframely_imported_before():
    code = """
import polars as pl, dagster as dg, dagster_contracts as dc
table = dc.asset(name="table")(lambda: pl.DataFrame({"a": [1]}))
(result,) = [event for event in table() if isinstance(event, dg.MaterializeResult)]
assert result.value["a"].to_list() == [1]
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
