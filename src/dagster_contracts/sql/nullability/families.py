"""The kinds of types whose NULLs behave differently, and the kind of a declared or a written type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dagster_contracts.contract.types import Type

NUMBER = "number"
DECIMAL = "decimal"
STRING = "string"
BOOLEAN = "boolean"
BINARY = "binary"
TEMPORAL = "temporal"
FINITE = "finite"  # a date or timestamp that is not infinite
TIME = "time"
INTERVAL = "interval"
UUID = "uuid"
NESTED = "nested"  # structs and maps
ARRAY = "array"
JSON = "json"  # what a value inside may be null of its own kind
NULL = "null"
OTHER = "other"  # what is none of those that behave in a way of their own: JSON, nested, dates

_DECLARED = {
    "Boolean": BOOLEAN,
    "Decimal": DECIMAL,
    "String": STRING,
    "Binary": BINARY,
    "Date": TEMPORAL,
    "Timestamp": TEMPORAL,
    "TimestampNtz": TEMPORAL,
    "Time": TIME,
    "Interval": INTERVAL,
    "Uuid": UUID,
    "Json": JSON,
    "Variant": JSON,
    "Array": ARRAY,
    "Map": NESTED,
    "Struct": NESTED,
}
_PLAIN = frozenset([NUMBER, DECIMAL, STRING, BOOLEAN, BINARY, TIME, INTERVAL, UUID, OTHER])
_D = exp.DataType.Type
_WRITTEN = {
    BOOLEAN: [_D.BOOLEAN, _D.BIT],
    NUMBER: [
        *(_D.TINYINT, _D.SMALLINT, _D.MEDIUMINT, _D.INT, _D.BIGINT, _D.INT128, _D.INT256),
        *(_D.UTINYINT, _D.USMALLINT, _D.UINT, _D.UBIGINT, _D.UINT128, _D.FLOAT, _D.DOUBLE),
    ],
    DECIMAL: [_D.DECIMAL, _D.BIGDECIMAL],
    STRING: [_D.CHAR, _D.NCHAR, _D.VARCHAR, _D.NVARCHAR, _D.TEXT, _D.NAME, _D.BPCHAR],
    BINARY: [_D.BINARY, _D.VARBINARY, _D.BLOB],
    TEMPORAL: [
        *(_D.DATE, _D.DATETIME, _D.TIMESTAMP, _D.TIMESTAMPTZ, _D.TIMESTAMPLTZ, _D.TIMESTAMPNTZ),
        *(_D.TIMESTAMP_S, _D.TIMESTAMP_MS, _D.TIMESTAMP_NS),
    ],
    TIME: [_D.TIME, _D.TIMETZ],
    INTERVAL: [_D.INTERVAL],
    UUID: [_D.UUID],
}
_FAMILY_OF_WRITTEN = {kind: family for family, kinds in _WRITTEN.items() for kind in kinds}


def declared_family(declared: Type | None) -> str | None:
    """The family of a column's declared type."""
    if declared is None:
        return None
    return _DECLARED.get(declared.name, NUMBER)


def written_family(written: exp.Expr | None) -> str | None:
    """The family of a type as a CAST names it; `None` for a nested one and for one that is not known."""
    return _FAMILY_OF_WRITTEN.get(written.this) if isinstance(written, exp.DataType) else None


def common_family(families: Iterable[str | None]) -> str | None:
    """The family of a value that comes from one of several; one that is NULL itself has any."""
    found = set(families) - {NULL}
    if len(found) == 1:
        return found.pop()
    if None in found or found & {JSON, NESTED, ARRAY} or not found:
        return NULL if not found else None
    if found <= {NUMBER, DECIMAL}:
        return DECIMAL
    return OTHER if found <= _PLAIN else TEMPORAL
