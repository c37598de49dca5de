"""Checking a project of SQL models, from its paths to a report."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_contracts.errors import ContractParseError, InvalidSettingError
from dagster_contracts.sql.cache import Cache, digest, versions
from dagster_contracts.sql.inputs import read_inputs, source_contents
from dagster_contracts.sql.report import build_report
from dagster_contracts.sql.selection import at_paths, by_name, find_config
from dagster_contracts.sql.stored import dump_report, load_report
from dagster_contracts.sql.versions import package_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from dagster_contracts.diagnostics.finding import Report
    from dagster_contracts.sql.inputs import Inputs
    from dagster_contracts.sql.load import Loaded


def check(
    *paths: str | PathLike[str],
    config: str | PathLike[str] | None = None,
    select: Sequence[str] = (),
    strict: bool | None = None,
    cache: bool = False,
) -> Report:
    """Check the contracts of a project of SQL models, without a warehouse and without data.

    Args:
        paths: The project's folder, or folders and files in it whose models alone are reported; the working directory
            without one.
        config: The project's `contracts.toml`; by default the one beside the paths or above them.
        select: Names of models, with `*` for any letters; a `+` before one adds what it reads, a `+` after it what
            reads it.
        strict: Whether what cannot be verified is an error; by default what the configuration says.
        cache: Whether what was found is kept in a folder `.dagster-contracts` beside the configuration, and not found
            again while nothing that it was found from changes.

    Returns:
        Every finding, every model with its columns, and how many promises were held, broken and not verified.

    Raises:
        ContractParseError: There is no `contracts.toml` there.
        InvalidSettingError: `paths` or `select` name nothing of the project.
    """
    at = None if config is None else Path(config)
    return run_check(Options(tuple(map(Path, paths)), at, tuple(select), strict, cache))


@dataclass(frozen=True)
class Options:
    """What a check is asked for; each as `check` has it."""

    paths: tuple[Path, ...] = ()
    config: Path | None = None
    select: tuple[str, ...] = ()
    strict: bool | None = None
    cache: bool = True


def run_check(options: Options, progress: Callable[[int, int], None] | None = None) -> Report:
    """Check a project.

    Args:
        options: What is asked for.
        progress: Called after each model with how many are done, and how many there are.
    """
    paths = options.paths or (Path(),)
    if options.config is not None and not options.config.is_file():
        raise ContractParseError(f"There is no configuration {str(options.config)!r}.")
    path = find_config(paths) if options.config is None else Path(os.path.abspath(options.config))  # noqa: PTH100
    inputs = read_inputs(path)
    if not options.cache:
        return _check(inputs, options, progress, None)
    contents, texts = source_contents(inputs)
    cache = Cache(inputs.config.root)
    key = digest([versions(), repr(options), str(Path.cwd()), *_contents(inputs), *contents])
    stored = cache.report(key)
    if stored is not None:
        texts |= {file.path: file.text for file in inputs.all() if file.text is not None}
        return load_report(stored, package_version(), texts)
    report = _check(inputs, options, progress, cache)
    cache.keep_report(key, dump_report(report))
    return report


def _contents(inputs: Inputs) -> Iterator[str | None]:
    """The name and the text of each file, why it cannot be read, and what is wrong with the configuration.

    The last is no matter of its text alone: a folder that it names can be gone.
    """
    yield repr([found.message for found in inputs.findings])
    for file in inputs.all():
        yield from (file.path, file.text, file.failure)


def _check(
    inputs: Inputs, options: Options, progress: Callable[[int, int], None] | None, cache: Cache | None
) -> Report:
    """Check what was read, with what is known from an earlier time."""
    from dagster_contracts.sql.known import Known  # noqa: PLC0415  (an unchanged project needs no parser)
    from dagster_contracts.sql.load import load_inputs  # noqa: PLC0415
    from dagster_contracts.sql.proof import prove  # noqa: PLC0415

    known = None if cache is None else Known(cache.models())
    loaded = load_inputs(inputs, progress, known)
    paths = options.paths if options.config is not None else options.paths or (Path(),)
    report = build_report(loaded, strict=options.strict, only=chosen(loaded, paths, options.select))
    report = replace(report, diagnostics=tuple(prove(report.diagnostics, loaded, known)))
    if cache is not None and known is not None and known.has_news:
        cache.keep_models(known.kept)
    return report


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
