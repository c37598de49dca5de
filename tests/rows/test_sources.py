"""Tables of other libraries whose values Polars reads as others: brought to what they stand for, or refused."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pydantic import AwareDatetime

import dagster_contracts as dc


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
REFUSED = [
    pa.table({"naive": pa.array([2**62], pa.timestamp("s"))}),
    pa.table({"aware": pa.array([2**63 - 1], pa.timestamp("s", "UTC"))}),
    pa.table({"length": pa.array([2**62], pa.duration("s"))}),
    pa.record_batch({"naive": pa.array([2**62], pa.timestamp("s"))}),
    pa.table({"amount": pa.array([Decimal(10**40)], pa.decimal256(60, 2))}),
    pa.table({"amount": pa.array([Decimal("0.1")], pa.decimal256(60, 45))}),
    pd.DataFrame({"naive": np.array([2**61], dtype="datetime64[s]")}),
    pd.DataFrame({"length": np.array([2**61], dtype="timedelta64[s]")}),
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
