"""A whole project, checked."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.contract.verdict import Verdict
from dagster_contracts.diagnostics.finding import Diagnostic, Report, ReportedColumn, ReportedModel, Summary
from dagster_contracts.errors import ContractParseError
from dagster_contracts.sql.check import Contracted, check_contract, count_promises, not_verified
from dagster_contracts.sql.config import FILE_NAME, Config, parse_config
from dagster_contracts.sql.examine import examine
from dagster_contracts.sql.files import read_file, read_project_files
from dagster_contracts.sql.findings import CONFIG, from_problems, unreadable
from dagster_contracts.sql.positions import start_of
from dagster_contracts.sql.project import read_project
from dagster_contracts.sql.sources import read_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from dagster_contracts.sql.examine import Examined
    from dagster_contracts.sql.files import File, ProjectFiles
    from dagster_contracts.sql.project import Model, ModelContract, Project
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
    """

    config: Config
    project: Project
    sources: Mapping[str, Relation]
    examined: Examined
    findings: tuple[Diagnostic, ...]
    texts: Mapping[str, str]


def check(path: str | PathLike[str] = ".", *, strict: bool | None = None) -> Report:
    """Check every contract of a project of SQL models, without a warehouse and without data.

    Args:
        path: The project's folder, or its `contracts.toml`.
        strict: Whether what cannot be verified is an error; by default what the configuration says.

    Returns:
        Every finding, every model with its columns, and how many promises were held, broken and not verified.

    Raises:
        ContractParseError: There is no `contracts.toml` there.
    """
    return report(load(find_config(path)), strict=strict)


def find_config(path: str | PathLike[str]) -> Path:
    """The configuration of the project at a path.

    Raises:
        ContractParseError: There is none.
    """
    file = Path(path)
    file = file / FILE_NAME if file.is_dir() else file
    if not file.is_file():
        raise ContractParseError(f"There is no {FILE_NAME} at {str(path)!r}: `dagster-contracts init` makes one.")
    return file.absolute()


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
    return Loaded(config, project, sources.tables, examined, (*findings, *sources.findings), {**texts, **sources.texts})


def report(loaded: Loaded, *, strict: bool | None = None, locked: Mapping[str, Relation] | None = None) -> Report:
    """Hold every model against its contract.

    Args:
        loaded: The project.
        strict: Whether what cannot be verified is an error; by default what the configuration says.
        locked: What each model returned when the lock was written.
    """
    project, examined = loaded.project, loaded.examined
    is_strict = loaded.config.strict if strict is None else strict
    models = {model.name: model for model in project.models}
    findings: list[Diagnostic] = [*project.findings]
    verdicts: list[Verdict] = []
    for name, analysis in examined.analyses.items():
        if analysis.finding is not None and analysis.finding not in findings:
            findings.append(analysis.finding)
        if analysis.is_behind and name not in project.contracts:
            message = "the model was not looked at"
            span = start_of(models[name].path)
            findings.append(not_verified(name, message, strict=is_strict, reasons=analysis.reasons, source=span))
    for contract in project.contracts.values():
        found, ended = _check(contract, loaded, models, is_strict, (locked or {}).get(contract.model))
        findings += found
        verdicts += ended
    return Report(
        version=version("dagster-contracts"),
        summary=Summary(*(verdicts.count(one) for one in (Verdict.HELD, Verdict.BROKEN, Verdict.NOT_VERIFIED))),
        models=tuple(_reported(model, loaded) for model in sorted([*project.models, *project.duplicates], key=_order)),
        diagnostics=(*loaded.findings, *sorted(findings, key=lambda found: found.model)),
        texts=loaded.texts,
    )


def _check(
    contract: ModelContract,
    loaded: Loaded,
    models: Mapping[str, Model],
    strict: bool,
    locked: Relation | None,  # noqa: FBT001
) -> tuple[list[Diagnostic], list[Verdict]]:
    """One contract: its findings, and how each of its promises ended."""
    count = max(1, count_promises(contract.promises)) if not contract.is_readable else count_promises(contract.promises)
    unknown = [Verdict.NOT_VERIFIED] * count
    at = start_of(contract.path)
    if contract.model not in models:
        if contract.model.lower() in {model.name.lower() for model in loaded.project.duplicates}:
            return [], unknown
        return [_no_model(contract, models)], unknown
    analysis = loaded.examined.analyses[contract.model]
    if not contract.is_readable or analysis.finding is not None:
        return [], unknown
    model = models[contract.model]
    if analysis.relation is None:
        message = f"its columns are not known, so none of its contract's {count} promises could be looked at"
        source = start_of(model.path)
        if not count:
            return [], []
        return [
            not_verified(model.name, message, strict=strict, reasons=analysis.reasons, contract=at, source=source)
        ], unknown
    checked = check_contract(
        Contracted(
            model=model.name,
            dialect=model.dialect,
            file=contract.path,
            promises=contract.promises,
            output=analysis.relation,
            span=start_of(model.path),
            locked=locked,
            strict=strict,
            assignable=loaded.config.assignable,
        )
    )
    return list(checked.findings), list(checked.verdicts)


def _no_model(contract: ModelContract, models: Iterable[str]) -> Diagnostic:
    """The finding about a contract without a model."""
    hint = did_you_mean(contract.model, models).strip() or None
    message = f"the contract is for a model {contract.model}, and the project has none; nothing of it was checked"
    return Diagnostic("W011", "warning", message, contract.model, contract=start_of(contract.path), hint=hint)


def _config(file: File, path: Path) -> tuple[Config, tuple[Diagnostic, ...]]:
    """The configuration and what is wrong with it."""
    if file.text is None:
        return Config(path.parent, path.name), (unreadable(path.name, file),)
    config, problems = parse_config(file.text, path)
    return config, from_problems(CONFIG, path.name, path.name, problems)


def _all(config: File, files: ProjectFiles) -> Iterable[File]:
    return (config, *files.models, *files.sidecars, *files.contracts, *files.beside, *files.strays)


def _reported(model: Model, loaded: Loaded) -> ReportedModel:
    analysis = loaded.examined.analyses.get(model.name)
    relation = analysis.relation if analysis else None
    columns = () if relation is None else relation.columns
    return ReportedModel(
        name=model.name,
        path=model.path,
        dialect=model.dialect,
        columns=tuple(
            ReportedColumn(column.name, None if column.type is None else str(column.type), column.nullable)
            for column in columns
        ),
    )


def _order(model: Model) -> tuple[str, str]:
    return model.name, model.path
