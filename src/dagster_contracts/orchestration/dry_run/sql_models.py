"""SQL models of a code location: held to contracts of the assets that they read, and read by functions in turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dagster_contracts.contract.fields import Contract, FieldSpec
from dagster_contracts.contract.type_polars import to_polars
from dagster_contracts.contract.types import Type
from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.dry_run.inputs import Table
from dagster_contracts.orchestration.dry_run.made_up import is_family
from dagster_contracts.orchestration.dry_run.place import shown
from dagster_contracts.orchestration.sql_project.step import STEP, Step
from dagster_contracts.sql.examine import examine
from dagster_contracts.sql.relation import Column, Relation
from dagster_contracts.sql.report import build_report

_NO_SQL_TYPE = frozenset({"Interval", "Variant"})
"""Types that a frame and a DuckDB table do not hold alike."""

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import dagster as dg
    import polars as pl

    from dagster_contracts.diagnostics.finding import Report, Span
    from dagster_contracts.sql.load import Loaded


@dataclass(frozen=True, eq=False)
class SqlAsset:
    """A SQL model of a code location.

    Args:
        definition: Dagster's definition.
        step: What its step is made of.
    """

    definition: dg.AssetsDefinition
    step: Step


def sql_assets(definitions: Iterable[dg.AssetsDefinition]) -> list[SqlAsset]:
    """The assets among these that a `dc.SqlProjectComponent` made."""
    found = []
    for definition in definitions:
        step = getattr(internals.decorated_function(definition), STEP, None)
        if isinstance(step, Step):
            found.append(SqlAsset(definition, step))
    return found


def check_sql(assets: Iterable[SqlAsset], tables: Mapping[dg.AssetKey, Table]) -> list[tuple[Loaded, Report]]:
    """Check the models' projects again, with the contracts of the assets that they read in place of declared sources.

    Args:
        assets: The models.
        tables: The tables whose columns are known, by their assets' keys.

    Returns:
        Each project as it was found and the report on it.
    """
    projects: dict[int, tuple[Loaded, list[SqlAsset]]] = {}
    for asset in assets:
        projects.setdefault(id(asset.step.project), (asset.step.project, []))[1].append(asset)
    return [_check(loaded, members, tables) for loaded, members in projects.values()]


def sql_tables(assets: Iterable[SqlAsset], projects: Iterable[tuple[Loaded, Report]]) -> dict[dg.AssetKey, Table]:
    """The tables that models write, as assets downstream are given them, by their assets' keys."""
    outputs = {
        (id(loaded.project), name): analysis.relation
        for loaded, _ in projects
        for name, analysis in loaded.examined.analyses.items()
    }
    return {
        asset.step.key: _table(asset, outputs[id(asset.step.project.project), asset.step.one.model.name])
        for asset in assets
    }


def placed(loaded: Loaded, report: Report) -> Report:
    """A project's report with its files named from the current folder, as other assets' are."""

    def file(path: str) -> str:
        return shown(str(loaded.config.root / path))

    def span(at: Span | None) -> Span | None:
        return None if at is None else replace(at, file=file(at.file))

    return replace(
        report,
        models=tuple(replace(model, path=file(model.path)) for model in report.models),
        diagnostics=tuple(
            replace(found, contract=span(found.contract), source=span(found.source)) for found in report.diagnostics
        ),
        texts={file(path): text for path, text in report.texts.items()},
    )


def _check(loaded: Loaded, members: list[SqlAsset], tables: Mapping[dg.AssetKey, Table]) -> tuple[Loaded, Report]:
    """One project, with contracts in the place of sources."""
    sources = dict(loaded.sources)
    for member in members:
        for name in member.step.one.sources:
            table = tables.get(member.step.keys[name])
            if table is not None:
                for known in [known for known in sources if known.lower() == name.lower()]:
                    del sources[known]
                if table.trouble is None:
                    sources[name] = Relation(name, tuple(_column(table, spec) for spec in table.contract.fields))
    examined = examine(loaded.project, sources, loaded.config.dialect, functions=loaded.config.functions)
    found = replace(loaded, sources=sources, examined=examined)
    return found, build_report(found, strict=members[0].step.strict)


def _column(table: Table, spec: FieldSpec) -> Column:
    """A column of a contract as SQL reads it."""
    nullable = table.source.nulls[spec.name]
    why = "can be NULL" if nullable else "may be NULL or not"
    known = spec.column_type if not is_family(spec) and spec.column_type.name not in _NO_SQL_TYPE else None
    return Column(
        name=spec.name,
        type=known,
        nullable=nullable,
        reasons=() if nullable is False else (f"{table.name}.{spec.name} {why}, as the contract of the asset is",),
        type_reasons=() if known else (f"the type that DuckDB gives {table.name}.{spec.name} is not known",),
    )


def _table(asset: SqlAsset, output: Relation | None) -> Table:
    """A model's table."""
    step, name = asset.step, asset.step.key.to_user_string()
    fields: list[FieldSpec] = []
    trouble = None if output is not None else f"the columns of its input {name} are not known"
    for column in output.columns if output is not None else ():
        dtype = _dtype(column.type)
        if dtype is None:
            trouble = trouble or f"the dtype of `{column.name}` in its input {name} is not known"
        else:
            fields.append(_field(column, dtype))
    contract = Contract(step.one.model.name, None, tuple(fields), (), step.one.content_hash)
    unknown = frozenset(column.name for column in output.columns if column.nullable is None) if output else frozenset()
    return Table(name, contract, asset.definition.partitions_def, trouble, unknown)


def _field(column: Column, dtype: pl.DataType) -> FieldSpec:
    return FieldSpec(
        name=column.name,
        type=column.type or Type("Variant"),
        dtype=dtype,
        type_text=str(dtype),
        accepts=lambda other: other == dtype,
        nullable=column.nullable is not False,
    )


def _dtype(type_: Type | None) -> pl.DataType | None:
    """The dtype that a column of a DuckDB table is loaded in."""
    if type_ is None or type_.name in _NO_SQL_TYPE:
        return None
    try:
        return to_polars(type_)
    except UnknownTypeError:
        return None
