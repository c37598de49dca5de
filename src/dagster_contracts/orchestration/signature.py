"""The signature of a decorated function as Dagster needs to see it.

Dagster reads a function's parameters to find its context, config, resources and inputs, and compares annotations with
real classes. A module with `from __future__ import annotations` has strings there, and with `if TYPE_CHECKING:` imports
strings that the module itself cannot resolve; both are resolved here.
"""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

import dagster as dg
import polars as pl

from dagster_contracts.errors import AnnotationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONTEXT_NAMES = ("context", "_context", "context_", "_")
"""The first parameter is the context if it has one of these names; pinned in `tests/test_upstream.py`."""

# What a module may well import for type checking only.
_USUAL_NAMES: Mapping[str, object] = {
    **{name: getattr(pl, name) for name in ("DataFrame", "LazyFrame", "Series")},
    **{
        name: getattr(dg, name)
        for name in ("AssetExecutionContext", "OpExecutionContext", "MaterializeResult", "Config", "MultiPartitionKey")
    },
    "pl": pl,
    "polars": pl,
    "dg": dg,
    "dagster": dg,
}
_DATAFRAMELY = ("dy", "dataframely")


def resolved_parameters(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    """A function's parameters with every annotation as the object it names.

    Raises:
        AnnotationError: An annotation is a string that names nothing known.
    """
    # Dataframely takes as long to import as Dagster; where a contract was written with it, it is imported.
    dataframely = {name: sys.modules["dataframely"] for name in _DATAFRAMELY if "dataframely" in sys.modules}
    namespace = {
        **_USUAL_NAMES,
        **dataframely,
        **inspect.getclosurevars(fn).nonlocals,
        **getattr(inspect.unwrap(fn), "__globals__", {}),
    }
    return [_resolve(fn, parameter, namespace) for parameter in inspect.signature(fn).parameters.values()]


def has_context(parameters: list[inspect.Parameter]) -> bool:
    """Whether the first parameter is the execution context."""
    return bool(parameters) and parameters[0].name in CONTEXT_NAMES


def context_parameter() -> inspect.Parameter:
    """The leading parameter that an asset with a quarantine has even if its function declares none."""
    return inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=dg.AssetExecutionContext)


def set_parameters(fn: Callable[..., Any], parameters: list[inspect.Parameter]) -> None:
    """Let a function that takes anything look as if it had these parameters."""
    fn.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    fn.__annotations__ = {p.name: p.annotation for p in parameters if p.annotation is not inspect.Parameter.empty}


def _resolve(
    fn: Callable[..., Any], parameter: inspect.Parameter, namespace: Mapping[str, object]
) -> inspect.Parameter:
    annotation = parameter.annotation
    while isinstance(annotation, str):
        try:
            annotation = eval(annotation, dict(namespace))  # noqa: S307  (the author's own source, as typing.get_type_hints does)
        except Exception as error:
            raise AnnotationError(
                f"{fn.__qualname__}: the annotation {annotation!r} of the parameter {parameter.name!r} cannot be "
                f"resolved ({error}). Dagster decides by it how to fill the parameter: import the name outside "
                "`if TYPE_CHECKING:`."
            ) from error
    return parameter.replace(annotation=annotation)
