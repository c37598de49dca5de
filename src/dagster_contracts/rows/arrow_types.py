"""Arrow's types that Polars reads as others, or with loss, brought to what their values stand for."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

_EXTENSIONS: Final[tuple[type[Any], ...]] = (pl.BaseExtension,) if hasattr(pl, "BaseExtension") else ()
_BOOL: Final = "arrow.bool8"
_BARE_NUMBERS: Final = frozenset({"pandas.period"})
"""Extension types whose storage is a number that means nothing without the type."""


def for_polars(table: Any) -> Any:
    """A table of PyArrow's as Polars can read it: Polars' seconds overflow, its wide decimals panic.

    Args:
        table: A table, a batch or a reader; anything else stays as it is.

    Raises:
        ValueError: There are values that those types do not hold, or that only their own library understands.
    """
    if (type(table).__module__ or "").partition(".")[0] != "pyarrow" or not hasattr(table, "cast"):
        return table
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415  (where there is a table of it, it is loaded)

    types = [_type_for_polars(pa, kind) for kind in table.schema.types]
    if types == table.schema.types:
        return table
    return table.cast(pa.schema([one.with_type(kind) for one, kind in zip(table.schema, types, strict=True)]))


def stored(series: pl.Series) -> pl.Series:
    """A column of an extension type, or with one inside, as that is stored: JSON as its text.

    Raises:
        ValueError: There are values that only their own library understands.
    """
    if not _EXTENSIONS or not _has_extension(series.dtype):
        return series
    frame = series.alias("one").to_frame().select(_stored(pl.col("one"), series.dtype))
    return frame.to_series().alias(series.name)


def _has_extension(dtype: Any) -> bool:
    """Whether a dtype is an extension, or holds one."""
    if isinstance(dtype, (pl.List, pl.Array)):
        return _has_extension(dtype.inner)
    if isinstance(dtype, pl.Struct):
        return any(_has_extension(one.dtype) for one in dtype.fields)
    return isinstance(dtype, _EXTENSIONS)


def _stored(one: pl.Expr, dtype: Any) -> pl.Expr:
    """Values as they are stored, in place."""
    if isinstance(dtype, _EXTENSIONS):
        _refuse_bare_numbers(dtype.ext_name())
        inside = _stored(one.ext.storage(), dtype.ext_storage())
        return inside.cast(pl.Boolean()) if dtype.ext_name() == _BOOL else inside
    if isinstance(dtype, pl.List):
        return one.list.eval(_stored(pl.element(), dtype.inner))
    if isinstance(dtype, pl.Array):
        return one.arr.eval(_stored(pl.element(), dtype.inner))
    if isinstance(dtype, pl.Struct):
        return one.struct.with_fields([_stored(pl.field(part.name), part.dtype) for part in dtype.fields])
    return one


def _refuse_bare_numbers(name: str) -> None:
    """Refuse a type whose numbers would read as other values."""
    if name in _BARE_NUMBERS:
        raise ValueError(f"a column of {name} is stored as bare numbers; make it a date or a text")


def _type_for_polars(pa: Any, kind: Any) -> Any:
    """One of those types; an offset from UTC is no zone that Polars knows, and the moments are the same."""
    if isinstance(kind, pa.BaseExtensionType):
        return _of_extension(pa, kind)
    if pa.types.is_nested(kind) or pa.types.is_dictionary(kind):
        return _of_nested(pa, kind)
    if pa.types.is_timestamp(kind):
        zone = "UTC" if kind.tz and kind.tz[0] in "+-" else kind.tz
        return pa.timestamp("ms" if kind.unit == "s" else kind.unit, zone)
    if pa.types.is_duration(kind) and kind.unit == "s":
        return pa.duration("ms")
    return pa.decimal128(min(kind.precision, 38), kind.scale) if pa.types.is_decimal256(kind) else kind


def _of_extension(pa: Any, kind: Any) -> Any:
    """What an extension type is stored as: JSON as its text, a UUID as its bytes."""
    _refuse_bare_numbers(kind.extension_name)
    return pa.bool_() if kind.extension_name == _BOOL else _type_for_polars(pa, kind.storage_type)


def _of_nested(pa: Any, kind: Any) -> Any:
    """The same inside of lists, records, maps and dictionaries."""

    def inside(field: Any) -> Any:
        return field.with_type(_type_for_polars(pa, field.type))

    types = pa.types
    if types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _type_for_polars(pa, kind.value_type), kind.ordered)
    if types.is_struct(kind):
        return pa.struct([inside(kind.field(at)) for at in range(kind.num_fields)])
    if types.is_map(kind):
        return pa.map_(inside(kind.key_field), inside(kind.item_field), kind.keys_sorted)
    if types.is_list(kind) or types.is_fixed_size_list(kind):
        return pa.list_(inside(kind.value_field), getattr(kind, "list_size", -1))
    return pa.large_list(inside(kind.value_field)) if types.is_large_list(kind) else kind
