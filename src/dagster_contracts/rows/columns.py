"""One field of many rows at once: casts for what they vouch for, and each other value by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from dagster_contracts.rows import casts, cells, constraints, nested
from dagster_contracts.rows.exact import exact_values
from dagster_contracts.rows.groups import groups, series_of
from dagster_contracts.rows.leaves import OWN_TYPES
from dagster_contracts.rows.reference import conform_value
from dagster_contracts.rows.refused import Refused
from dagster_contracts.rows.vouched import Cast, everything

if TYPE_CHECKING:
    from dagster_contracts.contract.schema.constraints import Constraints
    from dagster_contracts.rows.reference import How
    from dagster_contracts.rows.shapes import Shape

Given = Sequence[Any] | pl.Series


@dataclass(frozen=True)
class Column:
    """One field, conformed.

    Args:
        series: The cells in the field's dtype; null where a value was refused.
        bad: The positions of the refused values.
        repaired: Those values that were conformed by themselves, by their position.
        own: Whether all others were of the field's own type already.
    """

    series: pl.Series
    bad: frozenset[int] = frozenset()
    repaired: dict[int, Any] | None = None
    own: bool = False


def conform_column(shape: Shape, given: Given, how: How, depth: int = 0) -> Column:
    """Conform one field's values.

    Args:
        shape: What the field asks for.
        given: The values: a list of Python's, or a table's column.
        how: What is done to them.
        depth: How deep inside a row the field is.
    """
    if isinstance(given, pl.Series):
        if shape.kind in {"json", "any"} or given.dtype == pl.Object():
            return conform_column(shape, _python(shape, given), how, depth)
        return _of_series(shape, given, how, depth)
    return _of_values(shape, given, how, depth)


def _of_series(shape: Shape, given: pl.Series, how: How, depth: int) -> Column:
    """A table's column, whose dtype says what all values are."""
    asked = constraints.known(shape)
    found = None
    if asked is not None:
        if shape.kind in {"list", "record"}:
            found = nested.of_series(shape, given, how, depth)
        elif given.dtype == pl.Null():
            found = Cast(pl.repeat(None, len(given), eager=True, dtype=shape.dtype))
        elif shape.kind in {"uuid", "enum"} and given.dtype == shape.dtype:
            found = casts.cast(shape, given, strict=False)
        else:
            found = casts.cast(shape, given, strict=how.strict)
    present = given.is_not_null()
    return _settled(shape, given, present, found, asked, how=how, depth=depth)


def _of_values(shape: Shape, values: Sequence[Any], how: How, depth: int) -> Column:
    """Python values, type by type."""
    asked = constraints.known(shape)
    if asked is None or shape.kind in {"json", "any"}:
        return _one_by_one(shape, values, how, depth)
    if shape.kind in {"list", "record"}:
        found = nested.of_values(shape, values, how, depth)
        present = pl.Series([value is not None for value in values], dtype=pl.Boolean())
        return _settled(shape, values, present, found, asked, how=how, depth=depth)
    kinds = groups(values)
    cast = _cast_groups(shape, values, kinds, how)
    present = pl.Series([value is not None for value in values], dtype=pl.Boolean())
    own = len(kinds) <= 1 and all(_is_own(shape, kind) for kind in kinds)
    column = _settled(shape, values, present, cast, asked, how=how, depth=depth)
    return Column(column.series, column.bad, column.repaired, own)


def _cast_groups(shape: Shape, values: Sequence[Any], kinds: dict[Any, list[int] | None], how: How) -> Cast | None:
    """The casts of all types of values, put together again."""
    parts: list[Cast] = []
    order: list[int] = []
    for kind, positions in kinds.items():
        group = values if positions is None else [values[at] for at in positions]
        source = series_of(kind, group, shape)
        found = None if source is None else casts.cast(shape, source[1], strict=how.strict, given=source[0])
        if positions is None:
            return found
        if found is not None:
            parts.append(found)
            order += positions
    if not kinds:
        return Cast(pl.repeat(None, len(values), eager=True, dtype=shape.dtype))
    if not parts:
        return None
    series = pl.concat([part.cells for part in parts])
    vouched = pl.concat([everything(part.cells) if part.vouched is None else part.vouched for part in parts])
    back = pl.Series([None] * len(values), dtype=pl.UInt32())
    back = back.scatter(order, pl.int_range(0, len(order), dtype=pl.UInt32(), eager=True))
    return Cast(series.gather(back), vouched.gather(back))


def _settled(
    shape: Shape,
    given: Given,
    present: pl.Series,
    found: Cast | None,
    asked: Constraints | None,
    *,
    how: How,
    depth: int,
) -> Column:
    """A cast, and everything that it does not vouch for conformed value by value."""
    null_is_fine = shape.nullable and shape.of_none is None
    if found is None or asked is None:
        return _one_by_one(shape, given if not isinstance(given, pl.Series) else _python(shape, given), how, depth)
    vouched = found.cells.is_not_null() & present
    if found.vouched is not None:
        vouched &= found.vouched.fill_null(value=False)
    if not (how.leave_rules and depth == 0):
        kept = constraints.kept(shape, asked, found.cells)
        if kept is not None:
            vouched &= kept.fill_null(value=False)
    open_ = ~vouched
    if null_is_fine:
        open_ &= present
    if not open_.any():
        return Column(found.cells)
    return _mended(shape, given, found.cells, open_.arg_true(), how=how, depth=depth)


def _mended(shape: Shape, given: Given, series: pl.Series, positions: pl.Series, *, how: How, depth: int) -> Column:
    """Cells with those at some positions conformed by themselves."""
    at = positions.to_list()
    values = _python(shape, given.gather(positions)) if isinstance(given, pl.Series) else [given[one] for one in at]
    repaired: dict[int, Any] = {}
    bad = set()
    for one, value in zip(at, values, strict=True):
        try:
            repaired[one] = conform_value(shape, value, how, depth)
        except Refused:
            bad.add(one)
    mended = cells.column("", shape, [repaired.get(one) for one in at])
    back = pl.int_range(0, len(series), dtype=pl.UInt32(), eager=True)
    back = back.scatter(at, pl.int_range(len(series), len(series) + len(at), dtype=pl.UInt32(), eager=True))
    return Column(pl.concat([series, mended]).gather(back), frozenset(bad), repaired)


def _one_by_one(shape: Shape, values: Sequence[Any], how: How, depth: int) -> Column:
    """Every value by itself."""
    repaired: dict[int, Any] = {}
    bad = set()
    for at, value in enumerate(values):
        try:
            repaired[at] = conform_value(shape, value, how, depth)
        except Refused:
            bad.add(at)
    series = cells.column("", shape, [repaired.get(at) for at in range(len(values))])
    return Column(series, frozenset(bad), repaired)


def _python(shape: Shape, given: pl.Series) -> list[Any]:
    """A table's column in Python's values; those in the field's own dtype as what they stand for."""
    values = given.to_list() if given.dtype == pl.Object() else exact_values(given)
    return cells.decoded(shape, values) if given.dtype == shape.dtype else values


def _is_own(shape: Shape, kind: Any) -> bool:
    """Whether values of a type are the field's own, as they are."""
    plain: Any = kind[0] if isinstance(kind, tuple) else kind
    return plain is OWN_TYPES.get(shape.kind) or (shape.kind == "enum" and plain is shape.of)


def as_values(shape: Shape, column: Column, given: Given) -> list[Any]:
    """The conformed values in Python: those that were the field's own as they came, others from their cells."""
    if column.own and not isinstance(given, pl.Series):
        found = list(given)
    elif column.repaired is not None and len(column.repaired) + len(column.bad) == len(column.series):
        found = [None] * len(column.series)
    else:
        found = cells.decoded(shape, column.series.to_list())
        plain = OWN_TYPES.get(shape.kind)
        if plain is not None and not isinstance(given, pl.Series):
            found = [one if type(one) is plain else cell for one, cell in zip(given, found, strict=True)]
    for at, value in (column.repaired or {}).items():
        found[at] = value
    return found
