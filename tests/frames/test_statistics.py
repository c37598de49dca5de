from __future__ import annotations

import math
import statistics
from dataclasses import asdict
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_contracts.frames.statistics import (
    BooleanStatistics,
    NumericStatistics,
    Statistics,
    StringStatistics,
    TemporalStatistics,
    family_of,
    read_statistics,
    statistics_plan,
)
from dagster_contracts.frames.summarize import summarize

INTEGERS = [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.UInt128]
NUMERIC = [*INTEGERS, pl.Float16, pl.Float32, pl.Float64, pl.Decimal(38, 4)]
TEMPORAL = [
    pl.Date,
    pl.Time,
    *(pl.Duration(unit) for unit in ("ms", "us", "ns")),
    *(pl.Datetime(unit, zone) for unit in ("ms", "us", "ns") for zone in (None, "Europe/Berlin")),
]
STRING = [pl.String, pl.Binary, pl.Categorical, pl.Categorical(pl.Categories("statistics")), pl.Enum(["", "a", "ß"])]


def column(values, dtype=None) -> pl.DataFrame:
    return pl.DataFrame({"x": pl.Series(values, dtype=dtype)})


def assert_same(left: Statistics, right: Statistics):
    """Equal, but for the last digits of means and deviations, which depend on the order of adding up."""
    assert (left.temporal, left.string, left.boolean) == (right.temporal, right.string, right.boolean)
    for one, other in zip(left.numeric, right.numeric, strict=True):
        scale = max(abs(float(one.min or 0)), abs(float(one.max or 0)))
        tolerance = 1e-9 * scale if math.isfinite(scale) else 0
        for name, value in asdict(one).items():
            expected = getattr(other, name)
            if name in ("mean", "std") and value is not None:
                expected = pytest.approx(expected, rel=1e-9, abs=tolerance, nan_ok=True)
            assert value == expected or (value != value and expected != expected), name  # noqa: PLR0124  (NaN)


def only(frame, family, sensitive=()):
    """The one row of one family, equal on both engines, as one of many rows, and among rows that are left out."""
    eager, lazy = summarize(frame, sensitive), summarize(frame.lazy(), sensitive)
    assert_same(eager, lazy)
    keep = pl.Series([True] * frame.height + [False] * frame.height, dtype=pl.Boolean)
    doubled = pl.concat([frame, frame[::-1]])
    assert_same(eager, summarize(doubled, sensitive, keep=keep))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("dagster_contracts.frames.summarize._FEW_ROWS", -1)
        assert_same(eager, summarize(frame, sensitive))
        assert_same(eager, summarize(doubled, sensitive, keep=keep))
    assert [name for name in ("numeric", "temporal", "string", "boolean") if getattr(eager, name)] == [family]
    (row,) = getattr(eager, family)
    return row


# --- Each family, by hand --------------------------------------------------------------------------------------------


def test_numbers():
    assert only(column([1, 2, 3, 6, None]), "numeric") == NumericStatistics(
        "x", count=4, null_count=1, mean=3.0, std=pytest.approx(math.sqrt(14 / 3)), min=1, p50=2.5, max=6
    )


def test_decimals_keep_their_bounds_exact():
    row = only(column([Decimal("0.1"), Decimal("0.3")], pl.Decimal(10, 2)), "numeric")
    assert (row.min, row.max) == (Decimal("0.10"), Decimal("0.30"))
    assert (row.mean, row.p50) == (pytest.approx(0.2), pytest.approx(0.2))


def test_dates():
    assert only(column([date(2026, 1, 4), None, date(2026, 1, 1)]), "temporal") == TemporalStatistics(
        "x", count=2, null_count=1, min="2026-01-01", max="2026-01-04", span="3d"
    )


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_a_day_on_which_clocks_change_has_23_hours(unit):
    berlin = ZoneInfo("Europe/Berlin")
    frame = column(
        [datetime(2026, 3, 29, tzinfo=berlin), datetime(2026, 3, 30, tzinfo=berlin)], pl.Datetime(unit, "Europe/Berlin")
    )
    row = only(frame, "temporal")
    assert (row.min, row.max, row.span) == ("2026-03-29 00:00:00+01:00", "2026-03-30 00:00:00+02:00", "23h")


def test_times_and_durations():
    row = only(column([time(8), time(9, 30, 0, 1)]), "temporal")
    assert (row.min, row.max, row.span) == ("08:00:00", "09:30:00.000001", "1h 30m 1µs")
    row = only(column([timedelta(hours=-1), timedelta(days=1)], pl.Duration("ms")), "temporal")
    assert (row.min, row.max, row.span) == ("-1h", "1d", "1d 1h")


@pytest.mark.parametrize("dtype", [dtype for dtype in STRING if dtype != pl.Binary])
def test_strings_are_measured_in_bytes(dtype):
    assert only(column(["ß", "a", "a", "", None, None], dtype), "string") == StringStatistics(
        "x", count=4, null_count=2, n_unique=3, min_len=0, max_len=2, n_empty=1
    )


def test_bytes():
    assert only(column([b"\xff\xfe\xfd", b"a", b"a"]), "string") == StringStatistics(
        "x", count=3, null_count=0, n_unique=2, min_len=1, max_len=3, n_empty=0
    )


def test_booleans():
    assert only(column([True, True, True, False, None]), "boolean") == BooleanStatistics(
        "x", count=4, null_count=1, n_true=3, n_false=1, true_rate=0.75
    )


# --- Edges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [[], [None], [None, None]], ids=["empty", "one null", "all null"])
def test_nothing_is_measured_of_no_values(values):
    for dtype in NUMERIC:
        assert only(column(values, dtype), "numeric") == NumericStatistics("x", 0, len(values))
    for dtype in TEMPORAL:
        assert only(column(values, dtype), "temporal") == TemporalStatistics("x", 0, len(values))
    for dtype in [*STRING, pl.Enum([])]:
        row = only(column(values, dtype), "string")
        assert row == StringStatistics("x", 0, len(values), n_unique=0, n_empty=0)
    assert only(column(values, pl.Boolean), "boolean") == BooleanStatistics("x", 0, len(values), 0, 0, None)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_one_value_has_no_deviation(dtype):
    assert only(column([3], dtype), "numeric") == NumericStatistics(
        "x", 1, 0, mean=3.0, std=None, min=3, p50=3.0, max=3
    )


def test_nan_and_infinities():
    nan, inf = math.nan, math.inf
    row = only(column([1.0, nan, 2.0]), "numeric")
    assert (row.min, row.p50, row.max) == (1.0, 2.0, 2.0)
    assert math.isnan(row.mean)
    row = only(column([inf, 1.0, -inf]), "numeric")
    assert (row.min, row.p50, row.max) == (-inf, 1.0, inf)
    assert math.isnan(row.mean)
    row = only(column([nan, nan]), "numeric")
    assert math.isnan(row.min)
    assert math.isnan(row.max)


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        (pl.Int64, -(2**63), 2**63 - 1),
        (pl.UInt64, 2**64 - 2, 2**64 - 1),
        (pl.Int128, -(2**127), 2**127 - 1),
        (pl.UInt128, 0, 2**128 - 1),
    ],
)
def test_extremes_do_not_overflow(dtype, low, high):
    row = only(column([high, low, high, high], dtype), "numeric")
    assert (row.min, row.max) == (low, high)
    assert row.mean == pytest.approx(float((3 * high + low) // 4))


def test_small_floats_are_measured_in_wide_ones():
    row = only(column([60_000.0] * 50_000 + [59_968.0] * 50_000, pl.Float16), "numeric")
    assert (row.mean, row.p50, row.std) == (59_984.0, 59_984.0, pytest.approx(16.0, rel=1e-4))
    row = only(column([3e38, -3e38], pl.Float32), "numeric")
    assert row.std == pytest.approx(3e38 * math.sqrt(2))


def test_moments_that_python_cannot_hold():
    far = pl.Series([-(2**31), 2**31 - 1], dtype=pl.Int32).cast(pl.Date)
    row = only(column(far), "temporal")
    assert (row.min, row.max, row.span) == ("-5877641-06-23", "+5881580-07-11", "4294967295d")
    for dtype in (pl.Datetime("ms"), pl.Datetime("ns", "Europe/Berlin"), pl.Duration("ms")):
        assert only(column(pl.Series([-(2**63), 2**63 - 1]).cast(dtype)), "temporal").span


@pytest.mark.parametrize(
    "name", ["order id", "a|b", "len", "a::b", "Größe", "", "*", "^.*$", "^a$", "a", "statistic:0:count"]
)
def test_any_name_works(name):
    frame = pl.DataFrame({"a": [1, 2], "b": ["u", "v"]} | {name: [5, 7]})
    row = next(row for row in summarize(frame).numeric if row.column == name)
    assert (row.count, row.mean, row.min, row.max) == (2, 6.0, 5, 7)


def test_rows_are_in_the_order_of_the_columns():
    frame = pl.DataFrame({"z": [1], "s": ["x"], "a": [2.0], "b": [True], "d": [date(2026, 1, 1)], "m": [3]})
    found = summarize(frame)
    assert [row.column for row in found.numeric] == ["z", "a", "m"]
    assert [[row.column for row in rows] for rows in (found.temporal, found.string, found.boolean)] == [
        ["d"],
        ["s"],
        ["b"],
    ]


def test_other_dtypes_are_left_out():
    frame = pl.DataFrame(
        {
            "list": [[1]],
            "array": pl.Series([[1]], dtype=pl.Array(pl.Int64, 1)),
            "struct": [{"a": 1}],
            "null": [None],
            "object": pl.Series([object()], dtype=pl.Object),
        }
    )
    assert summarize(frame) == Statistics()
    assert [row.column for row in summarize(frame.with_columns(n=1)).numeric] == ["n"]
    assert summarize(pl.DataFrame()) == Statistics()
    assert summarize(pl.LazyFrame()) == Statistics()


# --- Sensitive columns -----------------------------------------------------------------------------------------------


def test_of_sensitive_columns_only_counts_are_known():
    frame = pl.DataFrame({"n": [1, None], "t": [date(2026, 1, 1), None], "s": ["x", None], "b": [True, None]})
    names = ["n", "t", "s", "b", "not there"]
    expected = Statistics(
        numeric=(NumericStatistics("n", 1, 1),),
        temporal=(TemporalStatistics("t", 1, 1),),
        string=(StringStatistics("s", 1, 1),),
        boolean=(BooleanStatistics("b", 1, 1),),
    )
    assert summarize(frame, names) == expected
    assert len(statistics_plan(frame.schema, names)) == 8  # a count and a null count each: no more is even computed


# --- The seam --------------------------------------------------------------------------------------------------------


def test_the_plan_can_join_other_queries():
    frame = pl.DataFrame({"x": [1, 2], "y": ["a", None]})
    both = [*statistics_plan(frame.schema, ["y"]), pl.len().alias("x"), pl.lit("other").alias("y")]
    row, other = pl.collect_all([frame.lazy().select(both), frame.lazy().select("y")], engine="streaming")
    assert read_statistics(row.row(0, named=True), frame.schema) == summarize(frame, ["y"])
    assert other.height == 2


# --- Against Python's own statistics ---------------------------------------------------------------------------------


@st.composite
def numbers(draw):
    dtype = draw(st.sampled_from(NUMERIC))
    if dtype in INTEGERS:
        values = st.integers(dtype.min().pipe(_scalar), dtype.max().pipe(_scalar)) | st.integers(0, 5)
    elif dtype.is_decimal():
        values = st.decimals(-(10**33), 10**33, places=4)
    else:
        width = {pl.Float16: 16, pl.Float32: 32}.get(dtype, 64)
        bound = {16: 60_000.0, 32: 2.0**120, 64: 1e150}[width]
        values = st.floats(-bound, bound, width=width)
    return draw(st.lists(st.none() | values, max_size=12)), dtype


def _scalar(expr: pl.Expr) -> int:
    return pl.select(expr).item()


@given(numbers())
def test_numbers_agree_with_python(drawn):
    values, dtype = drawn
    row = only(column(values, dtype), "numeric")
    known = [value for value in values if value is not None]
    assert (row.count, row.null_count) == (len(known), len(values) - len(known))
    assert (row.min, row.max) == ((min(known), max(known)) if known else (None, None))
    if known:
        scale = max(float(abs(value)) for value in known)
        exact = [Decimal(value) for value in known]
        assert row.mean == pytest.approx(float(statistics.mean(exact)), rel=1e-9, abs=1e-9 * scale)
        assert row.p50 == pytest.approx(float(statistics.median(exact)), rel=1e-9, abs=1e-9 * scale)
    if len(known) > 1:
        tolerance = max(1e-6 * scale, 1e-150)  # squares of less than that underflow
        assert row.std == pytest.approx(statistics.stdev(map(float, known)), rel=1e-6, abs=tolerance)
    else:
        assert row.std is None


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=8), st.sampled_from(["ms", "us", "ns"]))
def test_every_duration_and_moment_has_bounds(values, unit):
    known = [value for value in values if value is not None]
    for dtype in (pl.Duration(unit), pl.Datetime(unit), pl.Datetime(unit, "Europe/Berlin")):
        row = only(column(pl.Series(values, dtype=pl.Int64).cast(dtype)), "temporal")
        assert (row.count, row.null_count) == (len(known), len(values) - len(known))
        assert (row.span is None) == (not known)


@given(st.lists(st.none() | st.dates(), max_size=8))
def test_dates_agree_with_python(values):
    row = only(column(values, pl.Date), "temporal")
    known = [value for value in values if value is not None]
    if known:
        days = (max(known) - min(known)).days
        assert (row.min, row.max, row.span) == (str(min(known)), str(max(known)), f"{days}d" if days else "0s")


@given(st.lists(st.none() | st.text(max_size=4), max_size=8), st.sampled_from([pl.String, pl.Binary, pl.Categorical]))
def test_strings_agree_with_python(values, dtype):
    known = [value.encode() for value in values if value is not None]
    lengths = [len(value) for value in known]
    cells = [value.encode() if dtype == pl.Binary and value is not None else value for value in values]
    assert only(column(cells, dtype), "string") == StringStatistics(
        "x",
        count=len(known),
        null_count=len(values) - len(known),
        n_unique=len(set(known)),
        min_len=min(lengths, default=None),
        max_len=max(lengths, default=None),
        n_empty=lengths.count(0),
    )


@given(st.lists(st.none() | st.booleans(), max_size=8))
def test_booleans_agree_with_python(values):
    row = only(column(values, pl.Boolean), "boolean")
    assert (row.n_true, row.n_false, row.null_count) == (values.count(True), values.count(False), values.count(None))
    assert row.true_rate == (values.count(True) / row.count if row.count else None)


def test_families():
    assert {family_of(pl.Series(dtype=dtype).dtype) for dtype in NUMERIC} == {"numeric"}
    assert {family_of(pl.Series(dtype=dtype).dtype) for dtype in TEMPORAL} == {"temporal"}
    assert {family_of(pl.Series(dtype=dtype).dtype) for dtype in STRING} == {"string"}
    assert family_of(pl.Boolean()) == "boolean"
    assert family_of(pl.List(pl.Int64)) is None
