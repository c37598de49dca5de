"""One content in many representations: the same frames and the same errors."""

import collections
import dataclasses
import datetime as dt
import os
import random
import types
from decimal import Decimal
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pydantic import BaseModel, ConfigDict, Field
from tests.rows.test_fast_path import SCHEMAS

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.errors import SchemaError
from dagster_contracts.rows import operations
from dagster_contracts.rows.conform import conform, conform_part, row_by_row
from dagster_contracts.rows.reference import How
from dagster_contracts.rows.schema import Schema
from dagster_contracts.rows.shapes import record_shape
from dagster_contracts.rows.sources import of_polars
from dagster_contracts.rows.strategy import MaterializationStrategy as Strategy


class Stats(Schema):
    day: dt.date
    id: int
    spend: float | None
    note: str | None = Field(None, alias="Note")
    seen: bool = True
    labels: list[str] | None = None


class StatsRow(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    day: Any
    id: Any
    spend: Any
    note: Any = Field(alias="Note")
    seen: Any
    labels: Any


@dataclasses.dataclass
class StatsData:
    day: Any
    id: Any
    spend: Any
    note: Any
    seen: Any
    labels: Any


class StatsTuple(NamedTuple):
    day: Any
    id: Any
    spend: Any
    note: Any
    seen: Any
    labels: Any


GOOD = [
    {"day": dt.date(2024, 1, 2), "id": 1, "spend": 1.5, "Note": "a", "seen": True, "labels": ["x", "y"]},
    {"day": dt.date(2024, 1, 3), "id": -7, "spend": None, "Note": None, "seen": False, "labels": []},
    {"day": dt.date(1999, 1, 3), "id": 2**62, "spend": 0.25, "Note": "", "seen": False, "labels": None},
]
TEXT = [
    {key: None if value is None else str(value).lower() for key, value in row.items() if key != "labels"}
    for row in GOOD
]
BAD = [
    {"day": "2024-01-02", "id": "1.5", "spend": "x", "Note": "a", "seen": "maybe"},
    {"day": "1700000000", "id": None, "spend": "1", "Note": "a", "seen": "no"},
    {"day": "2024-01-02", "id": "3", "spend": "1", "Note": "a", "seen": "no"},
]


def renamed(row):
    return {"note" if key == "Note" else key: value for key, value in row.items()}


FORMS = {
    "dicts": list,
    "tuple of dicts": tuple,
    "generator": iter,
    "mappings": lambda rows: [types.MappingProxyType(row) for row in rows],
    "ordered": lambda rows: [collections.OrderedDict(row) for row in rows],
    "shuffled": lambda rows: [dict(reversed(row.items())) if at % 2 else row for at, row in enumerate(rows)],
    "by name": lambda rows: [renamed(row) for row in rows],
    "polars": lambda rows: pl.DataFrame(
        rows, infer_schema_length=None, schema_overrides={"labels": pl.List(pl.String)} if "labels" in rows[0] else None
    ),
    "lazy": lambda rows: pl.DataFrame(
        rows, infer_schema_length=None, schema_overrides={"labels": pl.List(pl.String)} if "labels" in rows[0] else None
    ).lazy(),
    "arrow": pa.Table.from_pylist,
    "batch": lambda rows: pa.Table.from_pylist(rows).to_batches()[0],
    "reader": lambda rows: pa.Table.from_pylist(rows).to_reader(),
    "pandas": pd.DataFrame,
    "pandas arrow": lambda rows: pa.Table.from_pylist(rows).to_pandas(types_mapper=pd.ArrowDtype),
    "mixed": lambda rows: [row if at % 2 else collections.OrderedDict(row) for at, row in enumerate(rows)],
}
WITH_LABELS = {
    "dataclasses": lambda rows: [StatsData(**renamed(row)) for row in rows],
    "pydantic": lambda rows: [StatsRow(**row) for row in rows],
    "named tuples": lambda rows: [StatsTuple(**renamed(row)) for row in rows],
}


def outcome(given, strategy):
    found = conform(Stats, given, strategy)
    reasons = [(one.row, one.field, one.place, one.code, one.wanted) for one in found.failures]
    return found.frame, found.numbers.to_list(), found.refused, reasons, found.dropped


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize(
    ("rows", "form"),
    [(rows, form) for rows in ("good", "text", "bad") for form in FORMS] + [("good", form) for form in WITH_LABELS],
)
def test_every_representation_of_a_content_gives_the_same(rows, form, strategy):
    content = {"good": GOOD, "text": TEXT, "bad": BAD}[rows]
    given = (FORMS | WITH_LABELS)[form](content)
    found, wanted = outcome(given, strategy), outcome(content, strategy)
    assert found[0].equals(wanted[0])
    assert found[2].equals(wanted[2])
    assert (found[1], found[3], found[4]) == (wanted[1], wanted[3], wanted[4])


def test_a_missing_marker_of_pandas_is_null_and_never_text():
    frame = pd.DataFrame(
        {
            "day": [pd.Timestamp("2024-01-02"), pd.NaT],
            "id": [1.0, float("nan")],
            "spend": [float("nan"), 2.0],
            "Note": ["a", float("nan")],
            "seen": pd.array([True, pd.NA], dtype="boolean"),
        }
    )
    found = conform(Stats, frame)
    assert found.frame["note"].to_list() == ["a"]
    assert found.frame["id"].to_list() == [1]
    assert [(one.field, one.code) for one in found.failures] == [("day", "null"), ("id", "null"), ("seen", "null")]


@pytest.mark.parametrize("form", ["polars", "lazy", "arrow", "pandas"])
def test_a_table_in_gives_its_own_kind_out(form):
    given = FORMS[form](TEXT)
    found = operations.reconcile(Stats, given)
    assert type(found) is type(given)
    assert operations.to_frame(Stats, found).equals(operations.to_frame(Stats, TEXT))


def test_arrow_in_other_widths_and_dictionaries_is_the_same_content():
    table = pa.table(
        {
            "day": pa.array([dt.datetime(2024, 1, 2)], pa.timestamp("ns")),  # noqa: DTZ001
            "id": pa.array([1], pa.uint8()),
            "spend": pa.array([1.5], pa.float32()),
            "Note": pa.array(["a"]).dictionary_encode(),
        }
    )
    assert conform(Stats, table).frame.drop("labels").row(0) == (dt.date(2024, 1, 2), 1, 1.5, "a", True)


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("moment", [1, 999, 1_000_000_001])
def test_nanoseconds_are_refused_from_every_representation(moment, strategy):
    class Seen(Schema):
        at: dt.datetime

    arrow = pa.table({"at": pa.array([moment], pa.timestamp("ns"))})
    polars = pl.DataFrame({"at": pl.Series([moment]).cast(pl.Datetime("ns"))})
    pandas = pd.DataFrame({"at": [pd.Timestamp(moment)]})
    rows = [{"at": pd.Timestamp(moment)}]
    codes = {conform(Seen, given, strategy).failures[0].code for given in (arrow, polars, pandas, rows)}
    assert codes <= {"inexact", "type"}


@pytest.mark.parametrize("bad", [None, 7, "text", b"bytes", object(), pl.Series([1]), {1, 2}.__iter__, Stats])
def test_what_is_no_rows_is_a_schema_error_that_names_the_type(bad):
    with pytest.raises(SchemaError, match=f"{type(bad).__name__}|row"):
        operations.to_frame(Stats, bad)


def test_two_columns_of_one_name_are_a_schema_error():
    frame = pd.DataFrame([[1, 2]], columns=["id", "id"])
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["id", "id"])
    for given in (frame, table):
        with pytest.raises(SchemaError, match="id"):
            conform(Stats, given)


SERIES: list[pl.Series] = [
    pl.Series([1, None, -5, 300], dtype=pl.Int16),
    pl.Series([0, None, 2**64 - 1], dtype=pl.UInt64),
    pl.Series([2**100, 5, None], dtype=pl.Int128),
    pl.Series([2**53 + 1, 2**62, 1700000000, 1, 2]),
    pl.Series([1.0, 1.5, float("nan"), float("inf"), None, -0.0, 1e300, 2.0]),
    pl.Series([1.0, 1.5, 0.1, 3e38, None], dtype=pl.Float32),
    pl.Series([True, False, None]),
    pl.Series(["1", " 2 ", "x", None, "2024-01-02", "2024-01-02T03:04:05", "red", "a", "true", "1.50", "é"]),
    pl.Series(["red", "blue", None], dtype=pl.Categorical),
    pl.Series(["red", "a", None], dtype=pl.Enum(["red", "a"])),
    pl.Series([b"abc", None, b"\xc3\xa9", b"12"]),
    pl.Series([dt.date(2024, 1, 2), None, dt.date(1, 1, 1)]),
    pl.Series([dt.datetime(2024, 1, 2), dt.datetime(2024, 1, 2, 3), None], dtype=pl.Datetime("us")),  # noqa: DTZ001
    pl.Series([dt.datetime(2024, 1, 2), dt.datetime(2024, 1, 2, 3), None], dtype=pl.Datetime("ms")),  # noqa: DTZ001
    pl.Series([1, 1000, 86_400_000_000_000, None]).cast(pl.Datetime("ns")),
    pl.Series([dt.datetime(2024, 1, 2), None]).dt.replace_time_zone("Europe/Berlin"),  # noqa: DTZ001
    pl.Series([dt.datetime(2024, 1, 2), dt.datetime(2024, 1, 2, 3)])  # noqa: DTZ001
    .dt.replace_time_zone("UTC")
    .dt.cast_time_unit("ns"),
    pl.Series([dt.time(1, 2, 3), None]),
    pl.Series([1, 2000]).cast(pl.Time),
    pl.Series([dt.timedelta(1), None, dt.timedelta(microseconds=3)]),
    pl.Series([dt.timedelta(1), None]).dt.cast_time_unit("ms"),
    pl.Series([1, 5000]).cast(pl.Duration("ns")),
    pl.Series([Decimal("1.50"), None, Decimal("12.345"), Decimal("123456.1")]),
    pl.Series([None, None]),
    pl.Series([[1, 2], [], None, [None]]),
    pl.Series([["1", "x"], ["2"], [], None]),
    pl.Series([[[1.5], []], None, [None]]),
    pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)),
    pl.Series([{"x": 1, "y": 2.5}, {"x": None, "y": 1.0}, None]),
    pl.Series([{"x": "1", "z": 2}, None]),
    pl.Series([[{"name": "abc", "points": [{"x": 1}]}], [], None, [{"name": "a", "points": None}]]),
    pl.Series(['{"a": 1}', "[1]", "5", "x", None]),
    pl.Series(["00000000-0000-0000-0000-000000000005", "x", None]),
    pl.Series([object(), 1, None], dtype=pl.Object),
]


@pytest.mark.parametrize("name", SCHEMAS)
def test_columns_at_once_give_what_their_rows_one_by_one_give(name):
    record = record_shape(row_schema(SCHEMAS[name]))
    random_ = random.Random(name)
    for series in SERIES:
        for _ in range(int(os.environ.get("ROUNDS", "1"))):
            picked = [random_.randrange(len(series)) for _ in range(random_.choice([1, 2, 9]))]
            part = of_polars(pl.DataFrame([series.gather(picked).alias("value")]))
            for strategy in Strategy:
                fast = conform_part(record, part, strategy, first_row=0)
                slow = row_by_row(record, part, How(strategy), range(part.height))
                assert [str(one) for one in fast.failures] == [str(one) for one in slow.failures], (series, strategy)
                assert fast.frame.equals(slow.frame), (series, strategy, fast.frame, slow.frame)
                assert fast.refused.equals(slow.refused)
