"""Calls an asset's function in every way that its columns could depend on, and keeps what they came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dagster_contracts.errors import AnnotationError
from dagster_contracts.orchestration.dry_run.call import Call, Schema, call
from dagster_contracts.orchestration.dry_run.facts import Fact
from dagster_contracts.orchestration.dry_run.inputs import Input, inputs_of
from dagster_contracts.orchestration.dry_run.nullability import nulls_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import dagster as dg

    from dagster_contracts.orchestration.dry_run.inputs import Asset, Table
    from dagster_contracts.orchestration.dry_run.made_up import Rows

_EAGER = "it computes on eager frames in a way that has no lazy counterpart"
_COLLECTED = "it collects its data on the way, so there is no whole plan"


@dataclass
class Probed:
    """What calling an asset's function found.

    Args:
        schema: The columns that it returns, whatever rows it gets; `None` if that is not known.
        reasons: Why it is not known.
        failure: The error that it raises for the columns that its inputs promise.
        nulls: What is known of each column's nulls.
    """

    schema: Schema | None = None
    reasons: list[str] = field(default_factory=list)
    failure: str | None = None
    nulls: Mapping[str, Fact] = field(default_factory=dict)


def probe(asset: Asset, tables: Mapping[dg.AssetKey, Table], limit: float) -> Probed:
    """Call an asset's function on frames that stand for its inputs.

    Args:
        asset: The asset.
        tables: Every table whose columns are known, by its asset's key.
        limit: Seconds that one call may take.
    """
    try:
        inputs, reasons = inputs_of(asset, tables)
    except AnnotationError as error:
        return Probed(reasons=[str(error)])
    if reasons:
        return Probed(reasons=reasons)
    empty = call(asset.fn, {one.parameter: one.value() for one in inputs}, asset.name, limit=limit, run=True)
    if empty.failure is not None:
        return Probed(failure=empty.failure) if empty.by_columns else Probed(reasons=[*empty.reasons, empty.failure])
    if empty.reasons or empty.schema is None:
        return Probed(reasons=empty.reasons)
    differing = _differing(asset, inputs, empty, limit)
    if differing:
        return Probed(reasons=differing)
    return Probed(schema=empty.schema, nulls=_nulls(asset, inputs, empty, limit))


def _differing(asset: Asset, inputs: list[Input], empty: Call, limit: float) -> list[str]:
    """Whether running, made-up rows, or other numbers of partitions lead to other columns than the plan on no rows."""
    for ran in empty.ran:
        if ran != empty.schema:
            return [f"Polars computes other columns than it plans: {_difference(empty.schema or {}, ran)}"]
    cases: list[tuple[Rows, int]] = [("some", 1), ("nulls", 3)]
    cases += [("none", 0)] if any(one.wanted.by_partition for one in inputs) else []
    for rows_in, number in cases:
        arguments = {one.parameter: one.value(rows=rows_in, partitions=number) for one in inputs}
        rows = call(asset.fn, arguments, asset.name, limit=limit, run=True)
        if rows.reasons:
            return rows.reasons
        for schema in (rows.schema, *rows.ran):
            if schema is not None and schema != empty.schema:
                return [f"with rows it returns other columns than without: {_difference(empty.schema or {}, schema)}"]
    return []


def _difference(without: Schema, given: Schema) -> str:
    names = [name for name in {**without, **given} if without.get(name) != given.get(name)]
    if not names:
        return "in another order"
    return f"`{names[0]}` is {given.get(names[0], 'missing')} and not {without.get(names[0], 'missing')}"


def _nulls(asset: Asset, inputs: list[Input], empty: Call, limit: float) -> Mapping[str, Fact]:
    """What is known of the nulls of what it returns: from its plan, or from the plan that lazy frames lead to."""
    lazy = empty
    if not all(one.wanted.lazy for one in inputs):
        arguments = {one.parameter: one.value(lazy=True) for one in inputs}
        lazy = call(asset.fn, arguments, asset.name, limit=limit)
        # The same calls in the same order on lazy frames compute the same, so what holds for one holds for the other.
        if lazy.failure or lazy.reasons or (lazy.calls, lazy.schema) != (empty.calls, empty.schema):
            return {name: Fact(None, (_EAGER,)) for name in empty.schema or {}}
    # A frame that was collected in between is no table that anyone promised, even if it looks like one.
    plan = lazy.plan if "collect" not in lazy.calls else None
    if plan is None:
        return {name: Fact(None, (_COLLECTED,)) for name in empty.schema or {}}
    return nulls_of(plan, [one.table.source for one in inputs])
