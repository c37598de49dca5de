"""`python -m benchmarks.sql [--quick]`: checking a project of chained SQL models, beside DuckDB's own DESCRIBE of them.

Each measurement is a fresh process on the same folder; `RESULTS.md` gets the medians and the spec's targets.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.results import RESULTS, write_section

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 20_260
COLUMNS = (
    ("id", "BIGINT", True),
    ("customer_id", "INTEGER", False),
    ("amount", "DECIMAL(10,2)", True),
    ("status", "VARCHAR", False),
    ("created_at", "TIMESTAMP", True),
    ("country", "VARCHAR", True),
    ("score", "DOUBLE", False),
)
DESCRIBE = """
import sys, pathlib, duckdb
folder = pathlib.Path(sys.argv[1])
c = duckdb.connect()
c.execute((folder / "sources.sql").read_text())
columns = 0
for at in range(int(sys.argv[2])):
    sql = (folder / f"models/m{at}.sql").read_text()
    described = c.execute(f"DESCRIBE {sql}").fetchall()
    columns += len(described)
    listed = ", ".join(f'"{row[0]}" {row[1]}' for row in described)
    c.execute(f"CREATE TABLE m{at} ({listed})")
print(columns)
"""


@dataclass(frozen=True)
class Time:
    """How long a process took: by the clock, and of a processor, which a busy machine lengthens less."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Row:
    """One measurement: what, how long, and what it should be at most."""

    label: str
    time: Time
    target: str


def make_project(folder: Path, models: int) -> None:
    """Write a project of models that read each other, each with a contract, the same from the same seed."""
    rng = random.Random(SEED)  # noqa: S311
    for name in ("models", "contracts"):
        (folder / name).mkdir(parents=True)
    (folder / "contracts.toml").write_text('[[sources]]\nsql = "sources.sql"\n')
    listed = ", ".join(f"{name} {of}{' NOT NULL' if strict else ''}" for name, of, strict in COLUMNS)
    (folder / "sources.sql").write_text(f"CREATE SCHEMA raw;\nCREATE TABLE raw.events ({listed});\n")
    for at in range(models):
        (folder / f"models/m{at}.sql").write_text(_model(at, rng))
        contract = '[rules]\nrequired = ["id", "amount"]\n[[columns]]\nname = "id"\ntype = "Int64"\nnullable = false\n'
        (folder / f"contracts/m{at}.contract.toml").write_text(contract)


def _model(at: int, rng: random.Random) -> str:
    """One model's SQL, of a few shapes that keep the columns' names and types for the next."""
    one, other = (f"m{rng.randint(max(0, at - 20), at - 1)}" if at else "raw.events" for _ in range(2))
    extra = f", CASE WHEN a.amount > {rng.randint(1, 99)} THEN 1 ELSE 0 END AS flag"
    match rng.randrange(4):
        case 0:
            return (
                "SELECT a.id, a.customer_id, a.amount, coalesce(a.status, 'none') AS status, a.created_at, a.country, "
                f"a.score{extra}\nFROM {one} AS a\nWHERE a.status IS NOT NULL\n"
            )
        case 1:
            return (
                "SELECT a.id, b.customer_id, a.amount, b.status, a.created_at, a.country, b.score"
                f"{extra}\nFROM {one} AS a\nLEFT JOIN {other} AS b ON a.id = b.id AND b.amount > {at}\n"
            )
        case 2:
            return (
                "WITH daily AS (\n  SELECT a.id, max(a.customer_id) AS customer_id, "  # noqa: S608
                "CAST(sum(a.amount) AS DECIMAL(10,2)) AS amount, min(a.status) AS status, "
                "max(a.created_at) AS created_at, min(a.country) AS country, avg(a.score) AS score\n"
                f"  FROM {one} AS a\n  GROUP BY a.id\n)\nSELECT * FROM daily WHERE amount BETWEEN 1 AND {at + 2}\n"
            )
    return (
        "SELECT a.id, a.customer_id, a.amount, a.status, a.created_at, a.country, a.score, "  # noqa: S608
        "row_number() OVER (PARTITION BY a.country ORDER BY a.created_at) AS place\n"
        f"FROM (SELECT * EXCLUDE (score), score FROM {one} WHERE id IN (SELECT id FROM {other})) AS a\n"
    )


def _timed(command: list[str], compiled: Path, repeats: int, before: Callable[[int], object] = lambda _: None) -> Time:
    """The median times of a command in a fresh process, of which a first one has compiled what it imports."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(compiled)
    taken = []
    for turn in range(repeats + 1):
        before(turn)
        start, used = time.perf_counter(), _cpu()
        subprocess.run(command, check=True, capture_output=True, env=environment)  # noqa: S603
        taken.append(Time(time.perf_counter() - start, _cpu() - used))
    taken = taken[1:]
    return Time(median(one.wall for one in taken), median(one.cpu for one in taken))


def _cpu() -> float:
    """Seconds of a processor that ended child processes have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(folder: Path, models: int, repeats: int) -> list[Row]:
    """Every measurement on one project."""
    ours = [sys.executable, "-m", "dagster_contracts.cli"]
    check = [*ours, "check", str(folder)]
    compiled = folder.parent / "compiled"
    describe = _timed([sys.executable, "-c", DESCRIBE, str(folder), str(models)], compiled, repeats)
    cache = folder / ".dagster-contracts"
    cold = _timed(check, compiled, repeats, lambda _: shutil.rmtree(cache, ignore_errors=True))
    unchanged = _timed(check, compiled, repeats)
    last, middle = (folder / f"models/m{at}.sql" for at in (models - 1, models // 2))
    texts = {path: path.read_text() for path in (last, middle)}
    leaf = _timed(check, compiled, repeats, lambda turn: last.write_text(f"{texts[last]}-- {turn}\n"))
    inner = _timed(check, compiled, repeats, lambda turn: middle.write_text(f"{texts[middle]}-- {turn}\n"))
    start = _timed([*ours, "--help"], compiled, repeats)
    return [
        Row(f"DuckDB's own DESCRIBE of {models} models", describe, "the floor"),
        Row("cold check", cold, "2.5 x the floor"),
        Row("check, nothing changed", unchanged, "0.3 s"),
        Row("check, the last model edited", leaf, "0.15 s"),
        Row("check, a model in the middle edited, its output the same", inner, "0.15 s and its descendants"),
        Row("`--help`", start, "0.25 s"),
    ]


def report(rows: list[Row], models: int, repeats: int) -> str:
    """The section of `RESULTS.md`."""
    floor = rows[0].time
    lines = [
        f"| {row.label} | {row.time.cpu:.2f} s | {row.time.cpu / floor.cpu:.2f} | {row.time.wall:.2f} s "
        f"| {row.time.wall / floor.wall:.2f} | {row.target} |"
        for row in rows
    ]
    versions = ", ".join(f"{name} {version(name)}" for name in ("dagster-contracts", "duckdb", "sqlglot"))
    conditions = (
        f"{models} chained models with a contract each, from a seed. Medians of {repeats} fresh processes, imports "
        f"included, which were compiled before, on {os.cpu_count()} cores with a load average of "
        f"{os.getloadavg()[0]:.1f} at the end."
    )
    return "\n".join(
        [
            "## SQL models: `python -m benchmarks.sql`",
            "",
            conditions,
            f"Python {platform.python_version()}, {versions}.",
            "",
            "| what | processor | x DESCRIBE | clock | x DESCRIBE | target |",
            "| --- | --- | --- | --- | --- | --- |",
            *lines,
        ]
    )


def main() -> None:
    """Measure, print, and write the section unless it was quick."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a hundred models, once; writes no results")
    arguments = parser.parse_args()
    models, repeats = (100, 1) if arguments.quick else (1000, 5)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "project")
        make_project(folder, models)
        text = report(measure(folder, models, repeats), models, repeats)
    print(text)
    if not arguments.quick:
        write_section(RESULTS, "sql", text)


if __name__ == "__main__":
    main()
