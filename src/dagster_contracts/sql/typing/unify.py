"""The type that the branches of a CASE, a COALESCE or a set operation have in common, in each dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.typing.numbers import FLOATS, INTEGERS, NUMBERS, widest
from dagster_contracts.sql.typing.typed import FRACTION, NULL, TEXT, Typed, of, some_decimal, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

_POSTGRES_ORDER = (*INTEGERS, "Decimal", *FLOATS)
_BIGQUERY_ORDER = ("Int64", "Decimal", "Float64")
_DIGITS = {"Int8": 3, "Int16": 5, "Int32": 10, "Int64": 20}
_MOST_DIGITS = 38
# Pairs of dates and times of which the first becomes the second.
_TIMES = {
    "postgres": {("Date", "TimestampNtz"), ("Date", "Timestamp"), ("TimestampNtz", "Timestamp")},
    "bigquery": {("Date", "TimestampNtz")},
    "databricks": {("Date", "Timestamp"), ("Date", "TimestampNtz"), ("TimestampNtz", "Timestamp")},
}


def unify(dialect: str, branches: Iterable[Typed]) -> Typed:
    """The type of what is one of several expressions."""
    found: Typed | None = None
    for branch in branches:
        found = branch if found is None else _pair(dialect, found, branch)
    return found or Typed(NULL)


def settle(dialect: str, found: Typed, name: str) -> Typed:
    """The type of an output column whose type nothing else decides."""
    if found.type == TEXT:
        return Typed(Type("String"))
    if found.type == FRACTION:
        return of("Float64")
    if found.type == NULL:
        settled = {"postgres": "String", "bigquery": "Int64"}.get(dialect)
        return of(settled) if settled else unknown(f"{name} is an untyped NULL: write CAST(NULL AS …)")
    return found


def _pair(dialect: str, left: Typed, right: Typed) -> Typed:
    """What two have in common."""
    one, other = left.type, right.type
    if one is None or other is None:
        return left if one is None else right
    if one == other:
        return Typed(one, left.reasons or right.reasons)
    for constant, meeting in _CONSTANTS.items():
        if constant in (one, other):
            return meeting(dialect, right if one == constant else left)
    if {one.name, other.name} <= NUMBERS:
        return _numbers(dialect, left, right)
    return _times(dialect, one, other)


def _times(dialect: str, one: Type, other: Type) -> Typed:
    """What two dates or times have in common."""
    for narrow, wide in _TIMES.get(dialect, set()):
        if {one.name, other.name} == {narrow, wide}:
            return of(wide)
    return unknown(f"{one} and {other} meet, and what {dialect} makes of them is not known")


def _beside_constant(dialect: str, met: Typed) -> Typed:
    """What has a NULL or a quoted literal beside it: Postgres drops a numeric's digits there."""
    if dialect == "postgres" and met.type is not None and met.type.precision is not None:
        return some_decimal("Postgres keeps no digits of a numeric beside a constant")
    return met


def _with_literal(dialect: str, met: Typed) -> Typed:
    """What a quoted literal becomes beside something of another type."""
    text = met.type is not None and met.type.name == "String"
    time = met.type is not None and met.type.name in ("Date", "Timestamp", "TimestampNtz")
    if dialect == "postgres" or text or (time and dialect == "bigquery"):
        return _beside_constant(dialect, met)
    return unknown(f"a quoted literal meets {met.type}, and what {dialect} makes of them is not known")


def _with_fraction(_dialect: str, met: Typed) -> Typed:
    """What BigQuery's literal with a point becomes beside something of another type."""
    if met.type is not None and met.type.name in ("Decimal", "Float64", "Int64"):
        return met if met.type.name == "Decimal" else of("Float64")
    return unknown(f"a literal with a point meets {met.type}")


def _numbers(dialect: str, left: Typed, right: Typed) -> Typed:
    """What two different types of number have in common."""
    one, other = left.type, right.type
    if one is None or other is None:
        return unknown()
    names = {one.name, other.name}
    if dialect == "postgres":
        widened = widest(one, other, _POSTGRES_ORDER)
        return some_decimal("numerics of different digits meet") if widened == "Decimal" else of(widened)
    if dialect == "bigquery":
        widened = widest(one, other, _BIGQUERY_ORDER)
        return of(widened) if widened != "Decimal" else _widest_decimal(one, other)
    if dialect == "databricks":
        return _databricks(one, other)
    if dialect == "snowflake" and names <= {"Decimal", "Float64"}:
        return (
            of("Float64") if "Float64" in names else some_decimal(f"{one} and {other} meet: the digits are Snowflake's")
        )
    return unknown(f"{one} and {other} meet, and what {dialect} makes of them is not known")


def _widest_decimal(one: Type, other: Type) -> Typed:
    """BigQuery's BIGNUMERIC or NUMERIC."""
    decimals = [side for side in (one, other) if side.name == "Decimal"]
    if any(side.precision is None for side in decimals):
        return some_decimal("the digits of one of several decimals are not known")
    return Typed(max(decimals, key=lambda side: side.precision or 0))


def _databricks(one: Type, other: Type) -> Typed:
    """Databricks' least common type of two numbers."""
    names = {one.name, other.name}
    if names <= {*INTEGERS}:
        return of(widest(one, other, INTEGERS))
    if "Float64" in names or (names & {"Int32", "Int64", "Decimal"} and "Float32" in names):
        return of("Float64")
    if "Float32" in names:
        return unknown(f"the least common type of {one} and {other} depends on the version")
    digits = [
        (side.precision, side.scale or 0) if side.name == "Decimal" else (_DIGITS[side.name], 0)
        for side in (one, other)
    ]
    if any(precision is None for precision, _ in digits):
        return some_decimal("the digits of one of several decimals are not known")
    scale = max(scale for _, scale in digits)
    precision = max((precision or 0) - own for precision, own in digits) + scale
    if precision > _MOST_DIGITS:
        return some_decimal(f"the digits of {one} and {other} together are cut at {_MOST_DIGITS}")
    return Typed(Type("Decimal", precision, scale))


_CONSTANTS = {NULL: _beside_constant, TEXT: _with_literal, FRACTION: _with_fraction}
