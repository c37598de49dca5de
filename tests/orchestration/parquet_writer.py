"""A process for the fault tests: writes one table again and again until it is killed, or once until it dies of itself.

`python parquet_writer.py <base_dir> loop <seed>` writes version after version, each a frame of rows that all carry its
number, as many as `rows_of(version)`. `… once <bytes>` writes one big frame and may make no file bigger than that.
"""

from __future__ import annotations

import itertools
import sys

import dagster as dg
import polars as pl

from dagster_contracts.errors import StorageError
from dagster_contracts.orchestration.parquet import ParquetUPathIOManager

KEY = ["shop", "orders"]


def rows_of(version: int) -> int:
    return (3, 400_000, 1, 50_000)[version % 4]


def frame_of(version: int) -> pl.LazyFrame:
    return pl.LazyFrame({"version": [version]}).select(
        pl.col("version").repeat_by(rows_of(version)).explode(), noise=pl.int_range(rows_of(version)).hash()
    )


def write(manager: ParquetUPathIOManager, frame: pl.DataFrame | pl.LazyFrame) -> None:
    manager.handle_output(dg.build_output_context(asset_key=dg.AssetKey(KEY)), frame)


def loop(base_dir: str, seed: int) -> None:
    manager = ParquetUPathIOManager(base_dir)
    for version in itertools.count(seed):
        write(manager, frame_of(version) if version % 3 else frame_of(version).collect())
        sys.stdout.write(f"{version}\n")
        sys.stdout.flush()


def once(base_dir: str, limit: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        write(ParquetUPathIOManager(base_dir), frame_of(1))
    except StorageError as error:
        sys.stdout.write(f"{error}\n{type(error.__cause__).__name__}\n")


if __name__ == "__main__":
    _, base_dir, mode, number = sys.argv
    {"loop": loop, "once": once}[mode](base_dir, int(number))
