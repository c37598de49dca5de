"""Polars expressions as text: the only module that reads their serialized form, which Polars may change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable


def stable_text(expr: pl.Expr) -> str:
    """An expression as text that is equal in every process with the same Polars.

    A Python function inside the expression is known by its place only: its code has no stable form.
    """
    text = str(expr)
    if "python_udf" in text.lower():
        return text
    try:
        return str(expr.meta.serialize(format="json"))
    except pl.exceptions.PolarsError:
        return text


def build(expression: Callable[[], object]) -> pl.Expr:
    """Call the code that makes a rule's expression.

    Raises:
        TypeError: It returns something else than a `pl.Expr`.
        Exception: Whatever the code raises.
    """
    expr = expression()
    if not isinstance(expr, pl.Expr):
        raise TypeError(f"it returned {type(expr).__name__}, not a pl.Expr")
    return expr
