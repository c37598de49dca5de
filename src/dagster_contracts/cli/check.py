"""`dagster-contracts check`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dagster_contracts.cli.options import add_project

if TYPE_CHECKING:
    from argparse import Namespace

    from dagster_contracts.cli.options import Commands

FORMATS = ("text", "json", "sarif", "github", "junit")
FAIL_ON = ("error", "warning", "unverified")


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "check", help="check contracts, without a warehouse and without data", allow_abbrev=False
    )
    add_project(parser)
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print what was found")
    parser.add_argument("--strict", action="store_true", help="what cannot be verified is an error")
    parser.add_argument(
        "--fail-on", choices=FAIL_ON, default="error", help="the mildest finding that exits with 1 (default: error)"
    )
    parser.add_argument("--no-cache", action="store_true", help="find everything anew")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Check, and print what was found."""
    from dagster_contracts.cli.progress import Progress  # noqa: PLC0415  (not for --help)
    from dagster_contracts.diagnostics.formats import render  # noqa: PLC0415
    from dagster_contracts.sql.run import Options, run_check  # noqa: PLC0415

    options = Options(
        paths=tuple(arguments.paths),
        config=arguments.config,
        select=tuple(arguments.select),
        strict=True if arguments.strict else None,
        cache=not arguments.no_cache,
    )
    with Progress(sys.stderr) as progress:
        report = run_check(options, progress.advance)
    colour = arguments.format == "text" and sys.stdout.isatty()
    sys.stdout.write(render(report, arguments.format, fail_on=arguments.fail_on, colour=colour))
    return report.exit_code(arguments.fail_on)
