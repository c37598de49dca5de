"""Conformed values as the cells of a column, and back."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import polars as pl

from dagster_contracts.rows.text import as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dagster_contracts.rows.shapes import Shape


_ALL_DIGITS: Final = Context(prec=80)


def column(name: str, shape: Shape, values: Sequence[Any]) -> pl.Series:
    """Conformed values as a column of the field's dtype.

    Args:
        name: The column's name.
        shape: The field's shape.
        values: What conforming gave, or `None` in place of a value that could not be conformed.
    """
    encode = encoder(shape)
    cells = list(values) if encode is None else [None if value is None else encode(value) for value in values]
    return as_series(name, shape.dtype, cells)


def as_series(name: str, dtype: pl.DataType, cells: list[Any]) -> pl.Series:
    """Cells as a column of one dtype, whatever Polars would take them for."""
    if isinstance(dtype, pl.Datetime):
        return _datetimes(name, dtype, cells)
    if dtype == pl.Float32():
        return pl.Series(name, cells, dtype=pl.Float64()).cast(dtype)
    series = pl.Series(name, cells, dtype=dtype, strict=True)
    return series if series.dtype == dtype else series.cast(dtype)


def _datetimes(name: str, dtype: pl.Datetime, cells: list[Any]) -> pl.Series:
    """Moments in microseconds, then in the column's unit and zone."""
    if dtype.time_zone is not None:
        cells = [None if one is None else one.replace(tzinfo=None) for one in cells]
    series = pl.Series(name, cells, dtype=pl.Datetime("us"))
    if dtype.time_zone is not None:
        series = series.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
    return series.dt.cast_time_unit(dtype.time_unit)


def encoder(shape: Shape) -> Callable[[Any], Any] | None:
    """What turns a conformed value into its cell; `None` where the value is its own cell."""
    if shape.kind == "list" and shape.item is not None:
        item = encoder(shape.item)
        if item is None:
            return None
        return lambda values: [None if value is None else item(value) for value in values]
    if shape.kind == "record" and shape.record is not None:
        parts = {field.name: encoder(inner) for field, inner in shape.record.pairs}
        if not any(parts.values()):
            return None
        return lambda value: {
            name: value[name] if encode is None or value[name] is None else encode(value[name])
            for name, encode in parts.items()
        }
    if shape.kind == "decimal" and isinstance(shape.dtype, pl.Decimal):
        unit = Decimal(1).scaleb(-shape.dtype.scale)
        return lambda value: value.quantize(unit, context=_ALL_DIGITS)  # Polars panics for zeros with many places
    return _ENCODERS.get(shape.kind)


def _member(member: Any) -> Any:
    """An Enum's member as its value."""
    return member.value


def _utc(moment: dt.datetime) -> dt.datetime:
    """A moment in the zone that has each of them once."""
    return moment.astimezone(dt.UTC)


_ENCODERS: dict[str, Callable[[Any], Any]] = {
    "uuid": str,
    "enum": _member,
    "json": as_json,
    "any": as_json,
    "aware_datetime": _utc,
}


def decoder(shape: Shape) -> Callable[[Any], Any] | None:
    """What turns a cell of the field's own dtype back into the value; `None` where the cell is the value.

    A cell that stands for no value of the field is given back as it is, for conforming to refuse.
    """
    if shape.kind == "list" and shape.item is not None:
        item = decoder(shape.item)
        return None if item is None else lambda cells: [None if cell is None else item(cell) for cell in cells]
    if shape.kind == "record" and shape.record is not None:
        parts = {field.name: decoder(inner) for field, inner in shape.record.pairs}
        if not any(parts.values()):
            return None
        return lambda cell: {
            name: cell[name] if decode is None or cell[name] is None else decode(cell[name])
            for name, decode in parts.items()
        }
    if shape.kind == "enum":
        return lambda cell: _or_cell(shape.of, cell)
    return {"uuid": _uuid, "json": _json_object, "any": _json}.get(shape.kind)


def reader(shape: Shape, dtype: Any) -> Callable[[Any], Any] | None:
    """What turns a table's cell into the value; `None` where the cell is the value.

    Args:
        shape: What the field asks for.
        dtype: The dtype of the table's column; where it is the field's own, its cells stand for values, leaf by leaf.
    """
    if shape.kind == "list" and shape.item is not None:
        item = reader(shape.item, dtype.inner) if isinstance(dtype, (pl.List, pl.Array)) else None
        return None if item is None else lambda cells: [None if cell is None else item(cell) for cell in cells]
    if shape.kind == "record" and shape.record is not None:
        inner = {field.name: one for field, one in shape.record.pairs}
        names = shape.record.by_key
        given = dtype.fields if isinstance(dtype, pl.Struct) else []
        parts = {one.name: reader(inner[names[one.name]], one.dtype) for one in given if one.name in names}
        if not any(parts.values()):
            return None
        return lambda cell: (
            cell | {key: read(cell[key]) for key, read in parts.items() if read is not None and cell[key] is not None}
        )
    return decoder(shape) if dtype == shape.dtype else None


def _or_cell(read: Callable[[Any], Any], cell: Any) -> Any:
    try:
        return read(cell)
    except ValueError:
        return cell


def _uuid(cell: str) -> UUID | str:
    found = _or_cell(UUID, cell)
    return found if str(found) == cell else cell


def _json(cell: str) -> Any:
    try:
        return json.loads(cell, parse_constant=_refuse, parse_float=_number, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return cell


def _json_object(cell: str) -> Any:
    found = _json(cell)
    return found if isinstance(found, dict) else cell


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; one with a key twice is left as the text that it is, as a dict would lose a value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(pairs)
    return found


def _number(written: str) -> float:
    """A number; one with more digits than a float has is left as the text that it is, as a float would lose some."""
    found = float(written)
    if Decimal(written) != Decimal(repr(found)):
        raise ValueError(written)
    return found


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def decoded(shape: Shape, cells: Iterable[Any]) -> list[Any]:
    """A column's cells as the values they stand for."""
    decode = decoder(shape)
    return list(cells) if decode is None else [None if cell is None else decode(cell) for cell in cells]
