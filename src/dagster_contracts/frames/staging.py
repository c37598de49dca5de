"""Where a lazy frame's plan runs before its rows are looked at."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl


def collect_staged(frame: pl.LazyFrame, temp_dir: Path | None) -> pl.DataFrame:
    """Run a plan once, on the streaming engine, into a file, and read the rows back.

    The peak memory of a plan with a large middle is then the size of its result. The file is Arrow IPC, which keeps
    every dtype but Object; it is removed whichever way this ends.
    """
    if any(dtype.base_type() == pl.Object for dtype in frame.collect_schema().dtypes()):
        return frame.collect()
    with tempfile.TemporaryDirectory(prefix="dagster-contracts-", dir=temp_dir) as folder:
        path = Path(folder) / "staged.arrow"
        frame.sink_ipc(path, engine="streaming")
        return pl.scan_ipc(path).collect()
