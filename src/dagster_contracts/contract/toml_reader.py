"""TOML read strictly: what nobody knows is a problem with its place, never passed over."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.contract.toml_places import Path, Place, Places, find_places

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_START = Place(1, 1, 1, 1)
_DECODER_PLACE = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)")


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a file.

    Args:
        message: What, in one sentence.
        place: Where; the file's first letter where the whole of it is meant.
        hint: What to do about it.
    """

    message: str
    place: Place = _START
    hint: str | None = None


@dataclass
class Reader:
    """Reads a document's values by their paths, and collects what is wrong with them.

    Args:
        values: The document.
        places: Where each of its keys and values stands.
        problems: What was found so far.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[Path, Places] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def place(self, *path: str | int) -> Place:
        """Where a value stands, or the nearest thing around it that has a place."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places[path].value if path else _START

    def report(self, message: str, *path: str | int, hint: str | None = None) -> None:
        """Note a problem with a value."""
        self.problems.append(Problem(message, self.place(*path), hint))

    def keys(self, known: Collection[str], *path: str | int, what: str) -> None:
        """Note every key of a table that is not known.

        Args:
            known: The keys that may be there.
            path: The table's path.
            what: What the table is, for the message.
        """
        table = self._get(path)
        for key in table if isinstance(table, dict) else ():
            if key not in known:
                place = self.places[*path, key].key if (*path, key) in self.places else self.place(*path)
                kind = "section" if isinstance(table[key], (dict, list)) and not path else "key"
                self.problems.append(Problem(f"{what} has no {kind} {key!r}.", place, did_you_mean(key, known).strip()))

    def text(self, *path: str | int) -> str | None:
        """A text that is not empty; `None` where there is none."""
        value = self.prose(*path)
        if value is not None and not value.strip():
            self.report(f"{_named(path)} is empty.", *path)
            return None
        return value

    def prose(self, *path: str | int) -> str | None:
        """A text that may be empty; `None` where there is none."""
        value: str | None = self._of(str, "a text", path)
        return value

    def flag(self, *path: str | int) -> bool | None:
        """True or false; `None` where there is neither."""
        value: bool | None = self._of(bool, "true or false", path)
        return value

    def texts(self, *path: str | int) -> list[tuple[str, Place]]:
        """A list of texts, each with its place; none twice."""
        values = self._of(list, "a list of texts", path) or []
        found: dict[str, Place] = {}
        for index, value in enumerate(values):
            if not isinstance(value, str) or not value.strip():
                self.report(f"{_named(path)} is a list of names; {value!r:.60} is none.", *path, index)
            elif value in found:
                self.report(f"{_named(path)} has {value!r} twice.", *path, index)
            else:
                found[value] = self.place(*path, index)
        return list(found.items())

    def table(self, *path: str | int) -> Mapping[str, Any]:
        """A table; empty where there is none."""
        value = self._of(dict, "a table", path)
        return {} if value is None else value

    def tables(self, *path: str | int) -> list[int]:
        """The indices of the tables in an array of tables."""
        values = self._of(list, f"written [[{'.'.join(map(str, path))}]], once for each", path) or []
        for index, value in enumerate(values):
            if not isinstance(value, dict):
                self.report(f"{_named(path)} is a list of tables; {value!r:.60} is none.", *path, index)
        return [index for index, value in enumerate(values) if isinstance(value, dict)]

    def choice(self, known: Collection[str], *path: str | int) -> str | None:
        """A text out of a few; `None` where there is none."""
        value = self.text(*path)
        if value is not None and value not in known:
            self.report(f"{_named(path)} cannot be {value!r}.", *path, hint=did_you_mean(value, known).strip())
            return None
        return value

    def _of(self, kind: type, wanted: str, path: Path) -> Any:
        value = self._get(path)
        if value is None or type(value) is kind:
            return value
        self.report(f"{_named(path)} must be {wanted}; got {value!r:.60}.", *path)
        return None

    def _get(self, path: Path) -> Any:
        value: Any = self.values
        for part in path:
            if isinstance(part, int):
                value = value[part] if isinstance(value, list) else None
            else:
                value = value.get(part) if isinstance(value, dict) else None
        return value


def read_toml(text: str) -> Reader:
    """Read a TOML text; one that is none gives an empty reader with the problem."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        values = tomllib.loads(text)
        return Reader(values, find_places(text))
    except RecursionError:
        return Reader(problems=[Problem("This is no TOML that can be read: it is nested too deeply.")])
    except ValueError as error:
        return Reader(problems=[_decode_problem(str(error), text)])


def _decode_problem(message: str, text: str) -> Problem:
    """What the decoder says, at the place it says."""
    found = _DECODER_PLACE.search(message)
    words = _DECODER_PLACE.sub("", message).strip()
    lines = text.split("\n")
    if found is None:
        place = _START
    elif found[1] is None:
        place = Place(len(lines), len(lines[-1]) + 1, len(lines), len(lines[-1]) + 1)
    else:
        place = Place(int(found[1]), int(found[2]), int(found[1]), int(found[2]) + 1)
    return Problem(f"This is no TOML: {words}.", place)


def _named(path: Path) -> str:
    """A path as a reader writes it."""
    return "`" + ".".join(str(part) for part in path if isinstance(part, str)) + "`"
