"""Constraints on whole columns: which cells certainly keep them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import annotated_types as at
import polars as pl
from pydantic.fields import FieldInfo

from dagster_contracts.contract.schema.constraints import Constraints, read_constraints

if TYPE_CHECKING:
    from dagster_contracts.rows.shapes import Shape

_KNOWN: Final = (at.Ge, at.Gt, at.Le, at.Lt, at.MultipleOf, at.MinLen, at.MaxLen, at.Interval, at.Len)
_GENERAL: Final = frozenset({"pattern", "max_digits", "decimal_places", "allow_inf_nan"})


@lru_cache(maxsize=4096)
def known(shape: Shape) -> Constraints | None:
    """A field's constraints; `None` if it has validators, or anything else that only pydantic can tell."""
    if shape.narrower is not None or shape.outer or not all(map(_is_known, shape.metadata)):
        return None
    return read_constraints(shape.kind, shape.metadata)


def _is_known(part: Any) -> bool:
    """Whether a part of the metadata is a constraint and nothing else."""
    if isinstance(part, _KNOWN):
        return True
    if isinstance(part, FieldInfo):
        return all(map(_is_known, part.metadata))
    return type(part).__name__ == "_PydanticGeneralMetadata" and set(vars(part)) <= _GENERAL


@lru_cache(maxsize=4096)
def none_asked(shape: Shape) -> bool:
    """Whether a field's cells certainly need to keep nothing besides their type."""
    asked = known(shape)
    return asked is not None and not _asked(shape, asked)


def _asked(shape: Shape, constraints: Constraints) -> dict[str, Any]:
    """The constraints that the field's dtype does not keep by itself."""
    own = {"is_in"} if shape.kind != "decimal" else {"is_in", "max_digits", "decimal_places"}
    return {name: value for name, value in constraints.given.items() if name not in own}


def kept(shape: Shape, constraints: Constraints, cell: pl.Expr) -> pl.Expr | None:
    """Whether a cell certainly keeps all constraints; `None` if there are none.

    Args:
        shape: The field's shape.
        constraints: What is asked.
        cell: The cells, in the field's dtype.
    """
    asked = _asked(shape, constraints)
    if not asked:
        return None
    expression = pl.lit(value=True)
    for name, value in asked.items():
        one = _certain(shape, name, value, cell)
        if one is None:
            return pl.lit(value=False)
        expression &= one
    return expression


def _certain(shape: Shape, name: str, value: Any, cell: pl.Expr) -> pl.Expr | None:
    """Whether a cell certainly keeps one constraint."""
    if name in {"ge", "gt", "le", "lt"}:
        return _certainly_within(shape, name, value, cell)
    if name == "multiple_of" and shape.kind == "int" and type(value) is int:
        return cell % value == 0
    if name in {"min_length", "max_length"}:
        size = _size(shape, cell)
        return None if size is None else size >= value if name == "min_length" else size <= value
    if name == "pattern" and shape.dtype == pl.String() and shape.kind == "str":
        return cell.str.contains(value)
    if name == "allow_inf_nan":
        return cell.is_finite() if shape.kind == "float" and value is False else pl.lit(value=True)
    return None


def _certainly_within(shape: Shape, name: str, bound: Any, cell: pl.Expr) -> pl.Expr | None:
    """Whether a cell certainly keeps a bound; `None` where Polars would round one of the two to compare them."""
    if shape.dtype == pl.Float32():  # a value beyond the bound may have become the bound, but never passed it
        near = pl.lit(float(bound), dtype=pl.Float32())
        return cell.is_not_nan() & (cell > near if name in {"ge", "gt"} else cell < near)
    if shape.kind in {"int", "decimal"} and isinstance(bound, float):
        if not bound.is_integer():
            return None
        bound = int(bound)
    if shape.kind == "naive_datetime" and shape.dtype == pl.Datetime("ms") and bound.microsecond % 1_000:
        return None
    if shape.kind not in {"int", "float", "date", "naive_datetime", "decimal"}:
        return None
    found: pl.Expr = getattr(cell, name)(bound)
    return found & cell.is_not_nan() if shape.kind == "float" else found


def _size(shape: Shape, cell: pl.Expr) -> pl.Expr | None:
    """How long a cell is, as pydantic counts."""
    if shape.kind == "str" and shape.dtype == pl.String():
        return cell.str.len_chars()
    if shape.kind == "bytes":
        return cell.bin.size()
    return cell.list.len() if isinstance(shape.dtype, pl.List) else None
