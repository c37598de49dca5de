"""Partitions of assets that a model reads: those that the run needs, all of them, in one table."""

import dagster as dg
import polars as pl
import pytest
from tests.orchestration.sql_project.shop import QUIET, Shop, failure
from upath import UPath

import dagster_contracts as dc

DAYS = dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-06")
SOURCES = "CREATE TABLE raw_orders (id BIGINT NOT NULL, day DATE NOT NULL);"
ALL = "SELECT id, day FROM raw_orders"
SLICE = "SELECT id, day FROM raw_orders WHERE day >= @partition_start AND day < @partition_end"


class OneByOne(dg.UPathIOManager):
    """Gives several partitions as a dict only, as Dagster's own base class does."""

    extension = ".parquet"

    def dump_to_path(self, context, obj, path):
        obj.write_parquet(str(path))

    def load_from_path(self, context, path):
        return pl.read_parquet(str(path))


@dg.asset(partitions_def=DAYS, io_manager_key="frames")
def raw_orders(context: dg.AssetExecutionContext) -> pl.DataFrame:
    day = context.partition_time_window.start
    return pl.DataFrame({"id": [day.day], "day": [day.date()]}, schema_overrides={"id": pl.Int64})


@pytest.fixture(params=["ours", "dagster's"])
def frames(request, tmp_path):
    folder = str(tmp_path / "frames")
    return dc.ParquetIOManager(base_dir=folder) if request.param == "ours" else OneByOne(UPath(folder))


@pytest.fixture
def shop(tmp_path) -> Shop:
    shop = Shop(tmp_path)
    for model in ("orders", "totals"):
        (tmp_path / "project" / "models" / f"{model}.sql").unlink()
    shop.write(**{"models/orders.sql": ALL, "sources.sql": SOURCES})
    shop.attributes["sources"] = {"raw_orders": {"load": True}}
    return shop


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as found:
        yield found


def make(shop: Shop, frames, instance, *days: int, asset=raw_orders) -> None:
    for day in days:
        run = dg.materialize(
            [asset], partition_key=f"2024-01-0{day}", resources={"frames": frames}, instance=instance, run_config=QUIET
        )
        assert run.success


def run(shop: Shop, frames, instance, **more):
    return shop.run("orders", others=[raw_orders], resources={"frames": frames}, instance=instance, **more)


def ids(shop: Shop) -> list[int]:
    return [number for (number,) in shop.query("SELECT id FROM orders ORDER BY id")]


def test_a_model_without_partitions_reads_all(shop, frames, instance):
    make(shop, frames, instance, 1, 2, 3, 4, 5)
    assert run(shop, frames, instance).success
    assert ids(shop) == [1, 2, 3, 4, 5]


def test_a_partition_without_data_is_an_error_unless_it_may_be_missing(shop, frames, instance):
    make(shop, frames, instance, 1, 3, 4)
    assert not run(shop, frames, instance).success
    shop.attributes["sources"]["raw_orders"]["allow_missing_partitions"] = True
    assert run(shop, frames, instance).success
    assert ids(shop) == [1, 3, 4]


def test_no_partition_at_all_is_an_error(shop, frames, instance):
    shop.attributes["sources"]["raw_orders"]["allow_missing_partitions"] = True
    result = run(shop, frames, instance)
    assert "none of the partitions of raw_orders that the run needs has data" in failure(result).message


def test_a_model_that_is_cut_alike_reads_its_own(shop, frames, instance):
    shop.write(**{"models/orders.sql": SLICE, "models/orders.toml": 'partition_by = "day"'})
    shop.attributes["translation"] = {
        "partitions_def": {"type": "daily", "start_date": "2024-01-01", "end_date": "2024-01-06"}
    }
    make(shop, frames, instance, 2, 4)
    for day in ("2024-01-02", "2024-01-04"):
        assert run(shop, frames, instance, partition=day).success
    assert ids(shop) == [2, 4]


def test_a_model_that_is_cut_by_longer_times_reads_all_days_of_its_own(shop, frames, instance):
    shop.write(**{"models/orders.sql": SLICE, "models/orders.toml": 'partition_by = "day"'})
    shop.attributes["translation"] = {
        "partitions_def": {
            "type": "time_window",
            "start_date": "2024-01-01",
            "fmt": "%Y-%m-%d",
            "cron_schedule": "0 0 */2 * *",
            "end_date": "2024-01-06",
        }
    }
    make(shop, frames, instance, 3, 4)
    result = run(shop, frames, instance, partition="2024-01-03")
    assert result.success, failure(result).message
    assert ids(shop) == [3, 4]


def test_two_dimensions_are_no_line(shop, frames, instance, tmp_path):
    both = dg.MultiPartitionsDefinition(
        {"half": dg.StaticPartitionsDefinition(["a", "b"]), "n": dg.StaticPartitionsDefinition(["1", "2"])}
    )

    @dg.asset(name="raw_orders", partitions_def=both, io_manager_key="frames")
    def cut_twice(context: dg.AssetExecutionContext) -> pl.DataFrame:
        return pl.DataFrame(
            {"id": [int(context.partition_key[-1])], "day": [None]}, schema={"id": pl.Int64, "day": pl.Date}
        )

    for half, number in (("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")):
        key = dg.MultiPartitionKey({"half": half, "n": number})
        assert dg.materialize([cut_twice], partition_key=key, resources={"frames": frames}, instance=instance).success
    result = shop.run("orders", others=[cut_twice], resources={"frames": frames}, instance=instance)
    assert result.success, failure(result).message
    assert ids(shop) == [1, 1, 2, 2]


def test_an_asset_that_is_not_there(shop, tmp_path):
    result = shop.run("orders")
    (event,) = result.get_step_failure_events()
    said = event.step_failure_data.error.to_string()
    assert "raw_orders: the IO manager of raw_orders could not load it, and nothing was written" in said
    assert "leave load out if it is a table of the database" in said
