"""The commands, and what each ends with: 0 clean, 1 violations, 2 wrong use or an error of the check itself."""

from __future__ import annotations

import sys
import traceback
from io import TextIOWrapper

import typer

from dagster_contracts.cli.check import check
from dagster_contracts.cli.explain import explain
from dagster_contracts.errors import ContractsError

app = typer.Typer(
    name="dagster-contracts",
    help="Contracts on tables, checked before anything runs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help without rich starts in half the time
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(check)
app.command()(explain)


def main() -> None:
    """Run the command line, and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a letter shows its number
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except ContractsError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:  # whoever read the output has seen enough
        sys.stderr.close()
        sys.exit(2)
    except Exception:  # noqa: BLE001  (whatever else happens is our mistake, and never an exit of 1)
        traceback.print_exc()
        typer.echo("error: dagster-contracts itself failed; nothing can be said of the contracts", err=True)
        sys.exit(2)
