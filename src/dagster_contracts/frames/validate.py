"""`dc.validate`: a frame held against a contract, without Dagster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from dagster_contracts.contract.reading import read_contract
from dagster_contracts.errors import ColumnSchemaError, InvalidSettingError, UsageError
from dagster_contracts.frames.column_schema import ExtraColumns, compare_columns
from dagster_contracts.frames.split import Split, SplitOptions, split

if TYPE_CHECKING:
    from collections.abc import Collection

    from dagster_contracts.contract.reading import ContractLike


def validate(
    contract: ContractLike,
    frame: pl.DataFrame | pl.LazyFrame,
    *,
    into: str | Path | None = None,
    warnings: Collection[str] = (),
    on_extra_columns: ExtraColumns = "drop",
    statistics: bool = True,
    max_failure_samples: int = 5,
    memory_budget: int | None = None,
) -> Split:
    """Split a frame into the rows that keep a contract and the rows that break it. Raises for columns, not for rows.

    Args:
        contract: What was promised.
        frame: The rows. A frame in memory is split in memory; if every row is valid, the very frame is `valid`. A lazy
            frame is streamed and never collected whole.
        into: A folder for the halves of a lazy frame, `valid.parquet` and `invalid.parquet`, which the result scans.
            Without one the halves are plans over the source, or frames where its plan must not run twice.
        warnings: Rules that only warn: they make no row invalid.
        on_extra_columns: What becomes of columns that the contract does not declare.
        statistics: Whether to summarize the valid rows.
        max_failure_samples: How many rows to keep for each broken rule.
        memory_budget: Bytes that what cannot be streamed may use; a quarter of the machine's memory by default.

    Returns:
        The halves with counts, verdicts, samples and statistics; rows keep the input's order.

    Raises:
        ColumnSchemaError: A column is missing or has another dtype; no row was read.
        RuleError: A rule does not evaluate on this frame.
        InvalidSettingError: `into` is not a folder.
    """
    known = read_contract(contract, warnings=warnings)
    if not isinstance(frame, (pl.DataFrame, pl.LazyFrame)):
        raise UsageError(f"dc.validate takes a pl.DataFrame or a pl.LazyFrame; got {type(frame).__name__}.")
    report = compare_columns(known, frame.collect_schema(), on_extra_columns)
    if report.mismatches:
        raise ColumnSchemaError(
            f"{len(report.mismatches)} columns are not as {known.name} declares them: "
            f"{'; '.join(map(str, report.mismatches))}. No row was read."
        )
    folder = Path(into) if into is not None else None
    if folder is not None and not folder.is_dir():
        raise InvalidSettingError(f"into is {str(folder)!r}; allowed is a folder that exists.")
    options = SplitOptions(statistics, max_failure_samples, memory_budget)
    return split(known, frame.select(cs.by_name(*report.kept)), options, into=folder)
