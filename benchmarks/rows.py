"""`python -m benchmarks.rows`: what conforming rows costs, beside the peer (`interloper-core`) and pydantic alone.

Progress goes to stderr, the report to stdout, and after a full run, or with `--write`, into its section of
`benchmarks/RESULTS.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.environment import ROOT
from benchmarks.results import RESULTS, write_section

_PYTHONS = ("3.13", "3.12")
_PEERS = ("interloper-core", "interloper-pandas")
_PACKAGES = ("dagster-contracts", *_PEERS, "pydantic", "polars", "pandas", "pyarrow")
_CASES = ("reconcile 7", "reconcile 26", "strict 7", "strict 26", "columnar 7", "columnar 26", "bad 7", "bad 26")
_VERSIONS = f"""
import platform, importlib.metadata as m
known = {{d.metadata["Name"].lower() for d in m.distributions()}}
print("Python ", platform.python_version(), *(f", {{n}} {{m.version(n)}}" for n in {_PACKAGES} if n in known), sep="")
"""


@dataclass(frozen=True)
class Target:
    """One ratio that is asked for.

    Args:
        label: What is compared, in words.
        case: The case whose measurements it is made of.
        slow: The competitor on top of the fraction.
        fast: The one below.
        wanted: The ratio that is asked for: at least so much, or at most if `most`.
        most: Whether less is better.
        limit: What holds it back, from a profile; printed where it is missed.
    """

    label: str
    case: str
    slow: str
    fast: str
    wanted: float
    most: bool = False
    limit: str = ""


_EACH_OBJECT = (
    "every value is a Python object that is fetched from its dict (a third of the time), asked for its type (a sixth) "
    "and put into a column (a quarter and more): a loop that does these three alone and repairs nothing takes about "
    "nine tenths of the time of wide rows, most of it waiting for memory"
)
_OBJECTS = (
    "18 of the 26 columns hold Python objects, as wide rows do: each is taken from its array, asked for its type, "
    "repaired where it is of another, and put into a column"
)
_CASTS = (
    "Polars' own casts of text to dates and numbers and of numbers to text are more than half of it, the pattern that "
    "dates are held to a sixth; the more rows there are, the less the rest counts"
)

TARGETS = (
    Target("7 columns, RECONCILE: peer / to_frame", "reconcile 7", "peer", "to_frame", 9, limit=_EACH_OBJECT),
    Target(
        "7 columns, STRICT: peer / validate_rows",
        "strict 7",
        "peer",
        "validate_rows",
        25,
        limit="no column is made; fetching each value and asking for its type is three quarters of it, the items of "
        "lists the rest",
    ),
    Target("26 columns, RECONCILE: peer / to_frame", "reconcile 26", "peer", "to_frame", 9, limit=_EACH_OBJECT),
    Target("7 columns in Polars: peer on rows / to_frame", "columnar 7", "peer, rows", "Polars", 50, limit=_CASTS),
    Target("26 columns in Polars: peer on rows / to_frame", "columnar 26", "peer, rows", "Polars", 50, limit=_CASTS),
    Target(
        "7 columns in pandas: peer on pandas / to_frame",
        "columnar 7",
        "peer, pandas",
        "pandas",
        10,
        limit="a quarter is taking pandas' columns over, the rest as in Polars",
    ),
    Target(
        "7 columns in pandas, one of lists: peer on pandas / to_frame",
        "columnar 7",
        "peer, pandas with lists",
        "pandas, with lists",
        10,
        limit="the column of lists takes two thirds of it: each list and each item is a Python object",
    ),
    Target(
        "26 columns in pandas: peer on pandas / to_frame", "columnar 26", "peer, pandas", "pandas", 10, limit=_OBJECTS
    ),
    Target(
        "7 columns: 1 % bad / clean",
        "bad 7",
        "1 % bad",
        "clean",
        1.3,
        most=True,
        limit="a refused row is conformed once more field by field, for its failures and its raw JSON",
    ),
    Target(
        "26 columns: 1 % bad / clean",
        "bad 26",
        "1 % bad",
        "clean",
        1.3,
        most=True,
        limit="a refused row is conformed once more field by field, all 26 of them, for its failures and its raw JSON",
    ),
)
_MOST_BYTES = 500 << 20
_GENERATED = 10_000_000


def main() -> None:
    """Measure everything and report it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rows", description=__doc__)
    cache = Path(tempfile.gettempdir()) / "dagster-contracts-benchmarks"
    parser.add_argument("--quick", action="store_true", help="fewer rows and turns; writes no results file by itself")
    parser.add_argument("--write", action="store_true", help="write the results file after a quick run, too")
    parser.add_argument("--data", type=Path, default=cache, help=f"where the environment is kept: {cache}")
    arguments = parser.parse_args()
    rows, repeats, generated = (20_000, 3, 300_000) if arguments.quick else (60_000, 5, _GENERATED)
    python = environment(arguments.data)
    found = {case: _measured(python, case, rows, repeats) for case in _CASES}
    many = _measured(python, "generated", generated, 1)
    conditions = (
        f"{_output(python, '-c', _VERSIONS).strip()}; {os.cpu_count()} cores, load at the end "
        f"{os.getloadavg()[0]:.1f}. {rows:,} rows, CPU time, medians of {repeats} turns."
    )
    text = report(found, many, rows, generated, conditions)
    sys.stdout.write(text)
    if arguments.write or not arguments.quick:
        write_section(RESULTS, "rows", text)


def environment(cache: Path) -> str:
    """An interpreter with the package and the newest peer; the running one where none can be made, said on stderr."""
    python = cache / "rows-environment" / "bin" / "python"
    cache.mkdir(parents=True, exist_ok=True)
    for version in _PYTHONS:
        if not python.exists():
            _run("uv", "venv", "--quiet", "--clear", "--python", version, str(python.parents[1]))
    packages = [*_PEERS, "pandas", "pyarrow"]
    if python.exists() and _run(
        "uv", "pip", "install", "--quiet", "--python", str(python), "--editable", str(ROOT), *packages
    ):
        return str(python)
    sys.stderr.write(f"The peer is not measured: no environment with {', '.join(_PEERS)} could be made.\n")
    return sys.executable


def _run(*command: str) -> bool:
    """Whether a command succeeded, with every version of pyenv in sight."""
    variables = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    if shutil.which(command[0]) is None:
        return False
    if (pyenv := shutil.which("pyenv")) is not None:
        listed = subprocess.run([pyenv, "versions", "--bare"], check=False, capture_output=True, text=True)  # noqa: S603
        variables["PYENV_VERSION"] = ":".join(listed.stdout.split())
    return subprocess.run(command, check=False, capture_output=True, env=variables).returncode == 0  # noqa: S603


def _output(python: str, *arguments: str) -> str:
    return subprocess.run(  # noqa: S603
        [python, "-W", "ignore", *arguments], check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout


def _measured(python: str, case: str, rows: int, repeats: int) -> dict[str, float]:
    """One case in a fresh process."""
    sys.stderr.write(f"{case}\n")
    found: dict[str, float] = json.loads(_output(python, "-m", "benchmarks.rows_worker", case, str(rows), str(repeats)))
    return found


def report(
    found: dict[str, dict[str, float]], many: dict[str, float], rows: int, generated: int, conditions: str
) -> str:
    """Everything as Markdown: the targets first, then what they are made of."""
    lines = ["## Rows: `python -m benchmarks.rows`", "", conditions, ""]
    lines += ["| what | found | wanted | |", "| --- | ---: | ---: | --- |"]
    lines += [_target(one, found) for one in TARGETS]
    kept = "held" if many["peak"] < _MOST_BYTES else "missed"
    kept = kept if generated >= _GENERATED else f"open: wanted for {_GENERATED:,} rows"
    lines.append(f"| {generated:,} generated rows, peak | {many['peak'] / 2**20:,.0f} MiB | at most 500 MiB | {kept} |")
    limits = [f"* {one.label}: {one.limit}" for one in TARGETS if one.limit and _holds(one, found) is False]
    lines += ["", "What holds back those that are missed:", "", *limits] if limits else []
    lines += ["", "| case | competitor | µs a row |", "| --- | --- | ---: |"]
    lines += [
        f"| {case} | {name} | {seconds / rows * 1e6:.2f} |"
        for case, each in found.items()
        for name, seconds in each.items()
    ]
    return "\n".join(lines) + "\n"


def _target(target: Target, found: dict[str, dict[str, float]]) -> str:
    """One line of the targets' table; a competitor that was not measured leaves it open."""
    case = found[target.case]
    wanted = f"{'at most' if target.most else 'at least'} {target.wanted:g}"
    held = _holds(target, found)
    if held is None:
        return f"| {target.label} | not measured | {wanted} | open |"
    ratio = case[target.slow] / case[target.fast]
    return f"| {target.label} | {ratio:.2f} | {wanted} | {'held' if held else 'missed'} |"


def _holds(target: Target, found: dict[str, dict[str, float]]) -> bool | None:
    """Whether a ratio is what was asked for; `None` if its competitor was not measured."""
    case = found[target.case]
    if target.slow not in case:
        return None
    ratio = case[target.slow] / case[target.fast]
    return ratio <= target.wanted if target.most else ratio >= target.wanted


if __name__ == "__main__":
    main()
