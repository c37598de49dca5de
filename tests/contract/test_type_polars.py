"""Types as Polars dtypes and back."""

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given

from dagster_contracts.contract.type_polars import from_polars, to_polars
from dagster_contracts.contract.types import SIMPLE, Type, parse_type
from dagster_contracts.errors import UnknownTypeError

TEXT = {"Uuid", "Json", "Variant"}
EXACT = st.recursive(
    st.sampled_from([Type(name) for name in SIMPLE if name not in TEXT])
    | st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: Type("Decimal", p, s))),
    lambda of: (
        of.map(lambda one: Type("Array", args=(one,)))
        | st.dictionaries(st.text(max_size=3), of, min_size=1, max_size=3).map(
            lambda named: Type("Struct", fields=tuple(named.items()))
        )
    ),
    max_leaves=5,
)


@given(EXACT)
def test_a_type_comes_back_from_its_dtype(type_: Type):
    dtype = to_polars(type_)
    assert from_polars(dtype) == type_
    assert pl.DataFrame(schema={"x": dtype}).schema["x"] == dtype


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("Timestamp", pl.Datetime("us", "UTC")),
        ("TimestampNtz", pl.Datetime("us")),
        ("Interval", pl.Duration("us")),
        ("Uuid", pl.String()),
        ("Json", pl.String()),
        ("Variant", pl.String()),
        ("Decimal", pl.Decimal(38, 9)),
        ("Map<String, Int8>", pl.List(pl.Struct({"key": pl.String(), "value": pl.Int8()}))),
        ("Array<Struct<a: Date>>", pl.List(pl.Struct({"a": pl.Date()}))),
    ],
)
def test_each_type_has_a_canonical_dtype(text: str, dtype: pl.DataType):
    assert to_polars(parse_type(text)) == dtype


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        (pl.Datetime("ns"), "TimestampNtz"),
        (pl.Datetime("ms", "Europe/Berlin"), "Timestamp"),
        (pl.Duration("ms"), "Interval"),
        (pl.Categorical(), "String"),
        (pl.Enum(["a"]), "String"),
        (pl.Null(), "Variant"),
        (pl.Object(), "Variant"),
        (pl.Array(pl.Int8, 2), "Array<Int8>"),
        (pl.List(pl.Int8), "Array<Int8>"),
        (pl.Struct({"a": pl.List(pl.String)}), "Struct<a: Array<String>>"),
    ],
)
def test_each_dtype_has_a_type(dtype: pl.DataType, text: str):
    assert str(from_polars(dtype)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Decimal(39)", "at most 38 digits"),
        ("Array", "Polars must know what is inside"),
        ("Map", "Polars must know what is inside"),
        ("Struct", "Polars must know what is inside"),
        ("Array<Struct>", "Struct: Polars must know what is inside"),
    ],
)
def test_what_polars_cannot_hold_is_refused(text: str, message: str):
    with pytest.raises(UnknownTypeError, match=message):
        to_polars(parse_type(text))


def test_a_dtype_without_a_name_is_refused():
    with pytest.raises(UnknownTypeError, match="The Polars dtype UInt128 has no name"):
        from_polars(pl.UInt128())
