"""A table without rows: its columns alone say whether it is the right one, and the wrong one empties no table."""

import datetime as dt
from decimal import Decimal
from typing import Literal
from uuid import UUID

import dataframely as dy
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pydantic import BaseModel

import dagster_contracts as dc


class Place(BaseModel):
    city: str
    code: int = 0


class Orders(dc.Schema):
    id: int = dc.field(alias="ID")
    amount: float = 0.0
    note: str | None = None


def run(value, contract=Orders, **kwargs):
    @dc.asset(contract, name="orders", **kwargs)
    def orders():
        return value

    return dc.testing.run_asset(orders)


def mismatches(done):
    """The column-schema check's own words; `None` where the columns are right."""
    if done.error is None:
        return None
    assert isinstance(done.error, dc.errors.ColumnSchemaError)
    assert done.failed_checks == ["dy_schema__columns"]
    assert (done.table, done.quarantine) == (None, None)
    return str(done.error).split("declares them: ")[1].split(". No row")[0]


KINDS = {
    "Polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "Arrow": lambda schema: pl.DataFrame(schema=schema).to_arrow(),
    "batch": lambda schema: pa.RecordBatch.from_pylist([], schema=pl.DataFrame(schema=schema).to_arrow().schema),
    "reader": lambda schema: pl.DataFrame(schema=schema).to_arrow().to_reader(),
    "reader of nothing": lambda schema: pa.RecordBatchReader.from_batches(
        pl.DataFrame(schema=schema).to_arrow().schema, []
    ),
    "pandas": lambda schema: pl.DataFrame(schema=schema).to_pandas(),
}
COLUMNS = {"ID": pl.Int64(), "amount": pl.Float64(), "note": pl.String()}


def table(kind, schema):
    return KINDS[kind](schema=schema) if kind in {"Polars", "lazy"} else KINDS[kind](schema)


@pytest.mark.parametrize("form", [lambda one: one, lambda one: [one], lambda one: iter([one, []])])
@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_required_column_fails_the_run_whatever_the_table_is_and_however_it_comes(kind, form):
    missing = {"amount": pl.Float64()}
    assert mismatches(run(form(table(kind, missing)), quarantine=True)) == "'ID' is missing (expected Int64)"
    for good in (COLUMNS, {"ID": pl.Int64()}, {"id": pl.Int64()}, {"more": pl.Int64(), **COLUMNS}):
        done = run(form(table(kind, good)))
        assert (done.error, done.table.height) == (None, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_strict_takes_no_column_more_and_no_other_dtype(kind):
    strict = {"materialization_strategy": "strict"}
    assert mismatches(run(table(kind, COLUMNS), **strict)) is None
    assert mismatches(run(table(kind, {"ID": pl.Int64()}), **strict)) == (
        "'amount' is missing (expected Float64); 'note' is missing (expected String)"
    )
    assert mismatches(run(table(kind, {**COLUMNS, "more": pl.Int64()}), **strict)) == (
        "'more' is not declared (found Int64)"
    )
    assert mismatches(run(table(kind, {**COLUMNS, "more": pl.Int64()}), **strict, on_schema_change="keep")) is None
    assert mismatches(run(table(kind, {**COLUMNS, "ID": pl.Float64()}), **strict)) == (
        "'ID' is Float64 (expected Int64)"
    )


def test_no_columns_at_all_are_missing_columns_and_no_rows_are_no_rows():
    for nothing in (pd.DataFrame(), pl.DataFrame(), pd.DataFrame([]), pa.table({})):
        assert mismatches(run(nothing)) == "'ID' is missing (expected Int64)"
    for nothing in ([], iter([]), [[]], ()):
        assert run(nothing).table.height == 0


def test_beside_rows_a_table_without_any_says_nothing():
    """The last page of an API is often an empty frame without columns."""
    for given in ([{"ID": 1}, pd.DataFrame()], [pl.DataFrame(), pl.DataFrame({"ID": [1]})]):
        assert run(given).table.height == 1


def test_under_a_contract_on_frames_other_tables_are_held_to_it_too():
    class Frames(dy.Schema):
        id = dy.Int64()

    for wrong in (pd.DataFrame({"foo": []}), pa.table({"foo": pa.nulls(0)}), pl.DataFrame(schema={"foo": pl.Int64})):
        assert "'id' is missing (expected Int64)" in mismatches(run(wrong, Frames))


NESTED = [pl.List(pl.Int64()), pl.Array(pl.Int64(), 2), pl.Struct({"a": pl.Int64()})]
NUMBERS = [pl.Int8(), pl.UInt64(), pl.Int128(), pl.Float32(), pl.Float64(), pl.Decimal(10, 2), pl.Boolean()]
MOMENTS = [pl.Date(), pl.Datetime("us"), pl.Datetime("ns", "UTC"), pl.Time(), pl.Duration()]
TEXTS = [pl.String(), pl.Categorical(), pl.Enum(["a"])]
# What a field takes, and what it does not; written from docs/coercion.md.
POSSIBLE = [
    (int, [*NUMBERS, *TEXTS, pl.Null()], [*NESTED, pl.Date(), pl.Time()]),
    (float, [*NUMBERS, *TEXTS], [*NESTED, pl.Date(), pl.Time()]),
    (Decimal, [*NUMBERS[:-1], *TEXTS], [*NESTED, pl.Date()]),
    (bool, [*TEXTS, pl.Boolean(), pl.Int64()], [*NESTED, *MOMENTS]),
    (str, [*NUMBERS, *MOMENTS, *TEXTS, *NESTED, pl.Binary()], []),
    (bytes, [*TEXTS, pl.Binary()], [*NESTED, pl.Date(), pl.Boolean()]),
    (dt.date, [*TEXTS, pl.Date(), pl.Datetime("us")], [*NESTED, pl.Time(), pl.Boolean(), pl.Int64()]),
    (dt.datetime, [*TEXTS, pl.Datetime("ms"), pl.Date()], [*NESTED, pl.Time(), pl.Boolean(), pl.Int64()]),
    (dt.time, [*TEXTS, pl.Time()], [*NESTED, pl.Date(), pl.Boolean()]),
    (UUID, TEXTS, [*NESTED, *NUMBERS, *MOMENTS]),
    (Literal["a", "b"], TEXTS, NESTED),
    (dict, [*TEXTS, pl.Struct({"a": pl.Int64()})], [*NUMBERS, *MOMENTS, pl.List(pl.Int64())]),
    (list[int], [pl.List(pl.Int32()), pl.List(pl.String()), pl.Array(pl.Int64(), 2)],
     [*NUMBERS, *MOMENTS, *TEXTS, pl.Struct({"a": pl.Int64()}), pl.List(pl.Date())]),
    (Place, [pl.Struct({"city": pl.String()}), pl.Struct({"city": pl.String(), "more": pl.Int64()})],
     [*NUMBERS, *MOMENTS, *TEXTS, pl.Struct({"town": pl.String()}), pl.Struct({"city": pl.String(), "code": pl.Date()})]),
]  # fmt: skip
CASES = [(hint, dtype, True) for hint, good, _ in POSSIBLE for dtype in good]
CASES += [(hint, dtype, False) for hint, _, bad in POSSIBLE for dtype in bad]


@pytest.mark.parametrize(("hint", "dtype", "fits"), CASES)
def test_a_dtype_of_which_no_value_could_be_conformed_fails_the_run_and_no_other_does(hint, dtype, fits):
    contract = type("One", (dc.Schema,), {"__annotations__": {"x": hint}})
    found = mismatches(run(pl.DataFrame(schema={"x": dtype}), contract))
    assert (found is None) is fits
    assert fits or found.startswith(f"'x' is {'String' if dtype in TEXTS else dtype} (expected")
