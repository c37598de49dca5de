"""Lists and records of many rows at once: what is inside is conformed as columns of its own."""

from __future__ import annotations

import bisect
import itertools
from typing import TYPE_CHECKING, Any

import polars as pl

from dagster_contracts.rows import columns, constraints, table
from dagster_contracts.rows.sources import Columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_contracts.rows.reference import How
    from dagster_contracts.rows.shapes import Shape

Found = tuple[pl.Series, pl.Series | None]
"""The cells of a column, and which of them stand; `None` for all that are not null."""


def of_values(shape: Shape, values: Sequence[Any], how: How, depth: int) -> Found:
    """Python's lists or dicts as a column; what is neither is not vouched for."""
    if shape.kind == "list":
        return _of_lists(shape, values, how, depth)
    usable = [at for at, value in enumerate(values) if type(value) is dict]
    return _records(shape, len(values), usable, [values[at] for at in usable], how=how, depth=depth)


def _of_lists(shape: Shape, values: Sequence[Any], how: How, depth: int) -> Found:
    """Python's lists as a column."""
    kinds = set(map(type, values))
    known = {list, type(None)} if how.strict else {list, tuple, type(None)}
    if not kinds <= known:
        values = [value if type(value) in known else None for value in values]
    if type(None) in kinds or not kinds <= known:
        lengths = [0 if value is None else len(value) for value in values]
        items = list(itertools.chain.from_iterable(filter(None, values)))
    else:
        lengths = list(map(len, values))
        items = list(itertools.chain.from_iterable(values))
    present = pl.Series([value is not None for value in values], dtype=pl.Boolean())
    return _lists(shape, lengths, present, items, how=how, depth=depth)


def of_series(shape: Shape, given: pl.Series, how: How, depth: int) -> Found | None:
    """A table's column of lists or structs as a column of the field's."""
    if given.dtype == pl.Null():
        return pl.repeat(None, len(given), eager=True, dtype=shape.dtype), None
    if isinstance(given.dtype, pl.Array):
        given = given.arr.to_list()
    present = given.is_not_null()
    if shape.kind == "list" and isinstance(given.dtype, pl.List):
        lengths = given.list.len().fill_null(0)
        if _stands(shape, given, lengths):
            return given, None
        items = given.filter(lengths > 0).explode(empty_as_null=True)
        return _lists(shape, lengths.to_list(), present, items, how=how, depth=depth)
    if shape.kind == "record" and isinstance(given.dtype, pl.Struct):
        inner = given.filter(present)
        parts = {field.name: inner.struct.field(field.name) for field in given.dtype.fields}
        return _records(
            shape, len(given), present.arg_true().to_list(), Columns(dict(parts), len(inner)), how=how, depth=depth
        )
    return None


def _stands(shape: Shape, given: pl.Series, lengths: pl.Series) -> bool:
    """Whether lists of a table are what the field asks for as they are."""
    item = shape.item
    if item is None or given.dtype != shape.dtype or item.kind not in columns.AS_THEY_ARE:
        return False
    asked = constraints.known(item)
    if asked is None or constraints.any_asked(item, asked):
        return False
    return item.nullable or given.filter(lengths > 0).explode(empty_as_null=True).null_count() == 0


def _lists(
    shape: Shape, lengths: list[int], present: pl.Series, items: columns.Given, *, how: How, depth: int
) -> Found:
    """Lists from the items of all of them, one after the other."""
    assert shape.item is not None  # noqa: S101  (a list's shape has one)
    (inner,) = columns.conform_columns([shape.item], [items], how, depth + 1)
    found = _listed(inner.series, lengths, present)
    if not inner.bad and not isinstance(shape.dtype, pl.Array):
        return (found if found.dtype == shape.dtype else found.cast(shape.dtype)), None
    good = present.to_list()
    ends = list(itertools.accumulate(lengths))
    for at in inner.bad:
        good[bisect.bisect_right(ends, at)] = False
    if isinstance(shape.dtype, pl.Array):
        size = shape.dtype.size
        good = [fits and length == size for fits, length in zip(good, lengths, strict=True)]
    vouched = pl.Series(good, dtype=pl.Boolean())
    if isinstance(shape.dtype, pl.Array):
        found = found.set(~vouched, None) if vouched.any() else found.clear(len(found))
    return (found if found.dtype == shape.dtype else found.cast(shape.dtype)), vouched


def _listed(items: pl.Series, lengths: list[int], present: pl.Series) -> pl.Series:
    """Items as lists of so many each; empty lists and nulls where there are none."""
    numbers = pl.int_range(0, len(lengths), dtype=pl.UInt32(), eager=True)
    sizes = pl.DataFrame({"at": numbers, "size": pl.Series(lengths, dtype=pl.UInt32())}).filter(pl.col("size") > 0)
    at = sizes.select(pl.col("at").repeat_by("size").explode())["at"].set_sorted()
    grouped = pl.DataFrame([at, items.alias("item")]).group_by("at", maintain_order=True).agg("item")
    lists = grouped["item"]
    if len(lists) == len(lengths):
        return lists
    where = pl.Series([None], dtype=pl.UInt32()).new_from_index(0, len(lengths))
    where = where.scatter(present.arg_true(), len(lists))  # the empty list behind them
    where = where.scatter(grouped["at"], pl.int_range(0, len(lists), dtype=pl.UInt32(), eager=True))
    return pl.concat([lists, pl.Series([[]], dtype=lists.dtype)]).gather(where)


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
