"""All fields of many rows at once: what each row gives to each field, and which rows are refused for their keys."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from dagster_contracts.rows import columns as one_field
from dagster_contracts.rows.failure import key_text
from dagster_contracts.rows.refused import NOTHING
from dagster_contracts.rows.sources import Columns

if TYPE_CHECKING:
    from dagster_contracts.contract.row_fields import RowField
    from dagster_contracts.rows.columns import Column, Given
    from dagster_contracts.rows.reference import How
    from dagster_contracts.rows.shapes import RecordShape

_NEAR: Final = 512
"""How many rows are read at once, column by column."""


@dataclass(frozen=True)
class Table:
    """Rows, conformed field by field.

    Args:
        columns: The fields, in order.
        given: What each was made of.
        bad: The positions of all rows that are refused, for a value or for their keys.
        height: How many rows there are.
    """

    columns: list[Column]
    given: list[Given]
    bad: frozenset[int]
    height: int

    def frame(self, record: RecordShape) -> pl.DataFrame:
        """All rows as a frame; those that are refused hold nulls."""
        return pl.DataFrame(
            [column.series.alias(field.name) for field, column in zip(record.fields, self.columns, strict=True)]
        )


def conform_table(record: RecordShape, part: Columns | list[dict[Any, Any]], how: How, depth: int = 0) -> Table:
    """Conform rows field by field.

    Args:
        record: What the rows must be.
        part: The rows, or columns.
        how: What is done to them; takes the keys that no field has.
        depth: How deep inside a row these records are.
    """
    prefix = f"{record.name}." if depth else ""
    if isinstance(part, Columns):
        height = part.height
        given, bad = _of_columns(record, part, how, prefix)
    else:
        height = len(part)
        given, bad = _of_rows(record, part, how, prefix)
    columns = one_field.conform_columns(record.shapes, given, how, depth)
    return Table(columns, given, bad.union(*(column.bad for column in columns)), height)


def _of_columns(record: RecordShape, part: Columns, how: How, prefix: str) -> tuple[list[Given], frozenset[int]]:
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
    all_bad = bool(extra) and how.strict
    if not how.strict:
        how.dropped.update(dict.fromkeys(f"{prefix}{key_text(key)}" for key in extra))
    given: list[Given] = []
    for field in record.fields:
        if field.name in by_name:
            given.append(by_name[field.name])
            continue
        absent = how.strict or field.required
        all_bad = all_bad or absent
        given.append([None if absent else _default(field) for _ in range(part.height)])
    return given, frozenset(range(part.height)) if all_bad else frozenset()


def _of_rows(
    record: RecordShape, rows: list[dict[Any, Any]], how: How, prefix: str
) -> tuple[list[Given], frozenset[int]]:
    """Each field's values in rows, or its default where a row has none."""
    keys = [field.key for field in record.fields]
    bad: set[int] = set()
    given = _transposed(rows, keys) if set(map(len, rows)) == {len(set(keys))} else None
    if given is None:
        met = set().union(*rows)
        if not met <= set(keys):
            rows = _aligned(record, rows, met, how=how, prefix=prefix, bad=bad)
        given = [_column(field, rows, how, bad) for field in record.fields]
    return given, frozenset(bad)


def _transposed(rows: list[dict[Any, Any]], keys: list[str]) -> list[Given] | None:
    """The values by key, some rows at a time, so that they stay in the processor's cache; `None` if one is absent."""
    getters = list(map(itemgetter, keys))
    found: list[list[Any]] = [[] for _ in keys]
    try:
        for at in range(0, len(rows), _NEAR):
            some = rows[at : at + _NEAR]
            for get, values in zip(getters, found, strict=True):
                values.extend(map(get, some))
    except KeyError:
        return None
    return [*found]


def _column(field: RowField, rows: list[dict[Any, Any]], how: How, bad: set[int]) -> list[Any]:
    """One field's values, with its default where a row has none."""
    key = field.key
    try:
        return list(map(itemgetter(key), rows))
    except KeyError:
        pass
    if how.strict or field.required:
        bad.update(at for at, row in enumerate(rows) if key not in row)
        return [row.get(key) for row in rows]
    if field.default is None:
        return [row.get(key) for row in rows]
    return [row[key] if key in row else _default(field) for row in rows]


def _aligned(
    record: RecordShape, rows: list[dict[Any, Any]], met: set[Any], *, how: How, prefix: str, bad: set[int]
) -> list[dict[Any, Any]]:
    """Rows whose keys are all known: fields by their key, the others noted."""
    names = record.by_key
    keys = {field.key for field in record.fields}
    unknown = {key for key in met if not isinstance(key, str) or key not in names}
    by_name = {key for key in met - unknown if key not in keys}
    if how.strict:
        bad.update(at for at, row in enumerate(rows) if not unknown.isdisjoint(row))
    else:
        how.dropped.update(dict.fromkeys(f"{prefix}{key_text(key)}" for key in unknown))
    if not by_name:
        return rows
    key_of = {field.name: field.key for field in record.fields}
    return [_renamed(row, by_name, key_of, at=at, how=how, prefix=prefix, bad=bad) for at, row in enumerate(rows)]


def _renamed(
    row: dict[Any, Any], by_name: set[str], key_of: dict[str, str], *, at: int, how: How, prefix: str, bad: set[int]
) -> dict[Any, Any]:
    """A row whose fields go by their keys, where it used a column's name; the key counts where it has both."""
    found = dict(row)
    for name in by_name & row.keys():
        value = found.pop(name)
        if key_of[name] not in row:
            found[key_of[name]] = value
        elif how.strict:
            bad.add(at)
        else:
            how.dropped[f"{prefix}{name}"] = None
    return found


def _default(field: RowField) -> Any:
    """A field's default; what no field takes where making it fails."""
    try:
        return field.make_default()
    except Exception:  # noqa: BLE001  (a factory is anybody's code)
        return NOTHING
