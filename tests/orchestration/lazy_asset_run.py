"""A process for the tests of lazy assets: materializes one over a Parquet file, and says what it took.

`python lazy_asset_run.py <base_dir> <source> <memory_budget> [<seconds a row group>]` runs the asset `orders` and prints
one JSON object: the counts, the process's peak memory before the run and after it, in bytes. With the last argument each
of the source's row groups takes that long, and a line is printed when the first is read.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import dagster as dg
import dataframely as dy
import polars as pl
from polars.io.plugins import register_io_source

import dagster_contracts as dc


class Orders(dy.Schema):
    id = dy.Int64(primary_key=True)
    a = dy.Float64(min=0.0)


def peak() -> int:
    # Of this program alone: `ru_maxrss` begins with the peak of the process that started it.
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def slowly(source: str, seconds: float) -> pl.LazyFrame:
    def read(with_columns, predicate, n_rows, batch_size):
        rows = pl.read_parquet(source)
        for at in range(0, rows.height, 100):
            part = rows[at : at + 100]
            sys.stdout.write("reading\n")
            sys.stdout.flush()
            time.sleep(seconds)
            yield part if with_columns is None else part.select(with_columns)

    return register_io_source(read, schema=pl.read_parquet_schema(source))


def main(base_dir: str, source: str, budget: str, seconds: str = "") -> None:
    @dc.asset(Orders, quarantine=True, memory_budget=int(budget), on_extra_columns="keep")
    def orders() -> pl.LazyFrame:
        return slowly(source, float(seconds)) if seconds else pl.scan_parquet(source)

    before = peak()
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize(
            [orders], resources={"io_manager": dc.ParquetIOManager(base_dir=base_dir)}, instance=instance
        )
    after = peak()
    table, quarantine = (
        pl.scan_parquet(Path(base_dir) / f"{name}.parquet") for name in ("orders", "orders_quarantine")
    )
    told = {
        "success": result.success,
        "valid": table.select(pl.len()).collect().item(),
        "invalid": quarantine.select(pl.len()).collect().item(),
        "sum": quarantine.select(pl.col("id").sum()).collect().item(),
        "before": before,
        "after": after,
    }
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
