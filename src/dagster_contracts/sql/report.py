"""A project that was worked out -> a report on its contracts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.contract.verdict import Verdict
from dagster_contracts.diagnostics.finding import Diagnostic, Report, ReportedColumn, ReportedModel, Summary
from dagster_contracts.sql.contract_check import check_contract, count_promises
from dagster_contracts.sql.contract_findings import Contracted, not_verified
from dagster_contracts.sql.positions import span_of, start_of
from dagster_contracts.sql.versions import package_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dagster_contracts.diagnostics.finding import Span
    from dagster_contracts.sql.load import Loaded
    from dagster_contracts.sql.project import Model, ModelContract
    from dagster_contracts.sql.relation import Relation


def build_report(
    loaded: Loaded,
    *,
    strict: bool | None = None,
    only: set[str] | None = None,
) -> Report:
    """Hold every model against its contract.

    Args:
        loaded: The project.
        strict: Whether what cannot be verified is an error; by default what the configuration says.
        only: The models that are reported; all of them by default.
    """
    project, examined = loaded.project, loaded.examined
    is_strict = loaded.config.strict if strict is None else strict
    models = {model.name: model for model in project.models}
    findings: list[Diagnostic] = [*project.findings]
    verdicts: list[Verdict] = []
    for name, analysis in examined.analyses.items():
        if analysis.finding is not None and analysis.finding not in findings:
            findings.append(analysis.finding)
        contract = project.contracts.get(name)
        if analysis.is_behind and (contract is None or not count_promises(contract.promises)):
            message = f"`{name}` was not looked at"
            span = analysis.place or _output_span(models[name])
            findings.append(not_verified(name, message, strict=is_strict, reasons=analysis.reasons, source=span))
    for contract in project.contracts.values():
        if only is not None and contract.model not in only:
            continue
        locked = loaded.locked.get(contract.model)
        found, ended = _check(contract, loaded, models, locked.output if locked else None, strict=is_strict)
        findings += found
        verdicts += ended
    every = sorted([*project.models, *project.duplicates], key=lambda model: (model.name, model.path))
    shown = [found for found in findings if only is None or found.model in only]
    return Report(
        version=package_version(),
        summary=Summary(*(verdicts.count(one) for one in (Verdict.HELD, Verdict.BROKEN, Verdict.NOT_VERIFIED))),
        models=tuple(_reported(model, loaded) for model in every if only is None or model.name in only),
        diagnostics=(*loaded.findings, *sorted(shown, key=lambda found: found.model)),
        texts=loaded.texts,
    )


def _check(
    contract: ModelContract,
    loaded: Loaded,
    models: Mapping[str, Model],
    locked: Relation | None,
    *,
    strict: bool,
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
        promises = f"{count} promise{'' if count == 1 else 's'}"
        message = f"the columns of `{model.name}` are not known, so none of its {promises} could be looked at"
        source = analysis.place or _output_span(model)
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
            path=model.path,
            sql=model.sql or "",
            locked=locked,
            strict=strict,
            assignable=loaded.config.assignable,
        )
    )
    return list(checked.findings), list(checked.verdicts)


def _output_span(model: Model) -> Span:
    """Where a model says what it returns."""
    from dagster_contracts.sql.select_list import output_place  # noqa: PLC0415  (imports the SQL parser)

    place = output_place(model.sql or "", model.dialect)
    return start_of(model.path) if place is None else span_of(model.path, model.sql or "", *place)


def _no_model(contract: ModelContract, models: Iterable[str]) -> Diagnostic:
    """The finding about a contract without a model."""
    hint = did_you_mean(contract.model, models).strip() or None
    message = f"the contract is for a model {contract.model}, and the project has none; nothing of it was checked"
    return Diagnostic("W011", "warning", message, contract.model, contract=start_of(contract.path), hint=hint)


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
