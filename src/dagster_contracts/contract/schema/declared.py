"""What a class declares, field by field, before any type is looked at."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, PydanticUserError, RootModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from dagster_contracts.errors import SchemaDefinitionError

if TYPE_CHECKING:
    from collections.abc import Mapping


class UnresolvedError(SchemaDefinitionError):
    """An annotation names something that is not defined, or not yet."""


@dataclass(frozen=True)
class Declared:
    """One field as its class declares it: `info` holds the annotation, the metadata, the default and the options."""

    name: str
    info: FieldInfo


@dataclass(frozen=True)
class Own:
    """What one class in a schema's ancestry declares itself.

    Args:
        annotations: By name; text where the class's module postpones annotations.
        values: What is assigned to annotated names.
        module: The globals of the module that the class was defined in, for text.
        local: What else was in sight there.
        looked_up: Whether the annotations are types already.
    """

    annotations: Mapping[str, Any]
    values: Mapping[str, Any]
    module: dict[str, Any]
    local: Mapping[str, Any]
    looked_up: bool = False

    def resolved(self, cls: type) -> Own:
        """The same, with every annotation that is a field turned from text into a type.

        Args:
            cls: The schema, which its annotations may name.

        Raises:
            UnresolvedError: A name is not defined.
            SchemaDefinitionError: An annotation is no type.
        """
        if self.looked_up:
            return self
        hints = _hints(cls, self.annotations, self.module, {**self.local, cls.__name__: cls})
        fields = {name: hint for name, hint in hints.items() if not _is_no_field(hint)}
        return Own(fields, self.values, self.module, {}, looked_up=True)


def _is_no_field(hint: object) -> bool:
    return ClassVar in (hint, typing.get_origin(hint)) or hint is dataclasses.KW_ONLY


def annotations_of(cls: type) -> dict[str, Any]:
    """A class's own annotations, unresolved."""
    if sys.version_info >= (3, 14):
        import annotationlib  # noqa: PLC0415

        return dict(annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF))
    return dict(inspect.get_annotations(cls))


def _hints(cls: type, annotations: Mapping[str, Any], module: dict[str, Any], local: dict[str, Any]) -> dict[str, Any]:
    """All annotations at once; one by one where one of them fails, so that it is named."""
    holder = type("Annotations", (), {"__annotations__": dict(annotations)})
    try:
        return typing.get_type_hints(holder, module, local, include_extras=True)
    except Exception:  # noqa: BLE001  (an annotation in a text is anybody's code)
        return {name: _hint(cls, name, raw, module, local) for name, raw in annotations.items()}


def _hint(cls: type, name: str, raw: object, module: dict[str, Any], local: dict[str, Any]) -> Any:
    holder = type("Annotations", (), {"__annotations__": {name: raw}})
    try:
        return typing.get_type_hints(holder, module, local, include_extras=True)[name]
    except NameError as error:
        raise UnresolvedError(
            f"{cls.__name__}.{name}: the annotation {raw!r} names {error.name!r}, which is not defined. A class that "
            "is named before it is defined must be defined at the top of its module."
        ) from error
    except Exception as error:
        raise SchemaDefinitionError(f"{cls.__name__}.{name}: {raw!r} is no type: {error}") from error


def field_info(where: str, annotation: Any, value: Any) -> FieldInfo:
    """Join an annotation and what is assigned to it, as pydantic does.

    Raises:
        SchemaDefinitionError: pydantic cannot.
    """
    try:
        if value is PydanticUndefined:
            return FieldInfo.from_annotation(annotation)
        return FieldInfo.from_annotated_attribute(annotation, value)
    except (PydanticUserError, TypeError, ValueError) as error:
        raise SchemaDefinitionError(f"{where}: {error}") from error


def declared_by(record: type) -> list[Declared] | None:
    """The fields of a nested record: a pydantic model or a dataclass; `None` for what is neither.

    Raises:
        SchemaDefinitionError: The record's own annotations cannot be resolved, or it holds no fields by name.
    """
    if issubclass(record, RootModel):
        raise SchemaDefinitionError(f"{record.__name__} is a RootModel, which has no columns. Use what is in it.")
    if issubclass(record, BaseModel):
        return _of_model(record)
    return _of_dataclass(record) if dataclasses.is_dataclass(record) else None


def _of_model(model: type[BaseModel]) -> list[Declared]:
    try:
        complete = model.__pydantic_complete__ or model.model_rebuild(raise_errors=True)
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise UnresolvedError(f"The model {model.__name__} is not complete: {reason}") from error
    assert complete is not False  # noqa: S101  (it raised)
    return [Declared(name, info) for name, info in model.model_fields.items()]


def _of_dataclass(record: type) -> list[Declared]:
    try:
        hints = typing.get_type_hints(record, include_extras=True)
    except Exception as error:
        raise UnresolvedError(f"The dataclass {record.__name__} cannot be read: {error}") from error
    found = []
    for one in dataclasses.fields(record):
        value: Any = PydanticUndefined
        if one.default is not dataclasses.MISSING:
            value = one.default
        elif one.default_factory is not dataclasses.MISSING:
            value = FieldInfo(default_factory=one.default_factory)
        found.append(Declared(one.name, field_info(f"{record.__name__}.{one.name}", hints[one.name], value)))
    return found
