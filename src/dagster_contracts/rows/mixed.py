"""Columns of mixed numbers and texts, where one call conforms all values at once, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from dagster_contracts.rows.shapes import Shape

_TO_NUMBER: Final = frozenset({bool, int, float, str})
_TO_TEXT: Final = frozenset({bool, int, str})
_EXACT: Final = 2**53
_NUMBERS: Final[dict[str, TypeAdapter[Any]]] = {
    "int": TypeAdapter(list[int | None]),
    "float": TypeAdapter(list[float | None]),
}


def as_one(shape: Shape, kinds: AbstractSet[Any], values: Sequence[Any]) -> list[Any] | None:
    """Values of several plain types as values of the field's own; `None` if that cannot be said of all of them at once.

    Args:
        shape: What the field asks for.
        kinds: The types of the values, without that of `None`.
        values: The values.
    """
    if shape.kind == "str" and not shape.lax and kinds <= _TO_TEXT:
        return _texts(values)
    if shape.kind in _NUMBERS and not shape.lax and kinds <= _TO_NUMBER:
        return _numbers(shape, kinds, values)
    return None


def _texts(values: Sequence[Any]) -> list[Any] | None:
    """Whole numbers and booleans as Python writes them, beside text."""
    try:
        return [value if type(value) is str or value is None else str(value) for value in values]
    except ValueError:  # more digits than Python writes
        return None


def _numbers(shape: Shape, kinds: AbstractSet[Any], values: Sequence[Any]) -> list[Any] | None:
    """What pydantic makes of them, which is the answer but for integers that a float rounds."""
    if (
        shape.kind == "float"
        and int in kinds
        and any(type(one) is int and not -_EXACT <= one <= _EXACT for one in values)
    ):
        return None
    try:
        found: list[Any] = _NUMBERS[shape.kind].validate_python(values)
    except ValidationError:
        return None
    return found
