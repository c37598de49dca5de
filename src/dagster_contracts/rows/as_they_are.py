"""Rows of which a look says that they conform as they are, without a column being made of them."""

from __future__ import annotations

import itertools
from array import array
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.rows import constraints
from dagster_contracts.rows.by_key import all_there, rows_near
from dagster_contracts.rows.leaves import OWN_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from dagster_contracts.rows.shapes import RecordShape, Shape

_NONE = type(None)


def conform_as_they_are(record: RecordShape, rows: list[Any]) -> bool:
    """Whether rows have exactly the fields' keys and values of the fields' own types; `False` if it takes more to tell.

    Args:
        record: What the rows must be.
        rows: The rows.
    """
    keys = [field.key for field in record.fields]
    if not keys or not all(map(_is_plain, record.shapes)):
        return False
    step = rows_near(len(keys))
    for at in range(0, len(rows), step):
        some = rows[at : at + step]
        columns = all_there(some, keys) if set(map(type, some)) == {dict} else None
        if columns is None or not all(map(_are_own, record.shapes, columns)):
            return False
    return True


def _is_plain(shape: Shape) -> bool:
    """Whether a field asks for nothing but values of a plain type, or lists of them."""
    if shape.of_none is not None or not constraints.none_asked(shape):
        return False
    if shape.kind == "list":
        return isinstance(shape.dtype, pl.List) and shape.item is not None and _is_plain(shape.item)
    return (
        shape.kind == "bytes"
        or shape.dtype == {"str": pl.String(), "int": pl.Int64(), "float": pl.Float64()}.get(shape.kind)
        or shape.dtype == {"bool": pl.Boolean(), "date": pl.Date()}.get(shape.kind)
    )


def _are_own(shape: Shape, values: Sequence[Any]) -> bool:
    """Whether values are all the field's own, and its column holds them."""
    kinds = set(map(type, values))
    own = list if shape.kind == "list" else OWN_TYPES[shape.kind]
    if not kinds <= ({own, _NONE} if shape.nullable else {own}):
        return False
    if _NONE in kinds:
        values = list(filter(None, values))  # zeros and what is empty fit any column
    if shape.kind == "list":
        assert shape.item is not None  # noqa: S101  (a list's shape has one)
        return _are_own(shape.item, list(itertools.chain.from_iterable(values)))
    if shape.kind == "str":
        return _writable(values)
    return shape.kind != "int" or _fit_int64(values)


def _writable(texts: Iterable[str]) -> bool:
    """Whether UTF-8 can write all of some texts."""
    joined = "".join(texts)
    if joined.isascii():
        return True
    try:
        joined.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fit_int64(values: Sequence[int]) -> bool:
    """Whether 64 bits hold all of some integers."""
    try:
        array("q", values)
    except OverflowError:
        return False
    return True
