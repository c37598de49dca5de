"""The files of a project, as they stand on disk."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagster_contracts.contract.toml import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dagster_contracts.sql.config import Config

_SKIPPED = {"__pycache__", "node_modules"}


@dataclass(frozen=True)
class File:
    """One file.

    Args:
        path: Its path relative to the project where it lies inside of it, with forward slashes.
        text: What it says, with line feeds alone between lines; `None` where it cannot be read.
        failure: Why it cannot be read.
    """

    path: str
    text: str | None
    failure: str | None = None

    @property
    def stem(self) -> str:
        """The name of the model that it belongs to."""
        name = self.path.rsplit("/", 1)[-1]
        is_contract = name.endswith(SUFFIX) and name != SUFFIX
        return name.removesuffix(SUFFIX) if is_contract else name.rsplit(".", 1)[0]

    @property
    def folder(self) -> str:
        """The folder that it lies in."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True)
class ProjectFiles:
    """The files of a project, each kind sorted by path.

    Args:
        models: The models' SQL.
        sidecars: The TOML files beside models that are no contracts.
        contracts: The contracts of the contracts' folder.
        beside: The contracts among the models.
        strays: TOML files in the contracts' folder that are not named like a contract.
        closed: Folders that cannot be read.
    """

    models: tuple[File, ...] = ()
    sidecars: tuple[File, ...] = ()
    contracts: tuple[File, ...] = ()
    beside: tuple[File, ...] = ()
    strays: tuple[File, ...] = ()
    closed: tuple[File, ...] = ()


def read_project_files(config: Config) -> ProjectFiles:
    """Read every file of a project but its sources."""
    root = os.path.abspath(config.root)  # noqa: PTH100  (texts: a project has thousands of files)
    folders = (config.models_dir, config.contracts_dir)
    models_dir, contracts_dir = (os.path.normpath(config.root.absolute() / folder) for folder in folders)
    is_apart = contracts_dir != models_dir
    closed: list[File] = []
    among = [path for path in _walk(models_dir, closed) if not (is_apart and path.startswith(contracts_dir + os.sep))]
    apart = list(_walk(contracts_dir, closed)) if is_apart else []

    def read(paths: Iterable[str]) -> tuple[File, ...]:
        return tuple(_read(path, root) for path in paths)

    return ProjectFiles(
        models=read(path for path in among if path.lower().endswith(".sql")),
        sidecars=read(path for path in among if _is_toml(path) and not _is_contract(path)),
        contracts=read(path for path in apart if _is_contract(path)),
        beside=read(path for path in among if _is_contract(path)),
        strays=read(path for path in apart if _is_toml(path) and not _is_contract(path)),
        closed=tuple(closed),
    )


def read_file(path: Path, root: Path) -> File:
    """Read one file; one that cannot be read says why."""
    return _read(os.path.abspath(path), os.path.abspath(root))  # noqa: PTH100


def shown_path(path: str, root: str) -> str:
    """An absolute path relative to a project where it lies inside of it, with forward slashes."""
    if path == root:
        return "."
    inside = path[len(root) :].lstrip(os.sep) if path.startswith(root.rstrip(os.sep) + os.sep) else path
    return inside.replace(os.sep, "/")


def _read(path: str, root: str) -> File:
    shown = shown_path(path, root)
    try:
        if not os.path.isfile(path) and os.path.exists(path):  # noqa: PTH110, PTH113  (a pipe would never end)
            return File(shown, None, "it is no file")
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read()
    except (OSError, ValueError) as error:
        return File(shown, None, getattr(error, "strerror", None) or str(error))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return File(shown, None, f"it is not UTF-8 (byte {error.start}, in line {line})")
    return File(shown, text.replace("\r\n", "\n"))


def _is_toml(path: str) -> bool:
    return path.lower().endswith(".toml")


def _is_contract(path: str) -> bool:
    return path.endswith(SUFFIX) and not path.endswith(os.sep + SUFFIX)


def _walk(folder: str, closed: list[File]) -> Iterator[str]:
    """Every file below a folder, sorted; hidden ones are left out, but for a contract that lacks a name.

    Links to folders are followed, each folder once. Folders that cannot be read are added to `closed`.
    """

    def note(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            closed.append(File(str(error.filename), None, error.strerror))

    seen: set[str] = set()
    for here, folders, names in os.walk(folder, onerror=note, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        real = os.path.realpath(here)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        for name in sorted(names):
            if name[0] != "." or name == SUFFIX:
                yield f"{here}{os.sep}{name}"
