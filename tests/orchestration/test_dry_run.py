"""What a function does to look right on made-up frames while real rows would lead elsewhere, and what is said of it."""

import builtins
import contextlib
import copy
import functools
import os
import random
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import dataframely as dy
import polars as pl
import pytest

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Report

c = pl.col
HERE = Path(__file__)


class Orders(dy.Schema):
    """What every function below gets."""

    id = dy.Int64(primary_key=True)
    amount = dy.Float64(nullable=False)
    note = dy.String(nullable=True)
    day = dy.Date(nullable=True)


class Shops(dy.Schema):
    id = dy.Int64(primary_key=True)
    shop = dy.String(nullable=False)


class Out(dy.Schema):
    """What every function below promises: three promises, two columns and one that has no nulls."""

    id = dy.Int64(nullable=False)
    amount = dy.Float64(nullable=True)


@dc.asset(Orders)
def orders() -> pl.LazyFrame:
    raise AssertionError("it has no inputs, so it must not be called")


@dc.asset(Shops)
def shops() -> pl.LazyFrame:
    raise AssertionError("it has no inputs, so it must not be called")


def check(*assets: dg.AssetsDefinition, **options: Any) -> Report:
    return dc.check_definitions(dg.Definitions(assets=[orders, shops, dg.AssetSpec("elsewhere"), *assets]), **options)


def findings(fn: Callable[..., Any], contract: object = Out, time_limit: float = 10.0, **options: Any) -> list[tuple]:
    """What is found out of one function: code, column and first reason."""
    asset = dc.asset(contract, name="out", **options)(fn)
    found = [one for one in check(asset, time_limit=time_limit).diagnostics if one.model == "out"]
    return [(one.code, one.column, one.reasons[0] if one.reasons else "") for one in found]


def why(fn: Callable[..., Any], **options: Any) -> str:
    """Why nothing is known of what a function returns; it must be the only finding."""
    (found,) = findings(fn, **options)
    assert found[:2] == ("I003", None), found
    return found[2]


# Held: ordinary functions, in each form that an asset may have.


def lazily(orders: pl.LazyFrame):
    return orders.filter(c.amount > 0).select("id", c.amount * 2)


def eagerly(orders: pl.DataFrame):
    return orders.filter(c.amount > 0).select("id", c.amount * 2)


def without_annotation(orders):
    return orders.select("id", "amount")


def as_text(orders: "pl.LazyFrame"):
    return orders.select("id", "amount")


def as_result(orders: pl.LazyFrame):
    return dg.MaterializeResult(value=orders.select("id", "amount"), metadata={"a": 1})


async def asynchronously(orders: pl.LazyFrame):
    return orders.select("id", "amount")


def from_two(orders: pl.LazyFrame, shops: pl.LazyFrame):
    return orders.join(shops, on="id").group_by("id").agg(c.amount.sum())


def by_partition(orders: dict[str, pl.LazyFrame]):
    return pl.concat(orders.values()).select("id", "amount")


def by_partition_in_a_loop(orders: dict[str, pl.DataFrame]):
    return pl.concat([frame.select("id", amount=pl.lit(1.0)) for frame in orders.values()])


def collects_and_goes_on(orders: pl.LazyFrame):
    return orders.collect().select("id", "amount").lazy()


def looks_at_columns(orders: pl.LazyFrame):
    names = [name for name in orders.collect_schema().names() if name in ("id", "amount")]
    return orders.select(names)


def by_subscript(orders: pl.DataFrame):
    return orders[["id", "amount"]]


def with_a_helper(orders: pl.DataFrame):
    return orders.pipe(functools.partial(_keep, names=["id", "amount"]))


def _keep(frame: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    return frame.select(names)


def imports_within(orders: pl.LazyFrame):
    import colorsys  # seldom loaded by anything else
    import json

    return orders.select("id", amount=pl.lit(float(json.loads("1")) + colorsys.ONE_THIRD))


def stamps(orders: pl.LazyFrame):
    return orders.filter(c.day < datetime.now().date()).select("id", "amount")  # noqa: DTZ005


def with_settings_of_polars(orders: pl.LazyFrame):
    with pl.Config(tbl_rows=5):
        kept = orders.select("id", "amount")
    return kept  # noqa: RET504


def catches_before_there_is_data(orders: pl.LazyFrame):
    with contextlib.suppress(KeyError):
        {}["a"]
    return orders.select("id", "amount")


def extra(orders: pl.LazyFrame):
    return orders


ORDINARY = [
    *(lazily, eagerly, without_annotation, as_text, as_result, asynchronously, from_two, by_partition),
    *(by_partition_in_a_loop, looks_at_columns, with_a_helper, imports_within),
    *(stamps, with_settings_of_polars, catches_before_there_is_data, extra),
]


@pytest.mark.parametrize("fn", ORDINARY, ids=lambda fn: fn.__name__)
def test_ordinary_functions_are_held(fn):
    asset = dc.asset(Out, name="out")(fn)
    report = check(asset)
    assert [one for one in report.diagnostics if one.model == "out"] == []
    assert (report.summary.held, report.summary.broken) == (3, 0)


ROWS = pl.DataFrame(
    {
        "id": [1, 2, 3],
        "amount": [1.0, -2.0, 0.5],
        "note": ["a", None, "c"],
        "day": [date(2024, 1, 1), None, date(2020, 1, 1)],
    }
)
TABLES = {"orders": ROWS, "shops": pl.DataFrame({"id": [1, 3], "shop": ["a", "b"]})}


@pytest.mark.parametrize("fn", ORDINARY, ids=lambda fn: fn.__name__)
def test_what_was_held_holds_when_it_is_materialized(fn, tmp_path):
    """The same functions run on rows, through files: the table has the promised columns, and nobody complains."""

    @dc.asset(Orders, name="orders")
    def some_orders() -> pl.DataFrame:
        return TABLES["orders"]

    @dc.asset(Shops, name="shops")
    def some_shops() -> pl.DataFrame:
        return TABLES["shops"]

    by_partition = "by_partition" in fn.__name__
    if by_partition:
        parts = dg.StaticPartitionsDefinition(["a", "b"])
        some_orders = dc.asset(Orders, name="orders", partitions_def=parts)(lambda: TABLES["orders"])
    assets = [some_orders, some_shops, dc.asset(Out, name="out")(fn)]
    resources = {"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path))}
    with dg.DagsterInstance.ephemeral() as instance:
        for key in ["a", "b"] if by_partition else []:
            dg.materialize(assets, selection=["orders"], partition_key=key, instance=instance, resources=resources)
        chosen = ["out"] if by_partition else None
        result = dg.materialize(assets, selection=chosen, instance=instance, resources=resources)
    assert all(evaluation.passed for evaluation in result.get_asset_check_evaluations())
    table = pl.read_parquet(tmp_path / "out.parquet")
    assert dict(table.schema) == {"id": pl.Int64, "amount": pl.Float64}
    assert table.height > 0
    assert table["id"].null_count() == 0


def collects_what_looks_like_its_input(orders: pl.LazyFrame):
    gone = orders.with_columns(id=c.note.str.len_bytes().cast(pl.Int64)).select("id", "amount", "note", "day")
    return gone.collect().lazy()


@pytest.mark.parametrize(
    ("fn", "reason"),
    [
        (collects_and_goes_on, "it collects its data on the way, so there is no whole plan"),
        (collects_what_looks_like_its_input, "it collects its data on the way, so there is no whole plan"),
        (by_subscript, "it computes on eager frames in a way that has no lazy counterpart"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_columns_may_be_held_where_nulls_are_not_known(fn, reason):
    assert findings(fn) == [("I003", "id", reason)]


# Broken.


def drops(orders: pl.LazyFrame):
    return orders.select("id", other="amount")


def drops_eagerly(orders: pl.DataFrame):
    return orders.drop("amount")


def another_type(orders: pl.LazyFrame):
    return orders.select("id", c.amount.cast(pl.Int64))


def nullable(orders: pl.LazyFrame):
    return orders.select(c.note.str.len_bytes().cast(pl.Int64).alias("id"), "amount")


def nullable_eagerly(orders: pl.DataFrame):
    return orders.select(c.note.str.len_bytes().cast(pl.Int64).alias("id"), "amount")


def left_join(orders: pl.LazyFrame, shops: pl.LazyFrame):
    other = shops.select(c.id.alias("key"), c.shop.str.len_bytes().cast(pl.Int64).alias("length"))
    return orders.join(other, left_on="id", right_on="key", how="left").select(c.length.alias("id"), "amount")


def unknown_column(orders: pl.LazyFrame):
    return orders.select("id", "amuont")


def unknown_column_eagerly(orders: pl.DataFrame):
    return orders.filter(c.amuont > 0).select("id", "amount")


def twice(orders: pl.LazyFrame):
    return orders.select("id", c.amount, c.note.alias("amount"))


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (drops, [("E010", "amount", "")]),
        (drops_eagerly, [("E010", "amount", "")]),
        (another_type, [("E011", "amount", "")]),
        (nullable, [("E012", "id", "`note` of orders may be null")]),
        (nullable_eagerly, [("E012", "id", "`note` of orders may be null")]),
        (left_join, [("E012", "id", "a row of orders may have no match in shops")]),
        (unknown_column, [("E030", None, "")]),
        (unknown_column_eagerly, [("E030", None, "")]),
        (twice, [("E030", None, "")]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_broken_promises_are_found(fn, expected):
    assert findings(fn) == expected


def test_an_undeclared_column_is_found_where_it_is_refused():
    assert findings(extra, on_extra_columns="raise") == [("E031", "note", ""), ("E031", "day", "")]
    assert findings(lazily, on_extra_columns="raise") == []


def test_nulls_that_go_to_a_quarantine_are_a_warning():
    asset = dc.asset(Out, name="out", quarantine=True)(nullable)
    (found,) = (one for one in check(asset).diagnostics if one.model == "out")
    assert (found.code, found.severity) == ("E012", "warning")


def test_nulls_that_are_only_warned_of_are_no_promise():
    report = check(dc.asset(Out, name="out")(dc.warn("id|nullability")(nullable)))
    assert (report.summary.held, report.summary.broken) == (2, 0)


# Not verified: what would be a wrong green.


def early_return(orders: pl.DataFrame):
    if orders.is_empty():
        return orders.select("id", "amount")
    return orders.select("id")


def early_return_by_len(orders: pl.DataFrame):
    return orders.select("id", "amount") if len(orders) == 0 else orders


def early_return_by_height(orders: pl.LazyFrame):
    return orders.select("id", "amount") if orders.collect().height == 0 else orders.select("id")


def early_return_by_shape(orders: pl.DataFrame):
    rows, _ = orders.shape
    return orders.select("id", "amount") if not rows else orders.select("id")


def item(orders: pl.LazyFrame):
    largest = orders.select(c.amount.max()).collect().item()
    return orders.select("id", "amount") if largest is None else orders.select("id")


def loop(orders: pl.DataFrame):
    out = orders.select("id", "amount")
    for _ in orders.iter_rows():
        out = orders.select("id")
    return out


def loop_over_groups(orders: pl.DataFrame):
    out = orders.select("id", "amount")
    for _, group in orders.group_by("id"):
        out = group.select("id")
    return out


def series_to_list(orders: pl.DataFrame):
    return orders.select("id", "amount", *[pl.lit(1).alias(note) for note in orders["note"].to_list()])


def series_sum(orders: pl.DataFrame):
    return orders.select("id", "amount") if orders["amount"].sum() == 0 else orders.select("id")


def pivots(orders: pl.DataFrame):
    return orders.pivot("note", index="id", values="amount").with_columns(amount=pl.lit(1.0))


def dummies(orders: pl.DataFrame):
    return orders.to_dummies("note")


def to_pandas(orders: pl.DataFrame):
    return pl.from_pandas(orders.to_pandas()).select("id", "amount")


def through_arrow(orders: pl.DataFrame):
    return pl.from_arrow(orders.to_arrow())


def through_numpy(orders: pl.DataFrame):
    import numpy as np

    return orders.select("id", "amount") if np.asarray(orders["id"]).size == 0 else orders


def as_a_string(orders: pl.DataFrame):
    return orders.select("id", "amount") if "shape: (0" in f"{orders}" else orders


def equality(orders: pl.DataFrame):
    return orders.select("id", "amount") if orders.equals(orders.clear()) else orders


def subscript_of_a_row(orders: pl.DataFrame):
    return orders[0:1].select("id", "amount") if orders[:1].is_empty() else orders


def private_parts(orders: pl.DataFrame):
    return orders.select("id", "amount") if orders._df.height() == 0 else orders


def asserts_by_polars(orders: pl.DataFrame):
    from polars.testing import assert_frame_equal

    with contextlib.suppress(AssertionError):
        assert_frame_equal(orders, orders.clear())
        return orders.select("id", "amount")
    return orders


def catches_what_rows_cause(orders: pl.DataFrame):
    try:
        return orders.with_columns(c.note.str.to_integer()).select("id", "amount")
    except pl.exceptions.PolarsError:
        return orders.select("id")


def catches_what_a_plan_causes(orders: pl.LazyFrame):
    try:
        orders.select(c.note.str.to_integer()).collect()
    except pl.exceptions.PolarsError:
        return orders.select("id")
    return orders.select("id", "amount")


def suppresses_what_rows_cause(orders: pl.DataFrame):
    with contextlib.suppress(pl.exceptions.PolarsError):
        orders.select(c.note.str.to_integer())
        return orders.select("id", "amount")
    return orders.select("id")


def _catching(frame: pl.DataFrame) -> pl.DataFrame:
    try:
        return _converting(frame)
    except pl.exceptions.PolarsError:
        return frame.select("id")


def _converting(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(c.note.str.to_integer()).select("id", "amount")


def _forgiving(fn):
    @functools.wraps(fn)
    def wrapper(orders: pl.DataFrame):
        try:
            return fn(orders)
        except pl.exceptions.PolarsError:
            return orders.select("id")

    return wrapper


@_forgiving
def catches_in_a_decorator(orders: pl.DataFrame):
    return _converting(orders)


def catches_in_a_helper(orders: pl.DataFrame):
    return _catching(orders)


def _shout(amount: float) -> str:
    return "!" if AIM.name else str(amount)


def map_elements(orders: pl.LazyFrame):
    return orders.select("id", c.amount.map_elements(_shout, return_dtype=pl.Float64))


def map_elements_eagerly(orders: pl.DataFrame):
    return orders.select("id", c.amount.map_elements(_shout, return_dtype=pl.Float64))


def map_batches(orders: pl.LazyFrame):
    return orders.select("id", c.amount.map_batches(lambda s: s.cast(pl.String), return_dtype=pl.Float64))


def map_batches_of_a_frame(orders: pl.LazyFrame):
    return orders.map_batches(lambda df: df.select("id") if df.height else df)


def map_groups(orders: pl.DataFrame):
    return orders.group_by("id").map_groups(lambda df: df)


def folds(orders: pl.LazyFrame):
    return orders.select("id", pl.fold(0.0, lambda a, b: a + b, ["amount"], return_dtype=pl.Float64).alias("amount"))


def infers_a_format(orders: pl.LazyFrame):
    return orders.select("id", c.note.str.to_datetime().dt.epoch().cast(pl.Float64).alias("amount"))


def planned_as_another_dtype(orders: pl.LazyFrame):
    return orders.select("id", amount=c.note.sqrt())


def describes(orders: pl.LazyFrame):
    return orders.describe().select(id=pl.lit(1, dtype=pl.Int64), amount=pl.lit(1.0))


def counts_partitions(orders: dict[str, pl.LazyFrame]):
    frames = pl.concat(orders.values())
    return frames.select("id", "amount") if len(orders) < 5 else frames


def knows_partitions(orders: dict[str, pl.LazyFrame]):
    return orders.get("2024-01-01", orders["partition_0"]).select("id", "amount")


def differs_by_partitions(orders: dict[str, pl.LazyFrame]):
    first, *others = list(orders.values())
    return first.select("id", "amount") if len(others) == 1 else first.select("id")


def knows_of_no_partition(orders: dict[str, pl.LazyFrame]):
    return pl.LazyFrame({"id": [1]}) if orders == {} else pl.concat(orders.values()).select("id", "amount")


def catches_nothing_but_none(orders: pl.LazyFrame):
    return None


def returns_a_number(orders: pl.LazyFrame):
    return 1


def returns_a_list(orders: pl.LazyFrame):
    return [{"id": 1}]


def raises(orders: pl.LazyFrame):
    raise LookupError("no such thing")


def exits(orders: pl.LazyFrame):
    sys.exit(3)


def raises_on_no_rows(orders: pl.DataFrame):
    return orders.select("id", "amount") if 1 / orders.height else orders


NOT_VERIFIED = [
    (early_return, "it looks at its data (DataFrame.is_empty), line "),
    (early_return_by_len, "it looks at its data (DataFrame.__len__), line "),
    (early_return_by_height, "it looks at its data (DataFrame.height), line "),
    (early_return_by_shape, "it looks at its data (DataFrame.shape), line "),
    (item, "it looks at its data (DataFrame.item), line "),
    (loop, "it looks at its data (DataFrame.iter_rows), line "),
    (loop_over_groups, "it looks at its data (GroupBy.__iter__), line "),
    (series_to_list, "it looks at its data (Series.to_list), line "),
    (series_sum, "it looks at its data (Series.sum), line "),
    (pivots, "it looks at its data (DataFrame.pivot), line "),
    (dummies, "it looks at its data (DataFrame.to_dummies), line "),
    (to_pandas, "it looks at its data (DataFrame.to_pandas), line "),
    (through_arrow, "it looks at its data (DataFrame.to_arrow), line "),
    (through_numpy, "it looks at its data ("),
    (as_a_string, "it looks at its data (DataFrame.__str__), line "),
    (equality, "it looks at its data (DataFrame.equals), line "),
    (subscript_of_a_row, "it looks at its data (DataFrame.__getitem__), line "),
    (private_parts, "it reaches into Polars (height), line "),
    (asserts_by_polars, "it runs its data where an error would be caught"),
    (
        catches_what_rows_cause,
        "it runs its data where an error would be caught, so other rows may lead elsewhere, line ",
    ),
    (catches_what_a_plan_causes, "it runs its data where an error would be caught"),
    (suppresses_what_rows_cause, "it runs its data where an error would be caught"),
    (catches_in_a_helper, "it runs its data where an error would be caught"),
    (catches_in_a_decorator, "it runs its data where an error would be caught"),
    (map_elements, "it returns a plan with a Python function in it"),
    (map_elements_eagerly, "it runs a plan with a Python function in it, line "),
    (map_batches, "it returns a plan with a Python function in it"),
    (map_batches_of_a_frame, "it looks at its data (LazyFrame.map_batches), line "),
    (map_groups, "it looks at its data (GroupBy.map_groups), line "),
    (folds, "it returns a plan with a Python function in it"),
    (infers_a_format, "it returns a plan whose dtypes depend on its rows (Strptime)"),
    (planned_as_another_dtype, "Polars computes other columns than it plans: `amount` is Float64 and not String"),
    (describes, "it looks at its data (LazyFrame.describe), line "),
    (counts_partitions, "it looks at which partitions there are (len), line "),
    (knows_partitions, "it looks at which partitions there are ([]), line "),
    (differs_by_partitions, "with rows it returns other columns than without: `amount` is missing and not Float64"),
    (knows_of_no_partition, "with rows it returns other columns than without: `amount` is missing and not Float64"),
    (catches_nothing_but_none, "it returned None for tables without rows"),
    (returns_a_number, "it returns int, which only a run conforms"),
    (returns_a_list, "it returns list, which only a run conforms"),
    (raises, "it raised LookupError: no such thing, line "),
    (exits, "it raised SystemExit: 3, line "),
    (raises_on_no_rows, "it looks at its data (DataFrame.height), line "),
]


@pytest.mark.parametrize(("fn", "reason"), NOT_VERIFIED, ids=[fn.__name__ for fn, _ in NOT_VERIFIED])
def test_what_rows_could_change_is_not_verified(fn, reason):
    assert why(fn).startswith(reason)


# Not verified: whatever reaches for the outside, and it is stopped before it gets there.

AIM = Path("aim")  # every function below would make or read this


def writes_text(orders: pl.LazyFrame):
    AIM.write_text("x")
    return orders.select("id", "amount")


def writes_whatever_is_caught(orders: pl.LazyFrame):
    try:  # noqa: SIM105
        builtins.open("aim", "w").close()  # noqa: PTH123
    except BaseException:  # noqa: BLE001
        pass
    return orders.select("id", "amount")


def writes_by_polars_whatever_is_caught(orders: pl.DataFrame):
    try:
        AIM.write_text("x")
    except BaseException:  # noqa: BLE001
        orders.write_parquet("aim")
    return orders.select("id", "amount")


def writes_parquet(orders: pl.DataFrame):
    orders.write_parquet("aim")
    return orders.select("id", "amount")


def sinks_parquet(orders: pl.LazyFrame):
    orders.sink_parquet("aim")
    return orders.select("id", "amount")


def sinks_csv_later(orders: pl.LazyFrame):
    pl.collect_all([orders.sink_csv("aim", lazy=True)])
    return orders.select("id", "amount")


def makes_a_folder(orders: pl.LazyFrame):
    os.makedirs("aim")  # noqa: PTH103
    return orders.select("id", "amount")


def runs_a_program(orders: pl.LazyFrame):
    subprocess.run(["touch", "aim"], check=True)
    return orders.select("id", "amount")


def runs_a_shell(orders: pl.LazyFrame):
    os.system("touch aim")
    return orders.select("id", "amount")


def writes_from_a_thread(orders: pl.LazyFrame):
    thread = threading.Thread(target=lambda: AIM.write_text("x"))
    thread.start()
    thread.join()
    return orders.select("id", "amount")


def writes_from_a_python_function(orders: pl.DataFrame):
    return orders.select("id", c.amount.map_batches(lambda s: (AIM.write_text("x"), s)[1], return_dtype=pl.Float64))


def writes_to_sqlite(orders: pl.LazyFrame):
    sqlite3.connect("aim").execute("create table t (a)")
    return orders.select("id", "amount")


def writes_by_duckdb(orders: pl.LazyFrame):
    import duckdb

    duckdb.connect("aim").execute("create table t (a integer)")
    return orders.select("id", "amount")


def opens_a_connection(orders: pl.LazyFrame):
    socket.create_connection(("127.0.0.1", 9))
    return orders.select("id", "amount")


def fetches(orders: pl.LazyFrame):
    urllib.request.urlopen("http://127.0.0.1:9/")
    return orders.select("id", "amount")


def reads_a_file(orders: pl.LazyFrame):
    return orders.select("id", "amount") if HERE.read_text() else orders


def reads_by_polars(orders: pl.LazyFrame):
    return orders.join(pl.read_csv("aim"), on="id").select("id", "amount")


def scans_by_polars(orders: pl.LazyFrame):
    return orders.join(pl.scan_parquet("aim"), on="id").select("id", "amount")


def looks_whether_a_file_is_there(orders: pl.LazyFrame):
    return orders.select("id", "amount") if not AIM.exists() else orders


def lists_a_folder(orders: pl.LazyFrame):
    return orders.select("id", "amount") if not list(Path().iterdir()) else orders


def reads_the_environment(orders: pl.LazyFrame):
    return orders.select("id", "amount") if os.environ.get("MODE") is None else orders


def reads_the_environment_otherwise(orders: pl.LazyFrame):
    return orders.select("id", "amount") if os.getenv("MODE") is None else orders


def sets_the_environment(orders: pl.LazyFrame):
    os.environ["aim"] = "1"  # noqa: SIM112
    return orders.select("id", "amount")


def sleeps(orders: pl.LazyFrame):
    time.sleep(60)
    return orders.select("id", "amount")


async def awaits(orders: pl.LazyFrame):
    import asyncio

    await asyncio.sleep(0)
    return orders.select("id", "amount")


def takes_the_watch_off(orders: pl.DataFrame):
    sys.setprofile(None)
    return orders.select("id", "amount") if orders.is_empty() else orders


OUTSIDE = [
    (writes_text, "it writes the file 'aim', line "),
    (writes_whatever_is_caught, "it writes the file 'aim', line "),
    (writes_by_polars_whatever_is_caught, "it writes the file 'aim', line "),
    (writes_parquet, "it reads or writes by Polars (DataFrame.write_parquet), line "),
    (sinks_parquet, "it reads or writes by Polars (LazyFrame.sink_parquet), line "),
    (sinks_csv_later, "it reads or writes by Polars (LazyFrame.sink_csv), line "),
    (makes_a_folder, "it asks the system (posix.mkdir), line "),
    (runs_a_program, "it asks the system ("),
    (runs_a_shell, "it asks the system (posix.system), line "),
    (writes_from_a_thread, "it asks the system (_thread.start_"),
    (writes_from_a_python_function, "it runs a plan with a Python function in it, line "),
    (writes_to_sqlite, "it asks the system (_sqlite3.connect), line "),
    (writes_by_duckdb, "it uses duckdb, of which nobody knows what it does, line "),
    (opens_a_connection, "it asks the system ("),
    (fetches, "it "),
    (reads_a_file, "it reads the file '"),
    (reads_by_polars, "it reads or writes by Polars (read_csv), line "),
    (scans_by_polars, "it reads or writes by Polars (scan_parquet), line "),
    (looks_whether_a_file_is_there, "it asks the system (posix.stat), line "),
    (lists_a_folder, "it asks the system (posix."),
    (reads_the_environment, "it reads the environment, line "),
    (reads_the_environment_otherwise, "it reads the environment, line "),
    (sets_the_environment, "it "),
    (sleeps, "it asks the system (time.sleep), line "),
    (awaits, "it waits for something (await)"),
    (takes_the_watch_off, "it asks the system (sys.setprofile), line "),
]


@pytest.mark.parametrize(("fn", "reason"), OUTSIDE, ids=[fn.__name__ for fn, _ in OUTSIDE])
def test_what_reaches_for_the_outside_is_stopped(fn, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("aim", raising=False)
    assert why(fn).startswith(reason)
    assert list(tmp_path.iterdir()) == []
    assert "aim" not in os.environ


def test_a_function_that_never_ends_is_ended():
    def never(orders: pl.LazyFrame):
        while True:
            pass

    before, others = time.monotonic(), set(threading.enumerate())
    assert why(never, time_limit=0.3) == "it took more than 0.3 seconds"
    assert time.monotonic() - before < 5
    while set(threading.enumerate()) - others:
        assert time.monotonic() - before < 20, "it goes on"
        time.sleep(0.05)


# Not verified: what cannot be called with made-up tables alone, and is not called.


class Api(dg.ConfigurableResource):
    url: str = ""


class Limits(dg.Config):
    most: int = 1


def with_context(context: dg.AssetExecutionContext, orders: pl.LazyFrame):
    raise AssertionError("not to be called")


def with_a_resource(orders: pl.LazyFrame, api: Api):
    raise AssertionError("not to be called")


def with_configuration(orders: pl.LazyFrame, config: Limits):
    raise AssertionError("not to be called")


def without_inputs():
    raise AssertionError("not to be called")


def from_an_unknown_table(orders: pl.LazyFrame, elsewhere: pl.LazyFrame):
    raise AssertionError("not to be called")


def yields(orders: pl.LazyFrame):
    yield orders


def takes_pandas(orders: Path):
    raise AssertionError("not to be called")


def may_be_none(orders: pl.LazyFrame | None):
    raise AssertionError("not to be called")


def takes_anything(orders: Any):
    raise AssertionError("not to be called")


@pytest.mark.parametrize(
    ("fn", "reason", "options"),
    [
        (with_context, "it needs its context", {}),
        (with_a_resource, "it needs the resource `api`", {"resource_defs": {"api": Api()}}),
        (with_configuration, "it needs its configuration (`config`)", {}),
        (without_inputs, "it has no input with a contract, so it gets its data from outside", {}),
        (from_an_unknown_table, "its input elsewhere has no contract", {}),
        (yields, "it yields what it makes", {}),
        (takes_pandas, "`orders` takes no Polars frame", {}),
        (may_be_none, "`orders` may be None, or anything", {}),
        (takes_anything, "`orders` may be None, or anything", {}),
        (lazily, "it is declared with dry_run=False", {"dry_run": False}),
        (
            lazily,
            "its input orders is loaded with metadata that may change its columns",
            {"ins": {"orders": dg.AssetIn(metadata={"columns": ["id"]})}},
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@pytest.mark.filterwarnings("ignore:Parameter `resource_defs`")
def test_what_needs_more_than_tables_is_not_called(fn, reason, options):
    assert why(fn, **options) == reason


def test_a_table_that_keeps_undeclared_columns_is_not_known():
    @dc.asset(Shops, on_extra_columns="keep")
    def wide(orders: pl.LazyFrame):
        return orders.select("id", shop=pl.lit("a"), note="note")

    def out(wide: pl.LazyFrame):
        return wide.select("id", amount=pl.lit(1.0))

    report = check(wide, dc.asset(Out)(out))
    (found,) = (one for one in report.diagnostics if one.model == "out")
    assert found.reasons == ("its input wide keeps columns that no contract declares",)


class Loose(dy.Schema):
    id = dy.Integer(nullable=False)
    deep = dy.Struct({"a": dy.List(dy.Float())}, nullable=True)


@pytest.mark.parametrize("column", ["id", "deep"])
def test_a_column_of_several_dtypes_is_not_known(column):
    contract = type("One", (dy.Schema,), {column: Loose.columns()[column], "__module__": __name__})

    @dc.asset(contract)
    def loose() -> pl.LazyFrame: ...

    def out(loose: pl.LazyFrame):
        return loose.select(id=pl.lit(1, dtype=pl.Int64), amount=pl.lit(1.0))

    (found,) = (one for one in check(loose, dc.asset(Out)(out)).diagnostics if one.model == "out")
    assert found.reasons == (f"the contract of its input loose allows several dtypes for `{column}`",)


# Where and how it is told.


def test_both_places_are_shown():
    (found,) = (one for one in check(dc.asset(Out, name="out")(another_type)).diagnostics if one.model == "out")
    lines = HERE.read_text().splitlines()
    source, contract = found.source, found.contract
    assert lines[source.line - 1][source.column - 1 : source.end_column - 1] == (
        'return orders.select("id", c.amount.cast(pl.Int64))'
    )
    assert lines[contract.line - 1][contract.column - 1 : contract.end_column - 1] == (
        "amount = dy.Float64(nullable=True)"
    )
    assert (found.message, found.hint) == (
        "it is Int64, and the contract says Float64",
        'Cast it: pl.col("amount").cast(pl.Float64).',
    )


def test_the_line_of_an_error_is_the_functions_own():
    line = 1 + next(at for at, text in enumerate(HERE.read_text().splitlines()) if 'LookupError("no such' in text)
    assert why(raises) == f"it raised LookupError: no such thing, line {line}"


def test_what_is_returned_is_in_the_report():
    report = check(dc.asset(Out, name="out")(lazily))
    (model,) = (one for one in report.models if one.name == "out")
    assert [(column.name, column.type, column.nullable) for column in model.columns] == [
        ("id", "Int64", False),
        ("amount", "Float64", False),
    ]
    assert [one.name for one in report.models] == ["orders", "out", "shops"]


def test_promises_add_up_whatever_became_of_them():
    report = check(dc.asset(Out, name="out")(raises), dc.asset(Out, name="more")(unknown_column))
    # orders: 4 columns, 2 without nulls; shops: 2 and 2; out: 2 and 1; more: 2 and 1.
    assert (report.summary.held, report.summary.broken, report.summary.not_verified) == (0, 3, 13)


def test_keys_that_were_replaced_are_followed():
    prefixed = [
        asset.with_attributes(asset_key_replacements={dg.AssetKey("orders"): dg.AssetKey(["a", "orders"])})
        for asset in (orders, dc.asset(Out, name="out")(lazily))
    ]
    report = dc.check_definitions(dg.Definitions(assets=prefixed))
    assert [one.name for one in report.models] == ["a/orders", "out"]
    assert report.summary.held == 3


def test_definitions_may_be_a_function_and_must_be_definitions():
    assert dc.check_definitions(dg.definitions(lambda: dg.Definitions(assets=[orders]))).summary.not_verified == 6
    with pytest.raises(dc.errors.UsageError, match=r"takes dg\.Definitions; got list"):
        dc.check_definitions([orders])
    with pytest.raises(dc.errors.UsageError, match="The definitions do not load: "):
        dc.check_definitions(dg.Definitions(assets=[orders, copy.copy(dc.asset(Out, name="orders")(without_inputs))]))


def test_the_watch_leaves_no_trace():
    before = (sys.getprofile(), sys.dont_write_bytecode, threading.active_count())
    check(dc.asset(Out, name="out")(lazily), dc.asset(Out, name="more")(writes_text))
    assert (sys.getprofile(), sys.dont_write_bytecode, threading.active_count()) == before
    assert Path(HERE).exists()  # nothing is stopped any more


@pytest.mark.parametrize("days", [0, 3])
def test_a_rule_over_several_columns_leaves_nulls_open(days):
    class Tied(dy.Schema):
        id = dy.Int64(nullable=True)
        day = dy.Date(nullable=True, min=date(2024, 1, 1))

        @dy.rule()
        def whole(cls) -> pl.Expr:
            """One of them is there."""
            return pl.col("id").is_not_null() | (pl.col("day").is_not_null() if days else pl.lit(value=False))

    @dc.asset(Tied)
    def tied() -> pl.LazyFrame: ...

    def out(tied: pl.LazyFrame):
        return tied.select("id", amount=pl.lit(1.0))

    (found,) = (one for one in check(tied, dc.asset(Out)(out)).diagnostics if one.model == "out")
    assert (found.code, found.reasons) == ("I003", ("a rule of tied says when `id` may be null",))


def test_chance_and_the_clock_are_no_reason():
    def out(orders: pl.LazyFrame):
        return orders.select("id", amount=pl.lit(random.random()))

    assert findings(out) == []


class Rows(dc.Schema):
    id: int
    amount: float | None


def test_what_a_run_conforms_is_not_known_before():
    assert why(lazily, contract=Rows) == "what it gives is brought to the contract's types by the run"
    assert findings(unknown_column, contract=Rows)[0][0] == "E030"
    assert why(lazily, normalizer=lambda frame: frame) == "what it gives is brought to the contract's types by the run"


def test_a_table_of_rows_is_an_input_like_any_other():
    @dc.asset(Rows)
    def events() -> list[dict]: ...

    def out(events: pl.LazyFrame):
        return events.select("id", "amount")

    report = check(events, dc.asset(Out)(out))
    assert [one for one in report.diagnostics if one.model == "out"] == []
    assert report.summary.held == 3


class Tags(dy.Schema):
    id = dy.Int64(primary_key=True)
    tags = dy.List(dy.Int64(), nullable=True)


def test_lists_that_polars_reverses_into_another_dtype_are_not_known():
    @dc.asset(Tags)
    def tagged() -> pl.DataFrame: ...

    def out(tagged: pl.DataFrame):
        return tagged.reverse()

    (found,) = (one for one in check(tagged, dc.asset(Tags)(out)).diagnostics if one.model == "out")
    assert found.reasons[0].startswith("it runs a plan whose dtypes depend on its rows (reverse), line ")
