"""What is left of a table when its writer is killed, runs out of room, fails halfway, or is not alone."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import dagster as dg
import polars as pl
import pytest
from upath import UPath

from dagster_contracts.errors import StorageError
from dagster_contracts.orchestration.storage import atomic
from dagster_contracts.orchestration.storage.parquet import ParquetIOManager, ParquetUPathIOManager

WRITER = Path(__file__).with_name("parquet_writer.py")
SIZES = (3, 400_000, 1, 50_000)
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and flock are POSIX")


def write(base_dir: object, frame: object, key: tuple[str, ...] = ("shop", "orders")) -> None:
    ParquetUPathIOManager(str(base_dir)).handle_output(dg.build_output_context(asset_key=dg.AssetKey(key)), frame)


def version_of(file: Path) -> int:
    """The one version that a file is, after reading all of it.

    From an open file, as our loads do: Polars itself opens a path twice, and fails if it is replaced in between.
    """
    with file.open("rb") as opened:
        frame = pl.read_parquet(opened)
    [version] = frame["version"].unique().to_list()
    assert frame.height == SIZES[version % 4]
    assert frame["noise"].equals(pl.select(noise=pl.int_range(frame.height).hash())["noise"])
    return version


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".parquet"))


def start_writer(base_dir: Path, mode: str, number: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(base_dir), mode, str(number)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


# ---- killed ----------------------------------------------------------------------------------------------------------


def kill_again_and_again(base_dir: Path, kills: int, seed: int) -> int:
    """Kill writers at random moments; how many of them had a write under way."""
    chance = random.Random(seed)
    file = base_dir / "shop" / "orders.parquet"
    write(base_dir, pl.DataFrame({"version": [2], "noise": pl.select(pl.int_range(1).hash()).to_series()}))
    interrupted = 0
    for kill in range(kills):
        first = 1000 * (kill + 1)
        with start_writer(base_dir, "loop", first) as writer:
            written = int(writer.stdout.readline())
            time.sleep(chance.uniform(0, 0.12))
            writer.send_signal(signal.SIGKILL)
            reported = [written, *map(int, writer.stdout.read().split())]
        # The table is the last version that was reported, or the one after it, which was published and not yet reported.
        assert version_of(file) in (reported[-1], reported[-1] + 1)
        dead = left_over(file.parent)
        interrupted += bool(dead)
        assert len(dead) <= 1  # each writer has removed what the one before it left
    write(base_dir, pl.read_parquet(file))
    assert left_over(file.parent) == []
    return interrupted


@POSIX
def test_a_killed_writer_leaves_the_old_table_or_the_new_one(tmp_path):
    assert kill_again_and_again(tmp_path, kills=10, seed=1) > 0


@POSIX
@pytest.mark.slow
def test_two_hundred_killed_writers_leave_the_old_table_or_the_new_one(tmp_path):
    assert kill_again_and_again(tmp_path, kills=200, seed=2) > 50


@POSIX
def test_the_staging_folder_of_a_live_writer_is_left_alone(tmp_path):
    table = UPath(tmp_path / "orders")
    with atomic.staging(table) as mine:
        (mine / "0").write_bytes(b"half")
        with atomic.staging(table) as other:
            assert mine != other
        assert (mine / "0").read_bytes() == b"half"
        assert left_over(tmp_path) == [mine.name]
    assert left_over(tmp_path) == []


@POSIX
def test_what_dead_writers_left_is_removed_and_nothing_else(tmp_path):
    dead = tmp_path / ".orders.20240101T000000-0123abcd.tmp"
    dead.mkdir()
    (dead / "lock").touch()
    (dead / "0").write_bytes(b"half")
    empty = tmp_path / ".orders.20990101T000000-0123abcd.tmp"
    empty.mkdir()
    old_without_lock = tmp_path / ".other.20240101T000000-89abcdef.tmp"
    old_without_lock.mkdir()
    (old_without_lock / "0").touch()
    (tmp_path / "mine.tmp").touch()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".orders.20990101T000000-89abcdef.tmp").mkdir()
    (tmp_path / ".orders.20990101T000000-89abcdef.tmp" / "0").touch()

    atomic.sweep(tmp_path)

    assert left_over(tmp_path) == [".hidden", ".orders.20990101T000000-89abcdef.tmp", "mine.tmp"]


@POSIX
def test_a_staging_folder_taken_by_a_sweeper_is_made_again(tmp_path):
    stop = threading.Event()

    def sweep_all_the_time():
        while not stop.is_set():
            with contextlib.suppress(OSError):
                atomic.sweep(tmp_path)

    sweepers = [threading.Thread(target=sweep_all_the_time) for _ in range(3)]
    for sweeper in sweepers:
        sweeper.start()
    try:
        for number in range(200):
            with atomic.staging(UPath(tmp_path / "orders")) as folder:
                (folder / "0").write_text(str(number))
                assert (folder / "0").read_text() == str(number)
    finally:
        stop.set()
        for sweeper in sweepers:
            sweeper.join()
    assert left_over(tmp_path) == []


def test_old_uploads_are_removed_from_an_object_store():
    base = UPath("memory://uploads")
    for name in (".upload.20240101T000000-0123abcd.tmp", ".upload.20990101T000000-0123abcd.tmp"):
        (base / "shop").mkdir(parents=True, exist_ok=True)
        (base / "shop" / name).write_bytes(b"half")
    write("memory://uploads", pl.DataFrame({"id": [1]}))
    names = sorted(path.name for path in (base / "shop").iterdir())
    assert names == [".upload.20990101T000000-0123abcd.tmp", "orders.parquet"]


# ---- no room, no permission ------------------------------------------------------------------------------------------


@POSIX
def test_a_file_that_may_not_grow_leaves_the_old_table(tmp_path):
    write(tmp_path, pl.DataFrame({"id": [1]}))
    with start_writer(tmp_path, "once", 100_000) as writer:
        message, cause = writer.stdout.read().splitlines()
    assert message.startswith(f"Asset `shop/orders` was not written to {tmp_path}/shop/orders: ")
    assert "What was there before is as it was." in message
    assert cause in ("OSError", "ComputeError")
    assert pl.read_parquet(tmp_path / "shop/orders.parquet").to_dict(as_series=False) == {"id": [1]}
    assert left_over(tmp_path / "shop") == []


@pytest.fixture
def tiny_disk(tmp_path: Path):
    """A file system of one megabyte."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or sys.platform != "linux" or os.getuid() != 0:
        pytest.skip("only root on Linux can mount a tiny file system")
    command = [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("this machine does not let us mount a tiny file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("lazy", [False, True])
def test_a_full_disk_leaves_the_old_table(tiny_disk, lazy):
    write(tiny_disk, pl.DataFrame({"id": [1]}))
    big = pl.select(noise=pl.int_range(1_000_000).hash())
    with pytest.raises(
        StorageError, match=r"^Asset `shop/orders` was not written .* What was there before is as it was\."
    ):
        write(tiny_disk, big.lazy() if lazy else big)
    assert pl.read_parquet(tiny_disk / "shop/orders.parquet").to_dict(as_series=False) == {"id": [1]}
    assert left_over(tiny_disk / "shop") == []
    write(tiny_disk, pl.DataFrame({"id": [2]}))
    assert pl.read_parquet(tiny_disk / "shop/orders.parquet").to_dict(as_series=False) == {"id": [2]}


def test_a_file_where_a_folder_should_be(tmp_path):
    (tmp_path / "shop").write_text("not a folder")
    with pytest.raises(StorageError) as caught:
        write(tmp_path, pl.DataFrame({"id": [1]}))
    assert str(caught.value) == (
        f"Asset `shop/orders` was not written to {tmp_path}/shop/orders: File exists. What was there before is as it was. "
        "Make room or correct the folder's permissions, then run it again."
    )
    assert isinstance(caught.value.__cause__, FileExistsError)


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path):
    write(tmp_path, pl.DataFrame({"id": [1]}))
    (tmp_path / "shop").chmod(0o500)
    try:
        with pytest.raises(StorageError, match=r"Asset `shop/orders` was not written .*: Permission denied\."):
            write(tmp_path, pl.DataFrame({"id": [2]}))
    finally:
        (tmp_path / "shop").chmod(0o700)
    assert pl.read_parquet(tmp_path / "shop/orders.parquet")["id"].to_list() == [1]


def test_a_name_that_is_too_long_ends_in_its_hash(tmp_path):
    write(tmp_path, pl.DataFrame({"id": [1]}), ("x" * 300,))
    [file] = tmp_path.glob("*.parquet")
    assert file.name.startswith("x" * 160 + "%")
    assert pl.read_parquet(file)["id"].to_list() == [1]


# ---- fails halfway ---------------------------------------------------------------------------------------------------


def fails_after(batches: int) -> pl.LazyFrame:
    """A plan that is fine for some rows, and then raises with a value of the data in its message."""
    return pl.LazyFrame({"n": range(1_000_000)}).with_columns(
        pl.when(pl.col("n") < 999_999).then(pl.lit("1")).otherwise(pl.lit("secret")).cast(pl.Int64).alias("id")
    )


@pytest.mark.parametrize("base", ["local", "memory"])
def test_a_plan_that_raises_halfway_leaves_the_old_table(tmp_path, base):
    base_dir = UPath(tmp_path / "data" if base == "local" else "memory://halfway")
    write(base_dir, pl.DataFrame({"id": [1]}))
    with pytest.raises(StorageError) as caught:
        write(base_dir, fails_after(3))
    assert str(caught.value) == (
        f"Asset `shop/orders` was not written to {base_dir}/shop/orders: computing or writing the frame failed "
        "(InvalidOperationError). What was there before is as it was. Look at the cause and correct it."
    )
    assert isinstance(caught.value.__cause__, pl.exceptions.InvalidOperationError)
    assert [path.name for path in (base_dir / "shop").iterdir()] == ["orders.parquet"]
    with (base_dir / "shop" / "orders.parquet").open("rb") as file:
        assert pl.read_parquet(file)["id"].to_list() == [1]


def test_one_bad_partition_of_a_range_changes_none(tmp_path):
    days = dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-03")
    tags = {
        "dagster/asset_partition_range_start": "2024-01-01",
        "dagster/asset_partition_range_end": "2024-01-02",
    }

    def materialize(second: pl.DataFrame | pl.LazyFrame) -> None:
        @dg.asset(partitions_def=days)
        def orders():
            return {"2024-01-01": pl.DataFrame({"id": [1]}), "2024-01-02": second}

        with dg.DagsterInstance.ephemeral() as instance:
            dg.materialize(
                [orders],
                resources={"io_manager": ParquetIOManager(base_dir=str(tmp_path))},
                instance=instance,
                tags=tags,
            )

    materialize(pl.DataFrame({"id": [2]}))
    before = {path.name: path.read_bytes() for path in (tmp_path / "orders").iterdir()}
    with pytest.raises(StorageError, match="Asset `orders`, 2 partitions was not written"):
        materialize(fails_after(3))
    assert {path.name: path.read_bytes() for path in (tmp_path / "orders").iterdir()} == before
    assert left_over(tmp_path) == ["orders"]


# ---- not alone -------------------------------------------------------------------------------------------------------


@POSIX
def test_two_writers_and_a_reader_at_once(tmp_path):
    file = tmp_path / "shop" / "orders.parquet"
    with start_writer(tmp_path, "loop", 0) as one, start_writer(tmp_path, "loop", 100_000) as two:
        one.stdout.readline(), two.stdout.readline()
        seen, deadline = {version_of(file)}, time.monotonic() + 60
        while len(seen) < 8 and time.monotonic() < deadline:
            seen.add(version_of(file))
        one.kill(), two.kill()
    assert len(seen) == 8
    assert version_of(file) >= 0
    assert len(left_over(tmp_path / "shop")) <= 2


def test_the_last_of_two_writers_wins_whole(tmp_path):
    slow, fast = UPath(tmp_path / "orders"), UPath(tmp_path / "orders")
    target = UPath(tmp_path / "orders.parquet")
    with atomic.staging(slow) as slow_folder, atomic.staging(fast) as fast_folder:
        atomic.write_aside(pl.DataFrame({"id": [1]}), slow_folder / "0")
        atomic.write_aside(pl.LazyFrame({"id": [2, 2]}), fast_folder / "0")
        atomic.publish([(fast_folder / "0", target)])
        assert pl.read_parquet(target.path)["id"].to_list() == [2, 2]
        atomic.publish([(slow_folder / "0", target)])
    assert pl.read_parquet(target.path)["id"].to_list() == [1]
    assert left_over(tmp_path) == []


def test_partitions_of_a_table_behind_a_link_are_renamed_on_their_own_disk(tmp_path):
    elsewhere = tmp_path / "disk" / "orders"
    elsewhere.mkdir(parents=True)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "orders").symlink_to(elsewhere)
    context = dg.build_output_context(
        asset_key=dg.AssetKey("orders"),
        partition_key="eu",
        asset_partitions_def=dg.StaticPartitionsDefinition(["eu"]),
    )
    ParquetUPathIOManager(str(tmp_path / "data")).handle_output(context, pl.DataFrame({"id": [1]}))
    assert pl.read_parquet(elsewhere / "eu.parquet")["id"].to_list() == [1]
