"""A run over several partitions at once: its rows are validated together, but each partition is a table of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dagster as dg

from dagster_contracts.errors import NoValidRowsError
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.storage.partition_split import predicates

if TYPE_CHECKING:
    import polars as pl

    from dagster_contracts.frames.split import Split
    from dagster_contracts.orchestration.declaration import Declaration

_NAMED = 5


def range_error(declaration: Declaration, found: Split) -> NoValidRowsError | None:
    """What fails a run in which a partition has invalid rows and no valid one: its table would be emptied.

    Known where the asset's `partition_expr` says which rows belong to which partition.
    """
    belongs = _belongs(declaration, found) if found.invalid_count else None
    if belongs is None:
        return None
    keys, valid, invalid = list(belongs), _counts(found.valid, belongs), _counts(found.invalid, belongs)
    emptied = [key for key in keys if invalid[key] and not valid[key]]
    if not emptied:
        return None
    named = ", ".join(emptied[:_NAMED]) + (f" and {len(emptied) - _NAMED} more" if len(emptied) > _NAMED else "")
    return NoValidRowsError(
        f"{declaration.name}: {len(emptied)} of {len(keys)} partitions of this run have invalid rows and no valid one "
        f"({named}). Their tables would be emptied, so no table was written. Mend them, or run the others without them."
    )


def rows_by_partition(declaration: Declaration, found: Split) -> dict[str, int]:
    """How many valid rows each partition of a run over several gets; empty where that is not known."""
    belongs = _belongs(declaration, found)
    return {} if belongs is None else _counts(found.valid, belongs)


def _belongs(declaration: Declaration, found: Split) -> dict[str, pl.Expr] | None:
    """Which rows belong to which partition of a run over several, if the asset's `partition_expr` says so."""
    context = internals.current_context()
    if not isinstance(context, dg.AssetExecutionContext):
        return None
    keys = internals.written_partitions(context, declaration.asset)
    if len(keys) < 2:  # noqa: PLR2004  (one partition is held to the six outcomes)
        return None
    output = internals.output_context(context, declaration.asset)
    partition_expr = output.definition_metadata.get("partition_expr")
    if partition_expr is None:
        return None
    schema = found.valid.collect_schema()
    return predicates(keys, output.asset_partitions_def, partition_expr, schema, first_takes_rest=False)


def _counts(frame: pl.DataFrame | pl.LazyFrame, belongs: dict[str, pl.Expr]) -> dict[str, int]:
    sums = [expr.sum().alias(str(at)) for at, expr in enumerate(belongs.values())]
    row = frame.lazy().select(sums).collect(engine="streaming").row(0)
    return dict(zip(belongs, row, strict=True))
