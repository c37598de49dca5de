"""A typed class as a JSON Schema. The formats are those of the OpenAPI registry, the keys beside them pydantic's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from dagster_contracts.contract.row_fields import MISSING
from dagster_contracts.contract.schema.constraints import NO_CONSTRAINTS
from dagster_contracts.contract.schema.json_default import json_default, jsonable

if TYPE_CHECKING:
    from dagster_contracts.contract.row_fields import RowField, RowSchema

JSON_TYPES: dict[str, dict[str, Any]] = {
    "Boolean": {"type": "boolean"},
    "Int64": {"type": "integer"},
    **{name: {"type": "integer", "format": name.lower()} for name in ("Int8", "Int16", "Int32", "Int128")},
    **{name: {"type": "integer", "format": name.lower()} for name in ("UInt8", "UInt16", "UInt32", "UInt64")},
    "Float32": {"type": "number", "format": "float"},
    "Float64": {"type": "number"},
    "Decimal": {"type": "string", "format": "decimal"},
    "String": {"type": "string"},
    "Binary": {"type": "string", "contentEncoding": "base64"},
    "Date": {"type": "string", "format": "date"},
    "Time": {"type": "string", "format": "time-local"},
    "Timestamp": {"type": "string", "format": "date-time"},
    "TimestampNtz": {"type": "string", "format": "date-time-local"},
    "Interval": {"type": "string", "format": "duration"},
    "Uuid": {"type": "string", "format": "uuid"},
    "Json": {"type": "object"},
    "Variant": {},
}
"""The twin of each simple type."""

_NUMBER = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_TEXT = {"ge": "formatMinimum", "gt": "formatExclusiveMinimum", "le": "formatMaximum", "lt": "formatExclusiveMaximum"}


def object_schema(schema: RowSchema, doc: str | None = None) -> dict[str, Any]:
    """The JSON Schema of an object with a schema's fields. What has no default there is required there."""
    required = [field.name for field in schema.fields if json_default(field) is MISSING]
    return {
        "title": schema.name,
        **({"description": doc} if doc else {}),
        "type": "object",
        "properties": {field.name: _property(field) for field in schema.fields},
        **({"required": required} if required else {}),
    }


def _property(field: RowField) -> dict[str, Any]:
    found = dict(_optional(field))
    if field.description:
        found["description"] = field.description
    if (default := json_default(field)) is not MISSING:
        found["default"] = default
    found |= {name: True for name in ("primary_key", "unique", "sensitive", "lax") if getattr(field, name)}
    if field.epoch:
        found["epoch"] = field.epoch
    if field.key != field.name:
        found["alias"] = field.key
    return found | {name: jsonable(value) for name, value in field.tags}


def _optional(field: RowField) -> dict[str, Any]:
    value = _value(field)
    if not field.nullable or field.type.name == "Variant":
        return value
    return {"anyOf": [value, {"type": "null"}]}


def _value(field: RowField) -> dict[str, Any]:
    """What a value that is not null must be."""
    if field.nested is not None and field.element is None:
        return object_schema(field.nested)
    if field.element is not None:
        return {"type": "array", "items": _optional(field.element), **_lengths(field, "Items")}
    type_ = field.type
    asked = (field.constraints or NO_CONSTRAINTS).given
    found = _json_object(field) if type_.name == "Json" else dict(JSON_TYPES[type_.name])
    if type_.name == "Decimal":
        found |= {"maxDigits": type_.precision, "decimalPlaces": type_.scale}
    if "is_in" in asked:
        found["enum"] = list(asked["is_in"])
    if "pattern" in asked:
        found["pattern"] = asked["pattern"]
    names = _NUMBER if found.get("type") in ("integer", "number") else _TEXT
    found |= {names[name]: jsonable(asked[name]) for name in names if name in asked}
    if "multiple_of" in asked:
        found["multipleOf"] = jsonable(asked["multiple_of"])
    if asked.get("allow_inf_nan") is False:
        found["allow_inf_nan"] = False
    return found | _lengths(field, "Properties" if type_.name == "Json" else "Length")


def _lengths(field: RowField, noun: str) -> dict[str, Any]:
    asked = (field.constraints or NO_CONSTRAINTS).given
    return {f"{side}{noun}": asked[f"{side}_length"] for side in ("min", "max") if f"{side}_length" in asked}


def _json_object(field: RowField) -> dict[str, Any]:
    """An object of any keys; pydantic knows what its values must be."""
    found = TypeAdapter(field.annotation).json_schema()
    values = found.get("additionalProperties", True)
    return (
        {"type": "object"} if values is True or "$defs" in found else {"type": "object", "additionalProperties": values}
    )
