"""The commands, and what each ends with: 0 clean, 1 violations, 2 wrong use or an error of the check itself.

A command is a module with `add`, which declares it, and `run`, which returns what to exit with. It imports what it
needs when it runs: `--help` and an unchanged project must answer before a parser or an engine could be imported.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from argparse import ArgumentParser
from io import TextIOWrapper

from dagster_contracts.cli import check, diff, explain, generate, init, lock, snapshot
from dagster_contracts.errors import ContractsError

_NEW_OBJECTS = 50_000
"""After how many new objects Python looks for those that hold each other; it would every few hundred, for nothing."""
COMMANDS = (check, diff, lock, generate, snapshot, init, explain)


def main() -> None:
    """Run the command line, and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a letter shows its number
            stream.reconfigure(errors="backslashreplace")
    arguments = _parser().parse_args(check.with_paths_apart(sys.argv[1:]))
    gc.set_threshold(_NEW_OBJECTS)
    try:
        code = arguments.run(arguments)
        sys.stdout.flush()
    except ContractsError as error:
        sys.stderr.write(f"error: {error}\n")
        code = 2
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 2
    except KeyboardInterrupt:
        code = 130
    except Exception:  # noqa: BLE001  (whatever else happens is our mistake, and never an exit of 1)
        traceback.print_exc()
        sys.stderr.write("error: dagster-contracts itself failed; nothing can be said of the contracts\n")
        code = 2
    sys.exit(code)


def _parser() -> ArgumentParser:
    description = "Contracts on tables, checked before anything runs."
    parser = ArgumentParser("dagster-contracts", description=description, allow_abbrev=False)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
