"""`dc.validate` as a user without Dagster meets it."""

from pathlib import Path

import dataframely as dy
import polars as pl
import pytest

import dagster_contracts as dc
from dagster_contracts.contract.verdict import Verdict


class Orders(dy.Schema):
    order_id = dy.String(primary_key=True)
    amount = dy.Float64(min=0.0)


ROWS = pl.DataFrame({"order_id": ["a", "b", "b", "c"], "amount": [1.0, 2.0, 3.0, -4.0], "extra": [1, 2, 3, 4]})


def test_a_frame_in_memory_is_split_in_memory():
    found = dc.validate(Orders, ROWS)
    assert found.valid.rows() == [("a", 1.0)]
    assert found.invalid["order_id"].to_list() == ["b", "b", "c"]
    assert (found.row_count, found.valid_count, found.invalid_count) == (4, 1, 3)
    assert found.verdicts["primary_key"] is Verdict.BROKEN
    assert found.verdicts["amount|nan"] is Verdict.HELD


def test_the_very_frame_goes_out_when_every_row_is_valid():
    rows = ROWS.head(1).drop("extra")
    assert dc.validate(Orders, rows).valid.rows() == rows.rows()


def test_a_lazy_frame_is_written_into_a_folder(tmp_path: Path):
    found = dc.validate(Orders, ROWS.lazy(), into=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["invalid.parquet", "valid.parquet"]
    assert found.valid.collect().rows() == [("a", 1.0)]
    assert pl.read_parquet(tmp_path / "invalid.parquet")["dy_rule__amount__min"].to_list() == [
        "valid",
        "valid",
        "invalid",
    ]


def test_a_lazy_frame_without_a_folder_gives_plans():
    found = dc.validate(Orders, ROWS.lazy())
    assert isinstance(found.valid, pl.LazyFrame)
    assert found.invalid.collect()["order_id"].to_list() == ["b", "b", "c"]


def test_warnings_and_extra_columns_are_as_for_an_asset():
    found = dc.validate(Orders, ROWS, warnings=["primary_key"], on_extra_columns="keep")
    assert found.valid.rows() == [("a", 1.0, 1), ("b", 2.0, 2), ("b", 3.0, 3)]
    assert found.rule_counts["primary_key"] == 2


def test_columns_that_are_not_the_contracts_raise_before_a_row_is_read():
    with pytest.raises(
        dc.errors.ColumnSchemaError, match=r"1 columns are not as Orders declares them: 'amount' is Int64"
    ):
        dc.validate(Orders, ROWS.lazy().with_columns(pl.col("amount").cast(pl.Int64)))


def test_a_folder_that_is_none_is_refused(tmp_path: Path):
    with pytest.raises(dc.errors.InvalidSettingError, match="allowed is a folder that exists"):
        dc.validate(Orders, ROWS.lazy(), into=tmp_path / "nowhere")
