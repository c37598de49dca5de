"""The vocabulary of data types that contract files, SQL models and typed classes share, independent of any engine."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.errors import UnknownTypeError

if TYPE_CHECKING:
    from collections.abc import Iterable

SIMPLE = (
    "Boolean",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Int128",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Float32",
    "Float64",
    "String",
    "Binary",
    "Date",
    "Time",
    "Timestamp",
    "TimestampNtz",
    "Interval",
    "Uuid",
    "Json",
    "Variant",
)
NAMES = (*SIMPLE, "Decimal", "Array", "Map", "Struct")

MAX_PRECISION = 76
"""The most digits any engine we know gives a decimal: BigQuery's BIGNUMERIC. DuckDB and Polars stop at 38."""

MAX_DEPTH = 50
"""How deep arrays, maps and structs may be nested."""

_INTEGERS = {"Int8": 8, "Int16": 16, "Int32": 32, "Int64": 64, "Int128": 128}
_UNSIGNED = {"UInt8": 8, "UInt16": 16, "UInt32": 32, "UInt64": 64}
_FLOATS = {"Float32": 24, "Float64": 53}  # how many bits of an integer each holds exactly

_NAME = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(r'\s*(?:([^\W\d]\w*)|(\d+)|"((?:[^"]|"")*)"|([(),<>:]))')
_QUOTED = "\0"
_PARTS = {"Array": 1, "Map": 2}


@dataclass(frozen=True)
class Type:
    """One data type.

    Args:
        name: One of `NAMES`. `Timestamp` has a zone, `TimestampNtz` has none.
        precision: A decimal's digits; `None` for a decimal whose digits are not known or do not matter.
        scale: A decimal's digits after the point.
        args: An array's element; a map's key and value. Empty where they are not known or do not matter.
        fields: A struct's fields. Empty where they are not known or do not matter.
    """

    name: str
    precision: int | None = None
    scale: int | None = None
    args: tuple[Type, ...] = ()
    fields: tuple[tuple[str, Type], ...] = ()

    def __str__(self) -> str:
        if self.precision is not None:
            return f"{self.name}({self.precision},{self.scale or 0})"
        if self.args:
            return f"{self.name}<{', '.join(map(str, self.args))}>"
        if self.fields:
            return f"{self.name}<{', '.join(f'{_field_name(name)}: {of}' for name, of in self.fields)}>"
        return self.name


def parse_type(text: str) -> Type:
    """Read a type as contract files spell it, such as `Int64`, `Decimal(10,2)` or `Array<Struct<a: Date>>`.

    Args:
        text: A name of the vocabulary, exactly as written there. `Decimal(p)` is `Decimal(p,0)`; a bare `Decimal`,
            `Array`, `Map` or `Struct` leaves open what is inside.

    Raises:
        UnknownTypeError: The text names no type, or its brackets or digits cannot be read.
    """
    reader = _Reader(text)
    found = reader.type()
    reader.end()
    return found


def matches(declared: Type, found: Type, *, assignable: bool = False) -> bool | None:
    """Compare what a contract declares with what a table has.

    Args:
        declared: The contract's type. A bare `Decimal`, `Array`, `Map` or `Struct` asks nothing of what is inside.
        found: The table's type.
        assignable: Let a narrower number pass, one whose every value the declared type holds exactly; also inside
            arrays, maps and structs.

    Returns:
        Whether they match; `None` where `found` leaves open what `declared` asks for, such as a decimal's digits.
    """
    if declared.name != found.name:
        return _is_narrower(declared, found) if assignable else False
    if declared.name == "Decimal":
        return _decimals(declared, found, assignable=assignable)
    wanted, actual = _parts(declared), _parts(found)
    if wanted and not actual:
        return None
    if wanted and [name for name, _ in wanted] != [name for name, _ in actual]:
        return False
    return _all(
        matches(one, other, assignable=assignable) for (_, one), (_, other) in zip(wanted, actual, strict=False)
    )


def _parts(type_: Type) -> list[tuple[str, Type]]:
    """What is inside a type: the fields of a struct, and elements, keys and values under a name that no field has."""
    return [*((f"{_QUOTED}{place}", arg) for place, arg in enumerate(type_.args)), *type_.fields]


def _decimals(declared: Type, found: Type, *, assignable: bool) -> bool | None:
    if declared.precision is None:
        return True
    if found.precision is None:
        return None
    wanted, actual = _digits(declared), _digits(found)
    return actual == wanted or (assignable and actual[0] <= wanted[0] and actual[1] <= wanted[1])


def _digits(decimal: Type) -> tuple[int, int]:
    """Digits before and after the point."""
    scale = decimal.scale or 0
    return (decimal.precision or 0) - scale, scale


def _is_narrower(declared: Type, found: Type) -> bool | None:
    """Whether a number of another kind is held exactly by the declared one."""
    if declared.name == "Float64" and found.name == "Float32":
        return True
    bits = _INTEGERS.get(found.name) or _UNSIGNED.get(found.name)
    if bits is None:
        return False
    magnitude = bits - (found.name in _INTEGERS)
    if declared.name == "Decimal":
        return declared.precision is None or 10 ** _digits(declared)[0] > 2**magnitude
    if declared.name in _INTEGERS:
        return magnitude < _INTEGERS[declared.name]
    if declared.name in _UNSIGNED:
        return found.name in _UNSIGNED and bits < _UNSIGNED[declared.name]
    return magnitude <= _FLOATS.get(declared.name, -1)


def _all(verdicts: Iterable[bool | None]) -> bool | None:
    """False when one is, unknown when one is, else true."""
    known = list(verdicts)
    return False if False in known else None if None in known else True


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = deque(_tokens(text))
        self.depth = 0

    def type(self) -> Type:
        """One type, with what its brackets hold."""
        name = self.tokens.popleft() if self.tokens else ""
        if name not in NAMES:
            raise UnknownTypeError(f"{_shown(self.text)}: {self._unknown(name)}")
        if name == "Decimal" and self._take("("):
            return self._decimal()
        if name in SIMPLE or name == "Decimal" or not self._take("<"):
            return Type(name)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise UnknownTypeError(f"{_shown(self.text)}: nested more than {MAX_DEPTH} deep.")
        found = self._struct() if name == "Struct" else Type(name, args=self._args(name))
        self._expect(">")
        self.depth -= 1
        return found

    def end(self) -> None:
        """Refuse what follows a whole type."""
        if self.tokens:
            raise UnknownTypeError(f"{_shown(self.text)}: nothing may follow the type, and {self.tokens[0]!r} does.")

    def _decimal(self) -> Type:
        precision = self._number()
        scale = self._number() if self._take(",") else 0
        self._expect(")")
        if not 1 <= precision <= MAX_PRECISION or scale > precision:
            raise UnknownTypeError(
                f"{_shown(self.text)}: a Decimal has 1 to {MAX_PRECISION} digits, and no more of them after the point."
            )
        return Type("Decimal", precision, scale)

    def _args(self, name: str) -> tuple[Type, ...]:
        args = [self.type()]
        while self._take(","):
            args.append(self.type())
        if len(args) != _PARTS[name]:
            wanted = "one type, its element's" if name == "Array" else "two types, its key's and its value's"
            raise UnknownTypeError(f"{_shown(self.text)}: {name} takes {wanted}; got {len(args)}.")
        return tuple(args)

    def _struct(self) -> Type:
        fields = [self._field()]
        while self._take(","):
            fields.append(self._field())
        names = [name for name, _ in fields]
        if len(set(names)) < len(names):
            raise UnknownTypeError(f"{_shown(self.text)}: a Struct has no two fields of one name.")
        return Type("Struct", fields=tuple(fields))

    def _field(self) -> tuple[str, Type]:
        name = self.tokens.popleft() if self.tokens else ""
        if not name or name in set("(),<>:"):
            raise UnknownTypeError(f"{_shown(self.text)}: a Struct is written `Struct<name: Type, …>`.")
        self._expect(":")
        return name.removeprefix(_QUOTED), self.type()

    def _number(self) -> int:
        if not self.tokens or not self.tokens[0].isdigit():
            raise UnknownTypeError(
                f"{_shown(self.text)}: a Decimal is written `Decimal(digits, digits after the point)`."
            )
        return int(self.tokens.popleft()[:4])

    def _take(self, mark: str) -> bool:
        if self.tokens and self.tokens[0] == mark:
            self.tokens.popleft()
            return True
        return False

    def _expect(self, mark: str) -> None:
        if not self._take(mark):
            found = repr(self.tokens[0]) if self.tokens else "the end"
            raise UnknownTypeError(f"{_shown(self.text)}: expected {mark!r}, found {found}.")

    def _unknown(self, name: str) -> str:
        if not name:
            return "a type is missing."
        same = [known for known in NAMES if known.lower() == name.lower()]
        meant = f" Did you mean {same[0]!r}?" if same else did_you_mean(name, NAMES)
        return f"{name.removeprefix(_QUOTED)!r} is no type.{meant}"


def _tokens(text: str) -> list[str]:
    """Names, digits and marks; what stood in quotes begins with `_QUOTED`, so that it is no name of a type."""
    tokens = []
    place = 0
    text = text.strip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise UnknownTypeError(f"{_shown(text)}: {text[place:].lstrip()[0]!r} cannot stand in a type.")
        quoted = match[3]
        tokens.append(_QUOTED + quoted.replace('""', '"') if quoted is not None else match[match.lastindex or 0])
        place = match.end()
    return tokens


def _shown(text: str) -> str:
    return f"type {text[:80]!r}"


def _field_name(name: str) -> str:
    return name if _NAME.fullmatch(name) else '"' + name.replace('"', '""') + '"'
