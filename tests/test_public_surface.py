"""The names that users may rely on, held in a test so that none moves quietly."""

import inspect
import types
from datetime import timedelta

import dagster as dg
import pytest

import dagster_contracts as dc

ROOT = [
    "ContractRules",
    "ContractsComponent",
    "FieldSpec",
    "Float32",
    "Float64",
    "Int128",
    "Int16",
    "Int32",
    "Int64",
    "Int8",
    "MaterializationStrategy",
    "ParquetIOManager",
    "Quarantine",
    "Schema",
    "SqlProjectComponent",
    "UInt16",
    "UInt32",
    "UInt64",
    "UInt8",
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
WIRING = [
    "AssetYield",
    "ClearableWriter",
    "QuarantineWriter",
    "check_name",
    "check_results",
    "check_specs",
    "delegating_writer",
    "file_writer",
    "quarantine_frame",
    "quarantine_path",
    "schema_metadata",
    "table_schema",
    "validate_quarantine_key",
    "validation_results",
]
TESTING = ["AssetRun", "run_asset"]
ERRORS = [
    "AnnotationError",
    "AssetError",
    "CheckNameCollisionError",
    "CollectionNotSupportedError",
    "ColumnSchemaError",
    "ContractParseError",
    "ContractViolationError",
    "ContractsError",
    "DataError",
    "GranularityMismatchError",
    "InvalidSettingError",
    "MaterializeResultFieldError",
    "MaterializeResultValueError",
    "NoValidRowsError",
    "NotAContractError",
    "QuarantineDirError",
    "QuarantineKeyCollisionError",
    "QuarantineStorageError",
    "ReservedColumnError",
    "ReturnTypeError",
    "RuleError",
    "SchemaDefinitionError",
    "SchemaError",
    "SqlModelError",
    "StorageError",
    "TooFewRowsError",
    "TooManyInvalidRowsError",
    "UnknownRuleError",
    "UnknownTypeError",
    "UsageError",
    "ValidationAbortError",
]

# Parameters of dg.asset that dc.asset leaves out, and why.
LEFT_OUT = {
    "compute_fn": "dc.asset always takes a contract first",
    "check_specs": "the contract declares the checks; a result's check_results are refused",
    "dagster_type": "what is returned decides, not a declared type",
    "output_required": "an outcome may write nothing",
    "is_virtual": "a virtual asset has no rows to hold against a contract",
    "kwargs": "deprecated spellings",
}
OWN = {
    "contract",
    "quarantine",
    "check_granularity",
    "schema_rules",
    "statistics",
    "row_sample",
    "max_failure_samples",
    "temp_dir",
    "memory_budget",
    "min_rows",
    "max_invalid",
    "on_extra_columns",
    "on_schema_change",
    "materialization_strategy",
    "normalizer",
    "dry_run",
}


def test_the_root_exports_these_names_and_no_other():
    assert sorted(dc.__all__) == ROOT
    assert [name for name in ROOT if getattr(dc, name, None) is None] == []
    assert set(ROOT) <= set(dir(dc))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'assset'"):
        _ = dc.assset


def test_wiring_and_testing_export_these_names_and_no_other():
    assert sorted(dc.wiring.__all__) == WIRING
    assert sorted(dc.testing.__all__) == TESTING


def test_the_errors_are_these_and_no_other():
    assert sorted(name for name, value in vars(dc.errors).items() if inspect.isclass(value)) == ERRORS


@pytest.mark.parametrize("name", [name for name in ROOT if name not in {"errors", "sql", "testing", "wiring"}])
def test_every_public_name_is_documented(name: str):
    assert inspect.getdoc(getattr(dc, name))


@pytest.mark.parametrize("module", [dc.errors, dc.testing, dc.wiring], ids=lambda module: module.__name__)
def test_every_public_module_and_name_is_documented(module: types.ModuleType):
    assert module.__doc__
    for name in getattr(module, "__all__", ERRORS):
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name


def test_every_parameter_of_dagsters_asset_is_taken_or_left_out_by_name():
    theirs = set(inspect.signature(dg.asset).parameters)
    ours = set(inspect.signature(dc.asset).parameters)
    assert theirs - ours == set(LEFT_OUT)
    assert ours - theirs == OWN


@pytest.mark.filterwarnings(
    "ignore:Parameter `(resource_defs|io_manager_def|backfill_policy)`"
)  # Dagster calls them beta
def test_every_shared_parameter_reaches_dagster():
    """One value for each parameter that dg.asset knows, found again on the definition."""
    shared = set(inspect.signature(dg.asset).parameters) & set(inspect.signature(dc.asset).parameters)
    partitions = dg.StaticPartitionsDefinition(["a", "b"])
    condition = dg.AutomationCondition.eager()
    freshness = dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=1))
    retry = dg.RetryPolicy(max_retries=3)
    backfill = dg.BackfillPolicy.single_run()

    @dg.success_hook
    def hook(context) -> None: ...

    values = {
        "name": "orders",
        "key_prefix": ["shop"],
        "ins": {"source": dg.AssetIn("raw")},
        "deps": ["other"],
        "metadata": {"team": "a"},
        "tags": {"tier": "gold"},
        "description": "Orders.",
        "config_schema": {"limit": int},
        "required_resource_keys": {"api"},
        "resource_defs": {"extra": dg.ResourceDefinition.hardcoded_resource(1)},
        "hooks": {hook},
        "io_manager_key": "warehouse",
        "partitions_def": partitions,
        "op_tags": {"cpu": "2"},
        "group_name": "sales",
        "automation_condition": condition,
        "freshness_policy": freshness,
        "backfill_policy": backfill,
        "retry_policy": retry,
        "code_version": "7",
        "owners": ["team:data"],
        "kinds": {"csv"},
        "pool": "db",
    }
    assert shared - set(values) == {"key", "io_manager_def"}  # each excludes another one; tested below

    @dc.asset(None, **values)
    def anything(source): ...

    spec = anything.get_asset_spec()
    assert anything.key == dg.AssetKey(["shop", "orders"])
    assert {dep.asset_key.to_user_string() for dep in spec.deps} == {"raw", "other"}
    assert spec.metadata["team"] == "a"
    assert spec.tags["tier"] == "gold"
    assert spec.description == "Orders."
    assert anything.op.config_schema.as_field().config_type.fields.keys() == {"limit"}
    assert {"api", "extra", "warehouse"} <= anything.required_resource_keys | {"extra"}
    assert "extra" in anything.resource_defs
    assert anything.hook_defs == {hook}
    assert anything.partitions_def == partitions
    assert anything.op.tags["cpu"] == "2"
    assert spec.group_name == "sales"
    assert spec.automation_condition == condition
    assert spec.freshness_policy == freshness
    assert anything.backfill_policy == backfill
    assert anything.op.retry_policy == retry
    assert spec.code_version == "7"
    assert list(spec.owners) == ["team:data"]
    assert spec.kinds == {"csv", "polars"}
    assert anything.op.pool == "db"


@pytest.mark.filterwarnings(
    "ignore:Parameter `(resource_defs|io_manager_def|backfill_policy)`"
)  # Dagster calls them beta
def test_a_whole_key_and_an_io_manager_of_its_own_reach_dagster():
    @dc.asset(None, key=["shop", "orders"], io_manager_def=dg.mem_io_manager)
    def anything(): ...

    assert anything.key == dg.AssetKey(["shop", "orders"])
    assert "shop__orders__io_manager" in anything.resource_defs
