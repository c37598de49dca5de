"""Per-column statistics of a frame, by family of dtypes.

Two steps, each usable alone: `statistics_plan` says which expressions to evaluate; whoever has the data evaluates them
into one row (`summarize` does, and a streaming split puts them beside its other queries); `read_statistics` makes the
row a `Statistics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl
import polars.selectors as cs

from dagster_contracts.frames.temporal import span_text, temporal_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from decimal import Decimal

Family = Literal["numeric", "temporal", "string", "boolean"]

WHOLE_COLUMN: Final[dict[str | None, str]] = {"numeric": "p50", "string": "n_unique"}
"""The statistic of a family that needs a whole column at once."""
_STATISTICS: Final = (
    *("count", "null_count", "mean", "std", "min", "p50", "max"),
    *("n_unique", "min_len", "max_len", "n_empty", "n_true"),
)


@dataclass(frozen=True)
class NumericStatistics:
    """One column of integers, floats or decimals.

    Args:
        column: The column's name.
        count: How many values are not null.
        null_count: How many are.
        mean: The mean, as a float whatever the dtype.
        std: The sample standard deviation; `None` for fewer than two values.
        min: The least value, exact; NaN only if every value is.
        p50: The median, between the two middle values if their number is even. NaN counts as greater than infinity.
        max: The greatest value, exact; NaN only if every value is.
    """

    column: str
    count: int
    null_count: int
    mean: float | None = None
    std: float | None = None
    min: float | Decimal | None = None
    p50: float | None = None
    max: float | Decimal | None = None


@dataclass(frozen=True)
class TemporalStatistics:
    """One column of dates, datetimes, times or durations; values are texts, for Python cannot hold all of them.

    Args:
        column: The column's name.
        count: How many values are not null.
        null_count: How many are.
        min: The earliest or least value, as `temporal_text` writes it.
        max: The latest or greatest value, likewise.
        span: The time that passes between the two, such as `3d 12h`.
    """

    column: str
    count: int
    null_count: int
    min: str | None = None
    max: str | None = None
    span: str | None = None


@dataclass(frozen=True)
class StringStatistics:
    """One column of strings, categories or bytes.

    Args:
        column: The column's name.
        count: How many values are not null.
        null_count: How many are.
        n_unique: How many different values there are, null not being one.
        min_len: The length of the shortest value, in bytes.
        max_len: The length of the longest value, in bytes.
        n_empty: How many values are empty.
    """

    column: str
    count: int
    null_count: int
    n_unique: int | None = None
    min_len: int | None = None
    max_len: int | None = None
    n_empty: int | None = None


@dataclass(frozen=True)
class BooleanStatistics:
    """One column of Booleans.

    Args:
        column: The column's name.
        count: How many values are not null.
        null_count: How many are.
        n_true: How many are true.
        n_false: How many are false.
        true_rate: The share of true among the values that are not null, from 0 to 1; `None` without any.
    """

    column: str
    count: int
    null_count: int
    n_true: int | None = None
    n_false: int | None = None
    true_rate: float | None = None


@dataclass(frozen=True)
class Statistics:
    """What a frame holds, a row per column in the frame's order.

    Of a sensitive column only `count` and `null_count` are known. Lists, arrays, structs, objects and columns of dtype
    Null are in no family. `approximate` says that `p50` and `n_unique`, which would need a whole column in memory, are
    estimates: the median of a sample, and a count by HyperLogLog.
    """

    numeric: tuple[NumericStatistics, ...] = ()
    temporal: tuple[TemporalStatistics, ...] = ()
    string: tuple[StringStatistics, ...] = ()
    boolean: tuple[BooleanStatistics, ...] = ()
    approximate: bool = False


def statistics_plan(
    schema: pl.Schema, sensitive: Collection[str] = (), *, approximate: bool = False, whole_columns: bool = True
) -> list[pl.Expr]:
    """The aggregations that `read_statistics` needs, to be selected from a frame of this schema into one row.

    Args:
        schema: The frame's columns.
        sensitive: Columns of which only the counts may be known.
        approximate: Whether to leave out the median, for `median_plan` on a sample, and to estimate distinct counts.
        whole_columns: Whether to have medians and distinct counts, which need a whole column at once, at all.

    Returns:
        One scalar expression per number, each with a name of its own, whatever the columns are named; none if no column
        belongs to a family.
    """
    plans = plans_by_column(schema, sensitive, approximate=approximate, whole_columns=whole_columns)
    return [expr for plan in plans.values() for expr in plan]


def plans_by_column(
    schema: pl.Schema, sensitive: Collection[str] = (), *, approximate: bool = False, whole_columns: bool = True
) -> dict[str, list[pl.Expr]]:
    """The expressions of a `statistics_plan`, each of which reads one column, by that column."""
    return {
        name: [
            expr.alias(statistic_key(index, statistic))
            for statistic, expr in _aggregations(
                name, dtype, family, counts_only=name in sensitive, approximate=approximate
            ).items()
            if whole_columns or statistic != WHOLE_COLUMN.get(family)
        ]
        for index, (name, dtype) in enumerate(schema.items())
        if (family := family_of(dtype)) is not None
    }


def median_plan(schema: pl.Schema, sensitive: Collection[str] = ()) -> list[pl.Expr]:
    """The medians that an approximate `statistics_plan` leaves out, to be selected from a sample of the rows."""
    return [
        _wide(cs.by_name(name), dtype).median().alias(statistic_key(index, "p50"))
        for index, (name, dtype) in enumerate(schema.items())
        if family_of(dtype) == "numeric" and name not in sensitive
    ]


def read_statistics(row: Mapping[str, Any], schema: pl.Schema, *, approximate: bool = False) -> Statistics:
    """The one row that a `statistics_plan` yields, as `Statistics`.

    Args:
        row: The row by expression name; entries of other origin are ignored.
        schema: The schema that the plan was made from.
        approximate: Whether the plan was an approximate one.
    """
    rows: dict[Family, list[Any]] = {"numeric": [], "temporal": [], "string": [], "boolean": []}
    for index, (name, dtype) in enumerate(schema.items()):
        family = family_of(dtype)
        if family is not None:
            values = {
                statistic: row[key] for statistic in _STATISTICS if (key := statistic_key(index, statistic)) in row
            }
            if not approximate and values.get("n_unique") and values["null_count"]:
                values["n_unique"] -= 1  # Polars counts null as a value
            rows[family].append(_read_column(name, dtype, family, values))
    return Statistics(**{family: tuple(found) for family, found in rows.items()}, approximate=approximate)


def statistic_key(index: int, statistic: str) -> str:
    """The name of a statistic of the column at a place, as `read_statistics` looks for it."""
    return f"statistic:{index}:{statistic}"


def family_of(dtype: pl.DataType) -> Family | None:
    """Which of the four families a dtype belongs to, if any."""
    if dtype.is_numeric():
        return "numeric"
    if dtype.is_temporal():
        return "temporal"
    if isinstance(dtype, (pl.String, pl.Categorical, pl.Enum, pl.Binary)):
        return "string"
    return "boolean" if isinstance(dtype, pl.Boolean) else None


def _aggregations(
    name: str, dtype: pl.DataType, family: Family, *, counts_only: bool, approximate: bool
) -> dict[str, pl.Expr]:
    column = cs.by_name(name)  # `pl.col` reads a name such as `^a$` as a pattern
    counts = {"count": column.count(), "null_count": column.null_count()}
    if counts_only:
        return counts
    match family:
        case "numeric":
            median = {} if approximate else {"p50": _wide(column, dtype).median()}
            return counts | _numeric_aggregations(column, dtype) | median
        case "temporal":
            return counts | {"min": column.min().to_physical(), "max": column.max().to_physical()}
        case "string":
            distinct = column.drop_nulls().approx_n_unique() if approximate else column.n_unique()
            return counts | {"n_unique": distinct} | _string_aggregations(column, dtype)
        case "boolean":
            return counts | {"n_true": column.sum()}


def _numeric_aggregations(column: pl.Expr, dtype: pl.DataType) -> dict[str, pl.Expr]:
    wide = _wide(column, dtype)
    return {"mean": wide.mean(), "std": wide.std(), "min": column.min(), "max": column.max()}


def _wide(column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Polars answers in the float type it is asked in: a deviation may not fit into it, a mean loses digits."""
    return column.cast(pl.Float64) if dtype in (pl.Float16, pl.Float32) else column


def _string_aggregations(column: pl.Expr, dtype: pl.DataType) -> dict[str, pl.Expr]:
    if isinstance(dtype, pl.Binary):
        length = column.bin.size()
    elif isinstance(dtype, pl.String):
        length = column.str.len_bytes()
    else:
        length = column.cat.len_bytes()
    return {
        "min_len": length.min(),
        "max_len": length.max(),
        "n_empty": (length == 0).sum(),
    }


def _read_column(name: str, dtype: pl.DataType, family: Family, values: dict[str, Any]) -> object:
    match family:
        case "numeric":
            return NumericStatistics(name, **values)
        case "temporal":
            return _read_temporal(name, dtype, **values)
        case "string":
            return _read_string(name, **values)
        case "boolean":
            return _read_boolean(name, **values)


def _read_temporal(
    name: str, dtype: pl.DataType, *, count: int, null_count: int, **bounds: int | None
) -> TemporalStatistics:
    low, high = bounds.get("min"), bounds.get("max")
    if low is None or high is None:
        return TemporalStatistics(name, count, null_count)
    texts = temporal_text(low, dtype), temporal_text(high, dtype), span_text(low, high, dtype)
    return TemporalStatistics(name, count, null_count, *texts)


def _read_string(
    name: str, *, count: int, null_count: int, n_unique: int | None = None, **lengths: int | None
) -> StringStatistics:
    return StringStatistics(name, count, null_count, n_unique, **lengths)


def _read_boolean(name: str, *, count: int, null_count: int, n_true: int | None = None) -> BooleanStatistics:
    if n_true is None:
        return BooleanStatistics(name, count, null_count)
    return BooleanStatistics(name, count, null_count, n_true, count - n_true, n_true / count if count else None)
