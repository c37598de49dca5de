"""`dagster-contracts generate MODEL`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dagster_contracts.cli.options import add_config

if TYPE_CHECKING:
    from argparse import Namespace

    from dagster_contracts.cli.options import Commands


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("generate", help="print the contract that a model keeps now", allow_abbrev=False)
    parser.add_argument("model", metavar="MODEL", help="the model's name")
    parser.add_argument("--write", action="store_true", help="write it into the contracts' folder; never over another")
    add_config(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Print a contract, or write it."""
    from dagster_contracts.contract.suggestions import did_you_mean  # noqa: PLC0415
    from dagster_contracts.contract.toml import SUFFIX  # noqa: PLC0415
    from dagster_contracts.errors import InvalidSettingError  # noqa: PLC0415
    from dagster_contracts.sql.generate import generate_contract  # noqa: PLC0415
    from dagster_contracts.sql.load import load  # noqa: PLC0415  (imports the SQL parser)
    from dagster_contracts.sql.selection import find_config  # noqa: PLC0415

    loaded = load(arguments.config.absolute() if arguments.config else find_config([arguments.project]))
    name, analyses = arguments.model, loaded.examined.analyses
    if name not in analyses:
        raise InvalidSettingError(f"The project has no model {name!r}.{did_you_mean(name, analyses)}")
    analysis = analyses[name]
    if analysis.relation is None:
        why = analysis.finding.message if analysis.finding else "; ".join(analysis.reasons)
        raise InvalidSettingError(f"The columns of {name} are not known: {why.rstrip('.')}.")
    text = generate_contract(analysis.relation)
    if not arguments.write:
        sys.stdout.write(text)
        return 0
    there = loaded.project.contracts.get(name)
    if there is not None:
        raise InvalidSettingError(f"{name} has a contract already, {there.path}: it was left as it is.")
    file = loaded.config.root / loaded.config.contracts_dir / f"{name}{SUFFIX}"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8") as handle:
        handle.write(text)
    sys.stdout.write(f"{file}\n")
    return 0
