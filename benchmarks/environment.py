"""The Python that everything is measured in: one environment with the package and its peer, in the cache folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[1]
PEER = "dagster-dataframely"
_PYTHONS = ("3.13", "3.12")
_PACKAGES = ("dagster-contracts", PEER, "dagster", "dataframely", "polars")
_VERSIONS = f"""
import platform, importlib.metadata as m
print("Python", platform.python_version(), end="")
for name in {_PACKAGES}:
    try:
        print(",", name, m.version(name), end="")
    except m.PackageNotFoundError:
        pass
"""


@dataclass(frozen=True)
class Environment:
    """An interpreter.

    Args:
        python: Its path.
        has_peer: Whether the peer is installed.
    """

    python: str
    has_peer: bool

    def versions(self) -> str:
        """Its version and those of what is measured."""
        return subprocess.run([self.python, "-c", _VERSIONS], check=True, capture_output=True, text=True).stdout  # noqa: S603


def prepare(cache: Path) -> Environment:
    """An environment with the newest peer, or the running interpreter without it, said on stderr."""
    python = cache / "environment" / "bin" / "python"
    if shutil.which("uv") is None:
        return _without_peer("uv is not on the PATH, so no environment can be made for it.")
    if not python.exists() and not any(_made(python.parents[1], variables) for variables in _variables()):
        return _without_peer(f"it needs Python {_PYTHONS[-1]} or newer, and uv found none.")
    install = ["uv", "pip", "install", "--quiet", "--upgrade", "--python", str(python), "--editable", str(ROOT), PEER]
    done = subprocess.run(install, check=False, capture_output=True, text=True)  # noqa: S603
    if done.returncode:
        why = done.stderr.strip()[-500:]
        if not _has_everything(python):
            return _without_peer(f"it could not be installed: {why}")
        sys.stderr.write(f"The environment is used as it is, for it could not be brought up to date: {why}\n")
    return Environment(str(python), has_peer=True)


def _has_everything(python: Path) -> bool:
    command = [str(python), "-c", "import dagster_contracts, dagster_dataframely"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603


def _without_peer(why: str) -> Environment:
    sys.stderr.write(f"The peer, {PEER}, is not measured: {why}\n")
    return Environment(sys.executable, has_peer=False)


def _made(folder: Path, variables: Mapping[str, str]) -> bool:
    for version in _PYTHONS:
        command = ["uv", "venv", "--quiet", "--clear", "--python", version, str(folder)]
        if subprocess.run(command, check=False, capture_output=True, env=variables).returncode == 0:  # noqa: S603
            return True
    return False


def _variables() -> Iterator[dict[str, str]]:
    """The variables as they are, then with every version of pyenv allowed, whose shims otherwise stand in the way."""
    variables = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    yield variables
    pyenv = shutil.which("pyenv")
    if pyenv is not None:
        listed = subprocess.run([pyenv, "versions", "--bare"], check=False, capture_output=True, text=True)  # noqa: S603
        yield {**variables, "PYENV_VERSION": ":".join(listed.stdout.split())}
