"""`dagster-contracts explain CODE`."""

from __future__ import annotations

from typing import Annotated

import typer

from dagster_contracts.diagnostics import codes


def explain(code: Annotated[str, typer.Argument(help="Such as E012.", metavar="CODE")]) -> None:
    """Say what a code means and what to do about it."""
    typer.echo(codes.explain(code))
