"""A Python annotation as a column: its type, whether it takes `None`, and what is inside."""

from __future__ import annotations

import collections.abc
import datetime as dt
import types
import typing
import uuid
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
import pydantic

from dagster_contracts.contract.schema.constraints import NO_CONSTRAINTS, Constraints, read_constraints, refuse_unfit
from dagster_contracts.contract.schema.declared import UnresolvedError
from dagster_contracts.contract.schema.exact import exact_dtype
from dagster_contracts.contract.schema.hints import HINTS, hint_for, is_dtype, name_of
from dagster_contracts.contract.schema.python_types import list_of
from dagster_contracts.contract.type_polars import DECIMAL, to_polars
from dagster_contracts.contract.types import Type
from dagster_contracts.errors import SchemaDefinitionError, UnknownTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.contract.row_fields import RowSchema

PYTHON_TYPES: dict[object, Type] = {
    bool: Type("Boolean"),
    int: Type("Int64"),
    float: Type("Float64"),
    str: Type("String"),
    bytes: Type("Binary"),
    dt.date: Type("Date"),
    pydantic.PastDate: Type("Date"),
    pydantic.FutureDate: Type("Date"),
    dt.time: Type("Time"),
    dt.datetime: Type("TimestampNtz"),
    pydantic.NaiveDatetime: Type("TimestampNtz"),
    pydantic.AwareDatetime: Type("Timestamp"),
    dt.timedelta: Type("Interval"),
    uuid.UUID: Type("Uuid"),
    dict: Type("Json"),
    collections.abc.Mapping: Type("Json"),
    Any: Type("Variant"),
    object: Type("Variant"),
    pydantic.JsonValue: Type("Variant"),
}
"""The Python types that need no further look."""

MAX_DEPTH = 20
"""How deep lists and records may be nested."""

_VALIDATORS = (
    pydantic.AfterValidator,
    pydantic.BeforeValidator,
    pydantic.PlainValidator,
    pydantic.WrapValidator,
)


@dataclass(frozen=True)
class Shape:
    """An annotation, understood; the names are those of `RowField`."""

    annotation: Any
    type: Type
    dtype: pl.DataType
    nullable: bool = False
    constraints: Constraints = NO_CONSTRAINTS
    nested: RowSchema | None = None
    element: Shape | None = None


@dataclass(frozen=True)
class Place:
    """Where an annotation stands: its field in words, how deep, and how to read a record that it names."""

    where: str
    read_record: Callable[[type], RowSchema | None]
    depth: int = 0


def shape_of(place: Place, annotation: Any, metadata: tuple[Any, ...] = ()) -> Shape:
    """Understand an annotation.

    Args:
        place: Where it stands.
        annotation: Any annotation, resolved.
        metadata: What stands beside it in `Annotated` or in `Field`.

    Raises:
        SchemaDefinitionError: It is nothing that a column holds.
    """
    if place.depth > MAX_DEPTH:
        raise SchemaDefinitionError(f"{place.where}: nested more than {MAX_DEPTH} deep.")
    annotation, inner, nullable, outer = _unwrap(place, annotation, metadata)
    if any(item is pydantic.Json or isinstance(item, pydantic.Json) for item in (*inner, *outer)):
        raise SchemaDefinitionError(f"{place.where}: `Json` is no type of a column. {HINTS[pydantic.Json]}")
    exact = list({repr(item): item for item in (*inner, *outer) if is_dtype(item)}.values())
    inner, outer = _without_dtypes(inner), _without_dtypes(outer)
    leaf = _leaf(place, annotation, read_constraints(place.where, (*inner, *outer)))
    refuse_unfit(place.where, leaf.type, leaf.constraints)
    validators = tuple(item for item in outer if isinstance(item, _VALIDATORS))
    inner = (*inner, *(item for item in outer if not isinstance(item, _VALIDATORS)))
    bare: Any = _annotated(leaf.annotation, inner)
    whole = _annotated(typing.Optional[bare], validators) if validators else bare  # noqa: UP045  (built at run time)
    shape = replace(leaf, nullable=nullable or leaf.nullable, annotation=whole)
    if not exact:
        return shape
    type_, dtype = exact_dtype(place.where, shape.type, shape.dtype, exact)
    return replace(shape, type=type_, dtype=dtype)


def _unwrap(
    place: Place, annotation: Any, metadata: tuple[Any, ...]
) -> tuple[Any, tuple[Any, ...], bool, tuple[Any, ...]]:
    """The bare type, the metadata on it, whether `None` is allowed, and the metadata on the whole of `T | None`."""
    inside: tuple[Any, ...] = metadata
    outside: tuple[Any, ...] = ()
    nullable = False
    while True:
        origin = typing.get_origin(annotation)
        if annotation is pydantic.JsonValue:
            return annotation, inside, nullable, outside
        if origin is Annotated:
            inside = (*annotation.__metadata__, *inside)
            annotation = annotation.__origin__
        elif origin in (typing.Union, types.UnionType):
            kinds = [arg for arg in typing.get_args(annotation) if arg is not type(None)]
            if len(kinds) != 1:
                shown = " | ".join(name_of(kind) for kind in kinds)
                raise SchemaDefinitionError(
                    f"{place.where}: a column holds one type, and {shown} are {len(kinds)}. Use `Any` for mixed "
                    "values; a whole number is a `float`, too."
                )
            annotation, nullable = kinds[0], True
            inside, outside = (), (*inside, *outside)
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif hasattr(annotation, "__value__") and hasattr(annotation, "__type_params__"):
            annotation = annotation.__value__
        else:
            return annotation, inside, nullable, outside


def _leaf(place: Place, annotation: Any, constraints: Constraints) -> Shape:
    """A type without `None` and without metadata."""
    origin = typing.get_origin(annotation)
    shape: Shape | None = None
    if annotation is Decimal:
        shape = _decimal(place, constraints)
    elif _known(annotation):
        shape = _simple(annotation, constraints)
    elif origin is typing.Literal:
        shape = _choice(place, annotation, typing.get_args(annotation), constraints)
    elif origin is list and typing.get_args(annotation):
        shape = _list(place, typing.get_args(annotation)[0], constraints)
    elif origin in (dict, collections.abc.Mapping):
        shape = _mapping(place, annotation, constraints)
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        shape = _choice(place, annotation, tuple(member.value for member in annotation), constraints)
    elif isinstance(annotation, type) and origin is None:
        shape = _record(place, annotation, constraints)
    if shape is None:
        raise SchemaDefinitionError(
            f"{place.where}: {name_of(annotation)} is no type of a column. {hint_for(annotation)}"
        )
    return shape


def _list(place: Place, annotation: Any, constraints: Constraints) -> Shape:
    element = shape_of(replace(place, depth=place.depth + 1), annotation)
    inner = typing.Optional[element.annotation] if element.nullable else element.annotation  # noqa: UP045
    return Shape(
        annotation=list_of(inner),
        type=Type("Array", args=(element.type,)),
        dtype=pl.List(element.dtype),
        constraints=constraints,
        nested=element.nested,
        element=element,
    )


def _record(place: Place, annotation: type, constraints: Constraints) -> Shape | None:
    try:
        nested = place.read_record(annotation)
    except UnresolvedError:
        raise
    except SchemaDefinitionError as error:
        raise SchemaDefinitionError(f"{place.where}: {error}") from error
    if nested is None:
        return None
    fields = tuple((field.name, field.type) for field in nested.fields)
    dtype = pl.Struct({field.name: field.dtype for field in nested.fields})
    return Shape(annotation, Type("Struct", fields=fields), dtype, constraints=constraints, nested=nested)


def _known(annotation: object) -> bool:
    try:
        return annotation in PYTHON_TYPES
    except TypeError:
        return False


def _simple(annotation: Any, constraints: Constraints) -> Shape:
    type_ = PYTHON_TYPES[annotation]
    stricter = {
        dt.datetime: pydantic.NaiveDatetime,
        dict: dict[str, Any],
        collections.abc.Mapping: dict[str, Any],
        object: Any,
    }
    annotation = stricter.get(annotation, annotation)
    return Shape(annotation, type_, to_polars(type_), nullable=type_.name == "Variant", constraints=constraints)


def _decimal(place: Place, constraints: Constraints) -> Shape:
    precision, scale = constraints.max_digits, constraints.decimal_places
    if precision is not None and scale is None:
        raise SchemaDefinitionError(
            f"{place.where}: max_digits={precision} leaves the digits after the point open, which a column has fixed. "
            "Say decimal_places as well."
        )
    type_ = Type("Decimal", precision or DECIMAL[0], DECIMAL[1] if scale is None else scale)
    try:
        dtype = to_polars(type_)
    except UnknownTypeError as error:
        raise SchemaDefinitionError(f"{place.where}: {error}") from error
    if (type_.scale or 0) > (type_.precision or 0):
        raise SchemaDefinitionError(f"{place.where}: more digits after the point than digits: {type_}.")
    return Shape(Decimal, type_, dtype, constraints=constraints)


def _choice(place: Place, annotation: Any, values: tuple[Any, ...], constraints: Constraints) -> Shape:
    """A column that holds one of a few values, all of one kind."""
    kinds = {type(value) for value in values}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind not in (bool, int, str):
        raise SchemaDefinitionError(
            f"{place.where}: {name_of(annotation)} must list values that are all text, all whole numbers or all true "
            "and false: a column holds one type."
        )
    type_ = PYTHON_TYPES[kind]
    return Shape(annotation, type_, to_polars(type_), constraints=replace(constraints, is_in=values))


def _mapping(place: Place, annotation: Any, constraints: Constraints) -> Shape:
    key, value = typing.get_args(annotation) or (str, Any)
    if key is not str:
        raise SchemaDefinitionError(f"{place.where}: {name_of(annotation)} becomes JSON, whose keys are `str`.")
    return Shape(types.GenericAlias(dict, (str, value)), Type("Json"), pl.String(), constraints=constraints)


def _annotated(annotation: Any, metadata: tuple[Any, ...]) -> Any:
    if not metadata:
        return annotation
    try:
        return Annotated[(annotation, *metadata)]
    except TypeError as error:
        raise SchemaDefinitionError(f"{name_of(annotation)}: {error}") from error


def _without_dtypes(metadata: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(item for item in metadata if not is_dtype(item))
