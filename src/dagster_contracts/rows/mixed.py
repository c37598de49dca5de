"""Columns of mixed numbers and texts, where all values can be repaired at once, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl
from pydantic import TypeAdapter, ValidationError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from dagster_contracts.rows.shapes import Shape

_TO_NUMBER: Final = frozenset({bool, int, float, str})
_TO_TEXT: Final = frozenset({bool, int, str})
_READ_INTEGERS: Final = TypeAdapter(list[int | None]).validate_python
_READ_FLOAT: Final = TypeAdapter(float).validate_python
_EXACT: Final = float(2**53)
_SMALL: Final = 1e-300
_LOOKED_AT: Final = 64


class _DoubtfulError(ValueError):
    """A number that a float may not hold."""


def as_one(shape: Shape, kinds: AbstractSet[Any], values: Sequence[Any]) -> list[Any] | None:
    """Values of several plain types as values of the field's own; `None` if that cannot be said of all of them at once.

    Args:
        shape: What the field asks for.
        kinds: The types of the values, without that of `None`.
        values: The values.
    """
    if shape.lax:
        return None
    try:
        if shape.kind == "str" and kinds <= _TO_TEXT:
            return [value if type(value) is str or value is None else str(value) for value in values]
        if shape.kind == "int" and kinds <= _TO_NUMBER:
            return _READ_INTEGERS(values)
        if shape.kind == "float" and kinds <= _TO_NUMBER and shape.dtype == pl.Float64() and _mostly_floats(values):
            return [value if type(value) is float or value is None else _float(value) for value in values]
    except (ValidationError, ValueError):  # one is refused; or has more digits than Python writes
        return None
    return None


def _mostly_floats(values: Sequence[Any]) -> bool:
    """Whether few values are to be repaired, by a look at some: each costs what a dozen others do."""
    some = values[:: max(1, len(values) // _LOOKED_AT)]
    return sum(type(value) is float or value is None for value in some) * 4 >= len(some) * 3


def _float(value: bool | int | str) -> float:  # noqa: FBT001
    """A number as the float that is exactly or nearly it, as the number says.

    Raises:
        ValidationError: It is none.
        _DoubtfulError: It takes more to tell.
    """
    found: float = _READ_FLOAT(value)
    if _SMALL < abs(found) < _EXACT or (found == 0 and not (type(value) is str and any(map(value.count, "123456789")))):
        return found
    raise _DoubtfulError
