"""Rows that raise when they are read, one for each way; of most of them a method that nobody needs to call raises, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import BaseModel

METHODS = ("keys", "items", "values", "get", "copy", "__getitem__", "__iter__", "__len__", "__contains__", "__bool__",
           "__eq__", "__hash__", "__repr__", "__str__", "__getattr__", "__getattribute__")  # fmt: skip
VALUES = {"id": 1, "note": "a"}


class Broken(Exception):
    """What all of them raise."""


def raises(*_: object, **__: object) -> Any:
    raise Broken("a row's own code")


class Plain(Mapping[str, Any]):
    """A mapping that is no dict, and whole."""

    def __getitem__(self, key: str) -> Any:
        return VALUES[key]

    def __iter__(self) -> Iterator[str]:
        return iter(VALUES)

    def __len__(self) -> int:
        return len(VALUES)


@dataclass
class Record:
    id: int = 1
    note: str = "a"

    def __getattribute__(self, name: str) -> Any:
        return raises() if name == "note" else object.__getattribute__(self, name)


class Model(BaseModel):
    id: int = 1
    note: str = "a"

    def __getattribute__(self, name: str) -> Any:
        return raises() if name == "note" else super().__getattribute__(name)


class Named(NamedTuple):
    id: int = 1
    note: str = "a"


class BrokenNamed(Named):
    __iter__ = raises


class Triples(dict[str, Any]):
    def items(self) -> Any:
        return [("id", 1, "more")]


class Hidden(Plain):
    __class__ = property(raises)  # type: ignore[assignment]


def mappings(base: type) -> dict[str, Callable[[], Any]]:
    """A mapping for each of the methods, which raises."""
    classes = {method: type(f"No_{method}", (base,), {method: raises}) for method in METHODS}
    return {f"{base.__name__}.{method}": (cls if base is Plain else lambda cls=cls: cls(VALUES)) for method, cls in classes.items()}  # type: ignore[misc]  # fmt: skip


BROKEN_ROWS: dict[str, Callable[[], Any]] = {
    **mappings(Plain),
    **mappings(dict),
    "dataclass": Record,
    "pydantic": Model,
    "named tuple": BrokenNamed,
    "items of three": lambda: Triples(VALUES),
    "class": Hidden,
}
UNREADABLE = {
    *("Plain.items", "Plain.__getitem__", "Plain.__iter__", "Plain.__getattribute__"),
    *("dict.items", "dict.__getattribute__", "dataclass", "pydantic", "named tuple", "items of three", "class"),
}
"""Those of which no way leads to the values; the others are rows."""
