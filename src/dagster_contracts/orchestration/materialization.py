"""What a materialization says about the table it wrote and the rows it did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dagster_contracts.orchestration.quarantine import ADDRESS
from dagster_contracts.orchestration.tables import co_failure_table, observed_columns, sample_table, statistics_tables

if TYPE_CHECKING:
    from dagster_contracts.frames.split import Split
    from dagster_contracts.orchestration.settings import Settings


def materialization_metadata(found: Split, settings: Settings, *, partitioned: bool) -> dict[str, Any]:
    """Row count, columns as observed, a sample and statistics of the valid rows."""
    sensitive = found.contract.sensitive_columns
    count = "dagster/partition_row_count" if partitioned else "dagster/row_count"
    metadata: dict[str, Any] = {
        count: found.valid_count,
        "dagster/column_schema": observed_columns(found.contract, found.valid.collect_schema()),
    }
    if settings.row_sample:
        metadata["dataframely/valid_sample"] = sample_table(
            found.first_valid(settings.row_sample), limit=settings.row_sample, sensitive=sensitive
        )
    if found.statistics is not None:
        for family, summary in statistics_tables(found.statistics).items():
            metadata[f"dataframely/valid_stats/{family}"] = summary
    return metadata


def quarantine_metadata(found: Split, address: str, settings: Settings) -> dict[str, Any]:
    """Where the invalid rows are, how many, and which rules they broke together."""
    metadata: dict[str, Any] = {
        ADDRESS: address,
        "dataframely/invalid_count": found.invalid_count,
        "dataframely/invalid_by_rules": co_failure_table(found),
    }
    if settings.row_sample:
        metadata["dataframely/invalid_sample"] = sample_table(
            found.first_invalid(settings.row_sample),
            limit=settings.row_sample,
            sensitive=found.contract.sensitive_columns,
        )
    return metadata
