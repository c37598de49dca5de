"""Casts that are still to be evaluated: all of a table's together, for each evaluation has its price."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.rows import casts, constraints
from dagster_contracts.rows.vouched import Cast, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from dagster_contracts.rows.shapes import Shape

_NOWHERE = pl.Series(dtype=pl.UInt32())


@dataclass(frozen=True)
class Given:
    """Values of one type that a field is cast from.

    Args:
        name: The name of their series.
        dtype: Its dtype.
        kind: What they are in the table of casts, where the dtype does not say it.
    """

    name: str
    dtype: pl.DataType
    kind: str = ""


@dataclass(frozen=True)
class Plan:
    """What is evaluated for one field.

    Args:
        cells: The cells in the field's dtype.
        opened: Which values are not vouched for at a glance.
        closely: Which are not at a second look, where there is one; it is given only those.
        reads: The names of the series that the casts read.
    """

    cells: pl.Expr
    opened: pl.Expr
    closely: pl.Expr | None
    reads: frozenset[str]


@dataclass(frozen=True)
class Pending:
    """One field whose casts are still to be evaluated.

    Args:
        sources: The series that the plan reads, by names of their own.
        plan: What is evaluated.
        values: What the values become in Python, where that is known without their cells.
    """

    sources: list[pl.Series]
    plan: Plan
    values: Sequence[Any] | None = None


@lru_cache(maxsize=4096)
def planned(
    shape: Shape, given: tuple[Given, ...], *, present: str = "", strict: bool = False, leave: bool = False
) -> Plan | None:
    """The casts of a field's values; the same for every part of its rows.

    Args:
        shape: What the field asks for.
        given: Its values, type by type, each series null where a value is of another.
        present: The series that says which values are not null, where those of `given` do not.
        strict: Whether only the field's own type counts.
        leave: Whether constraints are left to others.

    Returns:
        `None` if no value could be vouched for.
    """
    parts: list[Cast] = []
    reads: list[str] = []
    for one in given:
        found = casts.cast(shape, Source(pl.col(one.name), one.dtype), strict=strict, given=one.kind)
        if found is not None:
            parts.append(found)
            reads.append(one.name)
    if not parts:
        return None
    if present:
        return vouched_for(shape, _joined(parts), pl.col(present), reads=[*reads, present], leave=leave)
    some = [pl.col(name).is_not_null() for name in reads]
    return vouched_for(
        shape, _joined(parts), some[0] if len(some) == 1 else pl.any_horizontal(some), reads=reads, leave=leave
    )


def vouched_for(shape: Shape, found: Cast, present: pl.Expr, *, reads: Sequence[str], leave: bool) -> Plan:
    """A cast, its constraints, and what is left of nulls."""
    fine = found.cells.is_not_null() & present
    asked = constraints.known(shape)
    kept = None if leave or asked is None else constraints.kept(shape, asked, found.cells)
    if kept is not None:
        fine &= kept
    glance = _open(shape, fine if found.vouched is None else fine & found.vouched, present)
    closely = None if found.closely is None else _open(shape, fine & found.closely, present)
    return Plan(found.cells, glance, closely, frozenset(reads))


def _open(shape: Shape, fine: pl.Expr, present: pl.Expr) -> pl.Expr:
    """Which values are looked at by themselves."""
    opened = ~fine.fill_null(value=False)
    return opened & present if shape.nullable else opened


def _joined(parts: list[Cast]) -> Cast:
    """The casts of values of several types, each null where the value is of another."""
    if len(parts) == 1:
        return parts[0]
    stands = [one.vouched if one.closely is None else one.closely for one in parts]
    return Cast(
        pl.coalesce(
            [
                one.cells if vouched is None else pl.when(vouched).then(one.cells)
                for one, vouched in zip(parts, stands, strict=True)
            ]
        )
    )


def evaluated(pending: Sequence[Pending]) -> Iterator[tuple[pl.Series, pl.Series] | None]:
    """The cells of each field and where they are open; `None` where Polars could not evaluate the casts."""
    try:
        yield from _together(pending)
    except pl.exceptions.PolarsError:
        for one in pending:
            try:
                yield from _together([one])
            except pl.exceptions.PolarsError:
                yield None


def _together(pending: Sequence[Pending]) -> list[tuple[pl.Series, pl.Series]]:
    """The same for all fields in one evaluation, and for what needs a second look in another."""
    if not pending:
        return []
    sources = pl.DataFrame([series for one in pending for series in one.sources])
    wanted: list[pl.Expr] = []
    for at, one in enumerate(pending):
        wanted += [one.plan.cells.alias(f"cells {at}"), one.plan.opened.alias(f"open {at}")]
    found = sources.lazy().select(wanted).collect()
    return [(found[f"cells {at}"], _positions(one, found[f"open {at}"], sources)) for at, one in enumerate(pending)]


def _positions(pending: Pending, opened: pl.Series, sources: pl.DataFrame) -> pl.Series:
    """The positions that are open, at a second look where there is one."""
    if not opened.any():
        return _NOWHERE
    positions = opened.arg_true()
    if pending.plan.closely is None:
        return positions
    some = sources.select(one.name for one in pending.sources)[positions]
    return positions.filter(some.select(pending.plan.closely).to_series())
