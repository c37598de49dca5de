"""Contract checks from YAML, in a project's defs folder."""

import sys
import textwrap
from pathlib import Path

import dagster as dg
import polars as pl
import pytest
from dagster.components.core.component_tree import ComponentTreeException
from dagster.components.testing.utils import create_defs_folder_sandbox

import dagster_contracts as dc
from dagster_contracts import errors

CONTRACT = """
[rules]
required = ["note"]

[[columns]]
name = "id"
type = "BIGINT"
nullable = false
"""
SCHEMAS = """
import dataframely as dy

class Orders(dy.Schema):
    id = dy.Int64(primary_key=True)
"""


@dg.asset(key=["marts", "orders"], io_manager_key="frames")
def orders() -> pl.DataFrame:
    return pl.DataFrame({"id": [1, None, 1], "note": ["a", "b", "c"]})


def load(attributes: dict, folder: Path | None = None, **files: str) -> dg.Definitions:
    with create_defs_folder_sandbox() as sandbox:
        defs = sandbox.scaffold_component(
            component_cls=dc.ContractsComponent,
            defs_yaml_contents={"type": "dagster_contracts.ContractsComponent", "attributes": attributes},
        )
        for name, text in {"orders.contract.toml": CONTRACT, **files}.items():
            (defs / name).write_text(textwrap.dedent(text))
        with sandbox.load_component_and_build_defs(defs_path=defs) as (_, found):
            return found


def results(defs: dg.Definitions, tmp_path: Path) -> dict[str, tuple[bool, str]]:
    checks = list(defs.asset_checks or [])
    resources = {
        "frames": dc.ParquetIOManager(base_dir=str(tmp_path)),
        "io_manager": dc.ParquetIOManager(base_dir=str(tmp_path)),
    }
    run = dg.materialize([orders, *checks], resources=resources)
    assert run.success
    return {one.check_name: (one.passed, one.severity.value) for one in run.get_asset_check_evaluations()}


ON_FILE = {"checks": [{"contract": "orders.contract.toml", "assets": ["marts/orders"]}]}


class TestAContractFile:
    def test_is_held_against_the_stored_table(self, tmp_path):
        assert results(load(ON_FILE), tmp_path) == {
            "dy_schema__columns": (True, "ERROR"),
            "dy_rule__id__nullability": (False, "ERROR"),
        }

    def test_reports_at_the_severity_that_is_asked_for(self, tmp_path):
        on = {"checks": [{**ON_FILE["checks"][0], "severity": "WARN"}]}
        assert results(load(on), tmp_path)["dy_rule__id__nullability"] == (False, "WARN")

    def test_one_check_a_table(self, tmp_path):
        on = {"checks": [{**ON_FILE["checks"][0], "check_granularity": "schema"}]}
        assert set(results(load(on), tmp_path)) == {"dy_schema__columns", "dy_schema__rules"}


class TestAClass:
    def test_is_named_by_its_module(self, tmp_path, monkeypatch):
        (tmp_path / "shop_contracts.py").write_text(SCHEMAS)
        monkeypatch.syspath_prepend(str(tmp_path))
        on = {
            "checks": [{"contract": "shop_contracts:Orders", "assets": ["marts/orders"], "warnings": ["primary_key"]}]
        }
        try:
            assert results(load(on), tmp_path) == {
                "dy_schema__columns": (True, "ERROR"),
                "dy_rule__id__nullability": (False, "ERROR"),
                "dy_rule__primary_key": (False, "WARN"),
            }
        finally:
            sys.modules.pop("shop_contracts", None)

    @pytest.mark.parametrize(
        ("named", "message"),
        [
            ("no_such_module:Orders", "'no_such_module' cannot be imported"),
            ("polars:DataFram", "'polars' has no 'DataFram'. Did you mean 'DataFrame'?"),
            ("polars:DataFrame", "A contract is"),
            ("orders", "neither a contract file, which ends with .toml, nor a class"),
        ],
    )
    def test_what_is_no_contract_is_refused(self, named, message):
        with pytest.raises(ComponentTreeException) as caught:
            load({"checks": [{"contract": named, "assets": ["orders"]}]})
        assert isinstance(caught.value.__cause__, errors.NotAContractError)
        assert message in str(caught.value.__cause__)


class TestBrokenFiles:
    def refused(self, text: str | bytes, tmp_path: Path) -> str:
        from dagster_contracts.orchestration.contracts_component import contract_from_file

        file = tmp_path / "x.contract.toml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(errors.ContractParseError) as caught:
            contract_from_file(file)
        return str(caught.value)

    def test_a_typo(self, tmp_path):
        assert "x.contract.toml:1:" in self.refused("[rule]\n", tmp_path)

    def test_no_toml(self, tmp_path):
        assert "x.contract.toml:" in self.refused("[rules]\nrequired = [\n", tmp_path)

    def test_no_utf_8(self, tmp_path):
        assert self.refused(b"[rules]\n# \xff\n", tmp_path).endswith(
            "x.contract.toml:2: the file is not UTF-8. Save it as UTF-8."
        )

    def test_no_file(self, tmp_path):
        from dagster_contracts.orchestration.contracts_component import contract_from_file

        with pytest.raises(
            errors.ContractParseError, match=r"gone\.contract\.toml: the contract cannot be read: No such"
        ):
            contract_from_file(tmp_path / "gone.contract.toml")


def test_an_unknown_attribute_is_refused():
    with pytest.raises(ComponentTreeException) as caught:
        load({"checks": [{"contract": "orders.contract.toml", "asets": ["orders"]}]})
    assert "asets" in str(caught.value.__cause__)


def test_what_the_scaffolder_writes_loads(tmp_path):
    with create_defs_folder_sandbox() as sandbox:
        folder = sandbox.scaffold_component(component_cls=dc.ContractsComponent)
        with sandbox.load_component_and_build_defs(defs_path=folder) as (_, defs):
            keys = {
                f"{key.asset_key.to_user_string()}:{key.name}"
                for check in defs.asset_checks or []
                for key in check.check_keys
            }
    assert keys == {"orders:dy_schema__columns", "orders:dy_rule__id__nullability"}
