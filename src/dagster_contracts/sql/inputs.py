"""Everything that a check reads, as it stands on disk, before any of it is looked into."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dagster_contracts.sql.config import Config, parse_config
from dagster_contracts.sql.files import read_file, read_project_files
from dagster_contracts.sql.findings import CONFIG, from_problems, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dagster_contracts.diagnostics.finding import Diagnostic
    from dagster_contracts.sql.config import SourceEntry
    from dagster_contracts.sql.files import File, ProjectFiles

LOCK = "contracts.lock"
_FOOTER = 8  # bytes at a Parquet file's end: the length of its schema, and PAR1


@dataclass(frozen=True)
class Inputs:
    """The files of a project.

    Args:
        config: Its configuration.
        config_file: The configuration's file.
        files: The others, but for its sources'.
        findings: What is wrong with the configuration.
        lock: Its lock, if it has one.
    """

    config: Config
    config_file: File
    files: ProjectFiles
    findings: tuple[Diagnostic, ...]
    lock: File | None = None

    def all(self) -> Iterator[File]:
        """Every file."""
        files = self.files
        yield self.config_file
        for some in (files.models, files.sidecars, files.contracts, files.beside, files.strays, files.closed):
            yield from some
        if self.lock is not None:
            yield self.lock


def read_inputs(path: Path, *, models_dir: str | None = None, contracts_dir: str | None = None) -> Inputs:
    """Read the files of a project.

    Args:
        path: Its configuration.
        models_dir: The folder of the models, instead of the configuration's.
        contracts_dir: The folder of the contracts, instead of the configuration's.
    """
    file = read_file(path, path.parent)
    findings: tuple[Diagnostic, ...]
    if file.text is None:
        config, findings = Config(path.parent, path.name), (unreadable(path.name, file),)
    else:
        config, problems = parse_config(file.text, path)
        findings = from_problems(CONFIG, path.name, path.name, problems)
    config = replace(
        config, models_dir=models_dir or config.models_dir, contracts_dir=contracts_dir or config.contracts_dir
    )
    lock = path.parent / LOCK
    kept = read_file(lock, path.parent) if lock.exists() else None
    return Inputs(config, file, read_project_files(config), findings, kept)


def source_contents(inputs: Inputs) -> tuple[list[str], dict[str, str]]:
    """What the sources are read from, as texts that differ whenever the sources may.

    Args:
        inputs: The files of the project.

    Returns:
        A text for each source, and the texts of the files among them. A class is imported: nothing else tells whether
        it is the same.
    """
    parts: list[str] = []
    texts: dict[str, str] = {}
    for entry in inputs.config.sources:
        if entry.form in ("sql", "snapshot", "dbt"):
            file = read_file(inputs.config.root / entry.target, inputs.config.root)
            parts.append(f"{file.text!r} {file.failure}")
            if file.text is not None:
                texts[file.path] = file.text
        elif entry.form == "parquet":
            parts.append(_footer(inputs.config.root / entry.target))
        elif entry.form == "class":
            parts.append(_class(entry, inputs.config))
    return parts, texts


def _class(entry: SourceEntry, config: Config) -> str:
    """The columns of a class."""
    from dagster_contracts.sql.sources.classes import read_class  # noqa: PLC0415  (imports polars)
    from dagster_contracts.sql.sources.declared import SourceError  # noqa: PLC0415

    try:
        return repr(read_class(entry.target, config.root, entry.name or "", config.dialect, None))
    except SourceError as error:
        return str(error)


def _footer(path: Path) -> str:
    """The hash of a Parquet file's schema and what its end says of its data."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _FOOTER))
            length = int.from_bytes(file.read(4), "little")
            file.seek(max(0, size - _FOOTER - length))
            return f"{size} {hashlib.sha256(file.read()).hexdigest()}"
    except OSError as error:
        return error.strerror or type(error).__name__
