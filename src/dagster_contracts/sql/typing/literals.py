"""The type of a literal in each dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.typing.typed import FRACTION, TEXT, Typed, of, some_decimal

if TYPE_CHECKING:
    from sqlglot import exp

_INT32, _INT64 = 2**31, 2**63


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
    if not text.isdigit():
        return _fraction(text, dialect)
    if dialect == "snowflake":
        return Typed(Type("Decimal", len(text), 0))
    if dialect == "bigquery":
        return of("Int64")
    if int(text) < _INT32:
        return of("Int32")
    return of("Int64") if int(text) < _INT64 else some_decimal("a literal beyond 64 bits")


def _fraction(text: str, dialect: str) -> Typed:
    """A literal with a point or an exponent."""
    if dialect == "bigquery":
        return Typed(FRACTION)
    if dialect in ("databricks", "snowflake") and "e" in text.lower():
        return of("Float64")
    if dialect == "databricks":
        whole, _, part = text.partition(".")
        return Typed(Type("Decimal", max(len(whole.lstrip("0")) + len(part), len(part), 1), len(part)))
    return some_decimal(f"the digits of the literal {text} depend on what it meets")
