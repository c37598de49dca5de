"""All fields of many rows at once: what each row gives to each field, and which rows are refused for their keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.rows import columns as one_field
from dagster_contracts.rows.by_key import by_key, rows_near
from dagster_contracts.rows.failure import key_text
from dagster_contracts.rows.groups import objects
from dagster_contracts.rows.reference import default_of, refuse_missing
from dagster_contracts.rows.refused import Refused
from dagster_contracts.rows.sources import Columns

if TYPE_CHECKING:
    from typing import Any

    from dagster_contracts.contract.row_fields import RowField
    from dagster_contracts.rows.columns import Column, Given
    from dagster_contracts.rows.reference import How
    from dagster_contracts.rows.shapes import RecordShape


@dataclass(frozen=True)
class Table:
    """Rows, conformed field by field.

    Args:
        columns: The fields, in order.
        given: What each was made of.
        unlike: The positions of the rows that have keys which no field has, where that is refused.
        height: How many rows there are.
    """

    columns: list[Column]
    given: list[Given]
    unlike: frozenset[int]
    height: int

    @property
    def bad(self) -> frozenset[int]:
        """The positions of all rows that are refused, for a value or for their keys."""
        return self.unlike.union(*(column.bad for column in self.columns))

    def frame(self, record: RecordShape) -> pl.DataFrame:
        """All rows as a frame; those that are refused hold nulls."""
        return pl.DataFrame(
            [column.series.alias(field.name) for field, column in zip(record.fields, self.columns, strict=True)]
        )

    def rows(self, record: RecordShape) -> list[dict[str, Any]]:
        """All rows as dicts by the column's name; those that are refused hold `None`."""
        columns = {
            field.name: one_field.as_values(shape, column, given)
            for (field, shape), column, given in zip(record.pairs, self.columns, self.given, strict=True)
        }
        blank: dict[str, Any] = dict.fromkeys(columns)
        found: list[dict[str, Any]] = []
        step = rows_near(len(columns))
        for at in range(0, self.height, step):
            some = [blank.copy() for _ in range(at, min(at + step, self.height))]
            for name, values in columns.items():
                for row, value in zip(some, values[at : at + step], strict=True):
                    row[name] = value
            found += some
        return found


def conform_table(record: RecordShape, part: Columns | list[dict[Any, Any]], how: How, depth: int = 0) -> Table:
    """Conform rows field by field.

    Args:
        record: What the rows must be.
        part: The rows, or columns.
        how: What is done to them; takes the keys that no field has.
        depth: How deep inside a row these records are.
    """
    prefix = f"{record.name}." if depth else ""
    given: list[Given]
    if isinstance(part, Columns):
        height = part.height
        given, absent, unlike = _of_columns(record, part, how, prefix)
    else:
        height = len(part)
        fetched = by_key(record, part, how, prefix)
        given, absent, unlike = [*fetched.given], fetched.absent, fetched.unlike
    columns = one_field.conform_columns(record.shapes, given, how, depth)
    columns = [
        replace(column, series=_without(column.series, [*missing]), bad=column.bad | missing) if missing else column
        for column, missing in zip(columns, absent, strict=True)
    ]
    return Table(columns, given, unlike, height)


def _without(series: pl.Series, positions: list[int]) -> pl.Series:
    """Cells with null where a row had no value, though validators may have made one of it."""
    if series.gather(positions).null_count() == len(positions):
        return series
    kept = pl.repeat(value=True, n=len(series), eager=True, dtype=pl.Boolean()).scatter(positions, False)  # noqa: FBT003
    return pl.select(pl.when(kept).then(series)).to_series()


def _of_columns(
    record: RecordShape, part: Columns, how: How, prefix: str
) -> tuple[list[Given], list[dict[int, Refused]], frozenset[int]]:
    """Each field's column of a table, or its default."""
    by_name: dict[str, Given] = {}
    extra: list[str] = []
    for key, column in part.columns.items():
        name = record.by_key.get(key)
        if name is None or (name in by_name and key == name):
            extra.append(key)
        else:
            extra += [name] if name in by_name else []
            by_name[name] = column
    if not how.strict:
        how.dropped.update(dict.fromkeys(f"{prefix}{key_text(key)}" for key in extra))
    unlike = frozenset(range(part.height)) if extra and how.strict else frozenset()
    given: list[Given] = []
    absent: list[dict[int, Refused]] = []
    for field in record.fields:
        found, missing = (by_name[field.name], {}) if field.name in by_name else _absent(field, part.height, how)
        given.append(found)
        absent.append(missing)
    return given, absent, unlike


def _absent(field: RowField, height: int, how: How) -> tuple[Given, dict[int, Refused]]:
    """What stands for a column that a table does not have, and the rows that may not be without it."""
    nothing = pl.repeat(None, height, eager=True, dtype=pl.Null())
    try:
        refuse_missing(field, how)
    except Refused as refused:
        return nothing, dict.fromkeys(range(height), refused)
    if field.default is None:
        return nothing, {}
    values: list[Any] = []
    missing: dict[int, Refused] = {}
    for at in range(height):
        try:
            values.append(default_of(field))
        except Refused as refused:
            values.append(None)
            missing[at] = refused
    return objects(values), missing
