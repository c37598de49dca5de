"""What the runs reported, asset by asset, and where it differs from what is expected."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dagster as dg

from flights.expected import EXPECTED, Expected

WARN = dg.AssetCheckSeverity.WARN
UNVERIFIED = "contract/unverified_count"
"""Metadata of a check of a SQL model that could not be verified as a whole."""


@dataclass(frozen=True)
class Tally:
    """One asset in one run, or in all its runs.

    Args:
        runs: How many runs.
        rows: Rows that its function returned.
        valid: Rows in the table.
        invalid: Rows in the quarantine.
        evaluated: How many runs evaluated each check as a whole.
        warned: Rows that break a check, by check, where it reports at WARN; of a SQL model's check, promises.
        failed: Likewise where it reports at ERROR.
        table: The table's file, the folder of its partitions, or the database that it is in.
        quarantine: Likewise; `None` if no row is invalid.
    """

    runs: int = 0
    rows: int = 0
    valid: int = 0
    invalid: int = 0
    evaluated: Counter[str] = field(default_factory=Counter)
    warned: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    table: Path | None = None
    quarantine: Path | None = None

    def __add__(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(
            runs=self.runs + other.runs,
            rows=self.rows + other.rows,
            valid=self.valid + other.valid,
            invalid=self.invalid + other.invalid,
            evaluated=self.evaluated + other.evaluated,
            warned=self.warned + other.warned,
            failed=self.failed + other.failed,
            table=other.table or self.table,
            quarantine=other.quarantine or self.quarantine,
        )

    def not_verified(self, declared: Iterable[str]) -> list[str]:
        """The declared checks that a run left out."""
        return [check for check in declared if not 0 < self.runs == self.evaluated[check]]

    def held(self, declared: Iterable[str]) -> list[str]:
        """The declared checks that every run evaluated and no row breaks."""
        out = {*self.warned, *self.failed, *self.not_verified(declared)}
        return [check for check in declared if check not in out]


def declared_checks(defs: dg.Definitions) -> dict[str, dict[str, str]]:
    """The descriptions of every asset's checks, by asset and check."""
    graph = defs.resolve_asset_graph()
    checks: dict[str, dict[str, str]] = {}
    for key in graph.asset_check_keys:
        checks.setdefault(key.asset_key.to_user_string(), {})[key.name] = graph.get_check_spec(key).description or ""
    return checks


def tally(result: dg.ExecuteInProcessResult, partition: str | None) -> dict[str, Tally]:
    """What one run reported, by asset."""
    evaluations = result.get_asset_check_evaluations()
    tallies = {}
    for event in result.get_asset_materialization_events():
        made = event.materialization
        own = [one for one in evaluations if one.asset_key == made.asset_key]
        tallies[made.asset_key.to_user_string()] = _tally(made.metadata, own, partition)
    return tallies


def differences(found: Mapping[str, Tally], declared: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Where the runs differ from what is expected, one line each."""
    lines = []
    for name in sorted({*found, *EXPECTED}):
        have, want = found.get(name, Tally()), EXPECTED.get(name, Expected(rows=0, valid=0))
        facts = {
            "rows in": (have.rows, want.rows),
            "rows valid": (have.valid, want.valid),
            "rows invalid": (have.invalid, want.invalid),
            "broken checks": (dict(have.warned), dict(want.broken)),
            "failed checks": (dict(have.failed), {}),
            "checks not verified": (have.not_verified(declared.get(name, ())), []),
        }
        lines += [f"{name}: {fact}: found {a}, expected {b}" for fact, (a, b) in facts.items() if a != b]
    return lines


def _tally(metadata: Mapping[str, Any], evaluations: Sequence[dg.AssetCheckEvaluation], partition: str | None) -> Tally:
    row_count = _number(metadata, "dagster/row_count" if partition is None else "dagster/partition_row_count")
    checked = [_number(one.metadata, "dy_checked_count") for one in evaluations]
    rows = max((count for count in checked if count is not None), default=row_count or 0)
    broken = {one.check_name: one for one in evaluations if not one.passed}
    counts = {name: _breaks(one.metadata) for name, one in broken.items()}
    return Tally(
        runs=1,
        rows=rows,
        valid=rows if row_count is None else row_count,
        invalid=_number(metadata, "dataframely/invalid_count") or 0,
        evaluated=Counter(one.check_name for one in evaluations if UNVERIFIED not in one.metadata),
        warned=Counter({name: counts[name] for name, one in broken.items() if one.severity is WARN}),
        failed=Counter({name: counts[name] for name, one in broken.items() if one.severity is not WARN}),
        table=_place(metadata, "path", partition) or _place(metadata, "contract/database", None),
        quarantine=_place(metadata, "dataframely/quarantine_address", partition),
    )


def _breaks(metadata: Mapping[str, Any]) -> int:
    """How many rows break a check of rows, or how many promises a check of a SQL model breaks."""
    rows, promises = _number(metadata, "dy_failed_count"), _number(metadata, "contract/violation_count")
    return rows or promises or 0


def _number(metadata: Mapping[str, Any], name: str) -> int | None:
    return int(metadata[name].value) if name in metadata else None


def _place(metadata: Mapping[str, Any], name: str, partition: str | None) -> Path | None:
    if name not in metadata:
        return None
    path = Path(metadata[name].value)
    return path if partition is None else path.parent
