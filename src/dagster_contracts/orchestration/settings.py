"""The package's settings: package default < `DAGSTER_CONTRACTS_<NAME>` < argument, checked whatever the source."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from dagster_contracts.errors import InvalidSettingError, QuarantineDirError
from dagster_contracts.rows.strategy import MaterializationStrategy, read_strategy

if TYPE_CHECKING:
    from collections.abc import Callable

CheckGranularity = Literal["rule", "column", "schema"]
SchemaRules = Literal["collapsed", "per_rule"]

ENV_PREFIX = "DAGSTER_CONTRACTS_"
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


@dataclass(frozen=True)
class SettingArguments:
    """The settings as an asset's author passed them; `None` where the author left one to the environment."""

    check_granularity: CheckGranularity | None = None
    schema_rules: SchemaRules | None = None
    statistics: bool | None = None
    max_failure_samples: int | None = None
    row_sample: int | None = None
    temp_dir: str | Path | None = None
    memory_budget: int | None = None
    materialization_strategy: MaterializationStrategy | str | None = None


@dataclass(frozen=True)
class Settings:
    """The settings that a run works with.

    Args:
        check_granularity: Into how few checks the rules collapse.
        schema_rules: Whether rules that no single column owns share one check at granularity `column`.
        statistics: Whether a materialization carries a summary of the valid rows.
        max_failure_samples: How many rows that break a rule reach its check.
        row_sample: How many valid and how many invalid rows reach the materialization.
        temp_dir: Where a lazy frame is staged; `None` is the system's temporary directory.
        memory_budget: Bytes that what cannot be streamed may use; `None` is a quarter of the machine's memory.
        materialization_strategy: Whether rows that are not yet as their schema says are repaired or refused.
    """

    check_granularity: CheckGranularity = "rule"
    schema_rules: SchemaRules = "collapsed"
    statistics: bool = True
    max_failure_samples: int = 5
    row_sample: int = 5
    temp_dir: Path | None = None
    memory_budget: int | None = None
    materialization_strategy: MaterializationStrategy = MaterializationStrategy.RECONCILE


def resolve_settings(arguments: SettingArguments) -> Settings:
    """Read every setting from its argument, else from the environment, else from the package's default.

    Raises:
        InvalidSettingError: A value is not allowed; the message names it, where it came from, and what is allowed.
    """
    default = Settings()
    found = {
        name: _value(name, getattr(arguments, name), getattr(default, name), read) for name, read in _READERS.items()
    }
    return Settings(**cast("dict[str, Any]", found))


def existing_temp_dir(settings: Settings, asset: str) -> Path | None:
    """The staging directory, checked at the moment it is needed, on the machine that needs it.

    Raises:
        InvalidSettingError: The directory does not exist.
    """
    if settings.temp_dir is not None and not settings.temp_dir.is_dir():
        raise InvalidSettingError(
            f"{asset}: temp_dir is {str(settings.temp_dir)!r}, which is not a directory on this machine. Create it, or "
            f"set temp_dir= or {ENV_PREFIX}TEMP_DIR to one that exists."
        )
    return settings.temp_dir


def quarantine_dir(asset: str) -> Path:
    """Where the quarantine of an asset that is called, not run, is written. Read when called.

    Raises:
        QuarantineDirError: `DAGSTER_CONTRACTS_QUARANTINE_DIR` is unset or empty.
    """
    name = f"{ENV_PREFIX}QUARANTINE_DIR"
    value = os.environ.get(name, "")
    if not value.strip():
        raise QuarantineDirError(
            f"{asset} has a quarantine and was called directly, where no IO manager can write it. Set {name} to a "
            "directory before the call (in a test: monkeypatch.setenv), or use dc.testing.run_asset(). Nothing was "
            "written."
        )
    return Path(value)


def _value(name: str, argument: object, default: object, read: Callable[[object], object]) -> object:
    variable = ENV_PREFIX + name.upper()
    if argument is not None:
        source, value = f"the argument {name}=", argument
    elif variable in os.environ:
        source, value = f"the environment variable {variable}", os.environ[variable]
    else:
        return default
    try:
        return read(value)
    except ValueError as error:
        raise InvalidSettingError(f"{name} is {value!r} (from {source}); allowed is {error}.") from None


def _one_of(*allowed: str) -> Callable[[object], object]:
    def read(value: object) -> object:
        if value in allowed:
            return value
        raise ValueError(" or ".join(map(repr, allowed)))

    return read


def _boolean(value: object) -> object:
    if isinstance(value, bool):
        return value
    text = value.strip().lower() if isinstance(value, str) else ""
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ValueError("true or false")


def _count(value: object) -> object:
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, int) and not isinstance(text, bool) and text >= 0:
        return text
    if isinstance(text, str) and text.isascii() and text.isdigit():
        return int(text)
    raise ValueError("a whole number from 0")


def _bytes(value: object) -> object:
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, int) and not isinstance(text, bool) and text > 0:
        return text
    if isinstance(text, str) and text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise ValueError("a number of bytes from 1")


def _directory(value: object) -> object:
    if isinstance(value, (str, Path)) and str(value).strip():
        return Path(value)
    raise ValueError("the path of a directory that exists, not empty")


def _strategy(value: object) -> object:
    try:
        return read_strategy(value)  # type: ignore[arg-type]  # it says what it refuses
    except InvalidSettingError:
        raise ValueError("'reconcile' or 'strict'") from None


_READERS: dict[str, Callable[[object], object]] = {
    "check_granularity": _one_of("rule", "column", "schema"),
    "schema_rules": _one_of("collapsed", "per_rule"),
    "statistics": _boolean,
    "max_failure_samples": _count,
    "row_sample": _count,
    "temp_dir": _directory,
    "memory_budget": _bytes,
    "materialization_strategy": _strategy,
}
