"""What arithmetic on numbers returns in each dialect, as the products' documentation of operators and decimals says."""

from __future__ import annotations

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.typing.typed import Typed, of, some_decimal, unknown

INTEGERS = ("Int8", "Int16", "Int32", "Int64")
FLOATS = ("Float32", "Float64")
NUMBERS = frozenset([*INTEGERS, *FLOATS, "Decimal"])
_DIGITS = {"Int8": 3, "Int16": 5, "Int32": 10, "Int64": 20}  # an integer's digits as a decimal in Databricks
_MOST_DIGITS = 38
_LEAST_QUOTIENT_SCALE = 6
_MOST_SCALE = 12


def arithmetic(dialect: str, operator: str, left: Type, right: Type, *, literal: bool) -> Typed:
    """The type of a number joined with a number.

    Args:
        dialect: The dialect.
        operator: One of `+`, `-`, `*`, `/`, `%`.
        left: The left operand's type, a number.
        right: The right operand's.
        literal: Whether an operand is a literal, whose digits as a decimal depend on the product.

    Returns:
        The result's type.
    """
    return _BY_DIALECT[dialect](operator, left, right, literal)


def widest(left: Type, right: Type, order: tuple[str, ...]) -> str:
    """The later of two types' names in an order."""
    return max(left.name, right.name, key=order.index)


def _postgres(operator: str, left: Type, right: Type, literal: bool) -> Typed:  # noqa: ARG001, FBT001
    names = {left.name, right.name}
    if names <= {*INTEGERS}:
        return of(widest(left, right, INTEGERS))
    if names <= {*INTEGERS, "Decimal"}:
        return some_decimal("Postgres keeps no digits of a numeric that it computes")
    return of("Float32" if names == {"Float32"} else "Float64") if operator != "%" else unknown("% takes no float")


def _bigquery(operator: str, left: Type, right: Type, literal: bool) -> Typed:  # noqa: ARG001, FBT001
    if left.name == right.name == "Int64":
        return of("Float64" if operator == "/" else "Int64")
    if "Float64" in (left.name, right.name):
        return of("Float64")
    decimals = [side for side in (left, right) if side.name == "Decimal"]
    if any(side.precision is None for side in decimals):
        return some_decimal("whether an operand is NUMERIC or BIGNUMERIC is not known")
    return Typed(max(decimals, key=lambda side: side.precision or 0))


def _databricks(operator: str, left: Type, right: Type, literal: bool) -> Typed:  # noqa: FBT001
    names = {left.name, right.name}
    if names <= {*INTEGERS}:
        return of("Float64" if operator == "/" else widest(left, right, INTEGERS))
    if "Float64" in names or names == {"Float32", "Decimal"}:
        return of("Float64")
    if names == {"Float32"}:
        return of("Float64" if operator == "/" else "Float32")
    if "Float32" in names:
        return unknown(f"{left} {operator} {right} is FLOAT or DOUBLE, depending on the version")
    if literal and names != {"Decimal"}:
        return some_decimal("the digits of an integer literal beside a decimal depend on the warehouse")
    return _spark_decimal(operator, _as_decimal(left), _as_decimal(right))


def _as_decimal(of_type: Type) -> Type:
    """An integer as the decimal that holds it."""
    return of_type if of_type.name == "Decimal" else Type("Decimal", _DIGITS[of_type.name], 0)


def _spark_decimal(operator: str, left: Type, right: Type) -> Typed:
    """Digits by Spark's rules, as long as nothing is cut."""
    if left.precision is None or right.precision is None:
        return some_decimal("the digits of an operand are not known")
    p1, s1, p2, s2 = left.precision, left.scale or 0, right.precision, right.scale or 0
    scale = max(s1, s2)
    digits = {
        "+": (max(p1 - s1, p2 - s2) + scale + 1, scale),
        "-": (max(p1 - s1, p2 - s2) + scale + 1, scale),
        "*": (p1 + p2 + 1, s1 + s2),
        "%": (min(p1 - s1, p2 - s2) + scale, scale),
        "/": (p1 - s1 + s2 + max(_LEAST_QUOTIENT_SCALE, s1 + p2 + 1), max(_LEAST_QUOTIENT_SCALE, s1 + p2 + 1)),
    }[operator]
    if digits[0] > _MOST_DIGITS:
        return some_decimal(
            f"the digits of {left} {operator} {right} are cut at {_MOST_DIGITS}, as the warehouse is set"
        )
    return Typed(Type("Decimal", *digits))


def _snowflake(operator: str, left: Type, right: Type, literal: bool) -> Typed:  # noqa: FBT001
    if "Float64" in (left.name, right.name):
        return of("Float64")
    if literal or operator == "%" or left.precision is None or right.precision is None:
        return some_decimal(f"Snowflake's documentation leaves open the digits of {left} {operator} {right}")
    s1, s2 = left.scale or 0, right.scale or 0
    l1, l2 = left.precision - s1, right.precision - s2
    leading, scale = {
        "+": (max(l1, l2) + 1, max(s1, s2)),
        "-": (max(l1, l2) + 1, max(s1, s2)),
        "*": (l1 + l2, min(s1 + s2, max(s1, s2, _MOST_SCALE))),
        "/": (l1 + s2, max(s1, min(s1 + _LEAST_QUOTIENT_SCALE, _MOST_SCALE))),
    }[operator]
    if leading + scale > _MOST_DIGITS:
        return some_decimal(f"the digits of {left} {operator} {right} are cut at {_MOST_DIGITS}")
    return Typed(Type("Decimal", leading + scale, scale))


def _duckdb(operator: str, left: Type, right: Type, literal: bool) -> Typed:  # noqa: ARG001, FBT001
    if left.name == right.name == "Float64" and operator != "/":
        return of("Float64")
    return unknown("DuckDB's binder was not asked, because not everything that the query reads is known")


_BY_DIALECT = {
    "postgres": _postgres,
    "bigquery": _bigquery,
    "databricks": _databricks,
    "snowflake": _snowflake,
    "duckdb": _duckdb,
}
