"""A column after a cast, and which of its values the cast vouches for."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args

import polars as pl

from dagster_contracts.rows.fits import ZERO_AS_FLOAT32

if TYPE_CHECKING:
    from dagster_contracts.rows.shapes import Shape

FIRST: Final = dt.datetime(1, 1, 2)  # noqa: DTZ001  (a day off the edge, so that any zone stays inside)
LAST: Final = dt.datetime(9999, 12, 30)  # noqa: DTZ001
PYTHON: Final[dict[str, type]] = {"str": str, "int": int, "bool": bool}
_KINDS: Final[dict[Any, str]] = {
    pl.String: "str",
    pl.Float32: "float",
    pl.Float64: "float",
    pl.Boolean: "bool",
    pl.Date: "date",
    pl.Time: "time",
    pl.Duration: "timedelta",
    pl.Decimal: "decimal",
    pl.Binary: "bytes",
}


@dataclass(frozen=True)
class Source:
    """Values of one type, before a cast.

    Args:
        expr: The values.
        dtype: Their dtype.
    """

    expr: pl.Expr
    dtype: pl.DataType


@dataclass(frozen=True)
class Cast:
    """The same after it.

    Args:
        cells: The cells in the field's dtype; anything where a value is not vouched for.
        vouched: Which of them stand; `None` for all that are not null. Nulls are the caller's.
        closely: The same, where a dearer look vouches for more; `None` if there is none.
    """

    cells: pl.Expr
    vouched: pl.Expr | None = None
    closely: pl.Expr | None = None


def where(condition: pl.Expr, cells: pl.Expr) -> pl.Expr:
    """Cells where a condition holds, else null."""
    return pl.when(condition).then(cells)


def kind_of(dtype: pl.DataType) -> str:
    """The Python kind that a dtype's values are of."""
    if dtype.is_integer():
        return "int"
    if isinstance(dtype, pl.Datetime):
        return "naive_datetime" if dtype.time_zone is None else "aware_datetime"
    return _KINDS.get(dtype.base_type(), "")


def as_it_is(shape: Shape, source: Source) -> Cast:
    """The values themselves."""
    return Cast(source.expr if source.dtype == shape.dtype else source.expr.cast(shape.dtype))


def where_not_null(shape: Shape, source: Source) -> Cast:
    """A cast that gives null for what the dtype cannot hold."""
    if source.dtype == shape.dtype:
        return Cast(source.expr)
    cells = source.expr.cast(shape.dtype, strict=False)
    return Cast(cells, cells.is_not_null())


def narrowed(shape: Shape, wide: pl.Expr, vouched: pl.Expr | None, closely: pl.Expr | None = None) -> Cast:
    """Doubles in the field's width, without what overflows it or becomes zero in it."""
    if shape.dtype == pl.Float64():
        return Cast(wide, vouched, closely)
    most = wide.abs() <= 3e38  # noqa: PLR2004  (what lies between that and the largest is looked at)
    fits = wide.is_nan() | wide.is_infinite() | (most & ((wide == 0) | (wide.abs() > ZERO_AS_FLOAT32)))
    return Cast(
        wide.cast(shape.dtype),
        fits if vouched is None else fits & vouched,
        None if closely is None else fits & closely,
    )


def moments(shape: Shape, micro: pl.Expr, vouched: pl.Expr | None = None) -> Cast:
    """Moments in microseconds in the field's unit and zone, those within Python's years."""
    dtype = shape.dtype
    assert isinstance(dtype, pl.Datetime)  # noqa: S101  (a datetime's column is one)
    within = micro.dt.replace_time_zone(None).is_between(FIRST, LAST)
    vouched = within if vouched is None else within & vouched
    cells = micro if dtype.time_zone is None else micro.dt.convert_time_zone(dtype.time_zone)
    if dtype.time_unit == "ms":
        vouched &= micro.to_physical() % 1_000 == 0
    if dtype.time_unit == "ns":
        vouched &= micro.dt.year().is_between(1700, 2200)
    if dtype.time_unit != "us":
        cells = where(vouched, cells).dt.cast_time_unit(dtype.time_unit)
    return Cast(cells, vouched & cells.is_not_null())


def one_of(shape: Shape, source: Source, values: list[Any]) -> Cast | None:
    """Values that are listed in their own type."""
    python = PYTHON.get(kind_of(source.dtype))
    if any(type(value) is not python for value in values):
        return None
    known = source.expr.is_in(pl.Series(values, dtype=source.dtype).implode())
    if source.dtype == shape.dtype:
        return Cast(source.expr, known)
    cells = where(known, source.expr).cast(shape.dtype, strict=False)
    return Cast(cells, known & cells.is_not_null())


def to_enum(shape: Shape, source: Source) -> Cast | None:
    """Values of an Enum's members."""
    return one_of(shape, source, [member.value for member in shape.of])


def to_literal(shape: Shape, source: Source) -> Cast | None:
    """Values that a Literal lists."""
    return one_of(shape, source, list(get_args(shape.of)))
