"""The effective schema of what is written: the declared one, or the one that was inferred from what arrived."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import dagster as dg

from dagster_contracts.orchestration import internals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dagster_contracts.rows.schema import Schema

    Effective = Callable[[], "type[Schema] | None"]

_of_output: dict[tuple[str, dg.AssetKey], Effective] = {}


def effective_schema(context: dg.OutputContext) -> type[Schema] | None:
    """What an IO manager is writing, as a class: its fields, its SQL columns for typed loads, its JSON schema.

    Args:
        context: The context that the IO manager was given.

    Returns:
        The contract of the asset, a `dy.Schema` as the `dc.Schema` that it corresponds to; the inferred schema where
        there is no contract; `None` for a quarantine, for what is no table, and for what is no asset of `dc.asset`.
    """
    if not context.has_asset_key or internals.IS_QUARANTINE in (context.definition_metadata or {}):
        return None
    try:
        found = _of_output.get((context.run_id, context.asset_key))
    except dg.DagsterInvariantViolationError:  # a context that was built outside a run
        return None
    return None if found is None else found()


@contextlib.contextmanager
def published(asset: dg.AssetKey, effective: Effective) -> Iterator[None]:
    """Let the IO managers of the running step know what is being written, while its events are yielded."""
    context = internals.current_context()
    if context is None or internals.is_direct_call(context):
        yield
        return
    key = (context.run.run_id, asset)
    _of_output[key] = effective
    try:
        yield
    finally:
        _of_output.pop(key, None)
