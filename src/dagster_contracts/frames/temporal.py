"""Dates, times and durations as texts, from the integers Polars stores them as.

Polars holds dates and spans far outside of what `datetime` can: turning such a value into a Python object, or into a
string inside Polars, panics. Everything here is integer arithmetic and accepts every value a column can hold.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import polars as pl

_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY = 86_400
_DAYS_IN_400_YEARS = 146_097
_DAYS_TO_2000 = 10_957
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def temporal_text(value: int, dtype: pl.DataType) -> str:
    """A stored temporal value as a reader expects to see it.

    Args:
        value: The physical integer (`Series.to_physical()`), in the dtype's own unit.
        dtype: Date, Datetime, Time or Duration.

    Returns:
        `2026-03-29`, `2026-03-29 01:59:59.500000`, `2026-03-29 03:00:00+02:00`, `23:59:00`, `1d 2h 500ms`. Years that
        need more than four digits carry a sign, as ISO 8601 asks. A moment whose offset Python cannot work out (an
        unknown zone, a year outside of 1 to 9999) is shown in UTC, as `+00:00`.
    """
    unit = _per_second(dtype)
    if isinstance(dtype, pl.Duration):
        return duration_text(value, unit)
    if isinstance(dtype, pl.Date):
        return _date_text(value)
    if isinstance(dtype, pl.Time):
        return _clock_text(value, unit)
    if not isinstance(dtype, pl.Datetime) or dtype.time_zone is None:
        return _moment_text(value, unit)
    offset = _utc_offset(value // unit, dtype.time_zone)
    return _moment_text(value + offset * unit, unit) + _offset_text(offset)


def span_text(low: int, high: int, dtype: pl.DataType) -> str:
    """The duration between two stored values of one temporal dtype, such as `3d 12h`."""
    days = isinstance(dtype, pl.Date)
    return duration_text((high - low) * (_DAY if days else 1), 1 if days else _per_second(dtype))


def duration_text(value: int, per_second: int) -> str:
    """A duration in the words Polars prints it with, such as `1d 2h 3m 4s 5ms`.

    Args:
        value: The duration as a number of units.
        per_second: How many units a second has, at most a billion.
    """
    seconds, fraction = divmod(abs(value), per_second)
    nanoseconds = fraction * (10**9 // per_second)
    parts = {
        "d": seconds // _DAY,
        "h": seconds // 3600 % 24,
        "m": seconds // 60 % 60,
        "s": seconds % 60,
        "ms": nanoseconds // 10**6,
        "µs": nanoseconds // 10**3 % 10**3,
        "ns": nanoseconds % 10**3,
    }
    text = " ".join(f"{count}{name}" for name, count in parts.items() if count)
    return ("-" if value < 0 else "") + (text or "0s")


def _per_second(dtype: pl.DataType) -> int:
    return _PER_SECOND[dtype.time_unit] if isinstance(dtype, (pl.Datetime, pl.Duration)) else _PER_SECOND["ns"]


def _moment_text(value: int, per_second: int) -> str:
    days, rest = divmod(value, _DAY * per_second)
    return f"{_date_text(days)} {_clock_text(rest, per_second)}"


def _date_text(days: int) -> str:
    # The Gregorian calendar repeats every 400 years, so any day has a twin between 2000 and 2399.
    cycles, rest = divmod(days - _DAYS_TO_2000, _DAYS_IN_400_YEARS)
    twin = date(2000, 1, 1) + timedelta(days=rest)
    year = twin.year + 400 * cycles
    return (f"{year:04d}" if 0 <= year <= 9999 else f"{year:+05d}") + f"-{twin.month:02d}-{twin.day:02d}"  # noqa: PLR2004


def _clock_text(value: int, per_second: int) -> str:
    seconds, fraction = divmod(value, per_second)
    nanoseconds = fraction * (10**9 // per_second)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if not nanoseconds:
        return text
    return f"{text}.{nanoseconds:09d}" if nanoseconds % 1000 else f"{text}.{nanoseconds // 1000:06d}"


def _utc_offset(seconds: int, zone: str) -> int:
    try:
        offset = (_EPOCH + timedelta(seconds=seconds)).astimezone(ZoneInfo(zone)).utcoffset()
    except (OverflowError, ValueError, ZoneInfoNotFoundError):
        return 0
    return 0 if offset is None else int(offset.total_seconds())


def _offset_text(offset: int) -> str:
    minutes, seconds = divmod(abs(offset), 60)
    text = f"{'-' if offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{text}:{seconds:02d}" if seconds else text
