"""How far a long split of a lazy frame is."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

EVERY_SECONDS = 10.0


@dataclass(frozen=True)
class Progress:
    """How far a split is.

    Args:
        rows_read: How many rows were read.
        seconds: The time that took.
        invalid: How many of them are invalid; `None` while a plan that must run once is only written down.
    """

    rows_read: int
    seconds: float
    invalid: int | None

    def __str__(self) -> str:
        rate = f"{self.rows_read / self.seconds:,.0f} rows a second" if self.seconds else "at once"
        found = "not checked yet" if self.invalid is None else f"{self.invalid:,} rows invalid so far"
        return f"{self.rows_read:,} rows read, {rate}, {found}"


class Odometer:
    """Counts the batches of one pass over the rows and tells how far it is, at most every ten seconds.

    Args:
        tell: Called with each `Progress`, from a thread of Polars.
        checks: Whether the pass knows which rows are invalid.
    """

    def __init__(self, tell: Callable[[Progress], None], *, checks: bool) -> None:
        self._tell = tell
        self._rows, self._invalid, self._checks = 0, 0, checks
        self._start = self._told = time.monotonic()
        self._lock = threading.Lock()

    def passing(self, batch: pl.DataFrame) -> pl.DataFrame:
        """Count the rows of a batch on its way."""
        self._count(batch.height, 0)
        return batch

    def checked(self, is_valid: pl.DataFrame) -> None:
        """Count the rows of a batch of which the only column says whether each is valid."""
        self._count(is_valid.height, is_valid.height - int(is_valid.to_series().sum()))

    def _count(self, rows: int, invalid: int) -> None:
        with self._lock:
            self._rows += rows
            self._invalid += invalid
            now = time.monotonic()
            if now - self._told < EVERY_SECONDS:
                return
            self._told = now
            progress = Progress(self._rows, now - self._start, self._invalid if self._checks else None)
        self._tell(progress)
