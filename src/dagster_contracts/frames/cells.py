"""Values as the cells of a Dagster table: str, int, float, bool or None, bounded, and strict JSON."""

from __future__ import annotations

import json
import math
import re
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import repeat
from numbers import Integral, Real
from typing import TYPE_CHECKING, Final

import polars as pl

from dagster_contracts.frames.temporal import duration_text, temporal_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

Cell = str | int | float | bool | None

MASK: Final = "•••"
MAX_CELL_LENGTH: Final = 500
MAX_COLUMNS: Final = 100

_MAX_EXACT_INTEGER = 2**53
_MAX_DEPTH = 20
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def showable_rows(frame: pl.DataFrame, *, sensitive: Collection[str] = (), limit: int) -> list[dict[str, Cell]]:
    """The first rows of a frame as records for Dagster's table metadata.

    Args:
        frame: Any frame, of any dtypes. Only its first `limit` rows are looked at.
        sensitive: Columns whose cells are all shown as `MASK`, nulls too: not even what is missing leaks.
        limit: How many rows to show at most; none if it is not positive.

    Returns:
        One record per row, each with the same keys in the frame's order. A frame of more than `MAX_COLUMNS` columns
        shows the first `MAX_COLUMNS` of them and a last key such as `… 23 more columns`, whose cells are `…`.
    """
    head = frame.head(max(limit, 0))
    columns: dict[str, Iterator[Cell]] = {
        column.name: repeat(MASK) if column.name in sensitive else map(showable, _values(column))
        for column in head.get_columns()[:MAX_COLUMNS]
    }
    hidden = head.width - len(columns)
    if hidden > 0:
        columns[f"… {hidden} more column{'s' if hidden > 1 else ''}"] = repeat("…")
    return [{name: next(cells) for name, cells in columns.items()} for _ in range(head.height)]


def showable(value: object) -> Cell:
    """A value as one cell of a table in Dagster's metadata.

    Args:
        value: Anything: a Python value, a nested one, a Polars series.

    Returns:
        `None`, Booleans, integers up to 2**53 in magnitude and finite floats as they are; the rest as text of at most
        `MAX_CELL_LENGTH` characters, an ellipsis at its end if it was cut. NaN and infinities read `NaN`, `inf` and
        `-inf`; temporal values like ISO 8601, durations like Polars prints them; bytes like Python writes them; lists,
        dicts and series like JSON; other objects like their `repr`. Control characters other than tabs and line
        breaks, and lone surrogates, are written as escapes.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        number = int(value)
        return number if abs(number) <= _MAX_EXACT_INTEGER else _cut(_integer_text(number))
    if isinstance(value, Real):
        real = float(value)
        return real if math.isfinite(real) else "NaN" if math.isnan(real) else str(real)
    if isinstance(value, (dict, list, tuple, pl.Series)):
        return _cut(_joined(_pieces(value, 0)))
    return _cut(_leaf_text(value))


def _leaf_text(value: object) -> str:
    match value:
        case str():
            return str.__str__(value)
        case Decimal():
            return f"{value:f}" if abs(value.adjusted()) < MAX_CELL_LENGTH else str(value)
        case date() | time():
            return str(value)
        case timedelta():
            return duration_text(value // timedelta(microseconds=1), 10**6)
        case bytes() | bytearray():
            return repr(bytes(value[:MAX_CELL_LENGTH]))
        case _:
            return _repr(value)


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001  (an object that cannot describe itself must not fail the run that shows it)
        return f"<{type(value).__qualname__}>"


def _integer_text(number: int) -> str:
    # Python refuses decimal digits of very long integers; these are cut anyway.
    return str(number) if number.bit_length() < MAX_CELL_LENGTH * 4 else hex(number)


def _cut(text: str) -> str:
    clean = _UNREADABLE.sub(_escape, text[: MAX_CELL_LENGTH + 1])
    return clean if len(clean) <= MAX_CELL_LENGTH else clean[: MAX_CELL_LENGTH - 1] + "…"


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"  # noqa: PLR2004


def _joined(pieces: Iterable[str]) -> str:
    """The pieces as one text, asking for no more of them than a cell can hold."""
    text = ""
    for piece in pieces:
        text += piece
        if len(text) > MAX_CELL_LENGTH:
            break
    return text


def _pieces(value: object, depth: int) -> Iterator[str]:
    """A nested value as the pieces of a JSON-like text; lazy, so that a long list costs what is shown of it."""
    if depth > _MAX_DEPTH:
        yield '"…"'
    elif isinstance(value, dict):
        yield "{"
        for index, (key, item) in enumerate(value.items()):
            yield (", " if index else "") + json.dumps(str(showable(key)), ensure_ascii=False) + ": "
            yield from _pieces(item, depth + 1)
        yield "}"
    elif isinstance(value, (list, tuple, pl.Series)):
        yield "["
        items = _values(value.head(MAX_CELL_LENGTH)) if isinstance(value, pl.Series) else value
        for index, item in enumerate(items):
            yield ", " if index else ""
            yield from _pieces(item, depth + 1)
        yield "]"
    else:
        yield json.dumps(showable(value), ensure_ascii=False)


def _values(series: pl.Series) -> Iterator[object]:
    """A series value by value: temporal ones as texts, lists as series, structs as dicts, the rest as Polars has it."""
    dtype = series.dtype
    if dtype.is_temporal():
        return (None if value is None else temporal_text(value, dtype) for value in series.to_physical())
    if isinstance(dtype, pl.Struct):
        return _struct_values(series)
    if isinstance(dtype, pl.BaseExtension):
        return _values(series.ext.storage())
    if hasattr(pl, "Map") and isinstance(dtype, pl.Map):
        return iter(series.map.entries())
    return iter(series)


def _struct_values(series: pl.Series) -> Iterator[object]:
    fields = {field.name: _values(field) for field in series.struct.unnest().get_columns()}
    for is_null in series.is_null():
        record = {name: next(values) for name, values in fields.items()}
        yield None if is_null else record
