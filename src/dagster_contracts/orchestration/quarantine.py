"""A quarantine's key, its path, what it holds, and who may own it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

import dagster as dg
import polars as pl

from dagster_contracts.contract.reading import read_contract
from dagster_contracts.errors import InvalidSettingError, QuarantineKeyCollisionError
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.failures import raise_as_failure
from dagster_contracts.orchestration.storage import layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SUFFIX = "_quarantine"
QUARANTINE_KEY = "contract/quarantine_key"
"""Definition metadata of an asset: where its invalid rows go."""
QUARANTINED = "contract/quarantined_rows"
"""Metadata of the column-schema check: how many rows the run puts into the quarantine.

Stored before rows come and after rows go, so that wherever a run is killed, the next clean one empties what is left.
"""
QUARANTINED_PARTITIONS = "contract/quarantined_partitions"
"""Metadata beside it: the partitions that the run writes; absent for an asset without partitions."""

ADDRESS = "dataframely/quarantine_address"
"""Metadata of a materialization, or of every check of a run that fails: where the invalid rows are."""

QuarantineWriter: TypeAlias = Callable[[pl.DataFrame], str]
"""Writes invalid rows and returns their address: a path, a table's name, or an asset key."""


@runtime_checkable
class ClearableWriter(Protocol):
    """A `QuarantineWriter` that knows whether an earlier run left rows, so that a clean run can empty them."""

    def __call__(self, rows: pl.DataFrame) -> str:
        """Write the rows and return their address."""

    def left_over(self) -> bool:
        """Whether an earlier run left rows here."""


@dataclass(frozen=True)
class Quarantine:
    """Where an asset's invalid rows go, for those who need more than `quarantine=True`.

    Args:
        key: The quarantine's asset key; the asset's own with `_quarantine` on its last part by default.
        io_manager_key: The resource that writes it; the asset's own IO manager by default.
        on_clean_run: Whether a run without invalid rows empties what an earlier run left, or keeps it.
    """

    key: str | Sequence[str] | dg.AssetKey | None = None
    io_manager_key: str | None = None
    on_clean_run: Literal["clear", "keep"] = "clear"

    def __post_init__(self) -> None:
        """Refuse what would only show on the first clean run."""
        if self.on_clean_run not in ("clear", "keep"):
            raise InvalidSettingError(f"on_clean_run is {self.on_clean_run!r}; allowed is 'clear' or 'keep'.")

    def resolve_key(self, asset_key: dg.AssetKey) -> dg.AssetKey:
        """The quarantine's key for an asset."""
        if self.key is None:
            return default_key(asset_key)
        return dg.AssetKey.from_coercible(self.key if isinstance(self.key, (str, dg.AssetKey)) else list(self.key))


def default_key(asset_key: dg.AssetKey) -> dg.AssetKey:
    """An asset's key with `_quarantine` on its last part."""
    return dg.AssetKey([*asset_key.path[:-1], asset_key.path[-1] + SUFFIX])


def declared_key(metadata: Mapping[str, object]) -> dg.AssetKey | None:
    """The key of the quarantine that an asset's definition metadata names, if it has one."""
    named = metadata.get(QUARANTINE_KEY)
    return named.asset_key if isinstance(named, dg.DagsterAssetMetadataValue) else None


def quarantine_path(key: dg.CoercibleToAssetKey, quarantine_dir: str | Path, partition_key: str | None = None) -> Path:
    """The file that `file_writer` writes to. Writes nothing.

    Args:
        key: The asset's key.
        quarantine_dir: The directory that no key and no partition can lead out of.
        partition_key: A partition's key; of a `dg.MultiPartitionKey` each dimension is a folder, by dimension name.
    """
    asset_key = dg.AssetKey.from_coercible(key)
    return path_of_key(default_key(asset_key), quarantine_dir, partition_key)


def path_of_key(quarantine_key: dg.AssetKey, quarantine_dir: str | Path, partition_key: str | None) -> Path:
    """The file for a quarantine's own key."""
    *folders, name = layout.safe_parts(quarantine_key.path, partition_key)
    return Path(quarantine_dir).joinpath(*folders, name + layout.EXTENSION)


def quarantine_frame(contract: object, failure: object) -> pl.DataFrame:
    """The frame that a quarantine holds, from what Dataframely's own `Schema.filter` found.

    Args:
        contract: The contract that was filtered by.
        failure: The `dy.FailureInfo` of that filter.

    Returns:
        The invalid rows with their original columns, then one String column a rule, named as the rule's check, reading
        `valid`, `invalid` or `unknown`.
    """
    known = read_contract(contract)
    details: pl.DataFrame = failure.details()  # type: ignore[attr-defined]
    present = {rule.name: rule.check_name for rule in known.rules if rule.name in details.columns}
    return details.rename(present).with_columns(pl.col(list(present.values())).cast(pl.String))


def validate_quarantine_key(context: dg.AssetExecutionContext) -> None:
    """Refuse to write a quarantine where something else is kept. A direct call has no asset graph and is not checked.

    Raises:
        QuarantineKeyCollisionError: Another asset materializes the key, or keeps its own quarantine under it.
    """
    refuse_taken_key(context, default_key(context.asset_key))


def refuse_taken_key(context: dg.AssetExecutionContext, quarantine_key: dg.AssetKey) -> None:
    """`validate_quarantine_key` for a quarantine with a key of its own."""
    if internals.is_direct_call(context):
        return
    own, wanted = context.asset_key.to_user_string(), quarantine_key.to_user_string()
    for node in internals.known_assets(context):
        if node.key == quarantine_key and node.is_materializable:
            raise_as_failure(
                QuarantineKeyCollisionError(
                    f"The quarantine of {own} would be written to {wanted}, which the asset {wanted} materializes. "
                    "Rename one, or set quarantine=dc.Quarantine(key=…). Nothing was written."
                )
            )
        if node.key != context.asset_key and declared_key(node.metadata) == quarantine_key:
            raise_as_failure(
                QuarantineKeyCollisionError(
                    f"{own} and {node.key.to_user_string()} would both keep their quarantine in {wanted}. Set "
                    "quarantine=dc.Quarantine(key=…) on one of them. Nothing was written."
                )
            )


def quarantine_marker(asset: dg.AssetKey, rows: int) -> dict[str, object]:
    """What the column-schema check of a run says about the quarantine, for later runs to read."""
    context = internals.current_context()
    partitions = internals.written_partitions(context, asset) if isinstance(context, dg.AssetExecutionContext) else []
    covered = {QUARANTINED_PARTITIONS: dg.MetadataValue.json(partitions)} if partitions else {}
    return {QUARANTINED: rows, **covered}
