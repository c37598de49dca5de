"""What kind of plan a lazy frame is: whether it can be run twice, and what one of its rows weighs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl

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


def steps(frame: pl.LazyFrame) -> set[str]:
    """The kinds of steps in a frame's physical streaming plan."""
    graph = frame.show_graph(raw_output=True, show=False, engine="streaming", plan_stage="physical")
    return {label.split("\\n")[0] for label in _STEP.findall(str(graph))}


def bytes_a_row(frame: pl.LazyFrame, columns: Collection[str]) -> float:
    """What a row of some columns weighs in memory, measured on the first rows."""
    head = frame.select(columns).head(_SAMPLE_ROWS).collect(engine="streaming")
    return head.estimated_size() / max(head.height, 1)
