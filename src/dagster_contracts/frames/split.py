"""A frame split into the rows that keep every rule of a contract and the rows that break one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.frames.eager import split_eagerly
from dagster_contracts.frames.plans import can_run_twice
from dagster_contracts.frames.result import CoFailure, Split, SplitOptions
from dagster_contracts.frames.streaming import can_be_staged, split_streaming

if TYPE_CHECKING:
    from pathlib import Path

    from dagster_contracts.contract.fields import Contract

__all__ = ["CoFailure", "Split", "SplitOptions", "split"]


def split(
    contract: Contract,
    frame: pl.DataFrame | pl.LazyFrame,
    options: SplitOptions | None = None,
    *,
    into: Path | None = None,
) -> Split:
    """Split a frame whose columns keep the contract.

    Args:
        contract: The rules to hold the rows against.
        frame: The rows. A lazy frame's plan runs once, on the streaming engine, and is never collected whole.
        options: What to find out on the way.
        into: The folder into which a lazy frame's halves are written, which must outlive the result. Without one the
            halves are plans, if the frame's own plan can be run twice, and else the frame is collected.

    Raises:
        RuleError: A rule does not evaluate on this frame or is not Boolean.
    """
    options = options or SplitOptions()
    if isinstance(frame, pl.DataFrame):
        return split_eagerly(contract, frame, options)
    if can_be_staged(frame) if into is not None else can_run_twice(frame):
        return split_streaming(contract, frame, options, into)
    return split_eagerly(contract, frame.collect(engine="streaming"), options)
