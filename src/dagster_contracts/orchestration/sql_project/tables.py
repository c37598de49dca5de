"""Read what SQL models wrote, for the Polars assets downstream of them."""

from __future__ import annotations

from typing import Any

import dagster as dg
import duckdb
import polars as pl

from dagster_contracts import errors
from dagster_contracts.orchestration.failures import raise_as_failure
from dagster_contracts.orchestration.sql_project.database import Database
from dagster_contracts.orchestration.sql_project.execution import quoted

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
                frame = pl.DataFrame(found)
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
