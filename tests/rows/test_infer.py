"""A schema out of rows."""

import dataclasses
import datetime as dt
import enum
from decimal import Decimal
from typing import Any, get_args
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pydantic import AwareDatetime, BaseModel, NaiveDatetime

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.errors import SchemaError
from dagster_contracts.rows.infer import MAX_RECORD_KEYS, Inference, infer


class Colour(enum.Enum):
    RED = "red"


class Mixed(enum.Enum):
    ONE = 1
    RED = "red"


@dataclasses.dataclass
class Row:
    a: int
    b: str


class Model(BaseModel):
    a: int
    b: str


MOMENT = dt.datetime(2024, 1, 2)  # noqa: DTZ001


def kinds(rows):
    return {field.name: field.annotation for field in row_schema(infer(rows)).fields}


@pytest.mark.parametrize(
    ("values", "annotation", "dtype"),
    [
        ([1, 2], int, pl.Int64()),
        ([1, 1.5], float, pl.Float64()),
        ([2**53 + 1, 1.5], Any, pl.String()),  # no float holds the integer
        ([1, True], Any, pl.String()),
        ([True, None], bool, pl.Boolean()),
        ([None, None], Any, pl.String()),
        (["a", 1], Any, pl.String()),
        (["a"], str, pl.String()),
        ([b"a"], bytes, pl.Binary()),
        ([float("nan")], float, pl.Float64()),
        ([2**63 - 1], int, pl.Int64()),
        ([2**127], Any, pl.String()),
        ([dt.date(2024, 1, 2)], dt.date, pl.Date()),
        ([dt.date(2024, 1, 2), MOMENT], Any, pl.String()),
        ([MOMENT], NaiveDatetime, pl.Datetime("us")),
        ([MOMENT.replace(tzinfo=dt.UTC)], AwareDatetime, pl.Datetime("us", "UTC")),
        ([MOMENT, MOMENT.replace(tzinfo=dt.UTC)], Any, pl.String()),
        ([dt.time(1)], dt.time, pl.Time()),
        ([dt.timedelta(1)], dt.timedelta, pl.Duration("us")),
        ([UUID(int=1)], UUID, pl.String()),
        ([Colour.RED], Colour, pl.String()),
        ([Mixed.ONE], Any, pl.String()),
        ([{1, 2}], Any, pl.String()),
        ([[1], [2.5]], list[float], pl.List(pl.Float64())),
        ([[1, None]], list[int | None], pl.List(pl.Int64())),
        ([[], []], list[Any | None], pl.List(pl.String())),
        ([(1, 2)], list[int], pl.List(pl.Int64())),
        ([{}, {}], dict[str, Any], pl.String()),
        ([{1: 2}], dict[str, Any], pl.String()),
        ([{str(at): 1 for at in range(MAX_RECORD_KEYS + 1)}], dict[str, Any], pl.String()),
        ([np.int8(3), np.float32(1.5)], float, pl.Float64()),
        ([pd.NA, pd.Timestamp("2024-01-02")], NaiveDatetime, pl.Datetime("us")),
    ],
    ids=str,
)
def test_the_types_that_were_seen_decide(values, annotation, dtype):
    (field,) = row_schema(infer([{"a": value} for value in values])).fields
    assert field.annotation == annotation
    assert field.dtype == dtype
    assert field.nullable


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2**63], pl.Int128()),
        ([-(2**127), 1], pl.Int128()),
        ([Decimal("1.50"), Decimal(100)], pl.Decimal(38, 2)),
        ([{"x": 1, "y": [1]}, {"z": "a"}], pl.Struct({"x": pl.Int64, "y": pl.List(pl.Int64), "z": pl.String})),
        ([[{"x": 1}], [{"x": 2.5}]], pl.List(pl.Struct({"x": pl.Float64}))),
    ],
    ids=str,
)
def test_what_is_inside_is_inferred(values, dtype):
    (field,) = row_schema(infer([{"a": value} for value in values])).fields
    assert field.dtype == dtype


def test_keys_keep_the_order_of_first_sight_and_every_column_is_nullable():
    fields = row_schema(infer([{"b": 1}, {"a": 1, "b": 2}, {"name": 1, "schema": 2, "not a name": 3}])).fields
    assert [field.name for field in fields] == ["b", "a", "name", "schema", "not a name"]
    assert [(field.nullable, field.default) for field in fields] == [(True, None)] * 5


def test_a_generator_is_read_once_and_every_row_counts():
    assert kinds({"a": at if at < 50_000 else "x"} for at in range(50_001)) == {"a": Any}


@pytest.mark.parametrize(
    "rows",
    [
        [Row(1, "x")],
        [Model(a=1, b="x")],
        pd.DataFrame({"a": [1], "b": ["x"]}),
        pl.DataFrame({"a": [1], "b": ["x"]}),
        pl.LazyFrame({"a": [1], "b": ["x"]}),
        pl.DataFrame({"a": [1], "b": ["x"]}).to_arrow(),
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_every_representation_infers_the_same(rows):
    assert kinds(rows) == {"a": int, "b": str}


def test_keys_that_cannot_be_columns_are_left_out():
    inference = Inference()
    inference.add([{"a": 1, 2: "x", "dy_x": 1, "__doc__": 1, "": 1}])
    assert [field.name for field in row_schema(inference.schema()).fields] == ["a"]
    assert list(inference.left_out) == ["2", "dy_x", "__doc__", ""]


def test_batches_are_one_content():
    inference = Inference()
    inference.add([{"a": 1}])
    inference.add(pl.DataFrame({"a": [1.5], "b": ["x"]}))
    assert [(one.name, one.annotation) for one in row_schema(inference.schema("Seen")).fields] == [
        ("a", float),
        ("b", str),
    ]
    assert inference.schema("Seen").__name__ == "Seen"


@pytest.mark.parametrize("rows", [[], [{}], [1], "rows", None, [{1: 2}]], ids=str)
def test_what_has_no_columns_is_a_schema_error(rows):
    with pytest.raises(SchemaError):
        infer(rows)


def test_deep_nesting_ends_in_any():
    value: Any = 1
    for _ in range(30):
        value = [value]
    annotation = kinds([{"a": value}])["a"]
    for _ in range(8):
        (annotation,) = get_args(annotation)
    assert annotation == (Any | None)
