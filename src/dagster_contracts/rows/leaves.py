"""One value of one kind: what it becomes, or why it is refused. The meaning of everything faster than this."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, get_args
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from dagster_contracts.rows import text
from dagster_contracts.rows.epochs import from_epoch
from dagster_contracts.rows.failure import kind_of
from dagster_contracts.rows.fits import settled
from dagster_contracts.rows.foreign import unwrapped
from dagster_contracts.rows.guards import guard, guard_inside, in_width, is_bare, refuse_finer
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
_MOMENTS: Final = frozenset({"date", "naive_datetime", "aware_datetime"})
_MOST_DIGITS: Final = 400


def own(shape: Shape, value: Any) -> Any:
    """A value that is of the field's own type already, and fits its column.

    Raises:
        Refused: It is of another type, or does not fit.
    """
    if not _is_own(shape, value):
        raise Refused("type", f"{kind_of(value)} is not the field's own type", value)
    if shape.kind == "json" and get_args(shape.of)[1:] != (Any,):
        _refuse_repaired(shape, value)
    if shape.kind == "any" and unwrapped(value) is not value:
        raise Refused("type", f"{kind_of(value)} only stands for a value", value)
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
        return settled(shape, _text(shape, value))
    if _is_own(shape, value) and shape.kind != "json":
        return settled(shape, value)
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > _MOST_DIGITS:
        raise Refused("out_of_range", f"it has more than {_MOST_DIGITS} digits", value)
    if not shape.lax:
        guard(shape, value)
        if shape.epoch is not None and shape.kind in _MOMENTS and is_bare(value):
            return _in_zone(shape, settled(shape, from_epoch(shape.kind, shape.epoch, value)))
    read = _read(shape, value)
    if shape.kind == "json" and not shape.lax:
        guard_inside(shape.of, value, read)
    found = settled(shape, _exact(shape.kind, read))
    if shape.kind == "timedelta" and not shape.lax:
        refuse_finer(value, found)
    return in_width(shape, value, found) if shape.kind == "float" else _in_zone(shape, found)


def _read(shape: Shape, value: Any) -> Any:
    """Pydantic's lax answer."""
    try:
        return shape.plain.validate_python(value)
    except ValidationError as error:
        raise from_pydantic(error, value) from None
    except (TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise Refused("type", f"it does not read as one ({type(error).__name__})", value) from None


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
        raise Refused("type", f"it reads as {kind_of(value)}", value)
    try:
        return _PLAINLY[kind](value)
    except (TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise Refused("type", f"it does not read as one ({type(error).__name__})", value) from None
