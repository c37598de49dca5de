"""Casts from text: they vouch for what is written plainly, and leave every other spelling to pydantic."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

import polars as pl

from dagster_contracts.rows.vouched import Cast, Source, moments, narrowed, where, where_not_null

if TYPE_CHECKING:
    from dagster_contracts.rows.shapes import Shape

_DATE: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_FIRST_DAY: Final = dt.date(1, 1, 1)
_CLOCK: Final = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?"
_NAIVE: Final = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{_CLOCK}$"
_AWARE: Final = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{_CLOCK}(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9])$"
_TIME: Final = rf"^{_CLOCK}$"
_UUID: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
_SMALL: Final = 1e-37  # any width holds more than that, and zero
_TRUE: Final = ["1", "on", "t", "true", "y", "yes"]
_FALSE: Final = ["0", "off", "f", "false", "n", "no"]


def text_to_int(shape: Shape, source: Source) -> Cast:
    """Digits with a sign or without."""
    wide = source.expr.cast(pl.Int64(), strict=False)
    cells = wide if shape.dtype == pl.Int64() else wide.cast(shape.dtype, strict=False)
    return Cast(cells, cells.is_not_null())


def text_to_float(shape: Shape, source: Source) -> Cast:
    """Numbers that are finite, below the first integer that is no float, and not so small that they read as zero."""
    wide = source.expr.cast(pl.Float64(), strict=False)
    most = float(2**53 if shape.dtype == pl.Float64() else 2**24)
    vouched = wide.abs().is_between(_SMALL, most, closed="none")
    return narrowed(shape, wide, vouched, vouched | ((wide == 0) & ~source.expr.str.contains("[1-9]")))


def text_to_bool(_: Shape, source: Source) -> Cast:
    """The words that pydantic knows, in any case."""
    low = source.expr.str.to_lowercase()
    true = low.is_in(_TRUE)
    return Cast(true, true | low.is_in(_FALSE))


def text_to_date(_: Shape, source: Source) -> Cast:
    """Year, month and day, all digits written."""
    cells = source.expr.str.to_date("%Y-%m-%d", strict=False, cache=False)
    return Cast(cells, source.expr.str.contains(_DATE) & (cells >= _FIRST_DAY))


def text_to_naive(shape: Shape, source: Source) -> Cast:
    """A date and a time of day to the second or finer, without a zone."""
    written = source.expr.str.replace(" ", "T", literal=True)
    plain = written.str.contains(_NAIVE)
    cells = written.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
    return moments(shape, cells, plain)


def text_to_aware(shape: Shape, source: Source) -> Cast:
    """The same with an offset or a Z."""
    written = source.expr.str.replace(" ", "T", literal=True)
    plain = written.str.contains(_AWARE)
    written = written.str.replace("Z$", "+00:00")
    cells = written.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%:z", time_unit="us", time_zone="UTC", strict=False)
    return moments(shape, cells, plain)


def text_to_time(_: Shape, source: Source) -> Cast:
    """A time of day to the second or finer."""
    cells = source.expr.str.to_time("%H:%M:%S%.f", strict=False)
    return Cast(cells, source.expr.str.contains(_TIME) & cells.is_not_null())


def text_to_decimal(shape: Shape, source: Source) -> Cast | None:
    """Digits that fit the column; zeros beyond its scale are none."""
    dtype = shape.dtype
    if not isinstance(dtype, pl.Decimal):
        return None
    whole, scale = (dtype.precision or 38) - dtype.scale, dtype.scale
    number = (
        rf"^[+-]?[0-9]{{1,{whole}}}(\.[0-9]{{1,{scale}}}0{{0,9}})?$"
        if scale
        else rf"^[+-]?[0-9]{{1,{whole}}}(\.0{{1,9}})?$"
    )
    if not whole:
        return None
    plain = source.expr.str.contains(number)
    short = (
        where(plain, source.expr).str.replace(rf"(\.[0-9]{{{scale}}})0+$", "$1") if scale else where(plain, source.expr)
    )
    cells = short.str.strip_prefix("+").cast(dtype, strict=False)
    return Cast(cells, plain & cells.is_not_null())


def text_to_uuid(_: Shape, source: Source) -> Cast:
    """A UUID in the spelling that Python writes."""
    return Cast(source.expr, source.expr.str.contains(_UUID))


def text_to_text(shape: Shape, source: Source) -> Cast:
    """Text as it is; a category only if the column has it."""
    return where_not_null(shape, source)
