"""Read what SQL models wrote, for the Polars assets downstream of them."""

from __future__ import annotations

from typing import Any

import dagster as dg
import duckdb
import polars as pl

from dagster_contracts import errors
from dagster_contracts.contract.type_polars import to_polars
from dagster_contracts.contract.types import Type
from dagster_contracts.orchestration.failures import raise_as_failure
from dagster_contracts.orchestration.sql_project.database import Database
from dagster_contracts.orchestration.sql_project.quoting import quoted
from dagster_contracts.sql.dialect_types import spelled_type

TABLE = "contract/sql_table"
"""Definition metadata of a model's asset: the name of its table."""


class SqlTables(dg.ConfigurableIOManager):
    """Loads the tables of a DuckDB file as Polars frames.

    Args:
        database: The DuckDB file.
        wait_seconds: How long to wait while another process has it open.
    """

    database: str
    wait_seconds: float = 300.0

    def handle_output(self, context: dg.OutputContext, obj: object) -> None:
        """Refuse: a model's table is written by the model."""
        raise_as_failure(
            errors.StorageError(
                f"{context.asset_key.to_user_string()}: a SQL model writes its table itself, so there is no place for "
                f"the {type(obj).__name__} that was returned. Bind this asset to another IO manager."
            )
        )

    def load_input(self, context: dg.InputContext) -> pl.DataFrame | pl.LazyFrame:
        """A model's table as a `pl.DataFrame`, or as a `pl.LazyFrame` of one where the annotation is no frame."""
        asset = context.asset_key
        upstream: Any = context.upstream_output
        table = ((upstream.definition_metadata if upstream else None) or {}).get(TABLE, asset.path[-1])
        try:
            with Database(self.database, self.wait_seconds).connect() as connection:
                connection.execute("SET TimeZone = 'UTC'")
                found = connection.sql(f"SELECT * FROM main.{quoted(str(table))}")
                _refuse_intervals(str(table), found)
                frame = _canonical(str(table), pl.DataFrame(found), found)
        except duckdb.CatalogException:
            raise_as_failure(
                errors.StorageError(
                    f"{self.database} has no table {table!r}: materialize {asset.to_user_string()} first."
                )
            )
        except errors.ContractsError as error:
            raise_as_failure(error)
        return frame if context.dagster_type.typing_type is pl.DataFrame else frame.lazy()


def _refuse_intervals(table: str, found: duckdb.DuckDBPyRelation) -> None:
    """Polars has no dtype for DuckDB's months, days and microseconds in one."""
    intervals = [name for name, kind in zip(found.columns, found.types, strict=True) if "INTERVAL" in str(kind)]
    if intervals:
        raise errors.StorageError(
            f"Polars has no dtype for the INTERVAL column {', '.join(intervals)} of {table}. Let the model return a "
            "number of seconds or days instead, such as date_diff('second', a, b)."
        )


def _canonical(table: str, frame: pl.DataFrame, found: duckdb.DuckDBPyRelation) -> pl.DataFrame:
    """The frame in the dtypes that the types of its columns stand for: text for an ENUM, microseconds for every time.

    Raises:
        StorageError: A value has no place in its dtype.
    """
    casts = {}
    for name, kind in zip(found.columns, found.types, strict=True):
        type_ = _type(str(kind))
        if type_ is not None and to_polars(type_) != frame.schema[name]:
            casts[name] = to_polars(type_)
    for name, dtype in casts.items():
        column = frame[name].cast(dtype)
        if not column.cast(frame.schema[name]).equals(frame[name]):
            raise errors.StorageError(
                f"{name} of {table} is {frame.schema[name]} and has values that {dtype} cannot hold. Cast it in the "
                "model, such as CAST(at AS TIMESTAMP)."
            )
        frame = frame.with_columns(column)
    return frame


def _type(kind: str) -> Type | None:
    """The type of a column, where the vocabulary has one that says what is inside."""
    try:
        found = spelled_type(kind, "duckdb")
        to_polars(found or Type("Array"))
    except errors.UnknownTypeError:
        return None
    return found
