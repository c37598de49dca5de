"""The parts that `dc.asset` is made of, for assets that are declared some other way.

Pass the same `check_granularity`, `schema_rules` and `min_rows` to the specs and to the results, or to neither: they
decide the names of the checks, and Dagster matches a result to its spec by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dagster as dg

from dagster_contracts.contract.names import check_name
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.errors import GranularityMismatchError
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.checks import build_check_specs, group_rules
from dagster_contracts.orchestration.corridor import AssetYield, check_frame, validate_and_report
from dagster_contracts.orchestration.declaration import Declaration, extra_columns
from dagster_contracts.orchestration.failures import as_failures, raise_as_failure
from dagster_contracts.orchestration.outcome import Policy
from dagster_contracts.orchestration.quarantine import (
    ClearableWriter,
    QuarantineWriter,
    quarantine_frame,
    quarantine_path,
    validate_quarantine_key,
)
from dagster_contracts.orchestration.quarantine_writers import delegating_writer, file_writer
from dagster_contracts.orchestration.row_contracts import is_row_contract
from dagster_contracts.orchestration.settings import SettingArguments, resolve_settings
from dagster_contracts.orchestration.tables import declared_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    import polars as pl

    from dagster_contracts.contract.reading import ContractLike
    from dagster_contracts.frames.column_schema import ExtraColumns
    from dagster_contracts.orchestration.settings import CheckGranularity, SchemaRules
    from dagster_contracts.rows.strategy import MaterializationStrategy

__all__ = [
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


def schema_metadata(contract: ContractLike) -> dict[str, dg.TableSchema]:
    """The definition metadata that fills an asset's Columns tab, as a mapping to merge with other metadata."""
    return {"dagster/column_schema": table_schema(contract)}


def table_schema(contract: ContractLike) -> dg.TableSchema:
    """A contract as the Columns tab shows it: dtypes, descriptions, constraints, tags, the primary key."""
    return declared_columns(read_contract(contract))


def check_specs(
    contract: ContractLike,
    *,
    asset: dg.CoercibleToAssetKey,
    check_granularity: CheckGranularity | None = None,
    schema_rules: SchemaRules | None = None,
    min_rows: int | None = None,
    arrival: bool = True,
    partitions_def: dg.PartitionsDefinition[str] | None = None,
) -> list[dg.AssetCheckSpec]:
    """The spec of every check of a contract, the column-schema check first.

    Args:
        contract: The contract.
        asset: The key of the asset that the checks are on.
        check_granularity: As for `dc.asset`.
        schema_rules: As for `dc.asset`.
        min_rows: As for `dc.asset`; adds a check.
        arrival: Whether a contract on rows has its two checks of what arrives, which `validation_results` reports and
            `check_results` cannot.
        partitions_def: The asset's partitions.
    """
    known = read_contract(contract)
    settings = resolve_settings(SettingArguments(check_granularity=check_granularity, schema_rules=schema_rules))
    groups = group_rules(known, settings.check_granularity, settings.schema_rules)
    key = dg.AssetKey.from_coercible(asset)
    return build_check_specs(
        known,
        groups,
        asset=key,
        policy=Policy(min_rows=min_rows),
        takes_rows=arrival and is_row_contract(contract),
        partitions_def=partitions_def,
    )


def check_results(
    contract: ContractLike,
    frame: pl.DataFrame | pl.LazyFrame,
    *,
    asset_key: dg.CoercibleToAssetKey,
    severity: dg.AssetCheckSeverity,
    warnings: Collection[str] = (),
    check_granularity: CheckGranularity | None = None,
    schema_rules: SchemaRules | None = None,
    max_failure_samples: int | None = None,
    temp_dir: str | Path | None = None,
    memory_budget: int | None = None,
    on_extra_columns: ExtraColumns = "drop",
) -> Iterator[dg.AssetCheckResult]:
    """Hold a frame that is stored already against a contract, and write nothing.

    Args:
        contract: The contract.
        frame: The stored rows.
        asset_key: The asset that the checks are on.
        severity: Of every failing check.
        warnings: Rules that report at WARN whatever `severity` is.
        check_granularity: As for `check_specs`.
        schema_rules: As for `check_specs`.
        max_failure_samples: As for `dc.asset`.
        temp_dir: As for `dc.asset`.
        memory_budget: As for `dc.asset`.
        on_extra_columns: As for `dc.asset`.

    Yields:
        One result a check, of those that the run selected.

    Raises:
        ColumnSchemaError: The frame's columns break the contract; the column-schema check has been yielded before.
        GranularityMismatchError: The step declares other checks than these.
    """
    arguments = SettingArguments(
        check_granularity=check_granularity,
        schema_rules=schema_rules,
        statistics=False,
        max_failure_samples=max_failure_samples,
        temp_dir=temp_dir,
        memory_budget=memory_budget,
    )
    with as_failures():
        settings = resolve_settings(arguments)
        declaration = Declaration.of(
            read_contract(contract, warnings=warnings),
            dg.AssetKey.from_coercible(asset_key),
            settings,
            on_extra_columns=on_extra_columns,
        )
    refuse_other_checks(declaration)
    selected = internals.declared_check_names(declaration.asset)
    for result in check_frame(declaration, frame, settings=settings, severity=severity):
        if selected is None or result.check_name in selected:
            yield result


def validation_results(
    contract: ContractLike,
    frame: Any,
    *,
    valid_key: dg.CoercibleToAssetKey,
    quarantine_writer: QuarantineWriter | None = None,
    warnings: Collection[str] = (),
    check_granularity: CheckGranularity | None = None,
    schema_rules: SchemaRules | None = None,
    statistics: bool | None = None,
    row_sample: int | None = None,
    max_failure_samples: int | None = None,
    temp_dir: str | Path | None = None,
    memory_budget: int | None = None,
    min_rows: int | None = None,
    max_invalid: float | None = None,
    on_extra_columns: ExtraColumns | None = None,
    on_schema_change: ExtraColumns | None = None,
    materialization_strategy: MaterializationStrategy | str | None = None,
) -> AssetYield:
    """Validate what an asset's function made, write the quarantine, and yield the run's events, as `dc.asset` does.

    The asset needs `check_specs`, `output_required=False`, and `yield from` in its body.

    Args:
        contract: The contract.
        frame: A frame, a table or rows, a result that carries them, or `None` for a run without data.
        valid_key: The asset's key.
        quarantine_writer: Writes the invalid rows and returns their address; without one any invalid row fails the run.
        warnings: Rules that only warn.
        check_granularity: As for `check_specs`.
        schema_rules: As for `check_specs`.
        statistics: As for `dc.asset`.
        row_sample: As for `dc.asset`.
        max_failure_samples: As for `dc.asset`.
        temp_dir: As for `dc.asset`.
        memory_budget: As for `dc.asset`.
        min_rows: As for `dc.asset`.
        max_invalid: As for `dc.asset`.
        on_extra_columns: As for `dc.asset`.
        on_schema_change: As for `dc.asset`.
        materialization_strategy: As for `dc.asset`.

    Yields:
        The materialization if the table is written, and one result a check.

    Raises:
        DataError: The outcome fails the run.
        GranularityMismatchError: The step declares other checks than these.
    """
    context, key = internals.current_context(), dg.AssetKey.from_coercible(valid_key)
    with as_failures():
        settings = resolve_settings(
            SettingArguments(
                check_granularity,
                schema_rules,
                statistics,
                max_failure_samples,
                row_sample,
                temp_dir,
                memory_budget,
                materialization_strategy,
            )
        )
        declaration = Declaration.of(
            read_contract(contract, warnings=warnings),
            key,
            settings,
            policy=Policy(min_rows=min_rows, max_invalid=max_invalid),
            on_extra_columns=extra_columns(on_extra_columns, on_schema_change),
            source=contract,
            partitioned=isinstance(context, dg.AssetExecutionContext)
            and bool(internals.written_partitions(context, key)),
        )
    refuse_other_checks(declaration)
    yield from validate_and_report(declaration, frame, settings=settings, writer=quarantine_writer)


def refuse_other_checks(declaration: Declaration) -> None:
    """Refuse to report checks in a step that declares others.

    Raises:
        GranularityMismatchError: The names differ, for example because specs and results were given other settings.
    """
    declared = internals.declared_check_names(declaration.asset, selected=False)
    if declared is None:
        return
    specs = build_check_specs(
        declaration.contract,
        declaration.groups,
        asset=declaration.asset,
        policy=declaration.policy,
        takes_rows=declaration.takes_rows,
    )
    reported = {spec.name for spec in specs}
    foreign = {name for name in declared if not name.startswith(("dy_", "contract__"))}
    if reported != declared - foreign:
        missing, unknown = sorted(declared - foreign - reported), sorted(reported - declared)
        raise_as_failure(
            GranularityMismatchError(
                f"{declaration.name}: the step declares other checks than it would report"
                f"{f'; declared but not reported: {_some(missing)}' if missing else ''}"
                f"{f'; reported but not declared: {_some(unknown)}' if unknown else ''}. Pass the same contract, "
                "check_granularity, schema_rules and, for assets, min_rows to check_specs and to the results. Nothing "
                "was written."
            )
        )


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")  # noqa: PLR2004
