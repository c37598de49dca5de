"""Every declared check's result, on each of the ways a run can go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import dagster as dg

from dagster_contracts.frames.column_schema import ColumnMismatch, ColumnSchemaReport, compare_columns
from dagster_contracts.frames.split import Split, SplitOptions, split
from dagster_contracts.orchestration.checks import columns_result, min_rows_result, rule_results
from dagster_contracts.orchestration.outcome import CONSEQUENCES, Outcome
from dagster_contracts.orchestration.refused_rows import CONFORM_GROUP, Refused, with_refused
from dagster_contracts.orchestration.schema_change import schema_change_result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from dagster_contracts.orchestration.arrived import Arrived
    from dagster_contracts.orchestration.declaration import Declaration
    from dagster_contracts.orchestration.settings import Settings


def report_columns(declaration: Declaration, arrived: Arrived, schema: pl.Schema) -> ColumnSchemaReport:
    """The columns of what arrived against the contract, and what arrived beside them."""
    report = compare_columns(declaration.contract, schema, declaration.on_extra_columns)
    beside = [(key, kind) for key, kind in arrived.undeclared.items() if key not in report.extra]
    if declaration.on_extra_columns == "raise":
        more = tuple(ColumnMismatch(key, None, kind or "only nulls") for key, kind in beside)
        report = replace(report, mismatches=report.mismatches + more)
    return replace(
        report,
        mismatches=report.mismatches + arrived.mismatches,
        extra=(*report.extra, *(key for key, _ in beside)),
    )


def columns_of_run(
    declaration: Declaration,
    report: ColumnSchemaReport,
    refused: Refused | None,
    *,
    failed: bool,
    metadata: Mapping[str, Any],
) -> Iterator[dg.AssetCheckResult]:
    """The column-schema check of a run that goes on to its rows.

    Under a contract on frames no other check could say that rows came which could not be conformed.
    """
    if not declaration.contract.fields:
        return
    result = columns_result(report, declaration.asset, metadata)
    if refused is not None and refused.count and not declaration.takes_rows:
        result = result._replace(
            passed=False,
            severity=dg.AssetCheckSeverity.ERROR if failed else dg.AssetCheckSeverity.WARN,
            description=f"{refused.count:,} rows cannot be brought to these columns, first {refused.example}",
            metadata={**result.metadata, "dy_failed_count": dg.MetadataValue.int(refused.count)},
        )
    yield result


def results_of_rows(
    declaration: Declaration,
    found: Split,
    total: Split,
    outcome: Outcome,
    *,
    settings: Settings,
    failed: bool,
    where: Mapping[str, Any],
) -> Iterator[dg.AssetCheckResult]:
    """What was found about rows.

    Args:
        declaration: The asset.
        found: The split of the rows that are in the contract's types, on which the rules were evaluated.
        total: The same with those that could not be brought to them.
        outcome: How the run ends.
        settings: How much to report.
        failed: Whether the run fails.
        where: Metadata that says where the invalid rows are.
    """
    severity = "ERROR" if failed else CONSEQUENCES[outcome].failing_checks or "ERROR"
    rest: dict[str, Any] = {
        "asset": declaration.asset,
        "severity": dg.AssetCheckSeverity[severity],
        "max_failure_samples": settings.max_failure_samples,
        "fate": "nothing was published" if failed else "quarantined",
        "metadata": where,
    }
    if declaration.takes_rows:
        yield from rule_results(total, (CONFORM_GROUP,), **rest)
    yield from rule_results(found, declaration.groups, **rest)
    if declaration.policy.min_rows is not None:
        yield min_rows_result(declaration.policy, total.valid_count, declaration.asset, where)


def schema_change_results(declaration: Declaration, arrived: Arrived) -> Iterator[dg.AssetCheckResult]:
    """What changed about the keys that arrived, compared with the last materialization, not with this run's own."""
    if declaration.takes_rows:
        yield schema_change_result(arrived.types or {}, declaration.asset)


def skipped_results(declaration: Declaration, settings: Settings) -> Iterator[dg.AssetCheckResult]:
    """A run without data: every rule is evaluated, over no rows."""
    if declaration.contract.fields:
        yield columns_result(None, declaration.asset)
    nothing = split(declaration.contract, declaration.contract.empty_frame(), SplitOptions(statistics=False))
    rest: dict[str, Any] = {
        "asset": declaration.asset,
        "severity": dg.AssetCheckSeverity.ERROR,
        "max_failure_samples": settings.max_failure_samples,
    }
    if declaration.takes_rows:
        yield from rule_results(with_refused(nothing, Refused()), (CONFORM_GROUP,), **rest)
    yield from rule_results(nothing, declaration.groups, **rest)
    if declaration.policy.min_rows is not None:
        yield min_rows_result(declaration.policy, None, declaration.asset)
    if declaration.takes_rows:
        yield schema_change_result(None, declaration.asset)
