"""Checking again whenever a file changes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

PAUSE = 0.3
"""Seconds between two looks at the files."""
_SUFFIXES = (".sql", ".toml", ".py", ".json", ".yml", ".yaml", ".parquet")

Stamp = tuple[tuple[str, int, int], ...]


def watch(folders: Sequence[Path], arguments: Sequence[str], again: Callable[[], bool] = lambda: True) -> int:
    """Run a command now and whenever a file below some folders changes, until the person stops it.

    Each run is a process of its own, so that Python modules that sources are read from are imported anew.

    Args:
        folders: The folders.
        arguments: The command's arguments.
        again: Whether to go on, asked after each look.

    Returns:
        What the last run exited with.
    """
    seen: Stamp | None = None
    code = 0
    try:
        while True:
            now = take_stamp(folders)
            if now != seen:
                seen = now
                if sys.stdout.isatty():
                    sys.stdout.write("\033[2J\033[H")
                sys.stdout.flush()
                command = [sys.executable, "-m", "dagster_contracts.cli", *arguments]
                code = subprocess.run(command, check=False).returncode  # noqa: S603  (our own command line)
                sys.stdout.write("\nWatching for changes; Ctrl-C ends.\n")
                sys.stdout.flush()
            if not again():
                return code
            time.sleep(PAUSE)
    except KeyboardInterrupt:
        return code


def take_stamp(folders: Iterable[Path]) -> Stamp:
    """The path, time and size of every file that a check may read."""
    found = []
    for folder in folders:
        for here, inner, names in os.walk(folder):
            inner[:] = [name for name in inner if not name.startswith(".") and name != "__pycache__"]
            for name in names:
                if name.endswith(_SUFFIXES):
                    path = f"{here}{os.sep}{name}"
                    try:
                        stat = os.stat(path)  # noqa: PTH116
                    except OSError:  # it has just gone
                        continue
                    found.append((path, stat.st_mtime_ns, stat.st_size))
    return tuple(sorted(found))
