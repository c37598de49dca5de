"""A report as a person reads it: each finding points into both files, with the span underlined and a hint."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from dagster_contracts.diagnostics.words import counts, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dagster_contracts.diagnostics.finding import Diagnostic, FailOn, Report, Span, Witness

Piece = tuple[str, str]
"""A text and its style."""
Line = list[Piece]

_STYLES = {"error": "bold red", "warning": "bold yellow", "info": "bold cyan"}
_FRAME, _STRONG, _PLAIN = "bold blue", "bold", ""
_WIDEST, _SHOWN_CELL = 160, 40


def render(report: Report, *, fail_on: FailOn = "error", colour: bool = False) -> str:
    """Every finding and, as the last line, how many promises ended how.

    Args:
        report: The report.
        fail_on: The mildest finding that the command exits with 1 for.
        colour: Whether to colour it for a terminal.
    """
    lines: list[Line] = []
    for found in report.diagnostics:
        lines += [*_finding(found, report.texts), []]
    lines.append([(counts(report, fail_on), _STYLES["error"] if report.summary.broken else _STRONG)])
    return _coloured(lines) if colour else "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


def _coloured(lines: Iterable[Line]) -> str:
    from rich.console import Console  # noqa: PLC0415  (slow to import, needed on a terminal only)
    from rich.text import Text  # noqa: PLC0415

    console = Console(force_terminal=True, color_system="standard", soft_wrap=True, highlight=False)
    with console.capture() as captured:
        for line in lines:
            console.print(Text.assemble(*line), soft_wrap=True)
    return captured.get()


def _finding(found: Diagnostic, texts: Mapping[str, str]) -> Iterator[Line]:
    style = _STYLES[found.severity]
    name = found.model if found.column is None else f"{found.model}.{found.column}"
    yield [(f"{found.severity}[{found.code}]", style), (f": {visible(name)}: {_one_line(found.message)}", _STRONG)]
    spans = [span for span in (found.source, found.contract) if span is not None]
    margin = max([len(str(span.line)) for span in spans], default=1)
    for number, span in enumerate(spans):
        yield from _excerpt(span, texts.get(span.file), margin, first=number == 0, style=style)
    notes = [("because", reason) for reason in found.reasons] + ([("hint", found.hint)] if found.hint else [])
    for word, note in notes:
        yield [(" " * margin, _PLAIN), (" = ", _FRAME), (f"{word}: ", _STRONG), (_one_line(note), _PLAIN)]
    if found.witness is not None:
        yield [(" " * margin, _PLAIN), (" = ", _FRAME), ("rows that prove it:", _STRONG)]
        yield from ([(f"{' ' * (margin + 4)}{row}", _PLAIN)] for row in _witness(found.witness))


def _excerpt(span: Span, text: str | None, margin: int, *, first: bool, style: str) -> Iterator[Line]:
    """The line that a span begins in, underlined: by carets where it is broken, by dashes where it was promised."""
    arrow = "-->" if first else ":::"
    yield [(" " * margin + arrow, _FRAME), (f" {visible(span.file)}:{span.line}:{span.column}", _PLAIN)]
    lines = [] if text is None else text.split("\n")
    if not 1 <= span.line <= len(lines):
        return
    line = lines[span.line - 1].rstrip("\r")
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    shown, before, under = _underlined(line, span.column - 1, end)
    mark = "^" if first else "-"
    yield [(" " * margin + " |", _FRAME)]
    yield [(f"{span.line:>{margin}} | ", _FRAME), (shown, _PLAIN)]
    more = f" and {span.end_line - span.line} more lines" if span.end_line > span.line else ""
    yield [(" " * margin + " | ", _FRAME), (" " * before + mark * under + more, style if first else _FRAME)]


def _underlined(line: str, start: int, end: int) -> tuple[str, int, int]:
    """A line as a terminal shows it, the columns before its underlined part and the columns of that."""
    start, end = min(start, len(line)), min(max(end, start + 1), max(len(line), start + 1))
    left = max(0, min(start - 20, len(line) - _WIDEST)) if len(line) > _WIDEST else 0
    right = min(len(line), left + _WIDEST)
    head, marked, tail = line[left:start], line[start : min(end, right)], line[min(end, right) : right]
    cut, more = "…" if left else "", "…" if right < len(line) else ""
    parts = [_on_terminal(part) for part in (cut + head, marked, tail + more)]
    return "".join(parts), _width(parts[0]), max(_width(parts[1]), 1)


def _on_terminal(text: str) -> str:
    return visible(text.replace("\t", "    "))


def _width(text: str) -> int:
    """How many columns of a terminal a text takes: wide letters take two, combining marks none."""
    wide = {"W": 2, "F": 2}
    return sum(0 if unicodedata.combining(char) else wide.get(unicodedata.east_asian_width(char), 1) for char in text)


def _witness(witness: Witness) -> Iterator[str]:
    for table, rows in witness.inputs.items():
        yield from [visible(table), *(f"  {line}" for line in _table(rows))]
    yield from ["output", *(f"  {line}" for line in _table([witness.output]))]


def _table(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """Rows under their columns' names."""
    if not rows:
        return ["(no rows)"]
    names = list(rows[0])
    cells = [names, *([_cell(row.get(name)) for name in names] for row in rows)]
    cells = [[_one_line(cell) for cell in row] for row in cells]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(_pad(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN_CELL else f"{text[: _SHOWN_CELL - 1]}…"


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _one_line(text: str) -> str:
    return visible(text.replace("\n", " "))
