"""What becomes of rows when something fails on the way: nothing is lost, nothing is left, and the next run is whole."""

from __future__ import annotations

import datetime as dt
import json
import random
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.orchestration.forked_runs import Runner
from tests.orchestration.killed_rows_run import ROWS, bad_rows

import dagster_contracts as dc
from dagster_contracts.orchestration import conform

RUNNER = Path(__file__).with_name("rows_asset_run.py")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and flock are POSIX")


class Events(dc.Schema):
    id: int


def start(base: Path, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, str(RUNNER), str(base), "5000", "20", str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


@POSIX
def test_a_run_killed_between_rows_leaves_the_old_table_and_the_next_one_sweeps(tmp_path: Path):
    old = {"events": pl.DataFrame({"id": [-1]}), "events_quarantine": pl.DataFrame({"id": [-2]})}
    for name, rows in old.items():
        rows.write_parquet(tmp_path / f"{name}.parquet")
    with start(tmp_path, 0.3) as process:
        for _ in range(4):
            assert process.stdout.readline() == "reading\n"
        process.send_signal(signal.SIGKILL)
    for name, rows in old.items():
        assert_frame_equal(pl.read_parquet(tmp_path / f"{name}.parquet"), rows)
    [left] = [path for path in tmp_path.iterdir() if path.suffix == ".tmp"]
    assert any(path.name.startswith("rows-") for path in left.iterdir())  # there was something to leave
    with start(tmp_path, 0.001) as process:
        told = json.loads(process.stdout.read().splitlines()[-1])
    assert (told["success"], told["valid"], told["invalid"]) == (True, 4_900, 100)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.parquet", "events_quarantine.parquet"]


@dataclass(frozen=True)
class Tables:
    """The table and the quarantine of an asset each of whose rows carries the version of its run."""

    base: Path

    def rows(self, name: str) -> pl.DataFrame:
        return pl.read_parquet(self.base / f"{name}.parquet")

    def version(self) -> int:
        """The one version that the table is of, after a look at all of its rows."""
        table = self.rows("events")
        [version] = table["version"].unique()
        bad = (7, 13) if bad_rows(version) else ()
        assert table["id"].to_list() == [at for at in range(ROWS) if at % 100 not in bad]
        return version

    def quarantined(self) -> int | None:
        """The one version that the quarantine is of, likewise; `None` if there is nothing in it."""
        quarantine = self.rows("events_quarantine")
        if not quarantine.height:
            return None
        [version] = quarantine["version"].unique()
        assert quarantine["id"].to_list() == [at for at in range(ROWS) if at % 100 in (7, 13)]
        assert quarantine["raw"].count() == quarantine.height / 2
        return version

    def left(self) -> list[str]:
        """What is there beside of both."""
        return sorted({path.name for path in self.base.iterdir()} - {"events.parquet", "events_quarantine.parquet"})

    def hold(self, run: int, before: tuple[int, int | None], code: int) -> None:
        """Both are whole, of this run or of the one before, and no refused row of what is in the table is lost."""
        table, quarantine = self.version(), self.quarantined()
        now = run if bad_rows(run) else None
        assert table in ({run} if code == 0 else {before[0], run})
        assert quarantine in ({now} if code == 0 else {before[1], now})
        if table == run and now is not None:
            assert quarantine == run


@POSIX
@pytest.mark.parametrize("kills", [5, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_runs_of_rows_leave_both_tables_whole(tmp_path: Path, kills: int):
    chance = random.Random(2013)
    killed, undisturbed = Tables(tmp_path / "killed"), Tables(tmp_path / "undisturbed")
    runner = Runner("tests.orchestration.killed_rows_run", str(tmp_path))
    code, seconds = runner.run(f"1 {killed.base}")
    assert code == 0
    ended, interrupted = {0: 0, -signal.SIGKILL: 0}, 0
    for run in range(2, kills + 2):
        before = killed.version(), killed.quarantined()
        code, _ = runner.run(f"{run} {killed.base}", kill_after=chance.uniform(0.1, 1.1) * seconds)
        ended[code] += 1
        killed.hold(run, before, code)
        interrupted += bool(killed.left())
        assert len(killed.left()) <= 1  # each run has removed what the one before it left
    assert ended[-signal.SIGKILL] > kills / 2
    assert interrupted > kills / 8
    for one in (killed, undisturbed):
        assert runner.run(f"{10_000} {one.base}")[0] == 0
        assert one.left() == []
    runner.close()
    for name in ("events", "events_quarantine"):
        assert_frame_equal(killed.rows(name), undisturbed.rows(name))


@pytest.fixture
def spilling(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(conform, "BATCH_ROWS", 5)
    monkeypatch.setattr(conform, "HELD_BYTES", 1)


def materialize(asset: dg.AssetsDefinition, base: Path, **kwargs) -> dg.ExecuteInProcessResult:
    manager = dc.ParquetIOManager(base_dir=str(base))
    config = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    return dg.materialize([asset], resources={"io_manager": manager}, raise_on_error=False, run_config=config, **kwargs)


def test_temp_dir_is_where_rows_are_kept_and_is_empty_afterwards(tmp_path: Path, spilling):
    seen = []

    @dc.asset(Events, temp_dir=tmp_path / "aside")
    def events():
        for at in range(100):
            yield {"id": at}
            seen.append(len(list((tmp_path / "aside").glob(".*/rows-*"))))

    (tmp_path / "aside").mkdir()
    assert materialize(events, tmp_path / "base").success
    assert max(seen) > 10
    assert list((tmp_path / "aside").iterdir()) == []


def test_a_temp_dir_that_is_not_there_is_named_and_nothing_is_written(tmp_path: Path, spilling):
    @dc.asset(Events, temp_dir=tmp_path / "gone")
    def events():
        yield from ({"id": at} for at in range(100))

    result = materialize(events, tmp_path / "base")
    [failure] = result.get_step_failure_events()
    assert "temp_dir is" in failure.step_failure_data.error.message
    assert not (tmp_path / "base" / "events.parquet").exists()


def test_a_disk_that_takes_no_more_is_an_error_that_is_retried_and_leaves_nothing(
    tmp_path: Path, spilling, monkeypatch
):
    tries = []
    write = pl.DataFrame.write_parquet

    def full(self, file, **kwargs):
        if len(tries) == 1 and "rows-000003" in str(file):
            raise OSError(28, "No space left on device")
        return write(self, file, **kwargs)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)

    @dc.asset(Events, retry_policy=dg.RetryPolicy(max_retries=1))
    def events():
        tries.append(1)
        yield from ({"id": at} for at in range(100))

    result = materialize(events, tmp_path)
    assert result.success
    [again] = [event for event in result.all_events if event.event_type is dg.DagsterEventType.STEP_UP_FOR_RETRY]
    assert "No space left on device. Nothing was written to the table. Make room" in str(
        again.event_specific_data.error
    )
    assert pl.read_parquet(tmp_path / "events.parquet").height == 100
    assert [path.name for path in tmp_path.iterdir()] == ["events.parquet"]


def test_a_lazy_frame_among_rows_that_fails_keeps_its_own_error(tmp_path: Path):
    @dc.asset(Events)
    def events():
        yield {"id": 1}
        yield pl.LazyFrame({"id": [1]}).with_columns(pl.col("nowhere"))

    result = materialize(events, tmp_path)
    [failure] = result.get_step_failure_events()
    assert "nowhere" in str(failure.step_failure_data.error)
    assert not list(tmp_path.iterdir())


class Daily(dc.Schema):
    day: dt.date
    amount: int = dc.field(ge=0)


def test_a_run_over_a_range_of_partitions_loses_no_row_whichever_partition_it_is_of(tmp_path: Path):
    days = dg.DailyPartitionsDefinition("2026-01-01", end_date="2026-01-04")
    rows = [
        {"day": "2026-01-01", "amount": "1"},
        {"day": "2026-01-02", "amount": "two"},
        {"day": "yesterday", "amount": 3},
        {"day": "2026-01-02", "amount": -4},
        {"day": "2026-01-02", "amount": 5},
        {"day": "2026-01-03", "amount": 6},
    ]

    @dc.asset(Daily, quarantine=True, partitions_def=days, metadata={"partition_expr": "day"})
    def daily():
        yield from rows

    tags = {
        "dagster/asset_partition_range_start": "2026-01-01",
        "dagster/asset_partition_range_end": "2026-01-03",
    }
    assert materialize(daily, tmp_path, tags=tags).success
    tables = [pl.read_parquet(tmp_path / "daily" / f"2026-01-0{day}.parquet")["amount"].to_list() for day in (1, 2, 3)]
    assert tables == [[1], [5], [6]]
    quarantined = pl.concat(pl.read_parquet(file) for file in (tmp_path / "daily_quarantine").glob("*.parquet"))
    assert sorted(quarantined["amount"].to_list(), key=str) == [-4, 3, None]
    assert sorted(filter(None, quarantined["raw"])) == [
        '{"day": "2026-01-02", "amount": "two"}',
        '{"day": "yesterday", "amount": 3}',
    ]


def test_a_partition_all_of_whose_rows_are_refused_keeps_its_table(tmp_path: Path):
    @dc.asset(Daily, quarantine=True, partitions_def=dg.StaticPartitionsDefinition(["a"]))
    def daily():
        return [{"day": "2026-01-01", "amount": 1}] if not (tmp_path / "daily").exists() else [{"day": "soon"}]

    assert materialize(daily, tmp_path, partition_key="a").success
    assert not materialize(daily, tmp_path, partition_key="a").success
    assert pl.read_parquet(tmp_path / "daily" / "a.parquet")["amount"].to_list() == [1]
    assert pl.read_parquet(tmp_path / "daily_quarantine" / "a.parquet")["raw"].to_list() == ['{"day": "soon"}']
