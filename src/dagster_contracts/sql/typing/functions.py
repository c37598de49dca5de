"""What functions return in each dialect, as the products' documentation says. What is not listed is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.typing import function_tables as tables
from dagster_contracts.sql.typing.aggregates import AGGREGATES
from dagster_contracts.sql.typing.numbers import NUMBERS
from dagster_contracts.sql.typing.time_functions import TIME_FUNCTIONS
from dagster_contracts.sql.typing.typed import NULL, STRING, TEXT, Typed, called, of, some_decimal, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.sql.typing.scope import Context

_NO_TEXT = frozenset(["Binary", "Array", "Interval", "Struct", "Map"])


def function_type(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """The type that a function returns.

    Args:
        call: The parsed call.
        args: What is known of its arguments, in the order of the text.
        context: The model's.

    Returns:
        The type, or why it is not known.
    """
    dialect, name = context.dialect, type(call).__name__
    handler = AGGREGATES.get(name) or TIME_FUNCTIONS.get(name) or _HANDLERS.get(name)
    if handler is not None:
        return handler(call, args, context)
    if name in tables.TEXTUAL:
        return _text(call, args, context)
    fixed = tables.FIXED.get(name)
    if fixed is not None and dialect in fixed:
        return _fixed(fixed[dialect], name, dialect)
    if isinstance(call, exp.Anonymous):
        own = call.name.lower()
        by_name = tables.BY_NAME.get(dialect, {}).get(own)
        return _fixed(by_name, own, dialect) if by_name else unknown(f"{own}() is not a known function of {dialect}")
    return unknown(f"what {called(call)} returns in {dialect} is not known", *(args[0].reasons if args else ()))


def _fixed(text: str, name: str, dialect: str) -> Typed:
    """A type from a table; a decimal there has no digits that documentation names."""
    if not text:
        return unknown(f"what {name} returns in {dialect} is not known")
    if text == "Decimal":
        return some_decimal(f"{dialect}'s documentation names no digits for {name}")
    if text.startswith("Array<"):
        return Typed(Type("Array", args=(Type(text[6:-1]),)))
    return of(text)


def _text(call: exp.Expr, args: list[Typed], _context: Context) -> Typed:
    """A function of text that returns text, or binary of binary."""
    if not args or args[0].type is None or args[0].type.name in _NO_TEXT:
        return unknown(f"{called(call)} of what may not be text", *(args[0].reasons if args else ()))
    return STRING


def _rounded(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """ROUND, CEIL, FLOOR, TRUNC."""
    found = args[0]
    if found.type is None or found.type.name not in NUMBERS or context.dialect == "duckdb":
        return unknown(f"{called(call)} of what is no known number", *found.reasons)
    decimal = found.type.name == "Decimal"
    if context.dialect == "bigquery":
        return of("Float64") if found.type.name == "Int64" else found
    if decimal or (context.dialect == "postgres" and len(args) > 1):
        return some_decimal(f"the digits of {called(call)} are not documented, or are not kept")
    if context.dialect == "postgres":
        return of("Float64")
    if context.dialect == "databricks" and not isinstance(call, exp.Round):
        return of("Int64") if len(args) == 1 else unknown(f"{called(call)} to a scale")
    return found


def _same_number(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """ABS: the type of its argument."""
    found = args[0]
    if found.type is None or found.type.name not in NUMBERS or context.dialect == "duckdb":
        return unknown(f"{called(call)} of what is no known number", *found.reasons)
    if found.type.name == "Decimal" and context.dialect in ("postgres", "snowflake"):
        return some_decimal(f"the digits of {called(call)} are not documented")
    return found


def _json(_call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """`->`, `:`, JSON_QUERY."""
    dialect, found = context.dialect, args[0]
    if dialect == "snowflake":
        return of("Variant")
    if dialect == "postgres" and found.type == Type("Json"):
        return found
    if dialect == "bigquery" and found.type is not None:
        return found if found.type.name == "Json" else STRING
    if dialect == "databricks" and found.type is not None and found.type.name in ("String", "Variant"):
        return found
    return unknown("a part of what is not known to be JSON", *found.reasons)


def _div(_call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """DIV: whole numbers."""
    if {one.type.name if one.type else "" for one in args} <= {"Int8", "Int16", "Int32", "Int64"}:
        found = {"bigquery": "Int64", "databricks": "Int64"}.get(context.dialect)
        return of(found) if found else unknown("DIV")
    return unknown("DIV of what is no known integer")


def _safe_divide(_call: exp.Expr, args: list[Typed], _context: Context) -> Typed:
    """BigQuery's SAFE_DIVIDE, which returns what `/` does."""
    names = [one.type.name if one.type else "" for one in args]
    if set(names) <= {"Int64", "Float64"}:
        return of("Float64")
    return (
        args[0] if names[0] == "Decimal" and args[0].type == args[-1].type else unknown("SAFE_DIVIDE", *args[0].reasons)
    )


def _text_to_array(_call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """SPLIT."""
    if context.dialect == "snowflake":
        return of("Array")
    text = args[0].type is not None and args[0].type.name in ("String", TEXT.name, NULL.name)
    return Typed(Type("Array", args=(Type("String"),))) if text else unknown("SPLIT of what may not be text")


def _same_array(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """Functions that return an array of the type that they are given."""
    arrays = {one.type for one in args}
    first = args[0] if args else unknown()
    if context.dialect in ("bigquery", "databricks") and len(arrays) == 1 and first.type and first.type.name == "Array":
        return first
    return unknown(f"{called(call)} of what is no known array", *first.reasons)


def _sequence(_call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """Databricks' sequence and BigQuery's GENERATE_ARRAY over whole numbers."""
    kinds = {one.type for one in args}
    if (
        context.dialect in ("databricks", "bigquery")
        and len(kinds) == 1
        and next(iter(kinds)) in (Type("Int32"), Type("Int64"))
    ):
        return Typed(Type("Array", args=tuple(kind for kind in kinds if kind is not None)))
    return unknown("the bounds of a sequence are not known")


def _to_number(call: exp.Expr, _args: list[Typed], context: Context) -> Typed:
    """Snowflake's TO_NUMBER: NUMBER(38,0) where no digits are asked for."""
    digits = [call.args.get(part) for part in ("precision", "scale")]
    if context.dialect != "snowflake" or any(not isinstance(one, exp.Literal) for one in digits):
        return unknown("the digits of TO_NUMBER are not known")
    precision, scale = (int(one.name) for one in digits if one is not None)
    return Typed(Type("Decimal", precision, scale))


def _power(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """Functions that are a double precision, but in Postgres a numeric of a numeric."""
    names = {one.type.name if one.type is not None else "" for one in args}
    if context.dialect in ("databricks", "snowflake") or (
        context.dialect == "bigquery" and names <= {"Int64", "Float64"}
    ):
        return of("Float64")
    if context.dialect == "postgres" and names <= NUMBERS:
        if "Decimal" in names and not names & {"Float32", "Float64"}:
            return some_decimal("Postgres keeps no digits of a numeric that it computes")
        return of("Float64")
    return unknown(f"what {called(call)} returns in {context.dialect} is not known")


def _set_returning(call: exp.Expr, args: list[Typed], context: Context) -> Typed:
    """Unnest and generate_series of Postgres in SELECT."""
    found = args[0].type if args else None
    if context.dialect == "postgres" and found is not None:
        if isinstance(call, exp.Explode) and found.name == "Array" and found.args:
            return Typed(found.args[0])
        if isinstance(call, exp.GenerateSeries) and {one.type for one in args[:2]} <= {Type("Int32"), Type("Int64")}:
            return of("Int64" if Type("Int64") in [one.type for one in args] else "Int32")
    return unknown(f"what {called(call)} returns in {context.dialect} is not known")


_HANDLERS: dict[str, Callable[[exp.Expr, list[Typed], Context], Typed]] = {
    **dict.fromkeys(["Round", "Ceil", "Floor", "Trunc"], _rounded),
    "Abs": _same_number,
    "JSONExtract": _json,
    "IntDiv": _div,
    "SafeDivide": _safe_divide,
    **dict.fromkeys(["Split", "RegexpSplit"], _text_to_array),
    "GenerateSeries": _sequence,
    **dict.fromkeys(["ArrayConcat", "ArrayReverse", "ArrayDistinct", "SortArray"], _same_array),
    "ToNumber": _to_number,
    **dict.fromkeys(["Pow", "Sqrt", "Ln", "Exp", "Log", "Cbrt"], _power),
    **dict.fromkeys(["Explode", "ExplodingGenerateSeries"], _set_returning),
}
