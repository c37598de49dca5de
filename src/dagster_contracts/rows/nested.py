"""Lists and records of many rows at once: what is inside is conformed as columns of its own."""

from __future__ import annotations

import bisect
import itertools
from typing import TYPE_CHECKING, Any

import polars as pl

from dagster_contracts.rows import columns, table
from dagster_contracts.rows.sources import Columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_contracts.rows.reference import How
    from dagster_contracts.rows.shapes import Shape

Found = tuple[pl.Series, pl.Series]
"""The cells of a column, and which of them stand."""


def of_values(shape: Shape, values: Sequence[Any], how: How, depth: int) -> Found:
    """Python's lists or dicts as a column; what is neither is not vouched for."""
    if shape.kind == "list":
        kinds = (list,) if how.strict else (list, tuple)
        lists = [value if type(value) in kinds else None for value in values]
        lengths = [0 if value is None else len(value) for value in lists]
        items = list(itertools.chain.from_iterable(value for value in lists if value is not None))
        return _lists(shape, lengths, [value is not None for value in lists], items, how=how, depth=depth)
    usable = [at for at, value in enumerate(values) if type(value) is dict]
    return _records(shape, len(values), usable, [values[at] for at in usable], how=how, depth=depth)


def of_series(shape: Shape, given: pl.Series, how: How, depth: int) -> Found | None:
    """A table's column of lists or structs as a column of the field's."""
    if given.dtype == pl.Null():
        nothing = pl.repeat(None, len(given), eager=True, dtype=shape.dtype)
        return nothing, nothing.is_not_null()
    if isinstance(given.dtype, pl.Array):
        given = given.arr.to_list()
    present = given.is_not_null()
    if shape.kind == "list" and isinstance(given.dtype, pl.List):
        lengths = given.list.len().fill_null(0)
        items = given.filter(lengths > 0).explode()
        return _lists(shape, lengths.to_list(), present.to_list(), items, how=how, depth=depth)
    if shape.kind == "record" and isinstance(given.dtype, pl.Struct):
        inner = given.filter(present)
        parts = {field.name: inner.struct.field(field.name) for field in given.dtype.fields}
        return _records(
            shape, len(given), present.arg_true().to_list(), Columns(dict(parts), len(inner)), how=how, depth=depth
        )
    return None


def _lists(
    shape: Shape, lengths: list[int], present: list[bool], items: columns.Given, *, how: How, depth: int
) -> Found:
    """Lists from the items of all of them, one after the other."""
    assert shape.item is not None  # noqa: S101  (a list's shape has one)
    (inner,) = columns.conform_columns([shape.item], [items], how, depth + 1)
    good = list(present)
    if inner.bad:
        ends = list(itertools.accumulate(lengths))
        for at in inner.bad:
            good[bisect.bisect_right(ends, at)] = False
    if isinstance(shape.dtype, pl.Array):
        size = shape.dtype.size
        good = [fits and length == size for fits, length in zip(good, lengths, strict=True)]
    found = _listed(inner.series, pl.Series(lengths, dtype=pl.UInt32()), pl.Series(present, dtype=pl.Boolean()))
    vouched = pl.Series(good, dtype=pl.Boolean())
    if isinstance(shape.dtype, pl.Array):
        found = found.set(~vouched, None) if vouched.any() else found.clear(len(found))
    return (found if found.dtype == shape.dtype else found.cast(shape.dtype)), vouched


def _listed(items: pl.Series, lengths: pl.Series, present: pl.Series) -> pl.Series:
    """Items as lists of so many each; empty lists and nulls where there are none."""
    filled = lengths > 0
    owners = pl.DataFrame([filled.arg_true().alias("at"), lengths.filter(filled).alias("n")])
    at = owners.select(pl.col("at").repeat_by("n").explode()).to_series() if owners.height else owners["at"]
    lists = pl.DataFrame([at, items.alias("item")]).group_by("at", maintain_order=True).agg("item")["item"]
    empty = pl.Series([[]], dtype=lists.dtype)
    where = pl.DataFrame([filled.alias("filled"), present.alias("present")]).select(
        pl.when("filled")
        .then(pl.col("filled").cum_sum() - 1)
        .when("present")
        .then(pl.lit(len(lists)))
        .cast(pl.UInt32())
    )
    return pl.concat([lists, empty]).gather(where.to_series())


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
