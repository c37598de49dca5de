"""Values as text, without loss: what a text field takes from other types, and JSON."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import Any, Final
from uuid import UUID

from dagster_contracts.rows.failure import kind_of
from dagster_contracts.rows.foreign import as_mapping, unwrapped
from dagster_contracts.rows.refused import Refused

_MOST_DIGITS: Final = 308  # a double, which engines read them as, reaches a little further
_MOST: Final = 10**_MOST_DIGITS
MAX_DEPTH: Final = 100
"""How deeply lists and dicts may be nested in each other."""


def as_text(value: Any) -> str:
    """A value as the text that a text field holds.

    Numbers, booleans and UUIDs as Python writes them, dates and times as ISO 8601, bytes as UTF-8, lists and dicts as
    JSON.

    Raises:
        Refused: It has no text of its own, or none without loss.
    """
    if isinstance(value, Enum):
        raise Refused("enum_member", "a member of an Enum is not its value's text; give its .value", value)
    if isinstance(value, str):
        return unicode(str.__str__(value))
    if is_nan(value):
        raise Refused("not_a_number", "NaN is no text", value)
    if isinstance(value, int):
        return from_int(value)
    if isinstance(value, (float, Decimal, UUID)):
        return str(value)
    if isinstance(value, (dt.date, dt.time, dt.timedelta)):
        return iso(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return from_bytes(value)
    if isinstance(value, (list, tuple)) or as_mapping(value) is not None:
        return as_json(value)
    raise Refused("type", f"{kind_of(value)} has no text of its own", value)


def is_nan(value: object) -> bool:
    """Whether a value is a NaN of any kind, also the one that compares with nothing."""
    return value.is_nan() if isinstance(value, Decimal) else isinstance(value, float) and math.isnan(value)


def from_int(value: int) -> str:
    """An integer's digits.

    Raises:
        Refused: There are more than Python writes.
    """
    try:
        return str(value)
    except ValueError:
        raise Refused("out_of_range", "it has more digits than Python writes", wanted="text") from None


def iso(value: dt.date | dt.time | dt.timedelta) -> str:
    """A date, a time or a duration as ISO 8601."""
    return _duration(value) if isinstance(value, dt.timedelta) else value.isoformat()


def _duration(value: dt.timedelta) -> str:
    """A duration in days, hours, minutes and seconds, none of which depends on a calendar."""
    micro = abs(value // dt.timedelta(microseconds=1))
    seconds, fraction = divmod(micro, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    second_text = f"{second}.{fraction:06}".rstrip("0") if fraction else str(second)
    clock = "".join(f"{n}{unit}" for n, unit in ((hour, "H"), (minute, "M"), (second_text, "S")) if n not in (0, "0"))
    written = (f"{days}D" if days else "") + (f"T{clock}" if clock else "")
    return f"{'-' if value < dt.timedelta(0) else ''}P{written or 'T0S'}"


def from_bytes(value: bytes | bytearray | memoryview) -> str:
    """Bytes as the UTF-8 they are.

    Raises:
        Refused: They are not UTF-8.
    """
    try:
        return bytes(value).decode()
    except UnicodeDecodeError:
        raise Refused("encoding", "the bytes are not UTF-8", value) from None


def unicode(text: str) -> str:
    """A text that UTF-8 can write.

    Raises:
        Refused: It has a lone surrogate.
    """
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Refused("encoding", "it has a lone surrogate, which UTF-8 cannot write", text) from None
    return text


def as_json(value: Any) -> str:
    """A value as JSON text that loses nothing.

    Raises:
        Refused: It holds what JSON cannot: NaN, keys that are no text, sets, objects.
    """
    return json.dumps(_plain(value, 0), ensure_ascii=False, allow_nan=False)


def _plain(value: Any, depth: int) -> Any:
    """A value in the types that JSON has."""
    if depth > MAX_DEPTH:
        raise Refused("too_deep", f"lists and dicts are nested more than {MAX_DEPTH} deep", wanted="JSON")
    if not isinstance(value, (str, int, float, list, dict)):
        value = _known(unwrapped(value))
    if isinstance(value, Enum):
        raise Refused("enum_member", "a member of an Enum is not its value's text; give its .value", value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return unicode(str.__str__(value))
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return [_plain(one, depth + 1) for one in value]
    return {_key(key): _plain(one, depth + 1) for key, one in value.items()}


def _number(value: float) -> float:
    """A number as JSON has it, and as engines read it."""
    if isinstance(value, int):
        number = int.__int__(value)
        if not -_MOST < number < _MOST:
            raise Refused("out_of_range", f"engines read JSON's integers up to {_MOST_DIGITS} digits", value)
        return number
    if not math.isfinite(value):
        raise Refused("not_a_number", "JSON has no NaN and no infinity", value)
    return float.__float__(value)


def _known(value: Any) -> Any:
    """A value that JSON does not have, as the text or the mapping that stands for it."""
    if value is None or isinstance(value, (str, int, float, list, tuple, Mapping, Enum)):
        mapping = as_mapping(value) if isinstance(value, tuple) else None
        return value if mapping is None else mapping
    if isinstance(value, (Decimal, UUID, dt.date, dt.time, dt.timedelta, bytes, bytearray)):
        return as_text(value)
    mapping = as_mapping(value)
    if mapping is None:
        raise Refused("json", f"JSON cannot hold {kind_of(value)}", value)
    return mapping


def _key(key: object) -> str:
    """A key of an object in JSON."""
    if not isinstance(key, str) or isinstance(key, Enum):
        raise Refused("json", f"a key is {kind_of(key)}, and JSON's keys are text", key)
    return unicode(str.__str__(key))
