"""A field's default in a JSON Schema: what JSON can hold of it, and how it is read from there."""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from dagster_contracts.contract.row_fields import MISSING, DefaultFactory

if TYPE_CHECKING:
    from dagster_contracts.contract.row_fields import RowField

_YEAR = dt.timedelta(days=365)


def json_default(field: RowField) -> Any:
    """A field's default as JSON; `MISSING` where there is none, or none that JSON holds.

    Args:
        field: The field. A list's or dict's default is made anew for each row and yet known; what another factory makes
            is not.
    """
    default = field.default.value if isinstance(field.default, DefaultFactory) else field.default
    if default is MISSING:
        return MISSING
    try:
        written = _written(field, default)
        same = json.loads(json.dumps(written, allow_nan=False))
    except (TypeError, ValueError):
        return MISSING
    return MISSING if field.type.name in ("Json", "Variant") and same != default else written


def jsonable(value: Any) -> Any:
    """A value in JSON's types, as pydantic writes it; but a duration in days, as no year has a fixed number of them."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dt.timedelta) and abs(value) >= _YEAR:
        long = abs(value)
        sign = "-" if value < dt.timedelta(0) else ""
        return f"{sign}P{long.days}DT{long.seconds}.{long.microseconds:06}S"
    return to_jsonable_python(value)


def default_of(source: Mapping[str, Any]) -> Any:
    """The default that a property has in a JSON Schema, bytes out of base64.

    Raises:
        ValueError: The text is no base64.
    """
    options = source.get("anyOf")
    kinds = [source, *(one for one in (options if isinstance(options, list) else ()) if isinstance(one, dict))]
    in_base64 = any(one.get("contentEncoding") == "base64" for one in kinds)
    value = source["default"]
    return base64.b64decode(value, validate=True) if in_base64 and isinstance(value, str) else value


def _written(field: RowField, value: Any) -> Any:
    """A value of a field as JSON, a record by the incoming keys.

    Raises:
        ValueError: There are bytes inside of a list or a record, where a reader would take them for text.
    """
    if value is None:
        return None
    if field.element is not None:
        return [_inside(field.element, one) for one in value]
    if field.nested is not None:
        return {one.key: _inside(one, _part(value, one.name)) for one in field.nested.fields}
    return base64.b64encode(value).decode() if isinstance(value, bytes) else jsonable(value)


def _inside(field: RowField, value: Any) -> Any:
    """The same inside of a list or a record."""
    if isinstance(value, bytes):
        raise ValueError("bytes inside")  # noqa: TRY004  (not the wrong type, but one without a spelling)
    return _written(field, value)


def _part(record: Any, name: str) -> Any:
    """A record's value by the field's name."""
    return record[name] if isinstance(record, Mapping) else getattr(record, name)
