"""What pydantic would take of a value, and lose something of it in silence: refused."""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import Any, Final, get_args, get_origin

import polars as pl

from dagster_contracts.rows.refused import Refused
from dagster_contracts.rows.shapes import LEAF_KINDS, Shape, stripped

_TEMPORAL: Final = frozenset({"date", "naive_datetime", "aware_datetime", "time", "timedelta"})
_NUMBERS: Final = frozenset({"bool", "int", "float", "decimal"})
_ROUNDING: Final = 16  # units in a float's last place that sums of seconds may be off
_MOST_SECONDS: Final = 86_400 * 10**9
_FLOAT32: Final = struct.Struct("f")
_DIGITS: Final = re.compile(r"\s*[+-]?(\d[\d_]*)?\.?\d*([eE][+-]?\d+)?\s*")
_WHOLE: Final = re.compile(r"\s*[+-]?\d[\d_]*(\.0*)?\s*")
_CALENDAR: Final = re.compile(r"[+-]?P[^T]*[1-9][\d.,]*[YM]")
_FINER: Final = re.compile(r"[.,]\d{6}\d*[1-9]")
_LEAVES: Final = {of: Shape(kind, of, pl.Null()) for of, kind in LEAF_KINDS.items() if kind != "any"}
"""The shapes of values that have no column of their own."""


def guard(shape: Shape, value: Any) -> None:
    """Refuse what pydantic would take and lose something of.

    Args:
        shape: The field.
        value: What was given, before pydantic saw it.

    Raises:
        Refused: Something would be lost.
    """
    if isinstance(value, Enum) and not (shape.kind in _NUMBERS and isinstance(value, (int, float))):
        raise Refused("enum_member", "a member of another Enum is not its value; give its .value", value)
    if shape.kind not in _TEMPORAL:
        return
    if shape.epoch is None and shape.kind != "timedelta" and is_bare(value):
        raise Refused("bare_digits", "bare digits are no moment unless the field says epoch='s', 'ms' or 'us'", value)
    if shape.kind == "timedelta" and isinstance(value, (int, float)) and abs(value) >= _MOST_SECONDS:
        raise Refused("value", "durations may not exceed 999,999,999 days", value)  # older pydantic shortens some
    if isinstance(value, (str, bytes, bytearray)):
        written = value if isinstance(value, str) else bytes(value).decode("latin-1")
        if _FINER.search(written):
            raise Refused("inexact", "it has fractions finer than a microsecond", value)
        if shape.kind == "timedelta" and _CALENDAR.match(written):
            raise Refused("calendar", "years and months have no fixed length; give days", value)


def is_bare(value: Any) -> bool:
    """Whether a value is a number, or a text of nothing else."""
    if isinstance(value, (bytes, bytearray)):
        value = bytes(value).decode("latin-1")
    if isinstance(value, str):
        return bool(value.strip()) and _DIGITS.fullmatch(value) is not None and any(map(str.isdigit, value))
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def refuse_finer(value: Any, found: dt.timedelta) -> None:
    """Refuse seconds of which less than a microsecond was cut off; a float's own rounding is none.

    Raises:
        Refused: Some was.
    """
    if isinstance(value, Decimal):
        cut = Decimal(found // dt.timedelta(microseconds=1)).scaleb(-6) != value
    else:
        cut = isinstance(value, float) and abs(found.total_seconds() - value) > _ROUNDING * math.ulp(value)
    if cut:
        raise Refused("inexact", "it has fractions finer than a microsecond", value)


def in_width(shape: Shape, value: Any, found: float) -> float:
    """A repaired float as its column holds it, unless it was a number that no float is near, or an integer.

    Raises:
        Refused: It was.
    """
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


def guard_inside(of: Any, value: Any, found: Any) -> None:
    """Refuse what pydantic took inside of a dict and lost something of: its values are guarded as those of columns.

    Args:
        of: The annotation of the dict.
        value: What was given.
        found: What pydantic made of it.

    Raises:
        Refused: Something was lost.
    """
    pairs: list[tuple[str, Any, Any]] = []
    origin, arguments = get_origin(of), get_args(of)
    if origin in (dict, Mapping) and isinstance(value, Mapping):
        pairs = [(f".{key}", one, made) for (key, one), made in zip(value.items(), found.values(), strict=True)]
    elif origin is list and isinstance(value, (list, tuple)):
        pairs = [(f"[{at}]", one, made) for at, (one, made) in enumerate(zip(value, found, strict=True))]
    elif not origin and value is not None and type(value) is not type(found) and (shape := _LEAVES.get(of)) is not None:
        guard(shape, value)
        if shape.kind == "timedelta":
            refuse_finer(value, found)
        if shape.kind == "float":
            in_width(shape, value, found)
    for place, one, made in pairs:
        try:
            guard_inside(stripped(arguments[-1])[0], one, made)
        except Refused as refused:
            raise refused.inside(place) from None
