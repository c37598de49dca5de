"""What Dagster is told of a model before its first run."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import dagster as dg

from dagster_contracts.orchestration.sql_project.tables import TABLE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dagster_contracts.orchestration.sql_project.models import ProjectModel
    from dagster_contracts.sql.relation import Column, Relation

CONTENT_HASH = "contract/content_hash"
"""Metadata of a model's asset and of its checks: which text of the model and its contract was checked."""


def default_spec(one: ProjectModel, root: Path, io_manager_key: str) -> dg.AssetSpec:
    """A model's asset as its own files describe it; `translation` may say otherwise.

    Args:
        one: The model.
        root: The folder that the project's paths are relative to.
        io_manager_key: Loads the model's table for assets downstream.
    """
    model = one.model
    return dg.AssetSpec(
        key=dg.AssetKey(model.name),
        description=model.description or _comment(model.sql or ""),
        owners=[_owner(model.owner)] if model.owner else None,
        tags=model.tags,
        kinds={model.dialect, "sql", model.materialized},
        code_version=one.content_hash,
        metadata={
            TABLE: model.name,
            CONTENT_HASH: one.content_hash,
            **_code(one, root),
            **(columns_metadata(one.output, one) if one.output is not None else {}),
        },
    ).with_io_manager_key(io_manager_key)


def columns_metadata(output: Relation, one: ProjectModel) -> dict[str, Any]:
    """The columns as the Columns tab shows them.

    Args:
        output: What the model returns, or returned.
        one: The model, whose contract describes the columns.
    """
    described = (
        {column.name.lower(): column.description for column in one.contract.promises.columns} if one.contract else {}
    )
    columns = [_column(column, described.get(column.name.lower())) for column in output.columns]
    return {"dagster/column_schema": dg.TableSchema(columns)}


def lineage_metadata(one: ProjectModel, keys: Mapping[str, dg.AssetKey]) -> dict[str, Any]:
    """What each column is made of, by asset.

    Args:
        one: The model.
        keys: The assets' keys, by the names of the models and sources.
    """
    by_name = {name.lower(): key for name, key in keys.items()}
    deps = {
        column: [dg.TableColumnDep(by_name[table.lower()], name) for table, name in sources if table.lower() in by_name]
        for column, sources in one.lineage.items()
    }
    deps = {column: found for column, found in deps.items() if found}
    return {"dagster/column_lineage": dg.TableColumnLineage(deps)} if deps else {}


def _column(column: Column, description: str | None) -> dg.TableColumn:
    unknown = ["NULL not ruled out"] if column.nullable is None else []
    return dg.TableColumn(
        name=column.name,
        type="not known" if column.type is None else str(column.type),
        description=description,
        constraints=dg.TableColumnConstraints(nullable=column.nullable is not False, other=unknown),
    )


def _owner(name: str) -> str:
    """An owner as Dagster writes one: an address, or a team."""
    return name if "@" in name or name.startswith("team:") else f"team:{name}"


def _comment(sql: str) -> str | None:
    """The comment that a model begins with."""
    lines = []
    for line in sql.lstrip().splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.lstrip("-").strip())
    return "\n".join(lines) or None


def _code(one: ProjectModel, root: Path) -> dict[str, Any]:
    """Links to the model's file and its contract's."""
    files = [("model", one.model.path)] + ([("contract", one.contract.path)] if one.contract else [])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)  # Dagster warns whoever links to a file
        references = [
            dg.LocalFileCodeReference(file_path=str(root / path), line_number=1, label=label) for label, path in files
        ]
        return {"dagster/code_references": dg.CodeReferencesMetadataValue(code_references=list(references))}
