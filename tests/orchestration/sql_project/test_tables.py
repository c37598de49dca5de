"""Polars assets that read what SQL models wrote."""

import dagster as dg
import duckdb
import polars as pl
import pytest

from dagster_contracts import errors
from dagster_contracts.orchestration.sql_project.tables import TABLE, SqlTables


def read(tmp_path, sql: str, annotation=pl.DataFrame):
    """What an asset with that annotation is given of a table."""
    file = str(tmp_path / "warehouse.duckdb")
    with duckdb.connect(file) as connection:
        connection.execute(sql)
    seen = []

    @dg.asset(ins={"table": dg.AssetIn(key=["marts", "orders"])})
    def report(table: annotation) -> None:
        seen.append(table)

    orders = dg.AssetSpec(["marts", "orders"], metadata={TABLE: "orders"}).with_io_manager_key("sql")
    result = dg.materialize([report, orders], resources={"sql": SqlTables(database=file, wait_seconds=2)})
    assert result.success
    return seen[0]


def test_a_frame_or_a_lazy_frame(tmp_path):
    sql = "CREATE TABLE orders AS SELECT 1::TINYINT AS id, 'a' AS name"
    assert read(tmp_path, sql).equals(
        pl.DataFrame({"id": [1], "name": ["a"]}, schema={"id": pl.Int8, "name": pl.String})
    )
    lazy = read(tmp_path, "SELECT 1", pl.LazyFrame)
    assert isinstance(lazy, pl.LazyFrame)
    assert lazy.collect().height == 1


def test_times_are_in_utc(tmp_path):
    sql = "CREATE TABLE orders AS SELECT TIMESTAMPTZ '2013-07-01 12:00:00+02' AS at, TIMESTAMP '2013-07-01' AS local"
    frame = read(tmp_path, sql)
    assert str(frame["at"].dt.replace_time_zone(None).item()) == "2013-07-01 10:00:00"
    assert frame.schema["local"] == pl.Datetime("us")


def test_a_table_that_is_not_there(tmp_path):
    with pytest.raises(errors.StorageError, match=r"has no table 'orders': materialize marts/orders first"):
        read(tmp_path, "SELECT 1")


def test_an_interval_is_refused_by_name(tmp_path):
    with pytest.raises(errors.StorageError, match=r"no dtype for the INTERVAL column wait of orders"):
        read(tmp_path, "CREATE TABLE orders AS SELECT INTERVAL 1 DAY AS wait, 1 AS id")


def test_it_writes_nothing():
    @dg.asset(io_manager_key="sql")
    def orders() -> int:
        return 1

    with pytest.raises(errors.StorageError, match="a SQL model writes its table itself"):
        dg.materialize([orders], resources={"sql": SqlTables(database="unused.duckdb")})
