"""The package as a strictly typed project uses it; mypy and no interpreter reads this file."""

import datetime as dt
from collections.abc import Iterator
from typing import Annotated, Any

import dagster as dg
import dataframely as dy
import polars as pl
from pydantic import Field

import dagster_contracts as dc


class Orders(dy.Schema):
    order_id = dy.String(primary_key=True)
    amount = dy.Float64(min=0.0)


@dc.asset(Orders, quarantine=True, min_rows=1, max_invalid=0.1, check_granularity="column")
@dc.warn("amount|min")
def orders(context: dg.AssetExecutionContext, raw: pl.DataFrame) -> pl.DataFrame:
    return raw


@dc.asset(Orders, quarantine=dc.Quarantine(key=["a", "b"], on_clean_run="keep"), key_prefix="shop")
def lazy_orders(orders: dict[str, pl.LazyFrame]) -> pl.LazyFrame | None:
    return pl.concat(orders.values())


@dg.asset(
    metadata=dc.wiring.schema_metadata(Orders),
    check_specs=dc.wiring.check_specs(Orders, asset="wired"),
    output_required=False,
)
def wired(context: dg.AssetExecutionContext) -> dc.wiring.AssetYield:
    yield from dc.wiring.validation_results(
        Orders,
        pl.DataFrame({"order_id": ["a"], "amount": [1.0]}),
        valid_key=context.asset_key,
        quarantine_writer=dc.wiring.delegating_writer(context),
    )


def write(rows: pl.DataFrame) -> str:
    return str(rows.height)


writer: dc.wiring.QuarantineWriter = write
spec: dg.AssetSpec = dc.build_quarantine_spec(Orders, orders)
checks: list[dg.AssetChecksDefinition] = dc.build_contract_checks(Orders, assets=[orders, "other"])
run: dc.testing.AssetRun = dc.testing.run_asset(orders, pl.DataFrame())
table: pl.DataFrame | None = run.table
error: dc.errors.ContractsError | None = run.error
definitions: dg.Definitions = dg.Definitions(
    assets=[orders, lazy_orders, wired, spec],
    asset_checks=checks,
    resources={"io_manager": dc.ParquetIOManager(base_dir="data")},
)


class AdsStats(dc.Schema):
    date: dt.date = dc.field(primary_key=True)
    ad_id: str = dc.field(alias="adId", min_length=1)
    clicks: int = dc.field(0, description="Clicks")
    spend: float = Field(ge=0)
    labels: list[str] = dc.field(default_factory=list)
    note: str | None = dc.field(default=None, sensitive=True)
    seen: dt.date | None = dc.field(None, epoch="s")
    rank: Annotated[int, dc.Int32]

    @dc.rule
    def spent(cls) -> pl.Expr:
        return pl.col("spend") > 0

    @dc.rule(group_by=["date"])
    def few(cls) -> pl.Expr:
        return pl.len() < 3


class MoreStats(AdsStats):
    extra: int


@dc.schema
class Plain:
    id: int


@dc.asset(AdsStats, quarantine=True)
def ads_stats() -> Iterator[dict[str, Any]]:
    yield {"date": "2024-01-01"}


specs: list[dc.FieldSpec] = MoreStats.field_specs()
texts: list[str] = [spec.name for spec in specs if spec.nullable and not spec.fields]
frame: pl.DataFrame = AdsStats.to_frame([{"adId": "a"}], strategy=dc.MaterializationStrategy.STRICT)
frame_schema: type[dy.Schema] = AdsStats.to_dataframely()
from_frame: type[dc.Schema] = dc.Schema.from_dataframely(Orders)
from_json: type[dc.Schema] = dc.Schema.from_json_schema(AdsStats.json_schema())
inferred: type[dc.Schema] = dc.Schema.infer([{"a": 1}])
columns: list[str] = [str(column) for column in AdsStats.sql_columns("duckdb")]
lost: tuple[str, ...] = AdsStats.losses("dataframely")
valid = dc.validate(AdsStats, frame).valid


def lower(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return ({key.lower(): value for key, value in row.items()} for row in rows)


strict_asset = dc.asset_defaults(materialization_strategy=dc.MaterializationStrategy.STRICT, group_name="ads")


@strict_asset(AdsStats, normalizer=lower, on_schema_change="raise")
async def more_ads() -> list[dict[str, Any]]:
    return []


class Warehouse(dg.IOManager):
    def handle_output(self, context: dg.OutputContext, obj: pl.DataFrame) -> None:
        schema: type[dc.Schema] | None = dc.effective_schema(context)
        assert schema is not None

    def load_input(self, context: dg.InputContext) -> pl.DataFrame:
        return pl.DataFrame()


more_definitions: dg.Definitions = dg.Definitions(assets=[ads_stats, more_ads], resources={"io_manager": Warehouse()})
