"""`ParquetIOManager`: tables as Parquet files that are always whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import dagster as dg
from pydantic import Field

from dagster_contracts.errors import ContractsError, StorageError
from dagster_contracts.orchestration.failures import raise_as_failure
from dagster_contracts.orchestration.storage import layout
from dagster_contracts.orchestration.storage.atomic import is_local, publish, staging, write_aside
from dagster_contracts.orchestration.storage.loading import (
    CAN_PIN,
    MOST_PINNED,
    LoadAs,
    MissingFileError,
    concat,
    load_as,
    read,
)
from dagster_contracts.orchestration.storage.partition_split import in_order
from dagster_contracts.orchestration.storage.range_write import write_range
from dagster_contracts.orchestration.storage.storable import frames_by_key, refuse_unstorable

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl
    from upath import UPath

    Context = dg.InputContext | dg.OutputContext
    Frame = pl.DataFrame | pl.LazyFrame


class ParquetIOManager(dg.ConfigurableIOManagerFactory["ParquetUPathIOManager"]):
    """Keeps every table in Parquet files below one folder, on a local disk or in object storage.

    `<base_dir>/<key parts>.parquet`; with partitions `<base_dir>/<key parts>/<partition>.parquet`; with several
    dimensions one folder a dimension, in the order of their names. A file is written aside and then renamed, so a
    reader, a crash or a second writer meets the old table or the new one and never a part of one.

    * **Writes** a `pl.DataFrame`, or a `pl.LazyFrame`, which is sunk on the streaming engine and never collected.
    * **Loads** what the input is annotated with: `pl.DataFrame`, `pl.LazyFrame`, or a dict of either with one frame a
      partition. Several partitions into one frame are concatenated in partition order. A lazy frame keeps reading the
      file it was loaded from when another run replaces it. Input metadata: `columns` (a list) reads only these,
      `allow_missing_partitions` skips partitions without a file.
    * **A run over a range of partitions** returns one frame, which is split by the column that the asset's metadata
      names as `partition_expr` (for several dimensions a dict from dimension to column), or a dict of frames by
      partition. All files are complete before the first replaces an old one.

    In object storage a file is uploaded whole and then moved; what is loaded from there goes through an unnamed file in
    the local temporary folder.

    Args:
        base_dir: The folder, or a URL that `universal_pathlib` knows.
        storage_options: What the file system of a URL needs, as `fsspec` names it; not used for a local folder.

    Example:
        ```python
        import dagster as dg
        import dagster_contracts as dc

        defs = dg.Definitions(resources={"io_manager": dc.ParquetIOManager(base_dir="data")})
        ```
    """

    base_dir: str = Field(description="The folder or URL below which every table is kept.")
    storage_options: dict[str, Any] | None = Field(
        default=None, description="What the file system of a URL needs, as fsspec names it."
    )

    def create_io_manager(self, context: dg.InitResourceContext) -> ParquetUPathIOManager:  # noqa: ARG002
        """The manager that a run uses."""
        return ParquetUPathIOManager(self.base_dir, self.storage_options)


class ParquetUPathIOManager(dg.UPathIOManager):
    """What `ParquetIOManager` is in a run, where its configuration is known.

    Args:
        base_dir: The folder or URL below which every table is kept; a relative folder is below the working directory.
        storage_options: What the file system of a URL needs.

    Raises:
        StorageError: `base_dir` is empty.
    """

    extension = layout.EXTENSION

    def __init__(self, base_dir: str, storage_options: Mapping[str, Any] | None = None) -> None:
        if not base_dir.strip():
            raise StorageError("ParquetIOManager: `base_dir` is empty. Set it to a folder or a URL.")
        from upath import UPath  # noqa: PLC0415  (heavy)

        base = UPath(base_dir, **(storage_options or {}))
        if is_local(base):
            base = UPath(os.path.abspath(os.path.expanduser(base.path)))  # noqa: PTH100, PTH111  (a UPath, not a Path)
        super().__init__(base_path=base)

    takes_lazy_frames = True

    def local_table(self, context: dg.OutputContext) -> UPath | None:
        """Where a table or a partition of it is kept, without the extension, if that is on a local disk."""
        table = self._get_path_without_extension(context)
        return table if is_local(table) else None

    @property
    def storage_options(self) -> dict[str, Any]:
        """What the file system was configured with; empty for a local folder."""
        return dict(self._base_path.storage_options)

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        """Write what an asset or op returned; see `ParquetIOManager`.

        Raises:
            StorageError: Nothing was written, and what was there before is as it was. Only if the file system fails
                while the files of several partitions are renamed, some of them are new; each is whole.
        """
        what = _what(context)
        table = self._get_path_without_extension(context)
        moves: list[tuple[Path, UPath]] = []
        try:
            refuse_unstorable(obj)
            context.log.debug(self.get_writing_output_log_message(table))
            with staging(table) as folder:
                moves = self._write_all(context, obj, folder)
                publish(moves)
        except StorageError as error:  # what was returned cannot be stored, so another try cannot either
            raise_as_failure(StorageError(f"{what}: {error}"))
        except ContractsError:
            raise
        except Exception as error:
            raise StorageError(f"{what} was not written to {table}: {_cause(error, len(moves))}") from error
        # An asset may have its own metadata of that name, and Dagster takes no second.
        if "path" not in context.output_metadata:
            context.add_output_metadata({"path": dg.MetadataValue.path(str(self._address(context)))})

    def load_input(self, context: dg.InputContext) -> Any:
        """Load what an input asks for; see `ParquetIOManager`.

        Raises:
            StorageError: There is no file, or it cannot be what the input asks for.
        """
        wanted = _wanted(context)
        if not _is_partitioned(context):
            if wanted.by_partition:
                raise StorageError(
                    f"{_what(context)} has no partitions, but the input wants a dict of them. Annotate it "
                    "`pl.DataFrame` or `pl.LazyFrame`."
                )
            return self.load_from_path(context, self._get_path(context))
        paths = self._get_paths_for_partitions(context)
        pin = CAN_PIN and len(paths) <= MOST_PINNED
        loaded = {key: self._load_one(context, key, path, pin=pin) for key, path in paths.items()}
        frames = {key: frame for key, frame in loaded.items() if frame is not None}
        by_partition = len(paths) > 1 if wanted.by_partition is None else wanted.by_partition
        if by_partition:
            return frames
        if frames:
            return concat(frames, _what(context))
        if wanted.optional:
            return None
        raise StorageError(
            f"{_what(context)}: there is no partition to load, so there is no frame. Materialize one first, or "
            "annotate the input as a dict of frames, which may be empty."
        )

    def dump_to_path(self, context: dg.OutputContext, obj: Any, path: UPath) -> None:  # noqa: ARG002
        """Write one frame to one path, whole or not at all."""
        with staging(path) as folder:
            publish([(write_aside(obj, folder / "0"), path)])

    def load_from_path(self, context: dg.InputContext, path: UPath) -> Frame:
        """Read one path, eager or lazy as the input asks for."""
        columns = (context.definition_metadata or {}).get("columns")
        return read(path, _wanted(context), columns, _what(context))

    def _write_all(self, context: dg.OutputContext, obj: Any, folder: Path) -> list[tuple[Path, UPath]]:
        """Write every file of an output aside; nothing is in its place yet."""
        if not _is_partitioned(context):
            if isinstance(obj, Mapping):
                raise StorageError("a dict of frames was returned, but the asset has no partitions. Return one frame.")
            return [(write_aside(obj, folder / "0"), self._get_path(context))]
        paths = self._get_paths_for_partitions(context)
        if isinstance(obj, Mapping):
            frames = frames_by_key(obj, list(paths))
            return [
                (write_aside(frame, folder / f"{at}"), paths[key]) for at, (key, frame) in enumerate(frames.items())
            ]
        if len(paths) == 1:
            return [(write_aside(obj, folder / "0"), path) for path in paths.values()]
        return write_range(context, obj, folder, paths)

    def _load_one(self, context: dg.InputContext, key: str, path: UPath, *, pin: bool) -> Frame | None:
        """One partition, or `None` if it has no file and the input allows that."""
        try:
            columns = (context.definition_metadata or {}).get("columns")
            return read(path, _wanted(context), columns, _what(context, key), pin=pin)
        except MissingFileError:
            if not (context.definition_metadata or {}).get("allow_missing_partitions", False):
                raise
            context.log.warning(self.get_missing_partition_log_message(key))
            return None

    def _address(self, context: dg.OutputContext) -> UPath:
        """Where the output is: its file, or the folder of the files of a run over several partitions."""
        if not _is_partitioned(context):
            return self._get_path(context)
        paths = list(self._get_paths_for_partitions(context).values())
        return paths[0] if len(paths) == 1 else self._get_path_without_extension(context)

    def _get_path_without_extension(self, context: Context) -> UPath:
        parts = context.asset_key.path if context.has_asset_key else context.get_identifier()
        return self._base_path.joinpath(*layout.safe_parts(parts))

    def _get_paths_for_partitions(self, context: Context) -> dict[str, UPath]:
        table = self._get_path_without_extension(context)
        return {
            key: self._with_extension(table.joinpath(*layout.safe_parts((), key))) for key in _partition_keys(context)
        }

    def _with_extension(self, path: UPath) -> UPath:
        return path.with_name(f"{path.name}{self.extension}")


def _wanted(context: dg.InputContext) -> LoadAs:
    annotation = context.dagster_type.typing_type
    wanted = load_as(annotation)
    if wanted is None:
        raise StorageError(
            f"{_what(context)} is loaded as Polars frames, but the input is annotated `{annotation}`. Annotate it "
            "`pl.DataFrame`, `pl.LazyFrame` or a dict of them, or give the upstream asset another `io_manager_key`."
        )
    return wanted


def _is_partitioned(context: Context) -> bool:
    return context.has_asset_key and context.has_asset_partitions


def _partition_keys(context: Context) -> list[str]:
    keys = context.asset_partition_keys
    if len(keys) <= 1:
        return list(keys)
    instance = None
    with contextlib.suppress(dg.DagsterInvariantViolationError):  # a context that was built outside a run has none
        instance = context.instance if isinstance(context, dg.InputContext) else context.step_context.instance
    return in_order(keys, context.asset_partitions_def, instance)


def _what(context: Context, partition_key: str | None = None) -> str:
    """The table, and its partitions if they are few enough to name, as a message begins."""
    if not context.has_asset_key:
        return f"Output `{'/'.join(context.get_identifier())}`"
    keys = (
        [partition_key] if partition_key is not None else _partition_keys(context) if _is_partitioned(context) else []
    )
    partition = f", partition `{keys[0]}`" if len(keys) == 1 else f", {len(keys)} partitions" if keys else ""
    return f"Asset `{context.asset_key.to_user_string()}`{partition}"


def _cause(error: Exception, complete: int) -> str:
    """What stopped a write, and what to do. The text of a Polars error may have values of the data, so it stays out."""
    kept = "Each partition is its old or its new version" if complete > 1 else "What was there before is as it was"
    if isinstance(error, OSError):
        return f"{error.strerror or error}. {kept}. Make room or correct the folder's permissions, then run it again."
    return f"computing or writing the frame failed ({type(error).__name__}). {kept}. Look at the cause and correct it."
