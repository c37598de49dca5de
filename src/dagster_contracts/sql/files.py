"""The files of a project, as they stand on disk."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_contracts.contract.toml import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """

    models: tuple[File, ...] = ()
    sidecars: tuple[File, ...] = ()
    contracts: tuple[File, ...] = ()
    beside: tuple[File, ...] = ()
    strays: tuple[File, ...] = ()


def read_project_files(config: Config) -> ProjectFiles:
    """Read every file of a project but its sources."""
    models_dir, contracts_dir = config.root / config.models_dir, config.root / config.contracts_dir
    among = [
        path for path in _walk(models_dir) if not path.is_relative_to(contracts_dir) or contracts_dir == models_dir
    ]
    apart = [] if contracts_dir == models_dir else list(_walk(contracts_dir))

    def read(paths: Iterator[Path]) -> tuple[File, ...]:
        return tuple(read_file(path, config.root) for path in paths)

    return ProjectFiles(
        models=read(path for path in among if path.suffix.lower() == ".sql"),
        sidecars=read(path for path in among if _is_toml(path) and not _is_contract(path)),
        contracts=read(path for path in apart if _is_contract(path)),
        beside=read(path for path in among if _is_contract(path)),
        strays=read(path for path in apart if _is_toml(path) and not _is_contract(path)),
    )


def read_file(path: Path, root: Path) -> File:
    """Read one file; one that cannot be read says why."""
    shown = shown_path(path, root)
    try:
        data = path.read_bytes()
    except OSError as error:
        return File(shown, None, error.strerror or type(error).__name__)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return File(shown, None, f"it is not UTF-8 (byte {error.start}, in line {line})")
    return File(shown, text.replace("\r\n", "\n"))


def shown_path(path: Path, root: Path) -> str:
    """A path relative to a project where it lies inside of it, with forward slashes."""
    return Path(os.path.relpath(path, root)).as_posix() if path.is_relative_to(root) else path.as_posix()


def _is_toml(path: Path) -> bool:
    return path.suffix.lower() == ".toml"


def _is_contract(path: Path) -> bool:
    return path.name.endswith(SUFFIX) and path.name != SUFFIX


def _walk(folder: Path) -> Iterator[Path]:
    """Every file below a folder, sorted, hidden ones left out."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        yield from (Path(here, name) for name in sorted(names) if name[0] != "." or name == SUFFIX)
