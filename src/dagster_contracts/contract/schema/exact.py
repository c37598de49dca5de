"""An exact dtype that stands beside a Python type: `Annotated[int, dc.Int32]`, `Annotated[str, pl.Categorical]`."""

from __future__ import annotations

from typing import Any

import polars as pl

from dagster_contracts.contract.type_polars import from_polars, to_polars
from dagster_contracts.contract.types import Type
from dagster_contracts.errors import SchemaDefinitionError, UnknownTypeError

Int8 = Type("Int8")
Int16 = Type("Int16")
Int32 = Type("Int32")
Int64 = Type("Int64")
Int128 = Type("Int128")
UInt8 = Type("UInt8")
UInt16 = Type("UInt16")
UInt32 = Type("UInt32")
UInt64 = Type("UInt64")
Float32 = Type("Float32")
Float64 = Type("Float64")

_INTEGERS = frozenset({"Int8", "Int16", "Int32", "Int64", "Int128", "UInt8", "UInt16", "UInt32", "UInt64"})
_SAME = {"Int64": _INTEGERS, "Float64": frozenset({"Float32", "Float64"})}


def exact_dtype(where: str, type_: Type, dtype: pl.DataType, exact: list[Any]) -> tuple[Type, pl.DataType]:
    """The type and the dtype of a field that names its dtype.

    Args:
        where: The field, for messages.
        type_: What its Python type says.
        dtype: The canonical dtype of that.
        exact: The dtypes that stand beside it: of Polars, or of the package's own vocabulary.

    Raises:
        SchemaDefinitionError: There are two, or the dtype is of another kind than the Python type.
    """
    if len(exact) > 1:
        raise SchemaDefinitionError(f"{where}: two dtypes stand beside the type: {exact[0]} and {exact[1]}.")
    try:
        wanted = to_polars(exact[0]) if isinstance(exact[0], Type) else _instance(exact[0])
        found = from_polars(wanted)
    except (UnknownTypeError, TypeError) as error:
        raise SchemaDefinitionError(f"{where}: {error}") from error
    if not _same_kind(type_, found, dtype, wanted):
        raise SchemaDefinitionError(
            f"{where}: the dtype {exact[0]} is of another kind than the Python type, which is {type_}."
        )
    return (type_ if type_.name in ("Uuid", "Json", "Variant") else found), wanted


def _same_kind(type_: Type, found: Type, dtype: pl.DataType, wanted: pl.DataType) -> bool:
    if isinstance(dtype, pl.List):
        return isinstance(wanted, pl.Array | pl.List) and wanted.inner == dtype.inner
    if type_.name in ("Uuid", "Json", "Variant"):
        return wanted == dtype
    if isinstance(dtype, pl.Struct):
        return wanted == dtype
    return found.name in _SAME.get(type_.name, {type_.name})


def _instance(dtype: Any) -> pl.DataType:
    """A dtype, where its class stands for it."""
    made: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return made
