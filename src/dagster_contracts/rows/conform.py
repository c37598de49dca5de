"""One batch of rows as a frame in the schema's types, and beside it the rows that could not be brought to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from dagster_contracts.contract.row_fields import RowSchema, row_schema
from dagster_contracts.rows import cells
from dagster_contracts.rows.raw import raw_json
from dagster_contracts.rows.reference import How, conform_row
from dagster_contracts.rows.shapes import record_shape
from dagster_contracts.rows.sources import Columns, read
from dagster_contracts.rows.strategy import MaterializationStrategy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_contracts.rows.failure import RowFailure
    from dagster_contracts.rows.shapes import RecordShape


@dataclass(frozen=True)
class Conformed:
    """A batch, conformed. Every row is either in `frame` or in `refused`.

    Args:
        frame: The rows that conform, in order, in the schema's columns and dtypes.
        numbers: The number of each of them in what was given, from the batch's first number on (UInt64).
        refused: The other rows, in order, in the same columns; null where a value could not be conformed.
        refused_numbers: The number of each of those (UInt64).
        raw: Each of those as it arrived, as JSON (String).
        reasons: Why each of those was refused: field, code and cause, joined by "; ". Sensitive values are masked.
        failures: Every single failure, in the order of rows and fields.
        dropped: The keys that no field has; `RECONCILE` leaves them out, `STRICT` fails for them.
        rows: The conformed rows as dicts, if they were asked for.
    """

    frame: pl.DataFrame
    numbers: pl.Series
    refused: pl.DataFrame
    refused_numbers: pl.Series
    raw: pl.Series
    reasons: pl.Series
    failures: tuple[RowFailure, ...]
    dropped: tuple[str, ...]
    rows: list[dict[str, Any]] | None = None

    @property
    def count(self) -> int:
        """How many rows the batch had."""
        return len(self.numbers) + len(self.refused_numbers)


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
    part = source if isinstance(source, (Columns, list)) else list(source)
    return conform_part(record, part, strategy, first_row=first_row, leave_rules=leave_rules)


def conform_part(
    record: RecordShape,
    part: Columns | list[Any],
    strategy: MaterializationStrategy,
    *,
    first_row: int,
    leave_rules: bool = False,
    as_rows: bool = False,
) -> Conformed:
    """The same for a batch that was read already; `as_rows` gives rows instead of a frame."""
    rows = canonical(record, part).rows() if isinstance(part, Columns) else part
    how = How(strategy, leave_rules=leave_rules)
    return _row_by_row(record, rows, how, first_row, as_rows=as_rows)


def canonical(record: RecordShape, columns: Columns) -> Columns:
    """A table whose columns of the field's own dtype hold what they stand for: a UUID's text is the UUID."""
    shapes = {field.name: shape for field, shape in record.pairs}
    found = dict(columns.columns)
    for key, one in columns.columns.items():
        shape = shapes.get(record.by_key.get(key, ""))
        if shape is not None and isinstance(one, pl.Series) and one.dtype == shape.dtype and cells.decoder(shape):
            found[key] = cells.decoded(shape, one.to_list())
    return Columns(found, columns.height)


def _row_by_row(record: RecordShape, rows: Sequence[Any], how: How, first_row: int, *, as_rows: bool) -> Conformed:
    """The plain way: each row by itself."""
    kept: list[dict[str, Any]] = []
    numbers: list[int] = []
    refused: list[dict[str, Any]] = []
    raw: list[str] = []
    reasons: list[str] = []
    refused_numbers: list[int] = []
    failures: list[RowFailure] = []
    for number, row in enumerate(rows, first_row):
        values, found = conform_row(record, row, number, how)
        if found:
            refused.append(values)
            refused_numbers.append(number)
            raw.append(raw_json(row))
            reasons.append("; ".join(f"{one.field}{one.place}: {one.reason}".removeprefix(": ") for one in found))
            failures.extend(found)
        else:
            kept.append(values)
            numbers.append(number)
    return Conformed(
        frame=as_frame(record, [] if as_rows else kept),
        numbers=pl.Series("row", numbers, dtype=pl.UInt64()),
        refused=as_frame(record, refused),
        refused_numbers=pl.Series("row", refused_numbers, dtype=pl.UInt64()),
        raw=pl.Series("raw", raw, dtype=pl.String()),
        reasons=pl.Series("reason", reasons, dtype=pl.String()),
        failures=tuple(failures),
        dropped=tuple(how.dropped),
        rows=kept if as_rows else None,
    )


def as_frame(record: RecordShape, rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """Conformed rows as a frame; an absent value is null."""
    return pl.DataFrame(
        [cells.column(field.name, shape, [row.get(field.name) for row in rows]) for field, shape in record.pairs]
    )
