"""`dagster-contracts snapshot DATABASE`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from dagster_contracts.cli.options import Commands


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "snapshot", help="write down the tables of a DuckDB file, as sources", allow_abbrev=False
    )
    parser.add_argument("database", type=Path, metavar="DATABASE", help="the DuckDB file; it is only read")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write (default: print)")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Print a snapshot, or exchange a file by it."""
    from dagster_contracts.sql.sources.take_snapshot import take_snapshot  # noqa: PLC0415  (imports DuckDB)

    text = take_snapshot(arguments.database)
    if arguments.output is None:
        sys.stdout.write(text)
        return 0
    aside = Path(f"{arguments.output}.new")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, arguments.output)  # noqa: PTH105  (on every system in one step)
    sys.stdout.write(f'{arguments.output}\nIn contracts.toml: [[sources]] snapshot = "{arguments.output}"\n')
    return 0
