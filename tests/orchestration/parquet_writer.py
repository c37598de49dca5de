"""A process for the fault tests: writes one table again and again until it is killed, or once until it dies of itself.

`python parquet_writer.py <base_dir> loop <seed>` writes version after version, each a frame of rows that all carry its
number, as many as `rows_of(version)`. `… once <bytes>` writes one big frame and may make no file bigger than that.
"""

from __future__ import annotations

import itertools
import sys

import polars as pl
from upath import UPath

from dagster_contracts.errors import StorageError
from dagster_contracts.orchestration.storage.atomic import publish, staging, write_aside

KEY = ["shop", "orders"]


def rows_of(version: int) -> int:
    return (3, 400_000, 1, 50_000)[version % 4]


def frame_of(version: int) -> pl.LazyFrame:
    return pl.LazyFrame({"version": [version]}).select(
        pl.col("version").repeat_by(rows_of(version)).explode(), noise=pl.int_range(rows_of(version)).hash()
    )


def loop(base_dir: str, seed: int) -> None:
    """Nothing but the writing that `ParquetIOManager` does, so that nearly every kill hits it."""
    target = UPath(base_dir).joinpath(*KEY[:-1], f"{KEY[-1]}.parquet")
    for version in itertools.count(seed):
        frame = frame_of(version) if version % 3 else frame_of(version).collect()
        with staging(target) as folder:
            publish([(write_aside(frame, folder / "0"), target)])
        sys.stdout.write(f"{version}\n")
        sys.stdout.flush()


def once(base_dir: str, limit: int) -> None:
    import resource

    import dagster as dg

    from dagster_contracts.orchestration.storage.parquet import ParquetUPathIOManager

    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        context = dg.build_output_context(asset_key=dg.AssetKey(KEY))
        ParquetUPathIOManager(base_dir).handle_output(context, frame_of(1))
    except StorageError as error:
        sys.stdout.write(f"{error}\n{type(error.__cause__).__name__}\n")


if __name__ == "__main__":
    _, base_dir, mode, number = sys.argv
    {"loop": loop, "once": once}[mode](base_dir, int(number))
