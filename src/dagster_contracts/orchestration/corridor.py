"""The way of the data: returned value → column-schema check → split → outcome → writes and events.

Everything before the events is a function from data to data. `validate_and_report` is the one place that writes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import dagster as dg
import polars as pl
import polars.selectors as cs

from dagster_contracts import errors
from dagster_contracts.frames.column_schema import ColumnSchemaReport, compare_columns
from dagster_contracts.frames.split import Split, SplitOptions, split
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.checks import (
    columns_result,
    min_rows_result,
    rule_results,
)
from dagster_contracts.orchestration.failures import raise_as_failure
from dagster_contracts.orchestration.materialization import address_value, materialization_metadata
from dagster_contracts.orchestration.outcome import CONSEQUENCES, Outcome, decide
from dagster_contracts.orchestration.quarantine import (
    ADDRESS,
    ClearableWriter,
    QuarantineWriter,
    quarantine_marker,
)
from dagster_contracts.orchestration.quarantine_writers import FileWriter, IOManagerWriter
from dagster_contracts.orchestration.range_runs import range_error, rows_by_partition
from dagster_contracts.orchestration.returned import unwrap
from dagster_contracts.orchestration.run_errors import column_schema_error, run_error
from dagster_contracts.orchestration.storage.halves import may_be_plans
from dagster_contracts.orchestration.storage.lazy import as_taken, staging_area

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dagster_contracts.orchestration.declaration import Declaration
    from dagster_contracts.orchestration.settings import Settings

AssetYield: TypeAlias = Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]
"""What a contract asset's compute function yields."""


def validate_and_report(
    declaration: Declaration,
    returned: pl.DataFrame | pl.LazyFrame | dg.MaterializeResult[Any] | None,
    *,
    settings: Settings,
    writer: QuarantineWriter | None,
) -> AssetYield:
    """Hold what a function returned against its contract, write the halves, and yield the run's events.

    Args:
        declaration: The asset.
        returned: A frame, a result that carries one, or `None` for a run without data.
        settings: How much to report.
        writer: Writes the invalid rows; without one, any invalid row fails the run.

    Raises:
        DataError: The outcome fails the run; every check that was evaluated has been yielded before.
        UsageError: What was returned cannot be held against a contract.
    """
    frame, result = unwrap(declaration.name, returned)
    if frame is None:
        yield from _skip(declaration, settings)
        return
    report = compare_columns(declaration.contract, _schema(declaration, frame), declaration.on_extra_columns)
    if report.mismatches:
        if declaration.contract.fields:
            yield columns_result(report, declaration.asset)
        raise_as_failure(column_schema_error(declaration, report))
    if report.dropped:
        _log(f"{declaration.name}: dropped {len(report.dropped)} undeclared columns: {', '.join(report.dropped)}")
    with staging_area(frame, declaration.asset, settings) as folder:
        kept = frame.select(cs.by_name(*report.kept))
        found = _split(declaration, kept, settings, folder, halves_as_plans=may_be_plans(declaration.asset))
        yield from _report(declaration, found, report, result, settings=settings, writer=writer)


def check_frame(
    declaration: Declaration, frame: pl.DataFrame | pl.LazyFrame, *, settings: Settings, severity: dg.AssetCheckSeverity
) -> Iterator[dg.AssetCheckResult]:
    """Hold a frame that is stored already against a contract: every check's result, nothing written.

    Raises:
        ColumnSchemaError: The frame's columns break the contract; the column-schema check has been yielded before.
    """
    report = compare_columns(declaration.contract, _schema(declaration, frame), declaration.on_extra_columns)
    if declaration.contract.fields:
        yield columns_result(report, declaration.asset)
    if report.mismatches:
        raise_as_failure(column_schema_error(declaration, report))
    found = _split(declaration, frame.select(cs.by_name(*report.kept)), settings, None, halves_as_plans=True)
    yield from rule_results(
        found,
        declaration.groups,
        asset=declaration.asset,
        severity=severity,
        max_failure_samples=settings.max_failure_samples,
    )


def _report(
    declaration: Declaration,
    found: Split,
    report: ColumnSchemaReport,
    result: dg.MaterializeResult[Any],
    *,
    settings: Settings,
    writer: QuarantineWriter | None,
) -> AssetYield:
    outcome = decide(
        valid_count=found.valid_count, invalid_count=found.invalid_count, has_quarantine=writer is not None
    )
    error = run_error(declaration, found, outcome) or range_error(declaration, found)
    clears = outcome is Outcome.ALL_VALID and isinstance(writer, ClearableWriter) and writer.left_over()
    # A clean run that keeps what an earlier one left must not say that nothing is there.
    keeps = isinstance(writer, (IOManagerWriter, FileWriter)) and writer.on_clean_run == "keep"
    tells = writer is not None and (found.invalid_count > 0 or not keeps)
    marker = quarantine_marker(declaration.asset, found.invalid_count) if tells else {}
    if error is not None and found.invalid_count and isinstance(writer, (IOManagerWriter, FileWriter)):
        marker[ADDRESS] = address_value(writer.destination)
    columns = [columns_result(report, declaration.asset, marker)] if declaration.contract.fields else []
    # Rows that come are announced before they do, rows that go only once they are gone: whenever this run is killed,
    # the next one knows of what is left.
    if not clears:
        yield from columns
    address = _quarantine(writer, found) if writer is not None and (found.invalid_count or clears) else None
    if clears:
        yield from columns
    rows_at = address if found.invalid_count else None
    if error is None:
        yield _materialization(declaration, found, report, result, settings=settings, address=rows_at)
    where = {ADDRESS: address_value(rows_at)} if error is not None and rows_at is not None else {}
    yield from _checks(declaration, found, outcome, settings=settings, failed=error is not None, where=where)
    if error is not None:
        raise_as_failure(type(error)(f"{error} They are in {address}.") if where else error)


def _quarantine(writer: QuarantineWriter, found: Split) -> str:
    """Write the invalid rows. Our own writers take a scan of them; anyone else's gets the frame it was promised."""
    if isinstance(writer, (IOManagerWriter, FileWriter)):
        return writer(found.invalid)
    return writer(found.invalid.lazy().collect())


def _checks(
    declaration: Declaration,
    found: Split,
    outcome: Outcome,
    *,
    settings: Settings,
    failed: bool,
    where: Mapping[str, Any],
) -> Iterator[dg.AssetCheckResult]:
    severity = "ERROR" if failed else CONSEQUENCES[outcome].failing_checks or "ERROR"
    yield from rule_results(
        found,
        declaration.groups,
        asset=declaration.asset,
        severity=dg.AssetCheckSeverity[severity],
        max_failure_samples=settings.max_failure_samples,
        fate="nothing was published" if failed else "quarantined",
        metadata=where,
    )
    if declaration.policy.min_rows is not None:
        yield min_rows_result(declaration.policy, found.valid_count, declaration.asset, where)


def _skip(declaration: Declaration, settings: Settings) -> Iterator[dg.AssetCheckResult]:
    """A run without data: every rule is evaluated, over no rows."""
    if declaration.contract.fields:
        yield columns_result(None, declaration.asset)
    nothing = split(declaration.contract, declaration.contract.empty_frame(), SplitOptions(statistics=False))
    yield from rule_results(
        nothing,
        declaration.groups,
        asset=declaration.asset,
        severity=dg.AssetCheckSeverity.ERROR,
        max_failure_samples=settings.max_failure_samples,
    )
    if declaration.policy.min_rows is not None:
        yield min_rows_result(declaration.policy, None, declaration.asset)


def _materialization(
    declaration: Declaration,
    found: Split,
    report: ColumnSchemaReport,
    result: dg.MaterializeResult[Any],
    *,
    settings: Settings,
    address: str | None,
) -> dg.MaterializeResult[Any]:
    ours = materialization_metadata(found, settings, partitioned=declaration.partitioned, address=address)
    if report.dropped:
        ours["contract/dropped_columns"] = len(report.dropped)
    # An IO manager's metadata wins over a result's; what is added to the asset wins over both.
    manager = None
    context = internals.current_context()
    if isinstance(context, dg.AssetExecutionContext) and declaration.asset in context.assets_def.keys:
        context.add_asset_metadata(ours, asset_key=declaration.asset)
        for partition, rows in rows_by_partition(declaration, found).items():
            context.add_asset_metadata(
                {"dagster/partition_row_count": rows}, asset_key=declaration.asset, partition_key=partition
            )
        manager = internals.bound_io_manager(context, declaration.asset)
    return dg.MaterializeResult(
        asset_key=declaration.asset,
        value=as_taken(found.valid, manager),
        metadata={**_own(result.metadata), **ours},
        data_version=result.data_version,
        tags=result.tags,
    )


def _own(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """What an author attached, without the names that are the package's to give."""
    return {
        name: value for name, value in (metadata or {}).items() if not name.startswith(("dataframely/", "contract/"))
    }


def _schema(declaration: Declaration, frame: pl.DataFrame | pl.LazyFrame) -> pl.Schema:
    try:
        return frame.collect_schema()
    except pl.exceptions.PolarsError as error:
        error.add_note(f"Raised by the plan of the LazyFrame that {declaration.name} returned.")
        raise


def _split(
    declaration: Declaration,
    frame: pl.DataFrame | pl.LazyFrame,
    settings: Settings,
    folder: Path | None,
    *,
    halves_as_plans: bool,
) -> Split:
    try:
        options = SplitOptions(
            settings.statistics, settings.max_failure_samples, settings.memory_budget, halves_as_plans=halves_as_plans
        )
        return split(declaration.contract, frame, options, into=folder)
    except errors.UsageError as error:
        raise_as_failure(type(error)(f"{declaration.name}: {error}"))
    except pl.exceptions.PolarsError as error:
        error.add_note(f"Raised by the plan of the LazyFrame that {declaration.name} returned.")
        raise


def _log(message: str) -> None:
    context = internals.current_context()
    if context is not None:
        context.log.warning(message)
    else:
        logging.getLogger("dagster_contracts").warning(message)
