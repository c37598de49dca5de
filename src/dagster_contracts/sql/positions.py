"""Places in files, as spans that findings carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.diagnostics.finding import Span

if TYPE_CHECKING:
    from dagster_contracts.contract.toml_places import Place


def span_at(file: str, place: Place) -> Span:
    """A place of a TOML file as a span."""
    return Span(file, *place)


def span_of(file: str, text: str, start: int, end: int) -> Span:
    """A range of characters of a text as a span.

    Args:
        file: The text's file.
        text: The whole text.
        start: The first character, from 0.
        end: One past the last.
    """
    start, end = max(0, min(start, len(text))), max(0, min(end, len(text)))
    line, column = _line_and_column(text, start)
    return Span(file, line, column, *_line_and_column(text, max(start, end)))


def start_of(file: str) -> Span:
    """The first letter of a file, for what is wrong with the whole of it."""
    return Span(file, 1, 1, 1, 1)


def _line_and_column(text: str, at: int) -> tuple[int, int]:
    before = text.count("\n", 0, at)
    return before + 1, at - (text.rfind("\n", 0, at) + 1) + 1
