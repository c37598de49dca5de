"""One value of one kind: what it becomes, or why it is refused. The meaning of everything faster than this."""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, get_args
from uuid import UUID
from zoneinfo import ZoneInfo

import polars as pl
from pydantic import ValidationError

from dagster_contracts.rows import text
from dagster_contracts.rows.epochs import from_epoch
from dagster_contracts.rows.fits import settled
from dagster_contracts.rows.foreign import unwrapped
from dagster_contracts.rows.refused import Refused, from_pydantic

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.rows.shapes import Kind, Shape

OWN_TYPES: Final[dict[str, type]] = {
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
_MOST_DIGITS: Final = 400
_ROUNDING: Final = 16  # units in a float's last place that sums of seconds may be off
_FLOAT32: Final = struct.Struct("f")
_DIGITS: Final = re.compile(r"\s*[+-]?(\d[\d_]*)?\.?\d*([eE][+-]?\d+)?\s*")
_WHOLE: Final = re.compile(r"\s*[+-]?\d[\d_]*(\.0*)?\s*")
_CALENDAR: Final = re.compile(r"[+-]?P[^T]*[1-9][\d.,]*[YM]")
_FINER: Final = re.compile(r"[.,]\d{6}\d*[1-9]")


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
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > _MOST_DIGITS:
        raise Refused("out_of_range", f"it has more than {_MOST_DIGITS} digits", value)
    if not shape.lax:
        _guard(shape, value)
        if shape.epoch is not None and shape.kind in _MOMENTS and _is_bare(value):
            return _in_zone(shape, settled(shape, from_epoch(shape.kind, shape.epoch, value)))
    try:
        found = shape.plain.validate_python(value)
    except ValidationError as error:
        raise from_pydantic(error, value) from None
    except (TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise Refused("type", f"it does not read as one ({type(error).__name__})", value) from None
    found = settled(shape, _exact(shape.kind, found))
    if shape.kind == "timedelta" and not shape.lax:
        _refuse_finer(value, found)
    return _in_width(shape, value, found) if shape.kind == "float" else _in_zone(shape, found)


def _is_own(shape: Shape, value: Any) -> bool:
    """Whether a value has the field's own type; a subclass is another type."""
    kind = shape.kind
    if kind == "enum":
        return type(value) is shape.of
    if kind == "literal":
        return any(type(one) is type(value) and one == value for one in get_args(shape.of))
    if kind == "any":
        return True
    return type(value) is OWN_TYPES[kind]


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
        if shape.kind == "timedelta" and _CALENDAR.match(written):
            raise Refused("calendar", "years and months have no fixed length; give days", value)


def _is_bare(value: Any) -> bool:
    """Whether a value is a number, or a text of nothing else."""
    if isinstance(value, (bytes, bytearray)):
        value = bytes(value).decode("latin-1")
    if isinstance(value, str):
        return bool(value.strip()) and _DIGITS.fullmatch(value) is not None and any(map(str.isdigit, value))
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _refuse_finer(value: Any, found: dt.timedelta) -> None:
    """Refuse seconds of which less than a microsecond was cut off; a float's own rounding is none."""
    if isinstance(value, Decimal):
        cut = Decimal(found // dt.timedelta(microseconds=1)).scaleb(-6) != value
    else:
        cut = isinstance(value, float) and abs(found.total_seconds() - value) > _ROUNDING * math.ulp(value)
    if cut:
        raise Refused("inexact", "it has fractions finer than a microsecond", value)


def _in_width(shape: Shape, value: Any, found: float) -> float:
    """A repaired float as its column holds it, unless it was a number that no float is near, or an integer."""
    if shape.dtype == pl.Float32():
        found = _FLOAT32.unpack(_FLOAT32.pack(found))[0]
    if shape.lax:
        return found
    written = _number_of(value)
    if math.isinf(found) and written is not None and written.is_finite():
        raise Refused("out_of_range", "no float reaches so far", value)
    if found == 0 and written:
        raise Refused("inexact", "the float nearest to it is zero", value)
    if (isinstance(value, int) and found != value) or (_is_whole(value) and Decimal(found) != written):
        raise Refused("inexact", "a float cannot hold this integer exactly", value)
    return found


def _number_of(value: Any) -> Decimal | None:
    """The number that a text or a decimal is; `None` for other values."""
    if isinstance(value, (bytes, bytearray)):
        value = bytes(value).decode("latin-1")
    if not isinstance(value, (str, Decimal)):
        return None
    try:
        return Decimal(value)
    except ArithmeticError:
        return None


def _is_whole(value: Any) -> bool:
    """Whether a text or a decimal writes out all digits of an integer, so that each is meant."""
    if isinstance(value, Decimal):
        return value.is_finite() and value.as_tuple().exponent <= 0 and value == value.to_integral_value()  # type: ignore[operator]
    if isinstance(value, (bytes, bytearray)):
        value = bytes(value).decode("latin-1")
    return isinstance(value, str) and _WHOLE.fullmatch(value) is not None


def _in_zone(shape: Shape, found: Any) -> Any:
    """A repaired moment in its column's zone."""
    zone = getattr(shape.dtype, "time_zone", None)
    return found if zone is None else found.astimezone(ZoneInfo(zone))


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
    target = OWN_TYPES.get(kind)
    if target is None or type(value) is target:
        return value
    if not isinstance(value, target):
        raise Refused("type", f"it reads as a {type(value).__name__}", value)
    try:
        return _PLAINLY[kind](value)
    except (TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise Refused("type", f"it does not read as one ({type(error).__name__})", value) from None
