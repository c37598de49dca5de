"""Values of which a look says that they conform as they are, without a column being made of them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.rows import constraints
from dagster_contracts.rows.groups import objects
from dagster_contracts.rows.leaves import OWN_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from dagster_contracts.rows.groups import Objects
    from dagster_contracts.rows.shapes import Shape

_NONE = type(None)


def certainly_conform(shape: Shape, given: Objects, *, leave: bool) -> bool:
    """Whether all values are the field's own and its column holds them; `False` where it takes more to tell.

    Args:
        shape: What the field asks for.
        given: The values.
        leave: Whether constraints are left to others.
    """
    asked = constraints.known(shape)
    if asked is None or shape.of_none is not None or not (leave or not constraints.any_asked(shape, asked)):
        return False
    own = list if shape.kind == "list" else OWN_TYPES.get(shape.kind)
    if not given.kinds <= ({own, _NONE} if shape.nullable else {own}):
        return False
    some = filter(None, given.values) if given.some_none else given.values
    if shape.kind == "list":
        return _lists_do(shape, some)
    if shape.kind == "str":
        return shape.dtype == pl.String() and _writable(some)
    if shape.kind == "int":
        return shape.dtype == pl.Int64() and _fit_int64(given.values)
    if shape.kind == "float":
        return shape.dtype == pl.Float64()
    return shape.kind in {"bool", "date", "bytes"}


def _lists_do(shape: Shape, lists: Iterable[list[Any]]) -> bool:
    """Whether what is in lists conforms as it is."""
    items = objects(list(itertools.chain.from_iterable(lists)))
    assert shape.item is not None  # noqa: S101  (a list's shape has one)
    return isinstance(shape.dtype, pl.List) and certainly_conform(shape.item, items, leave=False)


def _writable(texts: Iterable[str]) -> bool:
    """Whether UTF-8 can write all of some texts."""
    joined = "".join(texts)
    if joined.isascii():
        return True
    try:
        joined.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fit_int64(values: Sequence[Any]) -> bool:
    """Whether 64 bits hold all of some integers."""
    try:
        pl.Series(values, dtype=pl.Int64(), strict=True)
    except (OverflowError, TypeError, pl.exceptions.PolarsError):
        return False
    return True
