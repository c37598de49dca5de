from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_contracts.frames.temporal import duration_text, span_text, temporal_text

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  (hypothesis draws naive ones)


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (0, pl.Date(), "1970-01-01"),
        (-1, pl.Date(), "1969-12-31"),
        (11_016, pl.Date(), "2000-02-29"),
        (2**31 - 1, pl.Date(), "+5881580-07-11"),
        (-(2**31), pl.Date(), "-5877641-06-23"),
        (-719_528, pl.Date(), "0000-01-01"),
        (-719_529, pl.Date(), "-0001-12-31"),
        (0, pl.Time(), "00:00:00"),
        (86_399_999_999_999, pl.Time(), "23:59:59.999999999"),
        (500_000_000, pl.Time(), "00:00:00.500000"),
        (-1, pl.Datetime("ms"), "1969-12-31 23:59:59.999000"),
        (1, pl.Datetime("ns"), "1970-01-01 00:00:00.000000001"),
        (1_774_746_000, pl.Datetime("ms"), "1970-01-21 12:59:06"),
        # The night of 29 March 2026: Berlin's clocks jump from 02:00 to 03:00 at 01:00 UTC.
        (1_774_745_999_000, pl.Datetime("ms", "Europe/Berlin"), "2026-03-29 01:59:59+01:00"),
        (1_774_746_000_000, pl.Datetime("ms", "Europe/Berlin"), "2026-03-29 03:00:00+02:00"),
        (0, pl.Datetime("us", "UTC"), "1970-01-01 00:00:00+00:00"),
        (0, pl.Datetime("us", "America/St_Johns"), "1969-12-31 20:30:00-03:30"),
        (253_402_300_800_000, pl.Datetime("ms", "Europe/Berlin"), "+10000-01-01 00:00:00+00:00"),
        (2**63 - 1, pl.Datetime("ms"), "+292278994-08-17 07:12:55.807000"),
        (0, pl.Duration("ms"), "0s"),
        (93_784_005, pl.Duration("ms"), "1d 2h 3m 4s 5ms"),
        (-93_784_005, pl.Duration("ms"), "-1d 2h 3m 4s 5ms"),
        (1_002_003, pl.Duration("ns"), "1ms 2µs 3ns"),
        (-(2**63), pl.Duration("ms"), "-106751991167d 7h 12m 55s 808ms"),
    ],
)
def test_texts(value, dtype, text):
    assert temporal_text(value, dtype) == text


def test_an_unknown_zone_is_shown_in_utc():
    assert temporal_text(0, pl.Datetime("us", "Nowhere/Atlantis")) == "1970-01-01 00:00:00+00:00"


def test_spans_are_exact_where_polars_overflows():
    assert span_text(0, 3, pl.Date()) == "3d"
    assert span_text(-(2**31), 2**31 - 1, pl.Date()) == "4294967295d"
    assert span_text(-(2**63), 2**63 - 1, pl.Datetime("ms")) == "213503982334d 14h 25m 51s 615ms"
    assert span_text(0, 3600 * 10**9, pl.Time()) == "1h"
    assert span_text(5, 5, pl.Duration("us")) == "0s"


def test_a_span_over_a_change_of_clocks_is_the_time_that_passed():
    berlin = ZoneInfo("Europe/Berlin")
    day = pl.Series([datetime(2026, 3, 29, tzinfo=berlin), datetime(2026, 3, 30, tzinfo=berlin)]).to_physical()
    assert span_text(day[0], day[1], pl.Datetime("us", "Europe/Berlin")) == "23h"


@given(st.dates())
def test_dates_read_as_python_writes_them(value: date):
    assert temporal_text((value - EPOCH.date()).days, pl.Date()) == value.isoformat()


@given(st.times())
def test_times_read_as_python_writes_them(value: time):
    micros = ((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond
    assert temporal_text(micros * 1000, pl.Time()) == value.isoformat()


@given(st.datetimes(), st.sampled_from([None, "UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York"]))
def test_datetimes_read_as_python_writes_them(value: datetime, zone: str | None):
    micros = (value - EPOCH) // timedelta(microseconds=1)
    try:
        moment = value if zone is None else value.replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
    except OverflowError:
        moment = value.replace(tzinfo=UTC)
    assert temporal_text(micros, pl.Datetime("us", zone)) == moment.isoformat(sep=" ")


@given(st.integers(-(2**63), 2**63 - 1), st.sampled_from(["ms", "us", "ns"]))
def test_durations_add_up_to_what_they_say(value, unit):
    per_second = {"ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    nanoseconds = {
        "d": 86_400 * 10**9,
        "h": 3600 * 10**9,
        "m": 60 * 10**9,
        "s": 10**9,
        "ms": 10**6,
        "µs": 10**3,
        "ns": 1,
    }
    text = duration_text(value, per_second)
    parts = [part.lstrip("-") for part in text.split()]
    total = sum(int(part.rstrip("dhmsµn")) * nanoseconds[part.lstrip("0123456789")] for part in parts)
    assert (-total if text.startswith("-") else total) == value * (10**9 // per_second)


@given(
    st.sampled_from(
        [pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ns"), pl.Datetime("ms", "Europe/Berlin"), pl.Duration("ms")]
    ),
    st.integers(-(2**63), 2**63 - 1),
)
def test_every_value_a_column_can_hold_has_a_text(dtype, value):
    assert temporal_text(value, dtype)
