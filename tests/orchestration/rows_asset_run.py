"""A process for the tests of assets that generate rows: runs one, and says what it took.

`python rows_asset_run.py <base_dir> <rows> [<characters> [<seconds a thousand rows>]]` runs the asset `events` over so many
generated rows, of which one in a hundred cannot be conformed and one in a hundred breaks a rule, each with a text of so
many characters. It prints one JSON object: the counts, and the process's peak memory before the run and after it, in
bytes. With the last argument a line is printed for each thousand rows, which then take that long, and next to nothing is
held in memory.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

import dagster_contracts as dc
from dagster_contracts.orchestration import conform


class Events(dc.Schema):
    id: int
    user: str
    amount: float = dc.field(ge=0)
    clicks: int
    note: str | None = None


def generated(count: int, characters: int = 0, seconds: float = 0.0) -> Iterator[dict[str, Any]]:
    for at in range(count):
        if seconds and at % 1_000 == 0:
            sys.stdout.write("reading\n")
            sys.stdout.flush()
            time.sleep(seconds)
        kind = at % 100
        yield {
            "id": at,
            "user": f"user-{at % 1_000}",
            "amount": -1.0 if kind == 7 else at % 50 + 0.5,
            "clicks": "many" if kind == 13 else str(at % 9),
            "note": None if kind == 50 else f"{at:0{characters}}",
        }


def peak() -> int:
    # Of this program alone: `ru_maxrss` begins with the peak of the process that started it.
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def main(base_dir: str, count: str, characters: str = "0", seconds: str = "0") -> None:
    if float(seconds):
        conform.BATCH_ROWS, conform.HELD_BYTES = 1_000, 1

    @dc.asset(Events, quarantine=True)
    def events():
        yield from generated(int(count), int(characters), float(seconds))

    before = peak()
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize(
            [events],
            resources={"io_manager": dc.ParquetIOManager(base_dir=base_dir)},
            instance=instance,
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
    after = peak()
    told: dict[str, Any] = {"success": result.success, "before": before, "after": after}
    for name, file in (("valid", "events"), ("invalid", "events_quarantine")):
        rows = pl.scan_parquet(Path(base_dir) / f"{file}.parquet")
        told[name] = rows.select(pl.len()).collect().item()
        told[f"{name}_ids"] = rows.select(pl.col("id").sum()).collect().item()
        told[f"{name}_in_order"] = rows.select(pl.col("id").is_sorted()).collect().item()
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
