"""One call of an asset's function on made-up frames, in a thread of its own, watched, and for a limited time."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import sys
import threading
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from dagster_contracts.errors import ContractsError
from dagster_contracts.orchestration.dry_run.plan import HiddenError, Step, read_plan, trouble_with
from dagster_contracts.orchestration.dry_run.watch import Stopped, Watch, end, watched
from dagster_contracts.orchestration.returned import unwrap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Schema = dict[str, pl.DataType]
BY_COLUMNS_ALONE = (
    pl.exceptions.ColumnNotFoundError,
    pl.exceptions.DuplicateError,
    pl.exceptions.SchemaError,
    pl.exceptions.SchemaFieldNotFoundError,
    pl.exceptions.StructFieldNotFoundError,
)
"""Errors of Polars that no row causes."""


class Partitions(dict[str, Any]):
    """The partitions of a table, which may be gone through; how many they are and what they are called is noted."""

    watch: Watch | None = None

    def _look(self, what: str) -> None:
        if self.watch is not None:
            self.watch.note(f"it looks at which partitions there are ({what})", sys._getframe(2))  # noqa: SLF001

    def __len__(self) -> int:
        self._look("len")
        return super().__len__()

    def __getitem__(self, key: str) -> Any:
        self._look("[]")
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._look("in")
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The frame of one partition, noted."""
        self._look("get")
        return super().get(key, default)


@dataclass
class Call:
    """What a call came to.

    Args:
        schema: The columns of what was returned, if that is a frame.
        plan: Its plan, if it is lazy and its plan can be read.
        ran: The columns as they are once its plan has run.
        calls: The calls of Polars that the function made, in order.
        reasons: Why what it returns may depend on more than the columns it was given.
        failure: An error that it raised, as text.
        by_columns: Whether that error comes from the columns alone.
    """

    schema: Schema | None = None
    plan: Step | None = None
    ran: tuple[Schema, ...] = ()
    calls: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    failure: str | None = None
    by_columns: bool = False


def call(fn: Callable[..., Any], arguments: Mapping[str, Any], asset: str, *, limit: float, run: bool = False) -> Call:
    """Call a function on made-up frames.

    Args:
        fn: The function, as it was decorated.
        arguments: What its parameters get.
        asset: The asset as messages call it.
        limit: Seconds that it may take; then it is ended, at the latest when it is back in Python.
        run: Whether the plan of a lazy frame that it returns shall run, too.
    """
    found = Call()
    code = getattr(inspect.unwrap(fn), "__code__", None)
    if code is None:
        found.reasons.append("it is no plain function")
        return found
    watch = Watch(code)
    for value in arguments.values():
        if isinstance(value, Partitions):
            value.watch = watch

    def work() -> None:
        with _no_bytecode():
            _call(fn, arguments, watch, found, asset=asset, run=run)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    thread.start()
    thread.join(limit)
    if thread.is_alive():
        end(thread)
        return Call(reasons=[*watch.notes, f"it took more than {limit:g} seconds"])
    found.calls, found.reasons = watch.calls, [*dict.fromkeys(watch.notes + found.reasons)]
    return found


def _call(
    fn: Callable[..., Any], arguments: Mapping[str, Any], watch: Watch, found: Call, *, asset: str, run: bool
) -> None:
    try:
        returned = watched(watch, lambda: _returned(fn, arguments))
        frame, _ = unwrap(asset, returned)
        if frame is None:
            found.reasons.append("it returned None for tables without rows")
        elif not isinstance(frame, (pl.DataFrame, pl.LazyFrame)):
            found.reasons.append(f"it returns {type(frame).__name__}, which only a run conforms")
        else:
            _look_at(frame, found, run=run)
    except Stopped:
        pass  # the watch has noted why
    except _Waits:
        found.reasons.append("it waits for something (await)")
    except ContractsError as error:
        found.reasons.append(str(error).partition(";")[0])
    except BaseException as error:  # noqa: BLE001  (a user's function may raise anything, SystemExit included)
        found.failure = f"it raised {type(error).__name__}: {_first_line(error)}{_line(error, watch)}"
        found.by_columns = isinstance(error, BY_COLUMNS_ALONE) and not watch.notes


class _Waits(Exception):  # noqa: N818
    """A coroutine wants to wait."""


def _returned(fn: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    returned = fn(**arguments)
    if not inspect.iscoroutine(returned):
        return returned
    try:
        returned.send(None)
    except StopIteration as done:
        return done.value
    returned.close()
    raise _Waits


def _look_at(frame: pl.DataFrame | pl.LazyFrame, found: Call, *, run: bool) -> None:
    if isinstance(frame, pl.DataFrame):
        found.schema = dict(frame.schema)
        found.ran = (found.schema,)
        return
    trouble = trouble_with(frame)
    if trouble is not None:
        found.reasons.append(f"it returns {trouble}")
        return
    found.schema = dict(frame.collect_schema())
    with contextlib.suppress(HiddenError):
        found.plan = read_plan(frame)
    if run:
        with contextlib.suppress(pl.exceptions.PolarsError):  # made-up rows need not be ones that it can work on
            found.ran = tuple(dict(frame.collect(engine=engine).schema) for engine in ("in-memory", "streaming"))


@contextlib.contextmanager
def _no_bytecode() -> Any:
    """No import in a function writes its compiled form."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0][:200]


def _line(error: BaseException, watch: Watch) -> str:
    """The last line of the function's own file on an error's way."""
    own = [one for one in traceback.extract_tb(error.__traceback__) if one.filename == watch.root.co_filename]
    return f", line {own[-1].lineno}" if own else ""
