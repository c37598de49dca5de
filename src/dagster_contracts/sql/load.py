"""A project, read and worked out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagster_contracts.sql.config import Config, parse_config
from dagster_contracts.sql.examine import examine
from dagster_contracts.sql.files import read_file, read_project_files
from dagster_contracts.sql.findings import CONFIG, from_problems, unreadable
from dagster_contracts.sql.project import read_project
from dagster_contracts.sql.sources import read_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from dagster_contracts.diagnostics.finding import Diagnostic
    from dagster_contracts.sql.examine import Examined
    from dagster_contracts.sql.files import File, ProjectFiles
    from dagster_contracts.sql.project import Project
    from dagster_contracts.sql.relation import Relation


@dataclass(frozen=True)
class Loaded:
    """A project that was read and worked out, before its contracts are looked at.

    Args:
        config: Its configuration.

        project: What they say.
        sources: What the tables look like that are no models.
        examined: What every model returns.
        findings: What is wrong with the configuration and the sources.
        texts: The text of each file, by its path.
        owners: The model that each file belongs to, by its path.
    """

    config: Config
    project: Project
    sources: Mapping[str, Relation]
    examined: Examined
    findings: tuple[Diagnostic, ...]
    texts: Mapping[str, str]
    owners: Mapping[str, str]


def load(path: Path, progress: Callable[[int, int], None] | None = None) -> Loaded:
    """Read a project and work out what its models return.

    Args:
        path: Its configuration.
        progress: Called after each model with how many are done, and how many there are.
    """
    config_file = read_file(path, path.parent)
    config, findings = _config(config_file, path)
    files = read_project_files(config)
    project = read_project(config, files)
    sources = read_sources(config)
    examined = examine(project, sources.tables, config.dialect, progress)
    texts = {file.path: file.text for file in _all(config_file, files) if file.text is not None}
    return Loaded(
        config=config,
        project=project,
        sources=sources.tables,
        examined=examined,
        findings=(*findings, *sources.findings),
        texts={**texts, **sources.texts},
        owners=_owners(project, files),
    )


def _owners(project: Project, files: ProjectFiles) -> dict[str, str]:
    """The model that each file belongs to."""
    models = {model.path: model.name for model in (*project.models, *project.duplicates)}
    by_stem = {path.rpartition(".")[0]: name for path, name in models.items()}
    contracts = {contract.path: contract.model for contract in project.contracts.values()}
    others = {
        file.path: by_stem.get(file.path.removesuffix(".toml"), file.stem)
        for file in (*files.sidecars, *files.contracts, *files.beside, *files.strays)
    }
    return {**others, **models, **contracts}


def _config(file: File, path: Path) -> tuple[Config, tuple[Diagnostic, ...]]:
    """The configuration and what is wrong with it."""
    if file.text is None:
        return Config(path.parent, path.name), (unreadable(path.name, file),)
    config, problems = parse_config(file.text, path)
    return config, from_problems(CONFIG, path.name, path.name, problems)


def _all(config: File, files: ProjectFiles) -> Iterable[File]:
    return (config, *files.models, *files.sidecars, *files.contracts, *files.beside, *files.strays)
