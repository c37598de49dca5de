"""The type of a literal in each dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.typing.typed import FRACTION, TEXT, Typed, of, some_decimal, unknown

if TYPE_CHECKING:
    from sqlglot import exp

_INT32, _INT64, _INT128 = 2**31, 2**63, 2**127
_DECIMAL_DIGITS = 38  # of DuckDB's widest decimal


def literal_type(literal: exp.Literal, dialect: str) -> Typed:
    """The type of a number or of a text in quotes.

    Args:
        literal: The literal.
        dialect: Its dialect.

    Returns:
        The type.
    """
    if literal.is_string:
        return Typed(TEXT)
    text = literal.name
    return _whole(text, dialect) if text.isdigit() else _fraction(text, dialect)


def _whole(text: str, dialect: str) -> Typed:
    """A whole number."""
    if dialect == "snowflake":
        return Typed(Type("Decimal", len(text), 0))
    if dialect == "bigquery":
        return of("Int64")
    number = int(text)
    if number < _INT64:
        return of("Int32" if number < _INT32 else "Int64")
    if dialect != "duckdb":
        return some_decimal("a literal beyond 64 bits")
    return of("Int128") if number < _INT128 else unknown(f"contracts have no name for the type of {text} in duckdb")


def _fraction(text: str, dialect: str) -> Typed:
    """A literal with a point or an exponent."""
    if dialect == "bigquery":
        return Typed(FRACTION)
    if dialect in ("duckdb", "databricks", "snowflake") and "e" in text.lower():
        return of("Float64")
    if dialect == "duckdb" and len(text) - 1 > _DECIMAL_DIGITS:
        return of("Float64")
    if dialect == "databricks":
        whole, _, part = text.partition(".")
        return Typed(Type("Decimal", max(len(whole.lstrip("0")) + len(part), len(part), 1), len(part)))
    return some_decimal(f"the digits of the literal {text} depend on what it meets")
