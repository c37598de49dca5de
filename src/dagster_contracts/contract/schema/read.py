"""A typed class as a `RowSchema`: every field resolved, checked and in order."""

from __future__ import annotations

import copy
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticUndefined

from dagster_contracts.contract import names
from dagster_contracts.contract.row_fields import MISSING, DefaultFactory, RowField, RowSchema
from dagster_contracts.contract.schema.annotations import PYTHON_TYPES, Place, Shape, shape_of
from dagster_contracts.contract.schema.declared import Declared, declared_by
from dagster_contracts.contract.schema.options import read_options
from dagster_contracts.contract.schema.patterns import pattern_error
from dagster_contracts.errors import ContractsError, ReservedColumnError, SchemaDefinitionError

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


@lru_cache(maxsize=1024)
def read_rows(schema: type) -> RowSchema:
    """Read a `dc.Schema`, once.

    Raises:
        SchemaDefinitionError: The class declares what cannot be a table.
    """
    found = _read_record(schema, within=())
    if found is None:
        raise SchemaDefinitionError(f"{schema.__name__} is no dc.Schema.")
    return found


def _read_record(record: type, *, within: tuple[type, ...]) -> RowSchema | None:
    """The fields of a schema or of a nested record; `None` for a class that is neither."""
    declared = record.__declared_fields__() if hasattr(record, "__declared_fields__") else declared_by(record)
    if declared is None:
        return None
    if record in within:
        way = " → ".join(one.__name__ for one in (*within[within.index(record) :], record))
        raise SchemaDefinitionError(
            f"{record.__name__} holds itself ({way}), and a table's columns must end somewhere."
        )
    if within and not declared:
        raise SchemaDefinitionError(f"{record.__name__} declares no field, so a column of it would hold nothing.")
    fields = tuple(_field(record, one, (*within, record)) for one in declared)
    _refuse_names(record, fields)
    return RowSchema(record.__name__, fields, record)


def _field(record: type, declared: Declared, within: tuple[type, ...]) -> RowField:
    where = f"{record.__name__}.{declared.name}"
    try:
        return _read_field(where, declared, within)
    except ContractsError:
        raise
    except Exception as error:  # metadata and types of a user may do anything when they are looked at
        raise SchemaDefinitionError(f"{where} cannot be read: {error!r:.200}") from error


def _read_field(where: str, declared: Declared, within: tuple[type, ...]) -> RowField:
    info = declared.info
    options = read_options(where, info)
    shape = shape_of(Place(where, partial(_read_record, within=within)), info.annotation, tuple(info.metadata))
    _refuse_bad_pattern(where, shape)
    if shape.nullable and options.primary_key:
        raise SchemaDefinitionError(f"{where}: a primary key is never null. Leave the `| None` out.")
    innermost = shape
    while innermost.element is not None:
        innermost = innermost.element
    if options.epoch and innermost.type.name not in ("Timestamp", "TimestampNtz", "Date"):
        raise SchemaDefinitionError(f"{where}: epoch= is for dates and datetimes, and this is {shape.type}.")
    return _row_field(
        declared.name,
        shape,
        key=_key(where, declared),
        default=_default(where, info, shape),
        lax=options.lax,
        epoch=options.epoch,
        sensitive=options.sensitive or _holds_private(shape),
        primary_key=options.primary_key,
        unique=options.unique,
        description=info.description,
        tags=options.tags,
    )


def _row_field(name: str, shape: Shape, **given: Any) -> RowField:
    return RowField(
        name=name,
        annotation=shape.annotation,
        nullable=shape.nullable,
        dtype=shape.dtype,
        type=shape.type,
        nested=shape.nested,
        element=None if shape.element is None else _row_field(name, shape.element, key=name, default=MISSING),
        constraints=shape.constraints,
        **given,
    )


def _key(where: str, declared: Declared) -> str:
    """The key that incoming rows use."""
    alias = declared.info.validation_alias or declared.info.alias
    if alias is not None and not isinstance(alias, str):
        raise SchemaDefinitionError(f"{where}: a column has one incoming key, and {alias!r} is a way or a choice.")
    return alias if alias is not None else declared.name


def _default(where: str, info: FieldInfo, shape: Shape) -> Any:
    """What a missing key reads as, in the field's own type."""
    adapter = _adapter(where, shape)
    if info.default_factory is not None:
        if info.default_factory_takes_validated_data:
            raise SchemaDefinitionError(f"{where}: a default_factory takes no argument here.")
        return DefaultFactory(info.default_factory, _made_by(info.default_factory, adapter))  # type: ignore[arg-type]
    if info.default is PydanticUndefined or info.default is ...:
        return None if shape.nullable else MISSING
    if info.default is None:
        if not shape.nullable:
            raise SchemaDefinitionError(f"{where}: the default is None, and the type does not take it. Add `| None`.")
        return None
    try:
        value = adapter.validate_python(info.default)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise SchemaDefinitionError(
            f"{where}: the default {info.default!r} is no value of the field: {reason}"
        ) from error
    except Exception as error:
        raise SchemaDefinitionError(
            f"{where}: the default {info.default!r} makes a validator fail: {error!r}"
        ) from error
    if isinstance(value, list | dict | set):
        return DefaultFactory(partial(copy.deepcopy, value), value)
    return value


def _made_by(factory: object, adapter: TypeAdapter[Any]) -> Any:
    """What `list` and `dict` make, if it is a value of the field; `MISSING` for any other factory."""
    if factory not in (list, dict):
        return MISSING
    try:
        return adapter.validate_python(factory())
    except Exception:  # noqa: BLE001  (a row that needs it is told)
        return MISSING


@lru_cache(maxsize=64)
def _simple_adapter(annotation: Any) -> TypeAdapter[Any]:
    """One for all fields of a type that says everything, as most fields are of a few of them."""
    return TypeAdapter(annotation)


def _adapter(where: str, shape: Shape) -> TypeAdapter[Any]:
    """What pydantic reads the field by, built here so that what it cannot build is refused where it is declared."""
    try:
        simple = isinstance(shape.annotation, type) and shape.annotation in PYTHON_TYPES
        return _simple_adapter(shape.annotation) if simple else TypeAdapter(shape.annotation)
    except SchemaDefinitionError:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise SchemaDefinitionError(f"{where}: pydantic cannot read {shape.annotation}: {text}") from error


def _refuse_bad_pattern(where: str, shape: Shape) -> None:
    pattern = shape.constraints.pattern
    if pattern is not None and (error := pattern_error(pattern)):
        raise SchemaDefinitionError(f"{where}: the pattern {pattern!r} cannot be a rule: {error}")
    if shape.element is not None:
        _refuse_bad_pattern(where, shape.element)


def _holds_private(shape: Shape) -> bool:
    """A sample shows a column or masks it, whole."""
    return shape.nested is not None and any(field.sensitive for field in shape.nested.fields)


def _refuse_names(record: type, fields: tuple[RowField, ...]) -> None:
    try:
        names.refuse_reserved_columns(
            record.__name__, [field.name for field in fields], hint="; rows may keep the key, as its `alias=`"
        )
    except ReservedColumnError as error:
        raise SchemaDefinitionError(str(error)) from error
    if any(not field.name for field in fields):
        raise SchemaDefinitionError(f"{record.__name__}: a column has no name.")
    keys: dict[str, str] = {}
    for field in fields:
        if field.key in keys:
            raise SchemaDefinitionError(
                f"{record.__name__}: {keys[field.key]!r} and {field.name!r} are both filled from the key {field.key!r}."
            )
        keys[field.key] = field.name
