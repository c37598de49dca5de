"""Frames that come one after another, held in memory while they are small and in Parquet files once they are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
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
        """Everything in one frame: in memory if it fits there, else a scan of the files; `None` if nothing came."""
        if not self._files:
            return pl.concat(self._frames, how="diagonal_relaxed") if self._frames else None
        if self._frames:
            self._write()
        schemas = {tuple(pl.read_parquet_schema(file).items()) for file in self._files}
        if len(schemas) == 1:
            return pl.scan_parquet(self._files, glob=False)
        return pl.concat([pl.scan_parquet(file, glob=False) for file in self._files], how="diagonal_relaxed")

    def _write(self) -> None:
        folder = self._open_folder()
        file = folder / f"{self._name}-{len(self._files):06}.parquet"
        try:
            rows = pl.concat(self._frames, how="diagonal_relaxed")
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
