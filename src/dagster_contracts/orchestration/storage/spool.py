"""Frames that come one after another, held in memory while they are small and in Parquet files once they are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.errors import SchemaError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

_GROUP_BYTES = 8 << 20


class Spool:
    """Frames in the order they came in.

    Args:
        open_folder: Gives the folder for the files, which must outlive what `result` gives. Only called if there are
            too many bytes to hold.
        name: What the files are called.
        held: How many bytes are held in memory.
    """

    def __init__(self, open_folder: Callable[[], Path], name: str, held: int) -> None:
        self._open_folder, self._name, self._most = open_folder, name, held
        self._frames: list[pl.DataFrame] = []
        self._bytes = 0
        self._files: list[Path] = []
        self.height = 0

    def append(self, frame: pl.DataFrame) -> None:
        """Take a frame, and write the ones that are held once they are too large.

        Raises:
            StorageError: They cannot be written.
        """
        self._frames.append(frame)
        self._bytes += int(frame.estimated_size())
        self.height += frame.height
        if self._bytes >= self._most:
            self._write()

    def result(self) -> pl.DataFrame | pl.LazyFrame | None:
        """Everything in one frame: in memory if it fits there, else a scan of the files; `None` if nothing came.

        Raises:
            SchemaError: A column changes its type on the way, and not just from one kind of number to another.
        """
        if not self._files:
            return _joined(self._frames) if self._frames else None
        if self._frames:
            self._write()
        schemas = [pl.read_parquet_schema(file) for file in self._files]
        if all(list(schema.items()) == list(schemas[0].items()) for schema in schemas):
            return pl.scan_parquet(self._files, glob=False)
        _refuse_other_types(schemas)
        return pl.concat([pl.scan_parquet(file, glob=False) for file in self._files], how="diagonal_relaxed")

    def _write(self) -> None:
        folder = self._open_folder()
        file = folder / f"{self._name}-{len(self._files):06}.parquet"
        try:
            rows = _joined(self._frames)
            # Who scans the file holds some row groups at a time.
            group = max(1, rows.height * _GROUP_BYTES // max(self._bytes, 1))
            rows.write_parquet(file, compression="lz4", statistics=False, row_group_size=group)
        except OSError as error:
            raise StorageError(
                f"rows could not be kept in {folder}: {error.strerror or error}. Nothing was written to the table. "
                "Make room there, or set temp_dir= to a folder that has some, then run it again."
            ) from error
        self._files.append(file)
        self._frames, self._bytes = [], 0


def _joined(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    _refuse_other_types([frame.schema for frame in frames])
    return pl.concat(frames, how="diagonal_relaxed")


def _refuse_other_types(schemas: Iterable[Mapping[str, pl.DataType]]) -> None:
    """Refuse what Polars would join by turning truth values into numbers, or anything into text."""
    seen: dict[str, pl.DataType] = {}
    for schema in schemas:
        for name, dtype in schema.items():
            before = seen.setdefault(name, dtype)
            if before == pl.Null():
                seen[name] = dtype
            elif dtype not in {before, pl.Null()} and not (dtype.is_numeric() and before.is_numeric()):
                raise SchemaError(
                    f"the column {name!r} is {before} in some batches and {dtype} in others, and one column cannot "
                    "keep both. Declare what it is, or drop undeclared columns. Nothing was written."
                )
