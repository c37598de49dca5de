"""Python values of one field, sorted by their type and put into series that hold them exactly."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import polars as pl

from dagster_contracts.rows.fits import INT_RANGES

if TYPE_CHECKING:
    from collections.abc import Sequence

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


@dataclass(frozen=True)
class Objects:
    """Python values of one field.

    Args:
        values: One for each row.
        kinds: The types among them, that of `None` included.
    """

    values: Sequence[Any]
    kinds: frozenset[type]

    @property
    def some_none(self) -> bool:
        """Whether `None` is among them."""
        return _NONE in self.kinds


def objects(values: Sequence[Any]) -> Objects:
    """Values, and the types among them."""
    return Objects(values, frozenset(map(type, values)))


@dataclass(frozen=True)
class Sources:
    """Values of several types, each in a series that is null where a value is of another.

    Args:
        parts: What the values are called in the table of casts, and the series.
        whole: Whether every value that is not `None` is in one of them.
    """

    parts: list[tuple[str, pl.Series]]
    whole: bool


def kind_of(value: Any) -> Any:
    """What values are sorted by: the type, and for moments whether they have a zone."""
    kind = type(value)
    if kind is dt.datetime or kind is dt.time:
        return (kind, value.tzinfo is None)
    return kind


def groups(given: Objects) -> frozenset[Any]:
    """What values are sorted by, without `None`."""
    some = given.kinds
    if dt.datetime in some or dt.time in some:
        some = frozenset(map(kind_of, given.values))
    return some - {_NONE}


def sources_of(kinds: frozenset[Any], values: Sequence[Any], shape: Shape) -> Sources:
    """Values type by type."""
    parts: list[tuple[str, pl.Series]] = []
    whole = True
    for kind in kinds:
        if len(kinds) == 1:
            some = values
        elif isinstance(kind, tuple):
            some = [value if kind_of(value) == kind else None for value in values]
        else:
            some = [value if type(value) is kind else None for value in values]
        found = _series_of(kind, some, shape)
        if found is not None:
            parts.append(found[:2])
        whole = whole and found is not None and found[2]
    return Sources(parts, whole)


def _series_of(  # noqa: PLR0911  (one for each kind)
    kind: Any, values: Sequence[Any], shape: Shape
) -> tuple[str, pl.Series, bool] | None:
    """Values of one type, with `None` among them, as a series, and whether it holds all of them.

    `None` for types that no series holds.
    """
    if kind in _DTYPES:
        name, dtype = _DTYPES[kind]
        try:
            return name, pl.Series(values, dtype=dtype, strict=True), True
        except (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError):
            series = _narrowed(kind, values, shape)
        return (name, series, False) if series.dtype != pl.Null() else None
    if kind is Decimal:
        return "decimal_text", _texts(values), True
    if kind is UUID:
        return "uuid", _texts(values), True
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _members(kind, values, shape)
    if kind == (dt.datetime, True):
        return "naive_datetime", pl.Series(values, dtype=pl.Datetime("us")), True
    if kind == (dt.datetime, False):
        return _aware(values)
    if kind == (dt.time, True):
        return "time", pl.Series(values, dtype=pl.Time()), True
    return None


def _texts(values: Sequence[Any]) -> pl.Series:
    return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String())


def _members(kind: type[Enum], values: Sequence[Any], shape: Shape) -> tuple[str, pl.Series, bool] | None:
    """The field's own members by their values."""
    if shape.kind != "enum" or kind is not shape.of:
        return None
    return "member", pl.Series([None if value is None else value.value for value in values], dtype=shape.dtype), True


def _aware(values: Sequence[Any]) -> tuple[str, pl.Series, bool] | None:
    """Moments with a zone, in UTC; a zone that does not work, or leads out of Python's years, is left to others."""
    try:
        utc = [None if value is None else value.astimezone(dt.UTC).replace(tzinfo=None) for value in values]
    except Exception:  # noqa: BLE001  (a tzinfo is anybody's code)
        return None
    if any(value is not None and value.utcoffset() is None for value in values):
        return None
    return "aware_datetime", pl.Series(utc, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC"), True


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
