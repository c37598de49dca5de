"""One batch of rows as a frame in the schema's types, and beside it the rows that could not be brought to them."""

from __future__ import annotations

import itertools
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import polars as pl

from dagster_contracts.contract.row_fields import RowSchema, row_schema
from dagster_contracts.rows import cells
from dagster_contracts.rows.as_they_are import conform_as_they_are
from dagster_contracts.rows.conformed import Conformed, none_refused, row_numbers
from dagster_contracts.rows.exact import exact_values
from dagster_contracts.rows.foreign import as_mapping
from dagster_contracts.rows.groups import objects
from dagster_contracts.rows.raw import raw_json
from dagster_contracts.rows.reference import How, conform_row
from dagster_contracts.rows.refused import as_failure
from dagster_contracts.rows.shapes import record_shape
from dagster_contracts.rows.sources import Columns, in_parts, read
from dagster_contracts.rows.strategy import MaterializationStrategy
from dagster_contracts.rows.table import conform_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_contracts.rows.failure import RowFailure
    from dagster_contracts.rows.shapes import RecordShape, Shape
    from dagster_contracts.rows.table import Table


Want = Literal["frame", "rows", "nothing"]
"""What conformed rows are made into."""

_LOG: Final = logging.getLogger("dagster_contracts")
_READ: Final = 16_384
"""How many rows are taken from an iterable at once."""


class _DifferError(Exception):
    """A row that was refused conforms by itself."""


def conform(
    schema: type | RowSchema,
    batch: object,
    strategy: MaterializationStrategy = MaterializationStrategy.RECONCILE,
    *,
    first_row: int = 0,
    leave_rules: bool = False,
) -> Conformed:
    """Bring one batch to a schema's types. Bad rows raise nothing: they are collected.

    Args:
        schema: The schema, or its fields.
        batch: Rows (dicts, mappings, dataclasses, pydantic objects; any iterable of them, read once) or a table
            (Polars, Arrow, pandas).
        strategy: Whether values are repaired.
        first_row: The number of the batch's first row.
        leave_rules: Whether constraints that the contract has as rules on frames are left to those, so that a row that
            breaks one is in `frame`.

    Raises:
        SchemaError: The batch is neither rows nor a table.
    """
    record = record_shape(schema if isinstance(schema, RowSchema) else row_schema(schema))
    source = read(batch)
    part = source if isinstance(source, (Columns, list)) else [row for some in in_parts(source, _READ) for row in some]
    return conform_part(record, part, strategy, first_row=first_row, leave_rules=leave_rules)


def conform_part(
    record: RecordShape,
    part: Columns | list[Any],
    strategy: MaterializationStrategy,
    *,
    first_row: int,
    leave_rules: bool = False,
    want: Want = "frame",
) -> Conformed:
    """The same for a batch that was read already.

    Args:
        record: The schema's fields.
        part: The batch.
        strategy: Whether values are repaired.
        first_row: The number of the batch's first row.
        leave_rules: Whether constraints that the contract has as rules on frames are left to those.
        want: What is made of the rows that conform; of others than frames, those of refused rows are empty, too.
    """
    height = part.height if isinstance(part, Columns) else len(part)
    numbers = range(first_row, first_row + height)
    if not (want == "rows" and any(map(_hides_values, record.shapes))):
        try:
            return _all_at_once(record, part, How(strategy, leave_rules=leave_rules), numbers, want)
        except MemoryError:
            raise
        except (Exception, pl.exceptions.PanicException):  # noqa: BLE001  (keys and values are anybody's objects)
            _LOG.debug("%s: rows from %s on are read one by one", record.name, numbers.start, exc_info=True)
    return row_by_row(record, part, How(strategy, leave_rules=leave_rules), numbers, as_rows=want == "rows")


def _all_at_once(record: RecordShape, part: Columns | list[Any], how: How, numbers: range, want: Want) -> Conformed:
    """The quick way: all rows of a batch, field by field; it may raise whatever an object does."""
    height = len(numbers)
    if want == "nothing" and not isinstance(part, Columns) and conform_as_they_are(record, part):
        return none_refused(record, record.empty, row_numbers(numbers), (), None)
    given, no_rows = (part, set()) if isinstance(part, Columns) else _plain_rows(part)
    table = conform_table(record, given, how)
    bad = sorted(table.bad | no_rows)
    frame = table.frame(record) if want == "frame" else record.empty
    rows = table.rows(record) if want == "rows" else None
    if not bad:
        return none_refused(record, frame, row_numbers(numbers), tuple(sorted(how.dropped)), rows)
    some = part.at(bad) if isinstance(part, Columns) else [part[at] for at in bad]
    if no_rows or table.unlike:
        found = row_by_row(record, some, how, [numbers[at] for at in bad])
        if found.frame.height:
            raise _DifferError
    else:
        found = _refused(record, table, some, bad, numbers)
    good = np.ones(height, dtype=np.bool_)
    good[bad] = False
    return replace(
        found,
        frame=frame.filter(pl.Series(good)) if want == "frame" else frame,
        numbers=row_numbers(numbers).filter(pl.Series(good)),
        refused=frame.gather(bad) if want == "frame" and not found.refused.height else found.refused,
        rows=None if rows is None else list(itertools.compress(rows, good)),
        dropped=tuple(sorted(how.dropped)),
    )


def _refused(
    record: RecordShape, table: Table, part: Columns | list[Any], positions: list[int], numbers: range
) -> Conformed:
    """Those rows of a table that were refused for their values alone, without the frame of what could be conformed."""
    rows = canonical(record, part).rows() if isinstance(part, Columns) else part
    failures: list[RowFailure] = []
    reasons: list[str] = []
    refusals = [
        (field.name, shape, column.bad) for (field, shape), column in zip(record.pairs, table.columns, strict=True)
    ]
    refusals = [one for one in refusals if one[2]]
    for at in positions:
        found = [as_failure(bad[at], numbers[at], name, shape) for name, shape, bad in refusals if at in bad]
        failures.extend(found)
        reasons.append("; ".join(map(_reason, found)))
    return Conformed(
        frame=record.empty,
        numbers=row_numbers([]),
        refused=record.empty,
        refused_numbers=row_numbers([numbers[at] for at in positions]),
        raw=pl.Series("raw", list(map(raw_json, rows)), dtype=pl.String()),
        reasons=pl.Series("reason", reasons, dtype=pl.String()),
        failures=tuple(failures),
        dropped=(),
    )


def row_by_row(
    record: RecordShape, part: Columns | Sequence[Any], how: How, numbers: Sequence[int], *, as_rows: bool = False
) -> Conformed:
    """The plain way: each row by itself, by its number."""
    rows = canonical(record, part).rows() if isinstance(part, Columns) else part
    kept: list[dict[str, Any]] = []
    kept_numbers: list[int] = []
    refused: list[tuple[int, Any, dict[str, Any], str]] = []
    failures: list[RowFailure] = []
    for number, row in zip(numbers, rows, strict=True):
        values, found = conform_row(record, row, number, how)
        if found:
            refused.append((number, row, values, "; ".join(_reason(one) for one in found)))
            failures.extend(found)
        else:
            kept.append(values)
            kept_numbers.append(number)
    return Conformed(
        frame=as_frame(record, [] if as_rows else kept),
        numbers=row_numbers(kept_numbers),
        refused=as_frame(record, [values for _, _, values, _ in refused]),
        refused_numbers=row_numbers([number for number, _, _, _ in refused]),
        raw=pl.Series("raw", [raw_json(row) for _, row, _, _ in refused], dtype=pl.String()),
        reasons=pl.Series("reason", [reason for _, _, _, reason in refused], dtype=pl.String()),
        failures=tuple(failures),
        dropped=tuple(sorted(how.dropped)),
        rows=kept if as_rows else None,
    )


def canonical(record: RecordShape, columns: Columns) -> Columns:
    """A table whose columns of the field's own dtype hold what they stand for: a UUID's text is the UUID."""
    shapes = {field.name: shape for field, shape in record.pairs}
    found = dict(columns.columns)
    for key, one in columns.columns.items():
        shape = shapes.get(record.by_key.get(key, ""))
        if shape is None or not isinstance(one, pl.Series):
            continue
        read = cells.reader(shape, one.dtype)
        if read is not None:
            found[key] = objects([None if cell is None else read(cell) for cell in exact_values(one)])
    return Columns(found, columns.height)


def as_frame(record: RecordShape, rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """Conformed rows as a frame; an absent value is null."""
    if not rows:
        return record.empty
    return pl.DataFrame(
        [cells.column(field.name, shape, [row.get(field.name) for row in rows]) for field, shape in record.pairs]
    )


def _reason(failure: RowFailure) -> str:
    """A failure in a quarantine's row, which is where it happened."""
    where = f"{failure.field}{failure.place}"
    return f"{where}: {failure.reason}" if where else failure.reason


def _plain_rows(rows: list[Any]) -> tuple[list[dict[Any, Any]], set[int]]:
    """Rows as dicts, and the positions of those that are no rows, or that give a key twice."""
    if set(map(type, rows)) <= {dict}:
        return rows, set()
    found: list[dict[Any, Any]] = []
    no_rows: set[int] = set()
    for at, row in enumerate(rows):
        try:
            mapping = as_mapping(row)
            items = mapping if mapping is None or type(mapping) is dict else list(mapping.items())
            found.append(items if type(items) is dict else dict(items or ()))
        except Exception:  # noqa: BLE001  (a row's own attributes may raise anything)
            items = None
            found.append({})
        if items is None or len(found[-1]) < len(items):
            no_rows.add(at)
    return found, no_rows


def _hides_values(shape: Shape) -> bool:
    """Whether a cell of a list or a record does not say what the value was: not its digits, or not its zone."""
    inner = [shape.item] if shape.item else list(shape.record.shapes) if shape.record else []
    hidden = {"json", "any", "aware_datetime"}
    return any(one.kind in hidden or one.dtype == pl.Float32() or _hides_values(one) for one in inner)
