"""Rows as they arrived, as JSON: a quick way for simple dicts, and what every other mapping gives."""

from __future__ import annotations

import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_contracts.rows.raw import raw_json

ANY_TEXT = st.text(st.characters(categories=["L", "Cs", "N", "P"]))
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), ANY_TEXT, st.integers(10**2_995, 10**3_015), st.binary()
)


@given(st.dictionaries(st.one_of(ANY_TEXT, st.integers()), VALUES, max_size=5))
def test_a_dict_and_any_other_mapping_of_the_same_content_read_the_same(row):
    assert raw_json(row) == raw_json(types.MappingProxyType(row))


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"a": 1, "b": "é", "c": None, "d": True, "e": 1.5}, '{"a": 1, "b": "é", "c": null, "d": true, "e": 1.5}'),
        ({"a": float("nan"), "b": float("-inf")}, '{"a": "nan", "b": "-inf"}'),
        ({"a": "\ud800"}, '{"a": "\\\\ud800"}'),
        ({"\ud800": 1}, '{"\\\\ud800": 1}'),
        ({"a": 10**3_100}, f'{{"a": "{hex(10**3_100)}"}}'),
        ({1: 2}, '{"1": 2}'),
    ],
)
def test_what_json_cannot_hold_stands_as_python_writes_it(row, text):
    assert raw_json(row) == text
