"""How far a long split is, told while it runs."""

import itertools
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import dataframely as dy
import polars as pl
import pytest
from polars.io.plugins import register_io_source
from polars.testing import assert_frame_equal

from dagster_contracts.contract.reading import read_contract
from dagster_contracts.frames import progress
from dagster_contracts.frames.progress import Odometer, Progress
from dagster_contracts.frames.split import Split, SplitOptions, split

EVERY = 0.05


class Numbers(dy.Schema):
    n = dy.Int64(min=0)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY_SECONDS", EVERY)


def slow_rows(batches: int, size: int) -> pl.LazyFrame:
    """A source that takes a twentieth of a second for each batch, the first of whose rows is invalid."""

    def generate(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for at in range(batches):
            time.sleep(EVERY)
            yield pl.DataFrame({"n": [-1, *range(at * size + 1, (at + 1) * size)]})

    return register_io_source(generate, schema={"n": pl.Int64})


def told_by(frame: pl.LazyFrame, folder: Path | None) -> tuple[Split, list[Progress]]:
    told: list[Progress] = []
    found = split(read_contract(Numbers), frame, SplitOptions(tell=told.append), into=folder)
    return found, told


def test_a_slow_source_is_told_of_while_it_is_written_down(tmp_path: Path):
    found, told = told_by(slow_rows(batches=8, size=100), tmp_path)
    assert (found.valid_count, found.invalid_count) == (8 * 99, 8)
    assert len(told) >= 4
    assert [each.rows_read for each in told] == sorted(each.rows_read for each in told)
    assert 0 < told[0].rows_read <= told[-1].rows_read <= 800
    assert all(each.invalid is None for each in told)
    assert all(later.seconds - sooner.seconds >= EVERY for sooner, later in itertools.pairwise(told))


def test_a_file_is_told_of_with_the_rows_that_are_invalid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.0)
    rows = pl.DataFrame({"n": [-1, *range(1, 300_000)]})
    rows.write_parquet(tmp_path / "in.parquet", row_group_size=50_000)
    for folder in (tmp_path, None):
        found, told = told_by(pl.scan_parquet(tmp_path / "in.parquet"), folder)
        assert (told[-1].rows_read, told[-1].invalid) == (300_000, 1)
        assert len(told) > 1
        assert found.invalid_count == 1
        assert_frame_equal(found.valid.lazy().collect(), rows[1:])


def test_a_fast_split_is_not_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "EVERY_SECONDS", 10.0)
    found, told = told_by(slow_rows(batches=2, size=5), tmp_path)
    assert (found.row_count, told) == (10, [])


def test_an_error_of_who_is_told_comes_out_and_leaves_no_file(tmp_path: Path):
    def fail(_: Progress) -> None:
        raise OSError("the log is full")

    with pytest.raises(Exception, match="the log is full"):
        split(read_contract(Numbers), slow_rows(batches=8, size=5), SplitOptions(tell=fail), into=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_batches_of_several_threads_are_all_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.0)
    told: list[Progress] = []
    odometer = Odometer(told.append, checks=True)
    batch = pl.DataFrame({"ok": [True, False, True]})
    threads = [threading.Thread(target=lambda: [odometer.checked(batch) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max((each.rows_read, each.invalid or 0) for each in told) == (600, 200)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (Progress(1_234_567, 10.0, 89), "1,234,567 rows read, 123,457 rows a second, 89 rows invalid so far"),
        (Progress(500, 2.0, None), "500 rows read, 250 rows a second, not checked yet"),
        (Progress(5, 0.0, 0), "5 rows read, at once, 0 rows invalid so far"),
    ],
)
def test_progress_in_words(found: Progress, text: str):
    assert str(found) == text
