"""Which models of a project are asked for: by name, and by path."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.errors import ContractParseError, InvalidSettingError
from dagster_contracts.sql.config import FILE_NAME
from dagster_contracts.sql.files import shown_path
from dagster_contracts.sql.graph import descendants

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dagster_contracts.sql.config import Config


def find_config(paths: Sequence[Path]) -> Path:
    """The configuration of the one project that paths lie in.

    Args:
        paths: Folders or files; each project's `contracts.toml` is looked for beside them and above.

    Raises:
        ContractParseError: There is none, or they lie in several projects.
        InvalidSettingError: A path is not there.
    """
    found = {_above(path): path for path in paths}
    if len(found) > 1:
        raise ContractParseError(f"The paths lie in {len(found)} projects: {', '.join(map(str, sorted(found)))}.")
    return next(iter(found))


def _above(path: Path) -> Path:
    if not path.exists():
        raise InvalidSettingError(f"There is no {str(path)!r}.")
    whole = Path(os.path.abspath(path))  # noqa: PTH100  (without .. in it)
    if whole.is_file() and whole.suffix == ".toml" and (whole.name == FILE_NAME):
        return whole
    for folder in [whole, *whole.parents]:
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    raise ContractParseError(
        f"There is no {FILE_NAME} in {str(path)!r} or above it: name a project's folder, or let "
        "`dagster-contracts init` make one."
    )


def at_paths(
    paths: Iterable[Path], config: Config, owners: Mapping[str, str], others: Iterable[str]
) -> set[str] | None:
    """The models that lie at paths.

    Args:
        paths: Folders or files.
        config: The configuration of the project that they lie in.
        owners: The model that each file of the project belongs to, by the file's path as findings show it.
        others: Files that belong to every model, such as sources.

    Returns:
        The models' names; `None` for all of them.

    Raises:
        InvalidSettingError: A path holds nothing of the project.
    """
    chosen: set[str] = set()
    everything = {*others, config.file}
    for path in paths:
        shown = shown_path(os.path.abspath(path), os.path.abspath(config.root))  # noqa: PTH100
        if shown == "." or shown in everything:
            return None
        inside = {name for file, name in owners.items() if file == shown or file.startswith(f"{shown}/")}
        if not inside:
            what = "holds" if path.is_dir() else "is"
            raise InvalidSettingError(
                f"{str(path)!r} {what} no model, contract or source of the project {config.root}."
            )
        chosen |= inside
    return chosen


def by_name(patterns: Iterable[str], names: Iterable[str], reads: Mapping[str, Sequence[str]]) -> set[str]:
    """The models that patterns name.

    Args:
        patterns: Names, in which `*` and `?` stand for any letters; several may be parted by commas. A `+` before one
            adds what it reads, a `+` after it what reads it, however far.
        names: The names there are.
        reads: The models that each model reads.

    Raises:
        InvalidSettingError: A pattern names none.
    """
    known = sorted(names)
    chosen: set[str] = set()
    parts = [part.strip() for text in patterns for part in text.split(",") if part.strip()]
    if not all(part.strip("+") for part in parts) or not parts:
        raise InvalidSettingError(f"The selection names no model: {', '.join(map(repr, patterns))}.")
    for pattern in parts:
        bare = pattern.strip("+")
        found = {name for name in known if fnmatchcase(name.lower(), bare.lower())}
        if not found:
            raise InvalidSettingError(f"No model is called {bare!r}.{did_you_mean(bare, known)}")
        chosen |= found
        if pattern.startswith("+"):
            chosen |= _ancestors(found, reads)
        if pattern.endswith("+"):
            chosen |= set(descendants(found, reads))
    return chosen


def _ancestors(names: set[str], reads: Mapping[str, Sequence[str]]) -> set[str]:
    """What models read, however far."""
    found: set[str] = set()
    queue = list(names)
    for name in queue:
        new = [read for read in reads.get(name, ()) if read not in found]
        found.update(new)
        queue += new
    return found
