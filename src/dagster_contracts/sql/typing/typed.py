"""What is known of an expression's type, and the kinds of literal that take the type of what they meet."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dagster_contracts.contract.types import Type

NULL = Type("Null")  # an untyped NULL
TEXT = Type("Literal")  # a quoted literal: text, unless what it meets makes it a date or a number
FRACTION = Type("Fraction")  # BigQuery's literal with a point: a FLOAT64, unless it meets a NUMERIC


@dataclass(frozen=True)
class Typed:
    """An expression's type, and why it or its digits are not known.

    Args:
        type: The type, `NULL`, `TEXT` and `FRACTION` included; `None` where it is not known.
        reasons: Why not, outermost first.
    """

    type: Type | None
    reasons: tuple[str, ...] = ()

    def because(self, reason: str) -> Typed:
        """The same with one more reason around the others, where there is something to explain."""
        return Typed(self.type, (reason, *self.reasons)) if self.reasons else self


BOOLEAN = Typed(Type("Boolean"))
STRING = Typed(Type("String"))


def unknown(*reasons: str) -> Typed:
    """An expression whose type is not known."""
    return Typed(None, reasons)


def of(name: str) -> Typed:
    """A simple type."""
    return Typed(Type(name))


def some_decimal(reason: str) -> Typed:
    """A decimal whose digits are not known."""
    return Typed(Type("Decimal"), (reason,))


def called(call: exp.Expr) -> str:
    """A call, for a message."""
    return f"{call.sql_name()}()" if isinstance(call, exp.Func) else type(call).__name__
