"""What the writer of an unknown name may have meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that an unknown one may have been meant for."""
    return next(iter(get_close_matches(name, list(known), n=1)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence that offers the nearest known name, or the known names, or nothing."""
    names = list(known)
    near = nearest(name, names)
    if near is not None:
        return f" Did you mean {near!r}?"
    return f" Known: {', '.join(map(repr, names[:10]))}." if names else ""
