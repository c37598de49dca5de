"""The versions of what results depend on, found without importing it."""

from __future__ import annotations

import os
import sys
from functools import cache

_DISTRIBUTIONS = ("dagster-contracts", "duckdb", "sqlglot")


def package_version() -> str:
    """This package's version."""
    return installed_versions()[_DISTRIBUTIONS[0]]


@cache
def installed_versions() -> dict[str, str]:
    """The version of each distribution, by the name of its folder of metadata where modules are found.

    That is where `importlib.metadata` looks, too; importing it takes longer than a whole check of an unchanged project.
    """
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208
        except OSError:
            continue
        for entry in names:
            name, _, rest = entry.partition("-")
            if rest.endswith(".dist-info"):
                found.setdefault(name.lower().replace("_", "-"), rest.removesuffix(".dist-info"))
    return {name: found.get(name) or _from_metadata(name) for name in _DISTRIBUTIONS}


def _from_metadata(name: str) -> str:
    """The version of a distribution that is installed in another way."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
