"""Python values of one field, sorted by their type and put into series that hold them exactly."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import polars as pl

from dagster_contracts.rows.fits import INT_RANGES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dagster_contracts.rows.shapes import Shape

_DTYPES: Final[dict[type, tuple[str, pl.DataType]]] = {
    bool: ("bool", pl.Boolean()),
    int: ("int", pl.Int64()),
    float: ("float", pl.Float64()),
    str: ("str", pl.String()),
    bytes: ("bytes", pl.Binary()),
    dt.date: ("date", pl.Date()),
    dt.timedelta: ("timedelta", pl.Duration("us")),
}
_LONGEST: Final = dt.timedelta(days=50_000_000)
_NONE: Final = type(None)


def kind_of(value: Any) -> Any:
    """What values are sorted by: the type, and for moments whether they have a zone."""
    kind = type(value)
    if kind is dt.datetime or kind is dt.time:
        return (kind, value.tzinfo is None)
    return kind


def groups(values: Sequence[Any]) -> dict[Any, list[int] | None]:
    """The positions of the values of each type; `None` for positions means all of them, but for those of `None`."""
    kinds = set(map(type, values))
    if dt.datetime in kinds or dt.time in kinds:
        kinds = set(map(kind_of, values))
        of: Callable[[Any], Any] = kind_of
    else:
        of = type
    kinds.discard(_NONE)
    if len(kinds) <= 1:
        return dict.fromkeys(kinds)
    found: dict[Any, list[int]] = {kind: [] for kind in kinds}
    for at, value in enumerate(values):
        if value is not None:
            found[of(value)].append(at)
    return dict(found)


def series_of(  # noqa: PLR0911  (one for each kind)
    kind: Any, values: Sequence[Any], shape: Shape
) -> tuple[str, pl.Series] | None:
    """Values of one type, with `None` among them, as a series; a value that the series cannot hold is null in it.

    Returns:
        What the values are called in the table of casts, and the series; `None` for types that no series holds.
    """
    if kind in _DTYPES:
        name, dtype = _DTYPES[kind]
        try:
            series = pl.Series(values, dtype=dtype, strict=True)
        except (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError):
            series = _narrowed(kind, values, shape)
        return (name, series) if series.dtype.base_type() is not pl.Null else None
    if kind is Decimal:
        return "decimal_text", _texts(values)
    if kind is UUID:
        return "uuid", _texts(values)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _members(kind, values, shape)
    if kind == (dt.datetime, True):
        return "naive_datetime", pl.Series(values, dtype=pl.Datetime("us"))
    if kind == (dt.datetime, False):
        return _aware(values)
    if kind == (dt.time, True):
        return "time", pl.Series(values, dtype=pl.Time())
    return None


def _texts(values: Sequence[Any]) -> pl.Series:
    return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String())


def _members(kind: type[Enum], values: Sequence[Any], shape: Shape) -> tuple[str, pl.Series] | None:
    """The field's own members by their values."""
    if shape.kind != "enum" or kind is not shape.of:
        return None
    return "member", pl.Series([None if value is None else value.value for value in values], dtype=shape.dtype)


def _aware(values: Sequence[Any]) -> tuple[str, pl.Series] | None:
    """Moments with a zone, in UTC; a zone that does not work, or leads out of Python's years, is left to others."""
    try:
        utc = [None if value is None else value.astimezone(dt.UTC).replace(tzinfo=None) for value in values]
    except Exception:  # noqa: BLE001  (a tzinfo is anybody's code)
        return None
    if any(value is not None and value.utcoffset() is None for value in values):
        return None
    return "aware_datetime", pl.Series(utc, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC")


def _narrowed(kind: type, values: Sequence[Any], shape: Shape) -> pl.Series:
    """The values that a series can hold, and null for the others."""
    dtype = _DTYPES[kind][1]
    if kind is int:
        if shape.dtype in (pl.UInt64(), pl.Int128()) and shape.kind == "int":
            dtype = shape.dtype
        low, high = INT_RANGES[dtype]
        return pl.Series([one if one is not None and low <= one <= high else None for one in values], dtype=dtype)
    if kind is str:
        return pl.Series([one if one is not None and _is_unicode(one) else None for one in values], dtype=dtype)
    if kind is dt.timedelta:
        return pl.Series([one if one is not None and abs(one) < _LONGEST else None for one in values], dtype=dtype)
    return pl.Series([None] * len(values), dtype=pl.Null())


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
