"""Nothing but our own errors, whatever objects come as rows, keys and values."""

import collections
import contextlib
import datetime as dt
import enum
import os
import random
import time
import types
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.rows.test_fast_path import SCHEMAS
from tests.rows.values import ANNOTATIONS, pools, schema

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.errors import ContractsError
from dagster_contracts.rows import operations
from dagster_contracts.rows.conform import conform
from dagster_contracts.rows.infer import infer
from dagster_contracts.rows.strategy import MaterializationStrategy as Strategy


class Hostile:
    """Everything raises."""

    def _no(self, *_):
        raise RuntimeError("no")

    __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __repr__ = __str__ = __int__ = __float__ = __index__ = _no
    __getitem__ = __contains__ = __lt__ = __bytes__ = __format__ = _no


class HostileMapping(collections.abc.Mapping):
    def __getitem__(self, key):
        raise LookupError(key)

    def __iter__(self):
        raise ArithmeticError

    def __len__(self):
        return 3


class Zone(dt.tzinfo):
    def utcoffset(self, _):
        raise ZeroDivisionError

    def dst(self, _):
        return None

    def tzname(self, _):
        return None


class Int(int):
    def __int__(self):
        raise ValueError

    def __eq__(self, other):
        raise ValueError

    __hash__ = int.__hash__


class Text(str):
    __slots__ = ()

    def __str__(self):
        raise ValueError

    def __len__(self):
        return -1  # noqa: PLE0303


class BadRepr(enum.Enum):
    A = object()


def deep(levels):
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


def endless():
    value: list = []
    value.append(value)
    return value


def round_dict():
    value: dict = {}
    value["value"] = value
    return value


def odd(random_):
    return [
        Hostile(),
        HostileMapping(),
        Int(5),
        Text("5"),
        BadRepr.A,
        deep(200),
        deep(5000),
        endless(),
        round_dict(),
        10**4000,
        -(10**400),
        float("-inf"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        Decimal("1e999999"),
        Decimal("-1e-999999"),
        Fraction(1, 3),
        dt.datetime(2024, 1, 1, tzinfo=Zone()),
        dt.time(1, tzinfo=Zone()),
        dt.datetime.max.replace(tzinfo=dt.timezone(-dt.timedelta(hours=23))),
        dt.datetime.min.replace(tzinfo=dt.timezone(dt.timedelta(hours=23))),
        dt.timedelta.min,
        "\ud800\udfff",
        "9" * 5000,
        "1e999999999",
        b"\x80" * 3,
        memoryview(b"abc"),
        range(3),
        (one for one in [1, "x"]),
        map(int, ["1", "x"]),
        {1: 2, "1": 3},
        {None: 1},
        {(1,): 2},
        frozenset({1}),
        collections.deque([1]),
        collections.ChainMap({"x": 1}),
        types.SimpleNamespace(x=1),
        type,
        len,
        lambda: 1,
        NotImplemented,
        Ellipsis,
        pd.NA,
        pd.NaT,
        pd.Timestamp("2024-01-01 00:00:00.000000001"),
        pd.Timedelta(1),
        pd.Interval(0, 1),
        pd.Period("2024-01"),
        pd.Series([1, 2]),
        pd.DataFrame({"a": [1]}),
        np.int8(3),
        np.float32(0.1),
        np.float16(1),
        np.bool_(True),
        np.str_("x"),
        np.bytes_(b"x"),
        np.datetime64("NaT"),
        np.datetime64("2024-01-01T00:00:00.000000001"),
        np.datetime64("30000-01-01"),
        np.timedelta64(5, "Y"),
        np.array([1, 2]),
        np.array([[1], [2]]),
        np.array(["a", None], dtype=object),
        np.ma.masked,
        np.void(b"x"),
        np.complex64(1),
        np.array(5),
        pl.Series([1, 2]),
        pl.DataFrame({"x": [1]}),
        pl.col("a"),
        object(),
        Exception("x"),
        1j,
        "",
        " ",
        "\x00",
    ] + [random_.choice(pool) for pool in pools(random_)]


def rows_of(random_):
    values = odd(random_)

    def row():
        kind = random_.random()
        if kind < 0.7:
            return {"value": random_.choice(values)}
        if kind < 0.8:
            return {random_.choice(["value", "other", 1, None, (1,), "\ud800", Text("value")]): random_.choice(values)}
        return random_.choice(
            [
                *values,
                {"value": [random_.choice(values), random_.choice(values)]},
                {"value": {"x": random_.choice(values)}},
            ]
        )

    rows = [row() for _ in range(random_.choice([1, 2, 5, 30]))]
    return random_.choice([rows, rows, tuple(rows), iter(rows), random_.choice(values)])


def conform_as(of, strategy, given):
    return conform(of, given, strategy)


def attempt(function, *arguments):
    with contextlib.suppress(ContractsError):
        return function(*arguments)


def fuzz(seed, until):
    random_ = random.Random(seed)
    count = 0
    while time.monotonic() < until or count < 3:
        count += 1
        name = random_.choice(list(SCHEMAS))
        for function in (infer, *(partial(conform_as, SCHEMAS[name], one) for one in Strategy)):
            state = random_.getstate()
            try:
                with contextlib.suppress(ContractsError):
                    function(rows_of(random_))
            except BaseException:
                print(name, seed, count)  # noqa: T201
                raise
            random_.setstate(state)
        attempt(operations.reconcile, SCHEMAS[name], rows_of(random_))
        attempt(operations.validate_rows, SCHEMAS[name], rows_of(random_))


@pytest.mark.parametrize("value", odd(random.Random(1)), ids=lambda value: type(value).__name__)
def test_an_odd_value_in_any_field_is_conformed_or_refused(value):
    every = schema(**ANNOTATIONS)
    row = dict.fromkeys([field.name for field in row_schema(every).fields], value)
    for strategy in Strategy:
        found = conform(every, [row], strategy)
        assert found.frame.height + found.refused.height == 1


@pytest.mark.filterwarnings("ignore")
def test_nothing_but_our_own_errors_comes_out():
    fuzz(0, time.monotonic() + 3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_nothing_but_our_own_errors_comes_out_in_five_minutes():
    fuzz(int(os.environ.get("SEED", "1")), time.monotonic() + 300)
