"""What aggregates and window functions return in each dialect, where it depends on their argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.typing.typed import STRING, TEXT, Typed, of, some_decimal, unknown
from dagster_contracts.sql.typing.unify import unify

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import exp

    from dagster_contracts.sql.typing.scope import Context

_MOST_DIGITS = 38
_SUM = {
    "postgres": {"Int16": "Int64", "Int32": "Int64", "Int64": "Decimal", "Decimal": "Decimal"}
    | {"Float32": "Float32", "Float64": "Float64", "Interval": "Interval"},
    "bigquery": {"Int64": "Int64", "Float64": "Float64"},
    "databricks": {"Int8": "Int64", "Int16": "Int64", "Int32": "Int64", "Int64": "Int64"}
    | {"Float32": "Float64", "Float64": "Float64"},
    "snowflake": {"Decimal": "Decimal", "Float64": "Float64"},
}
_AVG = {
    "postgres": {"Int16": "Decimal", "Int32": "Decimal", "Int64": "Decimal", "Decimal": "Decimal"}
    | {"Float32": "Float64", "Float64": "Float64", "Interval": "Interval"},
    "bigquery": {"Int64": "Float64", "Float64": "Float64"},
    "databricks": dict.fromkeys(["Int8", "Int16", "Int32", "Int64", "Float32", "Float64"], "Float64"),
    "snowflake": {"Decimal": "Decimal", "Float64": "Float64"},
}


def _total(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """SUM and AVG."""
    found, dialect, name = args[0], context.dialect, type(call).__name__.upper()
    if found.type is None:
        return unknown(f"{name} of what is not known", *found.reasons)
    if found.type.name == "Decimal" and dialect == "bigquery":
        return found
    if found.type.name == "Decimal" and dialect == "databricks":
        return _spark_total(name, found.type)
    result = (_SUM if name == "SUM" else _AVG).get(dialect, {}).get(found.type.name)
    if result == "Decimal":
        return some_decimal(f"{dialect} keeps or documents no digits of {name}")
    return of(result) if result else unknown(f"{name} of {found.type} in {dialect} is not known")


def _spark_total(name: str, found: Type) -> Typed:
    """Databricks' digits of SUM and AVG."""
    if found.precision is None:
        return some_decimal(f"the digits of what {name} adds are not known")
    more, scale = (10, found.scale or 0) if name == "SUM" else (4, (found.scale or 0) + 4)
    if found.precision + more > _MOST_DIGITS:
        if name == "SUM":
            return Typed(Type("Decimal", _MOST_DIGITS, scale))
        return some_decimal(f"the digits of {name} are cut at {_MOST_DIGITS}")
    return Typed(Type("Decimal", found.precision + more, scale))


def _argument(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """MIN, MAX, LAG and whatever else returns one of its argument's values."""
    name = type(call).__name__.upper()
    found = args[0] if args else unknown()
    if found.type is None:
        return unknown(f"{name} of what is not known", *found.reasons)
    if found.type == TEXT:
        return STRING
    if call.args.get("default") is not None and unify(context.dialect, [found, args[-1]]).type != found.type:
        return unknown(f"{name} with a default of another type", *args[-1].reasons)
    if found.type.name == "Decimal" and context.dialect in ("postgres", "snowflake"):
        kept = context.dialect == "snowflake" and found.type.precision is not None
        return found if kept else some_decimal(f"{context.dialect} keeps no digits of a decimal that {name} returns")
    return found


def _array(_call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """ARRAY_AGG, collect_list, collect_set."""
    if context.dialect == "snowflake":
        return of("Array")
    found = STRING if args and args[0].type == TEXT else args[0] if args else unknown()
    if found.type is None or found.type.name == "Array" or context.dialect == "duckdb":
        return unknown("the elements of ARRAY_AGG are not known", *found.reasons)
    if found.type.name == "Decimal" and context.dialect == "postgres":
        return Typed(Type("Array", args=(Type("Decimal"),)), ("Postgres keeps no digits in ARRAY_AGG",))
    return Typed(Type("Array", args=(found.type,)), found.reasons)


def _joined_text(_call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """STRING_AGG, LISTAGG."""
    found = args[0].type if args else None
    if found is not None and (found.name in ("String", TEXT.name) or context.dialect in ("snowflake", "databricks")):
        return STRING
    return unknown("STRING_AGG of what may not be text", *(args[0].reasons if args else ()))


def _spread(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """STDDEV, VARIANCE."""
    found, dialect = args[0].type if args else None, context.dialect
    if found is not None and (dialect in ("databricks", "bigquery") or found.name == "Float64"):
        return of("Float64")
    if found is not None and dialect == "postgres" and found.name in ("Int16", "Int32", "Int64", "Decimal"):
        return some_decimal("Postgres keeps no digits of a numeric that it computes")
    return unknown(f"{type(call).__name__} in {dialect} is not known")


_VALUES = ["Min", "Max", "AnyValue", "First", "Last", "Lag", "Lead", "FirstValue", "LastValue", "NthValue", "Mode"]
AGGREGATES: dict[str, Callable[[exp.Expr, list[Typed], Context], Typed]] = {
    **dict.fromkeys(["Sum", "Avg"], _total),
    **dict.fromkeys([*_VALUES, "ArgMax", "ArgMin"], _argument),
    **dict.fromkeys(["ArrayAgg", "ArrayUniqueAgg"], _array),
    "GroupConcat": _joined_text,
    **dict.fromkeys(["Stddev", "StddevSamp", "StddevPop", "Variance", "VariancePop"], _spread),
}
