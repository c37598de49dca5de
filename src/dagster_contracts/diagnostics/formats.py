"""The forms that a report is printed in, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from dagster_contracts.diagnostics.finding import FailOn, Report

Format: TypeAlias = Literal["text", "json", "sarif", "github", "junit"]


def render(report: Report, form: Format = "text", *, fail_on: FailOn = "error", colour: bool = False) -> str:
    """A report as text of one form, with a line feed at its end.

    Args:
        report: The report.
        form: The form.
        fail_on: The mildest finding that the command exits with 1 for, and that JUnit shall count as a failure.
        colour: Whether `"text"` is printed on a terminal that has colours.
    """
    # Only what is printed is imported: the text needs no parser of XML.
    if form == "text":
        from dagster_contracts.diagnostics import text  # noqa: PLC0415

        return text.render(report, fail_on=fail_on, colour=colour)
    from dagster_contracts.diagnostics import github, json, junit, sarif  # noqa: PLC0415

    if form == "junit":
        return junit.render(report, fail_on)
    if form == "github":
        return github.render(report, fail_on)
    return json.render(report) if form == "json" else sarif.render(report)
