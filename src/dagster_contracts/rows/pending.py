"""Casts that are still to be evaluated: all of a table's together, for each evaluation has its price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.rows import constraints
from dagster_contracts.rows.vouched import Cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dagster_contracts.contract.schema.constraints import Constraints
    from dagster_contracts.rows.shapes import Shape


@dataclass(frozen=True)
class Pending:
    """One field whose casts are still to be evaluated.

    Args:
        sources: The series that the casts read, by names of their own.
        cells: The cells in the field's dtype.
        opened: Which values the casts do not vouch for.
        own: Whether all values are of the field's own type already.
    """

    sources: list[pl.Series]
    cells: pl.Expr
    opened: pl.Expr
    own: bool


def begun(
    shape: Shape,
    asked: Constraints,
    sources: list[pl.Series],
    found: Cast,
    present: pl.Expr,
    *,
    leave: bool,
    own: bool = False,
) -> Pending:
    """A cast, its constraints, and what is left of nulls."""
    vouched = found.cells.is_not_null() & present
    if found.vouched is not None:
        vouched &= found.vouched
    kept = None if leave else constraints.kept(shape, asked, found.cells)
    if kept is not None:
        vouched &= kept
    opened = ~vouched.fill_null(value=False)
    if shape.nullable:
        opened &= present
    return Pending(sources, found.cells, opened, own)


def joined(parts: list[Cast]) -> Cast:
    """The casts of values of several types, each null where the value is of another."""
    if len(parts) == 1:
        return parts[0]
    return Cast(
        pl.coalesce([one.cells if one.vouched is None else pl.when(one.vouched).then(one.cells) for one in parts])
    )


def evaluated(pending: Sequence[Pending]) -> Iterator[tuple[pl.Series, pl.Series] | None]:
    """The cells of each field and which of them are open; `None` where Polars could not evaluate the casts."""
    try:
        yield from _together(pending)
    except pl.exceptions.PolarsError:
        for one in pending:
            try:
                yield from _together([one])
            except pl.exceptions.PolarsError:
                yield None


def _together(pending: Sequence[Pending]) -> list[tuple[pl.Series, pl.Series]]:
    """The same for all fields in one evaluation."""
    if not pending:
        return []
    sources = [series for one in pending for series in one.sources]
    wanted: list[pl.Expr] = []
    for at, one in enumerate(pending):
        wanted += [one.cells.alias(f"cells {at}"), one.opened.alias(f"open {at}")]
    found = pl.DataFrame(sources).lazy().select(wanted).collect()
    return [(found[f"cells {at}"], found[f"open {at}"]) for at in range(len(pending))]
