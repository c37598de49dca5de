"""Checking a project of SQL models, from its paths to a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_contracts.errors import ContractParseError, InvalidSettingError
from dagster_contracts.sql.load import Loaded, load
from dagster_contracts.sql.report import build_report
from dagster_contracts.sql.selection import at_paths, by_name, find_config

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from dagster_contracts.diagnostics.finding import Report


def check(
    *paths: str | PathLike[str],
    config: str | PathLike[str] | None = None,
    select: Sequence[str] = (),
    strict: bool | None = None,
) -> Report:
    """Check the contracts of a project of SQL models, without a warehouse and without data.

    Args:
        paths: The project's folder, or folders and files in it whose models alone are reported; the working directory
            without one.
        config: The project's `contracts.toml`; by default the one beside the paths or above them.
        select: Names of models, with `*` for any letters; a `+` before one adds what it reads, a `+` after it what
            reads it.
        strict: Whether what cannot be verified is an error; by default what the configuration says.

    Returns:
        Every finding, every model with its columns, and how many promises were held, broken and not verified.

    Raises:
        ContractParseError: There is no `contracts.toml` there.
        InvalidSettingError: `paths` or `select` name nothing of the project.
    """
    return run_check(Options(tuple(map(Path, paths)), None if config is None else Path(config), tuple(select), strict))


@dataclass(frozen=True)
class Options:
    """What a check is asked for; each as `check` has it."""

    paths: tuple[Path, ...] = ()
    config: Path | None = None
    select: tuple[str, ...] = ()
    strict: bool | None = None


def run_check(options: Options, progress: Callable[[int, int], None] | None = None) -> Report:
    """Check a project.

    Args:
        options: What is asked for.
        progress: Called after each model with how many are done, and how many there are.
    """
    paths = options.paths or (Path(),)
    if options.config is not None and not options.config.is_file():
        raise ContractParseError(f"There is no configuration {str(options.config)!r}.")
    config = find_config(paths) if options.config is None else options.config.absolute()
    loaded = load(config, progress)
    only = chosen(loaded, paths if options.config is None or options.paths else (), options.select)
    return build_report(loaded, strict=options.strict, only=only)


def chosen(loaded: Loaded, paths: Sequence[Path], select: Sequence[str]) -> set[str] | None:
    """The names of the models that are asked for; `None` for all of them."""
    project = loaded.project
    every_model = [*project.models, *project.duplicates]
    names = {model.name for model in every_model} | set(project.contracts)
    others = loaded.texts.keys() - loaded.owners.keys()
    found = at_paths(paths, loaded.config, loaded.owners, others) if paths else None
    if select:
        named = by_name(select, names, loaded.examined.reads)
        found = named if found is None else found & named
        if not found:
            raise InvalidSettingError("No model is both at these paths and selected by name.")
    return found
