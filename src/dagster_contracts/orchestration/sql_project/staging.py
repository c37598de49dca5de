"""A Polars frame as a Parquet file whose columns DuckDB reads with the types that models are checked with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts import errors
from dagster_contracts.orchestration.sql_project.quoting import literal, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_ENCODED = (pl.Int128, pl.UInt128, pl.Duration, pl.Time, pl.Object)
"""Parquet has no type for them that DuckDB reads as what they are."""


@dataclass(frozen=True)
class StagedFile:
    """A Parquet file that stands for a table.

    Args:
        path: The file.
        read_as: SQL expressions for the columns that DuckDB would read as something else.
    """

    path: Path
    read_as: Mapping[str, str] = field(default_factory=dict)


def stage(name: str, frame: pl.LazyFrame, path: Path) -> StagedFile:
    """Write a frame's rows to a file, without holding all of them.

    Args:
        name: What the model calls the table.
        frame: The rows.
        path: The file.

    Raises:
        StorageError: A column has a dtype that DuckDB cannot read, or the rows cannot be read or written.
    """
    try:
        schema = frame.collect_schema()
        _refuse(name, schema)
        frame.with_columns(_storable(column, dtype) for column, dtype in schema.items()).sink_parquet(
            path, engine="streaming"
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise errors.StorageError(
            f"{name}: its rows could not be written to {path}, where the model reads them, and nothing was written to "
            f"the database. {type(error).__name__}: {error}"
        ) from error
    expressions = {column: _read_as(name, column, dtype) for column, dtype in schema.items()}
    return StagedFile(path, {column: found for column, found in expressions.items() if found is not None})


def _refuse(name: str, schema: pl.Schema) -> None:
    """Parquet holds some dtypes as bytes or bare numbers, which a query would take for values."""
    for column, dtype in schema.items():
        inside = _inside(dtype)
        if isinstance(dtype, pl.UInt128 | pl.Object) or any(isinstance(one, _ENCODED) for one in inside):
            raise errors.StorageError(
                f"{name}: a SQL model cannot read the dtype {dtype} of its column {column}. Cast the column in the "
                "asset that returns it."
            )


def _inside(dtype: pl.DataType) -> list[pl.DataType]:
    """Every dtype inside a nested one."""
    if isinstance(dtype, pl.List | pl.Array):
        inner = [dtype.inner if isinstance(dtype.inner, pl.DataType) else dtype.inner()]
    elif isinstance(dtype, pl.Struct):
        inner = [one.dtype if isinstance(one.dtype, pl.DataType) else one.dtype() for one in dtype.fields]
    else:
        return []
    return [*inner, *(deeper for one in inner for deeper in _inside(one))]


def _storable(column: str, dtype: pl.DataType) -> pl.Expr:
    """A column as Parquet has it: moments as numbers of nanoseconds, as DuckDB's types for those know few functions."""
    found = pl.col(column)
    match dtype:
        case pl.Int128():
            return found.cast(pl.Decimal(38, 0))
        case pl.Duration():
            return found.dt.total_nanoseconds()
        case pl.Time() | pl.Datetime(time_unit="ns"):
            return found.cast(pl.Int64)
    return found


def _read_as(table: str, column: str, dtype: pl.DataType) -> str | None:
    """How DuckDB gets the column back; `None` where it does by itself."""
    name = quoted(column)
    micros = f"({name} // 1000)"
    match dtype:
        case pl.Int128():
            return f"CAST({name} AS HUGEINT)"
        case pl.Duration():
            found = f"to_microseconds{micros}"
        case pl.Time():
            found = f"CAST(TIME '00:00:00' + to_microseconds{micros} AS TIME)"
        case pl.Datetime(time_unit="ns", time_zone=None):
            found = f"make_timestamp{micros}"
        case pl.Datetime(time_unit="ns"):
            found = f"make_timestamptz{micros}"
        case _:
            return None
    why = f"{table}.{column} has a time finer than a microsecond, which DuckDB's types cannot hold; round it."
    return f"CASE WHEN {name} % 1000 = 0 OR {name} IS NULL THEN {found} ELSE error({literal(why)}) END"
