"""A column's values in Python, none of them shortened: Python's moments end at microseconds, Polars' at nanoseconds."""

from __future__ import annotations

from typing import Any

import polars as pl

_NANO = 1_000


def exact_values(series: pl.Series) -> list[Any]:
    """The values; a moment finer than a microsecond as its ISO text, which every field but a text refuses."""
    dtype = series.dtype
    if isinstance(dtype, pl.List):
        return _lists(series)
    if isinstance(dtype, pl.Array):
        return _lists(series.arr.to_list())
    if isinstance(dtype, pl.Struct):
        return _structs(series, dtype)
    if dtype == pl.Time() or (isinstance(dtype, (pl.Datetime, pl.Duration)) and dtype.time_unit == "ns"):
        return _moments(series)
    if dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String())
    return series.to_list()


def _has_moments(dtype: pl.DataType) -> bool:
    """Whether values inside may be finer than Python's, or are hidden behind categories."""
    if isinstance(dtype, (pl.List, pl.Array)):
        return _has_moments(dtype.inner)  # type: ignore[arg-type]
    if isinstance(dtype, pl.Struct):
        return any(_has_moments(field.dtype) for field in dtype.fields)  # type: ignore[arg-type]
    return dtype == pl.Time() or (isinstance(dtype, (pl.Datetime, pl.Duration)) and dtype.time_unit == "ns")


def _lists(series: pl.Series) -> list[Any]:
    """Lists of exact values."""
    if not _has_moments(series.dtype):
        return series.to_list()
    return [None if one is None else exact_values(one) for one in series]


def _structs(series: pl.Series, dtype: pl.Struct) -> list[Any]:
    """Records of exact values."""
    if not _has_moments(dtype):
        return series.to_list()
    names = [field.name for field in dtype.fields]
    parts = zip(*(exact_values(series.struct.field(name)) for name in names), strict=True)
    missing = series.is_null().to_list()
    return [None if none else dict(zip(names, part, strict=True)) for none, part in zip(missing, parts, strict=True)]


def _moments(series: pl.Series) -> list[Any]:
    """Moments in nanoseconds: Python's own where that is exact, else their ISO text."""
    count = series.to_physical()
    values: list[Any] = series.to_list()
    fine = (count % _NANO != 0).fill_null(value=False)
    for at in fine.arg_true().to_list():
        values[at] = _text(series[at : at + 1], int(count[at]))
    return values


def _text(one: pl.Series, count: int) -> str:
    """One moment with nine digits after the second."""
    if isinstance(one.dtype, pl.Duration):
        seconds, nanoseconds = divmod(abs(count), 10**9)
        return f"{'-' if count < 0 else ''}PT{seconds}.{nanoseconds:09}S"
    if one.dtype == pl.Time():
        return str(one.dt.to_string("%H:%M:%S.%9f")[0])
    offset = "%:z" if getattr(one.dtype, "time_zone", None) else ""
    return str(one.dt.to_string(f"%Y-%m-%dT%H:%M:%S.%9f{offset}")[0])
