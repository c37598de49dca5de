"""`dagster-contracts init`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from dagster_contracts.cli.options import Commands


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("init", help="write a small project that checks green", allow_abbrev=False)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="default: the current one")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Write the project's files, none over another."""
    from dagster_contracts.errors import InvalidSettingError  # noqa: PLC0415
    from dagster_contracts.sql.config import FILE_NAME  # noqa: PLC0415
    from dagster_contracts.sql.template import write_project  # noqa: PLC0415

    folder: Path = arguments.folder
    if (folder / FILE_NAME).exists():
        raise InvalidSettingError(f"{folder / FILE_NAME} is there already: nothing was written.")
    try:
        written = write_project(folder)
    except OSError as error:
        raise InvalidSettingError(f"{folder} cannot be written to: {error.strerror or error}.") from error
    sys.stdout.write("".join(f"{folder / name}\n" for name in written))
    sys.stdout.write(f"Now run: dagster-contracts check {folder}\n")
    return 0
