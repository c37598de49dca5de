"""What a materialization says about the table it wrote and the rows it did not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg

from dagster_contracts.orchestration.quarantine import ADDRESS
from dagster_contracts.orchestration.tables import (
    co_failure_table,
    invalid_sample_table,
    observed_columns,
    sample_table,
    statistics_tables,
)

if TYPE_CHECKING:
    from dagster_contracts.frames.split import Split
    from dagster_contracts.orchestration.settings import Settings


def materialization_metadata(
    found: Split, settings: Settings, *, partitioned: bool, address: str | None
) -> dict[str, Any]:
    """What is said about a table that was written, the most telling first.

    Args:
        found: The split.
        settings: How much to say.
        partitioned: Whether a partition was written and not the whole table.
        address: Where the invalid rows are, if there are any.
    """
    count = "dagster/partition_row_count" if partitioned else "dagster/row_count"
    metadata: dict[str, Any] = {count: found.valid_count}
    if address is not None:
        metadata |= _quarantine_metadata(found, address, settings)
    metadata["dagster/column_schema"] = observed_columns(found.contract, found.valid.collect_schema())
    if settings.row_sample:
        metadata["dataframely/valid_sample"] = sample_table(
            found.first_valid(settings.row_sample),
            limit=settings.row_sample,
            sensitive=found.contract.sensitive_columns,
        )
    if found.statistics is not None:
        for family, summary in statistics_tables(found.statistics).items():
            metadata[f"dataframely/valid_stats/{family}"] = summary
    return metadata


def address_value(address: str) -> dg.MetadataValue[Any]:
    """An address as Dagster shows it best: a file's path with a button that copies it."""
    is_path = Path(address).is_absolute() or "://" in address
    return dg.MetadataValue.path(address) if is_path else dg.MetadataValue.text(address)


def _quarantine_metadata(found: Split, address: str, settings: Settings) -> dict[str, Any]:
    """How many rows are invalid, which rules they broke together, where they are and what some look like."""
    metadata: dict[str, Any] = {
        "dataframely/invalid_count": found.invalid_count,
        "dataframely/invalid_by_rules": co_failure_table(found),
        ADDRESS: address_value(address),
    }
    if settings.row_sample:
        metadata["dataframely/invalid_sample"] = invalid_sample_table(found, settings.row_sample)
    return metadata
