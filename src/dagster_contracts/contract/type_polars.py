"""Types of the vocabulary as Polars dtypes, and back."""

from __future__ import annotations

import polars as pl

from dagster_contracts.contract.types import Type
from dagster_contracts.errors import UnknownTypeError

DECIMAL = (38, 9)
"""The digits of a decimal that declares none: those of BigQuery's NUMERIC."""

_SIMPLE: dict[str, pl.DataType] = {
    "Boolean": pl.Boolean(),
    "Int8": pl.Int8(),
    "Int16": pl.Int16(),
    "Int32": pl.Int32(),
    "Int64": pl.Int64(),
    "Int128": pl.Int128(),
    "UInt8": pl.UInt8(),
    "UInt16": pl.UInt16(),
    "UInt32": pl.UInt32(),
    "UInt64": pl.UInt64(),
    "Float32": pl.Float32(),
    "Float64": pl.Float64(),
    "String": pl.String(),
    "Binary": pl.Binary(),
    "Date": pl.Date(),
    "Time": pl.Time(),
    "Timestamp": pl.Datetime("us", "UTC"),
    "TimestampNtz": pl.Datetime("us"),
    "Interval": pl.Duration("us"),
    "Uuid": pl.String(),
    "Json": pl.String(),
    "Variant": pl.String(),
}
_NAMES: dict[type[pl.DataType], str] = {
    **{type(dtype): name for name, dtype in _SIMPLE.items() if name not in ("Uuid", "Json", "Variant")},
    pl.Categorical: "String",
    pl.Enum: "String",
    pl.Object: "Variant",
    pl.Null: "Variant",
}


def to_polars(type_: Type) -> pl.DataType:
    """The canonical dtype of a type. `Uuid`, `Json` and `Variant` are text; a map is a list of keys and values.

    Raises:
        UnknownTypeError: The type leaves open what is inside, or has more than 38 digits.
    """
    match type_:
        case Type(name="Decimal"):
            precision, scale = DECIMAL if type_.precision is None else (type_.precision, type_.scale or 0)
            if precision > DECIMAL[0]:
                raise UnknownTypeError(f"{type_}: a decimal in Polars has at most {DECIMAL[0]} digits.")
            return pl.Decimal(precision, scale)
        case Type(name="Array", args=(element,)):
            return pl.List(to_polars(element))
        case Type(name="Map", args=(key, value)):
            return pl.List(pl.Struct({"key": to_polars(key), "value": to_polars(value)}))
        case Type(name="Struct", fields=fields) if fields:
            return pl.Struct({name: to_polars(of) for name, of in fields})
        case Type(name=name) if name in _SIMPLE:
            return _SIMPLE[name]
    raise UnknownTypeError(f"{type_}: Polars must know what is inside.")


def from_polars(dtype: pl.DataType) -> Type:
    """The type that a dtype is, whatever its unit of time; categories are text, objects and nulls a `Variant`.

    Raises:
        UnknownTypeError: The vocabulary has no such type.
    """
    match dtype:
        case pl.Decimal():
            return Type("Decimal", dtype.precision, dtype.scale)
        case pl.Datetime():
            return Type("TimestampNtz" if dtype.time_zone is None else "Timestamp")
        case pl.List() | pl.Array():
            return Type("Array", args=(from_polars(_instance(dtype.inner)),))
        case pl.Struct():
            return Type("Struct", fields=tuple((one.name, from_polars(_instance(one.dtype))) for one in dtype.fields))
    if type(dtype) not in _NAMES:
        raise UnknownTypeError(f"The Polars dtype {dtype} has no name in the vocabulary of types.")
    return Type(_NAMES[type(dtype)])


def _instance(dtype: object) -> pl.DataType:
    """A dtype, where Polars allows its class in its place."""
    return dtype() if isinstance(dtype, type) else dtype  # type: ignore[return-value]
