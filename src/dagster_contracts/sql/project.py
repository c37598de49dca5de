"""A project of SQL models: what its files say."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.contract.toml import SUFFIX, ContractFile, parse_contract
from dagster_contracts.contract.toml_reader import read_toml
from dagster_contracts.sql.bounds import STAND_INS, put_bounds
from dagster_contracts.sql.config import DIALECTS
from dagster_contracts.sql.dialect_types import read_type
from dagster_contracts.sql.findings import CONTRACT, DUPLICATE, SIDECAR, broken, from_problems, in_source, unreadable
from dagster_contracts.sql.positions import start_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dagster_contracts.contract.toml_reader import Reader
    from dagster_contracts.diagnostics.finding import Diagnostic
    from dagster_contracts.sql.config import Config
    from dagster_contracts.sql.files import File, ProjectFiles
    from dagster_contracts.sql.known import Known

SIDECAR_KEYS = ("name", "description", "dialect", "tags", "owner", "materialized", "partition_by")


@dataclass(frozen=True)
class Model:
    """One model.

    Args:
        name: Its name.
        path: Its file, relative to the project.
        sql: Its text, with stand-ins for the bounds of a partition; `None` where the file cannot be read.
        dialect: The dialect that it is written in.
        description: What a row of it is.
        tags: Its tags.
        owner: Who answers for it.
        materialized: What it becomes.
        partition_by: The column that its table is cut by, where it has partitions.
    """

    name: str
    path: str
    sql: str | None
    dialect: str
    description: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    owner: str | None = None
    materialized: Literal["table", "view"] = "table"
    partition_by: str | None = None


@dataclass(frozen=True)
class ModelContract:
    """One contract file of a project.

    Args:
        model: The name of the model that it is for.
        path: Its file, relative to the project.
        promises: What it promises, as far as it could be read.
        is_readable: Whether all of it could be read.
    """

    model: str
    path: str
    promises: ContractFile
    is_readable: bool = True


@dataclass(frozen=True)
class Project:
    """What a project's files say.

    Args:
        models: The models whose names are their own, sorted by name.
        contracts: The contracts, by the name of the model that each is for.
        findings: What is wrong with the files.
        duplicates: The models whose name another one has, too.
    """

    models: tuple[Model, ...]
    contracts: Mapping[str, ModelContract]
    findings: tuple[Diagnostic, ...]
    duplicates: tuple[Model, ...] = ()


def read_project(config: Config, files: ProjectFiles, known: Known | None = None) -> Project:
    """Read what a project's files say.

    Args:
        config: The project's configuration.
        files: Its files.
        known: What was found before; gets what is found now.
    """
    findings: list[Diagnostic] = []
    sidecars = {file.path.removesuffix(".toml"): file for file in files.sidecars}
    models = []
    for file in files.models:
        sidecar = sidecars.pop(file.path.rpartition(".")[0], None)
        models.append(_read_model(file, sidecar, config, findings))
    names = [model.name for model in models]
    for left in sidecars.values():
        hint = did_you_mean(left.stem, names).strip()
        findings.append(
            broken(SIDECAR, left.stem, f"{left.path} stands beside no model.", source=start_of(left.path), hint=hint)
        )
    models, duplicates = _without_duplicates(models, findings)
    contracts = _read_contracts(files, {model.name.lower(): model for model in models}, config, findings, known)
    findings += (unreadable(config.file, folder) for folder in files.closed)
    for stray in files.strays:
        hint = f"Name it <model>{SUFFIX}, or move it out of the contracts' folder."
        message = f"{stray.path} is not named like a contract, so nothing of it is checked."
        findings.append(broken(CONTRACT, stray.stem, message, contract=start_of(stray.path), hint=hint))
    return Project(tuple(sorted(models, key=lambda model: model.name)), contracts, tuple(findings), duplicates)


def _read_model(file: File, sidecar: File | None, config: Config, findings: list[Diagnostic]) -> Model:
    if file.text is None:
        findings.append(unreadable(file.stem, file))
    if sidecar is None:
        return Model(file.stem, file.path, _query(file, config.dialect), config.dialect)
    if sidecar.text is None:
        findings.append(unreadable(file.stem, sidecar))
        return Model(file.stem, file.path, _query(file, config.dialect), config.dialect)
    reader = read_toml(sidecar.text)
    reader.keys(SIDECAR_KEYS, what="A model's file")
    materialized = reader.choice(("table", "view"), "materialized")
    dialect = reader.choice(DIALECTS, "dialect") or config.dialect
    model = Model(
        name=reader.text("name") or file.stem,
        path=file.path,
        sql=_query(file, dialect),
        dialect=dialect,
        description=reader.prose("description"),
        tags=_tags(reader),
        owner=reader.text("owner"),
        materialized="view" if materialized == "view" else "table",
        partition_by=reader.text("partition_by"),
    )
    findings += map(in_source, from_problems(SIDECAR, model.name, sidecar.path, reader.problems))
    return model


def _query(file: File, dialect: str) -> str | None:
    """A model's text as it is checked."""
    if file.text is None or dialect != "duckdb":
        return file.text
    return put_bounds(file.text, STAND_INS)


def _tags(reader: Reader) -> dict[str, str]:
    """A model's tags: a table of texts, or a list of texts that each stand alone."""
    if isinstance(reader.values.get("tags"), list):
        return {name: "" for name, _ in reader.texts("tags")}
    tags = {key: reader.prose("tags", key) for key in reader.table("tags")}
    return {key: value for key, value in tags.items() if value is not None}


def _without_duplicates(models: list[Model], findings: list[Diagnostic]) -> tuple[list[Model], tuple[Model, ...]]:
    """The models whose names are their own; the others are findings."""
    counted = Counter(model.name.lower() for model in models)
    for model in models:
        if counted[model.name.lower()] > 1:
            others = [one.path for one in models if one.name.lower() == model.name.lower() and one is not model]
            message = f"{model.path} and {', '.join(others)} are both the model {model.name}."
            findings.append(broken(DUPLICATE, model.name, message, source=start_of(model.path)))
    alone = [model for model in models if counted[model.name.lower()] == 1]
    return alone, tuple(model for model in models if counted[model.name.lower()] > 1)


def _read_contracts(
    files: ProjectFiles,
    models: Mapping[str, Model],
    config: Config,
    findings: list[Diagnostic],
    known: Known | None,
) -> dict[str, ModelContract]:
    """The contracts by model; those of the contracts' folder win over those beside the models."""
    apart = _by_model(files.contracts, findings)
    beside = _by_model([file for file in files.beside if file.stem.lower() not in apart], findings)
    contracts = [_read_contract(file, models, config, findings, known) for file in (*apart.values(), *beside.values())]
    return {contract.model: contract for contract in sorted(contracts, key=lambda contract: contract.model)}


def _by_model(files: Iterable[File], findings: list[Diagnostic]) -> dict[str, File]:
    """Contract files by their model's name in small letters; a second one of a name is a finding."""
    found: dict[str, File] = {}
    for file in files:
        first = found.setdefault(file.stem.lower(), file)
        if first is not file:
            message = f"{first.path} and {file.path} are both the contract of {file.stem}; the first is checked."
            findings.append(broken(DUPLICATE, file.stem, message, contract=start_of(file.path)))
    return found


def _read_contract(
    file: File,
    models: Mapping[str, Model],
    config: Config,
    findings: list[Diagnostic],
    known: Known | None,
) -> ModelContract:
    model = models.get(file.stem.lower())
    name = model.name if model else file.stem
    if file.text is None:
        findings.append(unreadable(name, file))
        return ModelContract(name, file.path, ContractFile(), is_readable=False)
    dialect = model.dialect if model else config.dialect
    before = None if known is None else known.contract(file.text, dialect)
    if before is not None:
        return ModelContract(name, file.path, before)
    promises, problems = parse_contract(file.text, partial(read_type, dialect=dialect))
    if known is not None and not problems:
        known.keep_contract(file.text, dialect, promises)
    findings += from_problems(CONTRACT, name, file.path, problems)
    return ModelContract(name, file.path, promises, is_readable=not problems)
