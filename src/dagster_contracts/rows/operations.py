"""The operations of a schema on rows: check them, repair them, make a frame of them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from dagster_contracts.contract.row_fields import RowSchema, row_schema
from dagster_contracts.rows.conform import conform_part
from dagster_contracts.rows.failure import Collected, schema_error
from dagster_contracts.rows.shapes import record_shape
from dagster_contracts.rows.sources import Columns, in_parts, read, restore
from dagster_contracts.rows.strategy import MaterializationStrategy, read_strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dagster_contracts.rows.conform import Want
    from dagster_contracts.rows.conformed import Conformed
    from dagster_contracts.rows.shapes import RecordShape

PART_ROWS: Final = 16_384
"""How many rows are conformed at once, where they come one by one."""

LIST_ROWS: Final = 65_536
"""How many rows of a list are, at most."""

_LIST_VALUES: Final = 450_000
"""How many values of a list are: more of them at once leave the processor's cache, fewer cost more each."""

TABLE_ROWS: Final = 262_144
"""How many rows of a table are, which is columns already."""

_LOG = logging.getLogger("dagster_contracts")


def validate_rows(schema: type | RowSchema, rows: object, *, strict: bool = True) -> None:
    """Check rows, and keep nothing.

    Args:
        schema: The schema.
        rows: Rows or a table; an iterable is read once.
        strict: Whether values must be of their field's own type already and keys must be exactly the fields'; otherwise
            whatever `reconcile` can repair is accepted.

    Raises:
        SchemaError: A row is refused. The first one stands first, the others are counted.
    """
    for _ in _parts(_shape(schema), rows, _strategy(strict=strict), "nothing"):
        pass


def reconcile(schema: type | RowSchema, rows: object) -> Any:
    """Repair rows: columns aligned, values in their fields' types.

    Args:
        schema: The schema.
        rows: Rows or a table; an iterable is read once.

    Returns:
        New rows as a list of dicts by the column's name; for a table, a table of its own kind in the schema's dtypes.

    Raises:
        SchemaError: A row cannot be repaired. All failures are in it, up to a bound.
    """
    own_kind = restore(rows)
    if own_kind is not None:
        return own_kind(to_frame(schema, rows))
    found: list[dict[str, Any]] = []
    for part in _parts(_shape(schema), rows, MaterializationStrategy.RECONCILE, "rows"):
        found.extend(part.rows or ())
    return found


def to_frame(
    schema: type | RowSchema,
    rows: object,
    strategy: MaterializationStrategy | str = MaterializationStrategy.RECONCILE,
) -> pl.DataFrame:
    """Rows as a frame in the schema's columns and dtypes.

    Args:
        schema: The schema.
        rows: Rows or a table; an iterable is read once.
        strategy: Whether values are repaired.

    Raises:
        SchemaError: A row is refused. All failures are in it, up to a bound.
        InvalidSettingError: There is no such strategy.
    """
    shape = _shape(schema)
    frames = [part.frame for part in _parts(shape, rows, read_strategy(strategy), "frame")]
    return pl.concat(frames) if frames else pl.DataFrame(schema=shape.polars_schema)


def _shape(schema: type | RowSchema) -> RecordShape:
    """What a schema asks of rows."""
    return record_shape(schema if isinstance(schema, RowSchema) else row_schema(schema))


def _strategy(*, strict: bool) -> MaterializationStrategy:
    """The strategy behind a yes or no."""
    return MaterializationStrategy.STRICT if strict else MaterializationStrategy.RECONCILE


def _parts(record: RecordShape, given: object, strategy: MaterializationStrategy, want: Want) -> Iterator[Conformed]:
    """Everything that was given, conformed part by part; the failures of all parts raise at the end."""
    collected = Collected()
    dropped: dict[str, None] = {}
    for part in cut(given, fields=len(record.fields)):
        found = conform_part(record, part, strategy, first_row=collected.rows_read, want=want)
        collected.rows_read += found.count
        collected.add(found.failures)
        dropped.update(dict.fromkeys(found.dropped))
        if collected.full:
            break
        if not collected.failures:
            yield found
    if dropped:
        _LOG.warning("%s: keys that no field has were left out: %s", record.name, ", ".join(map(repr, dropped)))
    if collected.failures:
        raise schema_error(record.name, collected)


def cut(given: object, fields: int = 0) -> Iterator[Columns | list[Any]]:
    """Rows in parts of at most `PART_ROWS`, or a table in parts of at most `TABLE_ROWS` rows.

    Args:
        given: Rows or a table.
        fields: How many fields the rows are for; a list for few is cut into parts of up to `LIST_ROWS`.

    Raises:
        SchemaError: It is neither, or its iterator raised.
    """
    source = read(given)
    if isinstance(source, Columns):
        yield from source.slices(TABLE_ROWS)
    elif isinstance(source, list):
        rows = max(PART_ROWS, min(LIST_ROWS, _LIST_VALUES // max(fields, 1)))
        yield from (source[at : at + rows] for at in range(0, len(source), rows))
    else:
        yield from in_parts(source, PART_ROWS)
