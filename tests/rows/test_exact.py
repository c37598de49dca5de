"""What a table holds and Python does not, and what a number field would round: refused in its row, never changed."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Annotated, Any

import polars as pl
import pytest
from pydantic import AwareDatetime

import dagster_contracts as dc

_US_MAX = 2**63 - 1
"""DuckDB's and Postgres' infinity, as Arrow carries it."""

BEYOND = [
    ("day", pl.Series([2_147_483_647, 0], dtype=pl.Int32).cast(pl.Date)),
    ("day", pl.Series([2_932_897, 0], dtype=pl.Int32).cast(pl.Date)),  # 10000-01-01
    ("naive", pl.Series([2_147_483_647, 0], dtype=pl.Int32).cast(pl.Date)),
    ("naive", pl.Series([_US_MAX, 0], dtype=pl.Datetime("us"))),
    ("naive", pl.Series([-_US_MAX, 0], dtype=pl.Datetime("us"))),
    ("naive", pl.Series([2**64 // 1000 + 1, 0], dtype=pl.Datetime("ms"))),  # in microseconds it overflows to 1970
    ("naive", pl.Series([253_402_300_800_000, 0], dtype=pl.Datetime("ms"))),  # 10000-01-01
    ("aware", pl.Series([_US_MAX, 0], dtype=pl.Datetime("us", "UTC"))),
    ("aware", pl.Series([253_402_300_799_999, 0], dtype=pl.Datetime("ms", "Asia/Tokyo"))),
    ("length", pl.Series([2**62, 0], dtype=pl.Duration("ms"))),
    ("text", pl.Series([_US_MAX, 0], dtype=pl.Datetime("us"))),
    ("anything", pl.Series([[2_147_483_647], [0]], dtype=pl.List(pl.Int32)).cast(pl.List(pl.Date))),
    ("anything", pl.Series([{"a": _US_MAX}, {"a": 0}], dtype=pl.Struct({"a": pl.Datetime("us")}))),
]


class Moments(dc.Schema):
    """A column of each kind that a moment may be read into."""

    day: dt.date | None
    naive: dt.datetime | None
    aware: AwareDatetime | None
    length: dt.timedelta | None
    text: str | None
    anything: Any


@pytest.mark.parametrize(("field", "cells"), BEYOND, ids=lambda one: str(getattr(one, "dtype", one)))
def test_a_moment_that_python_has_not_is_refused_in_its_row(field: str, cells: pl.Series) -> None:
    table = pl.DataFrame({field: cells})

    with pytest.raises(dc.errors.SchemaError) as caught:
        Moments.to_frame(table)

    assert [(one.row, one.field, one.code) for one in caught.value.failures] == [(0, field, "out_of_range")]
    assert Moments.to_frame(table[1:]).height == 1


def test_one_such_moment_costs_its_row_and_not_the_run() -> None:
    @dc.asset(Moments, quarantine=True)
    def days() -> pl.DataFrame:
        return pl.DataFrame({"day": pl.Series([2_147_483_647, 0, None], dtype=pl.Int32).cast(pl.Date)})

    run = dc.testing.run_asset(days)
    assert run.table is not None
    assert run.quarantine is not None

    assert run.table["day"].to_list() == [dt.date(1970, 1, 1), None]
    assert run.quarantine["dy_row__conform"].str.contains("out_of_range").to_list() == [True]


class Numbers(dc.Schema):
    """Floats in both widths."""

    wide: float | None
    narrow: Annotated[float, dc.Float32] | None


_NO_FLOAT = 2**53 + 1

ROUNDED = [
    ("wide", "1e400", "out_of_range"),
    ("wide", Decimal("1e350"), "out_of_range"),
    ("wide", "-1e400", "out_of_range"),
    ("wide", "1e-400", "inexact"),
    ("wide", Decimal("1e-350"), "inexact"),
    ("wide", "9007199254740993", "inexact"),
    ("wide", "9_007_199_254_740_993.0", "inexact"),
    ("wide", b"-9007199254740993", "inexact"),
    ("wide", Decimal(_NO_FLOAT), "inexact"),
    ("narrow", "16777217", "inexact"),
    ("narrow", "1e-60", "inexact"),
]


@pytest.mark.parametrize(("field", "value", "code"), ROUNDED, ids=str)
def test_a_number_that_no_float_is_near_is_refused_however_it_is_written(field: str, value: Any, code: str) -> None:
    for many in ([value], [value, value], ["1", value]):
        with pytest.raises(dc.errors.SchemaError) as caught:
            Numbers.reconcile([{field: one} for one in many])
        assert {(one.field, one.code) for one in caught.value.failures} == {(field, code)}
    if isinstance(value, str) or value == _NO_FLOAT:
        with pytest.raises(dc.errors.SchemaError, match=code):
            Numbers.to_frame(pl.DataFrame({field: [value]}))


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("0.1", 0.1),
        ("1e23", 1e23),
        ("9007199254740992", 2.0**53),
        ("9223372036854775808", 2.0**63),
        ("12345678901234567.5", 12345678901234567.5),
        ("0", 0.0),
        ("-0.000", -0.0),
        ("0e-400", 0.0),
        ("inf", float("inf")),
        ("5e-324", 5e-324),
        (Decimal("0.1"), 0.1),
        (Decimal("1E+23"), 1e23),
    ],
    ids=str,
)
def test_a_number_that_a_float_is_near_is_that_float(value: Any, wanted: float) -> None:
    assert repr(Numbers.reconcile([{"wide": value}, {"wide": "1"}])[0]["wide"]) == repr(wanted)


@pytest.mark.parametrize("value", [1e-7, 1.000_000_1, Decimal("0.0000001"), 1_000_000.123_456_5], ids=repr)
def test_seconds_finer_than_a_microsecond_are_not_cut(value: Any) -> None:
    with pytest.raises(dc.errors.SchemaError, match="finer than a microsecond"):
        Moments.reconcile([{"length": value}])


@pytest.mark.parametrize(
    ("value", "micro"),
    [(0.1, 100_000), (0.1 + 0.2, 300_000), (1.9, 1_900_000), (Decimal("0.105"), 105_000), (-1.5, -1_500_000)],
    ids=repr,
)
def test_a_floats_own_rounding_is_no_fraction(value: Any, micro: int) -> None:
    assert Moments.reconcile([{"length": value}])[0]["length"] == dt.timedelta(microseconds=micro)


@pytest.mark.parametrize("strategy", ["reconcile", "strict"])
@pytest.mark.parametrize(
    "number",
    ["12345678901234567890.123", "0.1234567890123456789", "1.00000000000000000001", "1e400", "1e-400", "-1e999"],
)
def test_digits_in_a_table_s_json_are_not_lost(number, strategy):
    class Table(dc.Schema):
        record: dict[str, Any] | None
        anything: Any = None

    text = f'{{"a": [{number}]}}'
    with pytest.raises(dc.errors.SchemaError):
        Table.to_frame(
            pl.DataFrame({"record": [text], "anything": [None]}, schema_overrides={"anything": pl.String}),
            strategy=strategy,
        )
    kept = Table.to_frame(
        pl.DataFrame({"record": [None], "anything": [text]}, schema_overrides={"record": pl.String}), strategy=strategy
    )
    assert json.loads(kept["anything"].item()) == text


def test_numbers_in_a_table_s_json_that_floats_hold_are_read():
    class Table(dc.Schema):
        record: dict[str, Any]

    found = Table.to_frame(
        pl.DataFrame({"record": ['{"a": 0.1, "b": 1e5, "c": 12345678901234567890, "d": 0.0, "e": 1.50}']})
    )
    assert json.loads(found["record"].item()) == {
        "a": 0.1,
        "b": 100000.0,
        "c": 12345678901234567890,
        "d": 0.0,
        "e": 1.5,
    }


@pytest.mark.parametrize("strategy", ["reconcile", "strict"])
@pytest.mark.parametrize(
    ("number", "fine"),
    [(2.0**-150, False), (-1e-46, False), (5e-324, False), (2.0**-149, True), (0.0, True), (-0.0, True)],
)
def test_a_float_of_which_half_the_bits_make_zero_is_refused(number, fine, strategy):
    class Table(dc.Schema):
        half: Annotated[float, dc.Float32] | None

    for given in ([{"half": number}], [{"half": number}, {"half": None}], pl.DataFrame({"half": [number, 1.5]})):
        if fine:
            assert Table.to_frame(given, strategy=strategy)["half"][0] == number
        else:
            with pytest.raises(dc.errors.SchemaError, match="inexact"):
                Table.to_frame(given, strategy=strategy)
