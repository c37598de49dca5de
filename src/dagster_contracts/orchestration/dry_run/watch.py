"""Watches a function: notes each look at its data, and stops each reach for the outside.

Polars has no word for "columns do not depend on rows", so it is watched from below: `sys.setprofile` tells of every
call a function makes, in Python or in C, and audit hooks of every file, socket and process it asks for.
"""

from __future__ import annotations

import ctypes
import dis
import sys
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import polars as pl

from dagster_contracts.orchestration.dry_run import harmless
from dagster_contracts.orchestration.dry_run.foreign import foreign_package
from dagster_contracts.orchestration.dry_run.plan import trouble_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType


class Stopped(BaseException):
    """A watched function reached for the outside; no `except Exception` keeps it."""


@dataclass
class Watch:
    """What a watched function did.

    Args:
        root: The function's code; frames above it are not its own.
        notes: Why what it returns may depend on more than the columns it was given, first first.
        calls: The calls of Polars that it made, in order.
    """

    root: CodeType
    notes: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    def note(self, text: str, frame: FrameType) -> None:
        """Remember a reason, with the line of the function's own file that it happened in."""
        self.notes.append(f"{text}{_line(frame, self.root)}")

    def stop(self, text: str, frame: FrameType) -> None:
        """Remember a reason, and end the function."""
        self.note(text, frame)
        raise Stopped(self.notes[-1])

    def profile(self, frame: FrameType, event: str, arg: Any) -> None:
        """See one call; `sys.setprofile` calls this."""
        if event == "call":
            self._python_call(frame)
        elif event == "c_call":
            self._c_call(frame, arg)

    def keep_watching(self, _frame: FrameType, _event: str, _arg: Any) -> None:
        """Watch again after a stop that the function caught; `sys.settrace` calls this when a function begins."""
        if sys.getprofile() is None:  # Python takes a profile function off that raises
            sys.setprofile(self.profile)

    def _python_call(self, frame: FrameType) -> None:
        module, name = _module(frame), frame.f_code.co_qualname
        if module == "os" and name.startswith("_Environ."):
            self._environment(frame)
        if not _is_polars(module):
            if module.split(".")[0] not in harmless.STDLIB and (package := foreign_package(frame)) is not None:
                self.stop(f"it uses {package}, of which nobody knows what it does", frame)
            return
        home = next((home for home in harmless.HOMES if module.startswith(home)), None)
        if home is not None and frame.f_code.co_name in ("collect", "_collect_eager"):
            self._run(frame)
        caller = _caller(frame) if not module.startswith(harmless.WRAPPERS) else None
        if caller is None or _is_inside(_module(caller)):
            return
        if home is not None:
            self._frame_method(frame, caller, name)
        elif module.startswith(harmless.OUTSIDE) and "<" not in name:
            self.stop(f"it reads or writes by Polars ({frame.f_code.co_name})", caller)
        elif name in ("collect_all", "collect_all_async"):
            self.note(f"it runs its frames ({name})", caller)

    def _frame_method(self, frame: FrameType, caller: FrameType, name: str) -> None:
        kind, _, method = name.partition(".")
        if method.startswith(harmless.REACHING):
            self.stop(f"it reads or writes by Polars ({name})", caller)
        self.calls.append(method)
        known = harmless.CLASSES.get(kind, frozenset())
        if method == "__getitem__" and kind == "DataFrame" and _names_only(frame.f_locals.get("key")):
            return
        if method not in known:
            # What runs a lazy frame in another way than `collect` is not looked into first, so it must not go on.
            (self.stop if kind == "LazyFrame" else self.note)(f"it looks at its data ({name})", caller)
        elif kind != "LazyFrame" and method not in harmless.SCHEMA | {"lazy", "__init__"}:
            self._guarded(caller)

    def _run(self, frame: FrameType) -> None:
        """A plan is about to be run, by the function or within Polars: only what is surely free of effects may."""
        plans = [value for value in frame.f_locals.values() if isinstance(value, pl.LazyFrame)]
        trouble = next((found for plan in plans if (found := trouble_with(plan)) is not None), None)
        caller = _outer(frame)
        if trouble is not None:
            self.stop(f"it runs {trouble}", caller)
        self._guarded(caller)

    def _guarded(self, caller: FrameType) -> None:
        """Note data that is run where an error would be caught: other rows may take the other way."""
        for frame in self._own(caller):
            if _is_inside(_module(frame)):
                continue
            if any(entry.start <= frame.f_lasti < entry.end for entry in _handlers(frame.f_code)):
                self.note("it runs its data where an error would be caught, so other rows may lead elsewhere", caller)
                return

    def _own(self, frame: FrameType | None) -> Iterator[FrameType]:
        """The frames from the innermost to the watched function's, and those of whatever it is decorated with."""
        while frame is not None and not _module(frame).startswith(__package__):
            yield frame
            frame = frame.f_back

    def _environment(self, frame: FrameType) -> None:
        reader = next(f for f in _stack(frame) if _module(f) not in ("os", "collections.abc", "_collections_abc"))
        if not _is_inside(_module(reader)) and not _is_importing(reader):
            self.note("it reads the environment", reader)

    def _c_call(self, frame: FrameType, called: Any) -> None:
        if _module(frame) == __name__:
            return
        owner = getattr(called, "__self__", None)
        module = getattr(called, "__module__", None) or _home(owner, called)
        top, name = module.split(".")[0], getattr(called, "__name__", "?")
        if type(owner).__name__.startswith("Py") and top == "builtins" and not _is_inside(_module(frame)):
            self.note(f"it reaches into Polars ({name})", frame)
        elif top in harmless.EFFECTFUL and name not in harmless.HARMLESS_CALLS and not _is_importing(frame):
            self.stop(f"it asks the system ({module}.{name})", frame)
        elif f"{top}.{name}" in harmless.STOPPED:
            self.stop(f"it asks the system ({top}.{name})", frame)
        elif top not in harmless.STDLIB and top not in harmless.KNOWN_EXTENSIONS and not _is_importing(frame):
            self.stop(f"it calls {module}.{name}, of which nobody knows what it does", frame)


_WATCHED: dict[int, Watch] = {}
_INSTALLED: list[bool] = []


def watched(watch: Watch, call: Callable[[], Any]) -> Any:
    """Call a function in this thread under a watch, and give back what it returns.

    Raises:
        Stopped: It reached for the outside.
    """
    if not _INSTALLED:
        sys.addaudithook(_audit)  # it can never be taken off, so there is one, and it sleeps
        _INSTALLED.append(True)
    before, traced, thread = sys.getprofile(), sys.gettrace(), threading.get_ident()
    sys.settrace(watch.keep_watching)
    sys.setprofile(watch.profile)
    _WATCHED[thread] = watch
    try:
        return call()
    finally:
        del _WATCHED[thread]  # first: the watch does not let the profile be set
        sys.setprofile(before)
        sys.settrace(traced)


def end(thread: threading.Thread) -> None:
    """Raise `Stopped` in a thread as soon as it runs Python; one that hangs in C goes on, and stays under watch."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if not _WATCHED:
        return
    watch = _WATCHED.get(threading.get_ident())
    if watch is None or not (event == "open" or event.startswith(harmless.AUDITED)):
        return
    frame = sys._getframe(1)  # noqa: SLF001  (the documented way to a caller's frame)
    if event == "open":
        _open(watch, frame, *args)
    elif event in harmless.ENVIRONMENT_EVENTS:
        if not any(_is_polars(_module(one)) for one in _stack(frame)):  # pl.Config keeps its settings there
            watch.stop("it sets environment variables", frame)
    elif not (_is_importing(frame) and event in ("os.listdir", "os.scandir")):
        watch.stop(f"it asks the system ({event})", frame)


def _open(watch: Watch, frame: FrameType, file: Any, mode: Any = "r", flags: int = 0) -> None:
    writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (mode is None and flags & 0b11)
    if not writes and (_is_importing(frame) or any(_module(one) in harmless.READERS for one in _stack(frame))):
        return
    watch.stop(f"it {'writes' if writes else 'reads'} the file {str(file)!r}", frame)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _is_polars(module: str) -> bool:
    return module == "polars" or module.startswith("polars.")


def _is_inside(module: str) -> bool:
    """Whether a module is Polars's own machinery, in which it may look at whatever it needs."""
    return _is_polars(module) and not module.startswith("polars.testing")


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_importing(frame: FrameType) -> bool:
    return any(_module(one).startswith(("importlib.", "_frozen_importlib")) for one in _stack(frame))


def _caller(frame: FrameType) -> FrameType | None:
    """Who called, behind the wrappers that Polars puts around functions whose parameters were renamed."""
    return next((one for one in _stack(frame.f_back) if not _module(one).startswith(harmless.WRAPPERS)), None)


def _outer(frame: FrameType) -> FrameType:
    """The innermost frame outside of Polars."""
    return next((one for one in _stack(frame.f_back) if not _is_inside(_module(one))), frame)


def _home(owner: object, called: Any) -> str:
    """The module of the class that a method in C belongs to; a subclass in Python may have another one."""
    kind = owner if isinstance(owner, type) else type(owner)
    return next((one.__module__ for one in kind.__mro__ if called.__name__ in vars(one)), kind.__module__)


@lru_cache(maxsize=4096)
def _handlers(code: CodeType) -> list[Any]:
    """The ranges of a function in which an error is caught, or at least seen; those of comprehensions only tidy up."""
    entries: list[Any] = dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]
    catching = {one.offset for one in dis.get_instructions(code) if one.opname == "PUSH_EXC_INFO"}
    return [entry for entry in entries if entry.target in catching]


def _names_only(key: object) -> bool:
    """Whether a frame's subscript is a column's name or a list of them."""
    return isinstance(key, str) or (isinstance(key, list) and bool(key) and all(isinstance(name, str) for name in key))


def _line(frame: FrameType, root: CodeType) -> str:
    """The line in the watched function's own file that a frame was reached from."""
    for one in _stack(frame):
        if one.f_code.co_filename == root.co_filename:
            return f", line {one.f_lineno}"
    return ""
