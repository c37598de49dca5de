"""`dc.check_definitions`: what contract assets return, against what they promise, before any run."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import dagster as dg

from dagster_contracts.diagnostics.finding import Diagnostic, Report, ReportedColumn, ReportedModel, Summary
from dagster_contracts.errors import UsageError
from dagster_contracts.orchestration.dry_run import place
from dagster_contracts.orchestration.dry_run.inputs import contract_assets, contract_tables
from dagster_contracts.orchestration.dry_run.judge import Judged, judge
from dagster_contracts.orchestration.dry_run.probe import probe
from dagster_contracts.orchestration.dry_run.sql_models import check_sql, placed, sql_assets, sql_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dagster_contracts.orchestration.dry_run.inputs import Asset

TIME_LIMIT = 10.0


def check_definitions(defs: dg.Definitions | Callable[[], dg.Definitions], *, time_limit: float = TIME_LIMIT) -> Report:
    """Check, before any run, that what contract assets return has the columns that their contracts promise.

    Every asset that `dc.asset` made and whose inputs all have contracts is called with frames that it could get: with
    the columns of those contracts and without rows, then with made-up rows. Nothing is written, no resource is started,
    nothing outside is read: a function that tries is stopped. Whatever keeps a promise from being decided makes it
    *not verified*, with the reason.

    Args:
        defs: The code location, as `dg.definitions` gives it.
        time_limit: Seconds that one call may take.

    Returns:
        The findings, and how many promises were held, broken and not verified.

    Raises:
        UsageError: It is no `dg.Definitions`, or they do not load.
    """
    definitions = _definitions(defs)
    assets, models = contract_assets(definitions), sql_assets(definitions)
    tables = contract_tables(assets)
    projects = check_sql(models, tables)
    tables |= sql_tables(models, projects)
    ordered = sorted((asset for asset in assets.values() if asset.contract.fields), key=lambda asset: asset.name)
    frames = report_of([(asset, judge(asset, probe(asset, tables, time_limit))) for asset in ordered])
    return joined([frames, *(placed(loaded, report) for loaded, report in projects)])


def joined(reports: Iterable[Report]) -> Report:
    """Several reports as one."""
    every = list(reports)
    return Report(
        version=every[0].version,
        summary=Summary(
            held=sum(one.summary.held for one in every),
            broken=sum(one.summary.broken for one in every),
            not_verified=sum(one.summary.not_verified for one in every),
        ),
        models=tuple(model for one in every for model in one.models),
        diagnostics=tuple(found for one in every for found in one.diagnostics),
        texts={file: text for one in every for file, text in one.texts.items()},
    )


def report_of(judged: Iterable[tuple[Asset, Judged]]) -> Report:
    """What was found out of several assets, as one report."""
    models, found, counts = [], [], [0, 0, 0]
    for asset, one in judged:
        models.append(_model(asset, one))
        found += one.diagnostics
        counts = [total + more for total, more in zip(counts, (one.held, one.broken, one.not_verified), strict=True)]
    return Report(version("dagster-contracts"), Summary(*counts), tuple(models), tuple(found), _texts(found))


def _definitions(defs: object) -> list[dg.AssetsDefinition]:
    try:
        loaded = defs() if callable(defs) else defs
        if not isinstance(loaded, dg.Definitions):
            raise UsageError(f"dc.check_definitions takes dg.Definitions; got {type(loaded).__name__}.")
        return list({id(one): one for one in loaded.get_repository_def().assets_defs_by_key.values()}.values())
    except dg.DagsterError as error:
        raise UsageError(f"The definitions do not load: {error}") from error


def _model(asset: Asset, judged: Judged) -> ReportedModel:
    span = place.function_span(asset.fn)
    columns = tuple(
        ReportedColumn(name, str(dtype), judged.nulls.get(name)) for name, dtype in (judged.schema or {}).items()
    )
    return ReportedModel(asset.name, span.file if span else "", None, columns)


def _texts(found: Iterable[Diagnostic]) -> Mapping[str, str]:
    files = {span.file for one in found for span in (one.source, one.contract) if span is not None}
    texts = {file: place.text_of(file) for file in files}
    return {file: text for file, text in texts.items() if text is not None}
