"""What a field's metadata asks of its values besides their type."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import annotated_types
from pydantic.fields import FieldInfo

from dagster_contracts.errors import SchemaDefinitionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dagster_contracts.contract.types import Type

_TIGHTER: dict[str, Callable[[Any, Any], Any]] = {
    "ge": max,
    "gt": max,
    "le": min,
    "lt": min,
    "min_length": max,
    "max_length": min,
    "max_digits": min,
    "decimal_places": min,
    "allow_inf_nan": min,
}


@dataclass(frozen=True)
class Constraints:
    """Named as pydantic's `Field` names them; `None` asks nothing.

    Args:
        ge: At least this.
        gt: More than this.
        le: At most this.
        lt: Less than this.
        multiple_of: A multiple of this.
        min_length: Characters of text, bytes, or elements of a list.
        max_length: The same, at most.
        pattern: A regular expression, in the dialect that pydantic and Polars share (Rust's), found anywhere.
        allow_inf_nan: False refuses NaN and the infinities.
        max_digits: A decimal's digits.
        decimal_places: A decimal's digits after the point.
        is_in: The only values.
    """

    ge: Any = None
    gt: Any = None
    le: Any = None
    lt: Any = None
    multiple_of: Any = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    allow_inf_nan: bool | None = None
    max_digits: int | None = None
    decimal_places: int | None = None
    is_in: tuple[Any, ...] | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What is asked for, by name."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name)) is not None}


NO_CONSTRAINTS = Constraints()

_BOUNDS = frozenset({"ge", "gt", "le", "lt"})
_STEPS: dict[str, Any] = {
    **dict.fromkeys(("Int8", "Int16", "Int32", "Int64", "Int128", "UInt8", "UInt16", "UInt32", "UInt64"), 1),
    "Date": dt.timedelta(days=1),
}
"""How far apart the nearest two values of a type are."""
_LENGTHS = frozenset({"min_length", "max_length"})
_NUMBERS = _BOUNDS | {"multiple_of"}
_FITTING: dict[str, frozenset[str]] = {
    "String": _BOUNDS | _LENGTHS | {"pattern"},
    "Binary": _LENGTHS,
    "Array": _LENGTHS,
    "Json": _LENGTHS,
    "Float32": _NUMBERS | {"allow_inf_nan"},
    "Float64": _NUMBERS | {"allow_inf_nan"},
    "Decimal": _NUMBERS | {"allow_inf_nan", "max_digits", "decimal_places"},
    **dict.fromkeys(("Date", "Time", "Timestamp", "TimestampNtz", "Interval"), _BOUNDS),
    **dict.fromkeys(("Boolean", "Uuid", "Variant", "Struct"), frozenset[str]()),
}
"""What can be asked of a type; of every type that is not here, which is a whole number, `_NUMBERS`."""


def refuse_unfit(where: str, type_: Type, constraints: Constraints) -> None:
    """Refuse a constraint that no value of the type could be held to.

    Raises:
        SchemaDefinitionError: There is one.
    """
    for name, value in constraints.given.items():
        if name != "is_in" and name not in _FITTING.get(type_.name, _NUMBERS):
            raise SchemaDefinitionError(f"{where}: {name}={value!r} cannot be asked of a column of {type_}.")
        if name == "multiple_of" and not (math.isfinite(value) and value > 0):
            raise SchemaDefinitionError(f"{where}: multiple_of={value!r} is no number above 0.")
        if name in _BOUNDS and not _fits(type_, value):
            raise SchemaDefinitionError(f"{where}: {name}={value!r} is no bound of {type_}.")
    _refuse_empty_range(where, type_, constraints)
    shortest, longest = constraints.min_length, constraints.max_length
    if shortest is not None and longest is not None and shortest > longest:
        raise SchemaDefinitionError(f"{where}: no value has a length of at least {shortest} and at most {longest}.")


def _refuse_empty_range(where: str, type_: Type, constraints: Constraints) -> None:
    """Refuse bounds between which there is no value."""
    low, high = _bound(constraints, ("ge", "gt"), max), _bound(constraints, ("le", "lt"), min)
    if low is None or high is None or not _comparable(low[0], high[0]):
        return
    (lowest, above), (highest, below) = low, high
    exclusive = above == "gt" or below == "lt"
    next_to = type_.name in _STEPS and above == "gt" and below == "lt" and lowest + _STEPS[type_.name] == highest
    if lowest > highest or (lowest == highest and exclusive) or next_to:
        raise SchemaDefinitionError(f"{where}: no value keeps {above}={lowest!r} and {below}={highest!r}.")


def _comparable(one: Any, other: Any) -> bool:
    """Whether two bounds are of one kind; of others pydantic says what is wrong with them."""
    numbers = isinstance(one, int | float | Decimal) and isinstance(other, int | float | Decimal)
    moments = getattr(one, "tzinfo", None) is None, getattr(other, "tzinfo", None) is None
    return numbers or (type(one) is type(other) and moments[0] == moments[1])


def _bound(constraints: Constraints, names: tuple[str, str], tighter: Callable[..., Any]) -> tuple[Any, str] | None:
    """The tighter of an inclusive and an exclusive bound, with its name; of two equal ones the exclusive."""
    asked = [(value, name) for name in names if (value := getattr(constraints, name)) is not None]
    if len(asked) == len(names) and asked[0][0] != asked[1][0]:
        return tighter(asked, key=lambda one: one[0])  # type: ignore[no-any-return]
    return asked[-1] if asked else None


def _fits(type_: Type, bound: Any) -> bool:
    """Whether values of the type can be compared with a bound."""
    if type_.name in ("Timestamp", "TimestampNtz"):
        return (getattr(bound, "tzinfo", None) is not None) == (type_.name == "Timestamp")
    return not isinstance(bound, float | Decimal) or math.isfinite(bound)


def read_constraints(where: str, metadata: Iterable[object]) -> Constraints:
    """Collect the constraints among `Annotated` metadata; the tighter of two bounds wins.

    Args:
        where: The field, for messages.
        metadata: What stands in `Annotated` beside the type. Validators are left to pydantic.

    Raises:
        SchemaDefinitionError: Two constraints cannot be joined, or a pattern is no text.
    """
    found: dict[str, Any] = {}
    for name, value in _items(metadata):
        if name not in found or found[name] == value:
            found[name] = value
        elif name in _TIGHTER:
            found[name] = _TIGHTER[name](found[name], value)
        else:
            raise SchemaDefinitionError(f"{where}: {name} is given twice, as {found[name]!r} and as {value!r}.")
    if not isinstance(found.get("pattern", ""), str):
        raise SchemaDefinitionError(
            f"{where}: the pattern is a compiled one, which Python's `re` would match and a frame's rule could not. "
            f"Give it as text: {found['pattern'].pattern!r}."
        )
    return Constraints(**found)


def _items(metadata: Iterable[object]) -> Iterator[tuple[str, Any]]:
    names = {one.name for one in fields(Constraints)} - {"is_in"}
    for item in metadata:
        if isinstance(item, FieldInfo):
            yield from _items(item.metadata)
        elif isinstance(item, annotated_types.GroupedMetadata):
            yield from _items(item)
        else:
            given = getattr(item, "__dict__", None) or {name: getattr(item, name, None) for name in names}
            yield from ((name, value) for name, value in given.items() if name in names and value is not None)
