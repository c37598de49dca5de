"""Whether a value of the right type fits its field's column: nothing is cut, rounded or shifted to make it fit."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from dagster_contracts.rows import text
from dagster_contracts.rows.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from dagster_contracts.rows.shapes import Shape

INT_RANGES: Final[dict[pl.DataType, tuple[int, int]]] = {
    dtype: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for dtype, bits in ((pl.Int8(), 8), (pl.Int16(), 16), (pl.Int32(), 32), (pl.Int64(), 64), (pl.Int128(), 128))
} | {
    dtype: (0, 2**bits - 1)
    for dtype, bits in ((pl.UInt8(), 8), (pl.UInt16(), 16), (pl.UInt32(), 32), (pl.UInt64(), 64))
}
_LARGEST_FLOAT32: Final = 3.4028234663852886e38
ZERO_AS_FLOAT32: Final = 2.0**-150
"""The largest number of which Float32 makes a zero."""
_LARGEST: Final = 2**63 - 1
_MICROSECOND: Final = dt.timedelta(microseconds=1)


def settled(shape: Shape, value: Any) -> Any:
    """A value of the right type, if the field's column can hold it without loss.

    Raises:
        Refused: It cannot.
    """
    check = _FITS.get(shape.kind)
    if check is not None:
        check(shape, value)
    return value


def _fits_int(shape: Shape, value: int) -> None:
    low, high = INT_RANGES[shape.dtype]
    if not low <= value <= high:
        raise Refused("out_of_range", f"{shape.dtype} holds {low} to {high}", value)


def _fits_float(shape: Shape, value: float) -> None:
    if shape.dtype == pl.Float32() and abs(value) > _LARGEST_FLOAT32 and abs(value) != float("inf"):
        raise Refused("out_of_range", f"Float32 holds up to {_LARGEST_FLOAT32}", value)
    if shape.dtype == pl.Float32() and 0 < abs(value) <= ZERO_AS_FLOAT32:
        raise Refused("inexact", "the float nearest to it is zero", value)


def _fits_decimal(shape: Shape, value: Decimal) -> None:
    if not value.is_finite():
        raise Refused("not_a_number", "a Decimal column has no NaN and no infinity", value)
    if not isinstance(shape.dtype, pl.Decimal):
        return
    precision, scale = shape.dtype.precision or 38, shape.dtype.scale
    _, digits, exponent = value.as_tuple()
    significant = "".join(map(str, digits)).rstrip("0")
    places = -(int(exponent) + len(digits) - len(significant)) if significant.strip("0") else 0
    if places > scale:
        raise Refused("digits", f"it has {places} decimal places, and the column has {scale}", value)
    if significant.strip("0") and value.adjusted() + 1 > precision - scale:
        raise Refused(
            "digits", f"it has {value.adjusted() + 1} digits before the point, not {precision - scale}", value
        )


def _fits_str(shape: Shape, value: str) -> None:
    text.unicode(value)
    if isinstance(shape.dtype, pl.Enum) and value not in shape.dtype.categories:
        raise Refused("value", f"it is none of the column's categories ({', '.join(shape.dtype.categories)})", value)


def _fits_unit(shape: Shape, since: dt.timedelta, value: Any) -> None:
    """Refuse a moment that the column's unit cannot hold: finer than milliseconds, or too far for nanoseconds."""
    unit = getattr(shape.dtype, "time_unit", "us")
    micro = since // _MICROSECOND
    if unit == "ms" and micro % 1_000:
        raise Refused("inexact", "the column has milliseconds, and it is finer", value)
    if abs(micro) * (1_000 if unit == "ns" else 1) > _LARGEST:
        raise Refused("out_of_range", f"a column of {shape.dtype} does not reach so far", value)


def _fits_naive(shape: Shape, value: dt.datetime) -> None:
    if value.tzinfo is not None:
        raise Refused("timezone", "it has a zone, and the field has none", value)
    _fits_unit(shape, value - dt.datetime(1970, 1, 1), value)  # noqa: DTZ001


def _fits_aware(shape: Shape, value: dt.datetime) -> None:
    try:
        offset = value.utcoffset()
    except Exception as error:  # noqa: BLE001  (a tzinfo is anybody's code)
        raise Refused("timezone", f"its zone does not work ({type(error).__name__})", value) from None
    if offset is None:
        raise Refused("timezone", "it has no zone, and the field has one", value)
    try:
        moment = value.astimezone(dt.UTC)
    except (OverflowError, ValueError):
        raise Refused("out_of_range", "it leaves the years 1 to 9999 when it is written in UTC", value) from None
    _fits_unit(shape, moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC), value)


def _fits_time(_: Shape, value: dt.time) -> None:
    if value.tzinfo is not None:
        raise Refused("timezone", "it has an offset, and a column of times has none", value)


def _fits_timedelta(shape: Shape, value: dt.timedelta) -> None:
    _fits_unit(shape, value, value)


def _fits_json(shape: Shape, value: Any) -> None:
    try:
        text.as_json(value)
    except Refused as refused:
        refused.value, refused.wanted = value, shape.wanted
        raise


_FITS: Final[dict[str, Callable[[Shape, Any], None]]] = {
    "int": _fits_int,
    "float": _fits_float,
    "decimal": _fits_decimal,
    "str": _fits_str,
    "naive_datetime": _fits_naive,
    "aware_datetime": _fits_aware,
    "time": _fits_time,
    "timedelta": _fits_timedelta,
    "json": _fits_json,
    "any": _fits_json,
}
