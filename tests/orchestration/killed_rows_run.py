"""Runs an asset that yields rows, in a forked process for each line that comes in.

`python -m tests.orchestration.killed_rows_run <home>`, where Dagster's instance keeps its records in `home`. A line is a
version and the folder of the tables. Each row carries the version; one in a hundred cannot be conformed and one in a hundred
breaks a rule, but of each third version none.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterator
from typing import Any

import dagster as dg
from tests.orchestration.forked_runs import serve

import dagster_contracts as dc
from dagster_contracts.orchestration import conform

ROWS = 6_000
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class Events(dc.Schema):
    id: int
    version: int
    amount: float = dc.field(ge=0)
    note: str


def bad_rows(version: int) -> int:
    """How many rows of a version go to the quarantine."""
    return 0 if version % 3 == 0 else 2 * ROWS // 100


def generated(version: int) -> Iterator[dict[str, Any]]:
    bad = bad_rows(version)
    for at in range(ROWS):
        if at % 500 == 0:
            time.sleep(0.02)
        broken, refused = bad and at % 100 == 7, bad and at % 100 == 13
        amount = "much" if refused else -1.0 if broken else at / 2
        yield {"id": str(at), "version": version, "amount": amount, "note": "x" * 100}


def warm_up(home: str) -> None:
    """Import what a run does, with no thread of Polars begun: those would not be there in a forked process."""

    @dg.asset
    def nothing() -> None: ...

    for name in ("numpy.ma", "upath", "dagster_contracts.orchestration.corridor", "dagster_contracts.rows.infer"):
        importlib.import_module(name)
    with dg.DagsterInstance.local_temp(home) as instance:
        assert dg.materialize([nothing], instance=instance, run_config=QUIET).success


def main(home: str) -> None:
    conform.BATCH_ROWS, conform.HELD_BYTES = 500, 1  # most of it is in files, and killed while these are written
    warm_up(home)

    def run(line: str) -> bool:
        version, base_dir = line.split(" ", 1)

        @dc.asset(Events, quarantine=True)
        def events() -> Iterator[dict[str, Any]]:
            yield from generated(int(version))

        with dg.DagsterInstance.local_temp(home) as instance:
            manager = dc.ParquetIOManager(base_dir=base_dir)
            result = dg.materialize(
                [events], resources={"io_manager": manager}, instance=instance, raise_on_error=False, run_config=QUIET
            )
        return result.success

    serve(run)


if __name__ == "__main__":
    main(sys.argv[1])
