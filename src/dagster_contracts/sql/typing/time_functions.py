"""What functions of dates and times return in each dialect, as the products' documentation says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.typing.typed import Typed, called, of, some_decimal, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.sql.typing.scope import Context

_UNIT_FIRST = re.compile(
    r"\b(date_?diff|timestampdiff)\s*\(\s*(\w*second|minute|hour|day\w*|week|month|quarter|year)\s*,", re.IGNORECASE
)
_DATE_PARTS = {"DATE": "Date", "TIME": "Time", "DATETIME": "TimestampNtz"}
_ZONED = ("Date", "TimestampNtz", "Timestamp")


def _extract(call: exp.Expr, _args: list[Typed], context: Context) -> Typed:
    """EXTRACT(part FROM x)."""
    part, dialect = call.this.name.upper(), context.dialect
    if dialect == "postgres" and (context.sql is None or "date_part" in context.sql.lower()):
        return unknown("EXTRACT is a numeric, date_part() a double precision; which of them stands here is not known")
    if dialect in ("postgres", "snowflake"):
        return some_decimal(f"{dialect} keeps or documents no digits of EXTRACT")
    if dialect == "bigquery":
        return of(_DATE_PARTS.get(part, "Int64"))
    if dialect == "databricks" and not part.startswith("SEC"):
        return of("Int32")
    return unknown(f"EXTRACT of {part} in {dialect} is not known")


def _date_trunc(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """DATE_TRUNC, TIMESTAMP_TRUNC, DATETIME_TRUNC, TRUNC."""
    dialect = context.dialect
    found = next((one for one in args if one.type is not None and one.type.name in _ZONED), None)
    if found is None or found.type is None:
        return unknown(f"{called(call)} of what is no known date or time", *(args[0].reasons if args else ()))
    if dialect == "databricks":
        return of("Date" if isinstance(call, exp.DateTrunc) else "Timestamp")
    if dialect == "postgres" and found.type.name == "Date":
        return of("Timestamp")
    return found if dialect in ("postgres", "bigquery", "snowflake") else unknown(f"{called(call)} in {dialect}")


def _date_add(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """DATE_ADD, DATE_SUB, DATEADD, TIMESTAMP_ADD and the like."""
    dialect, found = context.dialect, args[0]
    if found.type is None or found.type.name not in _ZONED:
        return unknown(f"{called(call)} of what is no known date or time", *found.reasons)
    unit = call.args.get("unit")
    whole_days = unit is not None and unit.name.upper() in ("DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
    if dialect == "bigquery":
        return found
    if dialect == "databricks" and isinstance(call, exp.TsOrDsAdd | exp.AddMonths):
        return of("Date")
    if dialect == "databricks" and isinstance(call, exp.TimestampAdd) and found.type.name != "Date":
        return found
    if dialect == "snowflake" and (found.type.name != "Date" or whole_days):
        return found
    return unknown(f"{called(call)} of {found.type} in {dialect}")


def _date(_call: exp.Expr, _args: list[Typed], context: Context) -> Typed:
    """DATE(x), TO_DATE(x)."""
    return of("Date") if context.dialect != "duckdb" else unknown("DuckDB's binder was not asked")


def _timestamp(call: exp.Expr, _args: list[Typed], context: Context) -> Typed:
    """TIMESTAMP(x) of BigQuery."""
    return (
        of("Timestamp") if context.dialect == "bigquery" and isinstance(call, exp.Timestamp) else unknown(called(call))
    )


def _at_time_zone(_call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """AT TIME ZONE: it takes a zone away, or gives one."""
    other = {"Timestamp": "TimestampNtz", "TimestampNtz": "Timestamp"}
    if context.dialect == "postgres" and args[0].type is not None and args[0].type.name in other:
        return of(other[args[0].type.name])
    return unknown("AT TIME ZONE of what is not known", *args[0].reasons)


def _date_diff(call: exp.Expr, _args: list[Typed], context: Context) -> Typed:
    """DATEDIFF: in Databricks an INT between two dates, a BIGINT with a unit before them, which the parser forgets."""
    if context.dialect != "databricks":
        return of("Int64") if context.dialect == "bigquery" else _some_difference(context.dialect)
    if call.text("unit").upper() not in ("", "DAY"):
        return of("Int64")
    if context.sql is None or _UNIT_FIRST.search(context.sql):
        return unknown("datediff is an INT, or with a unit a BIGINT; which of them stands here is not known")
    return of("Int32")


def _some_difference(dialect: str) -> Typed:
    """Snowflake's DATEDIFF."""
    if dialect == "snowflake":
        return some_decimal("snowflake's documentation names no digits for DATEDIFF")
    return unknown(f"what DATEDIFF returns in {dialect} is not known")


TIME_FUNCTIONS: dict[str, Callable[[exp.Expr, list[Typed], Context], Typed]] = {
    "Extract": _extract,
    **dict.fromkeys(["TimestampTrunc", "DateTrunc", "DatetimeTrunc"], _date_trunc),
    **dict.fromkeys(["DateAdd", "DateSub", "DatetimeAdd", "DatetimeSub", "TimestampAdd", "TimestampSub"], _date_add),
    **dict.fromkeys(["TsOrDsAdd", "AddMonths"], _date_add),
    **dict.fromkeys(["Date", "TsOrDsToDate", "StrToDate"], _date),
    "Timestamp": _timestamp,
    "AtTimeZone": _at_time_zone,
    "DateDiff": _date_diff,
}
