"""What one field asks of a value, as a tree: a leaf of one kind, a list of something, or a record."""

from __future__ import annotations

import datetime as dt
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

import polars as pl
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    FutureDate,
    JsonValue,
    NaiveDatetime,
    PastDate,
    PlainValidator,
    TypeAdapter,
    WrapValidator,
)

from dagster_contracts.errors import SchemaDefinitionError

if TYPE_CHECKING:
    from dagster_contracts.contract.row_fields import EpochUnit, RowField, RowSchema

Kind = Literal[
    "bool",
    "int",
    "float",
    "decimal",
    "str",
    "bytes",
    "date",
    "naive_datetime",
    "aware_datetime",
    "time",
    "timedelta",
    "uuid",
    "enum",
    "literal",
    "json",
    "any",
    "list",
    "record",
]

LEAF_KINDS: dict[Any, Kind] = {
    bool: "bool",
    int: "int",
    float: "float",
    Decimal: "decimal",
    str: "str",
    bytes: "bytes",
    dt.date: "date",
    NaiveDatetime: "naive_datetime",
    AwareDatetime: "aware_datetime",
    dt.datetime: "naive_datetime",
    dt.time: "time",
    dt.timedelta: "timedelta",
    UUID: "uuid",
    Any: "any",
    object: "any",
    JsonValue: "any",
}
_DATES: dict[Any, type] = {PastDate: dt.date, FutureDate: dt.date}
_BEFORE = (BeforeValidator, WrapValidator, PlainValidator)


@dataclass(frozen=True, eq=False)
class Shape:
    """What a value must be.

    Args:
        kind: The kind of value.
        of: The Python type of a leaf; the class a record is declared by; `list`.
        dtype: The Polars dtype of its cell.
        nullable: Whether it may be `None`.
        metadata: Constraints and validators, in the order pydantic applies them.
        outer: Those of them that stand outside of `T | None`, and so see `None`, too.
        narrower: The type that pydantic checks values against afterwards, where `of` is wider.
        item: What a list consists of.
        record: What a record consists of.
        lax: Whether pydantic's answer is taken where the package is stricter.
        epoch: The unit of bare digits in a date or a datetime.
        sensitive: Whether values stay out of messages.
    """

    kind: Kind
    of: Any
    dtype: pl.DataType
    nullable: bool = False
    metadata: tuple[Any, ...] = ()
    outer: tuple[Any, ...] = ()
    narrower: Any = None
    item: Shape | None = None
    record: RecordShape | None = None
    lax: bool = False
    epoch: EpochUnit | None = None
    sensitive: bool = False

    @cached_property
    def plain(self) -> TypeAdapter[Any]:
        """Pydantic's own reading of the leaf, without constraints."""
        return TypeAdapter(self.of)

    @cached_property
    def many(self) -> TypeAdapter[Any]:
        """Pydantic's own reading of many such leaves at once."""
        return TypeAdapter(list[self.of])  # type: ignore[name-defined]

    @cached_property
    def before(self) -> TypeAdapter[Any] | None:
        """What the field's own validators do to a value before its type is looked at."""
        first = tuple(part for part in self.metadata if isinstance(part, _BEFORE))
        return TypeAdapter(Annotated[(Any, *first)]) if first else None

    @cached_property
    def after(self) -> TypeAdapter[Any] | None:
        """The constraints and validators that a value of the right type must pass."""
        rest = tuple(part for part in self.metadata if not isinstance(part, _BEFORE))
        if not rest and self.narrower is None:
            return None
        base = self.narrower or {"list": list[Any], "record": dict[str, Any]}.get(self.kind, self.of)
        return TypeAdapter(Annotated[(base, *rest)] if rest else base)

    @cached_property
    def of_none(self) -> TypeAdapter[Any] | None:
        """What the validators outside of `T | None` make of `None`."""
        return TypeAdapter(Annotated[(Any, *self.outer)]) if self.outer else None

    @cached_property
    def wanted(self) -> str:
        """The type as a message names it."""
        if self.kind == "list" and self.item is not None:
            text = f"list[{self.item.wanted}]"
        elif self.kind == "literal":
            text = f"one of {', '.join(map(repr, get_args(self.of)))}"
        elif self.kind in {"enum", "record"}:
            text = getattr(self.of, "__name__", self.kind)
        elif self.kind in {"int", "float"} and self.dtype not in {pl.Int64(), pl.Float64()}:
            text = f"{self.kind} ({self.dtype})"
        elif isinstance(self.dtype, pl.Decimal):
            text = f"Decimal({self.dtype.precision},{self.dtype.scale})"
        else:
            text = _WANTED.get(self.kind, self.kind)
        return text


_WANTED = {
    "naive_datetime": "datetime without a zone",
    "aware_datetime": "datetime with a zone",
    "json": "dict (JSON)",
    "any": "anything that JSON can hold",
    "uuid": "UUID",
}


@dataclass(frozen=True, eq=False)
class RecordShape:
    """The fields of a row or of a record inside one.

    Args:
        name: The class's name.
        fields: The fields, in order.
        shapes: What each field asks for.
        source: The class.
    """

    name: str
    fields: tuple[RowField, ...]
    shapes: tuple[Shape, ...]
    source: type

    @cached_property
    def pairs(self) -> tuple[tuple[RowField, Shape], ...]:
        """Each field with its shape."""
        return tuple(zip(self.fields, self.shapes, strict=True))

    @cached_property
    def by_key(self) -> dict[str, str]:
        """The field's name for each key that rows may use: its own key, or its name where that is nobody's key."""
        names = {field.name: field.name for field in self.fields}
        return names | {field.key: field.name for field in self.fields}

    @cached_property
    def empty(self) -> pl.DataFrame:
        """A frame without rows."""
        return pl.DataFrame(schema=self.polars_schema)

    @cached_property
    def polars_schema(self) -> dict[str, pl.DataType]:
        """The dtype of each column."""
        return {field.name: field.dtype for field in self.fields}


@dataclass(frozen=True)
class _Context:
    """What a field's settings say about everything inside it."""

    nested: RowSchema | None
    lax: bool
    epoch: EpochUnit | None
    sensitive: bool
    name: str = field(default="")


@lru_cache(maxsize=512)
def record_shape(schema: RowSchema) -> RecordShape:
    """The shapes of all fields of a schema; made once for each."""
    return _record(schema, sensitive=False)


def _record(schema: RowSchema, *, sensitive: bool) -> RecordShape:
    """The same, inside a field that is sensitive as a whole or not."""
    shapes = tuple(
        _shape(
            one.annotation,
            one.dtype,
            one.nullable,
            _Context(one.nested, one.lax, one.epoch, sensitive or one.sensitive, one.name),
        )
        for one in schema.fields
    )
    return RecordShape(schema.name, schema.fields, shapes, schema.source)


def _shape(annotation: Any, dtype: pl.DataType, nullable: bool, context: _Context) -> Shape:  # noqa: FBT001, PLR0911
    """The tree for an annotation, its dtype beside it all the way down."""
    annotation, metadata, outer, optional = stripped(annotation)
    shared: dict[str, Any] = {
        "dtype": dtype,
        "nullable": nullable or optional,
        "metadata": metadata,
        "outer": tuple(part for part in outer if isinstance(part, (*_BEFORE, AfterValidator))),
        "lax": context.lax,
        "epoch": context.epoch,
        "sensitive": context.sensitive,
    }
    origin = get_origin(annotation)
    if annotation is list or origin is list:
        inner = (get_args(annotation) or (Any,))[0]
        return Shape("list", list, item=_shape(inner, dtype.inner, False, context), **shared)  # type: ignore[attr-defined]  # noqa: FBT003
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return Shape("enum", annotation, **shared)
    if origin is Literal:
        return Shape("literal", annotation, **shared)
    if annotation in (dict, Mapping) or origin in (dict, Mapping):
        return Shape("json", annotation, **shared)
    if isinstance(dtype, pl.Struct) and context.nested is not None:
        nested = _record(context.nested, sensitive=context.sensitive)
        return Shape("record", annotation, record=nested, narrower=_with_validators(annotation), **shared)
    if annotation in _DATES:
        return Shape("date", _DATES[annotation], narrower=annotation, **shared)
    kind = LEAF_KINDS.get(annotation)
    if kind is None:
        raise SchemaDefinitionError(
            f"field {context.name!r} has a type that rows cannot be conformed to: {annotation}."
        )
    return Shape(kind, annotation, **shared)


def _with_validators(record: Any) -> Any:
    """A nested model that has validators of its own, which only pydantic can run."""
    if not (isinstance(record, type) and issubclass(record, BaseModel)):
        return None
    found = record.__pydantic_decorators__
    return record if found.field_validators or found.model_validators or found.validators else None


def stripped(annotation: Any) -> tuple[Any, tuple[Any, ...], tuple[Any, ...], bool]:
    """A bare annotation, its metadata, that outside of `T | None`, and whether `None` was there."""
    metadata: tuple[Any, ...] = ()
    outer: tuple[Any, ...] = ()
    optional = False
    while annotation is not JsonValue:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *more = get_args(annotation)
            metadata = (*more, *metadata)
        elif origin in (Union, types.UnionType):
            rest = [one for one in get_args(annotation) if one is not type(None)]
            if len(rest) != 1 or len(rest) == len(get_args(annotation)):
                break
            annotation, optional, outer = rest[0], True, metadata
        else:
            break
    return annotation, metadata, outer, optional
