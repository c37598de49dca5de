"""What is known of each model of a project before anything runs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from dagster_contracts.sql.contract_rules import ContractRules, contract_rules
from dagster_contracts.sql.lineage import Source, column_lineage
from dagster_contracts.sql.references import find_references
from dagster_contracts.sql.report import build_report

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.diagnostics.finding import Diagnostic, Report
    from dagster_contracts.sql.load import Loaded
    from dagster_contracts.sql.project import Model, ModelContract
    from dagster_contracts.sql.relation import Relation

EVERY_KIND = ContractRules(has_required=True, has_protected=True, has_column_constraints=True)
"""The checks of a contract that cannot be read: whatever it declares, all of it is not verified."""


@dataclass(frozen=True)
class ProjectModel:
    """One model, as it was checked.

    Args:
        model: What its files say.
        contract: Its contract, if it has one.
        rules: The kinds of rules that the contract declares; `None` without any.
        output: What it returns; `None` where that is not known.
        reads: The models that it reads.
        sources: The other tables that it reads, as they are written.
        lineage: What each column is made of.
        locked: What it returned when the lock was written, if there is a lock that knows it.
        findings: What was found about it.
        content_hash: Changes when the model, its contract or what it reads does.
    """

    model: Model
    contract: ModelContract | None
    rules: ContractRules | None
    output: Relation | None
    reads: tuple[str, ...]
    sources: tuple[str, ...]
    lineage: Mapping[str, tuple[Source, ...]]
    locked: Relation | None
    findings: tuple[Diagnostic, ...]
    content_hash: str

    @property
    def is_verifiable(self) -> bool:
        """Whether the contract was held against anything: it can be read, and the model's columns are known."""
        return self.output is not None and (self.contract is None or self.contract.is_readable)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What keeps the model from running."""
        return tuple(found for found in self.findings if found.severity == "error")


def project_models(loaded: Loaded, *, strict: bool | None = None) -> tuple[dict[str, ProjectModel], Report]:
    """Check every model of a project.

    Args:
        loaded: The project.
        strict: Whether what cannot be verified keeps a model from running; by default what the configuration says.

    Returns:
        The models by name, and the report on all of them.
    """
    report = build_report(loaded, strict=strict)
    is_strict = loaded.config.strict if strict is None else strict
    models = {model.name: _model(model, loaded, report, strict=is_strict) for model in loaded.project.models}
    return models, report


def _model(model: Model, loaded: Loaded, report: Report, *, strict: bool) -> ProjectModel:
    examined, contract = loaded.examined, loaded.project.contracts.get(model.name)
    tables, query = examined.tables.get(model.name, {}), examined.queries.get(model.name)
    reads = examined.reads.get(model.name, ())
    taken = {name.lower() for name in reads}
    references = find_references(query, model.dialect) if query is not None else ()
    sources = [one.written for one in references if one.parts > 1 or one.folded.lower() not in taken]
    rules = contract_rules(contract.promises) if contract is not None and contract.is_readable else EVERY_KIND
    return ProjectModel(
        model=model,
        contract=contract,
        rules=None if contract is None or rules.is_empty else rules,
        output=examined.analyses[model.name].relation,
        reads=reads,
        sources=tuple(sources),
        lineage=column_lineage(model.sql or "", model.dialect, tables),
        locked=_locked(loaded, model.name),
        findings=tuple(found for found in report.diagnostics if found.model == model.name),
        content_hash=_content_hash(model, contract, loaded, strict=strict),
    )


def _content_hash(model: Model, contract: ModelContract | None, loaded: Loaded, *, strict: bool) -> str:
    """Everything that the answer depends on, in sixteen letters."""
    tables = loaded.examined.tables.get(model.name, {})
    read = {name: _facts(table) for name, table in tables.items()}
    locked = _locked(loaded, model.name)
    words = [
        version("dagster-contracts"),
        model.sql,
        model.dialect,
        loaded.texts.get(contract.path) if contract is not None else None,
        strict,
        loaded.config.assignable,
        sorted(loaded.config.functions),
        sorted(read.items()),
        _facts(locked) if locked is not None else None,
    ]
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]


def _facts(table: Relation) -> list[tuple[str, str, bool | None]]:
    """What an answer can depend on of a table."""
    return [(column.name, str(column.type), column.nullable) for column in table.columns]


def _locked(loaded: Loaded, name: str) -> Relation | None:
    """What the lock says of a model."""
    known = loaded.locked.get(name)
    return None if known is None else known.output
