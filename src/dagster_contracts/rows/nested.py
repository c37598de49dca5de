"""Lists and records of many rows at once: what is inside is conformed as columns of its own."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from dagster_contracts.rows import columns, constraints, table
from dagster_contracts.rows.groups import Objects, objects
from dagster_contracts.rows.sources import Columns

if TYPE_CHECKING:
    from dagster_contracts.rows.reference import How
    from dagster_contracts.rows.shapes import Shape

Found = tuple[pl.Series, pl.Series | None]
"""The cells of a column, and which of them stand; `None` for all that are not null."""


def of_values(shape: Shape, given: Objects, how: How, depth: int) -> Found:
    """Python's lists or dicts as a column; what is neither is not vouched for."""
    if shape.kind == "list":
        return _of_lists(shape, given, how, depth)
    usable = [at for at, value in enumerate(given.values) if type(value) is dict]
    return _records(shape, len(given.values), usable, [given.values[at] for at in usable], how=how, depth=depth)


def _of_lists(shape: Shape, given: Objects, how: How, depth: int) -> Found:
    """Python's lists as a column."""
    known = {list} if how.strict else {list, tuple}
    values, some_none = given.values, given.some_none
    if not given.kinds <= {*known, type(None)}:
        values, some_none = [value if type(value) in known else None for value in values], True
    filled = [value or () for value in values] if some_none else values
    lengths = np.fromiter(map(len, filled), dtype=np.uint32, count=len(filled))
    present = np.ones(len(filled), dtype=np.bool_)
    if some_none:
        without = np.flatnonzero(lengths == 0)
        present[without] = [values[at] is not None for at in without.tolist()]
    items = objects(list(itertools.chain.from_iterable(filled)))
    return _lists(shape, lengths, pl.Series(present), items, how=how, depth=depth)


def of_series(shape: Shape, given: pl.Series, how: How, depth: int) -> Found | None:
    """A table's column of lists or structs as a column of the field's."""
    if given.dtype == pl.Null():
        return pl.repeat(None, len(given), eager=True, dtype=shape.dtype), None
    if isinstance(given.dtype, pl.Array):
        given = given.arr.to_list()
    if shape.kind == "list" and isinstance(given.dtype, pl.List):
        items = given.explode(empty_as_null=False, keep_nulls=False)
        if _stand(shape, given, items):
            return given, None
        lengths = given.list.len().fill_null(0).to_numpy()
        return _lists(shape, lengths, given.is_not_null(), items, how=how, depth=depth)
    if shape.kind == "record" and isinstance(given.dtype, pl.Struct):
        present = given.is_not_null()
        inner = given.filter(present)
        parts = {field.name: inner.struct.field(field.name) for field in given.dtype.fields}
        return _records(
            shape, len(given), present.arg_true().to_list(), Columns(dict(parts), len(inner)), how=how, depth=depth
        )
    return None


def _stand(shape: Shape, given: pl.Series, items: pl.Series) -> bool:
    """Whether lists of a table are what the field asks for as they are."""
    item = shape.item
    if item is None or given.dtype != shape.dtype or item.kind not in columns.AS_THEY_ARE:
        return False
    if not constraints.none_asked(item):
        return False
    return item.nullable or items.null_count() == 0


def _lists(
    shape: Shape, lengths: np.ndarray[Any, Any], present: pl.Series, items: columns.Given, *, how: How, depth: int
) -> Found:
    """Lists from the items of all of them, one after the other."""
    assert shape.item is not None  # noqa: S101  (a list's shape has one)
    (inner,) = columns.conform_columns([shape.item], [items], how, depth + 1)
    found = _listed(inner.series, lengths, present)
    if not inner.bad and not isinstance(shape.dtype, pl.Array):
        return (found if found.dtype == shape.dtype else found.cast(shape.dtype)), None
    good = present.to_numpy().copy()
    good[np.searchsorted(np.cumsum(lengths), list(inner.bad), side="right")] = False
    if isinstance(shape.dtype, pl.Array):
        good &= lengths == shape.dtype.size
    vouched = pl.Series(good, dtype=pl.Boolean())
    if isinstance(shape.dtype, pl.Array):
        found = found.set(~vouched, None) if vouched.any() else found.clear(len(found))
    return (found if found.dtype == shape.dtype else found.cast(shape.dtype)), vouched


def _listed(items: pl.Series, lengths: np.ndarray[Any, Any], present: pl.Series) -> pl.Series:
    """Items as lists of so many each; empty lists and nulls where there are none."""
    rows = np.arange(len(lengths), dtype=np.uint32)
    at = pl.Series("at", np.repeat(rows, lengths)).set_sorted()
    lists = pl.DataFrame([at, items.alias("item")]).group_by("at", maintain_order=True).agg("item")["item"]
    if len(lists) == len(lengths):
        return lists
    where = np.full(len(lengths), len(lists), dtype=np.uint32)  # the empty list behind them
    where[lengths > 0] = np.arange(len(lists), dtype=np.uint32)
    found = pl.Series(where).set(~present, None)
    return pl.concat([lists, pl.Series([[]], dtype=lists.dtype)]).rechunk().gather(found)


def _records(shape: Shape, height: int, usable: list[int], rows: Any, *, how: How, depth: int) -> Found:
    """Records from those rows that have one."""
    assert shape.record is not None  # noqa: S101  (a record's shape has one)
    found = table.conform_table(shape.record, rows, how, depth + 1)
    structs = found.frame(shape.record).to_struct("")
    where = pl.Series([None] * height, dtype=pl.UInt32())
    where = where.scatter(usable, pl.int_range(0, len(usable), dtype=pl.UInt32(), eager=True))
    bad = {usable[at] for at in found.bad}
    kept = set(usable) - bad
    return structs.gather(where), pl.Series([at in kept for at in range(height)], dtype=pl.Boolean())
