"""A project, read and worked out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dagster_contracts.sql.examine import examine
from dagster_contracts.sql.inputs import Inputs, read_inputs
from dagster_contracts.sql.lock import read_lock
from dagster_contracts.sql.project import read_project
from dagster_contracts.sql.sources import read_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from dagster_contracts.diagnostics.finding import Diagnostic
    from dagster_contracts.sql.config import Config
    from dagster_contracts.sql.examine import Examined
    from dagster_contracts.sql.files import ProjectFiles
    from dagster_contracts.sql.known import Known
    from dagster_contracts.sql.lock import LockedModel
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
        locked: What each model returned when the lock was written.
    """

    config: Config
    project: Project
    sources: Mapping[str, Relation]
    examined: Examined
    findings: tuple[Diagnostic, ...]
    texts: Mapping[str, str]
    owners: Mapping[str, str]
    locked: Mapping[str, LockedModel] = field(default_factory=dict)


def load(
    path: Path,
    progress: Callable[[int, int], None] | None = None,
    *,
    models_dir: str | None = None,
    contracts_dir: str | None = None,
) -> Loaded:
    """Read a project and work out what its models return.

    Args:
        path: Its configuration.
        progress: Called after each model with how many are done, and how many there are.
        models_dir: The folder of the models, instead of the configuration's.
        contracts_dir: The folder of the contracts, instead of the configuration's.
    """
    return load_inputs(read_inputs(path, models_dir=models_dir, contracts_dir=contracts_dir), progress)


def load_inputs(
    inputs: Inputs, progress: Callable[[int, int], None] | None = None, known: Known | None = None
) -> Loaded:
    """Work out what the models of a project return.

    Args:
        inputs: The project's files.
        progress: Called after each model with how many are done, and how many there are.
        known: What was found before; gets what is found now.
    """
    config, files = inputs.config, inputs.files
    project = read_project(config, files, known)
    sources = read_sources(config)
    examined = examine(project, sources.tables, config.dialect, progress, known, functions=config.functions)
    texts = {file.path: file.text for file in inputs.all() if file.text is not None}
    return Loaded(
        config=config,
        project=project,
        sources=sources.tables,
        examined=examined,
        findings=(*inputs.findings, *sources.findings),
        texts={**texts, **sources.texts},
        owners=_owners(project, files),
        locked=read_lock(inputs.lock),
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
