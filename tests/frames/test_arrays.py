"""Whole columns on NumPy's arrays, against Polars and plain Python."""

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_contracts.frames import arrays
from dagster_contracts.frames.arrays import distinct, median, repeated

INTEGERS = {
    pl.Int8: (-(2**7), 2**7 - 1),
    pl.Int64: (-(2**63), 2**63 - 1),
    pl.UInt64: (0, 2**64 - 1),
    pl.Int128: (-(2**70), 2**70),
}
ANY_FLOAT = st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 0.0, 1.0, 2.5]) | st.floats(width=32)


def same(found: float | None, expected: float | None) -> bool:
    return found == expected or (found is not None and math.isnan(found) and math.isnan(expected))


@given(st.data(), st.sampled_from(list(INTEGERS)))
def test_the_median_of_integers_is_polars_own(data: st.DataObject, dtype: type[pl.DataType]):
    values = data.draw(st.lists(st.none() | st.integers(*INTEGERS[dtype])))
    column = pl.Series(values, dtype=dtype)
    assert same(median(column), column.median())


@given(st.lists(st.none() | ANY_FLOAT), st.sampled_from([pl.Float16, pl.Float32, pl.Float64]))
def test_the_median_of_floats_is_polars_own_in_64_bits(values: list[float | None], dtype: type[pl.DataType]):
    column = pl.Series(values, dtype=dtype)
    assert same(median(column), column.cast(pl.Float64).median())


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], None),
        ([None, None], None),
        ([3.0, None, 1.0], 2.0),
        ([math.nan, 1.0, 2.0], 2.0),
        ([math.nan, math.nan, 1.0], math.nan),
        ([math.inf, -math.inf, 5.0], 5.0),
    ],
)
def test_medians_by_hand(values: list[float | None], expected: float | None):
    assert same(median(pl.Series(values, dtype=pl.Float64)), expected)


@given(st.lists(st.none() | st.sampled_from(["", "a", "b", "é"]) | st.text()))
def test_different_values_are_counted_with_null_as_one(values: list[str | None]):
    assert distinct(pl.Series(values, dtype=pl.String)) == len(set(values))


@given(st.lists(st.integers(0, 40)), st.integers(1, 5))
def test_blocks_change_nothing(numbers: list[int], block: int):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(arrays, "_BLOCK", block)
        assert distinct(pl.Series(numbers, dtype=pl.Int64)) == len(set(numbers))
        found = repeated(np.array(numbers, dtype=np.uint64)).to_list()
    assert found == sorted(number for number, count in Counter(numbers).items() if count > 1)
