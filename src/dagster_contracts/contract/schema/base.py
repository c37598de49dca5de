"""The class that a typed schema derives from: it collects what is declared and keeps the class clear of it."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

import dataframely as dy
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, core_schema

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.contract.schema.dataframely_form import to_dataframely
from dagster_contracts.contract.schema.declared import Declared, Own, UnresolvedError, annotations_of, field_info
from dagster_contracts.contract.schema.rules import is_rule
from dagster_contracts.errors import SchemaDefinitionError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from pydantic import GetCoreSchemaHandler

_OWN = "__own_fields__"
_RULES = "__own_rules__"
_ROOT = "__schema_root__"
FRAME = "__own_frame__"
LOSSES = "__own_losses__"


class SchemaBase:
    """What `dc.Schema` is without the operations on rows: a declaration, never an instance."""

    __schema_root__ = True

    def __new__(cls, *_: Any, **__: Any) -> Any:
        """Refuse: rows are dicts, and a schema says what is in them.

        Raises:
            UsageError: Always.
        """
        raise UsageError(
            f"{cls.__name__} says what rows are and is none itself. Return dicts, dataclasses or pydantic objects."
        )

    def __init_subclass__(cls, *, defined_in: FrameType | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if _ROOT in cls.__dict__:
            return
        here = inspect.currentframe()
        frame = defined_in or (here.f_back if here else None)
        _collect(cls, frame)
        try:
            setattr(cls, _OWN, cls.__dict__[_OWN].resolved(cls))
            row_schema(cls)
        except UnresolvedError:
            return  # said when the class is first used, if it is still so
        if row_schema(cls).fields:
            to_dataframely(cls)  # type: ignore[arg-type]  # mypy takes no class for hashable

    @classmethod
    def __declared_fields__(cls) -> list[Declared]:
        """The fields of the class and of those it derives from, the furthest ancestor's first."""
        found: dict[str, Declared] = {}
        for owner in reversed(cls.__mro__):
            own = owner.__dict__.get(_OWN) or _of_plain_class(cls, owner)
            if own is None:
                continue
            for name, hint in own.resolved(cls).annotations.items():
                value = own.values.get(name, PydanticUndefined)
                found[name] = Declared(name, field_info(f"{cls.__name__}.{name}", hint, value))
        return list(found.values())

    @classmethod
    def __declared_rules__(cls) -> dict[str, Any]:
        """The `@dc.rule` and `@dy.rule()` functions of the class and of those it derives from."""
        owners = reversed(cls.__mro__)
        return {name: rule for owner in owners for name, rule in owner.__dict__.get(_RULES, {}).items()}

    @classmethod
    def __dataframely_bases__(cls) -> tuple[type[dy.Schema], ...]:
        """The Dataframely schemas that the class, or one it derives from, was made from."""
        return tuple(owner.__dict__[FRAME] for owner in cls.__mro__ if FRAME in owner.__dict__)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Inside pydantic a schema reads a dict by the incoming keys and gives one by the columns' names."""
        del source
        return core_schema.typed_dict_schema(dict(_core_fields(cls, handler)), extra_behavior="ignore")


def _core_fields(cls: type[SchemaBase], handler: GetCoreSchemaHandler) -> Iterator[tuple[str, Any]]:
    for field in row_schema(cls).fields:
        inner = handler.generate_schema(field.optional)
        if not field.required:
            inner = core_schema.with_default_schema(inner, default_factory=field.make_default)
        yield field.name, core_schema.typed_dict_field(inner, required=field.required, validation_alias=field.key)


def _collect(cls: type[SchemaBase], frame: FrameType | None) -> None:
    """Move fields, defaults and rules out of the class's attributes, so that a column may have any name."""
    annotations = annotations_of(cls)
    _refuse_names(cls, annotations)
    _refuse_members(cls, annotations)
    values = {name: cls.__dict__[name] for name, raw in annotations.items() if _is_default(cls, name, raw)}
    rules = {name: value for name, value in cls.__dict__.items() if is_rule(value)}
    for name in (*values, *rules):
        delattr(cls, name)
    module, local = (frame.f_globals, dict(frame.f_locals)) if frame else ({}, {})
    local |= {name: value for name, value in cls.__dict__.items() if isinstance(value, type)}
    setattr(cls, _OWN, Own(annotations, values, module, local))
    setattr(cls, _RULES, rules)


def _is_default(cls: type, name: str, raw: object) -> bool:
    text = raw if isinstance(raw, str) else str(raw)
    return name in cls.__dict__ and "ClassVar" not in text.split("[")[0]


def _refuse_names(cls: type, annotations: dict[str, Any]) -> None:
    frames = (
        () if FRAME in cls.__dict__ else (owner.__dict__[FRAME] for owner in cls.__mro__ if FRAME in owner.__dict__)
    )
    for name in {name for frame in frames for name in frame.column_names()} & set(annotations):
        raise SchemaDefinitionError(f"{cls.__name__}.{name} is a Dataframely schema's column, which is changed there.")
    for name in annotations:
        if not isinstance(name, str):
            raise SchemaDefinitionError(f"{cls.__name__}: {name!r} is no name of a column.")
        if name.startswith(f"_{cls.__name__.lstrip('_')}__"):
            raise SchemaDefinitionError(
                f"{cls.__name__}: Python turns a name with two underscores in front into {name!r}. Take one."
            )
        if name.startswith("__") and name.endswith("__"):
            raise SchemaDefinitionError(f"{cls.__name__}: {name!r} is Python's own name and cannot be a column's.")


def _refuse_members(cls: type, annotations: dict[str, Any]) -> None:
    inherited = {name for owner in cls.__mro__[1:] if (own := owner.__dict__.get(_OWN)) for name in own.annotations}
    for name, value in cls.__dict__.items():
        if name in inherited and name not in annotations:
            raise SchemaDefinitionError(
                f"{cls.__name__}.{name} is a column that it inherits. To change it, annotate it again."
            )
        if name in ("model_config", "Config") and name not in annotations:
            raise SchemaDefinitionError(
                f"{cls.__name__}.{name}: a dc.Schema has no pydantic configuration. A nested model may have its own."
            )
        if isinstance(value, FieldInfo) and name not in annotations:
            raise SchemaDefinitionError(f"{cls.__name__}.{name} has no annotation. Write `{name}: <type> = …`.")
        if isinstance(value, dy.Column):
            raise SchemaDefinitionError(
                f"{cls.__name__}.{name} is a Dataframely column. Annotate instead: `{name}: <type>`."
            )
        if type(value).__module__.startswith("pydantic.") and hasattr(value, "decorator_info"):
            raise SchemaDefinitionError(
                f"{cls.__name__}.{name}: pydantic's decorators need a model. A check of one column is "
                "`Annotated[<type>, AfterValidator(function)]`, one of several is a @dc.rule."
            )


def _of_plain_class(cls: type, owner: type) -> Own | None:
    """What a class that is no schema adds to one that derives from it."""
    if owner is object or _ROOT in owner.__dict__:
        return None
    annotations = annotations_of(owner)
    values = {name: owner.__dict__[name] for name, raw in annotations.items() if _is_default(owner, name, raw)}
    operations = {name for root in cls.__mro__ if _ROOT in root.__dict__ for name in root.__dict__}
    if hidden := [name for name in values if name in operations and getattr(cls, name) is values[name]]:
        raise SchemaDefinitionError(
            f"{cls.__name__}: the default of {hidden[0]!r} in {owner.__name__} would hide the schema's own "
            f"{hidden[0]}(). Derive {owner.__name__} from dc.Schema as well."
        )
    module = sys.modules.get(owner.__module__)
    return Own(annotations, values, vars(module) if module else {}, {})
