"""The Polars IO managers that Dagster's own project ships, for what they write, and where they load for what they read.

On Polars 2 and DuckDB 2 both write but cannot read; `.ci/run` runs this file a second time on the versions before.
"""

from pathlib import Path

import dagster as dg
import dataframely as dy
import duckdb
import polars as pl
import pytest
from dagster_duckdb_polars import DuckDBPolarsIOManager
from dagster_polars import PolarsParquetIOManager

import dagster_contracts as dc

READS = pl.__version__.startswith("1.")
reads = pytest.mark.skipif(not READS, reason="the first-party Polars IO managers cannot read on polars 2 / duckdb 2")

pytestmark = pytest.mark.filterwarnings(
    # Of the managers themselves, on versions newer than they know.
    "ignore::DeprecationWarning",
    "ignore::dagster.BetaWarning",
    "ignore::dagster.PreviewWarning",
)


class Orders(dy.Schema):
    """Orders by day."""

    order_id = dy.String(primary_key=True, description="The order.")
    day = dy.Date()
    amount = dy.Float64(min=0.0)


ROWS = pl.DataFrame(
    {
        "order_id": ["a", "b", "b", "c", "d"],
        "day": ["2026-01-01", "2026-01-01", "2026-01-01", "2026-01-02", "2026-01-02"],
        "amount": [1.0, 2.0, 3.0, -4.0, 5.0],
    }
).with_columns(pl.col("day").str.to_date())


class Store:
    """One of the managers, and what is really stored behind it."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind, self.folder = kind, folder
        self.manager = (
            PolarsParquetIOManager(base_dir=str(folder))
            if kind == "parquet"
            else DuckDBPolarsIOManager(database=str(folder / "db.duckdb"), schema="main")
        )

    def rows(self, name: str) -> list[tuple] | None:
        if self.kind == "duckdb":
            with duckdb.connect(str(self.folder / "db.duckdb")) as connection:
                if (name,) not in connection.execute("SELECT table_name FROM information_schema.tables").fetchall():
                    return None
                return connection.execute(f'SELECT order_id, amount FROM "{name}" ORDER BY amount').fetchall()
        files = sorted(self.folder.glob(f"{name}.parquet")) + sorted((self.folder / name).glob("*.parquet"))
        return (
            pl.concat(map(pl.read_parquet, files)).select("order_id", "amount").sort("amount").rows() if files else None
        )

    def run(
        self, *assets: object, instance: dg.DagsterInstance | None = None, **more: object
    ) -> dg.ExecuteInProcessResult:
        return dg.materialize(
            assets, resources={"io_manager": self.manager}, raise_on_error=False, instance=instance, **more
        )


@pytest.fixture(params=["parquet", "duckdb"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Store(request.param, tmp_path)


@pytest.mark.parametrize("lazy", [False, True], ids=["eager", "lazy"])
def test_the_table_and_the_quarantine_are_written_side_by_side(store: Store, lazy: bool):
    @dc.asset(Orders, quarantine=True)
    def orders():
        return ROWS.lazy() if lazy else ROWS

    assert store.run(orders).success
    assert store.rows("orders") == [("a", 1.0), ("d", 5.0)]
    assert store.rows("orders_quarantine") == [("c", -4.0), ("b", 2.0), ("b", 3.0)]


def test_the_address_is_what_the_manager_calls_the_place(store: Store):
    @dc.asset(Orders, quarantine=True)
    def orders():
        return ROWS

    metadata = store.run(orders).asset_materializations_for_node("orders")[0].metadata
    address = metadata["dataframely/quarantine_address"].value
    database, file = store.folder / "db.duckdb", store.folder / "orders_quarantine.parquet"
    assert address == (str(file) if store.kind == "parquet" else f"{database}.main.orders_quarantine")


def test_the_columns_tab_keeps_its_constraints_although_the_manager_logs_columns_of_its_own(store: Store):
    @dc.asset(Orders, quarantine=True)
    def orders():
        return ROWS

    materialization = store.run(orders).asset_materializations_for_node("orders")[0]
    schema = materialization.metadata["dagster/column_schema"].value
    assert [(column.name, column.type) for column in schema.columns] == [
        ("order_id", "String"),
        ("day", "Date"),
        ("amount", "Float64"),
    ]
    assert schema.columns[2].constraints.other == [">= 0.0", "no infinity", "no NaN"]
    assert schema.columns[0].description == "The order."
    assert schema.constraints.other == ["primary key (order_id)"]
    assert materialization.metadata["dagster/row_count"].value == 2


def test_a_run_without_a_valid_row_keeps_the_last_good_table_and_leaves_the_evidence(store: Store):
    frames = [ROWS.head(1), ROWS.filter(pl.col("amount") < 0)]

    @dc.asset(Orders, quarantine=True)
    def orders():
        return frames.pop(0)

    assert store.run(orders).success
    assert not store.run(orders).success
    assert store.rows("orders") == [("a", 1.0)]
    assert store.rows("orders_quarantine") == [("c", -4.0)]


def test_a_clean_run_empties_the_quarantine_of_an_earlier_one(store: Store):
    frames = [ROWS, ROWS.head(1)]

    @dc.asset(Orders, quarantine=True)
    def orders():
        return frames.pop(0)

    with dg.DagsterInstance.ephemeral() as instance:
        assert store.run(orders, instance=instance).success
        assert store.run(orders, instance=instance).success
    assert store.rows("orders") == [("a", 1.0)]
    assert store.rows("orders_quarantine") == []


def test_a_partition_has_its_own_table_and_quarantine(store: Store):
    days = dg.DailyPartitionsDefinition("2026-01-01", end_date="2026-01-03")

    @dc.asset(Orders, quarantine=True, partitions_def=days, metadata={"partition_expr": "day"})
    def orders(context: dg.AssetExecutionContext):
        return ROWS.filter(pl.col("day") == pl.lit(context.partition_key).str.to_date())

    with dg.DagsterInstance.ephemeral() as instance:
        for day in ("2026-01-01", "2026-01-02", "2026-01-01"):
            assert store.run(orders, instance=instance, partition_key=day).success
    assert store.rows("orders") == [("a", 1.0), ("d", 5.0)]
    assert store.rows("orders_quarantine") == [("c", -4.0), ("b", 2.0), ("b", 3.0)]


@reads
def test_downstream_assets_read_the_table_and_the_quarantine(store: Store):
    @dc.asset(Orders, quarantine=True)
    def orders():
        return ROWS

    read: dict[str, list[tuple]] = {}

    @dc.asset(Orders)
    def paid(orders: pl.DataFrame) -> pl.DataFrame:
        read["orders"] = orders.select("order_id", "amount").sort("amount").rows()
        return orders

    @dg.asset
    def triage(orders_quarantine: pl.DataFrame) -> None:
        read["quarantine"] = orders_quarantine["dy_rule__amount__min"].sort().to_list()

    assert store.run(orders, paid, dc.build_quarantine_spec(Orders, orders)).success
    assert store.run(dc.build_quarantine_spec(Orders, orders), triage).success
    assert read == {"orders": [("a", 1.0), ("d", 5.0)], "quarantine": ["invalid", "valid", "valid"]}


@reads
def test_the_parquet_manager_reads_lazily_and_in_partitions(tmp_path: Path):
    store = Store("parquet", tmp_path)
    days = dg.DailyPartitionsDefinition("2026-01-01", end_date="2026-01-03")

    @dc.asset(Orders, quarantine=True, partitions_def=days)
    def orders(context: dg.AssetExecutionContext):
        return ROWS.filter(pl.col("day") == pl.lit(context.partition_key).str.to_date())

    @dc.asset(Orders)
    def every_day(orders: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
        return pl.concat(orders.values())

    with dg.DagsterInstance.ephemeral() as instance:
        for day in ("2026-01-01", "2026-01-02"):
            assert store.run(orders, instance=instance, partition_key=day).success
        assert dg.materialize(
            [orders, every_day],
            selection=[every_day],
            resources={"io_manager": store.manager},
            instance=instance,
        ).success
    assert store.rows("every_day") == [("a", 1.0), ("d", 5.0)]


@reads
def test_contract_checks_read_a_table_that_someone_else_declared(store: Store):
    @dg.asset
    def raw() -> pl.DataFrame:
        return ROWS

    checks = dc.build_contract_checks(Orders, assets=[raw], lazy=store.kind != "duckdb")  # it reads no lazy frames
    result = store.run(raw, *checks)
    assert {e.check_name for e in result.get_asset_check_evaluations() if not e.passed} == {
        "dy_rule__primary_key",
        "dy_rule__amount__min",
    }
