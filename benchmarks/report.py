"""The results as Markdown."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.targets import MIB, Target, targets

if TYPE_CHECKING:
    from benchmarks.cases import Scale
    from benchmarks.environment import Environment
    from benchmarks.run import Results

_OWN_LOAD = 1.2
_HOW = """\
Every number is the median of fresh processes that take turns. CPU is user and system time of the work alone, without
imports. *Peak* is the most memory that was resident; *above* is how much of it came on top of what was resident before
the work, and of a frame in memory after it was read. Assets run as in a run worker, where nobody keeps what they
return. `floor` is Polars alone, `plain` a `@dg.asset`, `ours` a `@dc.asset` with a quarantine, `peer` the same with
dagster-dataframely; all assets write through `dc.ParquetIOManager`. What a thing *adds* is its own value less that of
`plain`."""


def report(results: Results, scale: Scale, environment: Environment) -> str:
    """Everything that was measured, and what is missed."""
    known = [(target, target.measured(results)) for target in targets()]
    missed = [
        f"* {each.work}: {each.wanted}. {each.held_back}".strip() for each, value in known if _misses(each, value)
    ]
    parts = ["## Splitting a frame", _machine(scale, environment), _HOW, _table(known)]
    if missed:
        parts.append("### Missed\n\n" + "\n".join(missed))
    differing = _differing(results)
    if differing:
        parts.append("### Not the same work\n\n" + "\n".join(f"* {line}" for line in differing))
    return "\n\n".join([*parts, "### Medians", _medians(results)]) + "\n"


def _machine(scale: Scale, environment: Environment) -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    sizes = f"{scale.eager:,} rows eager, {scale.lazy:,} lazy, median of {scale.repeats}"
    big = f", {scale.big:,} rows for the big table, measured once" if scale.big else ""
    quick = " **Quick: fewer rows and repeats than the targets are about.**" if scale.quick else ""
    shared = os.getloadavg()[2] > _OWN_LOAD * (os.cpu_count() or 1)
    others = " **The machine was shared: CPU times are higher than on an idle one, wall times much.**" if shared else ""
    return (
        f"{datetime.now(UTC):%Y-%m-%d}; {_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}; "
        f"{environment.versions()}. {sizes}{big}. Load at the end: {load}.{quick}{others}"
    )


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _table(known: list[tuple[Target, float | None]]) -> str:
    rows = ["| work | wanted, at most | measured | |", "| --- | --- | --- | --- |"]
    for target, value in known:
        measured = "not measured" if value is None else f"{value:.3g} {target.unit}"
        verdict = "" if value is None else "MISS" if _misses(target, value) else "OK"
        rows.append(f"| {target.work} | {target.wanted} | {measured} | {verdict} |")
    return "\n".join(rows)


def _misses(target: Target, value: float | None) -> bool:
    return value is not None and value > target.limit


def _differing(results: Results) -> list[str]:
    """Works in which our valid rows are not as many as the peer's."""
    found = []
    for label, ours in results.items():
        peer = results.get(label.replace("/ours", "/peer"))
        if peer is not None and peer.rows != ours.rows:
            found.append(f"{label}: {ours.rows:,} valid rows, the peer {peer.rows:,}")
    return found


def _medians(results: Results) -> str:
    rows = ["| work | CPU s | wall s | peak MiB | above MiB | valid rows |", "| --- | --- | --- | --- | --- | --- |"]
    for label, each in results.items():
        memory = f"{each.peak / MIB:,.0f} | {each.above / MIB:,.0f}"
        rows.append(
            f"| {label} | {each.cpu:.4g} | {each.wall:.4g} | {memory} | {each.rows if each.rows >= 0 else ''} |"
        )
    return "\n".join(rows)
