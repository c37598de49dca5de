"""Assets that are no tables of the database, put where a model can read them: staged as Parquet files."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg
import polars as pl

from dagster_contracts import errors
from dagster_contracts.orchestration.sql_project.staging import StagedFile, stage
from dagster_contracts.orchestration.storage.loading import concat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True)
class LoadedSource:
    """A table that a model reads, and that an IO manager loads.

    Args:
        key: Its asset.
        allow_missing_partitions: Whether partitions without data are left out.
    """

    key: dg.AssetKey
    allow_missing_partitions: bool = False


@contextmanager
def staged_inputs(
    sources: Mapping[str, LoadedSource], context: dg.AssetExecutionContext
) -> Iterator[dict[str, StagedFile]]:
    """Load assets through their IO managers, and keep each as a Parquet file until the block ends.

    Args:
        sources: The assets, by the names that the model calls them.
        context: The running step. Its partition mapping says which partitions of an asset are loaded: those of the
            same time where both are cut by time, and all of them where the model is not cut.

    Yields:
        The files, by name.

    Raises:
        StorageError: An asset cannot be loaded, there is no partition to load, or a frame cannot be staged.
    """
    with tempfile.TemporaryDirectory(prefix="dagster-contracts-") as folder:
        yield {
            name: stage(name, _frame(name, source, context), Path(folder) / f"{number}.parquet")
            for number, (name, source) in enumerate(sources.items())
        }


def _frame(name: str, source: LoadedSource, context: dg.AssetExecutionContext) -> pl.LazyFrame:
    """One asset, its partitions below one another."""
    key, graph = source.key.to_user_string(), context.job_def.asset_layer.asset_graph
    if not graph.has(source.key):
        raise errors.StorageError(f"{name}: there is no asset {key} to load. {_WAY_OUT}")
    node = graph.get(source.key)
    with dg.AssetValueLoader({source.key: node.assets_def}, instance=context.instance) as loader:
        try:
            if node.partitions_def is None:
                return _lazy(name, source.key, loader.load_asset_value(source.key, python_type=pl.LazyFrame))
            parts = _partitions(name, source, context, loader)
        except errors.ContractsError:
            raise
        except Exception as error:
            raise errors.StorageError(
                f"{name}: the IO manager of {key} could not load it, and nothing was written. "
                f"{type(error).__name__}: {error}. {_WAY_OUT}"
            ) from error
    if not parts:
        raise errors.StorageError(
            f"{name}: none of the partitions of {key} that the run needs has data. Materialize one."
        )
    return concat(parts, f"`{key}`").lazy()


_WAY_OUT = "Materialize it first, correct its key under sources, or leave load out if it is a table of the database."


def _partitions(
    name: str, source: LoadedSource, context: dg.AssetExecutionContext, loader: dg.AssetValueLoader
) -> dict[str, pl.LazyFrame]:
    """The partitions that the run needs, by key."""
    metadata = {"allow_missing_partitions": True} if source.allow_missing_partitions else None
    parts: dict[str, pl.LazyFrame] = {}
    for first, last in _ranges(source.key, context):
        found: Any = loader.load_asset_value(
            source.key,
            python_type=pl.LazyFrame if first == last else dict[str, pl.LazyFrame],
            partition_key_range=dg.PartitionKeyRange(first, last),
            input_definition_metadata=metadata,
        )
        by_key = found if isinstance(found, dict) else {first: found}
        parts |= {key: _lazy(name, source.key, part) for key, part in by_key.items() if part is not None}
    return parts


def _ranges(key: dg.AssetKey, context: dg.AssetExecutionContext) -> Sequence[tuple[str, str]]:
    """The partitions that the run needs of an asset, as few ranges."""
    (name,) = (name for name, known in context.assets_def.keys_by_input_name.items() if known == key)
    definition = context.asset_partitions_def_for_input(name)
    needed = set(context.asset_partition_keys_for_input(name))
    is_line = not isinstance(definition, dg.MultiPartitionsDefinition)  # a range of those is a rectangle
    ranges: list[tuple[str, str]] = []
    previous = None
    for one in definition.get_partition_keys(dynamic_partitions_store=context.instance):
        if one in needed:
            ranges.append((ranges.pop()[0], one) if is_line and previous in needed else (one, one))
        previous = one
    return ranges


def _lazy(name: str, key: dg.AssetKey, found: object) -> pl.LazyFrame:
    if not isinstance(found, pl.DataFrame | pl.LazyFrame):
        raise errors.StorageError(
            f"{name}: the IO manager of {key.to_user_string()} gave {type(found).__name__}; a SQL model reads a Polars "
            "frame, or a table of its database: leave load out for that."
        )
    return found.lazy()
