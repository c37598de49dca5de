"""Keys that nobody declared and that are kept: one type for the whole run, however its rows are cut into batches."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from uuid import UUID

import dagster as dg
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import dagster_contracts as dc
from dagster_contracts.orchestration import conform


class Order(dc.Schema):
    id: int
    amount: int | None = None


def run(rows, contract=Order, **kwargs):
    @dc.asset(contract, name="orders", on_schema_change="keep", **kwargs)
    def orders():
        yield from rows

    return dc.testing.run_asset(orders)


def frame(done):
    assert done.error is None, str(done.error)
    return done.table.lazy().collect()


@pytest.fixture(params=[(1, 1), (1, 1 << 20), (2, 300), (20_000, 1 << 20)], ids=str)
def batches(request, monkeypatch):
    """Rows cut and held in several ways, of which none is to be seen in the table."""
    monkeypatch.setattr(conform, "BATCH_ROWS", request.param[0])
    monkeypatch.setattr(conform, "HELD_BYTES", request.param[1])


DAY, MOMENT, NUMBER = dt.date(2026, 1, 1), dt.datetime(2026, 1, 1, tzinfo=dt.UTC), UUID(int=7)  # fmt: skip
ABSENT = object()
# values of one key in the order in which they come, the column's dtype and values
JOINED = {
    "null, then a number": ([None, 5], pl.Int64, [None, 5]),
    "absent, then a number": ([ABSENT, 5], pl.Int64, [None, 5]),
    "a number, then null": ([5, None, ABSENT], pl.Int64, [5, None, None]),
    "only nulls": ([None, ABSENT, None], pl.String, [None, None, None]),
    "int and float": ([1, 2.5, 3], pl.Float64, [1.0, 2.5, 3.0]),
    "an int that no float holds": ([2**53 + 1, 0.5], pl.String, ["9007199254740993", "0.5"]),
    "an empty list, then numbers": ([[], [5]], pl.List(pl.Int64), [[], [5]]),
    "numbers, then an empty list": ([[5], [], None], pl.List(pl.Int64), [[5], [], None]),
    "lists of int and of float": ([[1], [2.5]], pl.List(pl.Float64), [[1.0], [2.5]]),
    "lists of different things": ([[1], ["a"]], pl.List(pl.String), [["1"], ['"a"']]),
    "records that grow": (
        [{"x": None}, {"x": 1, "y": "b"}, {}],
        pl.Struct({"x": pl.Int64, "y": pl.String}),
        [{"x": None, "y": None}, {"x": 1, "y": "b"}, {"x": None, "y": None}],
    ),
    "text and a number": (["a", 1, "1"], pl.String, ['"a"', "1", '"1"']),
    "a number and text, then text alone": ([1, "a", "b", "c"], pl.String, ["1", '"a"', '"b"', '"c"']),
    "a truth value and a number": ([True, 5], pl.String, ["true", "5"]),
    "a day and a moment": ([DAY, MOMENT], pl.String, ['"2026-01-01"', '"2026-01-01T00:00:00+00:00"']),
    "a UUID and text": ([NUMBER, "a"], pl.String, [f'"{NUMBER}"', '"a"']),
    "a dict and text": ([{"a b": 1, "": 2}, "{}"], pl.String, ['{"a b": 1, "": 2}', '"{}"']),
    "a large integer": ([1, 2**70], pl.Int128, [1, 2**70]),
    "decimals": ([Decimal("1.5"), Decimal("0.25")], pl.Decimal(38, 2), [Decimal("1.50"), Decimal("0.25")]),
    "days": ([None, DAY], pl.Date, [None, DAY]),
    "up and up": ([None, 1, 2.5, "x", [1]], pl.String, [None, "1", "2.5", '"x"', "[1]"]),
}


@pytest.mark.usefixtures("batches")
def test_a_key_has_the_type_that_holds_all_of_its_values_wherever_they_come():
    count = max(len(values) for values, _, _ in JOINED.values())
    rows = [
        {
            "id": at,
            **{key: values[at] for key, (values, _, _) in JOINED.items() if values[at : at + 1] not in ([], [ABSENT])},
        }
        for at in range(count)
    ]
    table = frame(run(rows, quarantine=True))
    assert table["id"].to_list() == [*range(count)]
    for key, (_, dtype, expected) in JOINED.items():
        assert (key, table[key].dtype) == (key, dtype)
        assert table[key].to_list() == [*expected, *[None] * (count - len(expected))]


LEAVES = st.one_of(st.none(), st.integers(-9, 9), st.sampled_from(["", "a", "1"]))
VALUES = st.one_of(
    LEAVES,
    st.booleans(),
    st.sampled_from([0.5, -1.5, dt.date(2026, 1, 1)]),
    st.lists(LEAVES, max_size=2),
    st.dictionaries(st.sampled_from(["a", "b"]), LEAVES, max_size=2),
)


def meaning(value):
    """What JSON in a text says; a record's keys without a value are as good as absent."""
    if isinstance(value, str):
        try:
            return meaning(json.loads(value))
        except ValueError:
            return value
    if isinstance(value, list):
        return [meaning(one) for one in value]
    if isinstance(value, dict):
        return {key: meaning(one) for key, one in value.items() if one is not None}
    return value


@given(
    rows=st.lists(st.dictionaries(st.sampled_from(["k", "l"]), VALUES), min_size=1, max_size=8),
    batch=st.integers(1, 3),
    held=st.sampled_from([1, 300, 1 << 20]),
)
@settings(max_examples=15)
def test_how_rows_are_cut_into_batches_changes_nothing(rows, batch, held):
    """The law by another way: all rows in one batch."""
    rows = [{"id": at, **row} for at, row in enumerate(rows)]
    together = run(rows, quarantine=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conform, "BATCH_ROWS", batch)
        patch.setattr(conform, "HELD_BYTES", held)
        apart = run(rows, quarantine=True)
    assert frame(apart).schema == frame(together).schema
    assert list(map(meaning, frame(apart).to_dicts())) == list(map(meaning, frame(together).to_dicts()))
    assert (apart.quarantine, together.quarantine) == (None, None)


@pytest.mark.usefixtures("batches")
def test_kept_keys_stand_behind_the_declared_columns_in_the_order_of_their_names():
    for order in ("baZé", "Zéab", "éZba"):
        rows = [{"id": 1, **dict.fromkeys(order[:2], 1)}, {"id": 2, **dict.fromkeys(order[2:], 2)}]
        assert frame(run(rows)).columns == ["id", "amount", "Z", "a", "b", "é"]
    for make in (pl.DataFrame, pd.DataFrame, lambda one: pl.DataFrame(one).to_arrow()):
        assert frame(run([make({"b": [1], "id": [2], "a": [3]})])).columns == ["id", "amount", "a", "b"]


def test_partitions_whose_rows_have_their_keys_in_another_order_can_be_read_together(tmp_path):
    rows = {"a": [{"id": 1, "x": 1, "y": "s"}], "b": [{"id": 2, "y": "t", "x": 2}]}

    @dc.asset(Order, on_schema_change="keep", partitions_def=dg.StaticPartitionsDefinition(list(rows)))
    def parts(context):
        return rows[context.partition_key]

    for partition in rows:
        manager = dc.ParquetIOManager(base_dir=str(tmp_path))
        assert dg.materialize([parts], partition_key=partition, resources={"io_manager": manager}).success
    assert pl.read_parquet(tmp_path / "parts" / "*.parquet").sort("id").rows() == [(1, None, 1, "s"), (2, None, 2, "t")]


DEEP: list = []
for _ in range(150):
    DEEP = [DEEP]
ODD = {
    "set": ({1}, "k: [json]"),
    "lone surrogate": ("\ud800", "k: [encoding]"),
    "a key that is no text": ({1: 2}, "k"),
    "too deep": (DEEP, "k"),
    "object": (object(), "k: [json]"),
    "more digits than Python writes": (10**5_000, "k"),
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("batch", [1, 20_000])
def test_what_no_column_holds_is_a_refused_row_and_changes_no_other_ones_type(monkeypatch, kind, batch):
    monkeypatch.setattr(conform, "BATCH_ROWS", batch)
    value, reason = ODD[kind]
    others = {"i": [5, 6, None], "s": ["a", "b", "c"], "f": [float("nan"), 1.5, 2.5], "b": [b"\xff", b"a", None]}
    rows = [{"id": at, "k": 1, **{key: values[at] for key, values in others.items()}} for at in range(3)]
    bad = [{"id": 7, "k": value}, {"id": "x", "k": 1}, {"id": "y", **dict.fromkeys(["k", *others], value)}]
    done = run([*rows, *bad], quarantine=True)
    assert_frame_equal(frame(done), frame(run(rows)))
    refused = done.quarantine.to_dicts()
    assert [row["id"] for row in refused] == [7, None, None]
    assert refused[0]["dy_row__conform"].startswith(reason)
    assert refused[1]["dy_row__conform"].startswith("id: [value]")
    assert all(f"; {key}" in refused[2]["dy_row__conform"] for key in ("k", *others))
    assert [[*json.loads(row["raw"])] for row in refused] == [[*row] for row in bad]
    assert done.failed_checks == ["dy_row__conform"]


@pytest.mark.parametrize("at", [0, 45, 99])
def test_without_a_quarantine_the_error_names_the_asset_the_row_and_the_key(monkeypatch, at):
    monkeypatch.setattr(conform, "BATCH_ROWS", 10)
    error = run([{"id": one, **({"k": {1}} if one == at else {"k": 5})} for one in range(100)]).error
    assert isinstance(error, dc.errors.SchemaError)
    assert str(error).startswith("orders: 1 of 100 rows cannot be brought to")
    assert f"row {at}, field 'k': [json]" in str(error)


def test_very_many_odd_values_are_all_refused():
    done = run([{"id": 1}, *({"id": at, "k": {at}} for at in range(1_000))], quarantine=True)
    assert (frame(done).height, done.quarantine.height) == (1, 1_000)


@pytest.mark.parametrize("name", ["k k", "raw", "ID", "dy", "1", "count()", "id.x", "ä"])
def test_a_key_may_be_called_anything(name):
    done = run([{"id": 1, name: None}, {"id": 2, name: 1}, {"id": 3, name: 2.5}, {"id": "x", name: 3}], quarantine=True)
    assert frame(done).columns == ["id", "amount", name]
    assert frame(done)[name].to_list() == [None, 1.0, 2.5]
    assert done.quarantine.height == 1


@pytest.mark.parametrize("name", ["*", "^k.*$", "dy_x", "__x__", "", "a\nb"])
def test_a_key_that_no_column_can_be_called_is_left_out_and_counted(name):
    done = run([{"id": 1, name: 1}, {"id": 2, "k": 1}, {"id": 3, name: {1}}])
    assert frame(done).columns == ["id", "amount", "k"]
    assert done.materialization.metadata["contract/dropped_columns"] == 1


def test_tables_keep_their_own_types_and_a_column_of_nulls_has_none():
    typed = pl.DataFrame({"id": [2], "k": pl.Series([1], dtype=pl.Int16)})
    for nulls in (
        pl.DataFrame({"id": [1], "k": [None]}),
        pa.table({"id": [1], "k": pa.nulls(1)}),
        [{"id": 1, "k": None}],
    ):
        for order in ([nulls, typed], [typed, nulls]):
            assert frame(run(order))["k"].dtype == pl.Int16
    assert frame(run([pl.DataFrame({"id": [1], "k": [None]})]))["k"].dtype == pl.String


@pytest.mark.parametrize(
    "tables",
    [
        [pl.DataFrame({"id": [1], "k": [1]}), pl.DataFrame({"id": [1], "k": ["x"]})],
        [pl.DataFrame({"id": [1], "k": [True]}), pl.DataFrame({"id": [1], "k": [1]})],
        [pl.DataFrame({"id": [1], "k": [1]}), {"id": 2, "k": "x"}],
        [{"id": 2, "k": "x"}, pl.DataFrame({"id": [1], "k": [1]})],
    ],
)
def test_tables_that_differ_are_an_error_that_names_asset_column_and_both_types(tables):
    error = run(tables).error
    assert isinstance(error, dc.errors.SchemaError)
    assert str(error).startswith("orders: the undeclared column 'k' is ")
    first, second = (
        str(error)
        .split("'k' is ")[1]
        .split(", and")[0]
        .removesuffix(" in others")
        .split(" in some tables or rows and ")
    )
    assert first != second


def test_what_cannot_be_json_beside_what_came_later_is_an_error_that_names_both_types(monkeypatch):
    monkeypatch.setattr(conform, "BATCH_ROWS", 1)
    error = run([{"id": 1, "k": float("nan")}, {"id": 2, "k": "x"}], quarantine=True).error
    assert isinstance(error, dc.errors.SchemaError)
    assert str(error).startswith("orders: the undeclared key 'k' was Float64 at first and Variant once other rows")
