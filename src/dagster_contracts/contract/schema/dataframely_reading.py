"""A Dataframely schema as a typed class: what its columns ask, said in Python's types."""

from __future__ import annotations

from types import new_class
from typing import TYPE_CHECKING, Annotated, Any, Literal

import dataframely as dy
import polars as pl
from pydantic import Field

from dagster_contracts.contract.column_check import ColumnCheck
from dagster_contracts.contract.fields import is_sensitive
from dagster_contracts.contract.schema.python_types import list_of, python_type
from dagster_contracts.errors import SchemaDefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BOUNDS = {"min": "ge", "min_exclusive": "gt", "max": "le", "max_exclusive": "lt"}
_LENGTHS = ("min_length", "max_length")
_OPTIONS = ("sensitive", "pii", "primary_key", "unique", "lax", "epoch")


def members(root: type, schema: type[dy.Schema]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The annotations and fields of a class that reads the rows of a schema.

    Args:
        root: What records inside derive from.
        schema: The schema.

    Returns:
        The members of the class, and what they do not say of the schema.

    Raises:
        SchemaDefinitionError: Rows cannot fill one of the columns.
    """
    found, lost = _members(root, schema.__name__, schema.columns())
    return found, tuple(loss.removeprefix(f"{schema.__name__}_") for loss in lost)


def _members(root: type, name: str, columns: Mapping[str, dy.Column]) -> tuple[dict[str, Any], tuple[str, ...]]:
    lost: list[str] = []
    annotations: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for own, column in columns.items():
        annotation = _annotation(root, f"{name}_{own}", column, lost)
        annotations[own] = annotation | None if column.nullable and annotation is not Any else annotation
        values[own] = Field(description=column.description, json_schema_extra=_options(column))
    return {"__annotations__": annotations, "__module__": root.__module__, **values}, tuple(lost)


def _options(column: dy.Column) -> dict[str, Any] | None:
    tags = {str(key): value for key, value in (column.metadata or {}).items() if key not in _OPTIONS}
    said = {"primary_key": column.primary_key, "unique": column.unique, "sensitive": is_sensitive(column.metadata)}
    return {
        **{f"{key}": value for key, value in tags.items()},
        **{key: True for key, value in said.items() if value},
    } or None


def _annotation(root: type, name: str, column: dy.Column, lost: list[str]) -> Any:
    """A column's type with whatever of its promises pydantic has a word for."""
    checks = [check for check in _checks(column.check, name, lost) if isinstance(check, ColumnCheck)]
    asks = {check.asks: check.value for check in checks}
    kind = asks.pop("type", None)
    choices = asks.pop("is_in", None) or getattr(column, "is_in", None)
    if choices is not None:
        annotation: Any = Annotated[Literal[tuple(choices)], column.dtype]
    else:
        annotation = _bare(root, name, column, lost) if kind is None else python_type(kind)
    asks |= _native(column, name, lost)
    return Annotated[annotation, Field(**asks)] if asks else annotation


def _bare(root: type, name: str, column: dy.Column, lost: list[str]) -> Any:
    match column:
        case dy.Any():
            return Any
        case dy.Enum():
            return Annotated[Literal[tuple(column.categories)], column.dtype]
        case dy.List():
            return list_of(_optional(_annotation(root, name, column.inner, lost), column.inner))
        case dy.Array():
            return _array(root, name, column, lost)
        case dy.Struct():
            inner, more = _members(root, name, column.inner)
            lost += more
            return new_class(name, (root,), {}, lambda namespace: namespace.update(inner))
    if isinstance(column.dtype, pl.Object):
        raise SchemaDefinitionError(f"{name}: rows cannot fill a column of Python objects.")
    return python_type(column.dtype)


def _array(root: type, name: str, column: dy.Array, lost: list[str]) -> Any:
    """A list of a fixed length; of several dimensions, lists in lists."""
    annotation = _optional(_annotation(root, name, column.inner, lost), column.inner)
    dtype = column.inner.dtype
    for size in reversed(column.shape):
        dtype = pl.Array(dtype, size)
        annotation = Annotated[list_of(annotation), Field(min_length=size, max_length=size), dtype]
    return annotation


def _optional(annotation: Any, column: dy.Column) -> Any:
    return annotation | None if column.nullable and annotation is not Any else annotation


def _native(column: dy.Column, name: str, lost: list[str]) -> dict[str, Any]:
    """The constraints that are parameters of the column."""
    asks = {ours: value for own, ours in _BOUNDS.items() if (value := getattr(column, own, None)) is not None}
    if isinstance(column, dy.List):
        asks |= {own: value for own in _LENGTHS if (value := getattr(column, own)) is not None}
    elif isinstance(column, dy.String):
        if column.regex is not None:
            asks["pattern"] = column.regex
        in_bytes = [f"{own}={value}" for own in _LENGTHS if (value := getattr(column, own)) is not None]
        lost += [f"{name}: {length}, which counts bytes, is asked of the frame only" for length in in_bytes]
    if isinstance(column, dy.Float32 | dy.Float64 | dy.Float):
        if not column.allow_inf and not column.allow_nan:
            asks["allow_inf_nan"] = False
        elif not column.allow_inf:
            lost.append(f"{name}: infinity is refused of the frame only")
        elif not column.allow_nan and not asks:  # pydantic lets NaN pass no bound
            lost.append(f"{name}: NaN is refused of the frame only")
    if getattr(column, "resolution", None) is not None:
        lost.append(f"{name}: resolution={column.resolution!r} is asked of the frame only")  # type: ignore[attr-defined]
    return asks


def _checks(check: Any, name: str, lost: list[str]) -> Iterable[Any]:
    """Checks that say what they ask; others are asked of the frame only."""
    given = check.values() if isinstance(check, dict) else check if isinstance(check, list) else [check]
    known = [one for one in given if isinstance(one, ColumnCheck) and one.asks]
    others = [getattr(one, "__name__", "check") for one in given if one is not None and one not in known]
    lost += [f"{name}: the check {other!r} is asked of the frame only" for other in others]
    return known
