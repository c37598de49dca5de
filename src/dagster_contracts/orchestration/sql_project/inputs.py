"""Assets that are no tables of the database, put where a model can read them: staged as Parquet files."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts import errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import dagster as dg


@contextmanager
def staged_inputs(
    keys: Mapping[str, dg.AssetKey], context: dg.AssetExecutionContext
) -> Iterator[dict[str, list[Path]]]:
    """Load assets through their IO managers, and keep each as a Parquet file until the block ends.

    Args:
        keys: The assets, by the names that the model calls them.
        context: The running step. A partition of an asset that is cut as this one is loaded alone, else all of them.

    Yields:
        The files, by name.

    Raises:
        StorageError: An IO manager gave something else than a frame.
    """
    with tempfile.TemporaryDirectory(prefix="dagster-contracts-") as folder:
        files = {}
        for number, (name, key) in enumerate(keys.items()):
            file = Path(folder) / f"{number}.parquet"
            _frame(name, key, context).sink_parquet(file, engine="streaming")
            files[name] = [file]
        yield files


def _frame(name: str, key: dg.AssetKey, context: dg.AssetExecutionContext) -> pl.LazyFrame:
    partition = context.partition_key if context.has_partition_key and _is_cut_alike(key, context) else None
    found = context.load_asset_value(key, python_type=pl.LazyFrame, partition_key=partition)
    if isinstance(found, dict):
        found = pl.concat([part.lazy() for part in found.values()])
    if not isinstance(found, pl.DataFrame | pl.LazyFrame):
        raise errors.StorageError(
            f"{name}: the IO manager of {key.to_user_string()} gave {type(found).__name__}; a SQL model reads a Polars "
            "frame, or a table of its database: leave load out for that."
        )
    return found.lazy()


def _is_cut_alike(key: dg.AssetKey, context: dg.AssetExecutionContext) -> bool:
    """Whether an asset has the same partitions as the one that is running."""
    graph = context.job_def.asset_layer.asset_graph
    own = context.assets_def.partitions_def
    return own is not None and graph.has(key) and graph.get(key).partitions_def == own
