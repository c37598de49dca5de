"""The columns of a table without rows, of which no row can say whether it is the right table."""

from __future__ import annotations

import dataclasses
import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

import polars as pl

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.frames.column_schema import ColumnMismatch
from dagster_contracts.rows.reference import How, conform_value, refuse_missing
from dagster_contracts.rows.refused import Refused
from dagster_contracts.rows.shapes import record_shape
from dagster_contracts.rows.sources import Columns, read

if TYPE_CHECKING:
    from dagster_contracts.rows.schema import Schema
    from dagster_contracts.rows.shapes import RecordShape, Shape
    from dagster_contracts.rows.strategy import MaterializationStrategy

_TEXT: Final = (pl.String(), pl.Categorical())
_OF_ANY_TEXT: Final = frozenset({"str", "uuid", "enum", "literal", "json", "any"})
_DAY: Final = dt.datetime(2026, 1, 1)  # noqa: DTZ001  (a probe of both kinds)


def mismatches_if_empty(
    schema: type[Schema], batch: Any, strategy: MaterializationStrategy
) -> tuple[ColumnMismatch, ...]:
    """What is wrong with the columns of a table without rows: none that it could have would be conformed.

    Args:
        schema: What the rows would be conformed to.
        batch: The table. Of anything else, or if it has rows, nothing is wrong: they tell themselves.
        strategy: Whether they would be repaired.
    """
    if isinstance(batch, list) or (batch.num_rows if hasattr(batch, "num_rows") else len(batch)):
        return ()
    table = read(batch)
    if not isinstance(table, Columns):
        return ()
    found = {key: one.dtype if isinstance(one, pl.Series) else None for key, one in table.columns.items()}
    how, record = How(strategy), record_shape(row_schema(schema))
    missing, given = _by_field(record, found, how)
    wrong = [
        ColumnMismatch(one.key, str(one.dtype), None if one.name in missing else str(given[one.name]))
        for one, shape in record.pairs
        if one.name in missing or (one.name in given and not _possible(shape, given[one.name], how))
    ]
    extra = [key for key in found if key not in record.by_key] if how.strict else []
    return (*wrong, *(ColumnMismatch(key, None, str(found[key] or "Object")) for key in extra))


def _by_field(record: RecordShape, found: dict[str, Any], how: How) -> tuple[set[str], dict[str, Any]]:
    """The fields that must be there and are not, and the dtypes of those that are."""
    given = {record.by_key[key]: dtype for key, dtype in found.items() if key in record.by_key}
    missing = set()
    for one in record.fields:
        if one.name not in given:
            try:
                refuse_missing(one, how)
            except Refused:
                missing.add(one.name)
    return missing, given


def _possible(shape: Shape, dtype: Any, how: How) -> bool:  # noqa: PLR0911  (one for each kind of dtype)
    """Whether a column of a dtype may hold a value that a field takes; where that is hard to say, it may."""
    if dtype is None or dtype in (pl.Null(), pl.Object(), pl.Unknown()) or shape.kind == "any" or shape.before:
        return True
    text = shape.kind == "str" and not how.strict
    if isinstance(dtype, (pl.List, pl.Array)):
        return text or (shape.item is not None and _possible(shape.item, dtype.inner, how))
    if isinstance(dtype, pl.Struct):
        return text or shape.kind == "json" or (shape.record is not None and _is_record(shape.record, dtype, how))
    if shape.kind in {"list", "record"}:
        return False
    if dtype in _TEXT or isinstance(dtype, pl.Enum):
        return not how.strict or shape.kind in _OF_ANY_TEXT
    if shape.kind in {"enum", "literal"}:
        return True
    if dtype == pl.Binary():
        return shape.kind == "bytes" or (not how.strict and shape.kind != "json")
    bare = dataclasses.replace(shape, metadata=(), outer=(), narrower=None)
    return any(_takes(bare, value, how) for value in _values(dtype))


def _is_record(record: RecordShape, dtype: pl.Struct, how: How) -> bool:
    """Whether a record may be what a struct holds."""
    missing, given = _by_field(record, {one.name: one.dtype for one in dtype.fields}, how)
    return not missing and all(
        _possible(shape, given[one.name], how) for one, shape in record.pairs if one.name in given
    )


def _takes(shape: Shape, value: Any, how: How) -> bool:
    try:
        conform_value(shape, value, how)
    except Refused:
        return False
    return True


def _values(dtype: Any) -> list[Any]:
    """The values of a dtype that become another type if any do: zeros, whole numbers, midnights."""
    if isinstance(dtype, pl.Datetime):
        return [_DAY.replace(tzinfo=ZoneInfo(dtype.time_zone)) if dtype.time_zone else _DAY]
    if isinstance(dtype, pl.Decimal):
        return [Decimal(0), Decimal(1)]
    if dtype.is_numeric():
        return [0.0, 1.0] if dtype.is_float() else [0, 1]
    of_time = {pl.Date(): _DAY.date(), pl.Time(): dt.time(), pl.Duration(): dt.timedelta()}
    return [of_time.get(dtype.base_type()(), False)]
