"""A column's values in Python, none of them shortened: Python's moments end at microseconds, Polars' at nanoseconds."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import polars as pl

from dagster_contracts.rows.foreign import BeyondPython

_NANO = 1_000
_DAY: Final = 86_400
_FIRST_DAY: Final = (dt.date.min - dt.date(1970, 1, 1)).days
_LAST_DAY: Final = (dt.date.max - dt.date(1970, 1, 1)).days
_LONGEST: Final = dt.timedelta.max.days - 1
_MAPS: Final[tuple[type[Any], ...]] = (pl.Map,) if hasattr(pl, "Map") else ()
_A_SECOND: Final = {"ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def exact_values(series: pl.Series) -> list[Any]:
    """The values; a moment finer than a microsecond as its ISO text, which every field but a text refuses.

    A moment that Python's years do not reach is a `BeyondPython`, which every field refuses.
    """
    dtype = series.dtype
    if isinstance(dtype, pl.List):
        return _lists(series)
    if isinstance(dtype, pl.Array):
        return _lists(series.arr.to_list())
    if isinstance(dtype, pl.Struct):
        return _structs(series, dtype)
    if isinstance(dtype, _MAPS):
        return _maps(series, dtype)
    if dtype == pl.Time() or (isinstance(dtype, (pl.Datetime, pl.Duration)) and dtype.time_unit == "ns"):
        return _moments(series)
    if dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String())
    return _within_python(series)


def _within_python(series: pl.Series) -> list[Any]:
    """A leaf's values, those apart that Polars holds and Python does not."""
    beyond = _beyond(series)
    if not beyond.any():
        return series.to_list()
    values: list[Any] = pl.select(pl.when(~beyond).then(series)).to_series().to_list()
    unit = getattr(series.dtype, "time_unit", "days")
    count = series.to_physical()
    for at in beyond.arg_true().to_list():
        values[at] = BeyondPython(int(count[at]), unit)
    return values


def _beyond(series: pl.Series) -> pl.Series:
    """Where a leaf's moments or durations are none of Python's."""
    dtype = series.dtype
    if dtype == pl.Date():
        return ~series.to_physical().is_between(_FIRST_DAY, _LAST_DAY).fill_null(value=True)
    if not isinstance(dtype, (pl.Datetime, pl.Duration)) or dtype.time_unit == "ns":
        return pl.Series([False])
    a_day = _DAY * _A_SECOND[dtype.time_unit]
    first, last = (-_LONGEST, _LONGEST) if isinstance(dtype, pl.Duration) else (_FIRST_DAY, _LAST_DAY + 1)
    if getattr(dtype, "time_zone", None) not in (None, "UTC"):  # a local time is up to a day off
        first, last = first + 1, last - 1
    most = 2**63 - 1
    return ~series.to_physical().is_between(max(first * a_day, -most), min(last * a_day - 1, most)).fill_null(
        value=True
    )


def _is_beyond(series: pl.Series) -> bool:
    """Whether anything inside of lists and records is none of Python's."""
    dtype = series.dtype
    if isinstance(dtype, (pl.List, pl.Array)):
        return _is_beyond(series.explode(empty_as_null=False))
    if isinstance(dtype, pl.Struct):
        return any(_is_beyond(part) for part in series.struct.unnest().get_columns())
    return bool(_beyond(series).any())


def _has_moments(dtype: pl.DataType) -> bool:
    """Whether values inside may be finer than Python's, or are pairs, of which a dict may lose some."""
    if isinstance(dtype, (pl.List, pl.Array)):
        return _has_moments(dtype.inner)  # type: ignore[arg-type]
    if isinstance(dtype, pl.Struct):
        return any(_has_moments(field.dtype) for field in dtype.fields)  # type: ignore[arg-type]
    if isinstance(dtype, _MAPS):
        return True
    return dtype == pl.Time() or (isinstance(dtype, (pl.Datetime, pl.Duration)) and dtype.time_unit == "ns")


def _lists(series: pl.Series) -> list[Any]:
    """Lists of exact values."""
    if not _has_moments(series.dtype) and not _is_beyond(series):
        return series.to_list()
    return [None if one is None else exact_values(one) for one in series]


def _structs(series: pl.Series, dtype: pl.Struct) -> list[Any]:
    """Records of exact values."""
    if not _has_moments(dtype) and not _is_beyond(series):
        return series.to_list()
    names = [field.name for field in dtype.fields]
    parts = zip(*map(exact_values, series.struct.unnest().get_columns()), strict=True)
    missing = series.is_null().to_list()
    return [None if none else dict(zip(names, part, strict=True)) for none, part in zip(missing, parts, strict=True)]


def _maps(series: pl.Series, dtype: Any) -> list[Any]:
    """Dicts of exact values; where a key is there twice, its pairs, so that no value is lost."""
    pairs = pl.List(pl.Struct({"key": dtype.key, "value": dtype.value}))
    found: list[Any] = []
    for given in exact_values(series.cast(pairs)):
        keys = None if given is None else [one["key"] for one in given]
        if keys is None or len({repr(key) for key in keys}) < len(keys):
            found.append(given)
        else:
            found.append({one["key"]: one["value"] for one in given})
    return found


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
