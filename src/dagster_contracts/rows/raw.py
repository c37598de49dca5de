"""A row as it arrived, as JSON for the quarantine: whatever is in it, and without failing."""

from __future__ import annotations

import contextlib
import json
import math
from typing import Any, Final

from dagster_contracts.rows.foreign import as_mapping, unwrapped
from dagster_contracts.rows.refused import Refused
from dagster_contracts.rows.text import MAX_DEPTH, as_text

_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_SIMPLE: Final = frozenset({type(None), bool, int, float, str})
_SHORT: Final = 3_000
"""So many bytes hold no integer that is written otherwise for its length."""


def raw_json(row: object) -> str:
    """A row as JSON text. What JSON cannot hold stands there as Python writes it."""
    if type(row) is dict and _SIMPLE.issuperset(map(type, row.values())) and {str}.issuperset(map(type, row)):
        with contextlib.suppress(ValueError):  # what JSON or UTF-8 cannot hold
            found = _ENCODE(row)
            if len(found.encode()) < _SHORT:
                return found
    try:
        return json.dumps(_shown(row, 0), ensure_ascii=False, allow_nan=False)
    except Exception:  # noqa: BLE001  (rows are anybody's objects)
        return json.dumps(f"<{type(row).__name__}>")


def _shown(value: Any, depth: int) -> Any:  # noqa: PLR0911  (one for each type of JSON's)
    """A value in JSON's types."""
    if depth > MAX_DEPTH:
        return "…"
    if value is None or isinstance(value, bool):
        return value
    if type(value) is str:
        return value.encode("utf-8", "backslashreplace").decode()
    if type(value) is int:
        return int(value) if value.bit_length() < 10_000 else hex(value)  # noqa: PLR2004  (Python writes no more digits)
    if type(value) is float:
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_asdict"):
        return [_shown(one, depth + 1) for one in value]
    return _of_object(value, depth)


def _of_object(value: Any, depth: int) -> Any:
    """A mapping, an object that stands for one, a value with a text of its own, or what Python writes of it."""
    try:
        mapping = as_mapping(value)
        if mapping is not None:
            return {str(_shown(str(key), 0)): _shown(one, depth + 1) for key, one in mapping.items()}
        plain = unwrapped(value)
        return _shown(plain, depth + 1) if plain is None or plain is not value else as_text(value)
    except Refused:
        return _written(value)
    except Exception:  # noqa: BLE001
        return _written(value)


def _written(value: object) -> str:
    """What Python writes of an object, or its type where that fails, too."""
    try:
        return repr(value).encode("utf-8", "backslashreplace").decode()
    except Exception:  # noqa: BLE001
        return f"<{type(value).__name__}>"
