"""Case R7: a generator of any number of rows runs in constant memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest

import dagster_contracts as dc
from dagster_contracts.orchestration.conform import BATCH_ROWS

RUNNER = Path(__file__).parents[1] / "orchestration" / "rows_asset_run.py"
MIB = 1 << 20


def run(base: Path, rows: int) -> dict[str, Any]:
    command = [sys.executable, str(RUNNER), str(base), str(rows)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=3_000)
    return json.loads(done.stdout.splitlines()[-1])


def holds(told: dict[str, Any], rows: int, most: int) -> None:
    """One row in a hundred is refused and one breaks a rule; together they are the input, in its order."""
    assert told["success"]
    assert (told["valid"], told["invalid"]) == (rows * 98 // 100, rows * 2 // 100)
    assert told["valid_ids"] + told["invalid_ids"] == rows * (rows - 1) // 2
    assert told["valid_in_order"]
    assert told["invalid_in_order"]
    assert told["after"] < most * MIB, f"{told['after'] / MIB:.0f} MiB at the peak, {told['before'] / MIB:.0f} before"


class Counted(int):
    """A value that knows how many of its kind there are."""

    alive: ClassVar[int] = 0
    most: ClassVar[int] = 0

    def __new__(cls, value: int) -> Self:
        cls.alive += 1
        cls.most = max(cls.most, cls.alive)
        return super().__new__(cls, value)

    def __del__(self) -> None:
        Counted.alive -= 1


@dataclass
class Row:
    id: int


class Ids(dc.Schema):
    id: int


@pytest.mark.parametrize("made", [Row, lambda value: {"id": value}, lambda value: [{"id": value}]])
def test_r7_no_more_rows_are_alive_than_a_batch_has(made):
    Counted.most = Counted.alive = 0

    @dc.asset(Ids)
    def rows() -> Iterator[Any]:
        for at in range(5 * BATCH_ROWS):
            yield made(Counted(at))

    assert dc.testing.run_asset(rows).table.height == 5 * BATCH_ROWS
    assert BATCH_ROWS <= Counted.most <= 2 * BATCH_ROWS + 2


def test_r7_three_hundred_thousand_generated_rows(tmp_path: Path):
    holds(run(tmp_path, 300_000), 300_000, 400)


@pytest.mark.slow
def test_r7_ten_million_generated_rows(tmp_path: Path):
    holds(run(tmp_path, 10_000_000), 10_000_000, 500)
