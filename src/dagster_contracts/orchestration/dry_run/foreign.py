"""Packages with compiled parts that a function uses: what those do cannot be watched, so it must not begin."""

from __future__ import annotations

import dis
import importlib.util
import sys
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType
from typing import TYPE_CHECKING

from dagster_contracts.orchestration.dry_run import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType


def foreign_package(frame: FrameType) -> str | None:
    """A package with compiled parts, of which nothing is known, that the function of a frame names or imports."""
    for name in _imports(frame.f_code):
        if name not in harmless.STDLIB and _is_foreign(name, loaded=name in sys.modules):
            return name
    for value in _values(frame):
        name = _package(value)
        if name not in harmless.STDLIB and _is_foreign(name, loaded=True):
            return name
    return None


def _values(frame: FrameType) -> Iterator[object]:
    """What a function's own names stand for when it begins: globals, closures and arguments."""
    for name in _globals(frame.f_code):
        if name in frame.f_globals:
            yield frame.f_globals[name]
    for name in (*frame.f_code.co_freevars, *frame.f_code.co_varnames[: frame.f_code.co_argcount]):
        if name in frame.f_locals:
            yield frame.f_locals[name]


def _package(value: object) -> str:
    if isinstance(value, ModuleType):
        return value.__name__.split(".")[0]
    module = getattr(value, "__module__", None)
    return (module if isinstance(module, str) else type(value).__module__).split(".")[0]


@lru_cache(maxsize=4096)
def _imports(code: CodeType) -> tuple[str, ...]:
    names = (one.argval for one in dis.get_instructions(code) if one.opname == "IMPORT_NAME")
    return tuple(name.split(".")[0] for name in names if name)


@lru_cache(maxsize=4096)
def _globals(code: CodeType) -> tuple[str, ...]:
    return tuple(one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"))


@lru_cache(maxsize=4096)
def _is_foreign(name: str, *, loaded: bool) -> bool:
    """Whether a package has compiled parts; of one that is not loaded yet, whether it is installed by somebody else."""
    if name in harmless.KNOWN_EXTENSIONS or not name:
        return False
    if not loaded:
        spec = importlib.util.find_spec(name)
        return spec is not None and "site-packages" in (spec.origin or "")
    tops = (name, f"_{name}")
    files = [getattr(one, "__file__", None) for at, one in list(sys.modules.items()) if at.split(".")[0] in tops]
    return any(isinstance(file, str) and file.endswith(tuple(EXTENSION_SUFFIXES)) for file in files)
