"""`python -m benchmarks.split`: what splitting a frame costs, beside Polars alone and beside the peer.

Progress goes to stderr, the report to stdout, and after a full run into its section of `benchmarks/RESULTS.md`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.cases import MILLION, Scale, groups
from benchmarks.environment import prepare
from benchmarks.report import report
from benchmarks.results import RESULTS, write_section
from benchmarks.run import measure

_MANY = 50 * MILLION


def main() -> None:
    """Measure everything that was asked for and report it."""
    arguments = _arguments()
    big = arguments.rows if arguments.big or arguments.rows != _MANY else None
    scale = Scale(3, MILLION, 3 * MILLION, big, quick=True) if arguments.quick else Scale(arguments.repeats, big=big)
    arguments.data.mkdir(parents=True, exist_ok=True)
    environment = prepare(arguments.data)
    wanted = [
        chosen
        for group in groups(scale, has_peer=environment.has_peer)
        if (chosen := [job for job in group if job.label.startswith(tuple(arguments.only or ("",)))])
    ]
    results = measure(wanted, environment, arguments.data, scale.repeats, resume=arguments.resume)
    text = report(results, scale, environment)
    sys.stdout.write(text)
    partial = arguments.quick or arguments.only
    file = arguments.results or (None if partial else RESULTS)
    if file is not None:
        write_section(file, "split", text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.split", description=__doc__)
    cache = Path(tempfile.gettempdir()) / "dagster-contracts-benchmarks"
    parser.add_argument("--quick", action="store_true", help="less, in under ten minutes; writes no results file")
    parser.add_argument("--repeats", type=int, default=5, help="how often a full run does everything: %(default)s")
    parser.add_argument("--big", action="store_true", help="measure the table of 50 million rows, too")
    parser.add_argument("--rows", type=_rows, default=_MANY, help="the big table's rows, such as 50M; implies --big")
    parser.add_argument("--data", type=Path, default=cache, help=f"where tables and the environment are kept: {cache}")
    parser.add_argument("--only", nargs="+", metavar="WORK", help="only works that begin so, such as eager local small")
    parser.add_argument("--resume", action="store_true", help="keep what an interrupted run has measured")
    parser.add_argument("--results", type=Path, help="where to write the report; a full run writes RESULTS.md")
    return parser.parse_args()


def _rows(text: str) -> int:
    return int(float(text.upper().removesuffix("M")) * MILLION) if text.upper().endswith("M") else int(text)


if __name__ == "__main__":
    main()
