"""The vocabulary of data types that contract files and SQL models share, independent of any engine."""

from __future__ import annotations

from dataclasses import dataclass

SIMPLE = (
    "Boolean",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Int128",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Float32",
    "Float64",
    "String",
    "Binary",
    "Date",
    "Time",
    "Timestamp",
    "TimestampNtz",
    "Interval",
    "Uuid",
    "Json",
    "Variant",
)
NAMES = (*SIMPLE, "Decimal", "Array", "Map", "Struct")


@dataclass(frozen=True)
class Type:
    """One data type.

    Args:
        name: One of `NAMES`. `Timestamp` has a zone, `TimestampNtz` has none.
        precision: A decimal's digits; `None` for a decimal whose digits are not known or do not matter.
        scale: A decimal's digits after the point.
        args: An array's element; a map's key and value. Empty where they are not known or do not matter.
        fields: A struct's fields. Empty where they are not known or do not matter.
    """

    name: str
    precision: int | None = None
    scale: int | None = None
    args: tuple[Type, ...] = ()
    fields: tuple[tuple[str, Type], ...] = ()

    def __str__(self) -> str:
        if self.precision is not None:
            return f"{self.name}({self.precision},{self.scale or 0})"
        if self.args:
            return f"{self.name}<{', '.join(map(str, self.args))}>"
        if self.fields:
            return f"{self.name}<{', '.join(f'{name}: {of}' for name, of in self.fields)}>"
        return self.name
