"""The function that Dagster runs for a contract asset."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.corridor import AssetYield, Declaration, validate_and_report
from dagster_contracts.orchestration.quarantine import (
    FileWriter,
    IOManagerWriter,
    Quarantine,
    QuarantineWriter,
    path_of_key,
    refuse_taken_key,
)
from dagster_contracts.orchestration.settings import SettingArguments, quarantine_dir, resolve_settings
from dagster_contracts.orchestration.signature import (
    context_parameter,
    has_context,
    resolved_parameters,
    set_parameters,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    import dagster as dg


@dataclass(frozen=True)
class Wiring:
    """What a decorated function's wrapper needs in a run.

    Args:
        declaration: The asset as declared.
        arguments: Its settings as passed; those that a run needs are read when it runs.
        quarantine: Where invalid rows go, if anywhere.
    """

    declaration: Declaration
    arguments: SettingArguments
    quarantine: Quarantine | None


def compute_function(fn: Callable[..., Any], wiring: Wiring) -> Callable[..., Any]:
    """The function that Dagster runs: the decorated one, then everything the contract asks for."""
    parameters = resolved_parameters(fn)
    takes_context = has_context(parameters)
    adds_context = wiring.quarantine is not None and not takes_context
    if adds_context:
        parameters = [context_parameter(), *parameters]

    def prepare(
        args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any], QuarantineWriter | None]:
        if wiring.quarantine is None:
            return args, kwargs, None
        bound = dict(zip((parameter.name for parameter in parameters), args, strict=False)) | kwargs
        writer = _writer(bound[parameters[0].name], wiring)
        if not adds_context:
            return args, kwargs, writer
        return args[1:], {name: value for name, value in kwargs.items() if args or name != parameters[0].name}, writer

    def finish(returned: Any, writer: QuarantineWriter | None) -> AssetYield:
        settings = resolve_settings(wiring.arguments)
        return validate_and_report(wiring.declaration, returned, settings=settings, writer=writer)

    def compute(*args: Any, **kwargs: Any) -> AssetYield:
        args, kwargs, writer = prepare(args, kwargs)
        yield from finish(fn(*args, **kwargs), writer)

    async def compute_async(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        args, kwargs, writer = prepare(args, kwargs)
        for event in finish(await fn(*args, **kwargs), writer):
            yield event

    wrapper = functools.wraps(fn)(compute_async if inspect.iscoroutinefunction(fn) else compute)
    set_parameters(wrapper, parameters)
    return wrapper


def _writer(context: dg.AssetExecutionContext, wiring: Wiring) -> QuarantineWriter:
    """The quarantine's writer, checked before the decorated function computes anything."""
    quarantine = wiring.quarantine or Quarantine()
    key = quarantine.resolve_key(wiring.declaration.asset)
    if internals.is_direct_call(context):
        partition = context.partition_key if context.has_partition_key else None
        return FileWriter(path_of_key(key, quarantine_dir(wiring.declaration.name), partition), quarantine.on_clean_run)
    refuse_taken_key(context, key)
    writer = IOManagerWriter(context, key, quarantine.io_manager_key, quarantine.on_clean_run)
    writer.refuse_unfit_storage()
    return writer
