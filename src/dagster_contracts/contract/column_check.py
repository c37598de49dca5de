"""A check of one column that can say what it asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl


@dataclass(frozen=True)
class ColumnCheck:
    """A check of one column that says in words what it asks.

    Args:
        text: The promise as a short text, such as `length >= 2 characters`.
        words: What follows the column's name in a sentence.
        expression: Makes the rule of the column.
        asks: The constraint that it is, named as pydantic names it.
        value: What the constraint asks for.
    """

    text: str
    words: str
    expression: Callable[[pl.Expr], pl.Expr]
    asks: str = ""
    value: Any = None

    def __call__(self, column: pl.Expr) -> pl.Expr:
        """The rule."""
        return self.expression(column)
