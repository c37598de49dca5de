"""One frame into the files of a run over several partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.errors import StorageError
from dagster_contracts.orchestration.internals import IS_QUARANTINE
from dagster_contracts.orchestration.storage.atomic import write_aside
from dagster_contracts.orchestration.storage.partition_split import predicates

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import dagster as dg
    from upath import UPath

    Frame = pl.DataFrame | pl.LazyFrame

QUARANTINE_SUFFIX = "_quarantine"


def write_range(
    context: dg.OutputContext, frame: Frame, folder: Path, paths: Mapping[str, UPath]
) -> list[tuple[Path, UPath]]:
    """Split one frame into the files of the run's partitions; a lazy frame is computed once."""
    partition_expr = context.definition_metadata.get("partition_expr")
    if partition_expr is None:
        raise StorageError(
            f"the run covers {len(paths)} partitions, and nothing says which rows belong to which. Set "
            '`metadata={"partition_expr": "<column>"}` on the asset, return a dict of frames by partition, or launch '
            "one run a partition. Nothing was written."
        )
    if isinstance(frame, pl.LazyFrame):
        frame = pl.scan_parquet(write_aside(frame, folder / "all"), glob=False, hive_partitioning=False)
    keeps_all = IS_QUARANTINE in context.definition_metadata or context.asset_key.path[-1].endswith(QUARANTINE_SUFFIX)
    belongs = predicates(
        list(paths),
        context.asset_partitions_def,
        partition_expr,
        frame.collect_schema(),
        first_takes_rest=keeps_all,
    )
    moves = [
        (write_aside(frame.filter(belongs[key]), folder / f"{at}"), path)
        for at, (key, path) in enumerate(paths.items())
    ]
    lost = _height(frame) - sum(_height(pl.scan_parquet(file, glob=False)) for file, _ in moves)
    if lost:
        raise StorageError(
            f"{lost} rows belong to no partition of the run, by `partition_expr` {partition_expr!r}. Nothing was "
            "written. Return only rows of the run's partitions, or correct `partition_expr`."
        )
    return moves


def _height(frame: Frame) -> int:
    return int(frame.lazy().select(pl.len()).collect(engine="streaming").item())
