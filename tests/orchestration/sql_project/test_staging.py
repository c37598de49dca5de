"""Every dtype of a frame, as a model reads it: the type that it was checked with, and the very values."""

import datetime as dt
from decimal import Decimal

import duckdb
import polars as pl
import pytest

from dagster_contracts import errors
from dagster_contracts.contract.type_polars import from_polars
from dagster_contracts.orchestration.sql_project.database import Database
from dagster_contracts.orchestration.sql_project.execution import Query, run
from dagster_contracts.orchestration.sql_project.staging import stage
from dagster_contracts.sql.dialect_types import spelled_type

UTC = dt.datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=dt.UTC)
MOMENT = UTC.replace(tzinfo=None)


@pytest.fixture
def database(tmp_path) -> Database:
    return Database(str(tmp_path / "warehouse.duckdb"))


def read(database: Database, frame: pl.DataFrame, tmp_path, sql: str = "SELECT * FROM source"):
    """What a model sees: the types of the columns, and the rows."""
    file = stage("source", frame.lazy(), tmp_path / "0.parquet")
    written = run(database, Query("model", sql, inputs={"source": file}), lambda _: True)
    with duckdb.connect(database.path) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return [kind for _, kind in written.columns], connection.execute("SELECT * FROM model").fetchall()


@pytest.mark.parametrize(
    ("dtype", "value", "kind"),
    [
        (pl.Time, dt.time(23, 59, 59, 999_999), "TIME"),
        (pl.Duration("us"), dt.timedelta(microseconds=-1_500_001), "INTERVAL"),
        (pl.Duration("ms"), dt.timedelta(days=400), "INTERVAL"),
        (pl.Duration("ns"), dt.timedelta(seconds=1), "INTERVAL"),
        (pl.Datetime("ms"), MOMENT.replace(microsecond=999_000), "TIMESTAMP"),
        (pl.Datetime("us"), MOMENT, "TIMESTAMP"),
        (pl.Datetime("ns"), MOMENT.replace(year=1969), "TIMESTAMP"),
        (pl.Datetime("us", "UTC"), UTC, "TIMESTAMP WITH TIME ZONE"),
        (pl.Datetime("ns", "UTC"), UTC.replace(year=1969), "TIMESTAMP WITH TIME ZONE"),
        (pl.Int128, -(10**37), "HUGEINT"),
        (pl.UInt64, 2**64 - 1, "UBIGINT"),
        (pl.Int8, -128, "TINYINT"),
        (pl.Float32, 0.5, "FLOAT"),
        (pl.Decimal(20, 3), Decimal("-12.345"), "DECIMAL(20,3)"),
        (pl.Binary, b"\0a", "BLOB"),
        (pl.Date, dt.date(1, 1, 1), "DATE"),
        (pl.Boolean, True, "BOOLEAN"),
        (pl.Categorical, "a", "VARCHAR"),
        (pl.Enum(["a"]), "a", "VARCHAR"),
        (pl.List(pl.Int16), [1, None], "SMALLINT[]"),
        (pl.Struct({"a": pl.Date}), {"a": dt.date(2020, 1, 1)}, "STRUCT(a DATE)"),
    ],
    ids=str,
)
def test_a_column_is_what_it_was_checked_as(database, tmp_path, dtype, value, kind):
    frame = pl.DataFrame({'a "b"': pl.Series([value, None], dtype=dtype)})
    kinds, rows = read(database, frame, tmp_path)
    assert (kinds, rows) == ([kind], [(value,), (None,)])
    assert spelled_type(kind, "duckdb") == from_polars(frame.dtypes[0])


def test_the_functions_of_a_time_are_there(database, tmp_path):
    frame = pl.DataFrame({"t": [dt.time(23, 30)], "d": [dt.timedelta(hours=1)]})
    _, rows = read(database, frame, tmp_path, "SELECT t + d AS later, DATE '2020-01-01' + t AS at FROM source")
    assert rows == [(dt.time(0, 30), dt.datetime.fromisoformat("2020-01-01T23:30"))]


@pytest.mark.parametrize("dtype", [pl.Time, pl.Datetime("ns"), pl.Datetime("ns", "UTC"), pl.Duration("ns")])
def test_a_time_that_is_too_fine_is_refused_and_not_rounded(database, tmp_path, dtype):
    frame = pl.DataFrame({"at": pl.Series([1_000, 1_001], dtype=pl.Int64).cast(dtype)})
    with pytest.raises(errors.SqlModelError, match=r"source\.at has a time finer than a microsecond"):
        read(database, frame, tmp_path)


@pytest.mark.parametrize(
    "dtype", [pl.UInt128, pl.List(pl.Duration), pl.List(pl.Int128), pl.Struct({"a": pl.List(pl.Time)})], ids=str
)
def test_what_parquet_would_change_is_refused(database, tmp_path, dtype):
    with pytest.raises(errors.StorageError, match=r"source: a SQL model cannot read the dtype .* of its column at"):
        read(database, pl.DataFrame(schema={"at": dtype}), tmp_path)


def test_a_number_of_too_many_digits_is_refused(database, tmp_path):
    frame = pl.DataFrame({"n": pl.Series([2**127 - 1], dtype=pl.Int128)})
    with pytest.raises(errors.StorageError, match="source: its rows could not be written"):
        read(database, frame, tmp_path)


def test_a_frame_that_fails_is_named(database, tmp_path):
    frame = pl.LazyFrame({"n": ["x"]}).with_columns(pl.col("n").cast(pl.Int64))
    with pytest.raises(errors.StorageError, match="source: its rows could not be written"):
        stage("source", frame, tmp_path / "0.parquet")
