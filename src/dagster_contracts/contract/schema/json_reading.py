"""A JSON Schema of an object as a typed class. What a column has no word for is left out, and said."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from decimal import Decimal
from types import new_class
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AwareDatetime, Field, NaiveDatetime, TypeAdapter

from dagster_contracts.contract.schema.json_default import default_of
from dagster_contracts.contract.schema.json_form import JSON_TYPES
from dagster_contracts.contract.schema.patterns import pattern_error
from dagster_contracts.contract.schema.python_types import list_of, python_type
from dagster_contracts.errors import SchemaDefinitionError

if TYPE_CHECKING:
    from collections.abc import Mapping

_FORMATS: dict[tuple[str, str], str] = {
    (twin["type"], twin["format"]): name for name, twin in JSON_TYPES.items() if "format" in twin
} | {
    ("integer", "int64"): "Int64",
    ("number", "double"): "Float64",
    ("string", "time"): "Time",
    ("string", "binary"): "Binary",
    ("string", "byte"): "Binary",
}
_PLAIN = {"boolean": "Boolean", "integer": "Int64", "number": "Float64", "string": "String", "object": "Json"}
_NUMBERS = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
}
_TEXTS = {"formatMinimum": "ge", "formatExclusiveMinimum": "gt", "formatMaximum": "le", "formatExclusiveMaximum": "lt"}
_LENGTHS = {
    "string": {"minLength": "min_length", "maxLength": "max_length"},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
    "object": {"minProperties": "min_length", "maxProperties": "max_length"},
}
_UNKNOWN = (
    "not", "if", "then", "else", "oneOf", "patternProperties", "dependentRequired", "dependentSchemas", "contains",
    "prefixItems", "uniqueItems", "propertyNames", "unevaluatedProperties", "contentMediaType",
)  # fmt: skip
_OPTIONS = ("primary_key", "unique", "sensitive", "lax", "epoch")
_TEMPORAL: dict[str, Any] = {
    "Date": dt.date,
    "Time": dt.time,
    "Timestamp": AwareDatetime,
    "TimestampNtz": NaiveDatetime,
    "Interval": dt.timedelta,
    "Decimal": Decimal,
}
MAX_DEPTH = 30
"""How many schemas may be inside each other, references followed."""


@dataclass(frozen=True)
class _Place:
    """Where in a schema the reader stands."""

    root: type
    source: Mapping[str, Any]
    title: str
    path: tuple[str, ...] = ()
    lost: list[str] = field(default_factory=list)
    within: tuple[str, ...] = ()
    depth: int = 0

    def of(self, part: str) -> _Place:
        """The place of a part of what stands here."""
        return replace(self, path=(*self.path, part), depth=self.depth + 1)

    @property
    def name(self) -> str:
        """The place in words, which can name a class, too."""
        return "_".join((self.title, *self.path))

    def lose(self, what: str) -> None:
        """Note what is left out here."""
        self.lost.append(f"{'.'.join(self.path) or self.title}: {what}")


def members(root: type, source: Mapping[str, Any], name: str | None) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """The members of a class that declares what a JSON Schema does.

    Args:
        root: What records inside derive from.
        source: The JSON Schema.
        name: The class's name; the `title` otherwise.

    Returns:
        The name, the members, and what was left out.

    Raises:
        SchemaDefinitionError: It is no object's schema, refers to itself or outside, or a property is no column's.
    """
    if not hasattr(source, "keys"):
        raise SchemaDefinitionError(f"A JSON Schema is a dict; got {type(source).__name__}.")
    title = name or source.get("title")
    place = _Place(root, source, title if isinstance(title, str) and title else "Row")
    place, target = _follow(place, source)
    if not isinstance(target.get("properties"), dict):
        raise SchemaDefinitionError(f"{place.name}: the JSON Schema is of no object with `properties`.")
    found = _object(place, target)
    return place.name, found, tuple(dict.fromkeys(place.lost))


def _object(place: _Place, source: Mapping[str, Any]) -> dict[str, Any]:
    _lose_unknown(place, source)
    required = source.get("required", ())
    annotations: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for name, given in source["properties"].items():
        here = place.of(name)
        outside, target = _follow(here, given if isinstance(given, dict) else {})
        annotation, nullable = _annotation(outside, target)
        has_default = "default" in target
        if not nullable and not has_default and name not in required:
            here.lose("that null is no value of it, which a missing key reads as")
            nullable = True
        annotations[name] = annotation | None if nullable and annotation is not Any else annotation
        values[name] = _info(here, target)
    doc = source.get("description")
    return {
        "__annotations__": annotations,
        "__module__": place.root.__module__,
        "__doc__": doc if isinstance(doc, str) else None,
        **values,
    }


def _info(place: _Place, source: Mapping[str, Any]) -> Any:
    """What is said beside a property's type."""
    given: dict[str, Any] = {}
    if "default" in source:
        try:
            given["default"] = default_of(source)
        except ValueError as error:
            raise SchemaDefinitionError(
                f"{place.name}: the default {source['default']!r} is no value of it."
            ) from error
    if isinstance(source.get("alias"), str):
        given["alias"] = source["alias"]
    if isinstance(source.get("description"), str):
        given["description"] = source["description"]
    extra = {name: source[name] for name in _OPTIONS if name in source}
    return Field(**given, json_schema_extra=extra or None)


def _follow(place: _Place, source: Mapping[str, Any]) -> tuple[_Place, Mapping[str, Any]]:
    """What a reference stands for, with what is said beside it."""
    while True:
        if place.depth > MAX_DEPTH:
            raise SchemaDefinitionError(f"{place.name}: nested more than {MAX_DEPTH} deep.")
        only = source.get("allOf")
        if isinstance(only, list) and len(only) == 1 and isinstance(only[0], dict):
            source = {**only[0], **{key: value for key, value in source.items() if key != "allOf"}}
            continue
        reference = source.get("$ref")
        if reference is None:
            return place, source
        if reference in place.within:
            raise SchemaDefinitionError(f"{place.name}: {reference} refers to itself, and a table's columns must end.")
        place = replace(place, within=(*place.within, reference), depth=place.depth + 1)
        source = {**_target(place, reference), **{key: value for key, value in source.items() if key != "$ref"}}


def _target(place: _Place, reference: object) -> Mapping[str, Any]:
    target: Any = place.source
    if not isinstance(reference, str) or not reference.startswith("#/"):
        raise SchemaDefinitionError(f"{place.name}: {reference!r} refers outside of the schema, which is not followed.")
    for step in reference[2:].split("/"):
        target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
    if not isinstance(target, dict):
        raise SchemaDefinitionError(f"{place.name}: {reference!r} refers to nothing.")
    return target


def _annotation(place: _Place, source: Mapping[str, Any]) -> tuple[Any, bool]:
    """The Python type of a schema, and whether null is a value of it."""
    _lose_unknown(place, source)
    if isinstance(options := source.get("anyOf"), list):
        kinds = [_follow(place, one) for one in options if isinstance(one, dict) and one.get("type") != "null"]
        nullable = len(kinds) < len(options)
        if len(kinds) != 1:
            place.lose("which of several types a value has")
            return Any, True
        annotation, inner = _annotation(*kinds[0])
        return annotation, nullable or inner
    kinds_named = source.get("type")
    names = [kinds_named] if isinstance(kinds_named, str) else list(kinds_named or ())
    nullable = "null" in names
    names = [name for name in names if name != "null"]
    if set(names) == {"integer", "number"}:
        names = ["number"]
    choices = source.get("enum", [source["const"]] if "const" in source else None)
    if choices is not None:
        return _choice(place, source, choices, nullable=nullable)
    if len(names) != 1:
        if names:
            place.lose("which of several types a value has")
        return Any, True
    return _typed(place, source, names[0]), nullable


def _choice(place: _Place, source: Mapping[str, Any], choices: Any, *, nullable: bool) -> tuple[Any, bool]:
    values = [value for value in choices if value is not None] if isinstance(choices, list) else []
    nullable = nullable or (isinstance(choices, list) and None in choices)
    kinds = {type(value) for value in values}
    if len(kinds) != 1 or not kinds <= {str, int, bool}:
        place.lose("the values of its enum, which are not of one type")
        return Any, True
    annotation: Any = Literal[tuple(values)]
    exact = _FORMATS.get((str(source.get("type")), str(source.get("format"))), "")
    width = exact if exact.startswith(("Int", "UInt")) and exact != "Int64" else None
    return (Annotated[annotation, python_type(width).__metadata__[0]] if width else annotation), nullable


def _typed(place: _Place, source: Mapping[str, Any], name: str) -> Any:
    if name == "array":
        return _array(place, source)
    if name == "object" and isinstance(source.get("properties"), dict) and source["properties"]:
        return _record(place, source)
    if name not in _PLAIN:
        raise SchemaDefinitionError(f"{place.name}: {name!r} is no type of JSON.")
    if name == "object" and isinstance(source.get("additionalProperties"), dict):
        place.lose("what the values of an object of any keys are")
    kind = _kind(place, source, name)
    asks = _asks(place, source, name, kind)
    annotation: Any = Decimal if kind == "Decimal" else python_type(kind)
    return Annotated[annotation, Field(**asks)] if asks else annotation


def _kind(place: _Place, source: Mapping[str, Any], name: str) -> str:
    """The name of the type in the vocabulary."""
    if name == "string" and source.get("contentEncoding") == "base64":
        return "Binary"
    given = source.get("format")
    if given is None:
        return _PLAIN[name]
    if (name, given) not in _FORMATS:
        place.lose(f"the format {given!r}")
    return _FORMATS.get((name, given), _PLAIN[name])


def _asks(place: _Place, source: Mapping[str, Any], name: str, kind: str) -> dict[str, Any]:
    """A value's constraints, as pydantic names them."""
    asks: dict[str, Any] = {}
    if name in ("integer", "number"):
        asks |= {ours: source[key] for key, ours in _NUMBERS.items() if key in source}
    elif kind in _TEMPORAL:
        read = TypeAdapter(_TEMPORAL[kind])
        try:
            asks |= {ours: read.validate_python(source[key]) for key, ours in _TEXTS.items() if key in source}
        except ValueError as error:
            raise SchemaDefinitionError(f"{place.name}: a bound is no {kind}.") from error
    if kind == "Decimal":
        asks |= {"max_digits": source.get("maxDigits", 38), "decimal_places": source.get("decimalPlaces", 9)}
        asks |= {"multiple_of": Decimal(str(source["multipleOf"]))} if "multipleOf" in source else {}
    if kind in ("String", "Binary", "Json"):
        asks |= {ours: source[key] for key, ours in _LENGTHS[name].items() if key in source}
    if source.get("allow_inf_nan") is False and name == "number":
        asks["allow_inf_nan"] = False
    if "pattern" in source:
        if kind != "String" or pattern_error(source["pattern"]) is not None:
            place.lose(f"the pattern {source['pattern']!r}")
        else:
            asks["pattern"] = source["pattern"]
    return asks


def _array(place: _Place, source: Mapping[str, Any]) -> Any:
    items = source.get("items", {})
    inside, target = _follow(place.of("item"), items if isinstance(items, dict) else {})
    annotation, nullable = _annotation(inside, target)
    element = annotation | None if nullable and annotation is not Any else annotation
    asks = {ours: source[key] for key, ours in _LENGTHS["array"].items() if key in source}
    return Annotated[list_of(element), Field(**asks)] if asks else list_of(element)


def _record(place: _Place, source: Mapping[str, Any]) -> type:
    title = source.get("title")
    name = title if isinstance(title, str) and title.isidentifier() else place.name
    found = _object(place, source)
    return new_class(name, (place.root,), {}, lambda namespace: namespace.update(found))


def _lose_unknown(place: _Place, source: Mapping[str, Any]) -> None:
    for word in _UNKNOWN:
        if word in source:
            place.lose(f"`{word}`")
    if isinstance(source.get("allOf"), list):
        place.lose("`allOf`")
