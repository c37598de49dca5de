"""A progress bar for what takes more than a second, on a terminal."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

PATIENCE = 1.0
"""Seconds before the bar appears."""


class Progress:
    """Shows how many models are done, once that takes long.

    Args:
        stream: Where to; nothing is shown where that is no terminal.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._start = time.monotonic()
        self._shown: tuple[Bar, TaskID] | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def advance(self, done: int, total: int) -> None:
        """Say how many are done."""
        if self._shown is None:
            if time.monotonic() - self._start < PATIENCE or not self._stream.isatty():
                return
            self._shown = self._show()
        bar, task = self._shown
        bar.update(task, completed=done, total=total)

    def _show(self) -> tuple[Bar, TaskID]:
        from rich.console import Console  # noqa: PLC0415  (slow to import, needed for long checks only)
        from rich.progress import Progress as Bar  # noqa: PLC0415

        bar = self._stack.enter_context(Bar(console=Console(file=self._stream), transient=True))
        return bar, bar.add_task("models")
