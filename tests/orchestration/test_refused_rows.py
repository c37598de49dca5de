"""Rows that could not be conformed, as they are collected batch by batch."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from dagster_contracts.orchestration.refused_rows import Refusals
from dagster_contracts.orchestration.storage.spool import Spool

STATUS = Path("/proc/self/status")


def resident() -> int:
    """The memory of this process that is no file's, in MiB."""
    return next(int(line.split()[1]) // 1024 for line in STATUS.read_text().splitlines() if line.startswith("RssAnon"))


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells what memory a process has")
def test_a_refused_row_does_not_keep_the_texts_of_its_batch_in_memory(tmp_path):
    refusals = Refusals(Spool(lambda: tmp_path, "refused", 64 << 20), 5)
    before = None
    for at in range(110):
        text = pl.lit("x" * 200) + pl.int_range(10_000, eager=True).cast(pl.String)
        batch = pl.select(text=text, texts=pl.concat_list(text))
        refusals.add(batch[[at]], [])
        if at == 10:
            before = resident()
    assert resident() - before < 100  # all batches together have 400 MiB of text
    assert refusals.result().rows["text"].to_list() == ["x" * 200 + str(row) for row in range(110)]
