"""Sentences that several outputs share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagster_contracts.diagnostics.finding import FailOn, Report


def counts(report: Report, fail_on: FailOn = "error") -> str:
    """The last line: how many promises ended how, and that broken ones are not what the command exits by."""
    summary = report.summary
    is_let_pass = summary.broken and not report.exit_code(fail_on)
    how = " (by warnings alone, which exit with 0; with 1 by --fail-on warning)" if is_let_pass else ""
    return f"{held(report)}, {summary.broken} broken{how}, {summary.not_verified} not verified"


def held(report: Report) -> str:
    """How many promises were held."""
    return f"{report.summary.held} promise{'' if report.summary.held == 1 else 's'} held"


def visible(text: str) -> str:
    """A text without what a terminal would obey: every control character but the line feed as its escape."""
    return "".join(
        char if char == "\n" or char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
