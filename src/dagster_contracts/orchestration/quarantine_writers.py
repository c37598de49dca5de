"""Where invalid rows go: through the asset's own IO manager in a run, into a directory in a direct call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import dagster as dg
import polars as pl

from dagster_contracts.contract import names
from dagster_contracts.errors import QuarantineStorageError
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.failures import raise_as_failure
from dagster_contracts.orchestration.quarantine import (
    QUARANTINED,
    QUARANTINED_PARTITIONS,
    default_key,
    quarantine_path,
)
from dagster_contracts.orchestration.storage.atomic import publish, staging, write_aside
from dagster_contracts.orchestration.storage.lazy import as_taken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


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
        from upath import UPath  # noqa: PLC0415  (heavy)

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
