"""For users' own tests: a contract asset called once, and everything it did as one object."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg
import polars as pl

from dagster_contracts.errors import ContractsError
from dagster_contracts.orchestration.settings import ENV_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["AssetRun", "run_asset"]


@dataclass
class AssetRun:
    """What one call of a contract asset did.

    Args:
        table: The rows that the table would hold, or `None` if it would not be written.
        quarantine: The invalid rows with a column a rule, or `None` if none were written.
        checks: Every check result by the check's name.
        materialization: The materialization, or `None` if there is none.
        error: The error of this package that ended the call, or `None`.
    """

    table: pl.DataFrame | None = None
    quarantine: pl.DataFrame | None = None
    checks: dict[str, dg.AssetCheckResult] = field(default_factory=dict)
    materialization: dg.MaterializeResult[Any] | None = None
    error: ContractsError | None = None

    @property
    def failed_checks(self) -> list[str]:
        """The names of the checks that did not pass, in order."""
        return [name for name, result in self.checks.items() if not result.passed]


def run_asset(
    asset: dg.AssetsDefinition,
    *inputs: Any,
    partition_key: str | None = None,
    resources: Mapping[str, Any] | None = None,
    **named_inputs: Any,
) -> AssetRun:
    """Call a contract asset and collect what it did. No run, no IO manager, no instance; nothing is left on disk.

    Args:
        asset: The asset.
        inputs: Its upstream frames, in the order of the function's parameters, without the context.
        partition_key: The partition to call it for.
        resources: Resources it asks for.
        named_inputs: Upstream frames, config and resources by parameter name.

    Returns:
        What it did. An error of this package is in `error`; any other error is raised.
    """
    run = AssetRun()
    with (
        dg.build_asset_context(partition_key=partition_key, resources=resources) as context,
        _temporary_quarantine() as folder,
    ):
        try:
            for event in _events(asset(context, *inputs, **named_inputs)):
                _collect(run, event)
        except ContractsError as error:
            run.error = error
        for path in folder.rglob("*.parquet"):
            run.quarantine = pl.read_parquet(path)
    return run


def _collect(run: AssetRun, event: Any) -> None:
    if isinstance(event, dg.AssetCheckResult):
        run.checks[str(event.check_name)] = event
    elif isinstance(event, dg.MaterializeResult):
        run.materialization = event
        run.table = event.value.collect() if isinstance(event.value, pl.LazyFrame) else event.value


def _events(called: Any) -> Iterator[Any]:
    if not isinstance(called, AsyncIterator):
        yield from called
        return
    with asyncio.Runner() as runner:
        while True:
            try:
                yield runner.run(anext(called))  # type: ignore[arg-type]
            except StopAsyncIteration:
                return


@contextmanager
def _temporary_quarantine() -> Iterator[Path]:
    name = f"{ENV_PREFIX}QUARANTINE_DIR"
    before = os.environ.get(name)
    with tempfile.TemporaryDirectory(prefix="dagster-contracts-") as folder:
        os.environ[name] = folder
        try:
            yield Path(folder)
        finally:
            if before is None:
                del os.environ[name]
            else:
                os.environ[name] = before
