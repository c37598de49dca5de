"""Which rows of one frame belong to which partition of a run over several partitions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import TYPE_CHECKING, Any, cast

import dagster as dg
import polars as pl
from polars.selectors import by_name

from dagster_contracts.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dagster import PartitionsDefinition


def in_order(
    keys: Iterable[str], partitions_def: PartitionsDefinition, instance: dg.DagsterInstance | None
) -> list[str]:
    """Partition keys in the order of their definition: by time, as declared, and by dimension in order of its name.

    Args:
        keys: The keys of one run or one input, in any order.
        partitions_def: What they are partitions of.
        instance: Where dynamic partitions are registered.
    """
    unordered = list(keys)
    if len(unordered) <= 1:
        return unordered
    if isinstance(partitions_def, dg.MultiPartitionsDefinition):
        order: dict[str, list[str]] = {}
        for dimension in partitions_def.partitions_defs:
            parts = {_by_dimension(key)[dimension.name] for key in unordered}
            order[dimension.name] = in_order(parts, dimension.partitions_def, instance)
        ranks = {name: {part: at for at, part in enumerate(parts)} for name, parts in sorted(order.items())}
        return sorted(unordered, key=lambda key: [rank[_by_dimension(key)[name]] for name, rank in ranks.items()])
    if isinstance(partitions_def, dg.TimeWindowPartitionsDefinition):
        return sorted(unordered, key=lambda key: partitions_def.time_window_for_partition_key(key).start)
    position = {key: at for at, key in enumerate(partitions_def.get_partition_keys(dynamic_partitions_store=instance))}
    return sorted(unordered, key=lambda key: (position.get(key, len(position)), key))


def predicates(
    keys: list[str],
    partitions_def: PartitionsDefinition,
    partition_expr: object,
    schema: pl.Schema,
    *,
    first_takes_rest: bool,
) -> dict[str, pl.Expr]:
    """One Boolean expression a partition, true for the rows that belong to it and never null.

    A Date or Datetime column is compared with the window of a time partition: `start <= value < end`. Values without a
    time zone are read as wall-clock times of the partitions' time zone. Every other column is compared as text.

    Args:
        keys: The partitions of the run, in order.
        partitions_def: What they are partitions of.
        partition_expr: The column that says the partition; a mapping from dimension to column for several dimensions.
        schema: The frame's.
        first_takes_rest: Whether the first partition also takes the rows that belong to none.

    Raises:
        StorageError: `partition_expr` does not name a column of the frame for every dimension.
    """
    result = {key: _belongs(key, partitions_def, partition_expr, schema).fill_null(value=False) for key in keys}
    if first_takes_rest and len(keys) > 1:
        result[keys[0]] = ~pl.any_horizontal([result[key] for key in keys[1:]])
    return result


def _belongs(key: str, partitions_def: PartitionsDefinition, partition_expr: object, schema: pl.Schema) -> pl.Expr:
    if isinstance(partitions_def, dg.MultiPartitionsDefinition):
        columns = _column_by_dimension(partitions_def, partition_expr)
        return pl.all_horizontal(
            _belongs(_by_dimension(key)[dimension.name], dimension.partitions_def, columns[dimension.name], schema)
            for dimension in partitions_def.partitions_defs
        )
    if not isinstance(partition_expr, str) or partition_expr not in schema:
        raise StorageError(
            f"`partition_expr` is {partition_expr!r}, but must name a column of the frame, which has: "
            f"{', '.join(schema) or 'none'}. Nothing was written. Correct the asset's metadata."
        )
    dtype = schema[partition_expr]
    column = by_name(partition_expr).as_expr()
    if isinstance(partitions_def, dg.TimeWindowPartitionsDefinition) and isinstance(dtype, pl.Date | pl.Datetime):
        return _in_window(column, dtype, partitions_def.time_window_for_partition_key(key))
    return column.cast(pl.String) == key


def _by_dimension(key: str) -> Mapping[str, str]:
    return cast("dg.MultiPartitionKey", key).keys_by_dimension


def _in_window(column: pl.Expr, dtype: pl.Date | pl.Datetime, window: dg.TimeWindow) -> pl.Expr:
    start, end = window.start, window.end
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
        start, end = start.astimezone(UTC), end.astimezone(UTC)
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    elif isinstance(dtype, pl.Date):
        column = column.cast(pl.Datetime("us"))
    naive_start, naive_end = start.replace(tzinfo=None), end.replace(tzinfo=None)
    return (column >= pl.lit(naive_start)) & (column < pl.lit(naive_end))


def _column_by_dimension(partitions_def: dg.MultiPartitionsDefinition, partition_expr: object) -> Mapping[str, Any]:
    names = sorted(dimension.name for dimension in partitions_def.partitions_defs)
    if not isinstance(partition_expr, Mapping) or sorted(map(str, partition_expr)) != names:
        example = ", ".join(f'"{name}": "<column>"' for name in names)
        raise StorageError(
            f"`partition_expr` is {partition_expr!r}, but the asset has the dimensions {', '.join(names)}. "
            f"Nothing was written. Set it to {{{example}}} in the asset's metadata."
        )
    return partition_expr
