"""Casts of whole columns that vouch for each value: what they vouch for is what conforming one by one gives.

A cast may decline any value, and it is conformed by itself; it must never vouch for one that would become another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from dagster_contracts.rows import casts_of_text as of_text
from dagster_contracts.rows import casts_of_values as of_values
from dagster_contracts.rows.vouched import PYTHON, Cast, Source, as_it_is, kind_of, to_enum, to_literal, where_not_null

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.rows.shapes import Shape

_OWN_FORMS: Final = {"decimal_text": "decimal", "uuid": "uuid", "member": "enum"}


def cast(shape: Shape, source: Source, *, strict: bool, given: str = "") -> Cast | None:
    """Cast a column. What becomes of its nulls is the caller's.

    Args:
        shape: What the field asks for.
        source: The values as Polars holds them; their Python type is what conforming one by one would see.
        strict: Whether only the field's own type counts.
        given: What the values are, where the dtype does not say it.

    Returns:
        The column, or `None` where no value can be vouched for.
    """
    given = given or kind_of(source.dtype)
    found = _CASTS.get((given, shape.kind))
    if found is None or (strict and not _is_own(given, shape)):
        return None
    if shape.lax and not _is_own(given, shape):
        return None
    return found(shape, source)


def _is_own(given: str, shape: Shape) -> bool:
    """Whether a source's kind is the field's own."""
    if given in _OWN_FORMS:
        return _OWN_FORMS[given] == shape.kind
    if shape.kind == "literal":
        return {type(one) for one in get_args(shape.of)} == {PYTHON.get(given)}
    return given == shape.kind


_CASTS: Final[dict[tuple[str, str], Callable[[Shape, Source], Cast | None]]] = {
    ("str", "str"): of_text.text_to_text,
    ("str", "int"): of_text.text_to_int,
    ("str", "float"): of_text.text_to_float,
    ("str", "bool"): of_text.text_to_bool,
    ("str", "date"): of_text.text_to_date,
    ("str", "naive_datetime"): of_text.text_to_naive,
    ("str", "aware_datetime"): of_text.text_to_aware,
    ("str", "time"): of_text.text_to_time,
    ("str", "decimal"): of_text.text_to_decimal,
    ("str", "uuid"): of_text.text_to_uuid,
    ("str", "enum"): to_enum,
    ("str", "literal"): to_literal,
    ("str", "bytes"): as_it_is,
    ("int", "int"): where_not_null,
    ("int", "float"): of_values.int_to_float,
    ("int", "str"): of_values.int_to_text,
    ("int", "bool"): of_values.int_to_bool,
    ("int", "decimal"): of_values.int_to_decimal,
    ("int", "enum"): to_enum,
    ("int", "literal"): to_literal,
    ("int", "date"): of_values.int_to_moment,
    ("int", "naive_datetime"): of_values.int_to_moment,
    ("int", "aware_datetime"): of_values.int_to_moment,
    ("float", "float"): of_values.float_to_float,
    ("float", "int"): of_values.float_to_int,
    ("float", "bool"): of_values.float_to_bool,
    ("bool", "bool"): as_it_is,
    ("bool", "int"): as_it_is,
    ("bool", "float"): as_it_is,
    ("bool", "str"): of_values.bool_to_text,
    ("bool", "enum"): to_enum,
    ("bool", "literal"): to_literal,
    ("decimal", "decimal"): of_values.decimal_to_decimal,
    ("decimal", "float"): of_values.decimal_to_float,
    ("date", "date"): of_values.date_to_date,
    ("date", "naive_datetime"): of_values.date_to_naive,
    ("naive_datetime", "naive_datetime"): of_values.datetime_to_datetime,
    ("naive_datetime", "date"): of_values.datetime_to_date,
    ("aware_datetime", "aware_datetime"): of_values.datetime_to_datetime,
    ("time", "time"): of_values.time_to_time,
    ("timedelta", "timedelta"): of_values.duration_to_duration,
    ("bytes", "bytes"): as_it_is,
    ("decimal_text", "decimal"): of_text.text_to_decimal,
    ("decimal_text", "float"): of_text.text_to_float,
    ("uuid", "uuid"): as_it_is,
    ("uuid", "str"): of_text.text_to_text,
    ("member", "enum"): as_it_is,
    ("bytes", "str"): of_values.bytes_to_text,
}
