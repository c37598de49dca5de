"""The values to try in the search for a witness: few of each type, so that keys meet, and what queries compare with."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dagster_contracts.contract.types import Type

_INTEGERS = ("0", "1", "2")
_DATES = ("'2024-01-01'", "'2024-01-02'")
_SIMPLE = {
    "Boolean": ("true", "false"),
    "Float32": ("0", "1", "2.5", "-1"),
    "Float64": ("0", "1", "2.5", "-1"),
    "Decimal": ("0", "1", "2"),
    "String": ("'a'", "'b'", "''", "'1'"),
    "Binary": ("'a'::BLOB", "''::BLOB"),
    "Date": (*_DATES, "'infinity'"),
    "Time": ("'00:00:00'", "'12:30:00'"),
    "Timestamp": ("'2024-01-01 00:00:00+00'", "'2024-01-02 12:00:00+00'", "'infinity'"),
    "TimestampNtz": ("'2024-01-01 00:00:00'", "'2024-01-02 12:00:00'", "'infinity'"),
    "Interval": ("INTERVAL 1 DAY", "INTERVAL 0 DAY"),
    "Uuid": ("'00000000-0000-0000-0000-000000000001'", "'00000000-0000-0000-0000-000000000002'"),
    "Json": ("'{}'", "'null'", "'[1]'"),
}
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Constants:
    """What queries compare with.

    Args:
        numbers: Their numbers, and those just beside them.
        strings: Their strings, as literals.
        infinite: Whether their dialect has infinite dates.
    """

    numbers: tuple[str, ...]
    strings: tuple[str, ...]
    infinite: bool


def constants_of(queries: Iterable[exp.Query], *, infinite: bool) -> Constants:
    """The constants of some queries."""
    numbers: dict[str, None] = {}
    strings: dict[str, None] = {}
    for query in queries:
        for literal in query.find_all(exp.Literal):
            if literal.is_string:
                for text in (literal.name, literal.name.strip("%")):
                    strings[exp.Literal.string(text).sql(dialect="duckdb")] = None
            else:
                for number in _around(literal.name):
                    numbers[number] = None
    return Constants(tuple(numbers), tuple(strings), infinite)


def _around(text: str) -> list[str]:
    """A number, the next and the one before."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return []
    return [format(near, "f") for near in (number, number + 1, number - 1)]


def literals_of(of: Type, constants: Constants) -> list[str]:
    """The values to try of one type, as DuckDB writes them; none where it is not known how."""
    if of.name == "Array":
        inside = literals_of(of.args[0], constants) if of.args else []
        return ["[]", "[NULL]", f"[{inside[0]}]", f"[{inside[-1]}, NULL]"] if inside else []
    if of.name == "Map":
        parts = [literals_of(inner, constants) for inner in of.args]
        return [f"MAP {{{parts[0][0]}: {parts[1][0]}}}", "MAP {}"] if len(parts) > 1 and all(parts) else []
    if of.name == "Struct":
        return _structs(of, constants)
    if of.name.startswith(("Int", "UInt")) and of.name != "Interval":
        unsigned = of.name.startswith("U")
        whole = [number for number in constants.numbers if "." not in number and not (unsigned and "-" in number)]
        return list(dict.fromkeys([*_INTEGERS, *whole]))
    found = list(_SIMPLE.get(of.name, ()))
    if of.name in {"Float32", "Float64", "Decimal"}:
        found += constants.numbers
    elif of.name == "String":
        found += constants.strings
    elif of.name in {"Date", "Timestamp", "TimestampNtz"}:
        found += [text for text in constants.strings if _DATE.match(text[1:])]
        found = [text for text in found if constants.infinite or text != "'infinity'"]
    elif of.name == "Json":
        found += _documents(constants.strings)
    return list(dict.fromkeys(found))


def _structs(of: Type, constants: Constants) -> list[str]:
    """Structs whose fields are all there, and all NULL."""
    parts = [(name, literals_of(inner, constants)) for name, inner in of.fields]
    if not parts or not all(values for _, values in parts):
        return []
    whole = ", ".join(f"{exp.Literal.string(name).sql()}: {values[0]}" for name, values in parts)
    empty = ", ".join(f"{exp.Literal.string(name).sql()}: NULL" for name, _ in parts)
    return [f"{{{whole}}}", f"{{{empty}}}"]


def _documents(strings: Sequence[str]) -> list[str]:
    """JSON objects that have the keys which the query may ask for."""
    names = [re.sub(r"\W", "", text) for text in strings]
    return [f"""'{{"{name}": {value}}}'""" for name in names[:8] if name for value in ("1", "null")]


def shown(value: Any) -> Any:
    """A value as a report shows it: JSON's own kinds as they are, everything else as text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    if isinstance(value, dict):
        return {str(key): shown(item) for key, item in value.items()}
    if isinstance(value, dt.date):
        day = value.date() if isinstance(value, dt.datetime) else value
        if day in {dt.date.max, dt.date.min}:
            return "infinity" if day == dt.date.max else "-infinity"
    return str(value)
