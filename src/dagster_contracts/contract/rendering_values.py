"""Values, lists and names as the short texts that `rendering` is made of."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT_WIDTH = 500
"""Where everything else ends, so that no pattern and no docstring floods a page."""

_MICROSECONDS = {"d": 86_400_000_000, "h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000, "ms": 1_000, "us": 1}


def listed(items: Sequence[str], room: int, noun: str = "values") -> str:
    """The items that fit, and how many more there are; a lone item is never left out."""
    whole = ", ".join(items)
    if len(whole) <= room or len(items) == 1:
        return whole
    for shown in range(min(len(items), room) - 1, 0, -1):
        text = f"{', '.join(items[:shown])}, +{len(items) - shown} more"
        if len(text) <= room:
            return text
    return f"{len(items)} {noun}"


def quoted(value: object) -> str:
    """A value of a list; in quotes where it could be taken for more than one, or for none."""
    text = one_line(as_text(value))
    plain = text == text.strip() and text and not set(text) & set(",()\"'")
    return text if plain else f'"{text}"'


def as_text(value: object) -> str:
    """A value as its column's author would write it."""
    match value:
        case None:
            return "null"
        case dt.datetime():
            return value.isoformat(sep=" ").replace("+00:00", "Z")
        case dt.timedelta():
            return _duration(value)
        case Decimal():
            return f"{value:f}"
    return str(value)


def _duration(value: dt.timedelta) -> str:
    """In the language of Polars' durations, such as `1d12h`, in which a resolution is written too."""
    rest = abs(value) // dt.timedelta(microseconds=1)
    text = "-" if value < dt.timedelta() else ""
    for unit, size in _MICROSECONDS.items():
        count, rest = divmod(rest, size)
        text += f"{count}{unit}" if count else ""
    return text or "0s"


def in_words(rule: str) -> str:
    """A rule's name with spaces, where it has underscores."""
    return one_line(" ".join(rule.replace("_", " ").split())) or rule


def one_line(text: str, width: int = TEXT_WIDTH) -> str:
    """One line of at most `width` characters, in which what cannot be printed is written as Python writes it."""
    line = text if text.isprintable() else "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
    return line if len(line) <= width else f"{line[: width - 1]}…"
