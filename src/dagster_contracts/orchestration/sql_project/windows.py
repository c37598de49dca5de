"""The partition of a run, in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dagster as dg

from dagster_contracts import errors
from dagster_contracts.orchestration.sql_project.execution import Slice
from dagster_contracts.orchestration.sql_project.quoting import literal
from dagster_contracts.sql.bounds import find_bounds, put_bounds

if TYPE_CHECKING:
    from datetime import datetime


def bound(model: str, sql: str, context: dg.AssetExecutionContext) -> str:
    """A model's query with the bounds of the run's partition in it.

    Args:
        model: The model's name.
        sql: Its text.
        context: The running step.

    Raises:
        SqlModelError: The query asks for bounds that the run does not have.
    """
    asked = find_bounds(sql)
    if not asked:
        return sql
    values = _values(context)
    missing = sorted(asked - values.keys())
    if missing:
        raise errors.SqlModelError(
            f"{model} asks for {', '.join(missing)}, and the run has none: give the model partitions of time windows "
            "in translation (partitions_def), or use @partition_key."
        )
    return put_bounds(sql, values)


def replaced_slice(model: str, column: str | None, context: dg.AssetExecutionContext) -> Slice | None:
    """The part of a model's table that a run replaces; `None` for all of it.

    Args:
        model: The model's name.
        column: The column that the table is cut by, if it names one.
        context: The running step.

    Raises:
        SqlModelError: The model has partitions, and the run has none or more than one slice can hold, or the model does
            not say by which column its table is cut.
    """
    if context.assets_def.partitions_def is None:
        return None
    if column is None:
        raise errors.SqlModelError(
            f"{model} has partitions, and its sidecar does not say by which column its table is cut, so one partition "
            'would replace all others. Add partition_by = "<column>" to the TOML file beside the model.'
        )
    values = _values(context)
    if "@partition_start" in values:
        return Slice(column, values["@partition_start"], values["@partition_end"])
    if "@partition_key" in values:
        return Slice(column, values["@partition_key"], None)
    count = "several" if context.has_partition_key_range else "none"
    raise errors.SqlModelError(
        f"{model} has partitions, and the run has {count}, so it would replace rows of partitions that it does not "
        "make. Run one partition at a time."
    )


def _values(context: dg.AssetExecutionContext) -> dict[str, str]:
    """The bounds that the run has, as SQL literals; those of a range of time windows are its first and its last."""
    if not context.has_partition_key and not context.has_partition_key_range:
        return {}
    values = {"@partition_key": literal(context.partition_key)} if context.has_partition_key else {}
    if isinstance(context.assets_def.partitions_def, dg.TimeWindowPartitionsDefinition):
        window = context.partition_time_window
        values |= {"@partition_start": _timestamp(window.start), "@partition_end": _timestamp(window.end)}
    return values


def _timestamp(at: datetime) -> str:
    """A moment on the clocks of the partition's own time zone."""
    return f"TIMESTAMP {literal(at.replace(tzinfo=None).isoformat(sep=' '))}"
