"""Which keys arrived with which types, and what changed about them since the last materialization."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import dagster as dg
import polars as pl

from dagster_contracts.contract import names
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.row_batches import is_pandas
from dagster_contracts.orchestration.tables import table
from dagster_contracts.rows.failure import key_text
from dagster_contracts.rows.foreign import as_dict

if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet

    from dagster_contracts.orchestration.row_batches import Batch

ARRIVED = "contract/arrived_columns"
"""Metadata of a materialization: the keys that arrived and their types, before anything was repaired."""

Types = Mapping[str, str]
_LOOKED_AT = 200  # rows of a batch whose types are read; keys are read of all
_MOST = 500
_SHOWN = 100


@dataclass(frozen=True)
class Change:
    """One key that came, went, or has other types."""

    column: str
    change: Literal["added", "removed", "retyped"]
    before: str | None
    now: str | None


class Arrivals:
    """Collects the keys of batches and the types of their values; of rows the types are those of a sample.

    Args:
        declared: The keys that the contract knows. Of others there may be as many as there are rows, so that no more
            than a bounded number of them is kept.
    """

    def __init__(self, declared: Collection[str] = ()) -> None:
        self._declared = declared
        self._types: dict[str, set[str]] = {}
        self._others = 0

    def add(self, batch: Batch) -> None:
        """Take note of a batch."""
        found = _of_rows(batch, self._types.keys()) if isinstance(batch, list) else _of_table(batch)
        for key, types in found:
            if key not in self._types:
                if key not in self._declared and self._others == _MOST:
                    continue
                self._others += key not in self._declared
            self._types.setdefault(key, set()).update(types)

    @property
    def types(self) -> dict[str, str]:
        """The types of each key, in words; empty where every value was null."""
        return {key: " | ".join(sorted(types)) for key, types in self._types.items()}


def changes(before: Types, now: Types) -> list[Change]:
    """What differs; a key whose values were all null has no type that could differ."""
    added = [Change(key, "added", None, now[key] or "only nulls") for key in now if key not in before]
    removed = [Change(key, "removed", before[key] or "only nulls", None) for key in before if key not in now]
    retyped = [
        Change(key, "retyped", before[key], now[key])
        for key in now
        if before.get(key) and now[key] and before[key] != now[key]
    ]
    return [*added, *removed, *retyped]


def arrived_before(asset: dg.AssetKey) -> Types | None:
    """What arrived for the last materialization, if the instance knows."""
    context = internals.current_context()
    if context is None or internals.is_direct_call(context):
        return None
    event = context.instance.get_latest_materialization_event(asset)
    found = event.asset_materialization.metadata.get(ARRIVED) if event and event.asset_materialization else None
    value = found.value if found is not None else None
    return {str(key): str(types) for key, types in value.items()} if isinstance(value, Mapping) else None


def schema_change_result(now: Types | None, asset: dg.AssetKey) -> dg.AssetCheckResult:
    """The check: it warns of what changed, and says so where there is nothing to compare.

    Args:
        now: What arrived; `None` for a run without data.
        asset: The asset.
    """
    before = arrived_before(asset) if now is not None else None
    found = changes(before, now) if before is not None and now is not None else []
    metadata: dict[str, Any] = {}
    if found:
        rows = [dataclasses.asdict(change) for change in found[:_SHOWN]]
        metadata["contract/schema_changes"] = table(rows, ["column", "change", "before", "now"])
    return dg.AssetCheckResult(
        passed=not found,
        asset_key=asset,
        check_name=names.SCHEMA_CHANGE_CHECK,
        severity=dg.AssetCheckSeverity.WARN,
        description=_in_words(found, before, now),
        metadata=metadata,
    )


def new_keys(types: Types, known: Iterable[str]) -> dict[str, str]:
    """The keys that nobody declared, with their types."""
    declared = set(known)
    return {key: kind for key, kind in types.items() if key not in declared}


def _in_words(found: list[Change], before: Types | None, now: Types | None) -> str:
    if now is None:
        return "There was no data."
    if before is None:
        return "Nothing to compare with: no earlier materialization says what arrived."
    counts = {kind: sum(change.change == kind for change in found) for kind in ("added", "removed", "retyped")}
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    return f"{told} since the last materialization." if told else f"The same {len(now)} columns as last time."


def _of_rows(rows: list[Any], known: AbstractSet[str]) -> Iterable[tuple[str, set[str]]]:
    found = rows if set(map(type, rows)) == {dict} else [as_dict(row) or {} for row in rows]
    try:
        keys: Iterable[Any] = known
        if not set().union(*found) <= known:  # the order is that in which they came first
            keys = dict.fromkeys(itertools.chain.from_iterable(found))
    except Exception:  # noqa: BLE001  (a key that is no text may raise where it is compared)
        found = [{key_text(key): value for key, value in row.items()} for row in found]
        keys = dict.fromkeys(itertools.chain.from_iterable(found))
    sample = found[:: max(1, len(rows) // _LOOKED_AT)]
    for key in keys:
        values = (row[key] for row in sample if key in row)
        yield (
            key if type(key) is str else key_text(key),
            {type(value).__name__ for value in values if value is not None},
        )


def _of_table(batch: Any) -> Iterable[tuple[str, set[str]]]:
    if isinstance(batch, pl.DataFrame):
        columns: Iterable[tuple[object, object]] = batch.schema.items()
    elif is_pandas(batch):
        columns = batch.dtypes.items()
    else:
        columns = ((field.name, field.type) for field in batch.schema)
    for name, dtype in columns:
        text = str(dtype)
        yield str(name), set() if text.lower() == "null" else {text}
