"""Everything private of Dagster that this package touches; `tests/test_upstream.py` pins each part by name."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import dagster as dg
from dagster._core.definitions.decorators.op_decorator import DecoratedOpFunction
from dagster._core.definitions.resource_annotation import get_resource_args
from dagster._core.event_api import PartitionKeyFilter
from dagster._core.execution.context.compute import current_execution_context
from dagster._core.execution.context.invocation import BaseDirectExecutionContext
from dagster._core.execution.plan.outputs import StepOutputHandle
from dagster._core.storage.mem_io_manager import InMemoryIOManager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dagster._core.definitions.assets.graph.asset_graph import AssetNode
    from dagster._core.execution.context.system import StepExecutionContext

IS_QUARANTINE = "contract/is_quarantine"
"""Definition metadata that an output context has while a quarantine is written with it."""

ExecutionContext = dg.AssetExecutionContext | dg.AssetCheckExecutionContext


def current_context() -> ExecutionContext | None:
    """The context of the asset or check that is being computed in this thread or task, or `None` outside a run."""
    return current_execution_context.get()


def declared_check_names(asset_key: dg.AssetKey, *, selected: bool = True) -> set[str] | None:
    """The names of the checks on an asset that the running step is to report, or `None` outside a run.

    Args:
        asset_key: The asset.
        selected: Whether only those that the run selected, where a step can report some of its checks.
    """
    context = current_context()
    if context is None:
        return None
    definition = context.op_execution_context.assets_def
    specs = definition.check_specs if selected else definition.node_check_specs_by_output_name.values()
    return {spec.name for spec in specs if spec.asset_key == asset_key}


def is_direct_call(context: object) -> bool:
    """Whether a context belongs to a function that is called, not run: there is no step and no IO manager then."""
    return isinstance(context, BaseDirectExecutionContext)


def is_resource(annotation: object) -> bool:
    """Whether Dagster fills a parameter with this annotation from the resources."""

    def probe(value: object) -> None: ...

    probe.__annotations__ = {"value": annotation}
    return annotation is not inspect.Parameter.empty and bool(get_resource_args(probe))


def decorated_function(definition: dg.AssetsDefinition) -> Callable[..., Any] | None:
    """The function that an asset was made of with a decorator, or `None` if it was made in another way."""
    node = definition.node_def if definition.is_executable else None
    compute = node.compute_fn if isinstance(node, dg.OpDefinition) else None
    return compute.decorated_fn if isinstance(compute, DecoratedOpFunction) else None


def step_context(context: dg.AssetExecutionContext) -> StepExecutionContext:
    """The step that a context belongs to."""
    step: StepExecutionContext = context.get_step_execution_context()
    return step


def is_value_watched(context: dg.AssetExecutionContext) -> bool:
    """Whether anybody but the IO manager sees what a step returns: the result of a run in this process, or a hook."""
    step = step_context(context)
    return step.output_capture is not None or step.step_output_capture is not None


def known_assets(context: dg.AssetExecutionContext) -> Iterator[AssetNode]:
    """Every asset that the running job knows, and every one of the code location where the run was started from one."""
    step = step_context(context)
    yield from step.job_def.asset_layer.asset_graph.asset_nodes
    location = step._execution_data.repository_def
    if location is not None:
        yield from location.asset_graph.asset_nodes


def output_context(context: dg.AssetExecutionContext, asset_key: dg.AssetKey) -> dg.OutputContext:
    """The step's own output context for its asset, with nothing but the asset key exchanged.

    Connection settings, `partition_expr` and the partitions of the run reach the IO manager as for the asset itself.
    """
    step = step_context(context)
    output = step.get_output_context(_asset_output(context))
    output._asset_key = asset_key
    if asset_key != context.asset_key:
        output._definition_metadata = {**output.definition_metadata, IS_QUARANTINE: True}
    if output._asset_spec is not None:
        output._asset_spec = output._asset_spec.replace_attributes(key=asset_key)
    return output


def written_partitions(context: dg.AssetExecutionContext, asset_key: dg.AssetKey) -> list[str]:
    """The partitions of an asset that a step writes; none for an asset without partitions, whatever the run has."""
    try:
        handle = _asset_output(context, asset_key)
    except LookupError:
        return []
    output = step_context(context).get_output_context(handle)
    return list(output.asset_partition_keys) if output.has_asset_partitions else []


def bound_io_manager(context: dg.AssetExecutionContext, asset_key: dg.AssetKey | None = None) -> dg.IOManager:
    """The IO manager that a step's asset is bound to; its only asset's by default."""
    manager: dg.IOManager = step_context(context).get_io_manager(_asset_output(context, asset_key))
    return manager


def is_in_memory(manager: object) -> bool:
    """Whether an IO manager addresses by step, not by asset key, and so has no second place for the same step."""
    return isinstance(manager, InMemoryIOManager)


def logged_metadata(context: dg.OutputContext) -> Mapping[str, Any]:
    """What an IO manager said about the write it just made."""
    return context.consume_logged_metadata()


def discard_events(context: dg.OutputContext) -> None:
    """Drop events that an IO manager logged on a context whose write is no event of the run."""
    for _ in context.consume_events():
        pass


def check_metadata_history(
    context: dg.AssetExecutionContext, check: dg.AssetCheckKey, partition: str | None
) -> Iterator[tuple[int, Mapping[str, dg.MetadataValue]]]:
    """The metadata of a check's evaluations, newest first, each with its storage id.

    Args:
        context: The running asset.
        check: The check.
        partition: The partition whose evaluations to read; `None` reads those that belong to no single partition.
    """
    storage = context.instance.event_log_storage
    cursor = None
    while True:
        records = storage.get_asset_check_execution_history(
            check, limit=20, cursor=cursor, partition_filter=PartitionKeyFilter(key=partition)
        )
        for record in records:
            event = record.event.dagster_event if record.event else None
            evaluation = event.event_specific_data if event else None
            if isinstance(evaluation, dg.AssetCheckEvaluation):
                yield record.id, evaluation.metadata
        if not records:
            return
        cursor = records[-1].id


def _asset_output(context: dg.AssetExecutionContext, asset_key: dg.AssetKey | None = None) -> StepOutputHandle:
    step, wanted = step_context(context), asset_key or context.asset_key
    for output in step.step.step_outputs:
        if (
            output.properties is not None
            and output.properties.asset_key == wanted
            and not output.properties.asset_check_key
        ):
            return StepOutputHandle(step.step.key, output.name)
    raise LookupError(f"the step {step.step.key} has no output for {wanted.to_user_string()}")
