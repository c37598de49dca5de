"""Lazy assets in real runs: what is written how often, who gets a frame of which kind, and what is left of a killed run."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import dagster as dg
import dataframely as dy
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import dagster_contracts as dc
from dagster_contracts.frames.staged import staged_file
from dagster_contracts.orchestration.storage.parquet import ParquetUPathIOManager

RUNNER = Path(__file__).with_name("lazy_asset_run.py")
RANGE = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and flock are POSIX")


class Orders(dy.Schema):
    id = dy.Int64(primary_key=True)
    a = dy.Float64(min=0.0)


ROWS = pl.DataFrame({"id": [1, 2, 3, 3, 4], "a": [1.0, -1.0, 0.5, 2.0, 3.0]})
VALID, INVALID = ROWS[[0, 4]], ROWS[[1, 2, 3]]
WORDS = {"dy_rule__primary_key": ["valid", "invalid", "invalid"], "dy_rule__a__min": ["invalid", "valid", "valid"]}


@pytest.fixture
def source(tmp_path: Path) -> pl.LazyFrame:
    (tmp_path / "source").mkdir()
    ROWS.write_parquet(tmp_path / "source" / "in.parquet", row_group_size=2)
    return pl.scan_parquet(tmp_path / "source" / "in.parquet")


@pytest.fixture
def temp_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's temporary directory, of this test alone."""
    folder = tmp_path / "system"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def orders_of(frame: Any, **arguments: Any) -> dg.AssetsDefinition:
    @dc.asset(Orders, name="orders", **({"quarantine": True} | arguments))
    def orders(context: dg.AssetExecutionContext) -> pl.LazyFrame:
        return frame(context) if callable(frame) else frame

    return orders


def run(asset: dg.AssetsDefinition, manager: Any, **arguments: Any) -> dg.ExecuteInProcessResult:
    with dg.DagsterInstance.ephemeral() as instance:
        return dg.materialize(
            [asset], resources={"io_manager": manager}, instance=instance, raise_on_error=False, **arguments
        )


def every(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def hold_halves(base: Path) -> None:
    assert_frame_equal(pl.read_parquet(base / "orders.parquet"), VALID)
    quarantine = pl.read_parquet(base / "orders_quarantine.parquet")
    assert_frame_equal(quarantine.select("id", "a"), INVALID)
    assert quarantine.select(*WORDS).to_dict(as_series=False) == WORDS


# --------------------------------------------------------------------------------------------------------- who gets what


class Spy(ParquetUPathIOManager):
    """Our own IO manager, which writes down the file behind each lazy frame that it is given."""

    def __init__(self, base: Path) -> None:
        super().__init__(str(base))
        self.seen: dict[str, Any] = {}

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        file = staged_file(obj)
        self.seen[context.asset_key.to_user_string()] = (type(obj), file.stat().st_ino, file.parent)
        super().handle_output(context, obj)


def test_both_halves_are_published_without_a_second_copy(source: pl.LazyFrame, tmp_path: Path, temp_dir: Path):
    spy = Spy(tmp_path / "base")
    assert run(orders_of(source), spy).success
    hold_halves(tmp_path / "base")
    for name in ("orders", "orders_quarantine"):
        kind, inode, folder = spy.seen[name]
        assert kind is pl.LazyFrame
        assert folder.parent == tmp_path / "base"
        published = (tmp_path / "base" / f"{name}.parquet").stat()
        assert (published.st_ino, published.st_nlink) == (inode, 1)
    assert every(tmp_path / "base") == ["orders.parquet", "orders_quarantine.parquet"]
    assert every(temp_dir) == []


def test_a_long_split_is_told_of_in_the_runs_log(
    source: pl.LazyFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("dagster_contracts.frames.progress.EVERY_SECONDS", 0.0)
    with dg.DagsterInstance.ephemeral(tempdir=str(tmp_path)) as instance:
        result = dg.materialize(
            [orders_of(source)], resources={"io_manager": ParquetUPathIOManager(str(tmp_path))}, instance=instance
        )
        told = [entry.user_message for entry in instance.all_logs(result.run_id) if "rows read" in entry.user_message]
    assert told[-1].startswith("orders: 5 rows read, ")
    assert told[-1].endswith(" rows a second, 3 rows invalid so far.")


def test_the_plan_runs_once(source: pl.LazyFrame, tmp_path: Path):
    calls = []

    def count(rows: pl.DataFrame) -> pl.DataFrame:
        calls.append(rows.height)
        return rows

    frame = source.map_batches(count, schema=ROWS.schema)
    assert run(orders_of(frame), dc.ParquetIOManager(base_dir=str(tmp_path / "base"))).success
    hold_halves(tmp_path / "base")
    assert calls == [5]
    assert every(tmp_path / "base") == ["orders.parquet", "orders_quarantine.parquet"]


class Keeps(dg.IOManager):
    """Somebody's IO manager that keeps what it is given, and its rows."""

    def __init__(self, lazy: object = None) -> None:
        self.seen: dict[str, type] = {}
        self.rows: dict[str, pl.DataFrame] = {}
        if lazy is not None:
            self.takes_lazy_frames = lazy

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        self.seen[context.asset_key.to_user_string()] = type(obj)
        self.rows[context.asset_key.to_user_string()] = obj.lazy().collect()

    def load_input(self, context: dg.InputContext) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("says", "kind"),
    [(None, pl.DataFrame), (False, pl.DataFrame), ("yes", pl.DataFrame), (True, pl.LazyFrame)],
)
def test_only_an_io_manager_that_says_so_gets_lazy_frames(
    says: object, kind: type, source: pl.LazyFrame, temp_dir: Path
):
    manager = Keeps(says)
    assert run(orders_of(source), manager).success
    assert manager.seen == {"orders": kind, "orders_quarantine": kind}
    assert_frame_equal(manager.rows["orders"], VALID)
    assert_frame_equal(manager.rows["orders_quarantine"].select("id", "a"), INVALID)
    assert every(temp_dir) == []


def test_dagsters_own_io_manager_pickles_rows_and_no_plan(source: pl.LazyFrame, tmp_path: Path, temp_dir: Path):
    assert run(orders_of(source), dg.FilesystemIOManager(base_dir=str(tmp_path / "base"))).success
    with (tmp_path / "base" / "orders").open("rb") as file:
        stored = pickle.load(file)
    assert type(stored) is pl.DataFrame
    assert_frame_equal(stored, VALID)
    with (tmp_path / "base" / "orders_quarantine").open("rb") as file:
        assert pickle.load(file)["id"].to_list() == [2, 3, 3]
    assert every(temp_dir) == []


def test_a_direct_call_gives_rows(
    source: pl.LazyFrame, tmp_path: Path, temp_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DAGSTER_CONTRACTS_QUARANTINE_DIR", str(tmp_path / "base"))
    [result] = [
        event for event in orders_of(source)(dg.build_asset_context()) if isinstance(event, dg.MaterializeResult)
    ]
    assert type(result.value) is pl.DataFrame
    assert_frame_equal(result.value, VALID)
    assert pl.read_parquet(tmp_path / "base" / "orders_quarantine.parquet")["id"].to_list() == [2, 3, 3]
    assert every(temp_dir) == []


def test_the_next_asset_reads_the_table_lazily(source: pl.LazyFrame, tmp_path: Path):
    seen = []

    @dg.asset
    def after(orders: pl.LazyFrame) -> None:
        seen.append(orders.collect())

    manager = dc.ParquetIOManager(base_dir=str(tmp_path / "base"))
    assert dg.materialize([orders_of(source), after], resources={"io_manager": manager}).success
    assert_frame_equal(seen[0], VALID)


def test_an_asset_may_replace_the_table_that_it_reads(tmp_path: Path):
    """Its own last table is pinned: the split reads it twice, and then replaces it."""
    base = tmp_path / "base"
    base.mkdir()
    VALID.write_parquet(base / "orders.parquet")

    def add(_: dg.AssetExecutionContext) -> pl.LazyFrame:
        with (base / "orders.parquet").open("rb") as file:
            old = pl.scan_parquet(file)
        return pl.concat([old, pl.LazyFrame({"id": [9, 1], "a": [0.0, 0.0]})])

    assert run(orders_of(add), dc.ParquetIOManager(base_dir=str(base))).success
    assert pl.read_parquet(base / "orders.parquet")["id"].to_list() == [4, 9]
    assert pl.read_parquet(base / "orders_quarantine.parquet")["id"].to_list() == [1, 1]


# ------------------------------------------------------------------------------------------------------------ partitions

DAYS = dg.StaticPartitionsDefinition(["mon", "tue", "wed"])


class Daily(dy.Schema):
    day = dy.String(primary_key=True)
    id = dy.Int64(primary_key=True)


def daily(frame: pl.LazyFrame) -> dg.AssetsDefinition:
    @dc.asset(
        Daily,
        name="orders",
        quarantine=True,
        partitions_def=DAYS,
        metadata={"partition_expr": "day"},
    )
    def orders(context: dg.AssetExecutionContext) -> pl.LazyFrame:
        return frame.filter(pl.col("day").is_in(context.partition_keys))

    return orders


def test_partitions_and_ranges_of_them_are_split_lazily(tmp_path: Path, temp_dir: Path):
    rows = pl.DataFrame({"day": ["mon", "tue", "mon", "wed", "tue", "mon"], "id": [1, 1, 1, 2, 3, 4]})
    rows.write_parquet(tmp_path / "in.parquet", row_group_size=2)
    asset, base = daily(pl.scan_parquet(tmp_path / "in.parquet")), tmp_path / "base"
    manager = dc.ParquetIOManager(base_dir=str(base))
    assert run(asset, manager, partition_key="mon").success
    assert every(base) == ["orders", "orders/mon.parquet", "orders_quarantine", "orders_quarantine/mon.parquet"]
    assert pl.read_parquet(base / "orders" / "mon.parquet").rows() == [("mon", 4)]
    assert pl.read_parquet(base / "orders_quarantine" / "mon.parquet")["id"].to_list() == [1, 1]
    assert run(asset, manager, tags=dict(zip(RANGE, ("mon", "wed"), strict=True))).success
    table = {day: pl.read_parquet(base / "orders" / f"{day}.parquet").rows() for day in ("mon", "tue", "wed")}
    assert table == {"mon": [("mon", 4)], "tue": [("tue", 1), ("tue", 3)], "wed": [("wed", 2)]}
    assert [path for path in every(base) if "tmp" in path] == []
    assert every(temp_dir) == []


# ------------------------------------------------------------------------------------------------- what is left behind


def fails_late() -> pl.LazyFrame:
    text = pl.when(pl.col("id") == 90_000).then(pl.lit("oops")).otherwise(pl.lit("1"))
    return pl.LazyFrame({"id": range(100_000)}).with_columns(a=text.cast(pl.Float64))


class Raises(ParquetUPathIOManager):
    """Our own IO manager, which raises before or after it wrote the table."""

    def __init__(self, base: Path, *, after: bool) -> None:
        super().__init__(str(base))
        self.after = after

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        if context.asset_key.path == ["orders"] and not self.after:
            raise OSError("no room")
        super().handle_output(context, obj)
        if context.asset_key.path == ["orders"]:
            raise OSError("no room")


@pytest.mark.parametrize("settings", ["beside the table", "temp_dir"])
@pytest.mark.parametrize("end", ["success", "the plan fails", "no row is valid", "raises before", "raises after"])
def test_no_temporary_file_outlives_a_run(
    end: str, settings: str, source: pl.LazyFrame, tmp_path: Path, temp_dir: Path
):
    base, own = tmp_path / "base", tmp_path / "own"
    base.mkdir()
    own.mkdir()
    old = pl.DataFrame({"id": [0], "a": [0.0]})
    old.write_parquet(base / "orders.parquet")
    frame = {"the plan fails": fails_late(), "no row is valid": source.filter(pl.col("id") == 3)}.get(end, source)
    manager = Raises(base, after=end == "raises after") if "raises" in end else ParquetUPathIOManager(str(base))
    result = run(orders_of(frame, temp_dir=str(own) if settings == "temp_dir" else None), manager)
    assert result.success is (end == "success")
    assert every(own) == every(temp_dir) == []
    quarantined = [] if end == "the plan fails" else ["orders_quarantine.parquet"]
    assert every(base) == ["orders.parquet", *quarantined]
    assert_frame_equal(pl.read_parquet(base / "orders.parquet"), VALID if end in ("success", "raises after") else old)


def test_a_call_that_is_left_halfway_leaves_no_temporary_file(
    source: pl.LazyFrame, tmp_path: Path, temp_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DAGSTER_CONTRACTS_QUARANTINE_DIR", str(tmp_path / "base"))
    seen = set()
    for events in range(1, 5):
        with dg.build_asset_context() as context:
            called = orders_of(source)(context)
            for _ in range(events):
                next(called)
            seen.update(every(temp_dir))
            called.close()
        assert every(temp_dir) == []
    assert any(path.endswith("valid.parquet") for path in seen)  # there was something to leave


def start(base: Path, source: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, str(RUNNER), str(base), str(source), "1000000", str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


@POSIX
def test_a_run_killed_in_the_middle_of_a_split_leaves_the_old_table_and_the_next_one_sweeps(tmp_path: Path):
    base, source = tmp_path / "base", tmp_path / "in.parquet"
    base.mkdir()
    pl.DataFrame({"id": range(2000), "a": [float(at % 10 - 1) for at in range(2000)]}).write_parquet(source)
    old = {
        "orders": pl.DataFrame({"id": [-1], "a": [0.0]}),
        "orders_quarantine": pl.DataFrame({"id": [-2], "a": [-1.0]}),
    }
    for name, rows in old.items():
        rows.write_parquet(base / f"{name}.parquet")
    with start(base, source, 0.2) as process:
        for _ in range(4):
            assert process.stdout.readline() == "reading\n"
        process.send_signal(signal.SIGKILL)
    for name, rows in old.items():
        assert_frame_equal(pl.read_parquet(base / f"{name}.parquet"), rows)
    [left] = [path for path in base.iterdir() if path.suffix == ".tmp"]
    assert (left / "lock").exists()
    with start(base, source, 0) as process:
        told = json.loads(process.stdout.read().splitlines()[-1])
    assert process.returncode == 0
    assert (told["success"], told["valid"], told["invalid"]) == (True, 1800, 200)
    assert every(base) == ["orders.parquet", "orders_quarantine.parquet"]


# --------------------------------------------------------------------------------------------------------------- memory

BUDGET = 50_000_000
# What a run may hold besides the budget, however many rows there are: the row groups that are being read and decoded and
# those that the two files are filled with, which are of the columns' width (here 140 bytes a row, some 120,000 rows each,
# on as many threads as there are), Polars' own pools, and what Dagster loads while it runs.
CONSTANT = 500_000_000


def write_rows(path: Path, rows: int) -> int:
    """Rows of which by construction each 200th repeats the key of one a hundred before; their size in memory."""
    number = pl.int_range(rows)
    frame = pl.select(row=number).lazy()
    frame = frame.select(
        id=pl.when(pl.col("row") % 200 == 100).then(pl.col("row") - 100).otherwise("row"),
        a=(pl.col("row") % 1000).cast(pl.Float64),
        **{f"c{at}": (pl.col("row") * (at + 3)).hash() / 2**40 for at in range(7)},
        **{f"s{at}": (pl.col("row") * (at + 11) % 100_000).cast(pl.String) + "-abcdefghijklmnop" for at in range(3)},
    )
    frame.sink_parquet(path, row_group_size=100_000)
    return int(pl.scan_parquet(path).head(100_000).collect().estimated_size() / 100_000 * rows)


def hold_memory(folder: Path, rows: int) -> tuple[int, int]:
    size = write_rows(folder / "in.parquet", rows)
    command = [sys.executable, str(RUNNER), str(folder / "base"), str(folder / "in.parquet"), str(BUDGET)]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "POLARS_MAX_THREADS": "2"}
    )
    told = json.loads(ended.stdout.splitlines()[-1])
    duplicates = range(0, rows, 200)
    assert told["success"]
    assert (told["valid"], told["invalid"]) == (rows - 2 * len(duplicates), 2 * len(duplicates))
    assert told["sum"] == 2 * sum(duplicates)
    grown = told["after"] - told["before"]
    assert grown < BUDGET + CONSTANT
    return grown, size


@POSIX
def test_a_large_file_is_split_within_its_budget(tmp_path: Path):
    hold_memory(tmp_path, 2_000_000)


@POSIX
@pytest.mark.slow
def test_a_file_larger_than_the_memory_it_may_use_is_split(tmp_path: Path):
    grown, size = hold_memory(tmp_path, 24_000_000)
    assert size > 3_000_000_000
    assert grown < size / 2
