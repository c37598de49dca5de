"""Where each key and value of a TOML text stands, which `tomllib` does not say.

The text has been read by `tomllib` before, so that this scanner meets valid TOML only.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from typing import NamedTuple, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""The keys and array indices that lead to a value."""


class Place(NamedTuple):
    """A range of a text; lines and columns from 1, the last column exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Places(NamedTuple):
    """Where a key and its value stand; an array's element has no key of its own."""

    key: Place
    value: Place


_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BASIC = re.compile(r'"(?:[^"\\]|\\.)*"')
_LITERAL = re.compile(r"'[^']*'")
_LONG = re.compile(r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}|\'\'\'(?:[^\']|\'(?!\'\'))*\'{3,5}')
_PLAIN = re.compile(r"[^,\]}#\n]*")


def find_places(text: str) -> dict[Path, Places]:
    """Where every key and value of a valid TOML text stands, by its path.

    Args:
        text: The text, with line feeds alone between its lines.
    """
    scanner = _Scanner(text)
    scanner.document()
    return scanner.found


class _Scanner:
    """Goes through a text once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Path, Places] = {}
        self.last: dict[Path, int] = {}  # the last index of each array of tables
        self.lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def document(self) -> None:
        """Every table and pair of the document."""
        base: Path = ()
        while self._blank() < len(self.text):
            if self.text[self.at] == "[":
                base = self._header()
            else:
                self._pair(base)

    def _header(self) -> Path:
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        keys = self._keys()
        path: Path = ()
        for part, _, _ in keys[:-1]:
            path = (*path, part)
            path = (*path, self.last[path]) if path in self.last else path
        path = (*path, keys[-1][0])
        if brackets == 2:  # noqa: PLR2004  (two open an array's table)
            self.last[path] = self.last.get(path, -1) + 1
            path = (*path, self.last[path])
        self._blank()
        self.at += brackets
        place = self._place(keys[0][1], keys[-1][2])
        for known in (path[:-1], path) if isinstance(path[-1], int) else (path,):
            self.found.setdefault(known, Places(place, place))
        return path

    def _pair(self, base: Path) -> None:
        keys = self._keys()
        path: Path = (*base, *(part for part, _, _ in keys))
        key = self._place(keys[0][1], keys[-1][2])
        for length in range(len(base) + 1, len(path)):
            self.found.setdefault(path[:length], Places(key, key))
        self._blank()
        self.at += 1  # =
        self._value(path, key)

    def _keys(self) -> list[tuple[str, int, int]]:
        """The parts of a dotted key, each with its range."""
        parts = []
        while True:
            start = self._blank()
            quoted = self.text[start] in "\"'"
            raw = self._take(_BARE, _BASIC, _LITERAL)
            parts.append((tomllib.loads(f"k = {raw}")["k"] if quoted else raw, start, self.at))
            if self.text[self._blank()] != ".":
                return parts
            self.at += 1

    def _value(self, path: Path, key: Place | None) -> None:
        start = self._blank()
        if self.text[start] == "[":
            self._items(path)
        elif self.text[start] == "{":
            self._pairs(path)
        elif self.text[start] in "\"'":
            self._take(_LONG, _BASIC, _LITERAL)
        else:
            self.at = start + len(self._take(_PLAIN).rstrip())
        value = self._place(start, self.at)
        self.found[path] = Places(key or value, value)

    def _items(self, path: Path) -> None:
        self.at += 1
        index = 0
        while self.text[self._blank()] != "]":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._value((*path, index), None)
            index += 1
        self.at += 1

    def _pairs(self, path: Path) -> None:
        self.at += 1
        while self.text[self._blank()] != "}":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._pair(path)
        self.at += 1

    def _blank(self) -> int:
        """Pass blanks and comments; where that leads."""
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    def _take(self, *patterns: re.Pattern[str]) -> str:
        """Pass the first pattern that fits, and return what it matched."""
        for pattern in patterns:
            match = pattern.match(self.text, self.at)
            if match:
                self.at = match.end()
                return match[0]
        raise AssertionError(f"no TOML at {self.at}")

    def _place(self, start: int, end: int) -> Place:
        first, last = bisect_right(self.lines, start), bisect_right(self.lines, end)
        return Place(first, start - self.lines[first - 1] + 1, last, end - self.lines[last - 1] + 1)
