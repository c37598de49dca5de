"""Types of the vocabulary and Polars dtypes as the Python types that a typed class declares them by."""

from __future__ import annotations

import datetime as dt
import types
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AwareDatetime, Field, NaiveDatetime

from dagster_contracts.contract.type_polars import from_polars, to_polars
from dagster_contracts.contract.types import Type

if TYPE_CHECKING:
    import polars as pl

NAMED: dict[str, Any] = {
    "Boolean": bool,
    "Int64": int,
    "Float64": float,
    "String": str,
    "Binary": bytes,
    "Date": dt.date,
    "Time": dt.time,
    "Timestamp": AwareDatetime,
    "TimestampNtz": NaiveDatetime,
    "Interval": dt.timedelta,
    "Uuid": uuid.UUID,
    "Json": dict[str, Any],
    "Variant": Any,
}
"""What is the one type of its Python type; every other number is written `Annotated[int, dc.Int32]`."""


def python_type(of: str | pl.DataType) -> Any:
    """The annotation of a simple type or dtype; what has parts is put together by whoever knows them.

    Args:
        of: A name of the vocabulary, or a dtype, which is kept where it is not the type's canonical one.
    """
    if isinstance(of, str):
        return NAMED.get(of) or Annotated[float if of.startswith("Float") else int, Type(of)]
    type_ = from_polars(of)
    if type_.name == "Decimal":
        return Annotated[Decimal, Field(max_digits=type_.precision or 38, decimal_places=type_.scale or 0)]
    annotation = python_type(type_.name)
    return annotation if of == to_polars(type_) or type_.name == "Variant" else Annotated[annotation, of]


def list_of(item: Any) -> Any:
    """The annotation of a list of something that is known only now."""
    return types.GenericAlias(list, (item,))
