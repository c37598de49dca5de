from __future__ import annotations

import json
import math
from collections import OrderedDict
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum

import dagster as dg
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_contracts.frames.cells import MASK, MAX_CELL_LENGTH, MAX_COLUMNS, showable, showable_rows


class Colour(str, Enum):  # noqa: UP042  (its `str` is not its value)
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Silent:
    def __repr__(self) -> str:
        raise RuntimeError


def physical(values, dtype, integer=pl.Int64) -> pl.Series:
    return pl.Series(values, dtype=integer).cast(dtype)


def assert_readable(rows):
    """What Dagster asks of the records of a table, and a reader of its JSON."""
    for row in rows:
        dg.TableRecord(row)
        for cell in row.values():
            assert cell is None or type(cell) in (str, int, float, bool)
            assert len(str(cell)) <= MAX_CELL_LENGTH
    assert json.loads(json.dumps(rows, allow_nan=False, ensure_ascii=False).encode().decode()) == rows
    assert len({tuple(row) for row in rows}) <= 1


# --- One value -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, True, False, 0, -5, 2**53, -(2**53), 1.5, 1e300, "", "Größe", "a\nb\tc", "•"])
def test_what_a_cell_can_be_stays_as_it_is(value):
    assert showable(value) == value
    assert type(showable(value)) is type(value)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (math.nan, "NaN"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (2**53 + 1, "9007199254740993"),
        (-(2**53) - 1, "-9007199254740993"),
        (Decimal("1.50"), "1.50"),
        (Decimal("0E-10"), "0.0000000000"),
        (Decimal("1E+400000"), "1E+400000"),
        (Decimal("NaN"), "NaN"),
        (date(2026, 3, 29), "2026-03-29"),
        (datetime(2026, 3, 29, 1, 30, tzinfo=UTC), "2026-03-29 01:30:00+00:00"),
        (time(23, 59, 0, 5), "23:59:00.000005"),
        (timedelta(days=-1, milliseconds=-500), "-1d 500ms"),
        (timedelta(0), "0s"),
        (b"a\xff\x00", r"b'a\xff\x00'"),
        ([1, None, "x", math.nan, 2**60, Decimal("0.5")], '[1, null, "x", "NaN", "1152921504606846976", "0.5"]'),
        ({"a": [date(2026, 1, 1)], 1: {}}, '{"a": ["2026-01-01"], "1": {}}'),
        ((True, ()), "[true, []]"),
        (OrderedDict(a="ß"), '{"a": "ß"}'),
        (pl.Series([1, None]), "[1, null]"),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (1 + 2j, "(1+2j)"),
        (Silent(), "<Silent>"),
        ("a\x00b\x1b[0m\x7f", r"a\x00b\x1b[0m\x7f"),
        ("lone \ud800", r"lone \ud800"),
    ],
)
def test_the_rest_is_text(value, cell):
    assert showable(value) == cell
    assert type(showable(value)) is type(cell)
    assert_readable([{"x": showable(value)}])


def test_negative_zero_keeps_its_sign():
    assert json.dumps(showable(-0.0)) == "-0.0"


LONG = {
    "text": "x" * 501,
    "escapes": "\x00" * 400,
    "bytes": b"x" * 600,
    "integer": 10**10_000,
    "list": ["x"] * 10**6,
    "dict": {"a": "x" * 10**6},
    "series": pl.Series(["x"]).new_from_index(0, 10**6),
}


@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
def test_long_texts_are_cut_with_an_ellipsis(value):
    cell = showable(value)
    assert len(cell) == MAX_CELL_LENGTH
    assert cell.endswith("…")


def test_a_text_of_exactly_the_bound_is_not_cut():
    assert showable("x" * 500) == "x" * 500


def test_values_that_contain_themselves_end():
    endless: list[object] = []
    endless.append(endless)
    assert '"…"' in showable(endless)


# --- Rows ------------------------------------------------------------------------------------------------------------


def test_the_first_rows_as_records():
    frame = pl.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"]})
    assert showable_rows(frame, limit=2) == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    assert showable_rows(frame, limit=0) == showable_rows(frame, limit=-1) == []
    assert showable_rows(frame.clear(), limit=5) == []
    assert showable_rows(pl.DataFrame(), limit=5) == []


def test_floats_that_json_has_no_word_for():
    # Case F7: what `min=0` is asked about.
    rows = showable_rows(pl.DataFrame({"x": [math.nan, math.inf, -0.0, None]}), limit=5)
    assert rows == [{"x": "NaN"}, {"x": "inf"}, {"x": 0.0}, {"x": None}]
    assert_readable(rows)


def test_sensitive_columns_are_masked_nulls_too():
    frame = pl.DataFrame({"a": [1, None], "secret": ["x", None], "struct": [{"s": 1}, None]})
    masked = showable_rows(frame, sensitive={"secret", "struct", "not there"}, limit=5)
    assert masked == [{"a": 1, "secret": MASK, "struct": MASK}, {"a": None, "secret": MASK, "struct": MASK}]
    assert showable_rows(frame.select("secret"), sensitive=["secret"], limit=5) == [{"secret": MASK}] * 2


@pytest.mark.parametrize(("hidden", "key"), [(1, "… 1 more column"), (23, "… 23 more columns")])
def test_wide_frames_end_in_a_count(hidden, key):
    frame = pl.DataFrame({f"c{i}": [i, None] for i in range(MAX_COLUMNS + hidden)})
    rows = showable_rows(frame, limit=5)
    assert [list(row)[-2:] for row in rows] == [["c99", key]] * 2
    assert [row[key] for row in rows] == ["…", "…"]
    assert_readable(rows)
    assert len(showable_rows(frame.select(pl.nth(range(MAX_COLUMNS))), limit=1)[0]) == MAX_COLUMNS


def test_moments_that_python_cannot_hold():
    frame = pl.DataFrame(
        {
            "date": physical([2**31 - 1], pl.Date, pl.Int32),
            "ms": physical([-(2**63)], pl.Datetime("ms")),
            "ns": physical([1], pl.Datetime("ns")),
            "zone": physical([0], pl.Datetime("us", "Europe/Berlin")),
            "span": physical([2**63 - 1], pl.Duration("ms")),
            "time": physical([86_399_999_999_999], pl.Time),
            "list": pl.Series([[2**31 - 1, None]], dtype=pl.List(pl.Int32)).cast(pl.List(pl.Date)),
            "array": pl.Series([[2**31 - 1]], dtype=pl.Array(pl.Int32, 1)).cast(pl.Array(pl.Date, 1)),
        }
    ).with_columns(struct=pl.struct("date", deep=pl.struct("list")))
    rows = showable_rows(frame, limit=1)
    assert rows == [
        {
            "date": "+5881580-07-11",
            "ms": "-292275055-05-16 16:47:04.192000",
            "ns": "1970-01-01 00:00:00.000000001",
            "zone": "1970-01-01 01:00:00+01:00",
            "span": "106751991167d 7h 12m 55s 807ms",
            "time": "23:59:59.999999999",
            "list": '["+5881580-07-11", null]',
            "array": '["+5881580-07-11"]',
            "struct": '{"date": "+5881580-07-11", "deep": {"list": ["+5881580-07-11", null]}}',
        }
    ]
    assert_readable(rows)


def test_nested_values():
    frame = pl.DataFrame(
        {
            "list": [[1, None], None, []],
            "struct": [{"a": 1, "*": [b"\xff"]}, None, {"a": None, "*": None}],
            "enum": pl.Series([["x"], [], None], dtype=pl.List(pl.Enum(["x"]))),
        }
    )
    assert showable_rows(frame, limit=3) == [
        {"list": "[1, null]", "struct": '{"a": 1, "*": ["b\'\\\\xff\'"]}', "enum": '["x"]'},
        {"list": None, "struct": None, "enum": "[]"},
        {"list": "[]", "struct": '{"a": null, "*": null}', "enum": None},
    ]


def test_structs_without_fields_and_arrays_without_width():
    frame = pl.DataFrame(
        {
            "s": pl.Series([{}, None], dtype=pl.Struct([])),
            "a": pl.Series([[], None], dtype=pl.Array(pl.Int64, 0)),
        }
    )
    assert showable_rows(frame, limit=2) == [{"s": "{}", "a": "[]"}, {"s": None, "a": None}]


def test_objects():
    frame = pl.DataFrame({"o": pl.Series([{"a": 1}, None, Silent(), math.nan], dtype=pl.Object)})
    assert [row["o"] for row in showable_rows(frame, limit=4)] == ['{"a": 1}', None, "<Silent>", "NaN"]


@pytest.mark.skipif(not hasattr(pl, "Map"), reason="this Polars has no maps")
def test_maps():
    days = pl.Series([{"far": 2**31 - 1}, None], dtype=pl.Map(pl.String, pl.Int32)).cast(pl.Map(pl.String, pl.Date))
    rows = showable_rows(pl.DataFrame({"m": days}), limit=2)
    assert rows == [{"m": '[{"key": "far", "value": "+5881580-07-11"}]'}, {"m": None}]


def test_extension_types_are_shown_as_what_they_store():
    class Day(pl.BaseExtension):
        def __init__(self):
            super().__init__("dagster_contracts.test_day", pl.Date, None)

    series = physical([2**31 - 1, None], pl.Date, pl.Int32).ext.to(Day())
    assert showable_rows(pl.DataFrame({"x": series}), limit=2) == [{"x": "+5881580-07-11"}, {"x": None}]


# --- Every frame -----------------------------------------------------------------------------------------------------

SECRET = "s3cr3t"
LEAVES = {
    pl.Int8(): st.integers(-128, 127),
    pl.Int64(): st.integers(-(2**63), 2**63 - 1),
    pl.UInt64(): st.integers(0, 2**64 - 1),
    pl.Int128(): st.integers(-(2**127), 2**127 - 1),
    pl.Float32(): st.floats(width=32),
    pl.Float64(): st.floats(),
    pl.Decimal(38, 3): st.decimals(-(10**30), 10**30, places=3),
    pl.Boolean(): st.booleans(),
    pl.Null(): st.none(),
    pl.String(): st.text(max_size=600),
    pl.Binary(): st.binary(max_size=600),
    pl.Categorical(): st.text(max_size=5),
    pl.Enum(["a", "ß", ""]): st.sampled_from(["a", "ß", ""]),
}
STORED = {
    pl.Date(): (pl.Int32(), st.integers(-(2**31), 2**31 - 1)),
    pl.Time(): (pl.Int64(), st.integers(0, 86_400 * 10**9 - 1)),
} | {
    dtype: (pl.Int64(), st.integers(-(2**63), 2**63 - 1))
    for unit in ("ms", "us", "ns")
    for dtype in (pl.Datetime(unit), pl.Datetime(unit, "Europe/Berlin"), pl.Duration(unit))
}


def leaves():
    """A dtype, the dtype to build it from, and its values."""
    plain = [(dtype, dtype, values) for dtype, values in LEAVES.items()]
    return st.sampled_from(plain + [(dtype, stored, values) for dtype, (stored, values) in STORED.items()])


def nests(inner):
    """The same, one level deeper."""
    lists = inner.map(lambda it: (pl.List(it[0]), pl.List(it[1]), st.lists(st.none() | it[2], max_size=4)))
    arrays = inner.map(
        lambda it: (pl.Array(it[0], 2), pl.Array(it[1], 2), st.lists(st.none() | it[2], min_size=2, max_size=2))
    )
    structs = st.lists(inner, min_size=1, max_size=3).map(
        lambda fields: (
            pl.Struct({f"f{i}": it[0] for i, it in enumerate(fields)}),
            pl.Struct({f"f{i}": it[1] for i, it in enumerate(fields)}),
            st.fixed_dictionaries({f"f{i}": st.none() | it[2] for i, it in enumerate(fields)}),
        )
    )
    return lists | arrays | structs


@st.composite
def frames(draw):
    height = draw(st.integers(0, 4))
    columns = {}
    for name in draw(st.lists(st.text(st.characters(codec="utf-8"), max_size=5), max_size=4, unique=True)):
        dtype, stored, values = draw(st.recursive(leaves(), nests, max_leaves=4))
        cells = draw(st.lists(st.none() | values, min_size=height, max_size=height))
        columns[name] = pl.Series(cells, dtype=stored).cast(dtype)
    columns["secret"] = pl.Series([SECRET] * height, dtype=pl.String)
    columns["secrets"] = pl.Series([[SECRET]] * height, dtype=pl.List(pl.String))
    return pl.DataFrame(columns)


@given(frames(), st.integers(0, 5))
def test_every_frame_is_readable_and_keeps_its_secrets(frame, limit):
    rows = showable_rows(frame, sensitive=("secret", "secrets"), limit=limit)
    assert len(rows) == min(limit, frame.height)
    assert all(list(row) == frame.columns for row in rows)
    assert_readable(rows)
    assert SECRET not in json.dumps(rows)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=600)
    | st.binary()
    | st.decimals()
    | st.datetimes()
    | st.timedeltas()
    | st.times()
    | st.fractions()
    | st.complex_numbers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3) | st.tuples(inner),
)


@given(ANYTHING)
def test_every_value_is_readable(value):
    assert_readable([{"x": showable(value)}])
