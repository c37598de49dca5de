"""Lazy frames on their way to storage: where they are staged, and which IO managers take them as they are."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

import dagster as dg
import polars as pl

from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.failures import as_failures
from dagster_contracts.orchestration.settings import existing_temp_dir
from dagster_contracts.orchestration.storage.atomic import staging
from dagster_contracts.orchestration.storage.parquet import ParquetUPathIOManager

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dagster_contracts.orchestration.settings import Settings

TAKES_LAZY_FRAMES = "takes_lazy_frames"
"""An IO manager with this attribute set to `True` is given a `pl.LazyFrame` and sinks it before it returns."""


@contextmanager
def staging_folder(asset: dg.AssetKey, settings: Settings) -> Iterator[Path]:
    """A folder for what is too large to hold while a run is on, gone afterwards.

    It is in `temp_dir` if that is set; else beside the table where our own IO manager keeps it on a local disk, so that
    publishing is renaming; else in the system's temporary directory. What a killed run left is swept by the next one.
    """
    from upath import UPath  # noqa: PLC0415  (heavy)

    with as_failures():
        temp_dir = existing_temp_dir(settings, asset.to_user_string())
    context = internals.current_context()
    table = None
    if temp_dir is None and isinstance(context, dg.AssetExecutionContext) and context.assets_def.keys == {asset}:
        manager = internals.bound_io_manager(context)
        if isinstance(manager, ParquetUPathIOManager):
            table = manager.local_table(internals.output_context(context, asset))
    with staging(table or UPath(temp_dir or tempfile.gettempdir()) / asset.path[-1]) as folder:
        yield folder


def as_taken(frame: pl.DataFrame | pl.LazyFrame, manager: object) -> pl.DataFrame | pl.LazyFrame:
    """A frame as an IO manager takes it: lazy only where the manager sinks it before it returns.

    Others would keep the plan and not the rows, and the staged file behind it is gone after the run.
    """
    if isinstance(frame, pl.DataFrame) or getattr(manager, TAKES_LAZY_FRAMES, False) is True:
        return frame
    return frame.collect(engine="streaming")
