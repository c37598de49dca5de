"""What a batch of rows has become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_contracts.rows.failure import RowFailure
    from dagster_contracts.rows.shapes import RecordShape


@dataclass(frozen=True)
class Conformed:
    """A batch, conformed. Every row is either in `frame` or in `refused`.

    Args:
        frame: The rows that conform, in order, in the schema's columns and dtypes.
        numbers: The number of each of them in what was given, from the batch's first number on (UInt64).
        refused: The other rows, in order, in the same columns; null where a value could not be conformed.
        refused_numbers: The number of each of those (UInt64).
        raw: Each of those as it arrived, as JSON (String).
        reasons: Why each of those was refused: field, code and cause, joined by "; ". Sensitive values are masked.
        failures: Every single failure, in the order of rows and fields.
        dropped: The keys that no field has; `RECONCILE` leaves them out, `STRICT` fails for them.
        rows: The conformed rows as dicts, if they were asked for.
    """

    frame: pl.DataFrame
    numbers: pl.Series
    refused: pl.DataFrame
    refused_numbers: pl.Series
    raw: pl.Series
    reasons: pl.Series
    failures: tuple[RowFailure, ...]
    dropped: tuple[str, ...]
    rows: list[dict[str, Any]] | None = None

    @property
    def count(self) -> int:
        """How many rows the batch had."""
        return len(self.numbers) + len(self.refused_numbers)


def none_refused(
    record: RecordShape,
    frame: pl.DataFrame,
    numbers: pl.Series,
    dropped: tuple[str, ...],
    rows: list[dict[str, Any]] | None,
) -> Conformed:
    """A batch of which no row was refused."""
    no_text = pl.Series("raw", [], dtype=pl.String())
    return Conformed(
        frame=frame,
        numbers=numbers,
        refused=record.empty,
        refused_numbers=numbers.clear(),
        raw=no_text,
        reasons=no_text.alias("reason"),
        failures=(),
        dropped=dropped,
        rows=rows,
    )


def row_numbers(numbers: Sequence[int]) -> pl.Series:
    """Rows' numbers as a column."""
    if isinstance(numbers, range):
        return pl.int_range(numbers.start, numbers.stop, dtype=pl.UInt64(), eager=True).alias("row")
    return pl.Series("row", numbers, dtype=pl.UInt64())
