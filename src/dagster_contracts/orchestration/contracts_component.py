"""`dc.ContractsComponent`: contract checks from YAML, on assets that someone else declares."""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import dagster as dg
from pydantic import Field

from dagster_contracts import errors
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.contract.toml import SUFFIX, parse_contract, refuse
from dagster_contracts.contract.toml_tables import table_contract
from dagster_contracts.orchestration.table_checks import build_contract_checks
from dagster_contracts.sql.dialect_types import read_type

if TYPE_CHECKING:
    from pathlib import Path

    from dagster_contracts.contract.fields import Contract

EXAMPLE_CONTRACT = """\
# What the asset "orders" promises. Every column that is named here must be there.
[rules]
required = ["id"]

[[columns]]
name = "id"
type = "Int64"
nullable = false
description = "The order's number."
"""


class ContractOnAssets(dg.Model, dg.Resolvable):
    """One contract, and the assets that keep it."""

    contract: Annotated[
        str,
        Field(
            description="A contract file, from the folder of defs.yaml, or a dy.Schema or dc.Schema as module:Name.",
            examples=["my_project.contracts:Orders", "contracts/orders.contract.toml"],
        ),
    ]
    assets: Annotated[list[str], Field(description="The assets' keys, such as marts/orders.", min_length=1)]
    severity: Annotated[Literal["ERROR", "WARN"], Field(description="Of every check that fails.")] = "ERROR"
    warnings: Annotated[
        list[str], Field(default_factory=list, description="Rules that report at WARN whatever severity is.")
    ]
    check_granularity: Annotated[
        Literal["rule", "column", "schema"] | None, Field(description="One check a rule, a column or a table.")
    ] = None
    blocking: Annotated[
        bool, Field(description="Whether a column-schema check that fails keeps downstream assets from running.")
    ] = False
    lazy: Annotated[bool, Field(description="Whether the assets are loaded as pl.LazyFrame.")] = True


class ContractsComponentScaffolder(dg.Scaffolder):
    """Writes a contract file and a `defs.yaml` that puts it on an asset."""

    def scaffold(self, request: dg.ScaffoldRequest) -> None:
        """Write both files."""
        folder = request.target_path / "contracts"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"orders{SUFFIX}").write_text(EXAMPLE_CONTRACT)
        dg.scaffold_component(request, {"checks": [{"contract": f"contracts/orders{SUFFIX}", "assets": ["orders"]}]})


@dg.scaffold_with(ContractsComponentScaffolder)
class ContractsComponent(dg.Component, dg.Model, dg.Resolvable):
    """Puts contracts on assets that someone else declares; the stored tables are read, nothing is written."""

    checks: Annotated[list[ContractOnAssets], Field(description="Each contract and the assets that keep it.")]

    @classmethod
    def get_spec(cls) -> dg.ComponentTypeSpec:
        """What `dg list components` says of it."""
        return dg.ComponentTypeSpec(
            description="Contract checks on assets that are declared elsewhere.", produces=["asset_check"]
        )

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """The checks of each contract on each of its assets.

        Raises:
            ContractParseError: A contract file cannot be read.
            NotAContractError: `module:Name` leads to no contract.
        """
        return dg.Definitions(asset_checks=[check for one in self.checks for check in _checks(one, context.path)])


def contract_from_file(path: Path, dialect: str = "duckdb") -> Contract:
    """Read a contract file as a contract on a table.

    Args:
        path: The file; what stands before `.contract.toml` is the contract's name.
        dialect: Whose spellings of types it may use, besides the vocabulary's.

    Raises:
        ContractParseError: There is no such file, it cannot be read, or it promises nothing that a table can keep.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise errors.ContractParseError(f"{path}: the contract cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise errors.ContractParseError(f"{path}:{line}: the file is not UTF-8. Save it as UTF-8.") from error
    file, problems = parse_contract(text, partial(read_type, dialect=dialect))
    refuse(str(path), problems)
    return table_contract(path.name.removesuffix(SUFFIX), file)


def _checks(one: ContractOnAssets, folder: Path) -> list[dg.AssetChecksDefinition]:
    return build_contract_checks(
        _contract(one.contract, folder),
        assets=[dg.AssetKey.from_user_string(key) for key in one.assets],
        severity=dg.AssetCheckSeverity[one.severity],
        warnings=one.warnings,
        check_granularity=one.check_granularity,
        blocking=one.blocking,
        lazy=one.lazy,
    )


def _contract(named: str, folder: Path) -> Contract:
    """The contract that a text names."""
    module, colon, name = named.partition(":")
    if named.endswith(".toml"):
        return contract_from_file(folder / named)
    if not colon or not name:
        raise errors.NotAContractError(
            f"contract: {named!r} is neither a contract file, which ends with .toml, nor a class, as module:Name."
        )
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise errors.NotAContractError(f"contract: {named!r}: {module!r} cannot be imported: {error}") from error
    if not hasattr(found, name):
        raise errors.NotAContractError(
            f"contract: {named!r}: {module!r} has no {name!r}.{did_you_mean(name, vars(found))}"
        )
    return read_contract(getattr(found, name))
