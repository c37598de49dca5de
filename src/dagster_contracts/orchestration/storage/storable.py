"""What can be stored as Parquet, and a clear error for what cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from dagster_contracts.errors import StorageError
from dagster_contracts.frames.staged import is_unstorable

if TYPE_CHECKING:
    Frame = pl.DataFrame | pl.LazyFrame


def refuse_unstorable(obj: Any) -> None:
    """Check what an asset or op returned before any of it is written.

    Args:
        obj: A frame, or a mapping of frames by partition key.

    Raises:
        StorageError: It is no frame, or it has a column that Parquet cannot hold.
    """
    if obj is None:
        raise StorageError(
            "None was returned, so nothing was written and what was there before is still there. Return a frame (an "
            "empty one empties the table), or annotate the function `-> None` if it writes its own data."
        )
    for frame in obj.values() if isinstance(obj, Mapping) else [obj]:
        if not isinstance(frame, pl.DataFrame | pl.LazyFrame):
            raise StorageError(
                f"`{type(frame).__name__}` was returned, which is not stored as Parquet. Nothing was written. Return a "
                "`pl.DataFrame` or a `pl.LazyFrame`, or give the asset another `io_manager_key`."
            )
        for name, dtype in frame.collect_schema().items():
            if is_unstorable(dtype):
                raise StorageError(
                    f"Parquet cannot hold column `{name}` of dtype {dtype}. Nothing was written. Cast or drop it."
                )


def frames_by_key(frames: Mapping[Any, Frame], keys: list[str]) -> dict[str, Frame]:
    """The frames of a run's partitions, in the order of the partitions.

    Args:
        frames: What was returned.
        keys: The partitions of the run, in order.

    Raises:
        StorageError: A partition of the run has no frame, or a frame is of another partition.
    """
    missing = [key for key in keys if key not in frames]
    unknown = [str(key) for key in frames if key not in keys]
    if missing or unknown:
        raise StorageError(
            "the returned dict of frames does not have the partitions of the run: "
            f"missing {', '.join(missing) or 'none'}; not of this run {', '.join(unknown) or 'none'}. Nothing was "
            "written. Return one frame a partition; an empty one will do."
        )
    return {key: frames[key] for key in keys}
