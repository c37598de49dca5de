"""Frames one after another: in memory while they are small, in files once they are not, whole and in order."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import dagster_contracts as dc
from dagster_contracts.orchestration.storage.spool import Spool


def no_folder() -> Path:
    raise AssertionError("nothing is large enough for a folder")


def test_nothing_came():
    assert Spool(no_folder, "rows", 1_000_000).result() is None


def test_small_frames_stay_in_memory():
    spool = Spool(no_folder, "rows", 1_000_000)
    for at in range(3):
        spool.append(pl.DataFrame({"x": [at]}))
    assert_frame_equal(spool.result(), pl.DataFrame({"x": [0, 1, 2]}))
    assert spool.height == 3


@given(frames=st.lists(st.lists(st.integers(0, 99), max_size=9), min_size=1, max_size=9), held=st.integers(1, 200))
def test_whatever_is_held_the_rows_are_the_same_in_the_same_order(tmp_path_factory, frames, held):
    spool = Spool(lambda: tmp_path_factory.mktemp("spool"), "rows", held)
    for rows in frames:
        spool.append(pl.DataFrame({"x": rows}, schema={"x": pl.Int64}))
    result = spool.result()
    assert result.lazy().collect()["x"].to_list() == [row for rows in frames for row in rows]
    assert spool.height == sum(map(len, frames))


def test_large_frames_go_to_files_in_one_folder(tmp_path):
    spool = Spool(lambda: tmp_path, "rows", held=1)
    for at in range(3):
        spool.append(pl.DataFrame({"x": [at]}))
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"rows-00000{at}.parquet" for at in range(3)]
    assert isinstance(spool.result(), pl.LazyFrame)


def test_columns_that_come_later_are_null_before(tmp_path):
    for held in (1, 1_000):
        spool = Spool(lambda: tmp_path, f"rows{held}", held=held)
        spool.append(pl.DataFrame({"x": [1]}))
        spool.append(pl.DataFrame({"x": [2], "y": [0.5]}))
        assert spool.result().lazy().collect().rows() == [(1, None), (2, 0.5)]


@pytest.mark.parametrize("held", [1, 1_000_000])
def test_a_column_that_changes_its_type_is_refused_and_never_turned_into_text_or_numbers(tmp_path, held):
    for first, second, kept in (
        (1, 2.5, [1.0, 2.5]),
        (None, "a", [None, "a"]),
        (1, "a", None),
        (True, 1, None),
        ([1], "a", None),
        ({"a": 1}, {"b": 1}, None),
    ):
        spool = Spool(lambda: tmp_path, f"rows-{first}-{second}".replace("/", ""), held)
        spool.append(pl.DataFrame({"x": [first]}))
        spool.append(pl.DataFrame({"x": [second]}))
        if kept is not None:
            assert spool.result().lazy().collect()["x"].to_list() == kept
        else:
            with pytest.raises(dc.errors.SchemaError, match=r"the column 'x' is .* in some batches and"):
                spool.result()


def test_a_folder_that_takes_nothing_is_named_with_what_to_do(tmp_path):
    spool = Spool(lambda: tmp_path / "gone", "rows", held=1)
    with pytest.raises(dc.errors.StorageError, match=r"rows could not be kept in .*gone: .*set temp_dir="):
        spool.append(pl.DataFrame({"x": [1]}))
