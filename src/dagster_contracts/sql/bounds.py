"""The bounds of a partition in a model's text: `@partition_start`, `@partition_end` and `@partition_key`.

A run puts its own values there. A check, which has no run, puts others of the same type and of the same length, so
that every place in the text stays where it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

STAND_INS = {
    "@partition_start": "TIMESTAMP'epoch'",
    "@partition_end": "TIMESTAMP'inf'",
    "@partition_key": "'____________'",
}
_SKIPPED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/"
_TOKEN = re.compile(rf"{_SKIPPED}|(@partition_(?:start|end|key))\b", re.DOTALL | re.IGNORECASE)


def find_bounds(sql: str) -> frozenset[str]:
    """The bounds that a query asks for, in small letters."""
    return frozenset(match[1].lower() for match in _TOKEN.finditer(sql) if match[1])


def put_bounds(sql: str, values: Mapping[str, str]) -> str:
    """Put values in the places of bounds; those in texts, quoted names and comments are left.

    Args:
        sql: The query.
        values: Each bound's value as a SQL literal.
    """
    return _TOKEN.sub(lambda match: values[match[1].lower()] if match[1] else match[0], sql)
