"""`dagster-contracts explain CODE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from dagster_contracts.cli.options import Commands


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("explain", help="say what a code means and what to do about it", allow_abbrev=False)
    parser.add_argument("code", metavar="CODE", help="such as E012")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Print a code's page."""
    from dagster_contracts.diagnostics.codes import explain  # noqa: PLC0415

    print(explain(arguments.code).rstrip())  # noqa: T201
    return 0
