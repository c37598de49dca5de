"""How one value's refusal travels from where it is found to the row it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dagster_contracts.rows.failure import RowFailure, shown

if TYPE_CHECKING:
    from pydantic import ValidationError

    from dagster_contracts.rows.failure import Code
    from dagster_contracts.rows.shapes import Shape

NOTHING: Final = object()
"""Stands for no value at all: a key that is absent."""


class Refused(Exception):  # noqa: N818  (it never leaves the package)
    """A value that cannot be conformed; caught where its row is known.

    Args:
        code: The reason.
        cause: The reason in words, without the value.
        value: The value.
        wanted: The type that was wanted; the field's own if empty.
    """

    def __init__(self, code: Code, cause: str, value: object = NOTHING, wanted: str = "") -> None:
        super().__init__(code, cause)
        self.code: Code = code
        self.cause, self.value, self.wanted = cause, value, wanted
        self.place = ""

    def inside(self, step: str) -> Refused:
        """The same, seen from one level further out."""
        self.place = step + self.place
        return self

    def alone(self) -> Refused:
        """The same to be kept: without what was called when it was raised, and all that was in memory there."""
        self.__traceback__ = self.__context__ = None
        return self


def as_failure(refused: Refused, row: int, field: str, shape: Shape) -> RowFailure:
    """A refusal with its row and field, the value masked where the field is sensitive."""
    value = None if refused.value is NOTHING else shown(refused.value, sensitive=shape.sensitive)
    told = shape.sensitive and refused.code in {"validator", "value"}  # others' words may contain the value
    cause = "it was refused, and what was said of it may be private" if told else refused.cause
    return RowFailure(row, field, refused.code, refused.wanted or shape.wanted, cause, value, _place(refused, shape))


def _place(refused: Refused, shape: Shape) -> str:
    """Where inside of the field it happened; a key that is no field's is data, and not named where that is private."""
    keyed = shape.sensitive and (refused.code == "extra_key" or _has_keys(shape))
    return refused.place.partition(".")[0] if keyed else refused.place


def _has_keys(shape: Shape) -> bool:
    """Whether there are dicts in a field whose keys nobody declares."""
    inner = [shape.item] if shape.item else list(shape.record.shapes) if shape.record else []
    return shape.kind in {"json", "any"} or any(map(_has_keys, inner))


_CODES: dict[str, Code] = {
    "int_from_float": "inexact",
    "int_parsing_size": "out_of_range",
    "date_from_datetime_inexact": "inexact",
    "finite_number": "not_a_number",
    "timezone_naive": "timezone",
    "timezone_aware": "timezone",
    "timezone_offset": "timezone",
    "string_unicode": "encoding",
    "bytes_invalid_encoding": "encoding",
    "value_error": "validator",
    "assertion_error": "validator",
    "recursion_loop": "too_deep",
    "greater_than": "constraint",
    "greater_than_equal": "constraint",
    "less_than": "constraint",
    "less_than_equal": "constraint",
    "multiple_of": "constraint",
    "too_short": "constraint",
    "too_long": "constraint",
    "string_too_short": "constraint",
    "string_too_long": "constraint",
    "string_pattern_mismatch": "constraint",
    "bytes_too_short": "constraint",
    "bytes_too_long": "constraint",
    "decimal_max_digits": "constraint",
    "decimal_max_places": "constraint",
    "decimal_whole_digits": "constraint",
}


def from_pydantic(error: ValidationError, value: object) -> Refused:
    """Pydantic's first error as a refusal."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    kind = first["type"]
    code = _CODES.get(kind) or ("type" if kind.endswith("_type") else "value")
    refused = Refused(code, first["msg"], value)
    refused.place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
    return refused
