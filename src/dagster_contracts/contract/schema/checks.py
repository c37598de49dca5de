"""Promises that Dataframely's columns have no parameter for, as checks of a column."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from dagster_contracts.contract.column_check import ColumnCheck
from dagster_contracts.contract.rendering_values import as_text, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.contract.row_fields import RowField

UUID_PATTERN = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
"""A UUID as conformed rows hold it."""

_LIST_WIDTH = 200
_ROUNDING_ERROR = 1e-9
_LARGEST = 2**127 - 1  # of an Int128; only 0 is a multiple of it among decimals


def column_checks(field: RowField, native: frozenset[str]) -> dict[str, ColumnCheck]:
    """The checks of a column, by the name of what they check.

    Args:
        field: The column.
        native: The constraints that its Dataframely column takes itself.
    """
    constraints = field.constraints
    given = {name: value for name, value in (constraints.given if constraints else {}).items() if name not in native}
    made = {name: (value, _check(field, name, value)) for name, value in given.items()}
    checks = {
        name: replace(check, asks=name, value=value) for name, (value, check) in made.items() if check is not None
    }
    if field.type.name == "Uuid":
        checks["uuid"] = ColumnCheck(
            "a UUID", "is a UUID in lower case", partial(_matches, UUID_PATTERN), "type", "Uuid"
        )
    if field.type.name == "Json":
        checks["json"] = ColumnCheck("a JSON object", "is a JSON object", _is_json_object, "type", "Json")
    if field.type.name == "Variant":
        checks["json"] = ColumnCheck("JSON", "is valid JSON", _is_json, "type", "Variant")
    return checks


def _check(field: RowField, name: str, value: Any) -> ColumnCheck | None:
    text = as_text(value)
    match name:
        case "ge" | "gt" | "le" | "lt":
            sign = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}[name]
            return ColumnCheck(f"{sign} {text}", f"{sign} {text}", partial(_compares, name, value))
        case "multiple_of":
            return ColumnCheck(f"multiple of {text}", f"is a multiple of {text}", _multiple_rule(field, value))
        case "min_length" | "max_length" if field.type.name in ("String", "Binary"):
            sign = ">=" if name == "min_length" else "<="
            unit = ("byte" if field.type.name == "Binary" else "character") + "s" * (value != 1)
            words = f"length {sign} {value} {unit}"
            return ColumnCheck(words, f"has {words}", partial(_has_length, name, value, field.type.name))
        case "is_in":
            one_of = f"in ({listed([quoted(one) for one in value], _LIST_WIDTH)})"
            return ColumnCheck(one_of, f"is {one_of}", partial(_is_in, value))
        case "pattern":
            return ColumnCheck(f"matches {text}", f"matches `{text}`", partial(_matches, value))
    return None


def _multiple_rule(field: RowField, of: Any) -> Callable[[pl.Expr], pl.Expr]:
    match field.dtype:
        case pl.Decimal() as dtype:
            return partial(_is_decimal_multiple, _unscaled_divisor(Decimal(str(of)), dtype.scale))
        case pl.Float32() | pl.Float64():
            return partial(_is_float_multiple, of)
    return partial(_is_multiple, of)


def _unscaled_divisor(of: Decimal, scale: int) -> int:
    """What the digits of a decimal, taken as a whole number, are a multiple of when it is one of `of`."""
    numerator, denominator = of.as_integer_ratio()
    divisor = numerator * int(10**scale)
    return min(divisor // math.gcd(divisor, denominator), _LARGEST)


def _compares(name: str, value: Any, column: pl.Expr) -> pl.Expr:
    rule: pl.Expr = getattr(column, name)(pl.lit(value))
    return rule


def _is_multiple(of: Any, column: pl.Expr) -> pl.Expr:
    return column % pl.lit(of) == 0


def _is_decimal_multiple(divisor: int, column: pl.Expr) -> pl.Expr:
    """By the digits: not every Polars divides decimals."""
    return column.to_physical() % pl.lit(divisor, dtype=pl.Int128) == 0


def _is_float_multiple(of: float, column: pl.Expr) -> pl.Expr:
    """As pydantic decides it, below 1e14: NaN and the infinities pass, and so does what a rounding error is away."""
    away = column - (column / of).round() * of
    return ~column.is_finite() | (away.abs() <= _ROUNDING_ERROR)


def _has_length(name: str, value: int, kind: str, column: pl.Expr) -> pl.Expr:
    length = column.bin.size() if kind == "Binary" else column.str.len_chars()
    return length >= value if name == "min_length" else length <= value


def _is_in(values: tuple[Any, ...], column: pl.Expr) -> pl.Expr:
    return column.is_in(list(values))


def _matches(pattern: str, column: pl.Expr) -> pl.Expr:
    return column.str.contains(pattern)


def _is_json(column: pl.Expr) -> pl.Expr:
    """Polars finds the root of whatever is valid, and nothing in a JSON null."""
    valid = column.str.json_path_match("$").is_not_null() | (column.str.strip_chars(" \t\n\r") == "null")
    return pl.when(column.is_not_null()).then(valid)


def _is_json_object(column: pl.Expr) -> pl.Expr:
    return _is_json(column) & column.str.strip_chars_start(" \t\n\r").str.starts_with("{")
