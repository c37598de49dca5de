"""The fields of many rows at once: casts for what they vouch for, and each other value by itself.

All casts of a table are evaluated together, for each evaluation has its price.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from dagster_contracts.rows import cells, constraints, mixed, nested, pending
from dagster_contracts.rows.exact import exact_values
from dagster_contracts.rows.groups import Objects, groups, objects, sources_of
from dagster_contracts.rows.leaves import OWN_TYPES
from dagster_contracts.rows.pending import Pending
from dagster_contracts.rows.reference import conform_value
from dagster_contracts.rows.refused import Refused
from dagster_contracts.rows.vouched import Cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dagster_contracts.rows.reference import How
    from dagster_contracts.rows.shapes import Shape

Given = Objects | pl.Series
"""The values of a field: Python's, or a table's column."""

AS_THEY_ARE = frozenset({"bool", "int", "float", "str", "bytes"})
_AS_PYTHON = AS_THEY_ARE | {"date", "naive_datetime", "aware_datetime"}


@dataclass(frozen=True)
class Column:
    """One field, conformed.

    Args:
        series: The cells in the field's dtype; null where a value was refused.
        bad: The positions of the refused values, and why they were.
        repaired: Those values that were conformed by themselves, by their position.
        values: What all others become in Python, where that is known without their cells.
    """

    series: pl.Series
    bad: dict[int, Refused] = field(default_factory=dict)
    repaired: dict[int, Any] = field(default_factory=dict)
    values: Sequence[Any] | None = None


def conform_columns(shapes: Sequence[Shape], given: Sequence[Given], how: How, depth: int) -> list[Column]:
    """Conform the values of several fields.

    Args:
        shapes: What each field asks for.
        given: The values of each.
        how: What is done to them.
        depth: How deep inside a row the fields are.
    """
    begun = [
        _begun(shape, values, how, depth, f"{at}") for at, (shape, values) in enumerate(zip(shapes, given, strict=True))
    ]
    results = pending.evaluated([one for one in begun if isinstance(one, Pending)])
    found: list[Column] = []
    for shape, values, one in zip(shapes, given, begun, strict=True):
        if isinstance(one, Column):
            found.append(one)
            continue
        result = next(results)
        if result is None:
            found.append(_one_by_one(shape, _python(shape, values), how, depth))
        else:
            found.append(_mended(shape, values, *result, values=one.values, how=how, depth=depth))
    return found


def _begun(shape: Shape, given: Given, how: How, depth: int, name: str) -> Column | Pending:
    """What is known of a field before any cast is evaluated."""
    if constraints.known(shape) is None or shape.kind in {"json", "any"}:
        return _one_by_one(shape, _python(shape, given), how, depth)
    if isinstance(given, pl.Series) and given.dtype == pl.Object():
        given = objects(given.to_list())
    if shape.kind in {"list", "record"}:
        return _of_nested(shape, given, how, depth)
    if isinstance(given, pl.Series):
        return _of_series(shape, given, how=how, depth=depth, name=name)
    return _of_values(shape, given, how=how, depth=depth, name=name)


def _of_nested(shape: Shape, given: Given, how: How, depth: int) -> Column:
    """Lists or records, whose insides were conformed as columns of their own."""
    found = (
        nested.of_series(shape, given, how, depth)
        if isinstance(given, pl.Series)
        else nested.of_values(shape, given, how, depth)
    )
    if found is None:
        return _one_by_one(shape, _python(shape, given), how, depth)
    series, vouched = found
    leave = how.leave_rules and depth == 0
    if vouched is None and (leave or constraints.none_asked(shape)):
        nulls = given.null_count() if isinstance(given, pl.Series) else _nones(shape, given, series)
        if nulls == series.null_count():
            return _all_fine(shape, series, how, depth)
    present = (
        given.is_not_null()
        if isinstance(given, pl.Series)
        else pl.Series([one is not None for one in given.values], dtype=pl.Boolean())
    )
    sources = [series.alias("cells"), present.alias("present")]
    if vouched is not None:
        sources.append(vouched.alias("vouched"))
    plan = pending.vouched_for(
        shape,
        Cast(pl.col("cells"), None if vouched is None else pl.col("vouched")),
        pl.col("present"),
        reads=[one.name for one in sources],
        leave=leave,
    )
    result = next(pending.evaluated([Pending(sources, plan)]))
    if result is None:
        return _one_by_one(shape, _python(shape, given), how, depth)
    return _mended(shape, given, *result, how=how, depth=depth)


def _of_series(shape: Shape, given: pl.Series, *, how: How, depth: int, name: str) -> Column | Pending:
    """A table's column, whose dtype says what all values are."""
    if given.dtype == pl.Null():
        nothing = pl.repeat(None, len(given), eager=True, dtype=shape.dtype)
        return _all_fine(shape, nothing, how, depth)
    leave = how.leave_rules and depth == 0
    if given.dtype == shape.dtype and shape.kind in AS_THEY_ARE and (leave or constraints.none_asked(shape)):
        return _all_fine(shape, given, how, depth)
    stands_for = shape.kind in {"uuid", "enum"} and given.dtype == shape.dtype
    plan = pending.planned(
        shape, (pending.Given(name, given.dtype),), strict=how.strict and not stands_for, leave=leave
    )
    if plan is None:
        return _one_by_one(shape, _python(shape, given), how, depth)
    return Pending([given.alias(name)], plan)


def _of_values(shape: Shape, given: Objects, *, how: How, depth: int, name: str) -> Column | Pending:
    """Python values, type by type."""
    values, kinds = given.values, groups(given)
    leave = how.leave_rules and depth == 0
    if len(kinds) > 1 and not how.strict and (alike := mixed.as_one(shape, kinds, values)) is not None:
        values, kinds = alike, frozenset({OWN_TYPES[shape.kind]})
    if not kinds:
        nothing = pl.repeat(None, len(values), eager=True, dtype=shape.dtype)
        return _all_fine(shape, nothing, how, depth, values)
    found = sources_of(kinds, values, shape)
    own = len(kinds) == 1 and all(_is_own(shape, kind) for kind in kinds)
    if own and found.whole and shape.kind in _AS_PYTHON and (leave or constraints.none_asked(shape)):
        series = found.parts[0][1]
        if series.dtype == shape.dtype:
            return _all_fine(shape, series, how, depth, values)
    parts = tuple(pending.Given(f"{name}.{at}", series.dtype, kind) for at, (kind, series) in enumerate(found.parts))
    sources = [series.alias(one.name) for one, (_, series) in zip(parts, found.parts, strict=True)]
    plan = pending.planned(shape, parts, strict=how.strict, leave=leave)
    if plan is None:
        return _one_by_one(shape, values, how, depth)
    if not found.whole or len(plan.reads) < len(parts):
        present = pl.Series(f"{name}.present", [value is not None for value in values], dtype=pl.Boolean())
        plan = pending.planned(shape, parts, present=present.name, strict=how.strict, leave=leave)
        assert plan is not None  # noqa: S101  (there was one without that series)
        sources.append(present)
    return Pending([one for one in sources if one.name in plan.reads], plan, values if own else None)


def _all_fine(shape: Shape, series: pl.Series, how: How, depth: int, values: Sequence[Any] | None = None) -> Column:
    """A column of which only nulls could be refused."""
    if series.null_count() == 0 or (shape.nullable and shape.of_none is None):
        return Column(series, values=values)
    nulls = ((at, None) for at in series.is_null().arg_true().to_list())
    _, bad = _by_themselves(shape, nulls, how, depth)
    return Column(series, bad, values=values)


def _mended(
    shape: Shape,
    given: Given,
    series: pl.Series,
    positions: pl.Series,
    *,
    how: How,
    depth: int,
    values: Sequence[Any] | None = None,
) -> Column:
    """Cells with the open ones conformed by themselves."""
    if not len(positions):
        return Column(series, values=values)
    at = positions.to_list()
    some = given.gather(positions) if isinstance(given, pl.Series) else objects([given.values[one] for one in at])
    repaired, bad = _by_themselves(shape, zip(at, _python(shape, some), strict=True), how, depth)
    mended = cells.column("", shape, [repaired.get(one) for one in at])
    back = pl.int_range(0, len(series), dtype=pl.UInt32(), eager=True)
    back = back.scatter(at, pl.int_range(len(series), len(series) + len(at), dtype=pl.UInt32(), eager=True))
    return Column(pl.concat([series, mended]).rechunk().gather(back), bad, repaired, values)


def _nones(shape: Shape, given: Objects, series: pl.Series) -> int:
    """How many values are `None`; those that gave a null, where only `None` does."""
    if shape.kind == "list" and given.kinds <= {list, type(None)}:
        return series.null_count()
    return list(map(type, given.values)).count(type(None))


def _one_by_one(shape: Shape, values: Sequence[Any], how: How, depth: int) -> Column:
    """Every value by itself."""
    repaired, bad = _by_themselves(shape, enumerate(values), how, depth)
    series = cells.column("", shape, [repaired.get(at) for at in range(len(values))])
    return Column(series, bad, repaired)


def _by_themselves(
    shape: Shape, values: Iterable[tuple[int, Any]], how: How, depth: int
) -> tuple[dict[int, Any], dict[int, Refused]]:
    """Some values, each conformed by itself; and those that are refused, each by its position."""
    repaired: dict[int, Any] = {}
    bad: dict[int, Refused] = {}
    for at, value in values:
        try:
            repaired[at] = conform_value(shape, value, how, depth)
        except Refused as refused:
            bad[at] = refused.alone()
    return repaired, bad


def _python(shape: Shape, given: Given) -> Sequence[Any]:
    """Values in Python; those of a table in a field's own dtype as what they stand for."""
    if isinstance(given, Objects):
        return given.values
    values = given.to_list() if given.dtype == pl.Object() else exact_values(given)
    read = cells.reader(shape, given.dtype)
    return values if read is None else [None if value is None else read(value) for value in values]


def _is_own(shape: Shape, kind: Any) -> bool:
    """Whether values of a type are the field's own, as they are."""
    plain: Any = kind[0] if isinstance(kind, tuple) else kind
    return plain is OWN_TYPES.get(shape.kind) or (shape.kind == "enum" and plain is shape.of)


def as_values(shape: Shape, column: Column, given: Given) -> list[Any]:
    """The conformed values in Python: those that were the field's own as they came, others from their cells."""
    if column.values is not None:
        found = list(column.values)
    elif len(column.repaired) + len(column.bad) == len(column.series):
        found = [None] * len(column.series)
    else:
        found = cells.decoded(shape, column.series.to_list())
        plain = OWN_TYPES.get(shape.kind)
        if plain is not None and isinstance(given, Objects) and plain in given.kinds:
            found = [one if type(one) is plain else cell for one, cell in zip(given.values, found, strict=True)]
    for at, value in column.repaired.items():
        found[at] = value
    return found
