"""What was found before, by the content that it was found from: a folder of JSON files beside the configuration.

Nothing in it is believed that is not whole, and nothing is lost without it.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster_contracts
from dagster_contracts.sql.versions import installed_versions

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = ".dagster-contracts"
_KEPT_REPORTS = 8
_MODELS = "models.json"


def digest(parts: Iterable[str | None]) -> str:
    """A hash of texts, of which no two lists have the same."""
    pieces: list[bytes] = []
    for part in parts:
        data = b"" if part is None else part.encode("utf-8", "surrogatepass")
        pieces += (b"-:" if part is None else b"%d:" % len(data), data)
    return hashlib.sha256(b"".join(pieces)).hexdigest()


@cache
def versions() -> str:
    """What the same content gives the same results with: our own code, and what it stands on."""
    stats = []
    for here, folders, names in os.walk(Path(dagster_contracts.__file__).parent):
        folders[:] = sorted(name for name in folders if name in _ROOMS or Path(here).name in _ROOMS)
        for name in sorted(names):
            if name.endswith(".py"):
                found = os.stat(os.path.join(here, name))  # noqa: PTH116, PTH118
                stats.append(f"{name} {found.st_size} {found.st_mtime_ns}")
    return digest([*(f"{name} {number}" for name, number in installed_versions().items()), *stats])


_ROOMS = {"contract", "diagnostics", "sql", "nullability", "typing", "sources"}


class Cache:
    """The cache of one project.

    Args:
        root: The folder of its configuration.
    """

    def __init__(self, root: Path) -> None:
        self._folder = root / FOLDER / "cache"

    def report(self, key: str) -> dict[str, Any] | None:
        """The report of a key, if there is one."""
        return self._read(f"report-{key[:32]}.json", key)

    def keep_report(self, key: str, stored: dict[str, Any]) -> None:
        """Keep a report, in place of the oldest one where there are many."""
        self._write(f"report-{key[:32]}.json", key, stored)
        with suppress(OSError):
            reports = sorted(self._folder.glob("report-*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
            for path in reports[_KEPT_REPORTS:]:
                path.unlink()

    def models(self) -> dict[str, Any]:
        """What is known of models, by hashes of what it was found from."""
        return self._read(_MODELS, versions()) or {}

    def keep_models(self, stored: dict[str, Any]) -> None:
        """Keep what is known of models, in place of what was known before."""
        self._write(_MODELS, versions(), stored)

    def _read(self, name: str, key: str) -> dict[str, Any] | None:
        """A file's content, if all of it is there and it was written for a key."""
        try:
            head, _, body = (self._folder / name).read_bytes().partition(b"\n")
            if head.decode() != f"{key} {hashlib.sha256(body).hexdigest()}":
                return None
            found = json.loads(body)
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def _write(self, name: str, key: str, stored: dict[str, Any]) -> None:
        """Write a file whole; a folder that cannot be written is no cache."""
        try:
            body = json.dumps(stored, separators=(",", ":"), allow_nan=False).encode()
        except ValueError:
            return
        aside = self._folder / f".{name}.{os.getpid()}"
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            ignore = self._folder.parent / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
            aside.write_bytes(f"{key} {hashlib.sha256(body).hexdigest()}\n".encode() + body)
            aside.replace(self._folder / name)
