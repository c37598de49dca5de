"""The way of the data: returned value → conform → column-schema check → split → outcome → writes and events.

Everything before the events is a function from data to data. `validate_and_report` is the one place that writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import dagster as dg
import polars as pl
import polars.selectors as cs

from dagster_contracts import errors
from dagster_contracts.frames.column_schema import ColumnSchemaReport, compare_columns
from dagster_contracts.frames.split import Split, SplitOptions, split
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.checks import columns_result, listed, rule_results
from dagster_contracts.orchestration.conform import Conformer
from dagster_contracts.orchestration.effective_schema import published
from dagster_contracts.orchestration.failures import as_failures, raise_as_failure
from dagster_contracts.orchestration.logs import progress_in_log, warn_in_log
from dagster_contracts.orchestration.materialization import address_value, materialization_metadata
from dagster_contracts.orchestration.outcome import Outcome, decide
from dagster_contracts.orchestration.quarantine import (
    ADDRESS,
    ClearableWriter,
    QuarantineWriter,
    quarantine_marker,
)
from dagster_contracts.orchestration.quarantine_writers import FileWriter, IOManagerWriter
from dagster_contracts.orchestration.range_runs import range_error, rows_by_partition
from dagster_contracts.orchestration.refused_rows import NUMBER, can_be_numbered, with_refused
from dagster_contracts.orchestration.returned import unwrap
from dagster_contracts.orchestration.run_checks import (
    columns_of_run,
    report_columns,
    results_of_rows,
    schema_change_results,
    skipped_results,
)
from dagster_contracts.orchestration.run_errors import column_schema_error, run_error
from dagster_contracts.orchestration.schema_change import ARRIVED
from dagster_contracts.orchestration.storage.halves import may_be_plans
from dagster_contracts.orchestration.storage.lazy import as_taken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dagster_contracts.orchestration.arrived import Arrived
    from dagster_contracts.orchestration.declaration import Declaration
    from dagster_contracts.orchestration.settings import Settings

AssetYield: TypeAlias = Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]
"""What a contract asset's compute function yields."""


def validate_and_report(
    declaration: Declaration, returned: object, *, settings: Settings, writer: QuarantineWriter | None
) -> AssetYield:
    """Hold what a function returned against its contract, write the halves, and yield the run's events.

    Args:
        declaration: The asset.
        returned: A frame, a table, rows, a result that carries one of them, or `None` for a run without data; or a
            `Conformer` that has taken everything already.
        settings: How much to report.
        writer: Writes the invalid rows; without one, any invalid row fails the run.

    Raises:
        DataError: The outcome fails the run; every check that was evaluated has been yielded before.
        UsageError: What was returned cannot be held against a contract.
    """
    if isinstance(returned, Conformer):
        with as_failures():
            arrived = returned.arrived()
        yield from _report_arrived(
            declaration, arrived, returned, dg.MaterializeResult(), settings=settings, writer=writer
        )
        return
    value, result = unwrap(declaration.name, returned)
    if value is not None:
        value = declaration.normalized(value)
    if value is None:
        yield from skipped_results(declaration, settings)
        return
    with Conformer(declaration, settings) as conformer:
        with as_failures():
            if declaration.contract.fields:
                conformer.take_returned(value, in_result=result.value is value)
                arrived = conformer.arrived()
            else:
                from dagster_contracts.orchestration.inferred import inferred  # noqa: PLC0415  (heavy, and seldom needed)

                arrived = inferred(declaration, value)
        yield from _report_arrived(declaration, arrived, conformer, result, settings=settings, writer=writer)


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


def _report_arrived(
    declaration: Declaration,
    arrived: Arrived,
    conformer: Conformer,
    result: dg.MaterializeResult[Any],
    *,
    settings: Settings,
    writer: QuarantineWriter | None,
) -> AssetYield:
    with published(declaration.asset, arrived.effective):
        if arrived.frame is None:
            yield _result(declaration, result, arrived.other, {})
            return
        report = report_columns(declaration, arrived, _schema(declaration, arrived.frame))
        if report.mismatches:
            if declaration.contract.fields:
                yield columns_result(report, declaration.asset)
            raise_as_failure(column_schema_error(declaration, report))
        if report.dropped:
            warn_in_log(
                f"{declaration.name}: dropped {len(report.dropped)} undeclared columns: {listed(report.dropped)}"
            )
        numbered = arrived.refused is not None and arrived.refused.count and can_be_numbered(declaration.contract)
        columns = [*report.kept, *([NUMBER] if numbered else [])]
        folder = conformer.folder() if isinstance(arrived.frame, pl.LazyFrame) else None
        kept = arrived.frame.select(cs.by_name(*columns))
        found = _split(declaration, kept, settings, folder, halves_as_plans=may_be_plans(declaration.asset))
        yield from _report(declaration, found, report, arrived, result, settings=settings, writer=writer)


def _report(
    declaration: Declaration,
    found: Split,
    report: ColumnSchemaReport,
    arrived: Arrived,
    result: dg.MaterializeResult[Any],
    *,
    settings: Settings,
    writer: QuarantineWriter | None,
) -> AssetYield:
    total = found if arrived.refused is None else with_refused(found, arrived.refused)
    outcome = decide(
        valid_count=total.valid_count, invalid_count=total.invalid_count, has_quarantine=writer is not None
    )
    error = run_error(declaration, total, outcome, arrived.refused) or range_error(declaration, total)
    clears = outcome is Outcome.ALL_VALID and isinstance(writer, ClearableWriter) and writer.left_over()
    # A clean run that keeps what an earlier one left must not say that nothing is there.
    keeps = isinstance(writer, (IOManagerWriter, FileWriter)) and writer.on_clean_run == "keep"
    tells = writer is not None and (total.invalid_count > 0 or not keeps)
    marker = quarantine_marker(declaration.asset, total.invalid_count) if tells else {}
    if error is not None and total.invalid_count and isinstance(writer, (IOManagerWriter, FileWriter)):
        marker[ADDRESS] = address_value(writer.destination)
    columns = list(columns_of_run(declaration, report, arrived.refused, failed=error is not None, metadata=marker))
    # Rows that come are announced before they do, rows that go only once they are gone: whenever this run is killed,
    # the next one knows of what is left.
    if not clears:
        yield from columns
    address = _quarantine(writer, total) if writer is not None and (total.invalid_count or clears) else None
    if clears:
        yield from columns
    rows_at = address if total.invalid_count else None
    # What arrived is compared with the last materialization, so before there is another one.
    where = {ADDRESS: address_value(rows_at)} if error is not None and rows_at is not None else {}
    changed = list(schema_change_results(declaration, arrived))
    if error is None:
        yield _materialization(declaration, total, report, arrived, result, settings=settings, address=rows_at)
    yield from results_of_rows(
        declaration, found, total, outcome, settings=settings, failed=error is not None, where=where
    )
    yield from changed
    if error is not None:
        raise_as_failure(type(error)(f"{error} They are in {address}.") if where else error)


def _quarantine(writer: QuarantineWriter, found: Split) -> str:
    """Write the invalid rows. Our own writers take a scan of them; anyone else's gets the frame it was promised."""
    if isinstance(writer, (IOManagerWriter, FileWriter)):
        return writer(found.invalid)
    return writer(found.invalid.lazy().collect())


def _materialization(
    declaration: Declaration,
    found: Split,
    report: ColumnSchemaReport,
    arrived: Arrived,
    result: dg.MaterializeResult[Any],
    *,
    settings: Settings,
    address: str | None,
) -> dg.MaterializeResult[Any]:
    ours = materialization_metadata(found, settings, partitioned=declaration.partitioned, address=address)
    if report.dropped:
        ours["contract/dropped_columns"] = len(report.dropped)
    if arrived.types is not None:
        ours[ARRIVED] = dg.MetadataValue.json(dict(arrived.types))
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
    return _result(declaration, result, as_taken(found.valid, manager), ours)


def _result(
    declaration: Declaration, result: dg.MaterializeResult[Any], value: object, ours: Mapping[str, Any]
) -> dg.MaterializeResult[Any]:
    """What is materialized; of what an author attached, the names that are the package's to give are left out."""
    own = {
        name: value
        for name, value in (result.metadata or {}).items()
        if not name.startswith(("dataframely/", "contract/"))
    }
    return dg.MaterializeResult(
        asset_key=declaration.asset,
        value=value,
        metadata={**own, **ours},
        data_version=result.data_version,
        tags=result.tags,
    )


def _schema(declaration: Declaration, frame: pl.DataFrame | pl.LazyFrame) -> pl.Schema:
    try:
        return frame.drop(NUMBER, strict=False).collect_schema()
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
            settings.statistics,
            settings.max_failure_samples,
            settings.memory_budget,
            halves_as_plans=halves_as_plans,
            tell=progress_in_log(declaration.name),
        )
        return split(declaration.contract, frame, options, into=folder)
    except errors.UsageError as error:
        raise_as_failure(type(error)(f"{declaration.name}: {error}"))
    except pl.exceptions.PolarsError as error:
        error.add_note(f"Raised by the plan of the LazyFrame that {declaration.name} returned.")
        raise
