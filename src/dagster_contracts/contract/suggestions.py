"""What the writer of an unknown name may have meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence that offers the nearest known name, or the known names, or nothing."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    if near:
        return f" Did you mean {near[0]!r}?"
    return f" Known: {', '.join(map(repr, names[:10]))}." if names else ""
