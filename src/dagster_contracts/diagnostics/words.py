"""Sentences that several outputs share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagster_contracts.diagnostics.finding import Report


def counts(report: Report) -> str:
    """The last line: how many promises ended how."""
    summary = report.summary
    return f"{held(report)}, {summary.broken} broken, {summary.not_verified} not verified"


def held(report: Report) -> str:
    """How many promises were held."""
    return f"{report.summary.held} promise{'' if report.summary.held == 1 else 's'} held"


def visible(text: str) -> str:
    """A text without what a terminal would obey: every control character but the line feed as its escape."""
    return "".join(
        char if char == "\n" or char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
