"""Tables of other libraries whose values Polars reads as others: brought to what they stand for, or refused."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from decimal import Decimal
from typing import Annotated, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal
from pydantic import AwareDatetime

import dagster_contracts as dc
from dagster_contracts.rows.sources import read


class Cells(dc.Schema):
    """Columns that such values may be read into."""

    number: int | None
    text: str | None
    naive: dt.datetime | None
    aware: AwareDatetime | None
    length: dt.timedelta | None
    amount: Decimal | None
    anything: Any


UTC = dt.UTC
MAPS = pytest.mark.skipif(not hasattr(pl, "Map"), reason="this Polars has no maps: they are lists of pairs")
FLAGS = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None], pa.int8()))
KNOWS_EXTENSIONS = pl.DataFrame(pa.table({"on": FLAGS})).dtypes != [pl.Int8]
EXTENSIONS = pytest.mark.skipif(not KNOWS_EXTENSIONS, reason="this Polars forgets extension types as it reads them")
REFUSED = [
    pa.table({"naive": pa.array([2**62], pa.timestamp("s"))}),
    pa.table({"aware": pa.array([2**63 - 1], pa.timestamp("s", "UTC"))}),
    pa.table({"length": pa.array([2**62], pa.duration("s"))}),
    pa.record_batch({"naive": pa.array([2**62], pa.timestamp("s"))}),
    pa.table({"amount": pa.array([Decimal(10**40)], pa.decimal256(60, 2))}),
    pa.table({"amount": pa.array([Decimal("0.1")], pa.decimal256(60, 45))}),
    pd.DataFrame({"naive": np.array([2**61], dtype="datetime64[s]")}),
    pd.DataFrame({"length": np.array([2**61], dtype="timedelta64[s]")}),
    pa.Table.from_pandas(pd.DataFrame({"number": pd.period_range("2024-01", periods=2, freq="M")})),
    *(pd.DataFrame({name: pd.period_range("2024-01", periods=2, freq="M")}) for name in ("number", "text", "anything")),
]


@pytest.mark.parametrize("table", REFUSED, ids=lambda table: f"{type(table).__name__}")
def test_what_polars_reads_as_another_value_is_refused(table):
    with pytest.raises(dc.errors.SchemaError):
        Cells.to_frame(table)


@pytest.mark.parametrize(
    ("field", "cells", "wanted"),
    [
        ("naive", pa.array([1, None], pa.timestamp("s")), dt.datetime(1970, 1, 1, 0, 0, 1)),  # noqa: DTZ001
        ("aware", pa.array([1, None], pa.timestamp("s", "+05:30")), dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)),
        ("aware", pa.array([1, None], pa.timestamp("us", "-08:00")), dt.datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC)),
        ("length", pa.array([2, None], pa.duration("s")), dt.timedelta(seconds=2)),
        ("amount", pa.array([Decimal("1.10"), None], pa.decimal256(60, 2)), Decimal("1.10")),
    ],
    ids=str,
)
def test_what_those_types_hold_comes_as_it_is(field, cells, wanted):
    for table in (pa.table({field: cells}), pa.record_batch({field: cells})):
        assert Cells.to_frame(table)[field].to_list() == [wanted, None]


def test_pandas_seconds_come_as_they_are():
    table = pd.DataFrame({"naive": np.array([1, "NaT"], dtype="datetime64[s]")})
    assert Cells.to_frame(table)["naive"].to_list() == [dt.datetime(1970, 1, 1, 0, 0, 1), None]  # noqa: DTZ001


def test_a_json_text_with_a_key_twice_loses_neither_value():
    text = '{"a": {"b": 1, "b": 2}}'
    assert json.loads(Cells.to_frame(pl.DataFrame({"anything": [text]}))["anything"][0]) == text

    class Objects(dc.Schema):
        found: dict

    with pytest.raises(dc.errors.SchemaError, match="valid dictionary"):
        Objects.to_frame(pl.DataFrame({"found": [text]}))


# ---- the same inside of lists, records, maps and dictionaries --------------------------------------------------------


def dictionary(storage: pa.Array) -> pa.Array:
    return storage.dictionary_encode()


def record(storage: pa.Array) -> pa.Array:
    return pa.StructArray.from_arrays([storage], ["a"])


def lists(kind: Any) -> Any:
    def around(storage: pa.Array) -> pa.Array:
        if kind is pa.FixedSizeListArray:
            return kind.from_arrays(storage, 1)
        return kind.from_arrays(range(len(storage) + 1), storage)

    return around


def mapped(storage: pa.Array) -> pa.Array:
    return pa.MapArray.from_arrays(range(len(storage) + 1), ["a"] * len(storage), storage)


AROUND = {
    "dictionary": (dictionary, lambda one: one),
    "record": (record, lambda one: {"a": one}),
    "list": (lists(pa.ListArray), lambda one: [one]),
    "large list": (lists(pa.LargeListArray), lambda one: [one]),
    "fixed list": (lists(pa.FixedSizeListArray), lambda one: [one]),
    "map": (mapped, lambda one: {"a": one}),
}
CELLS = {
    "seconds": (pa.timestamp("s"), 1, dt.datetime(1970, 1, 1, 0, 0, 1), 2**62),  # noqa: DTZ001
    "seconds in UTC": (pa.timestamp("s", "UTC"), 1, dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), 2**62),
    "an offset": (pa.timestamp("us", "-08:00"), 1, dt.datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC), None),
    "a duration": (pa.duration("s"), 2, dt.timedelta(seconds=2), 2**62),
    "a wide decimal": (pa.decimal256(60, 2), Decimal("1.10"), Decimal("1.10"), Decimal(10**40)),
}
DEEP = ["list", "record", "map", "fixed list"]
WAYS = [
    *((one,) for one in AROUND),
    *itertools.product(DEEP, DEEP),
    ("dictionary", "list"),
    ("dictionary", "map", "record"),
]


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=MAPS if "map" in way else (), id=" in ".join(way)) for way in WAYS]
)
@pytest.mark.parametrize("cell", CELLS)
def test_what_stands_inside_of_others_is_read_as_it_is_or_refused(cell, way):
    kind, given, wanted, beyond = CELLS[cell]
    storage = pa.array([given], kind)
    for name in way:
        around, as_python = AROUND[name]
        storage, wanted = around(storage), as_python(wanted)
    assert read(pa.table({"x": storage})).rows() == [{"x": wanted}]
    if beyond is not None:
        storage = pa.array([beyond], kind)
        for name in way:
            storage = AROUND[name][0](storage)
        with pytest.raises(dc.errors.SchemaError, match="cannot be read as a table"):
            read(pa.table({"x": storage}))


# ---- extension types -------------------------------------------------------------------------------------------------

JSON_TEXTS = ['{"a": [1, "x"]}', None]


def as_json(texts: list[str | None]) -> pa.Array:
    return pa.ExtensionArray.from_storage(pa.json_(), pa.array(texts, pa.string()))


class Documents(dc.Schema):
    anything: Any
    known: dict | None
    several: list[Any] | None
    text: str | None


@pytest.mark.parametrize("as_table", [lambda table: table, pl.DataFrame, lambda table: pl.DataFrame(table).lazy()])
@pytest.mark.parametrize("strategy", ["reconcile", "strict"])
def test_a_column_of_json_is_what_it_says_and_is_not_written_as_json_again(as_table, strategy):
    texts = as_json(JSON_TEXTS)
    several = pa.ListArray.from_arrays([0, 2, 2], as_json(JSON_TEXTS), mask=pa.array([False, True]))
    table = as_table(pa.table({"anything": texts, "known": texts, "several": several, "text": texts}))
    found = Documents.to_frame(table, strategy=strategy)
    assert found.rows() == [
        ('{"a": [1, "x"]}', '{"a": [1, "x"]}', ['{"a": [1, "x"]}', None], '{"a": [1, "x"]}'),
        (None, None, None, None),
    ]
    rows = [
        {"anything": {"a": [1, "x"]}, "known": {"a": [1, "x"]}, "several": [{"a": [1, "x"]}, None], "text": JSON_TEXTS[0]},
        dict.fromkeys(Documents.polars_schema()),
    ]  # fmt: skip
    assert_frame_equal(found, Documents.to_frame(rows, strategy=strategy))


def test_json_in_a_record_and_in_a_fixed_list_is_read_as_it_is_stored():
    texts = as_json(JSON_TEXTS)
    kept = pa.array([True, False])
    records = pa.StructArray.from_arrays([texts, pa.array([1, 2])], ["one", "^other$"], mask=kept)
    table = pa.table({"records": records, "pairs": pa.FixedSizeListArray.from_arrays(as_json(JSON_TEXTS * 2), 2)})
    wanted = [
        {"records": None, "pairs": ['{"a": [1, "x"]}', None]},
        {"records": {"one": None, "^other$": 2}, "pairs": ['{"a": [1, "x"]}', None]},
    ]
    assert read(table).rows() == wanted
    assert read(pl.DataFrame(table)).rows() == wanted


def test_true_and_false_in_eight_bits_are_no_numbers():
    class Flags(dc.Schema):
        on: bool | None

    table = pa.table({"on": FLAGS})
    for given in (table, pl.DataFrame(table)) if KNOWS_EXTENSIONS else (table,):
        assert Flags.to_frame(given, strategy="strict")["on"].to_list() == [True, False, None]


@EXTENSIONS
def test_a_frame_of_a_type_whose_numbers_only_its_library_understands_is_refused():
    periods = pd.DataFrame({"number": pd.period_range("2024-01", periods=2, freq="M")})
    with pytest.raises(dc.errors.SchemaError, match="period is stored as bare numbers"):
        Cells.to_frame(pl.DataFrame(pa.Table.from_pandas(periods)))


# ---- maps ------------------------------------------------------------------------------------------------------------


class Pairs(dc.Schema):
    found: dict | None


@MAPS
def test_a_map_keeps_nanoseconds_and_is_refused_where_a_key_is_there_twice():
    fine = pa.table({"found": pa.array([[("a", 1_000_000_001)], None, []], pa.map_(pa.string(), pa.timestamp("ns")))})
    assert Pairs.to_frame(fine)["found"].to_list() == ['{"a": "1970-01-01T00:00:01.000000001"}', None, "{}"]
    twice = pa.table({"found": pa.array([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int64()))})
    with pytest.raises(dc.errors.SchemaError, match="valid dictionary"):
        Pairs.to_frame(twice)
    [inside] = read(pa.table({"x": lists(pa.ListArray)(twice["found"].chunk(0))})).rows()
    assert inside == {"x": [[{"key": "a", "value": 1}, {"key": "a", "value": 2}]]}


@pytest.mark.parametrize("make", [pl.DataFrame.to_arrow, pl.DataFrame.to_pandas])
def test_integers_of_128_bits_are_given_back_as_decimals_where_arrow_has_none(make):
    class Table(dc.Schema):
        wide: Annotated[int, dc.Int128] | None

    found = Table.reconcile(make(pl.DataFrame({"wide": ["123456789012345678901234567890", None]})))
    assert pl.DataFrame(found)["wide"].to_list() == [Decimal(123456789012345678901234567890), None]
    with pytest.raises(dc.errors.SchemaError, match="to_frame"):
        Table.reconcile(make(pl.DataFrame({"wide": [str(2**127 - 1)]})))


def test_integers_of_128_bits_inside_of_lists_are_refused_where_arrow_has_none():
    class Table(dc.Schema):
        wide: list[Annotated[int, dc.Int128]]

    with pytest.raises(dc.errors.SchemaError, match="Arrow cannot hold them"):
        Table.reconcile(pl.DataFrame({"wide": [[1, 2]]}).to_arrow())
