"""The statistics of one frame, in memory or streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from dagster_contracts.frames.arrays import distinct, median
from dagster_contracts.frames.statistics import (
    WHOLE_COLUMN,
    Statistics,
    family_of,
    plans_by_column,
    read_statistics,
    statistic_key,
    statistics_plan,
)

if TYPE_CHECKING:
    from collections.abc import Collection

_FEW_ROWS = 10_000  # below, one query for everything is the fastest


def summarize(
    frame: pl.DataFrame | pl.LazyFrame, sensitive: Collection[str] = (), *, keep: pl.Series | None = None
) -> Statistics:
    """The statistics of a frame; a lazy frame is streamed.

    Args:
        frame: Any frame.
        sensitive: Columns of which only the counts may be known; names the frame lacks are ignored.
        keep: Of a frame in memory, whether to look at each row; at all of them by default.
    """
    schema = frame.collect_schema()
    if isinstance(frame, pl.LazyFrame):
        plan = statistics_plan(schema, sensitive)
        return read_statistics(_only_row(frame.select(plan).collect(engine="streaming")), schema)
    if frame.height <= _FEW_ROWS:
        kept = frame if keep is None else frame.filter(keep)
        return read_statistics(_only_row(kept.select(statistics_plan(schema, sensitive))), schema)
    plans = plans_by_column(schema, sensitive, whole_columns=False)
    row = _only_row(frame.select(expr for plan in plans.values() for expr in plan)) if keep is None else {}
    for index, (name, dtype) in enumerate(schema.items()):
        family = family_of(dtype)
        if family is None:
            continue
        values = frame[name] if keep is None else frame[name].filter(keep)
        if keep is not None:
            row |= _only_row(values.to_frame().select(plans[name]))
        if family in WHOLE_COLUMN and name not in sensitive:
            row[statistic_key(index, WHOLE_COLUMN[family])] = _of_whole(values)
    return read_statistics(row, schema)


def _only_row(frame: pl.DataFrame) -> dict[str, Any]:
    """The row of a frame that has one, or no columns."""
    return frame.row(0, named=True) if frame.width else {}


def _of_whole(values: pl.Series) -> float | int | None:
    """What needs a whole column at once: of numbers the median, of others how many differ."""
    if values.dtype.is_numeric():
        return median(values)
    return distinct(values) if values.dtype in (pl.String, pl.Binary) else values.n_unique()
