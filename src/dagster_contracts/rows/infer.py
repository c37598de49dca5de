"""What rows are, from the rows alone: a schema with every column nullable."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Final
from uuid import UUID

from pydantic import AwareDatetime, Field, NaiveDatetime

from dagster_contracts.contract.types import Type
from dagster_contracts.errors import SchemaDefinitionError, SchemaError
from dagster_contracts.rows.failure import key_text, kind_of
from dagster_contracts.rows.foreign import as_dict, as_mapping, unwrapped
from dagster_contracts.rows.operations import cut
from dagster_contracts.rows.sources import Columns

if TYPE_CHECKING:
    from dagster_contracts.rows.schema import Schema

MAX_DEPTH: Final = 8
"""How deep records and lists are looked into; what lies deeper is `Any`."""

MAX_RECORD_KEYS: Final = 200
"""A nested dict with more keys than this over all rows is a dict, not a record."""

_KEPT: Final = frozenset({bool, str, bytes, dt.date, dt.time, dt.timedelta, UUID})
_INT64: Final = range(-(2**63), 2**63)
_INT128: Final = range(-(2**127), 2**127)
_DIGITS: Final = 38


@dataclass
class Seen:
    """What was seen of the values under one key.

    Args:
        kinds: Their types, in the order they were met; `None` among them leaves no trace.
        items: What was seen inside lists.
        keys: What was seen inside dicts, key by key.
        null: Whether there was a `None`.
        bits: 64, 128, or 0 for integers larger than that.
        rounded: Whether there was an integer that no float holds.
        whole: The most digits before a decimal's point.
        places: The most digits after it, or -1 for a decimal that is no finite number.
        opaque: Whether a dict cannot be a record.
    """

    kinds: dict[Any, None] = field(default_factory=dict)
    items: Seen | None = None
    keys: dict[str, Seen] = field(default_factory=dict)
    null: bool = False
    bits: int = 64
    rounded: bool = False
    whole: int = 0
    places: int = 0
    opaque: bool = False

    def add(self, value: Any, depth: int = 0) -> None:
        """Look at one more value."""
        try:
            self._add(unwrapped(value), depth)
        except Exception:  # noqa: BLE001  (a value is anybody's object, and its methods may raise anything)
            self.kinds[object] = None

    def _add(self, value: Any, depth: int) -> None:
        """The same in plain Python."""
        kind: Any = type(value)
        if value is None:
            self.null = True
        elif kind in _KEPT or kind is float or isinstance(value, Enum):
            self.kinds[kind] = None
        elif kind is int:
            self._int(value)
        elif kind is Decimal:
            self._decimal(value)
        elif isinstance(value, dt.datetime):
            self.kinds[NaiveDatetime if value.tzinfo is None else AwareDatetime] = None
        else:
            self._nested(value, depth)

    def _int(self, value: int) -> None:
        """An integer, and what could hold it."""
        self.kinds[int] = None
        if value not in _INT64:
            self.bits = min(self.bits, 128) if value in _INT128 and self.bits else 0
            self.bits = 128 if self.bits == 64 else self.bits  # noqa: PLR2004
        try:
            self.rounded = self.rounded or float(value) != value
        except OverflowError:
            self.rounded = True

    def _decimal(self, value: Decimal) -> None:
        """A decimal's digits on both sides of its point."""
        self.kinds[Decimal] = None
        exponent = value.as_tuple().exponent
        if not isinstance(exponent, int) or self.places < 0:
            self.places = -1
            return
        self.places = max(self.places, -exponent)
        self.whole = max(self.whole, value.adjusted() + 1)

    def _nested(self, value: Any, depth: int) -> None:
        """A list, a record, or an object that only `Any` could hold."""
        if isinstance(value, (list, tuple)) and not hasattr(value, "_asdict") and depth < MAX_DEPTH:
            self.kinds[list] = None
            self.items = self.items or Seen()
            for item in value:
                self.items.add(item, depth + 1)
            return
        mapping = as_mapping(value) if depth < MAX_DEPTH else None
        if mapping is None:
            self.kinds[object] = None
            return
        self.kinds[dict] = None
        self._record(mapping, depth)

    def _record(self, mapping: Any, depth: int) -> None:
        """A dict's keys, each by itself."""
        if self.opaque:
            return
        if not all(isinstance(key, str) and _can_name(str.__str__(key)) for key in mapping):
            self.opaque = True
            return
        for key, item in mapping.items():
            self.keys.setdefault(str.__str__(key), Seen()).add(item, depth + 1)
        self.opaque = len(self.keys) > MAX_RECORD_KEYS


@dataclass
class Inference:
    """A schema in the making, batch by batch; batches stay the caller's."""

    keys: dict[str, Seen] = field(default_factory=dict)
    left_out: dict[str, None] = field(default_factory=dict)

    def add(self, batch: object) -> None:
        """Look at one more batch of rows or table.

        Raises:
            SchemaError: It is neither, or a row is none.
        """
        for part in cut(batch):
            for row in part.rows() if isinstance(part, Columns) else part:
                self._row(row)

    def _row(self, row: object) -> None:
        """Look at one more row."""
        found = as_dict(row)
        if found is None:
            raise SchemaError(f"No schema can be inferred: {kind_of(row)} is no row.")
        for key, value in found.items():
            if isinstance(key, str) and _can_name(name := str.__str__(key)):
                self.keys.setdefault(name, Seen()).add(value)
            else:
                self.left_out[key_text(key)] = None

    def schema(self, name: str = "Inferred") -> type[Schema]:
        """The schema of everything seen so far, every column nullable and in the order of first sight.

        Raises:
            SchemaError: No key was seen, or they cannot be columns of one table.
        """
        if not self.keys:
            raise SchemaError("No schema can be inferred: there is no row with a key.")
        try:
            return _class(name, self.keys)
        except SchemaDefinitionError as error:
            raise SchemaError(f"No schema can be inferred: {error}") from error


def infer(rows: object, name: str = "Inferred") -> type[Schema]:
    """The schema of rows or of a table. An iterable is read once.

    Args:
        rows: Rows or a table.
        name: What the schema is called.

    Raises:
        SchemaError: What was given is neither, or no schema fits.
    """
    inference = Inference()
    inference.add(rows)
    return inference.schema(name)


def _can_name(key: str) -> bool:
    """Whether a key can be a column's name."""
    dunder = key.startswith("__") and key.endswith("__")
    pattern = key == "*" or (key.startswith("^") and key.endswith("$"))  # of other columns, to Polars
    return bool(key) and not dunder and not pattern and not key.startswith("dy_") and key.isprintable()


def _class(name: str, keys: dict[str, Seen]) -> type[Schema]:
    """A class that declares the keys."""
    from dagster_contracts.rows.schema import Schema  # noqa: PLC0415  (it offers what is written here)

    hints = {key: _nullable(_annotation(seen, f"{name}_{key}")) for key, seen in keys.items()}
    return type(name, (Schema,), {"__annotations__": hints, "__module__": __name__})


def _nullable(annotation: Any) -> Any:
    return annotation if annotation is Any else annotation | None


def _annotation(seen: Seen, name: str) -> Any:  # noqa: PLR0911  (one for each kind)
    """The Python type of what was seen: one type is kept, int and float are float, everything else mixed is `Any`."""
    kinds = list(seen.kinds)
    if set(kinds) == {int, float}:
        return Any if seen.rounded else float
    if len(kinds) != 1:
        return Any
    kind = kinds[0]
    if kind is int:
        return {64: int, 128: Annotated[int, Type("Int128")]}.get(seen.bits, Any)
    if kind is Decimal:
        return _decimal(seen)
    if kind is list and seen.items is not None:
        item = _annotation(seen.items, name)
        return list[_nullable(item) if seen.items.null else item]  # type: ignore[misc]
    if kind is dict:
        return dict[str, Any] if seen.opaque or not seen.keys else _class(name, seen.keys)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind if len({type(member.value) for member in kind}) == 1 else Any
    return Any if kind is object else kind


def _decimal(seen: Seen) -> Any:
    """A decimal type with the digits that were seen."""
    if seen.places < 0 or seen.whole + seen.places > _DIGITS:
        return Any
    return Annotated[Decimal, Field(max_digits=_DIGITS, decimal_places=max(seen.places, 0))]
