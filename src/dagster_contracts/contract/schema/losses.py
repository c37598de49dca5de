"""What another form of a typed class cannot hold, in sentences."""

from __future__ import annotations

import typing
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import annotated_types
from pydantic.fields import FieldInfo

from dagster_contracts.contract.row_fields import MISSING, DefaultFactory
from dagster_contracts.contract.schema.constraints import NO_CONSTRAINTS, read_constraints
from dagster_contracts.contract.schema.json_default import json_default
from dagster_contracts.contract.type_polars import to_polars
from dagster_contracts.contract.type_sql import DIALECTS, sql_column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dagster_contracts.contract.row_fields import RowField, RowSchema

FORMS = ("dataframely", "json_schema", "polars")


def losses_to(schema: RowSchema, to: str, *, rules: tuple[str, ...]) -> tuple[str, ...]:
    """What a form cannot hold of a schema.

    Args:
        schema: The schema.
        to: One of `FORMS` or of the SQL dialects.
        rules: The names of the schema's own rules.
    """
    found = [f"{field.name}: {loss}" for field in schema.fields for loss in _of_field(field, to)]
    if to != "dataframely":
        found += [f"the rule {name!r}" for name in rules]
    return tuple(found)


def only_on_rows(field: RowField) -> list[str]:
    """What is asked of rows and of no frame: validators, and what else pydantic alone understands."""
    here = [_named(item) for item in _metadata(field.annotation) if not _is_constraint(item)]
    if field.nested is not None and _has_validators(field.nested.source):
        here.append(f"the validators of {field.nested.name}")
    if field.type.name == "Json":
        here += [f"{name}={value}" for name, value in (field.constraints or NO_CONSTRAINTS).given.items()]
    inside = [loss for part in _parts(field) for loss in only_on_rows(part)]
    return list(dict.fromkeys([*here, *inside]))


def _has_validators(record: type) -> bool:
    """Whether a nested model decorates methods that check its values."""
    found = getattr(record, "__pydantic_decorators__", None)
    return found is not None and bool(found.validators or found.field_validators or found.model_validators)


def _of_field(field: RowField, to: str) -> Iterator[str]:
    rows = only_on_rows(field)
    if rows:
        yield f"asked of rows only: {', '.join(rows)}"
    yield from _of_declaring(field, in_json=to == "json_schema")
    if to in ("dataframely", "json_schema"):
        return
    asked = [*(field.constraints or NO_CONSTRAINTS).given]
    asked = [name for name in asked if name not in ("max_digits", "decimal_places")]
    asked += [flag for flag in ("primary_key", "unique", "sensitive") if getattr(field, flag)]
    asked += ["description"] if field.description else []
    if to == "polars" and not field.nullable:
        asked.append("not null")
    if asked:
        yield ", ".join(asked)
    if to in DIALECTS:
        column = sql_column(field.name, field.type, nullable=field.nullable, dialect=to)
        if column.loss:
            yield column.loss
    elif field.type.name in ("Uuid", "Json", "Variant"):
        yield f"{field.type} is text"


def _of_declaring(field: RowField, *, in_json: bool) -> Iterator[str]:
    """What only the class says of a column, and of the fields of its records."""
    if in_json:
        yield from _not_in_json(field)
    else:
        yield from _of_reading(field)
    leaf = field
    while leaf.element is not None:
        leaf = leaf.element
    if isinstance(enum := _bare(leaf.annotation), type) and issubclass(enum, Enum):
        yield f"the names of {enum.__name__}"
    for part in leaf.nested.fields if leaf.nested else ():
        yield from (f"{part.name}: {loss}" for loss in _of_declaring(part, in_json=in_json))


def _of_reading(field: RowField) -> Iterator[str]:
    """How rows are read, which no form of a frame says."""
    if field.key != field.name:
        yield f"the incoming key {field.key!r}"
    if not field.required and field.default is not None:
        yield "the default"
    if field.epoch:
        yield f"epoch={field.epoch!r}"
    if field.lax:
        yield "lax"


def _not_in_json(field: RowField) -> Iterator[str]:
    if not field.required and json_default(field) is MISSING:
        unknown = isinstance(field.default, DefaultFactory) and field.default.value is MISSING
        yield f"the default, which {'is made anew for each row' if unknown else 'JSON cannot hold'}"
    if field.dtype != to_polars(field.type):
        yield f"the dtype {field.dtype}"


def _parts(field: RowField) -> list[RowField]:
    if field.element is not None:
        return [field.element]
    return list(field.nested.fields) if field.nested else []


def _metadata(annotation: Any) -> Iterator[Any]:
    """What stands beside the type, outside and inside of `T | None`."""
    if typing.get_origin(annotation) is Annotated:
        yield from annotation.__metadata__
        yield from _metadata(annotation.__origin__)
    elif type(None) in typing.get_args(annotation):
        for part in typing.get_args(annotation):
            yield from _metadata(part)


def _bare(annotation: Any) -> Any:
    """An annotation without `None` and without metadata."""
    while typing.get_origin(annotation) is Annotated or type(None) in typing.get_args(annotation):
        annotation = typing.get_args(annotation)[0]
    return annotation


def _is_constraint(item: object) -> bool:
    if isinstance(item, FieldInfo):
        return all(_is_constraint(part) for part in item.metadata)
    if isinstance(item, annotated_types.GroupedMetadata):
        return all(_is_constraint(part) for part in item)
    return item is None or bool(read_constraints("", (item,)).given)


def _named(item: object) -> str:
    function = getattr(item, "func", None)
    name = getattr(function, "__name__", None)
    return f"{type(item).__name__}({name})" if name else repr(item)[:80]
