"""`dagster-contracts check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_contracts.cli.options import add_project

if TYPE_CHECKING:
    from argparse import Namespace

    from dagster_contracts.cli.options import Commands
    from dagster_contracts.diagnostics.finding import Report

FORMATS = ("text", "json", "sarif", "github", "junit")
_FIXED = ("models", "contract")
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
    parser.add_argument(
        "--defs",
        metavar="MODULE",
        help="check the assets of a code location: a module, file, or module:attribute",
    )
    parser.add_argument("--watch", action="store_true", help="check again whenever a file changes")
    parser.add_argument(
        "--fix",
        nargs="?",
        const="models",
        choices=_FIXED,
        help="first repair what can be repaired for certain: models, or with `--fix contract` contracts",
    )
    parser.set_defaults(run=run)


def with_paths_apart(words: list[str]) -> list[str]:
    """The words of a command line, in which `--fix` takes no path for its value."""
    return [
        "--fix=models" if word == "--fix" and following not in _FIXED else word
        for word, following in zip(words, [*words[1:], ""], strict=True)
    ]


def run(arguments: Namespace) -> int:
    """Check, and print what was found."""
    if arguments.watch and arguments.defs is None:
        return _watch(arguments)
    from dagster_contracts.diagnostics.formats import render  # noqa: PLC0415  (not for --help)

    if arguments.fix is not None and arguments.defs is None:
        _fix(arguments)
    report = _check_project(arguments) if arguments.defs is None else _check_definitions(arguments)
    colour = arguments.format == "text" and sys.stdout.isatty()
    sys.stdout.write(render(report, arguments.format, fail_on=arguments.fail_on, colour=colour))
    return report.exit_code(arguments.fail_on)


def _fix(arguments: Namespace) -> None:
    """Repair the project, and say what was done and what was not."""
    from dagster_contracts.sql.fix import apply_fixes  # noqa: PLC0415  (imports the SQL parser)
    from dagster_contracts.sql.selection import find_config  # noqa: PLC0415

    config = arguments.config.absolute() if arguments.config else find_config(arguments.paths or [Path()])
    repairs = apply_fixes(config, contracts=arguments.fix == "contract")
    for message in repairs.done:
        sys.stderr.write(f"fixed: {message}\n")
    for message in repairs.left:
        sys.stderr.write(f"not fixed: {message}\n")


def _check_project(arguments: Namespace) -> Report:
    """Check a project of SQL models."""
    import logging  # noqa: PLC0415

    from dagster_contracts.cli.progress import Progress  # noqa: PLC0415
    from dagster_contracts.sql.run import Options, run_check  # noqa: PLC0415

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # what it cannot parse is a finding
    options = Options(
        paths=tuple(arguments.paths),
        config=arguments.config,
        select=tuple(arguments.select),
        strict=True if arguments.strict else None,
        cache=not arguments.no_cache,
    )
    with Progress(sys.stderr) as progress:
        return run_check(options, progress.advance)


def _check_definitions(arguments: Namespace) -> Report:
    """Check the assets of a code location, as far as that can be done without running them."""
    from dagster_contracts.errors import InvalidSettingError  # noqa: PLC0415

    for option in ("paths", "config", "select", "strict", "watch", "fix"):
        if getattr(arguments, option):
            name = "PATHS" if option == "paths" else f"--{option}"
            raise InvalidSettingError(f"{name} is for a project of SQL models, and --defs for a code location.")
    from dagster_contracts.orchestration.dry_run.module import check_module  # noqa: PLC0415  (imports Dagster)

    return check_module(arguments.defs)


def _watch(arguments: Namespace) -> int:
    """Check now and whenever a file of the project changes."""
    from dagster_contracts.cli.watch import watch  # noqa: PLC0415
    from dagster_contracts.sql.inputs import read_inputs  # noqa: PLC0415
    from dagster_contracts.sql.selection import find_config  # noqa: PLC0415

    config = read_inputs(arguments.config or find_config(arguments.paths or [Path()])).config
    targets = [entry.target for entry in config.sources if entry.form not in ("class", "columns")]
    outside = [(config.root / target).parent for target in targets]
    folders = [config.root, config.root / config.models_dir, config.root / config.contracts_dir, *outside]
    return watch(folders, [one for one in sys.argv[1:] if one != "--watch"])
