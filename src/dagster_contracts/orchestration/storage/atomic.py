"""Files that appear whole or not at all: write aside, then publish by renaming.

A writer makes a hidden staging folder beside the table, writes its files there, and renames each over the old one when
all of them are complete and on the disk. Killed at any moment it leaves the old file or the new one, and at worst a
staging folder.

**Who removes the staging folder of a dead writer:** the next writer in the same folder. Each live writer holds an
advisory lock (`flock`) on the file `lock` in its staging folder; the kernel releases it when the process dies, however
it dies. A staging folder whose lock can be taken has no writer and is removed; one whose lock is held is left alone.
Where there are no such locks (Windows, some network file systems, object stores), a staging folder is removed seven
days after it was started: its name says when.

**Object stores and other file systems that are not local:** the file is staged in the local temporary folder, uploaded
whole under a temporary name beside the target, and moved by the file system. S3, GCS and Azure show an object only once
it is complete, so a reader sees the old or the new table there too; elsewhere it is as atomic as that system's move.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.frames.staged import staged_file

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from upath import UPath

LOCAL_PROTOCOLS = frozenset({"", "file", "local"})
ABANDONED_AFTER = timedelta(days=7)

_STAMP = "%Y%m%dT%H%M%S"
_ASIDE_NAME = re.compile(r"^\..*\.(\d{8}T\d{6})-[0-9a-f]{8}\.tmp$", re.DOTALL)


def is_local(path: UPath) -> bool:
    """Whether a path is on this machine's own file systems."""
    return path.protocol in LOCAL_PROTOCOLS


@contextlib.contextmanager
def staging(table: UPath) -> Iterator[Path]:
    """A local folder to write a table's files in before they are published; gone afterwards, whatever happens.

    It is beside the table and not inside, so that a scan of a folder of partitions never meets half a file.

    Args:
        table: The table's path without the extension.

    Yields:
        The staging folder. For a table that is not local it is in the local temporary folder.
    """
    if is_local(table):
        parent = Path(os.path.realpath(table.path)).parent
        parent.mkdir(parents=True, exist_ok=True)
    else:
        parent = Path(tempfile.gettempdir())
    sweep(parent)
    folder, lock = _locked_folder(parent, table.name)
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            _remove(folder)
        os.close(lock)


def write_aside(frame: pl.DataFrame | pl.LazyFrame, file: Path) -> Path:
    """Write one frame completely and have it on the disk before returning.

    Args:
        frame: A lazy frame is sunk on the streaming engine and never collected. One that is nothing but a scan of a
            staged file is not written again: the file gets a second name.
        file: Where to write it, in a staging folder.

    Returns:
        The same `file`.
    """
    staged = staged_file(frame)
    if staged is not None and _is_linked(staged, file):
        return file
    with file.open("wb") as handle:
        if isinstance(frame, pl.LazyFrame):
            frame.sink_parquet(handle, engine="streaming")
        else:
            frame.write_parquet(handle)
        handle.flush()
        os.fsync(handle.fileno())
    return file


def _is_linked(staged: Path, file: Path) -> bool:
    """Give a complete file a second name, if both are on one file system that can."""
    try:
        file.hardlink_to(staged)
        with file.open("rb") as handle:
            os.fsync(handle.fileno())
    except OSError:
        file.unlink(missing_ok=True)
        return False
    return True


def publish(moves: Sequence[tuple[Path, UPath]]) -> None:
    """Put complete local files in their places; each replaces what was there in one step.

    Args:
        moves: Complete files, each with its target. On a local file system they are renamed, so both must be on the
            same one. On others all are uploaded before the first is moved.
    """
    uploads: list[tuple[UPath, UPath]] = []
    folders: set[Path] = set()
    try:
        for file, target in moves:
            if is_local(target):
                folder = Path(target.path).parent
                folder.mkdir(parents=True, exist_ok=True)
                os.replace(file, target.path)  # noqa: PTH105  (Path.replace takes the target only as a Path)
                folders.add(folder)
            else:
                uploads.append((_temporary_beside(target), target))
                _upload(file, uploads[-1][0])
        for temporary, target in uploads:
            temporary.fs.mv(temporary.path, target.path)
    finally:
        for temporary, _ in uploads:
            with contextlib.suppress(OSError):
                temporary.unlink()
    for folder in folders:
        _sync_folder(folder)


def sweep(folder: Path) -> None:
    """Remove the staging folders of dead writers in one local folder; a live writer's is never touched."""
    for entry in folder.iterdir():
        started = _ASIDE_NAME.match(entry.name)
        if started is None:
            continue
        with contextlib.suppress(OSError):
            _remove_if_dead(entry, started[1])


def _temporary_beside(target: UPath) -> UPath:
    """A temporary name beside a target that is not local; what dead writers left there long ago is removed."""
    folder = target.parent
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        for other in list(folder.iterdir()):
            started = _ASIDE_NAME.match(other.name)
            if started is not None and _is_old(started[1]):
                other.unlink()
    return folder / _aside_name("upload")


def _upload(file: Path, temporary: UPath) -> None:
    temporary.fs.put_file(str(file), temporary.path)


def _locked_folder(parent: Path, name: str) -> tuple[Path, int]:
    """A new staging folder and the descriptor that holds its lock."""
    while True:
        folder = parent / _aside_name(name)
        folder.mkdir(mode=0o700)
        # A sweeper may come between any two of these steps; it then removes the folder, and we make another one.
        try:
            descriptor = os.open(folder / "lock", os.O_CREAT | os.O_RDWR)
        except FileNotFoundError:
            continue
        if _take_lock(descriptor) is not False and (folder / "lock").exists():
            return folder, descriptor
        os.close(descriptor)


def _remove_if_dead(folder: Path, started: str) -> None:
    """Remove one staging folder unless its writer may be alive."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDWR)
    except FileNotFoundError:
        if _is_old(started):
            _remove(folder)
        else:
            folder.rmdir()  # only if it is empty: its writer died, or will make another one
        return
    try:
        taken = _take_lock(descriptor)
        if taken or (taken is None and _is_old(started)):
            _remove(folder)
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    """Remove a staging folder, its lock last, so that a removal that is itself killed can be taken up again."""
    for file in folder.iterdir():
        if file.name != "lock":
            file.unlink()
    (folder / "lock").unlink(missing_ok=True)
    folder.rmdir()


def _take_lock(descriptor: int) -> bool | None:
    """Take the lock: whether it is ours now, or `None` where there are no locks."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _aside_name(name: str) -> str:
    """A new hidden name that says what it is for and when it was started."""
    return f".{name[:40]}.{datetime.now(UTC).strftime(_STAMP)}-{secrets.token_hex(4)}.tmp"


def _is_old(started: str) -> bool:
    """Whether nobody can still be writing what was started then."""
    with contextlib.suppress(ValueError):
        return datetime.now(UTC) - datetime.strptime(started, _STAMP).replace(tzinfo=UTC) > ABANDONED_AFTER
    return False


def _sync_folder(folder: Path) -> None:
    """Have a rename on the disk; file systems that cannot sync a folder do it their own way."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
