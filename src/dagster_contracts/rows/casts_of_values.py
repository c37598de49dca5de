"""Casts from numbers, moments and bytes: they vouch for what comes out exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from dagster_contracts.rows.casts_of_text import text_to_decimal, text_to_float, text_to_text
from dagster_contracts.rows.vouched import FIRST, LAST, Cast, Source, moments, narrowed, where

if TYPE_CHECKING:
    from dagster_contracts.rows.shapes import Shape

_EXACT: Final = 2**53
_EXACT_32: Final = 2**24
_MS_OF_YEARS: Final = 260_000_000_000_000  # more than there are from 1970 to either end of Python's years
_US: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}


def int_to_float(shape: Shape, source: Source) -> Cast:
    """Integers that a float of that width holds exactly."""
    most = _EXACT if shape.dtype == pl.Float64() else _EXACT_32
    exact = source.expr.is_between(-most, most)
    return narrowed(shape, source.expr.cast(pl.Float64(), strict=False), exact)


def int_to_text(shape: Shape, source: Source) -> Cast:
    """An integer's digits."""
    return text_to_text(shape, Source(source.expr.cast(pl.String()), pl.String()))


def int_to_bool(_: Shape, source: Source) -> Cast:
    """Zero and one."""
    return Cast(source.expr == 1, source.expr.is_between(0, 1))


def int_to_decimal(shape: Shape, source: Source) -> Cast | None:
    """Integers with no more digits than the column."""
    return text_to_decimal(shape, Source(source.expr.cast(pl.String()), pl.String()))


def int_to_moment(shape: Shape, source: Source) -> Cast | None:
    """Bare digits in the unit that the field names."""
    if shape.epoch is None or source.dtype in (pl.Int128(), pl.UInt64()):
        return None
    unit = _US[shape.epoch]
    near = source.expr.is_between(-60_000_000_000_000_000 // unit, 240_000_000_000_000_000 // unit)
    micro = where(near, source.expr).cast(pl.Int64()) * unit
    if shape.kind == "date":
        day = 86_400_000_000
        return Cast((micro // day).cast(pl.Int32()).cast(pl.Date()), near & (micro % day == 0))
    found = micro.cast(pl.Datetime("us"))
    return moments(shape, found if shape.kind == "naive_datetime" else found.dt.replace_time_zone("UTC"), near)


def float_to_float(shape: Shape, source: Source) -> Cast:
    """Floats in the column's width."""
    wide = source.expr if source.dtype == pl.Float64() else source.expr.cast(pl.Float64())
    if source.dtype == shape.dtype:
        return Cast(source.expr)
    return narrowed(shape, wide, None)


def float_to_int(shape: Shape, source: Source) -> Cast:
    """Whole numbers."""
    whole = (source.expr.floor() == source.expr) & source.expr.is_between(-_EXACT, _EXACT)
    cells = where(whole, source.expr).cast(shape.dtype, strict=False)
    return Cast(cells, whole & cells.is_not_null())


def float_to_bool(_: Shape, source: Source) -> Cast:
    """Zero and one."""
    return Cast(source.expr == 1, (source.expr == 0) | (source.expr == 1))


def bool_to_text(shape: Shape, source: Source) -> Cast:
    """The words that Python writes."""
    written = pl.when(source.expr).then(pl.lit("True")).when(~source.expr).then(pl.lit("False"))
    return text_to_text(shape, Source(written, pl.String()))


def decimal_to_decimal(shape: Shape, source: Source) -> Cast:
    """Decimals that the column's scale holds exactly."""
    if source.dtype == shape.dtype:
        return Cast(source.expr)
    cells = source.expr.cast(shape.dtype, strict=False)
    vouched = cells.is_not_null() & (cells.cast(source.dtype, strict=False) == source.expr)
    if shape.dtype.precision == shape.dtype.scale:  # type: ignore[attr-defined]
        vouched &= cells != 0  # pydantic counts the digit before the point of some zeros
    return Cast(cells, vouched)


def decimal_to_float(shape: Shape, source: Source) -> Cast:
    """The float nearest to a decimal."""
    return text_to_float(shape, Source(source.expr.cast(pl.String()), pl.String()))


def date_to_naive(shape: Shape, source: Source) -> Cast:
    """The beginning of a day; days that overflow microseconds are none."""
    near = source.expr.is_between(FIRST.date(), LAST.date())
    return moments(shape, where(near, source.expr).cast(pl.Datetime("us")), near)


def date_to_date(_: Shape, source: Source) -> Cast:
    """Days inside of Python's years."""
    return Cast(source.expr, source.expr.is_between(FIRST.date(), LAST.date()))


def datetime_to_datetime(shape: Shape, source: Source) -> Cast:
    """Moments whole in microseconds, in the column's unit and zone."""
    unit = source.dtype.time_unit  # type: ignore[attr-defined]
    count = source.expr.to_physical()
    if unit == "ms":  # what overflows microseconds is looked at by itself
        near = count.is_between(-_MS_OF_YEARS, _MS_OF_YEARS)
        return moments(shape, where(near, source.expr).dt.cast_time_unit("us"), near)
    micro = source.expr if unit == "us" else source.expr.dt.cast_time_unit("us")
    return moments(shape, micro, count % 1_000 == 0 if unit == "ns" else None)


def datetime_to_date(_: Shape, source: Source) -> Cast:
    """The day of a moment that is its beginning."""
    near = source.expr.is_between(FIRST, LAST)
    cells = where(near, source.expr).dt.date()
    return Cast(cells, (cells.cast(source.dtype) == source.expr) & near)


def time_to_time(_: Shape, source: Source) -> Cast:
    """Times of day whole in microseconds."""
    return Cast(source.expr, source.expr.to_physical() % 1_000 == 0)


def duration_to_duration(shape: Shape, source: Source) -> Cast:
    """Durations that the column's unit holds exactly."""
    unit, wanted = source.dtype.time_unit, shape.dtype.time_unit  # type: ignore[attr-defined]
    given = source.expr
    if unit == "ms":  # what overflows microseconds is looked at by itself
        given = where(given.to_physical().is_between(-(2**42), 2**42), given)
    micro = given if unit == "us" else given.dt.cast_time_unit("us")
    vouched = micro.to_physical().is_between(-(2**52), 2**52)
    if "ns" in (unit, wanted) or wanted == "ms":
        vouched &= source.expr.to_physical() % (1_000 if unit == "ns" else 1) == 0
        vouched &= micro.to_physical() % (1_000 if wanted == "ms" else 1) == 0
    cells = where(vouched, micro).dt.cast_time_unit(wanted)
    return Cast(cells, vouched)


def bytes_to_text(shape: Shape, source: Source) -> Cast | None:
    """Bytes that are all UTF-8; if some are not, the cast raises and each is looked at."""
    return text_to_text(shape, Source(source.expr.cast(pl.String()), pl.String()))
