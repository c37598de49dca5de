"""Declare once what a table promises, and Dagster holds every run to it.

The public names are loaded when they are first used: importing the package imports neither Dagster nor Polars.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dagster_contracts import errors, sql, testing
    from dagster_contracts.contract.fields import FieldSpec
    from dagster_contracts.contract.schema.exact import (
        Float32,
        Float64,
        Int8,
        Int16,
        Int32,
        Int64,
        Int128,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
    )
    from dagster_contracts.contract.schema.options import field
    from dagster_contracts.contract.schema.rules import rule
    from dagster_contracts.frames.validate import validate
    from dagster_contracts.orchestration import wiring
    from dagster_contracts.orchestration.asset import asset, warn
    from dagster_contracts.orchestration.asset_defaults import asset_defaults
    from dagster_contracts.orchestration.contracts_component import ContractsComponent
    from dagster_contracts.orchestration.dry_run.check import check_definitions
    from dagster_contracts.orchestration.effective_schema import effective_schema
    from dagster_contracts.orchestration.quarantine import Quarantine
    from dagster_contracts.orchestration.quarantine_spec import build_quarantine_spec
    from dagster_contracts.orchestration.sql_checks import (
        contract_check_results_from_diagnostics,
        contract_check_specs_for_model,
    )
    from dagster_contracts.orchestration.sql_project.component import SqlProjectComponent
    from dagster_contracts.orchestration.storage.parquet import ParquetIOManager
    from dagster_contracts.orchestration.table_checks import build_collection_checks, build_contract_checks
    from dagster_contracts.rows.schema import Schema, schema
    from dagster_contracts.rows.strategy import MaterializationStrategy
    from dagster_contracts.sql.contract_rules import ContractRules, discover_contract_rules

__all__ = [
    "ContractRules",
    "ContractsComponent",
    "FieldSpec",
    "Float32",
    "Float64",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Int128",
    "MaterializationStrategy",
    "ParquetIOManager",
    "Quarantine",
    "Schema",
    "SqlProjectComponent",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "asset",
    "asset_defaults",
    "build_collection_checks",
    "build_contract_checks",
    "build_quarantine_spec",
    "check_definitions",
    "contract_check_results_from_diagnostics",
    "contract_check_specs_for_model",
    "discover_contract_rules",
    "effective_schema",
    "errors",
    "field",
    "rule",
    "schema",
    "sql",
    "testing",
    "validate",
    "warn",
    "wiring",
]

_HOMES = {
    "ContractRules": "sql.contract_rules",
    "ContractsComponent": "orchestration.contracts_component",
    "SqlProjectComponent": "orchestration.sql_project.component",
    "FieldSpec": "contract.fields",
    "Float32": "contract.schema.exact",
    "Float64": "contract.schema.exact",
    "Int128": "contract.schema.exact",
    "Int16": "contract.schema.exact",
    "Int32": "contract.schema.exact",
    "Int64": "contract.schema.exact",
    "Int8": "contract.schema.exact",
    "MaterializationStrategy": "rows.strategy",
    "ParquetIOManager": "orchestration.storage.parquet",
    "Quarantine": "orchestration.quarantine",
    "Schema": "rows.schema",
    "UInt16": "contract.schema.exact",
    "UInt32": "contract.schema.exact",
    "UInt64": "contract.schema.exact",
    "UInt8": "contract.schema.exact",
    "asset": "orchestration.asset",
    "asset_defaults": "orchestration.asset_defaults",
    "build_collection_checks": "orchestration.table_checks",
    "build_contract_checks": "orchestration.table_checks",
    "build_quarantine_spec": "orchestration.quarantine_spec",
    "check_definitions": "orchestration.dry_run.check",
    "contract_check_results_from_diagnostics": "orchestration.sql_checks",
    "contract_check_specs_for_model": "orchestration.sql_checks",
    "discover_contract_rules": "sql.contract_rules",
    "effective_schema": "orchestration.effective_schema",
    "field": "contract.schema.options",
    "rule": "contract.schema.rules",
    "schema": "rows.schema",
    "validate": "frames.validate",
    "warn": "orchestration.asset",
}
_MODULES = {"errors": "errors", "sql": "sql", "testing": "testing", "wiring": "orchestration.wiring"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: object = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    elif name in _HOMES:
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
