"""Rows and tables cut into batches: nothing lost, order kept, no batch too large."""

import dataclasses
import io
from collections import OrderedDict, deque
from enum import Enum
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from dagster_contracts.orchestration.row_batches import END, FULL, Batcher, cut, is_page, is_row, is_table, weight


@dataclasses.dataclass
class Point:
    x: int


class Model(BaseModel):
    x: int


class Named(NamedTuple):
    x: int


@dataclasses.dataclass
class Iterable:
    x: int

    def __iter__(self):
        return iter([self.x])


class Colour(Enum):
    RED = 1


def batches(elements, rows=100_000, most=1 << 30):
    batcher = Batcher(rows, most)
    return [*(batch for element in elements for batch in batcher.add(element)), *batcher.rest()]


def filled(elements, rows=100_000, most=1 << 30):
    """The same from an iterator."""
    batcher, source, found = Batcher(rows, most), iter(elements), []
    while (element := batcher.fill(source)) is not END:
        found += batcher.rest() if element is FULL else batcher.add(element)
    return [*found, *batcher.rest()]


def as_rows(batch):
    if isinstance(batch, list):
        return batch
    if isinstance(batch, pd.DataFrame):
        return batch.to_dict("records")
    return pl.DataFrame(batch).to_dicts()


ROW = st.integers().map(lambda x: {"x": x})
TABLE = st.lists(st.integers(-9, 9), max_size=7).flatmap(
    lambda xs: st.sampled_from(
        [
            pl.DataFrame({"x": xs}, schema={"x": pl.Int64}),
            pl.LazyFrame({"x": xs}, schema={"x": pl.Int64}),
            pa.table({"x": pa.array(xs, pa.int64())}),
            pd.DataFrame({"x": pd.Series(xs, dtype="int64")}),
        ]
    )
)


@given(st.lists(st.one_of(ROW, TABLE), max_size=20), st.integers(1, 5))
def test_nothing_is_lost_the_order_is_kept_and_no_batch_has_too_many_rows(elements, most):
    flat = []
    for element in elements:
        if isinstance(element, dict):
            flat.append(element)
        else:
            flat += as_rows(element.collect() if isinstance(element, pl.LazyFrame) else element)
    for found in (batches(elements, rows=most), filled(elements, rows=most)):
        cut_up = [as_rows(batch) for batch in found]
        assert [row for batch in cut_up for row in batch] == flat
        assert all(len(batch) <= most for batch in cut_up)


@pytest.mark.parametrize("made", [batches, filled])
def test_a_batch_ends_where_it_weighs_enough(made):
    heavy = [{"text": "x" * 1_000}] * 100
    sizes = [len(batch) for batch in made(heavy, rows=1_000, most=20_000)]
    assert sum(sizes) == 100
    assert max(sizes) <= 24  # 20 rows of 1,000 bytes, looked at every eighth row


def test_one_heavy_row_is_a_batch():
    assert [len(batch) for batch in batches([{"text": "x" * 1_000}] * 3, rows=9, most=10)] == [1, 1, 1]


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"x": [1, 2, 3]}),
        pl.LazyFrame({"x": [1, 2, 3]}),
        pd.DataFrame({"x": [1, 2, 3]}),
        pa.table({"x": [1, 2, 3]}),
        pa.table({"x": [1, 2, 3]}).to_batches()[0],
        pa.table({"x": [1, 2, 3]}).to_reader(),
    ],
    ids=lambda table: type(table).__name__,
)
def test_tables_are_known_and_cut_into_parts_of_their_own_kind(table):
    assert is_table(table)
    parts = list(cut(table, 2))
    assert [len(as_rows(part)) for part in parts] == [2, 1]


def test_a_table_without_rows_is_one_part_with_its_columns():
    for table in (
        pl.DataFrame({"x": []}),
        pl.LazyFrame({"x": []}),
        pd.DataFrame({"x": []}),
        pa.table({"x": pa.array([], pa.int64())}),
    ):
        (part,) = cut(table, 2)
        assert list(pl.DataFrame(part).columns) == ["x"]


def test_only_what_has_columns_is_a_table():
    for value in (pa.array([1]), pa.chunked_array([[1]]), pl.Series([1]), pd.Series([1]), pl.DataFrame, [1], {"x": 1}):
        assert not is_table(value)


def test_rows_are_mappings_and_objects_with_fields():
    for value in ({"x": 1}, OrderedDict(x=1), Point(1), Model(x=1), Named(1)):
        assert is_row(value)
    for value in (Point, Model, [1], "x", 1, None):
        assert not is_row(value)


def test_pages_are_whatever_gives_rows_one_after_another():
    assert is_page([])
    row = {"x": 1}
    for value in ((row,), iter([row]), map(dict, [row]), deque([row]), {"a": row}.values(), np.array([row])):
        assert is_page(value)
    for value in (
        *(
            Named(1),
            row,
            Model(x=1),
            Iterable(1),
            "rows",
            b"rows",
            {1, 2},
            pl.DataFrame(),
            pa.table({}),
            pd.DataFrame(),
        ),
        *(pd.Series([row]), pd.Index([1]), pl.Series([row]), io.StringIO("rows"), Colour, 1, None),
    ):
        assert not is_page(value)


def test_weights_are_about_right():
    assert 1_000 < weight({"text": "x" * 1_000}) < 1_500
    assert weight({"labels": ["x" * 100] * 10}) > 1_000
    assert weight(Point(1)) > weight(1)
    nested: list = []
    nested.append(nested)
    assert weight(nested) > 0
