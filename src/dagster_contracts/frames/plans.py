"""What kind of plan a lazy frame is: whether it can be run twice, which files it reads, and what one row weighs."""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

if TYPE_CHECKING:
    from collections.abc import Collection

_STEP = re.compile(r'label="(.*?)"(?=[,\]])', re.DOTALL)
# Steps of a physical streaming plan that give the same rows in the same order each time, at the price of reading files.
_REPEATABLE = frozenset(
    [
        "multi-scan[parquet]",
        "multi-scan[ipc]",
        "in-memory-source",
        "with-columns",
        "select",
        "filter",
        "simple-projection",
    ]
)
_SAMPLE_ROWS = 10_000


def can_run_twice(frame: pl.LazyFrame) -> bool:
    """Whether a plan only reads files or memory, row by row, so that reading some columns first is cheap and safe.

    A plan with Python in it may have side effects, one that joins, sorts or groups would do the work twice, one that
    draws at random would give other rows: all of these, and whatever is not known here, must run once.
    """
    if "python" in frame.explain(optimized=False).lower():
        return False
    return steps(frame) <= _REPEATABLE


def beside(left: pl.LazyFrame, right: pl.LazyFrame) -> pl.LazyFrame:
    """Two plans side by side, row for row; fails when it runs if their heights differ."""
    # Before Polars 2 unequal heights are refused only if asked to, in Polars 2 always, and asking is deprecated.
    asked = {} if pl.__version__ >= "2" else {"strict": True}
    return pl.concat([left, right], how="horizontal", **asked)


def steps(frame: pl.LazyFrame) -> set[str]:
    """The kinds of steps in a frame's physical streaming plan."""
    graph = frame.show_graph(raw_output=True, show=False, engine="streaming", plan_stage="physical")
    return {label.split("\\n")[0] for label in _STEP.findall(str(graph))}


def files_state(frame: pl.LazyFrame) -> frozenset[tuple[str, int, int, int]]:
    """What the local files that a plan reads by name are now; it differs once one was replaced, written to or added.

    Files that the plan holds open cannot be replaced, and of those elsewhere nothing is known: neither is in it.
    """
    found: set[tuple[str, int, int, int]] = set()
    try:
        plan = frame._ldf.visit()  # noqa: SLF001  (pinned by tests/frames/test_plans.py)
    except (OSError, pl.exceptions.PolarsError):  # a file is gone, or is not what it was
        return frozenset()
    nodes = [plan.get_node()]
    while nodes:
        plan.set_node(nodes.pop())
        nodes += plan.get_inputs()
        paths: list[object] = []
        with contextlib.suppress(NotImplementedError):  # a scan of open files
            paths = getattr(plan.view_current_node(), "paths", paths)
        for name in map(str, paths):
            with contextlib.suppress(OSError):
                now = os.stat(name.removeprefix("file://"))  # noqa: PTH116  (it may be a URL)
                found.add((name, now.st_ino, now.st_size, now.st_mtime_ns))
    return frozenset(found)


def free_name(columns: Collection[str]) -> str:
    """A name that no column has."""
    name = "__dagster_contracts"
    while name in columns:
        name += "_"
    return name


def bytes_a_row(frame: pl.LazyFrame, columns: Collection[str]) -> float:
    """What a row of some columns weighs in memory, measured on the first rows."""
    head = frame.select(cs.by_name(*columns)).head(_SAMPLE_ROWS).collect(engine="streaming")
    return head.estimated_size() / max(head.height, 1)
