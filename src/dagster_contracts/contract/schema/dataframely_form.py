"""A typed class as a Dataframely schema: the same columns, the same rules, on frames."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import lru_cache
from types import new_class
from typing import Any, TypeAlias, cast

import dataframely as dy
import polars as pl

from dagster_contracts.contract.row_fields import RowField, row_schema
from dagster_contracts.contract.schema.checks import column_checks
from dagster_contracts.contract.schema.constraints import NO_CONSTRAINTS, Constraints
from dagster_contracts.contract.schema.rules import Rule, refuse_bad_rules
from dagster_contracts.errors import SchemaDefinitionError

_Kind: TypeAlias = tuple[Callable[..., dy.Column], dict[str, Any]]

_INTEGERS: dict[type[pl.DataType], type[dy.Column]] = {
    pl.Int8: dy.Int8,
    pl.Int16: dy.Int16,
    pl.Int32: dy.Int32,
    pl.Int64: dy.Int64,
    pl.UInt8: dy.UInt8,
    pl.UInt16: dy.UInt16,
    pl.UInt32: dy.UInt32,
    pl.UInt64: dy.UInt64,
}
_PLAIN: dict[type[pl.DataType], type[dy.Column]] = {
    pl.Boolean: dy.Bool,
    pl.Binary: dy.Binary,
    pl.Categorical: dy.Categorical,
}
_BOUNDED: dict[type[pl.DataType], type[dy.Column]] = {pl.Date: dy.Date, pl.Time: dy.Time}
_NATIVE = {"min": "ge", "min_exclusive": "gt", "max": "le", "max_exclusive": "lt", "regex": "pattern"}
"""Dataframely's names of constraints, where they are not pydantic's."""

_BOUNDS = frozenset({"ge", "gt", "le", "lt"})


class Int128(dy.Int64):
    """A column of 128-bit integers, which Dataframely has none for."""

    num_bytes = 16

    @property
    def dtype(self) -> pl.DataType:
        """The column's dtype."""
        return pl.Int128()


_INTEGERS[pl.Int128] = Int128


@lru_cache(maxsize=1024)
def to_dataframely(schema: type[Any]) -> type[dy.Schema]:
    """The Dataframely schema of a typed class: its columns, constraints and rules.

    Args:
        schema: A `dc.Schema`.

    Raises:
        SchemaDefinitionError: A constraint cannot be asked of a column of its type, or allows nothing.
    """
    fields = row_schema(schema).fields
    rules = schema.__declared_rules__()
    refuse_bad_rules(schema.__name__, rules, [field.name for field in fields])
    bases = schema.__dataframely_bases__()
    kept = {name for base in bases for name in base.column_names()}
    own = [field for field in fields if field.name not in kept]
    if len(bases) == 1 and not own and not rules:
        made: type[dy.Schema] = bases[0]
        return made
    members: dict[str, Any] = {"__module__": schema.__module__, "__doc__": _docstring(schema)}
    for place, field in enumerate(own):
        column = _column(f"{schema.__name__}.{field.name}", field, of_table=True)
        column.alias = field.name
        members[_attribute(field.name, place, rules)] = column
    members |= {name: rule.as_dataframely() if isinstance(rule, Rule) else rule for name, rule in rules.items()}
    try:
        return new_class(schema.__name__, bases or (dy.Schema,), {}, lambda namespace: namespace.update(members))
    except Exception as error:
        raise SchemaDefinitionError(f"{schema.__name__}: {error}") from error


def _attribute(name: str, place: int, rules: dict[str, Any]) -> str:
    """The column's own name, so that rules find it as `cls.<name>`, unless Dataframely or Python needs that."""
    taken = name in rules or name.startswith("_") or hasattr(dy.Schema, name) or not name.isidentifier()
    return f"column_{place}" if taken else name


def _column(where: str, field: RowField, *, of_table: bool = False) -> dy.Column:
    """A column of a table, a field of a record or the elements of a list; keys are a table's only."""
    try:
        make, own = _kind(where, field, field.constraints or NO_CONSTRAINTS)
        own = {name: value for name, value in own.items() if value is not None}
        native = frozenset(_NATIVE.get(name, name) for name in own) | (
            _BOUNDS if field.type.name != "String" else set()
        )
        checks = column_checks(field, native)
        metadata = dict(field.tags) | ({"sensitive": True} if field.sensitive else {})
        return make(
            nullable=field.nullable,
            description=field.description,
            metadata=metadata or None,
            check=checks or None,
            primary_key=field.primary_key and of_table,
            unique=field.unique and of_table,
            **own,
        )
    except SchemaDefinitionError:
        raise
    except Exception as error:
        raise SchemaDefinitionError(f"{where}: {error}") from error


def _kind(where: str, field: RowField, asked: Constraints) -> _Kind:
    """The kind of column, and the parameters that only this kind has."""
    dtype = type(field.dtype)
    if dtype in _INTEGERS:
        return _integer(where, _INTEGERS[dtype], asked)
    if dtype in _BOUNDED:
        return _BOUNDED[dtype], dict(_bounds(asked))
    if dtype in _PLAIN:
        return _PLAIN[dtype], {}
    return _OTHERS[dtype](where, field, asked)


def _list(where: str, field: RowField, asked: Constraints) -> _Kind:
    inner = _column(where, _element(field))
    return dy.List, {"inner": inner, "min_length": asked.min_length, "max_length": asked.max_length}


def _array(where: str, field: RowField, _: Constraints) -> _Kind:
    return dy.Array, {"inner": _column(where, _element(field)), "shape": cast("pl.Array", field.dtype).size}


def _struct(where: str, field: RowField, _: Constraints) -> _Kind:
    nested = field.nested.fields if field.nested else ()
    return dy.Struct, {"inner": {one.name: _column(f"{where}.{one.name}", one) for one in nested}}


def _float(_: str, field: RowField, asked: Constraints) -> _Kind:
    """In Polars NaN is more than every number; pydantic lets it pass no bound."""
    finite = asked.allow_inf_nan is False
    bounds = _bounds(asked, float, float)
    kind = dy.Float32 if field.dtype == pl.Float32() else dy.Float64
    return kind, {**bounds, "allow_inf": not finite, "allow_nan": not (finite or bounds)}


def _decimal(_: str, field: RowField, asked: Constraints) -> _Kind:
    dtype = cast("pl.Decimal", field.dtype)
    bounds = _bounds(asked, *_to_scale(dtype.scale))
    return dy.Decimal, {"precision": dtype.precision, "scale": dtype.scale, **bounds}


def _datetime(_: str, field: RowField, asked: Constraints) -> _Kind:
    dtype = cast("pl.Datetime", field.dtype)
    return dy.Datetime, {"time_zone": dtype.time_zone, "time_unit": dtype.time_unit, **_bounds(asked)}


def _duration(_: str, field: RowField, asked: Constraints) -> _Kind:
    unit = cast("pl.Duration", field.dtype).time_unit
    return dy.Duration, {**({} if unit == "us" else {"time_unit": unit}), **_bounds(asked)}


def _enum(_: str, field: RowField, __: Constraints) -> _Kind:
    return dy.Enum, {"categories": cast("pl.Enum", field.dtype).categories}


def _string(_: str, __: RowField, asked: Constraints) -> _Kind:
    return dy.String, {"regex": asked.pattern}


_OTHERS: dict[type[pl.DataType], Callable[[str, RowField, Constraints], _Kind]] = {
    pl.List: _list,
    pl.Array: _array,
    pl.Struct: _struct,
    pl.Float32: _float,
    pl.Float64: _float,
    pl.Decimal: _decimal,
    pl.Datetime: _datetime,
    pl.Duration: _duration,
    pl.Enum: _enum,
    pl.String: _string,
}


def _element(field: RowField) -> RowField:
    assert field.element is not None  # noqa: S101  (only lists are asked)
    return field.element


def _integer(where: str, kind: type[dy.Column], asked: Constraints) -> _Kind:
    """An integer's bounds, those left out that its width keeps anyway."""
    bounds = _bounds(asked, math.ceil, math.floor)
    lowest, highest = kind.min_value, kind.max_value  # type: ignore[attr-defined]
    low, high = bounds.get("min", lowest), bounds.get("max", highest)
    if low > highest or high < lowest:
        raise SchemaDefinitionError(f"{where}: no {kind.__name__} is within the bounds.")
    kept = {name: value for name, value in bounds.items() if not _is_kept_by_width(name, value, lowest, highest)}
    return kind, kept or {"is_in": list(asked.is_in) if asked.is_in else None}


def _is_kept_by_width(name: str, value: int, lowest: int, highest: int) -> bool:
    match name:
        case "min":
            return value <= lowest
        case "min_exclusive":
            return value < lowest
        case "max":
            return value >= highest
    return value > highest


def _bounds(
    asked: Constraints, up: Callable[[Any], Any] | None = None, down: Callable[[Any], Any] | None = None
) -> dict[str, Any]:
    """At most one lower and one upper bound, by Dataframely's names.

    Args:
        asked: The constraints; of two lower bounds the tighter is kept.
        up: Turns a bound into the next value of the column's type that is not below it.
        down: The same, downwards. What is not above 1.5 among whole numbers is not above 1.
    """
    found: dict[str, Any] = {}
    if asked.gt is not None and (asked.ge is None or asked.gt >= asked.ge):
        found["min_exclusive"] = down(asked.gt) if down else asked.gt
    elif asked.ge is not None:
        found["min"] = up(asked.ge) if up else asked.ge
    if asked.lt is not None and (asked.le is None or asked.lt <= asked.le):
        found["max_exclusive"] = up(asked.lt) if up else asked.lt
    elif asked.le is not None:
        found["max"] = down(asked.le) if down else asked.le
    return found


def _to_scale(scale: int) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Bounds of a decimal with the digits after the point that the column has."""
    step = Decimal(1).scaleb(-scale)

    def rounded(value: Any, rounding: str) -> Decimal:
        exact = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
        return exact.quantize(step, rounding=rounding, context=Context(prec=76))

    return lambda value: rounded(value, ROUND_CEILING), lambda value: rounded(value, ROUND_FLOOR)


def _docstring(schema: type) -> str | None:
    """What the class says of a row, or what the nearest ancestor that says something does."""
    for owner in schema.__mro__:
        if "__schema_root__" in owner.__dict__:
            return None
        if doc := owner.__dict__.get("__doc__"):
            return inspect.cleandoc(doc)
    return None
