"""The process that `check_module` starts: loads a code location, checks it, and writes down what it found."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg

from dagster_contracts.errors import ContractsError, UsageError
from dagster_contracts.orchestration.dry_run.check import check_definitions
from dagster_contracts.orchestration.dry_run.module import as_plain

if TYPE_CHECKING:
    from types import ModuleType

_USUAL_NAMES = ("defs", "definitions")


def main(text: str, answer: str, time_limit: str) -> None:
    """Write a report, or why there is none, as JSON into a file."""
    try:
        report = check_definitions(load_definitions(text), time_limit=float(time_limit))
        found: dict[str, Any] = {"report": as_plain(report)}
    except ContractsError as error:
        found = {"error": str(error)}
    Path(answer).write_text(json.dumps(found), "utf-8")


def load_definitions(text: str) -> dg.Definitions:
    """The definitions that a module has.

    Args:
        text: A module's name, a Python file's path, or either with `:` and a name in it.

    Raises:
        UsageError: There is no such module, it does not load, or what it has are no definitions.
    """
    place, _, name = text.partition(":") if not Path(text).exists() else (text, "", "")
    module = _load(place)
    found = _named(module, name) if name else _only(module, place)
    try:
        defs = found() if callable(found) and not isinstance(found, dg.Definitions) else found
    except Exception as error:
        raise UsageError(f"{text} does not load: {_last_line(error)}") from error
    if not isinstance(defs, dg.Definitions):
        raise UsageError(f"{text} is no dg.Definitions, but {type(defs).__name__}.")
    return defs


def _load(place: str) -> ModuleType:
    """Import a module by its name or its file."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        return _load_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except ContractsError:
        raise
    except ModuleNotFoundError as error:
        if error.name is not None and (place == error.name or place.startswith(f"{error.name}.")):
            hint = "Give a module that can be imported here, a file, or `module:name`."
            raise UsageError(f"There is no module {place!r}. {hint}") from error
        raise UsageError(f"{place} does not load: {_last_line(error)}") from error
    except (Exception, SystemExit) as error:
        raise UsageError(f"{place} does not load: {_last_line(error)}") from error


def _load_file(file: Path) -> ModuleType:
    """Import a file under its own name, with the modules beside it."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise UsageError(f"There is no Python file {file}.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    sys.path.insert(0, str(file.resolve().parent))
    spec.loader.exec_module(module)
    return module


def _named(module: ModuleType, name: str) -> object:
    try:
        return getattr(module, name)
    except AttributeError:
        raise UsageError(f"{module.__name__} has nothing called {name!r}.") from None


def _only(module: ModuleType, place: str) -> object:
    """The definitions that a module has under whatever name; a package may have them in `definitions`."""
    found = {name: value for name, value in vars(module).items() if isinstance(value, dg.Definitions)}
    usual = next((getattr(module, name) for name in _USUAL_NAMES if hasattr(module, name)), None)
    if len(found) == 1:
        return next(iter(found.values()))
    if usual is not None and not isinstance(usual, type(os)):
        return usual
    if hasattr(module, "__path__") and importlib.util.find_spec(f"{module.__name__}.definitions") is not None:
        return _only(_load(f"{module.__name__}.definitions"), place)
    said = f"several: {', '.join(found)}" if found else "none"
    raise UsageError(f"{place} has {said} where one dg.Definitions is looked for. Name it: {place}:NAME.")


def _last_line(error: BaseException) -> str:
    """An error in one line, with the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = next((one for one in reversed(frames) if not one.filename.startswith("<")), None)
    place = f" ({own.filename}, line {own.lineno})" if own else ""
    return f"{type(error).__name__}: {error}{place}"


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # a function that was left alone in its thread must not go on
