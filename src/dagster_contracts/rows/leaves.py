"""One value of one kind: what it becomes, or why it is refused. The meaning of everything faster than this."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, get_args
from uuid import UUID

import polars as pl
from pydantic import ValidationError

from dagster_contracts.rows import text
from dagster_contracts.rows.epochs import from_epoch
from dagster_contracts.rows.foreign import unwrapped
from dagster_contracts.rows.refused import Refused, from_pydantic

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.rows.shapes import Kind, Shape

_OWN: Final[dict[str, type]] = {
    "bool": bool,
    "int": int,
    "float": float,
    "decimal": Decimal,
    "str": str,
    "bytes": bytes,
    "date": dt.date,
    "naive_datetime": dt.datetime,
    "aware_datetime": dt.datetime,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "uuid": UUID,
    "json": dict,
}
_TEMPORAL: Final = frozenset({"date", "naive_datetime", "aware_datetime", "time", "timedelta"})
_MOMENTS: Final = frozenset({"date", "naive_datetime", "aware_datetime"})
_NUMBERS: Final = frozenset({"bool", "int", "float", "decimal"})
_DIGITS: Final = re.compile(r"\s*[+-]?(\d[\d_]*)?\.?\d*([eE][+-]?\d+)?\s*")
_FINER: Final = re.compile(r"[.,]\d{6}\d*[1-9]")
_INT_RANGES: Final[dict[pl.DataType, tuple[int, int]]] = {
    dtype: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for dtype, bits in ((pl.Int8(), 8), (pl.Int16(), 16), (pl.Int32(), 32), (pl.Int64(), 64), (pl.Int128(), 128))
} | {
    dtype: (0, 2**bits - 1)
    for dtype, bits in ((pl.UInt8(), 8), (pl.UInt16(), 16), (pl.UInt32(), 32), (pl.UInt64(), 64))
}
_LARGEST_FLOAT32: Final = 3.4028234663852886e38
_LARGEST: Final = 2**63 - 1
_MICROSECOND: Final = dt.timedelta(microseconds=1)


def own(shape: Shape, value: Any) -> Any:
    """A value that is of the field's own type already, and fits its column.

    Raises:
        Refused: It is of another type, or does not fit.
    """
    if not _is_own(shape, value):
        raise Refused("type", f"a {type(value).__name__} is not the field's own type", value)
    if shape.kind == "json" and get_args(shape.of)[1:] != (Any,):
        _refuse_repaired(shape, value)
    if shape.kind == "any" and unwrapped(value) is not value:
        raise Refused("type", f"a {type(value).__name__} only stands for a value", value)
    return settled(shape, value)


def _refuse_repaired(shape: Shape, value: Any) -> None:
    """Refuse a dict whose values are not of the type that the field says, yet."""
    try:
        found = shape.plain.validate_python(value, strict=True)
    except ValidationError as error:
        raise from_pydantic(error, value) from None
    if found != value or any(type(found[key]) is not type(value[key]) for key in value):
        raise Refused("type", "its values are not of the type that the field says", value)


def coerced(shape: Shape, value: Any) -> Any:
    """What a value becomes in a field that repairs: pydantic's lax answer, but for what would be lost in silence.

    Raises:
        Refused: It cannot be repaired.
    """
    if shape.kind == "any":
        return settled(shape, value)
    if shape.kind == "str":
        return _text(shape, value)
    if _is_own(shape, value) and shape.kind != "json":
        return settled(shape, value)
    if not shape.lax:
        _guard(shape, value)
        if shape.epoch is not None and shape.kind in _MOMENTS and _is_bare(value):
            return settled(shape, from_epoch(shape.kind, shape.epoch, value))
    try:
        found = shape.plain.validate_python(value)
    except ValidationError as error:
        raise from_pydantic(error, value) from None
    except (TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise Refused("type", f"it does not read as one ({type(error).__name__})", value) from None
    if shape.kind == "float" and not shape.lax:
        _refuse_rounded(value, found)
    return settled(shape, _exact(shape.kind, found))


def settled(shape: Shape, value: Any) -> Any:
    """A value of the right type, if the field's column can hold it without loss.

    Raises:
        Refused: It cannot.
    """
    check = _FITS.get(shape.kind)
    if check is not None:
        check(shape, value)
    return value


def _is_own(shape: Shape, value: Any) -> bool:
    """Whether a value has the field's own type; a subclass is another type."""
    kind = shape.kind
    if kind == "enum":
        return type(value) is shape.of
    if kind == "literal":
        return any(type(one) is type(value) and one == value for one in get_args(shape.of))
    if kind == "any":
        return True
    return type(value) is _OWN[kind]


def _text(shape: Shape, value: Any) -> str:
    """What a text field takes."""
    if shape.lax:
        if isinstance(value, (Enum, float, Decimal)):
            return text.unicode(str(value.value if isinstance(value, Enum) else value))
        return text.as_text(value)
    try:
        return text.as_text(value)
    except Refused as refused:
        refused.value, refused.wanted = value, shape.wanted
        raise


def _guard(shape: Shape, value: Any) -> None:
    """Refuse what pydantic would take and lose something of."""
    if isinstance(value, Enum) and not (shape.kind in _NUMBERS and isinstance(value, (int, float))):
        raise Refused("enum_member", "a member of another Enum is not its value; give its .value", value)
    if shape.kind not in _TEMPORAL:
        return
    if shape.epoch is None and shape.kind != "timedelta" and _is_bare(value):
        raise Refused("bare_digits", "bare digits are no moment unless the field says epoch='s', 'ms' or 'us'", value)
    if isinstance(value, (str, bytes, bytearray)):
        written = value if isinstance(value, str) else bytes(value).decode("latin-1")
        if _FINER.search(written):
            raise Refused("inexact", "it has fractions finer than a microsecond", value)


def _is_bare(value: Any) -> bool:
    """Whether a value is a number, or a text of nothing else."""
    if isinstance(value, (bytes, bytearray)):
        value = bytes(value).decode("latin-1")
    if isinstance(value, str):
        return bool(value.strip()) and _DIGITS.fullmatch(value) is not None and any(map(str.isdigit, value))
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _refuse_rounded(value: Any, found: float) -> None:
    """Refuse an integer that came out of a float field as another number."""
    if isinstance(value, int) and found != value:
        raise Refused("inexact", "a float cannot hold this integer exactly", value)


def _plain_datetime(one: dt.datetime) -> dt.datetime:
    """A datetime of a subclass as one of the type itself."""
    day = (one.year, one.month, one.day, one.hour, one.minute, one.second, one.microsecond)
    return dt.datetime(*day, tzinfo=one.tzinfo, fold=one.fold)


_PLAINLY: Final[dict[str, Callable[[Any], Any]]] = {
    "int": int.__int__,
    "float": float.__float__,
    "decimal": Decimal,
    "bytes": lambda one: bytes(bytearray(one)),
    "date": lambda one: dt.date(one.year, one.month, one.day),
    "naive_datetime": _plain_datetime,
    "aware_datetime": _plain_datetime,
    "time": lambda one: dt.time(one.hour, one.minute, one.second, one.microsecond, one.tzinfo, fold=one.fold),
    "timedelta": lambda one: dt.timedelta(one.days, one.seconds, one.microseconds),
    "uuid": lambda one: UUID(int=one.int),
    "json": dict,
}


def _exact(kind: Kind, value: Any) -> Any:
    """A value of a subclass, such as NumPy's float, as one of the type itself."""
    target = _OWN.get(kind)
    if target is None or type(value) is target:
        return value
    if not isinstance(value, target):
        raise Refused("type", f"it reads as a {type(value).__name__}", value)
    try:
        return _PLAINLY[kind](value)
    except (TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise Refused("type", f"it does not read as one ({type(error).__name__})", value) from None


def _fits_int(shape: Shape, value: int) -> None:
    low, high = _INT_RANGES[shape.dtype]
    if not low <= value <= high:
        raise Refused("out_of_range", f"{shape.dtype} holds {low} to {high}", value)


def _fits_float(shape: Shape, value: float) -> None:
    if shape.dtype == pl.Float32() and abs(value) > _LARGEST_FLOAT32 and abs(value) != float("inf"):
        raise Refused("out_of_range", f"Float32 holds up to {_LARGEST_FLOAT32}", value)


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
