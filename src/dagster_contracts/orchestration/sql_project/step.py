"""One model's step: nothing is run if the contract would break, and nothing is kept if it did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import dagster as dg

from dagster_contracts import errors
from dagster_contracts.diagnostics.text import render
from dagster_contracts.orchestration.failures import as_failures, raise_as_failure
from dagster_contracts.orchestration.sql_checks import CONTRACT_ERRORS, contract_check_results_from_diagnostics
from dagster_contracts.orchestration.sql_project.execution import Query, Written, noted, run
from dagster_contracts.orchestration.sql_project.inputs import LoadedSource, staged_inputs
from dagster_contracts.orchestration.sql_project.look import broken_promises, returned
from dagster_contracts.orchestration.sql_project.specs import CONTENT_HASH, columns_metadata, lineage_metadata
from dagster_contracts.orchestration.sql_project.windows import bound, replaced_slice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dagster_contracts.diagnostics.finding import Diagnostic, Report
    from dagster_contracts.orchestration.sql_project.database import Database
    from dagster_contracts.orchestration.sql_project.models import ProjectModel
    from dagster_contracts.sql.load import Loaded

Events: TypeAlias = Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]
"""What a model's step yields."""


STEP = "__dagster_contracts_step__"
"""Where a model's function keeps its `Step`."""


@dataclass(frozen=True)
class Step:
    """What one model's step needs.

    Args:
        one: The model.
        sql: The text of its file.
        project: Its project.
        report: The report on it.
        key: Its asset.
        keys: The assets' keys, by the names of the models and sources that it reads.
        loaded: The sources that are loaded by their assets' IO managers, by name.
        database: Where its table is.
        strict: Whether what cannot be verified keeps a model from running; else as the project says.
    """

    one: ProjectModel
    sql: str
    project: Loaded
    report: Report
    key: dg.AssetKey
    keys: Mapping[str, dg.AssetKey]
    loaded: Mapping[str, LoadedSource]
    database: Database
    strict: bool | None = None

    @property
    def assignable(self) -> bool:
        """Whether a narrower type passes."""
        return self.project.config.assignable


def execute(step: Step, context: dg.AssetExecutionContext) -> Events:
    """Run a model and report its contract's checks, or report the checks alone if they alone were selected.

    Raises:
        ContractViolationError: The contract is broken; the table stands as it was.
        ContractParseError: The contract cannot be read; the table stands as it was.
        SqlModelError: The model cannot be run; the table stands as it was.
        StorageError: The database cannot be opened.
    """
    selected = {check.name for check in context.selected_asset_check_keys}
    if step.key not in context.selected_asset_keys:
        with as_failures():
            note = noted(step.database, step.one.model.name)
        is_stale = note is not None and note != step.one.content_hash
        yield from _of(_stale(step) if is_stale else _compiled(step), selected)
        return
    refusal = _refusal(step)
    if refusal is not None:
        yield from _of(_compiled(step), selected)
        raise_as_failure(refusal)
    with as_failures():
        written, broken = _run(step, context)
    if broken:
        yield from _of(_results(step, (*_unverified(step.one), *broken)), selected)
        raise_as_failure(_violation(step, broken, "what it returned breaks its contract"))
    yield _materialization(step, written, context)
    yield from _of(_results(step, broken_promises(written, step.one, assignable=step.assignable)), selected)


def _run(step: Step, context: dg.AssetExecutionContext) -> tuple[Written, Sequence[Diagnostic]]:
    """Run the model's query, and keep what came out unless it breaks the contract."""
    one = step.one
    broken: list[Diagnostic] = []

    def keep(written: Written) -> bool:
        found = broken_promises(written, one, assignable=step.assignable)
        broken.extend(finding for finding in found if finding.severity == "error")
        return not broken

    with staged_inputs(step.loaded, context) as inputs:
        query = Query(
            model=one.model.name,
            sql=bound(one.model.name, step.sql, context),
            materialized=one.model.materialized,
            inputs=inputs,
            replaces=replaced_slice(one.model.name, one.model.partition_by, context),
            comment=one.content_hash,
        )
        return run(step.database, query, keep), broken


def _refusal(step: Step) -> errors.ContractsError | None:
    """Why a model is not run, if it is not."""
    one = step.one
    if one.contract is not None and not one.contract.is_readable:
        return errors.ContractParseError(
            f"{one.model.name}: its contract {one.contract.path} cannot be read, so the model was not run and its "
            f"table stands as it was.\n{_shown(step, one.findings)}"
        )
    own = [found for found in one.errors if found.code not in CONTRACT_ERRORS]
    if own:
        return errors.SqlModelError(
            f"{one.model.name} cannot be run, and its table stands as it was.\n{_shown(step, own)}"
        )
    return _violation(step, one.errors, "its output would break its contract") if one.errors else None


def _violation(step: Step, found: Sequence[Diagnostic], why: str) -> errors.ContractViolationError:
    return errors.ContractViolationError(
        f"{step.one.model.name}: {why}, so nothing was written and the table stands as it was.\n{_shown(step, found)}"
    )


def _shown(step: Step, found: Sequence[Diagnostic]) -> str:
    """Findings as the command line shows them, without the line of counts."""
    return _rendered(step, found).rsplit("\n", 2)[0].rstrip()


def _rendered(step: Step, found: Sequence[Diagnostic]) -> str:
    return render(replace(step.report, diagnostics=tuple(found)))


def _unverified(one: ProjectModel) -> tuple[Diagnostic, ...]:
    return tuple(found for found in one.findings if found.code == "I003")


def _compiled(step: Step) -> Iterator[dg.AssetCheckResult]:
    """The results of the check that ran before anything did."""
    return _results(step, step.one.findings if step.one.is_verifiable and not _is_wrong(step.one) else None)


def _stale(step: Step) -> Iterator[dg.AssetCheckResult]:
    """The results for a table that another text of the model wrote: what was checked is not what is there."""
    words = (
        "The table was written by another text of the model, of its contract, or of what it reads. Materialize "
        f"{step.key.to_user_string()}."
    )
    for result in _results(step, None):
        status = dg.MetadataValue.text(f"not verified: {words}")
        metadata: dict[str, dg.MetadataValue[Any]] = {
            "contract/stale": dg.MetadataValue.bool(True),
            "contract/status": status,
            CONTENT_HASH: dg.MetadataValue.text(step.one.content_hash),
        }
        yield result._replace(description=words, metadata=metadata)


def _is_wrong(one: ProjectModel) -> bool:
    """Whether the model itself is wrong, so that its contract was held against nothing."""
    return any(found.code not in CONTRACT_ERRORS for found in one.errors)


def _results(step: Step, found: Sequence[Diagnostic] | None) -> Iterator[dg.AssetCheckResult]:
    """A result for each check of the contract, with the text that was checked and where it breaks."""
    one = step.one
    if one.rules is None:
        return
    for result in contract_check_results_from_diagnostics(
        found, asset_key=step.key, model_name=one.model.name, rules=one.rules
    ):
        metadata: dict[str, Any] = {**result.metadata, CONTENT_HASH: one.content_hash}
        if not result.passed and one.findings:
            metadata["contract/report"] = dg.MetadataValue.md(f"```text\n{_shown(step, found or one.findings)}\n```")
        yield result._replace(metadata=metadata)


def _of(results: Iterator[dg.AssetCheckResult], selected: set[str]) -> Iterator[dg.AssetCheckResult]:
    return (result for result in results if result.check_name in selected)


def _materialization(step: Step, written: Written, context: dg.AssetExecutionContext) -> dg.MaterializeResult[Any]:
    """What is said of a table that was written."""
    count = "dagster/partition_row_count" if context.has_partition_key else "dagster/row_count"
    return dg.MaterializeResult(
        asset_key=step.key,
        metadata={
            count: written.row_count,
            "dagster/table_name": step.one.model.name,
            "contract/database": dg.MetadataValue.path(step.database.path),
            CONTENT_HASH: step.one.content_hash,
            **columns_metadata(returned(written, step.one), step.one),
            **lineage_metadata(step.one, step.keys),
        },
    )
