"""`dagster-contracts check`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """The forms that a report is printed in."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    JUNIT = "junit"


class FailOn(StrEnum):
    """The mildest finding that makes the command exit with 1."""

    ERROR = "error"
    WARNING = "warning"
    UNVERIFIED = "unverified"


def check(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="A project's folder, or models, contracts and folders of it.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="The project's contracts.toml.")] = None,
    select: Annotated[
        list[str] | None, typer.Option(help="Models by name; * for any letters, + before or after for relatives.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to print what was found.")] = Format.TEXT,
    strict: Annotated[bool, typer.Option("--strict", help="What cannot be verified is an error.")] = False,
    fail_on: Annotated[FailOn, typer.Option(help="The mildest finding that exits with 1.")] = FailOn.ERROR,
) -> None:
    """Check contracts, without a warehouse and without data."""
    from dagster_contracts.diagnostics.formats import render  # noqa: PLC0415  (not for --help)
    from dagster_contracts.sql.run import Options, run_check  # noqa: PLC0415

    report = run_check(Options(tuple(paths or ()), config, tuple(select or ()), True if strict else None))
    colour = form is Format.TEXT and sys.stdout.isatty()
    typer.echo(render(report, form.value, fail_on=fail_on.value, colour=colour), nl=False)
    raise typer.Exit(report.exit_code(fail_on.value))
