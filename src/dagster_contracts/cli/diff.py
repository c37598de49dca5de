"""`dagster-contracts diff`: what changed, and who reads it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_contracts.cli.options import add_config

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from dagster_contracts.cli.options import Commands
    from dagster_contracts.sql.changes import Change
    from dagster_contracts.sql.load import Loaded
    from dagster_contracts.sql.relation import Relation


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("diff", help="grade what changed, and name who reads it", allow_abbrev=False)
    parser.add_argument(
        "revision", nargs="?", metavar="REV", help="a git revision to compare with (default: contracts.lock)"
    )
    add_config(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Print the changes; exits with 1 if one of them is breaking."""
    from dagster_contracts.errors import InvalidSettingError  # noqa: PLC0415
    from dagster_contracts.sql.changes import Grade, find_changes  # noqa: PLC0415  (imports the SQL parser)
    from dagster_contracts.sql.inputs import LOCK  # noqa: PLC0415
    from dagster_contracts.sql.load import load  # noqa: PLC0415
    from dagster_contracts.sql.selection import find_config  # noqa: PLC0415

    config = arguments.config.absolute() if arguments.config else find_config([arguments.project])
    loaded = load(config)
    if arguments.revision is not None:
        before = _outputs(_at_revision(config, arguments.revision))
    elif (config.parent / LOCK).exists():
        before = {name: locked.output for name, locked in loaded.locked.items()}
    else:
        raise InvalidSettingError(f"There is no {LOCK}: write one with `dagster-contracts lock`, or name a revision.")
    changes = find_changes(before, _outputs(loaded))
    sys.stdout.write(_text(changes, loaded, {name: one for name, one in before.items() if one is not None}))
    return int(any(change.grade is Grade.BREAKING for change in changes))


def _outputs(loaded: Loaded) -> dict[str, Relation | None]:
    return {name: analysis.relation for name, analysis in loaded.examined.analyses.items()}


def _at_revision(config: Path, revision: str) -> Loaded:
    """The project as it was at a git revision, taken from the repository without touching the working tree."""
    import tarfile  # noqa: PLC0415  (these are slow to import, and every command imports this module)
    import tempfile  # noqa: PLC0415
    from io import BytesIO  # noqa: PLC0415

    from dagster_contracts.errors import InvalidSettingError  # noqa: PLC0415
    from dagster_contracts.sql.load import load  # noqa: PLC0415

    top = Path(_git(config.parent, "rev-parse", "--show-toplevel").decode().strip())
    commit = _git(config.parent, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").decode().strip()
    archive = _git(top, "archive", "--format=tar", commit)
    with tempfile.TemporaryDirectory(prefix="dagster-contracts-") as folder:
        with tarfile.open(fileobj=BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        then = Path(folder) / config.resolve().relative_to(top.resolve())
        if not then.is_file():
            raise InvalidSettingError(f"At {revision} there was no {config.name} in this folder.")
        return load(then)


def _git(folder: Path, *arguments: str) -> bytes:
    import subprocess  # noqa: PLC0415

    from dagster_contracts.errors import InvalidSettingError  # noqa: PLC0415

    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603  (git, with a revision after --end-of-options)
    except OSError as error:
        raise InvalidSettingError(f"git cannot be run: {error.strerror or error}.") from error
    if done.returncode:
        raise InvalidSettingError(f"git: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def _text(changes: Iterable[Change], loaded: Loaded, before: dict[str, Relation]) -> str:
    """The changes by model, each with who reads what it changed, and how many there are of each grade."""
    from dagster_contracts.sql.changes import Grade  # noqa: PLC0415
    from dagster_contracts.sql.readers import readers  # noqa: PLC0415

    lines = []
    counts = dict.fromkeys(Grade, 0)
    for change in changes:
        counts[change.grade] += 1
        lines.append(f"{change.grade.value}: {change.model}: {change.message}")
        if change.grade is not Grade.COMPATIBLE:
            found = readers(loaded, change.model, change.column, before)
            lines += [f"  read by {', '.join(found)}"] if found else []
    lines.append(", ".join(f"{count} {grade.value}" for grade, count in counts.items()))
    return "\n".join(lines) + "\n"
