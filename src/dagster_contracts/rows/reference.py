"""What conforming means, one row and one value at a time: slow, plain, and what every faster way is held to."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from operator import is_
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from dagster_contracts.rows import leaves
from dagster_contracts.rows.failure import MASKED, RowFailure, key_text, kind_of, shown
from dagster_contracts.rows.foreign import as_mapping, unwrapped
from dagster_contracts.rows.refused import NOTHING, Refused, as_failure, from_pydantic
from dagster_contracts.rows.strategy import MaterializationStrategy
from dagster_contracts.rows.text import MAX_DEPTH

if TYPE_CHECKING:
    from dagster_contracts.contract.row_fields import RowField
    from dagster_contracts.rows.shapes import RecordShape, Shape

_LISTS: Final = (list, tuple, AbstractSet, deque, Iterator)


@dataclass(frozen=True)
class How:
    """What is done to rows.

    Args:
        strategy: Whether values are repaired.
        leave_rules: Whether constraints that the contract has as rules on frames are left to those.
        dropped: Takes the keys that no field has, in the order they were met.
    """

    strategy: MaterializationStrategy
    leave_rules: bool = False
    dropped: dict[str, None] = field(default_factory=dict)

    @property
    def strict(self) -> bool:
        """Whether values are refused rather than repaired."""
        return self.strategy is MaterializationStrategy.STRICT


_STRICTLY: Final = How(MaterializationStrategy.STRICT)


def conform_row(record: RecordShape, row: object, number: int, how: How) -> tuple[dict[str, Any], list[RowFailure]]:
    """One row, brought to its schema's types field by field.

    Args:
        record: The schema's fields.
        row: The row, in any representation.
        number: Its number, for the failures.
        how: What is done to it; takes the keys that no field has.

    Returns:
        The values that could be conformed, by the column's name and in the schema's order; and the failures, in the
        same order, at most one for each field or key.
    """
    try:
        mapping = as_mapping(row)
    except Exception:  # noqa: BLE001  (a row's own attributes may raise anything)
        mapping = None
    found = None if mapping is None else _by_field(record, mapping)
    if found is None:
        cause = f"{kind_of(row)} is no row"
        value = shown(row, sensitive=any(shape.sensitive for shape in record.shapes))
        return {}, [RowFailure(number, "", "not_a_row", "a mapping, a dataclass or a pydantic object", cause, value)]
    given, extra = found
    values: dict[str, Any] = {}
    failures: list[RowFailure] = []
    for one, shape in record.pairs:
        try:
            values[one.name] = _field(one, shape, given.get(one.name, NOTHING), how)
        except Refused as refused:
            failures.append(as_failure(refused, number, one.name, shape))
    if how.strict:
        failures += [RowFailure(number, key, "extra_key", "no such key", "no field has this key") for key in extra]
    else:
        how.dropped.update(dict.fromkeys(extra))
    return values, failures


def _by_field(record: RecordShape, mapping: Mapping[Any, Any]) -> tuple[dict[str, Any], list[str]] | None:
    """A row's values by the field's name, and its keys that no field has; `None` if it does not behave as a mapping."""
    given: dict[str, Any] = {}
    extra: list[str] = []
    names = record.by_key
    try:
        for key, value in mapping.items():
            name = names.get(key) if isinstance(key, str) else None
            if name is None:
                extra.append(key_text(key))
            elif name in given:  # by the key and by the name: the key counts
                extra.append(name)
                given[name] = value if key != name else given[name]
            else:
                given[name] = value
    except Exception:  # noqa: BLE001  (a row's own methods may raise anything)
        return None
    return given, extra


def _field(declared: RowField, shape: Shape, value: Any, how: How, depth: int = 0) -> Any:
    """One field's value, or its default where the row has none."""
    if value is not NOTHING:
        return conform_value(shape, value, how, depth)
    refuse_missing(declared, how)
    return conform_value(shape, default_of(declared), how, depth)


def refuse_missing(declared: RowField, how: How) -> None:
    """Refuse that a row has no such key, where that counts.

    Raises:
        Refused: The row must have it.
    """
    if how.strict:
        raise Refused("missing", "the row has no such key")
    if declared.required:
        raise Refused("missing", "the row has no such key, and the field no default")


def default_of(declared: RowField) -> Any:
    """What a missing key reads as.

    Raises:
        Refused: Making it failed.
    """
    try:
        return declared.make_default()
    except Exception as error:  # noqa: BLE001  (a factory is anybody's code)
        raise Refused("validator", f"its default_factory raised {type(error).__name__}") from None


def conform_value(shape: Shape, value: Any, how: How, depth: int = 0) -> Any:
    """One value, brought to its field's type, constraints and validators included.

    Raises:
        Refused: It cannot be.
    """
    try:
        return _conformed(shape, value, how, depth)
    except Refused:
        raise
    except RecursionError:
        raise Refused("too_deep", "values are nested too deeply") from None
    except Exception as error:  # noqa: BLE001  (a value is anybody's object, and its methods may raise anything)
        raise Refused("type", f"it does not behave as a value ({type(error).__name__})", value) from None


def _conformed(shape: Shape, value: Any, how: How, depth: int) -> Any:
    """The same, with whatever the value's own methods raise."""
    if depth > MAX_DEPTH:
        raise Refused("too_deep", f"values are nested more than {MAX_DEPTH} deep")
    strict = how.strict
    if not strict:
        value = unwrapped(value)
    if value is None:
        if shape.nullable:
            return None if shape.of_none is None else _of_none(shape)
        if shape.before is None or strict:
            raise Refused("null", "there is no value, and the field is not nullable", None)
    start = value if shape.before is None else _validated(shape.before, value)
    if start is None and shape.nullable and shape.of_none is not None and not strict:
        return None
    typed = found = _typed(shape, start, how, depth)
    if shape.after is not None:
        checked = _checked(shape, shape.after, found, how, depth)
        if not _is_copy(checked, found):
            found = _typed(shape, checked, _STRICTLY, depth)
    if strict and not ((shape.before is None or same(start, value)) and (found is typed or same(found, typed))):
        raise Refused("validator", "its validators would change it", value)
    return found


def _is_copy(checked: Any, found: Any) -> bool:
    """Whether validators left a value alone, though they copied the list or the dict that it is."""
    if type(checked) is list and type(found) is list:
        return len(checked) == len(found) and all(map(is_, checked, found))
    if type(checked) is dict and type(found) is dict:
        return list(checked) == list(found) and all(map(is_, checked.values(), found.values()))
    return checked is found


def _checked(shape: Shape, after: TypeAdapter[Any], value: Any, how: How, depth: int) -> Any:
    """What constraints and validators make of a value; a constraint may be left to the contract's rules."""
    try:
        return _validated(after, _by_alias(shape, value))
    except Refused as refused:
        left = how.leave_rules and depth == 0 and refused.code == "constraint" and shape.kind != "json"
        if left and not refused.place:
            return value
        raise


def _of_none(shape: Shape) -> Any:
    """`None`, if validators that see it leave it alone."""
    assert shape.of_none is not None  # noqa: S101  (asked before)
    if _validated(shape.of_none, None) is not None:
        raise Refused(
            "validator", "its validators turn a missing value into another one; give the field a default", None
        )


def _by_alias(shape: Shape, value: Any) -> Any:
    """A record as its own model reads it, by the incoming keys; any other value as it is."""
    if shape.record is None or shape.narrower is None:
        return value
    return {one.key: value[one.name] for one in shape.record.fields}


def _typed(shape: Shape, value: Any, how: How, depth: int) -> Any:
    """A value of the field's type, without the field's own constraints."""
    if shape.kind == "list":
        return _list(shape, value, how, depth)
    if shape.kind == "record":
        return _record(shape, value, how, depth)
    return leaves.own(shape, value) if how.strict else leaves.coerced(shape, value)


def _list(shape: Shape, value: Any, how: How, depth: int) -> list[Any]:
    """A list, each item conformed."""
    assert shape.item is not None  # noqa: S101  (a list's shape has one)
    if type(value) is not list and (how.strict or not isinstance(value, _LISTS)):
        raise Refused("type", f"{kind_of(value)} is no list", value)
    found = []
    try:
        items = list(value)
    except Exception as error:  # noqa: BLE001  (an iterator is anybody's code)
        raise Refused("type", f"it cannot be read as a list ({type(error).__name__})") from None
    for index, item in enumerate(items):
        try:
            found.append(conform_value(shape.item, item, how, depth + 1))
        except Refused as refused:
            raise _named(refused, shape.item).inside(f"[{index}]") from None
    return found


def _record(shape: Shape, value: Any, how: How, depth: int) -> dict[str, Any]:
    """A record, each field conformed."""
    assert shape.record is not None  # noqa: S101  (a record's shape has one)
    try:
        mapping = as_mapping(value)
    except Exception:  # noqa: BLE001  (an object's own attributes may raise anything)
        mapping = None
    found = None if mapping is None else _by_field(shape.record, mapping)
    if found is None:
        raise Refused("type", f"{kind_of(value)} is no record", value)
    given, extra = found
    if how.strict and extra:
        raise Refused("extra_key", "no field has this key", wanted="no such key").inside(f".{extra[0]}")
    how.dropped.update(dict.fromkeys(f"{shape.record.name}.{key}" for key in extra))
    values = {}
    for one, inner in shape.record.pairs:
        try:
            values[one.name] = _field(one, inner, given.get(one.name, NOTHING), how, depth + 1)
        except Refused as refused:
            raise _named(refused, inner).inside(f".{one.name}") from None
    return values


def _named(refused: Refused, shape: Shape) -> Refused:
    """A refusal that knows the type wanted where it happened, and is silent about a sensitive value."""
    refused.wanted = refused.wanted or shape.wanted
    if shape.sensitive and refused.value is not NOTHING:
        refused.value = MASKED
    return refused


def _validated(adapter: TypeAdapter[Any], value: Any) -> Any:
    """What validators and constraints make of a value."""
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        raise from_pydantic(error, value) from None
    except Exception as error:  # noqa: BLE001  (a validator is anybody's code)
        raise Refused("validator", f"its validator raised {type(error).__name__}", value) from None


def same(one: Any, other: Any) -> bool:
    """Whether two values are of one type and equal, all the way down; NaN is NaN."""
    if one is other:
        return True
    if isinstance(one, dict) and (mapping := as_mapping(other)) is not None:
        return list(one) == list(mapping) and all(same(one[key], mapping[key]) for key in one)
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or (one != one and other != other)  # noqa: PLR0124
