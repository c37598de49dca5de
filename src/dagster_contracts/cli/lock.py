"""`dagster-contracts lock` and `accept`: agree on what models return."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dagster_contracts.cli.options import add_config

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from dagster_contracts.cli.options import Commands
    from dagster_contracts.sql.load import Loaded
    from dagster_contracts.sql.lock import LockedModel


def add(commands: Commands) -> None:
    """Declare both commands."""
    lock = commands.add_parser("lock", help="write down what every model returns", allow_abbrev=False)
    add_config(lock)
    lock.set_defaults(run=run)
    accept = commands.add_parser("accept", help="agree to what one model returns now, and say why", allow_abbrev=False)
    accept.add_argument("model", metavar="MODEL", help="the model's name")
    accept.add_argument("--why", required=True, metavar="TEXT", help="kept in the lock beside the model")
    add_config(accept)
    accept.set_defaults(run=run_accept)


def run(arguments: Namespace) -> int:
    """Write the lock."""
    from dagster_contracts.sql.lock import lock_models  # noqa: PLC0415  (imports the SQL parser)

    loaded = _load(arguments)
    names = [model.name for model in loaded.project.models]
    models = lock_models(loaded, names, loaded.locked)
    _write(loaded, models)
    unknown = sorted(set(names) - set(models))
    if unknown:
        sys.stdout.write(f"not known, and so not locked: {', '.join(unknown)}\n")
    return 0


def run_accept(arguments: Namespace) -> int:
    """Take one model over into the lock."""
    from dagster_contracts.contract.suggestions import did_you_mean  # noqa: PLC0415
    from dagster_contracts.errors import InvalidSettingError  # noqa: PLC0415
    from dagster_contracts.sql.lock import lock_models  # noqa: PLC0415

    loaded = _load(arguments)
    name, names = arguments.model, [model.name for model in loaded.project.models]
    if not arguments.why.strip():
        raise InvalidSettingError("--why must say something: it is what the next reader of the lock will look for.")
    if name not in names and name in loaded.locked:
        _write(loaded, {one: kept for one, kept in loaded.locked.items() if one != name})
        return 0
    if name not in names:
        raise InvalidSettingError(f"The project has no model {name!r}.{did_you_mean(name, names)}")
    found = lock_models(loaded, [name], loaded.locked)
    if not found:
        reasons = "; ".join(loaded.examined.analyses[name].reasons)
        raise InvalidSettingError(f"The columns of {name} are not known, so there is nothing to accept: {reasons}.")
    accepted = replace(found[name], why=(*found[name].why, arguments.why.strip()))
    _write(loaded, {**loaded.locked, name: accepted})
    return 0


def _load(arguments: Namespace) -> Loaded:
    from dagster_contracts.sql.load import load  # noqa: PLC0415  (imports the SQL parser)
    from dagster_contracts.sql.selection import find_config  # noqa: PLC0415

    return load(arguments.config.absolute() if arguments.config else find_config([arguments.project]))


def _write(loaded: Loaded, models: Mapping[str, LockedModel]) -> None:
    """Exchange the lock's file whole."""
    from dagster_contracts.sql.inputs import LOCK  # noqa: PLC0415
    from dagster_contracts.sql.lock import dump_lock  # noqa: PLC0415

    file = loaded.config.root / LOCK
    aside = Path(f"{file}.new")
    aside.write_text(dump_lock(models), encoding="utf-8")
    os.replace(aside, file)  # noqa: PTH105  (on every system in one step)
    sys.stdout.write(f"{file}: {len(models)} model{'' if len(models) == 1 else 's'}\n")
