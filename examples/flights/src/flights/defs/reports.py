"""What is made of the contracted tables: read lazily, one month or all of them, or from the quarantine."""

import dagster as dg
import dagster_contracts as dc
import polars as pl

from flights.contracts import BusiestDays, DelaysByCarrier, DuplicateFlights, MonthlySummary, Routes
from flights.partitions import MONTHS

GROUP = "reports"
OWNERS = ["team:analytics"]
LATE = 15

cancelled = pl.col("dep_time").is_null().sum().alias("cancelled")
date = pl.date("year", "month", "day")


@dc.asset(DelaysByCarrier, check_granularity="schema", partitions_def=MONTHS, group_name=GROUP, owners=OWNERS)
def delays_by_carrier(flights: pl.LazyFrame, airlines: pl.LazyFrame) -> pl.LazyFrame:
    """A month of flights and a table without partitions; an airline that it lacks goes by its code."""
    delays = flights.group_by("year", "month", "carrier").agg(
        pl.len().alias("flights"),
        cancelled,
        pl.col("dep_delay").mean().alias("mean_dep_delay"),
        (pl.col("dep_delay") > LATE).mean().alias("late_share"),
    )
    named = delays.join(airlines.rename({"name": "airline"}), on="carrier", how="left").sort("carrier")
    return named.with_columns(pl.col("airline").fill_null(pl.col("carrier")))


@dc.asset(MonthlySummary, min_rows=12, group_name=GROUP, owners=OWNERS)
def monthly_summary(flights: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
    """All months, each as a frame of its own; fewer than twelve do not replace the table."""
    return pl.concat([_summary(month) for month in flights.values()])


def _summary(month: pl.LazyFrame) -> pl.LazyFrame:
    return month.select(
        pl.col("month").first(),
        pl.len().alias("flights"),
        cancelled,
        pl.col("tailnum").null_count().alias("without_tailnum"),
        pl.col("arr_delay").mean().alias("mean_arr_delay"),
    )


@dg.asset(
    description=Routes.__doc__,
    metadata=dc.wiring.schema_metadata(Routes),
    check_specs=dc.wiring.check_specs(Routes, asset="routes"),
    output_required=False,
    group_name=GROUP,
    owners=OWNERS,
    kinds={"polars"},
)
def routes(context: dg.AssetExecutionContext, flights: pl.LazyFrame, airports: pl.LazyFrame) -> dc.wiring.AssetYield:
    """Wired by hand, for assets that `dc.asset` cannot declare: the same checks, the same quarantine."""
    dc.wiring.validate_quarantine_key(context)
    found = flights.group_by("origin", "dest").agg(
        pl.col("distance").min(),
        pl.len().alias("flights"),
        pl.col("dep_time").count().alias("flown"),
    )
    names = airports.select(pl.col("faa").alias("dest"), pl.col("name").alias("dest_name"))
    yield from dc.wiring.validation_results(
        Routes,
        found.join(names, on="dest", how="left").sort("origin", "dest"),
        valid_key=context.asset_key,
        quarantine_writer=dc.wiring.delegating_writer(context),
        warnings=["dest_name|nullability"],
    )


@dg.asset(description=BusiestDays.__doc__, group_name=GROUP, owners=OWNERS, kinds={"polars"})
def busiest_days(flights: pl.LazyFrame) -> pl.LazyFrame:
    """An asset that knows of no contract; its checks stand below."""
    days = flights.group_by(date.alias("date")).agg(pl.len().alias("flights"), cancelled)
    return days.sort("flights", "date", descending=[True, False])


busiest_days_checks = dc.build_contract_checks(BusiestDays, assets=[busiest_days])


@dc.asset(
    DuplicateFlights,
    ins={"flights_quarantine": dg.AssetIn(metadata={"allow_missing_partitions": True})},
    group_name=GROUP,
    owners=OWNERS,
)
def duplicate_flights_report(flights_quarantine: dict[str, pl.LazyFrame]) -> pl.LazyFrame | None:
    """Months without invalid rows have no quarantine; a year without any has nothing to report."""
    if not flights_quarantine:
        return None
    route = pl.concat_str("origin", "dest", separator="-")
    return (
        pl.concat(flights_quarantine.values())
        .filter(pl.col("dy_rule__primary_key") == "invalid")
        .group_by("carrier", "flight")
        .agg(
            date.n_unique().alias("days"),
            pl.len().alias("rows"),
            route.unique().sort().alias("routes"),
            date.min().alias("first_day"),
            date.max().alias("last_day"),
        )
        .sort("carrier", "flight")
    )
