"""Where invalid rows go: through the asset's own IO manager in a run, into a directory in a direct call."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

import dagster as dg
import polars as pl
from upath import UPath

from dagster_contracts.contract import names
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.errors import InvalidSettingError, QuarantineKeyCollisionError, QuarantineStorageError
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.atomic import publish, staging, write_aside
from dagster_contracts.orchestration.failures import raise_as_failure
from dagster_contracts.orchestration.lazy_storage import as_taken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SUFFIX = "_quarantine"
LONGEST_SEGMENT = 200
"""Bytes of one folder's or file's name; file systems allow 255, and an extension follows."""
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


@dataclass(frozen=True)
class IOManagerWriter:
    """Writes a quarantine through an IO manager, with the step's own output context."""

    context: dg.AssetExecutionContext
    key: dg.AssetKey
    io_manager_key: str | None = None
    on_clean_run: Literal["clear", "keep"] = "clear"

    @property
    def destination(self) -> str:
        """Where the rows go, as far as it is known before they are written."""
        return self.key.to_user_string()

    def __call__(self, rows: pl.DataFrame | pl.LazyFrame) -> str:
        """Write the rows in place of those of an earlier run, and return their address."""
        output, manager = internals.output_context(self.context, self.key), self.manager()
        try:
            written = manager.handle_output(output, as_taken(rows, manager))
            for _ in written or ():
                pass
        except Exception as error:
            count = rows.lazy().select(pl.len()).collect().item()
            error.add_note(
                f"{self.context.asset_key.to_user_string()}: writing {count} invalid rows to its quarantine "
                f"{self.key.to_user_string()} failed; nothing was written to the table."
            )
            raise
        internals.discard_events(output)
        return _address(internals.logged_metadata(output), self.key)

    def left_over(self) -> bool:
        """Whether the newest run of this partition that decided about the quarantine put rows into it."""
        return self.on_clean_run == "clear" and _left_over(self.context)

    def refuse_unfit_storage(self) -> None:
        """Refuse an IO manager that would lose the rows.

        Raises:
            QuarantineStorageError: The manager keeps one value a step.
        """
        manager = self.manager()
        if internals.is_in_memory(manager):
            raise_as_failure(
                QuarantineStorageError(
                    f"{self.context.asset_key.to_user_string()} has a quarantine, but its IO manager "
                    f"({type(manager).__name__}) keeps one value a step and would lose the invalid rows. Bind the "
                    "asset to one that addresses by asset key, such as dc.ParquetIOManager(base_dir=…). Nothing was "
                    "computed or written."
                )
            )

    def manager(self) -> dg.IOManager:
        """The IO manager that writes the rows."""
        if self.io_manager_key is None:
            return internals.bound_io_manager(self.context)
        manager: dg.IOManager = getattr(self.context.resources, self.io_manager_key)
        return manager


@dataclass(frozen=True)
class FileWriter:
    """Writes a quarantine to one Parquet file, for an asset that is called and not run."""

    path: Path
    on_clean_run: Literal["clear", "keep"] = field(default="clear")

    @property
    def destination(self) -> str:
        """Where the rows go."""
        return str(self.path)

    def __call__(self, rows: pl.DataFrame | pl.LazyFrame) -> str:
        """Write the rows in place of those of an earlier call, and return the file's path."""
        target = UPath(self.path)
        with staging(target) as folder:
            publish([(write_aside(rows, folder / target.name), target)])
        return str(self.path)

    def left_over(self) -> bool:
        """Whether an earlier call left rows in the file."""
        if self.on_clean_run == "keep" or not self.path.exists():
            return False
        return bool(pl.scan_parquet(self.path).select(pl.len()).collect().item())


def delegating_writer(context: dg.AssetExecutionContext) -> IOManagerWriter:
    """A writer that hands invalid rows to the IO manager the running asset is bound to.

    Args:
        context: The running asset's context; a direct call has no IO manager, see `file_writer`.
    """
    return IOManagerWriter(context, default_key(context.asset_key))


def file_writer(
    key: dg.CoercibleToAssetKey, quarantine_dir: str | Path, partition_key: str | None = None
) -> FileWriter:
    """A writer that puts an asset's invalid rows into a Parquet file below a directory.

    Args:
        key: The asset's key, not its quarantine's.
        quarantine_dir: The directory; it is made if it is missing.
        partition_key: The partition that is called, if the asset is partitioned.
    """
    return FileWriter(quarantine_path(key, quarantine_dir, partition_key))


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
    parts = [_safe(part) for part in quarantine_key.path]
    if isinstance(partition_key, dg.MultiPartitionKey):
        parts += [_safe(value) for _, value in sorted(partition_key.keys_by_dimension.items())]
    elif partition_key is not None:
        parts.append(_safe(partition_key))
    return Path(quarantine_dir).joinpath(*parts[:-1], parts[-1] + ".parquet")


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


def _left_over(context: dg.AssetExecutionContext) -> bool:
    """Whether the newest run that wrote one of this run's partitions left rows in its quarantine.

    A run over a range of partitions is evaluated for none of them, and neither is a check that declares no partitions;
    both say themselves which partitions they wrote.
    """
    check = dg.AssetCheckKey(context.asset_key, names.COLUMNS_CHECK)
    partitions: list[str | None] = [*internals.written_partitions(context, context.asset_key)] or [None]
    newest: dict[str | None, tuple[int, bool]] = {}
    unseen = set(partitions)
    for storage_id, metadata in internals.check_metadata_history(context, check, None):
        if QUARANTINED in metadata:
            covered = metadata.get(QUARANTINED_PARTITIONS)
            told = unseen.intersection(covered.value) if covered is not None else set(unseen)  # type: ignore[arg-type]
            newest |= dict.fromkeys(told, (storage_id, bool(metadata[QUARANTINED].value)))
            unseen -= told
        if not unseen:
            break
    for partition in partitions:
        if partition is not None:
            for storage_id, metadata in internals.check_metadata_history(context, check, partition):
                if QUARANTINED in metadata:
                    own = (storage_id, bool(metadata[QUARANTINED].value))
                    newest[partition] = max(newest.get(partition, own), own)
                    break
        if newest.get(partition, (0, False))[1]:
            return True
    return False


def _address(logged: Mapping[str, object], key: dg.AssetKey) -> str:
    for name in ("path", "dagster/uri", "uri", "dagster/table_name", "dagster/relation_identifier"):
        value = logged.get(name)
        if isinstance(value, dg.MetadataValue) and isinstance(value.value, str) and value.value:
            return value.value
    return key.to_user_string()


def _safe(part: str) -> str:
    """One path segment for one part of a key, another one for every other part.

    What could lead elsewhere is percent-encoded, nothing else; what file systems take for too long ends in its hash.
    """
    encoded = "".join(f"%{ord(char):02X}" if char in '%/\\:*?"<>|' or ord(char) < 32 else char for char in part)  # noqa: PLR2004
    if encoded.strip(".") == "":
        return encoded.replace(".", "%2E") or "%empty"
    stored = encoded.encode("utf-8", "surrogatepass")
    if len(stored) <= LONGEST_SEGMENT:
        return encoded
    digest = hashlib.sha256(stored).hexdigest()[:32]
    return f"{stored[: LONGEST_SEGMENT - 40].decode('utf-8', 'ignore')}%{digest}"
