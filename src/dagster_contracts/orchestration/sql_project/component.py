"""`dc.SqlProjectComponent`: a folder of SQL models becomes assets."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import dagster as dg
from dagster.components.utils.translation import TranslationFn, TranslationFnResolver
from pydantic import Field

from dagster_contracts.diagnostics.text import render
from dagster_contracts.errors import ContractParseError
from dagster_contracts.orchestration.signature import context_parameter, set_parameters
from dagster_contracts.orchestration.sql_checks import contract_check_specs_for_model
from dagster_contracts.orchestration.sql_project.database import Database
from dagster_contracts.orchestration.sql_project.inputs import LoadedSource
from dagster_contracts.orchestration.sql_project.models import ProjectModel, project_models
from dagster_contracts.orchestration.sql_project.scaffolder import SqlProjectScaffolder
from dagster_contracts.orchestration.sql_project.specs import default_spec, lineage_metadata
from dagster_contracts.orchestration.sql_project.step import STEP, Events, Step, execute
from dagster_contracts.orchestration.sql_project.tables import SqlTables
from dagster_contracts.sql.load import Loaded, load
from dagster_contracts.sql.project import Model

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LOGGER = logging.getLogger("dagster_contracts")


class SqlSource(dg.Model, dg.Resolvable):
    """A table that the models read and that is no model."""

    key: Annotated[
        str | None, Field(description="Its asset's key, such as raw/orders; by default its name, cut at the dots.")
    ] = None
    load: Annotated[
        bool,
        Field(
            description="Whether the asset's IO manager is asked for it, as a pl.LazyFrame; else it is a table of the "
            "database."
        ),
    ] = False
    allow_missing_partitions: Annotated[
        bool, Field(description="Whether partitions without data are left out, where load is true.")
    ] = False


@dg.scaffold_with(SqlProjectScaffolder)
class SqlProjectComponent(dg.Component, dg.Model, dg.Resolvable):
    """A project of SQL models as assets, each run on DuckDB only if its contract holds."""

    config_path: Annotated[str, Field(description="The project's contracts.toml, from the folder of defs.yaml.")] = (
        "contracts.toml"
    )
    models_dir: Annotated[
        str | None, Field(description="The folder of the models, from the project's; else as contracts.toml says.")
    ] = None
    contracts_dir: Annotated[
        str | None, Field(description="The folder of the contracts, from the project's; else as contracts.toml says.")
    ] = None
    database: Annotated[str, Field(description="The DuckDB file of the tables, from the project's folder.")] = (
        "warehouse.duckdb"
    )
    wait_seconds: Annotated[
        float, Field(description="How long a model waits while another process has the database open.", ge=0)
    ] = 300.0
    strict: Annotated[
        bool | None,
        Field(description="Whether what cannot be verified keeps a model from running; else as contracts.toml says."),
    ] = None
    sources: Annotated[
        dict[str, SqlSource], Field(default_factory=dict, description="Tables that are no models, by name.")
    ]
    translation: Annotated[
        TranslationFn[Model] | None,
        TranslationFnResolver(template_vars_for_translation_fn=lambda model: {"model": model}),
    ] = None

    @classmethod
    def get_spec(cls) -> dg.ComponentTypeSpec:
        """What `dg list components` says of it."""
        return dg.ComponentTypeSpec(
            description="SQL models as assets, each held against its contract before it runs.",
            tags=["sql", "duckdb", "contracts"],
            produces=["asset", "asset_check", "resource"],
        )

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """The models' assets, their contracts' checks, and what loads their tables.

        Raises:
            ContractParseError: There is no `contracts.toml` at `config_path`.
        """
        config = (context.path / self.config_path).resolve()
        if not config.is_file():
            raise ContractParseError(f"There is no project at {config}: config_path names its contracts.toml.")
        loaded = load(config, models_dir=self.models_dir, contracts_dir=self.contracts_dir)
        return project_definitions(self, loaded)


def project_definitions(component: SqlProjectComponent, loaded: Loaded) -> dg.Definitions:
    """A project's assets.

    Args:
        component: How they are asked for.
        loaded: The project.
    """
    models, report = project_models(loaded, strict=component.strict)
    others = tuple(found for found in report.diagnostics if found.model not in models)
    if others:
        _LOGGER.warning("%s", render(replace(report, diagnostics=others)))
    database = Database(str((loaded.config.root / component.database).resolve()), component.wait_seconds)
    tables = f"sql_tables_{hashlib.sha256(database.path.encode()).hexdigest()[:8]}"
    specs = {name: _spec(component, one, loaded.config.root, tables) for name, one in models.items()}
    keys = {name: spec.key for name, spec in specs.items()}
    assets = []
    for name, one in models.items():
        sources = {source: _source_key(component, source) for source in one.sources}
        read = {**{model: keys[model] for model in one.reads}, **sources}
        step = Step(
            one=one,
            sql=loaded.texts.get(one.model.path, ""),
            project=loaded,
            report=report,
            key=keys[name],
            keys=read,
            loaded=_loaded(component, sources),
            database=database,
            strict=component.strict,
        )
        assets.append(_asset(step, specs[name]))
    return dg.Definitions(
        assets=assets, resources={tables: SqlTables(database=database.path, wait_seconds=component.wait_seconds)}
    )


def _spec(component: SqlProjectComponent, one: ProjectModel, root: Path, tables: str) -> dg.AssetSpec:
    """A model's asset, as the project and then the translation describe it."""
    spec = default_spec(one, root, tables)
    return component.translation(spec, one.model) if component.translation is not None else spec


def _source(component: SqlProjectComponent, name: str) -> SqlSource:
    """What is said of a source, whatever the case of its name."""
    said = {source.lower(): found for source, found in component.sources.items()}
    return said.get(name.lower(), SqlSource())


def _source_key(component: SqlProjectComponent, name: str) -> dg.AssetKey:
    """The asset that a source is."""
    key = _source(component, name).key
    return dg.AssetKey.from_user_string(key) if key is not None else dg.AssetKey(name.split("."))


def _loaded(component: SqlProjectComponent, keys: Mapping[str, dg.AssetKey]) -> dict[str, LoadedSource]:
    """The sources that IO managers are asked for, by name."""
    said = {name: _source(component, name) for name in keys}
    return {name: LoadedSource(keys[name], one.allow_missing_partitions) for name, one in said.items() if one.load}


def _asset(step: Step, spec: dg.AssetSpec) -> dg.AssetsDefinition:
    """One model's asset and its contract's checks, which can be run without it."""
    checks = contract_check_specs_for_model(step.key, step.one.rules) if step.one.rules is not None else ()

    decorate = dg.multi_asset(
        name=step.key.to_python_identifier(),
        specs=[spec.merge_attributes(deps=set(step.keys.values()), metadata=lineage_metadata(step.one, step.keys))],
        check_specs=list(checks),
        can_subset=True,
    )

    def model(context: dg.AssetExecutionContext) -> Events:
        yield from execute(step, context)

    set_parameters(model, [context_parameter()])
    setattr(model, STEP, step)
    return decorate(model)
