"""What changed about the keys and types that arrive: literal cases of what is seen and what is told."""

import dataclasses

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pydantic import BaseModel, ConfigDict

from dagster_contracts.orchestration.schema_change import Arrivals, Change, changes


@dataclasses.dataclass
class Point:
    x: int
    y: str | None


class Model(BaseModel):
    model_config = ConfigDict(extra="allow")
    x: int


def seen(*batches) -> dict[str, str]:
    arrivals = Arrivals()
    for batch in batches:
        arrivals.add(batch)
    return arrivals.types


@pytest.mark.parametrize(
    ("batch", "types"),
    [
        ([{"a": 1, "b": "x"}, {"a": 2.5, "c": None}], {"a": "float | int", "b": "str", "c": ""}),
        ([{"a": True}, {"a": 1}], {"a": "bool | int"}),
        ([{"a": [1], "b": {"c": 1}}], {"a": "list", "b": "dict"}),
        ([{1: "x", None: "y"}], {"1": "str", "None": "str"}),
        ([Point(1, None), Point(2, "z")], {"x": "int", "y": "str"}),
        ([Model(x=1, more="m")], {"x": "int", "more": "str"}),
        ([{"a": 1}, Point(1, None), 5], {"a": "int", "x": "int", "y": ""}),
        (pl.DataFrame({"a": [1], "b": ["x"], "c": [None]}), {"a": "Int64", "b": "String", "c": ""}),
        (pa.table({"a": [1], "b": pa.nulls(1)}), {"a": "int64", "b": ""}),
        (pd.DataFrame({"a": [1.5]}), {"a": "float64"}),
    ],
)
def test_keys_and_types_that_are_seen(batch, types):
    assert seen(batch) == types


def test_keys_of_every_row_are_seen_and_batches_add_up():
    rows = [{"a": 1}] * 5_000
    rows[4_321] = {"a": 1, "rare": 1}
    assert list(seen(rows)) == ["a", "rare"]
    assert seen([{"a": 1}], [{"b": "x", "a": None}], [{"a": "y"}]) == {"a": "int | str", "b": "str"}


def test_no_more_than_a_bounded_number_of_keys_is_kept():
    assert len(seen([{f"k{at}": 1} for at in range(10_000)])) == 500
    declared = [f"column{at}" for at in range(600)]
    arrivals = Arrivals(declared)
    arrivals.add([dict.fromkeys([*(f"k{at}" for at in range(999)), *declared], 1)])
    assert set(declared) <= set(arrivals.types)
    assert len(arrivals.types) == 1_100


def test_what_is_told_of_two_runs():
    before = {"gone": "int", "kept": "int", "retyped": "int", "empty": "", "emptied": "str"}
    now = {"kept": "int", "retyped": "int | str", "empty": "str", "emptied": "", "new": "float", "hollow": ""}
    assert changes(before, now) == [
        Change("new", "added", None, "float"),
        Change("hollow", "added", None, "only nulls"),
        Change("gone", "removed", "int", None),
        Change("retyped", "retyped", "int", "int | str"),
    ]
    assert changes(now, now) == []
