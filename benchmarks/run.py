"""Doing the jobs: tables made once, each measurement in a fresh process, the competitors in turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.environment import ROOT, Environment
from benchmarks.meter import Measured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchmarks.cases import Job
    from benchmarks.tables import Table

Results = dict[str, Measured]


def measure(
    groups: Sequence[Sequence[Job]], environment: Environment, cache: Path, repeats: int, *, resume: bool = False
) -> Results:
    """The medians of every job, by label; a job that fails is said on stderr and left out.

    Every measurement is kept in the cache as soon as it is made, so that `resume` takes up a run that was interrupted.
    """
    for table in dict.fromkeys(job.table for group in groups for job in group if job.table):
        _make(table, environment, cache)
    kept = cache / "measured.json"
    found: dict[str, list[Measured]] = {}
    if resume and kept.exists():
        known = json.loads(kept.read_text())
        found = {label: [Measured(**each) for each in measured] for label, measured in known.items()}
    for group in groups:
        for turn in range(repeats):
            for job in group:
                if len(found.get(job.label, ())) > turn or (job.once and turn):
                    continue
                _say(f"{job.label}, {turn + 1} of {repeats}")
                measured = _do(job, environment, cache)
                if measured is not None:
                    found.setdefault(job.label, []).append(measured)
                    kept.write_text(
                        json.dumps({label: [each.as_dict() for each in all_] for label, all_ in found.items()})
                    )
    return {label: _middle(all_measured) for label, all_measured in found.items()}


def _make(table: Table, environment: Environment, cache: Path) -> None:
    if not (cache / table.file_name).exists():
        _say(f"making {table.file_name}")
        arguments = [table.schema, str(table.rows), str(table.invalid), str(cache / table.file_name)]
        subprocess.run([environment.python, "-m", "benchmarks.data", *arguments], check=True, cwd=ROOT)  # noqa: S603


def _do(job: Job, environment: Environment, cache: Path) -> Measured | None:
    arguments = dict(job.arguments)
    if job.table is not None:
        arguments |= {"file": str(cache / job.table.file_name)}
    if job.name in {"asset", "floor", "small"}:
        arguments |= {"folder": str(cache)}
    command = [environment.python, "-W", "ignore", "-m", "benchmarks.worker", job.name, json.dumps(arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, env=_variables())  # noqa: S603
    if done.returncode:
        _say(f"{job.label} failed:\n{done.stderr[-2000:]}")
        return None
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def _variables() -> Mapping[str, str]:
    """The variables without what would change what is measured."""
    ours = ("DAGSTER_", "POLARS_", "VIRTUAL_ENV", "PYTHON")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def _middle(measured: Sequence[Measured]) -> Measured:
    return Measured(
        cpu=median(each.cpu for each in measured),
        wall=median(each.wall for each in measured),
        peak=int(median(each.peak for each in measured)),
        above=int(median(each.above for each in measured)),
        rows=measured[-1].rows,
    )


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
