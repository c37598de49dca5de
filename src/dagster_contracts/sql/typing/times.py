"""Arithmetic on dates, times and intervals, as the products' documentation of these operators says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.sql.typing.typed import Typed, of, some_decimal, unknown

if TYPE_CHECKING:
    from dagster_contracts.contract.types import Type

_INTEGERS = ("Int16", "Int32")
_POSTGRES = {
    "Date + Interval": "TimestampNtz",
    "Date - Interval": "TimestampNtz",
    "Interval + Date": "TimestampNtz",
    "Date - Date": "Int32",
    "TimestampNtz + Interval": "TimestampNtz",
    "TimestampNtz - Interval": "TimestampNtz",
    "Interval + TimestampNtz": "TimestampNtz",
    "Timestamp + Interval": "Timestamp",
    "Timestamp - Interval": "Timestamp",
    "Interval + Timestamp": "Timestamp",
    "TimestampNtz - TimestampNtz": "Interval",
    "Timestamp - Timestamp": "Interval",
    "Interval + Interval": "Interval",
    "Interval - Interval": "Interval",
    "Date + Time": "TimestampNtz",
    "Time - Time": "Interval",
    "Time + Interval": "Time",
    "Time - Interval": "Time",
    **{f"Date {operator} {name}": "Date" for operator in "+-" for name in _INTEGERS},
    **{f"{name} + Date": "Date" for name in _INTEGERS},
    **{
        f"Interval {operator} {name}": "Interval"
        for operator in "*/"
        for name in (*_INTEGERS, "Int64", "Float64", "Decimal")
    },
    **{f"{name} * Interval": "Interval" for name in (*_INTEGERS, "Int64", "Float64", "Decimal")},
}
_BIGQUERY = {
    "Date + Int64": "Date",
    "Date - Int64": "Date",
    "Int64 + Date": "Date",
    "Date + Interval": "TimestampNtz",
    "Date - Interval": "TimestampNtz",
    "TimestampNtz + Interval": "TimestampNtz",
    "TimestampNtz - Interval": "TimestampNtz",
    "Timestamp + Interval": "Timestamp",
    "Timestamp - Interval": "Timestamp",
    "Date - Date": "Interval",
    "TimestampNtz - TimestampNtz": "Interval",
    "Timestamp - Timestamp": "Interval",
}
_DATABRICKS = {
    "TimestampNtz + Interval": "TimestampNtz",
    "TimestampNtz - Interval": "TimestampNtz",
    "Timestamp + Interval": "Timestamp",
    "Timestamp - Interval": "Timestamp",
    "Date - Date": "Interval",
    "Timestamp - Timestamp": "Interval",
    "TimestampNtz - TimestampNtz": "Interval",
    "Date + Int32": "Date",
    "Date - Int32": "Date",
}
_SNOWFLAKE = {
    "Date + Decimal": "Date",
    "Date - Decimal": "Date",
    "TimestampNtz + Interval": "TimestampNtz",
    "TimestampNtz - Interval": "TimestampNtz",
}
_TABLES = {"postgres": _POSTGRES, "bigquery": _BIGQUERY, "databricks": _DATABRICKS, "snowflake": _SNOWFLAKE}


def time_arithmetic(dialect: str, operator: str, left: Type, right: Type) -> Typed:
    """The type of an operation that is not one of two numbers.

    Args:
        dialect: The dialect.
        operator: `+`, `-`, `*`, `/` or `%`.
        left: The left operand's type.
        right: The right operand's.

    Returns:
        The result's type, where the dialect's documentation tells it.
    """
    found = _TABLES.get(dialect, {}).get(f"{left.name} {operator} {right.name}")
    if found:
        return of(found)
    if dialect == "snowflake" and operator == "-" and left.name == right.name == "Date":
        return some_decimal("Snowflake's documentation names no digits for a difference of dates")
    return unknown(f"what {dialect} makes of {left} {operator} {right} is not known")
