"""The package as a strictly typed project uses it; mypy and no interpreter reads this file."""

import dagster as dg
import dataframely as dy
import polars as pl

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
