"""The function that Dagster runs for a contract asset."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dagster as dg

from dagster_contracts.errors import InvalidSettingError, UsageError
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.conform import Conformer
from dagster_contracts.orchestration.corridor import AssetYield, validate_and_report
from dagster_contracts.orchestration.failures import as_failures
from dagster_contracts.orchestration.quarantine import (
    Quarantine,
    QuarantineWriter,
    path_of_key,
    refuse_taken_key,
)
from dagster_contracts.orchestration.quarantine_writers import FileWriter, IOManagerWriter
from dagster_contracts.orchestration.settings import SettingArguments, quarantine_dir, resolve_settings
from dagster_contracts.orchestration.signature import (
    context_parameter,
    has_context,
    resolved_parameters,
    set_parameters,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from dagster_contracts.orchestration.declaration import Declaration

RESOURCE = dg.ResourceParam[object]
WIRING = "__dagster_contracts_wiring__"
"""Where the function that Dagster runs keeps what it was made of; the decorated one is its `__wrapped__`."""


@dataclass(frozen=True)
class Wiring:
    """What a decorated function's wrapper needs in a run.

    Args:
        declaration: The asset as declared.
        arguments: Its settings as passed; those that a run needs are read when it runs.
        quarantine: Where invalid rows go, if anywhere.
        written: The contract as it was passed.
        dry_run: Whether the function may be called before any run.
    """

    declaration: Declaration
    arguments: SettingArguments
    quarantine: Quarantine | None
    written: object = None
    dry_run: bool = True


def compute_function(fn: Callable[..., Any], wiring: Wiring) -> Callable[..., Any]:
    """The function that Dagster runs: the decorated one, then everything the contract asks for.

    Its signature is the decorated function's, with a leading context where a quarantine needs one and the function
    takes none, and with the quarantine's IO manager as a resource where the function takes resources as parameters.
    """
    parameters = resolved_parameters(fn)
    own = len(parameters)
    if wiring.quarantine is not None and not has_context(parameters):
        parameters = [context_parameter(), *parameters]
    first = len(parameters) - own
    resource = _quarantine_resource(parameters, wiring.quarantine)
    if resource is not None:
        parameters.append(resource)

    def prepare(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[Any], AssetYield]:
        """Refuse what cannot work before the decorated function is called, and know what to do with what it returns."""
        if resource is not None:
            del kwargs[resource.name]
        with as_failures():
            writer, settings = _writer_of(wiring, args), resolve_settings(wiring.arguments)
        return functools.partial(validate_and_report, wiring.declaration, settings=settings, writer=writer)

    def compute(*args: Any, **kwargs: Any) -> AssetYield:
        finish = prepare(args, kwargs)
        yield from finish(fn(*args[first:], **kwargs))

    async def compute_async(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        finish = prepare(args, kwargs)
        for event in finish(await fn(*args[first:], **kwargs)):
            yield event

    async def compute_async_rows(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        finish = prepare(args, kwargs)
        with Conformer(wiring.declaration, resolve_settings(wiring.arguments)) as conformer:
            await conformer.take_yielded(fn(*args[first:], **kwargs))
            for event in finish(conformer):
                yield event

    wrapper = functools.wraps(fn)(_chosen(fn, wiring.declaration, compute, compute_async, compute_async_rows))
    set_parameters(wrapper, parameters)
    setattr(wrapper, WIRING, wiring)
    return wrapper


def _chosen(
    fn: Callable[..., Any], declaration: Declaration, plain: Any, coroutine: Any, generator: Any
) -> Callable[..., Any]:
    """What runs a function, by its kind. An async generator can be given to no normalizer, and not be held."""
    if not inspect.isasyncgenfunction(fn):
        chosen: Callable[..., Any] = coroutine if inspect.iscoroutinefunction(fn) else plain
        return chosen
    if declaration.normalizer is not None:
        raise InvalidSettingError(
            f"{declaration.name} is an async generator, which a normalizer cannot be given. Normalize in the function."
        )
    if not declaration.contract.fields:
        raise UsageError(f"{declaration.name} is an async generator, so it needs a contract. Or return the rows.")
    return generator  # type: ignore[no-any-return]


def takes_resources(compute: Callable[..., Any]) -> bool:
    """Whether a function takes resources as parameters."""
    return any(
        internals.is_resource(parameter.annotation) for parameter in inspect.signature(compute).parameters.values()
    )


def _quarantine_resource(
    parameters: list[inspect.Parameter], quarantine: Quarantine | None
) -> inspect.Parameter | None:
    """The quarantine's own IO manager as a parameter, where the function takes resources as parameters.

    Dagster wants resources to be asked for either by parameter or by `required_resource_keys`, not by both.
    """
    key = quarantine.io_manager_key if quarantine is not None else None
    asked = [parameter.name for parameter in parameters if internals.is_resource(parameter.annotation)]
    if key is None or not asked or key in asked:
        return None
    return inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=RESOURCE)


def _writer_of(wiring: Wiring, args: tuple[Any, ...]) -> QuarantineWriter | None:
    """The quarantine's writer; Dagster passes the context by position, in a run and in a direct call."""
    return None if wiring.quarantine is None else _writer(args[0], wiring.quarantine, wiring.declaration)


def _writer(context: dg.AssetExecutionContext, quarantine: Quarantine, declaration: Declaration) -> QuarantineWriter:
    """The quarantine's writer, checked before the decorated function computes anything."""
    key = quarantine.resolve_key(declaration.asset)
    if internals.is_direct_call(context):
        partition = context.partition_key if context.has_partition_key else None
        return FileWriter(path_of_key(key, quarantine_dir(declaration.name), partition), quarantine.on_clean_run)
    refuse_taken_key(context, key)
    writer = IOManagerWriter(context, key, quarantine.io_manager_key, quarantine.on_clean_run)
    writer.refuse_unfit_storage()
    return writer
