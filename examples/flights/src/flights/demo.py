"""`flights-demo`: materialize every table, and say what was found and whether it is what the example states."""

import argparse
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from sqlite3 import Connection

import dagster as dg
from rich.console import Console
from rich.table import Table
from sqlalchemy import Engine, event

from flights.definitions import defs
from flights.expected import ONLY_WARNED
from flights.partitions import MONTHS
from flights.tally import Tally, declared_checks, differences, tally

Step = tuple[tuple[str, ...], str | None]

SOURCES = ("airlines", "airports", "planes", "weather")
MONTHLY = ("flights", "delays_by_carrier")
REPORTS = ("monthly_summary", "routes", "busiest_days", "duplicate_flights_report")
MODELS = (
    "airport_traffic",
    "calendar",
    "daily_flights",
    "daily_trend",
    "delays_by_carrier_month",
    "flights_with_planes",
    "worst_day_by_airport",
)
RUNS: list[Step] = [
    (SOURCES, None),
    *((MONTHLY, month) for month in MONTHS.get_partition_keys()),
    (REPORTS, None),
    (MODELS, None),
]

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
STYLES = {"WARN": "yellow", "ERROR": "red"}
SETTINGS = "telemetry:\n  enabled: false\nnux:\n  enabled: false\n"
PROJECT = Path(__file__).parents[2]
DIFFERENT, UNUSABLE, INTERRUPTED = 1, 2, 130


class RunFailedError(Exception):
    """A run did not succeed."""


def main(arguments: list[str] | None = None) -> int:
    """Run the demo and return its exit code."""
    parser = argparse.ArgumentParser(prog="flights-demo", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("demo"), metavar="DIR", help="default: %(default)s")
    output: Path = parser.parse_args(arguments).output.absolute()
    console = Console(highlight=False, markup=False, soft_wrap=True)
    try:
        home, tables = _prepare(output)
        return _demo(console, home, tables)
    except OSError as error:
        console.print(f"flights-demo: cannot use {output}: {error.strerror or error}. Choose another --output.")
        return UNUSABLE
    except RunFailedError as error:
        console.print(f"flights-demo: {error}")
        return DIFFERENT
    except (KeyboardInterrupt, dg.DagsterExecutionInterruptedError):
        console.print("flights-demo: interrupted. Every table is whole, the old or the new one; run it again.")
        return INTERRUPTED


def _without_fsync(connection: Connection, _: object) -> None:
    """Dagster waits for the disk several times a check; the history of a demo need not survive a power cut."""
    connection.execute("PRAGMA synchronous = OFF")


def _prepare(output: Path) -> tuple[Path, Path]:
    """Make the folders of the instance and of the tables."""
    home, tables = output / "dagster_home", output / "tables"
    home.mkdir(parents=True, exist_ok=True)
    tables.mkdir(exist_ok=True)
    (home / "dagster.yaml").write_text(SETTINGS)
    return home, tables


def _demo(console: Console, home: Path, tables: Path) -> int:
    os.environ["FLIGHTS_DATA_DIR"] = str(tables)
    event.listen(Engine, "connect", _without_fsync)
    loaded = defs()
    declared = declared_checks(loaded)
    found: dict[str, Tally] = {}
    with dg.DagsterInstance.from_config(str(home)) as instance:
        for name, partition, one in _materialize(loaded, instance):
            found[name] = found.get(name, Tally()) + one
            invalid = f", {one.invalid:,} invalid" if one.invalid else ""
            console.print(f"  {name:<26}{partition or '':<12}{one.valid:>9,} rows valid{invalid}")
    _show(console, found, declared)
    wrong = differences(found, declared)
    for line in wrong:
        console.print(f"DIFFERENT {line}", style="red")
    if not wrong:
        console.print("Everything is as the example states.")
    places = f"DAGSTER_HOME={shlex.quote(str(home))} FLIGHTS_DATA_DIR={shlex.quote(str(tables))}"
    console.print(f"\nTo see it in Dagster:\n  {places} uv run --directory {shlex.quote(str(PROJECT))} dg dev")
    return DIFFERENT if wrong else 0


def _materialize(defs: dg.Definitions, instance: dg.DagsterInstance) -> Iterator[tuple[str, str | None, Tally]]:
    """Make every run, and say of each asset in it what was found."""
    job = defs.resolve_implicit_global_asset_job_def()
    for names, partition in RUNS:
        result = job.execute_in_process(
            run_config=QUIET,
            instance=instance,
            partition_key=partition,
            asset_selection=[dg.AssetKey(name) for name in names],
            raise_on_error=False,
        )
        if not result.success:
            raise RunFailedError(_why(result))
        reported = tally(result, partition)
        yield from ((name, partition, reported[name]) for name in names)


def _why(result: dg.ExecuteInProcessResult) -> str:
    """The first step that failed and the message, without the class, of what stopped it."""
    failed = result.get_step_failure_events()
    error = failed[0].step_failure_data.error if failed else None
    while error is not None and error.cause is not None:
        error = error.cause
    if error is None:
        return f"the run {result.run_id} failed."
    return f"{failed[0].step_key} failed: {error.message.strip().partition(': ')[2] or error.message.strip()}"


def _show(console: Console, found: Mapping[str, Tally], declared: Mapping[str, Mapping[str, str]]) -> None:
    """A table of what was found, then every broken check, then where everything is."""
    table = Table("asset", box=None, padding=(0, 1, 0, 0))
    for title in ("rows in", "valid", "invalid", "checks\nheld", "\nwarned", "\nfailed", "not\nverified"):
        table.add_column(title, justify="right", no_wrap=True)
    for name, one in found.items():
        checks = declared[name]
        counts = map(len, (one.held(checks), one.warned, one.failed, one.not_verified(checks)))
        table.add_row(name, *(f"{number:,}" for number in (one.rows, one.valid, one.invalid, *counts)))
    console.print("\n", table, "\n", sep="")
    for name, one in found.items():
        for label, broken in (("WARN", one.warned), ("ERROR", one.failed)):
            for check, rows in broken.items():
                console.print(
                    f"{label} {name} {check}: {rows:,} of {one.rows:,} rows. {declared[name][check]}",
                    style=STYLES[label],
                )
    console.print(f"{ONLY_WARNED}\n")
    places: dict[str, list[str]] = {}
    for name, one in found.items():
        places.setdefault(f"{one.table}{f', quarantine {one.quarantine}' if one.quarantine else ''}", []).append(name)
    for place, names in places.items():
        console.print(f"{', '.join(names)}: {place}")
    console.print()
