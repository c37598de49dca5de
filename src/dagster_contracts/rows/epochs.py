"""Bare digits as a moment, in the unit that the field names: exact, or refused."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from dagster_contracts.rows.refused import Refused

if TYPE_CHECKING:
    from dagster_contracts.contract.row_fields import EpochUnit
    from dagster_contracts.rows.shapes import Kind

_MICROSECONDS: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}
_DAY: Final = 86_400_000_000
_START: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MOST_DIGITS: Final = 40


def from_epoch(kind: Kind, unit: EpochUnit, value: Any) -> dt.date | dt.datetime:
    """The moment so many units after 1970 began in UTC.

    Args:
        kind: What the field is: a date, or a datetime without or with a zone.
        unit: What the digits count.
        value: A number, or its digits as text or bytes. A float stands for the shortest decimal that reads as it.

    Raises:
        Refused: It is not finite, not whole in microseconds (or days, for a date), or out of range.
    """
    micro = _number(value) * _MICROSECONDS[unit]
    whole = _DAY if kind == "date" else 1
    if micro % whole:
        part = "a time of day" if kind == "date" else "fractions finer than a microsecond"
        raise Refused("inexact", f"it has {part}", value)
    try:
        moment = _START + dt.timedelta(microseconds=int(micro))
    except OverflowError:
        raise Refused("out_of_range", f"read as {unit} since 1970 it leaves the years 1 to 9999", value) from None
    if kind == "date":
        return moment.date()
    return moment if kind == "aware_datetime" else moment.replace(tzinfo=None)


def _number(value: Any) -> Fraction:
    """The digits as an exact number."""
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, (bytes, bytearray)):
        written = bytes(value).decode("latin-1")
    else:
        written = value if isinstance(value, str) else repr(float(value)) if isinstance(value, float) else str(value)
    written = written.strip()
    exponent = written.lower().partition("e")[2]
    try:
        if len(written) > _MOST_DIGITS or (exponent and abs(int(exponent)) > _MOST_DIGITS):
            raise Refused("out_of_range", "it has more digits than any moment", value)
        return Fraction(written)
    except ValueError:
        raise Refused("value", "it is no finite number", value) from None
