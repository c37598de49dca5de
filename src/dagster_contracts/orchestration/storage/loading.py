"""Reading tables back, as what the annotation of an input asks for."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Union, cast, get_args, get_origin

import polars as pl
from polars.selectors import by_name

from dagster_contracts.errors import StorageError
from dagster_contracts.orchestration.storage.atomic import is_local

if TYPE_CHECKING:
    from collections.abc import Sequence

    from upath import UPath

    Frame = pl.DataFrame | pl.LazyFrame


CAN_PIN = sys.platform != "win32"
"""On Windows a file that is open cannot be replaced."""
MOST_PINNED = 128
"""A fan-in of more lazy partitions scans by path: each pinned one holds a file open, and a process has about 1000."""


class MissingFileError(StorageError, FileNotFoundError):
    """There is no file for what is to be loaded; a `FileNotFoundError` too, as `dg.UPathIOManager` expects."""


@dataclass(frozen=True)
class LoadAs:
    """What an input asks for.

    Args:
        lazy: Whether its frames are lazy.
        by_partition: Whether it is a dict with one frame a partition; `None` if the number of partitions decides.
        optional: Whether `None` will do where there is nothing to load.
    """

    lazy: bool = False
    by_partition: bool | None = None
    optional: bool = False


def load_as(annotation: Any) -> LoadAs | None:
    """What an annotation asks for, or `None` if it asks for something that is no Polars frame."""
    if annotation in (Any, object, None):
        return LoadAs(optional=True)
    origin = get_origin(annotation) or annotation
    if origin in (Union, types.UnionType):
        members = [load_as(member) for member in get_args(annotation) if member is not types.NoneType]
        return LoadAs(members[0].lazy, members[0].by_partition, optional=True) if members and members[0] else None
    if not isinstance(origin, type):
        return None
    if issubclass(origin, Mapping):
        values = load_as((get_args(annotation) or (Any, Any))[1])
        return LoadAs(values.lazy, by_partition=True) if values and not values.by_partition else None
    if issubclass(origin, pl.LazyFrame):
        return LoadAs(lazy=True, by_partition=False)
    return LoadAs(by_partition=False) if issubclass(origin, pl.DataFrame) else None


def read(path: UPath, wanted: LoadAs, columns: Sequence[str] | None, what: str, *, pin: bool = CAN_PIN) -> Frame:
    """Read one file; its footer is read now even for a lazy frame, so that a bad file fails here and not later.

    Args:
        path: The file.
        wanted: Eager or lazy.
        columns: The columns to read, or `None` for all.
        what: The table and partition, for messages.
        pin: Whether a lazy frame keeps reading this very file when it is replaced.

    Raises:
        MissingFileError: There is no such file.
        StorageError: It cannot be read as Parquet, or it lacks one of `columns`.
    """
    try:
        frame = _scan(path, pin=pin or (CAN_PIN and not wanted.lazy))
        found = frame.collect_schema().names()
        absent = [name for name in columns or () if name not in found]
        if columns is not None and not absent:
            frame = frame.select(by_name(*columns))
        result = frame if wanted.lazy or absent else frame.collect()
    except FileNotFoundError as error:
        raise MissingFileError(f"{what}: there is no file {path}. {_way_out(what)}") from error
    except Exception as error:
        raise StorageError(
            f"{what}: {path} cannot be read as Parquet ({type(error).__name__}). Look at the cause; if the file is "
            "damaged or not ours, materialize the table again, which replaces it."
        ) from error
    if absent:
        raise StorageError(
            f"{what}: the input's metadata asks for the columns {', '.join(absent)}, but {path} has only "
            f"{', '.join(found) or 'none'}. Correct `columns` on the input, or materialize the table anew."
        )
    return result


def concat(frames: Mapping[str, Frame], what: str) -> Frame:
    """The partitions below one another, in their order; lazy if they are lazy.

    Raises:
        StorageError: Two partitions have different columns.
    """
    schemas = {key: frame.collect_schema() for key, frame in frames.items()}
    (first, expected), *others = schemas.items()
    for key, schema in others:
        # A schema's equality is a dict's and knows no order; rows below one another need the same order.
        if list(schema.items()) != list(expected.items()):
            raise StorageError(
                f"{what}: the partitions `{first}` and `{key}` cannot be one frame, their columns differ: "
                f"{_difference(expected, schema)}. Materialize the older one again, or annotate the input "
                "`dict[str, pl.DataFrame]` to get them one by one."
            )
    return cast("Frame", pl.concat(cast("list[pl.LazyFrame]", list(frames.values())), how="vertical"))


def _difference(left: pl.Schema, right: pl.Schema) -> str:
    differing = [
        f"`{name}` is {left.get(name, 'absent')} and {right.get(name, 'absent')}"
        for name in {**left, **right}
        if left.get(name) != right.get(name)
    ]
    return ", ".join(differing) or f"the order is {', '.join(left)} and {', '.join(right)}"


def _scan(path: UPath, *, pin: bool) -> pl.LazyFrame:
    """Scan one file.

    Pinned, the frame keeps reading this very file when another writer replaces it; a scan by path reads the footer of
    the old file and the rows of the new one, which makes Polars panic. A pinned frame holds one open file and cannot be
    sent to another process. A file that is not local is pinned as an unnamed copy in the local temporary folder, which
    is gone with the last frame that reads it.
    """
    if is_local(path) and not pin:
        return pl.scan_parquet(path.path, glob=False, hive_partitioning=False)
    with path.open("rb") if is_local(path) else _copy(path) as handle:
        return pl.scan_parquet(handle, glob=False, hive_partitioning=False)


def _copy(path: UPath) -> IO[bytes]:
    with path.open("rb") as remote, contextlib.ExitStack() as on_error:
        copy = on_error.enter_context(tempfile.TemporaryFile())
        shutil.copyfileobj(remote, copy, length=1 << 20)
        copy.seek(0)
        on_error.pop_all()  # from here the caller closes it
        return copy


def _way_out(what: str) -> str:
    """What to do about a file that is not there."""
    if "_quarantine`" in what:
        return "No run of its asset has left invalid rows there."
    if ", partition `" in what:
        return (
            "Materialize the partition first. If it may have no data, let the input say so: "
            'dg.AssetIn(metadata={"allow_missing_partitions": True}).'
        )
    return "Materialize it first."
