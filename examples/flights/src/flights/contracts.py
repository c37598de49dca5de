"""What each table promises. The rules were found by looking at the data, oddities included.

Airlines and planes come as rows, as an API gives them, and are held to typed classes; the other contracts are schemas
of frames, and the weather's holds rows all the same.
"""

from typing import Annotated

import dagster_contracts as dc
import dataframely as dy
import polars as pl

Row = dict[str, str]
"""A row as an API gives it: text for numbers, and no key where there is no value."""

NEW_YORK_AIRPORTS = "^(EWR|JFK|LGA)$"
EAST_COAST, DATE_LINE = -60, 170
FIRST_737 = 1967


def _clock(column: str) -> pl.Expr:
    """A time of day as minutes since midnight."""
    time = pl.col(column).dt
    return time.hour().cast(pl.Int16) * 60 + time.minute()


def _adds_up(scheduled: str, delay: str, actual: str) -> pl.Expr:
    """Whether a scheduled time and a delay give the actual time; a delay may reach into another day."""
    return (_clock(scheduled) + pl.col(delay) - _clock(actual)) % (24 * 60) == 0


def _new_york_hour() -> pl.Expr:
    """Whether the hour in UTC is the year, month, day and hour on New York's clocks."""
    local = pl.col("time_hour").dt.convert_time_zone("America/New_York").dt
    parts = {"year": local.year(), "month": local.month(), "day": local.day(), "hour": local.hour()}
    return pl.all_horizontal(pl.col(name) == part for name, part in parts.items())


class Airlines(dc.Schema):
    """The airlines that fly from New York, one row an airline."""

    carrier: str = dc.field(primary_key=True, pattern="^[A-Z0-9]{2}$", description="Two-character code of the airline.")
    name: str = dc.field(min_length=1, description="Full name.")


class Airports(dy.Schema):
    """The airports of the United States, one row an airport."""

    faa = dy.String(primary_key=True, regex="^[A-Z0-9]{3}$", description="Code of the aviation authority.")
    name = dy.String(nullable=False, min_length=1, description="Usual name.")
    lat = dy.Float64(nullable=False, min=-90, max=90, description="Latitude in degrees north.")
    lon = dy.Float64(nullable=False, min=-180, max=180, description="Longitude in degrees east.")
    alt = dy.Int16(nullable=False, min=-300, max=20_000, description="Altitude in feet; some lie below the sea.")
    tz = dy.Int8(nullable=False, min=-10, max=-5, description="Hours from UTC, Hawaii to the east coast.")
    dst = dy.String(nullable=False, regex="^[ANU]$", description="Daylight saving time: as in America, none, unknown.")
    tzone = dy.String(nullable=True, description="Name of the time zone, where it is known.")

    @dy.rule()
    def in_american_longitudes(cls) -> pl.Expr:
        """West of the Atlantic, or on the last of the Aleutian islands, beyond the 180th meridian."""
        return (pl.col("lon") < EAST_COAST) | (pl.col("lon") > DATE_LINE)


class Planes(dc.Schema):
    """The planes that flew from New York and are in the aviation authority's registry, one row a plane."""

    tailnum: str = dc.field(
        primary_key=True, pattern="^N[0-9A-Z]{2,5}$", description="Registration, painted on the tail."
    )
    year: Annotated[int, dc.Int16] | None = dc.field(
        ge=1903, le=2013, description="Year of manufacture, where it is known."
    )
    type: str = dc.field(description="Kind of aircraft.")
    manufacturer: str = dc.field(description="Manufacturer, in the registry's spelling.")
    model: str = dc.field(description="Model.")
    engines: Annotated[int, dc.Int8] = dc.field(ge=1, le=4, description="Number of engines.")
    seats: Annotated[int, dc.Int16] = dc.field(ge=1, description="Number of seats.")
    speed: Annotated[int, dc.Int16] | None = dc.field(
        ge=1, description="Cruising speed in miles an hour; known for very few."
    )
    engine: str = dc.field(description="Kind of engine.")

    @dc.rule
    def engines_fit_the_type(cls) -> pl.Expr:
        """A multi-engine plane has more than one engine, a single-engine plane has one."""
        single, multi = (pl.col("type").str.contains(f"{many} engine") for many in ("single", "multi"))
        return (~single | (pl.col("engines") == 1)) & (~multi | (pl.col("engines") > 1))

    @dc.rule
    def no_737_before_the_first(cls) -> pl.Expr:
        """The first Boeing 737 flew in 1967."""
        return ~pl.col("model").str.starts_with("737-") | (pl.col("year") >= FIRST_737)


class Weather(dy.Schema):
    """Weather at New York's airports, one row an airport and hour.

    The key is the hour on the clocks, which the night the clocks go back has twice: those rows are invalid.
    """

    origin = dy.String(primary_key=True, regex=NEW_YORK_AIRPORTS, description="The airport.")
    year = dy.Int16(primary_key=True, min=2013, max=2013, description="Year, on New York's clocks.")
    month = dy.Int8(primary_key=True, min=1, max=12, description="Month, on New York's clocks.")
    day = dy.Int8(primary_key=True, min=1, max=31, description="Day, on New York's clocks.")
    hour = dy.Int8(primary_key=True, min=0, max=23, description="Hour, on New York's clocks.")
    temp = dy.Float64(nullable=True, min=-60, max=130, description="Temperature in degrees Fahrenheit.")
    dewp = dy.Float64(nullable=True, description="Dew point in degrees Fahrenheit.")
    humid = dy.Float64(nullable=True, min=0, max=100, description="Relative humidity in percent.")
    wind_dir = dy.Int16(nullable=True, min=0, max=360, description="Direction of the wind in degrees.")
    wind_speed = dy.Float64(nullable=True, min=0, max=254, description="Speed of the wind in miles an hour.")
    wind_gust = dy.Float64(nullable=True, min=0, max=254, description="Speed of gusts in miles an hour, if any.")
    precip = dy.Float64(nullable=False, min=0, description="Precipitation in inches.")
    pressure = dy.Float64(nullable=True, min=850, max=1100, description="Pressure at sea level in millibars.")
    visib = dy.Float64(nullable=False, min=0, max=10, description="Visibility in miles, at most 10.")
    time_hour = dy.Datetime(nullable=False, time_zone="UTC", resolution="1h", description="The hour, in UTC.")

    @dy.rule()
    def dew_point_below_temperature(cls) -> pl.Expr:
        """Air cools down to its dew point, never below it."""
        return pl.col("dewp") <= pl.col("temp")

    @dy.rule()
    def gusts_above_wind(cls) -> pl.Expr:
        """A gust is faster than the wind it is in."""
        return pl.col("wind_gust") >= pl.col("wind_speed")

    @dy.rule()
    def hour_on_the_clocks(cls) -> pl.Expr:
        """The hour in UTC is the hour on New York's clocks."""
        return _new_york_hour()


class Flights(dy.Schema):
    """Flights that were to leave New York in 2013, cancelled ones included, one row a flight.

    The key is what people take for one. It is not: some airlines use a flight number twice a day.
    Times are on the clocks of the airport where something happens; midnight is 00:00.
    """

    year = dy.Int16(primary_key=True, min=2013, max=2013, description="Year of the scheduled departure.")
    month = dy.Int8(primary_key=True, min=1, max=12, description="Month of the scheduled departure.")
    day = dy.Int8(primary_key=True, min=1, max=31, description="Day of the scheduled departure.")
    dep_time = dy.Time(nullable=True, resolution="1m", description="Departure; none if the flight was cancelled.")
    sched_dep_time = dy.Time(nullable=False, resolution="1m", description="Scheduled departure.")
    dep_delay = dy.Int16(nullable=True, description="Minutes the departure was late; negative if it was early.")
    arr_time = dy.Time(nullable=True, resolution="1m", description="Arrival; none if the flight never arrived.")
    sched_arr_time = dy.Time(nullable=False, resolution="1m", description="Scheduled arrival.")
    arr_delay = dy.Int16(nullable=True, description="Minutes the arrival was late; none if it was elsewhere.")
    carrier = dy.String(primary_key=True, regex="^[A-Z0-9]{2}$", description="Code of the airline.")
    flight = dy.Int16(primary_key=True, min=1, description="Flight number.")
    tailnum = dy.String(nullable=False, description="Registration of the plane; missing for some that never left.")
    origin = dy.String(nullable=False, regex=NEW_YORK_AIRPORTS, description="Airport of departure.")
    dest = dy.String(nullable=False, regex="^[A-Z]{3}$", description="Airport of destination.")
    air_time = dy.Int16(nullable=True, min=1, description="Minutes in the air.")
    distance = dy.Int16(nullable=False, min=1, description="Miles from airport to airport.")
    hour = dy.Int8(nullable=False, min=0, max=23, description="Hour of the scheduled departure.")
    minute = dy.Int8(nullable=False, min=0, max=59, description="Minute of the scheduled departure.")
    time_hour = dy.Datetime(nullable=False, time_zone="UTC", resolution="1h", description="The hour, in UTC.")

    @dy.rule()
    def scheduled_hour_and_minute(cls) -> pl.Expr:
        """Hour and minute are those of the scheduled departure."""
        return pl.col("hour").cast(pl.Int16) * 60 + pl.col("minute") == _clock("sched_dep_time")

    @dy.rule()
    def scheduled_hour_on_the_clocks(cls) -> pl.Expr:
        """The hour in UTC is the hour of the scheduled departure on New York's clocks."""
        return _new_york_hour()

    @dy.rule()
    def departure_adds_up(cls) -> pl.Expr:
        """Scheduled departure and delay give the departure."""
        return _adds_up("sched_dep_time", "dep_delay", "dep_time")

    @dy.rule()
    def arrival_adds_up(cls) -> pl.Expr:
        """Scheduled arrival and delay give the arrival."""
        return _adds_up("sched_arr_time", "arr_delay", "arr_time")

    @dy.rule()
    def arrived_only_if_departed(cls) -> pl.Expr:
        """A flight that never left has no arrival and no time in the air."""
        happened = pl.col("arr_time").is_not_null() | pl.col("air_time").is_not_null()
        return pl.col("dep_time").is_not_null() | ~happened

    @dy.rule()
    def departed_on_a_known_plane(cls) -> pl.Expr:
        """Every flight that left has a tail number."""
        return pl.col("dep_time").is_null() | pl.col("tailnum").is_not_null()

    @dy.rule()
    def registered_in_the_united_states(cls) -> pl.Expr:
        """Registrations of the United States begin with N."""
        return pl.col("tailnum").str.starts_with("N")


class DelaysByCarrier(dy.Schema):
    """How late each airline left in each month."""

    year = dy.Int16(primary_key=True, description="Year.")
    month = dy.Int8(primary_key=True, min=1, max=12, description="Month.")
    carrier = dy.String(primary_key=True, description="Code of the airline.")
    airline = dy.String(nullable=False, description="Full name of the airline.")
    flights = dy.UInt32(nullable=False, min=1, description="Scheduled flights.")
    cancelled = dy.UInt32(nullable=False, description="Flights that never left.")
    mean_dep_delay = dy.Float64(nullable=True, description="Mean delay of the departures, in minutes.")
    late_share = dy.Float64(nullable=True, min=0, max=1, description="Share of departures more than 15 minutes late.")

    @dy.rule()
    def no_more_cancelled_than_scheduled(cls) -> pl.Expr:
        """Only what was scheduled can be cancelled."""
        return pl.col("cancelled") <= pl.col("flights")


class MonthlySummary(dy.Schema):
    """The year in twelve rows."""

    month = dy.Int8(primary_key=True, min=1, max=12, description="Month.")
    flights = dy.UInt32(nullable=False, min=1, description="Scheduled flights.")
    cancelled = dy.UInt32(nullable=False, description="Flights that never left.")
    without_tailnum = dy.UInt32(nullable=False, description="Flights without a tail number.")
    mean_arr_delay = dy.Float64(nullable=False, description="Mean delay of the arrivals, in minutes.")

    @dy.rule()
    def without_tailnum_only_if_cancelled(cls) -> pl.Expr:
        """A flight that left has a tail number."""
        return pl.col("without_tailnum") <= pl.col("cancelled")


class Routes(dy.Schema):
    """Every route from New York, one row a pair of airports."""

    origin = dy.String(primary_key=True, description="Airport of departure.")
    dest = dy.String(primary_key=True, description="Airport of destination.")
    dest_name = dy.String(nullable=False, description="Its name; missing if the airports table does not have it.")
    distance = dy.Int16(nullable=False, min=1, description="Shortest recorded distance in miles.")
    flights = dy.UInt32(nullable=False, min=1, description="Scheduled flights.")
    flown = dy.UInt32(nullable=False, min=1, description="Flights that left.")


class BusiestDays(dy.Schema):
    """How many flights were scheduled on each day and how many of them never left, busiest day first."""

    date = dy.Date(primary_key=True, description="The day.")
    flights = dy.UInt32(nullable=False, min=1, description="Scheduled flights.")
    cancelled = dy.UInt32(nullable=False, description="Flights that never left.")


class DuplicateFlights(dy.Schema):
    """Flight numbers that an airline used twice a day, read from the quarantine of the flights."""

    carrier = dy.String(primary_key=True, description="Code of the airline.")
    flight = dy.Int16(primary_key=True, description="Flight number.")
    days = dy.UInt32(nullable=False, min=1, description="Days on which the number was used twice.")
    rows = dy.UInt32(nullable=False, min=2, description="Rows in the quarantine.")
    routes = dy.List(dy.String(), nullable=False, min_length=1, description="The routes that share the number.")
    first_day = dy.Date(nullable=False, description="First such day.")
    last_day = dy.Date(nullable=False, description="Last such day.")
