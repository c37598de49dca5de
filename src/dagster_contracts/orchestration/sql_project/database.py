"""The DuckDB file that a project's models live in: one writer at a time, each table replaced whole or not at all.

DuckDB lets one process at a time open a file for writing. A second process waits for it here, and says whom it waited
for when it gives up; threads of one process take turns.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import duckdb

from dagster_contracts import errors

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_PAUSE, LONGEST_PAUSE = 0.02, 1.0
"""Seconds between two tries to open a file that another process has open."""

_turns: dict[str, Lock] = {}
_turns_lock = Lock()


@dataclass(frozen=True)
class Database:
    """A DuckDB file.

    Args:
        path: The file; its folder is made when it is first opened.
        wait_seconds: How long to wait while another process has it open.
    """

    path: str
    wait_seconds: float = 300.0

    @contextmanager
    def connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection that no other thread or process has at the same time.

        Raises:
            StorageError: Another process kept the file open, or it is no DuckDB file, or it cannot be made.
        """
        file = Path(self.path).resolve()
        deadline = time.monotonic() + self.wait_seconds
        with _turn(str(file), self.path, self.wait_seconds):
            connection = _open(file, deadline, self.wait_seconds)
            try:
                yield connection
            finally:
                connection.close()

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection whose changes are kept all together when the block ends, or not at all.

        Raises:
            StorageError: As `connect`.
        """
        with self.connect() as connection:
            connection.begin()
            try:
                yield connection
            except BaseException:
                with suppress(duckdb.Error):  # DuckDB has rolled back by itself what it aborted
                    connection.rollback()
                raise
            connection.commit()


@contextmanager
def _turn(key: str, path: str, seconds: float) -> Iterator[None]:
    """Hold a file among the threads of this process."""
    with _turns_lock:
        lock = _turns.setdefault(key, Lock())
    if not lock.acquire(timeout=seconds):
        raise errors.StorageError(
            f"{path} was busy for {seconds:g} seconds: another thread of this process has it open. Nothing was written."
        )
    try:
        yield
    finally:
        lock.release()


def _open(file: Path, deadline: float, seconds: float) -> duckdb.DuckDBPyConnection:
    """Open a file, as often as it takes while another process has it."""
    pause = FIRST_PAUSE
    while True:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            return duckdb.connect(str(file))
        except duckdb.IOException as error:
            if "lock" not in str(error).lower():
                raise errors.StorageError(f"DuckDB cannot open {file}: {error}") from error
            if time.monotonic() >= deadline:
                raise errors.StorageError(
                    f"{file} was busy for {seconds:g} seconds: another process has it open. Nothing was written. "
                    f"Run again when it is done, or put the models' runs into one pool. DuckDB says: {error}"
                ) from error
        except (OSError, duckdb.Error) as error:
            raise errors.StorageError(f"DuckDB cannot open {file}: {error}") from error
        time.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        pause = min(2 * pause, LONGEST_PAUSE)
