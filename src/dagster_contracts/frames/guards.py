"""What a streamed split guards while it runs: its source, its folder and the process's environment."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from dagster_contracts.errors import RuleError
from dagster_contracts.frames.classify import Scope
from dagster_contracts.frames.plans import files_state
from dagster_contracts.frames.rules import POLARS_ERRORS, sights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import polars as pl

    from dagster_contracts.contract.fields import Contract

_PREFETCH = "POLARS_ROW_GROUP_PREFETCH_SIZE"


@contextlib.contextmanager
def refusing_changes(contract: Contract, source: pl.LazyFrame) -> Iterator[None]:
    """Refuse a source of which a file changed while it was read, if rules were decided before the rows were read."""
    before = files_state(source)
    changed = RuleError(
        f"{contract.name}: a file of the source was replaced or written to while the source was read. Nothing was "
        "written; run again when it is at rest."
    )
    try:
        yield
    except (RuleError, OSError, *POLARS_ERRORS) as error:
        if files_state(source) != before:
            raise changed from error
        raise
    if any(sight.scope is not Scope.ROW_LOCAL for sight in sights(contract)) and files_state(source) != before:
        raise changed


@contextlib.contextmanager
def nothing_but(halves: Iterable[Path], others: Iterable[Path]) -> Iterator[None]:
    """Leave the halves of a split and no other file of it, or nothing after an error."""
    gone = [*others]
    try:
        yield
    except BaseException:
        gone += halves
        raise
    finally:
        for file in gone:
            with contextlib.suppress(OSError):  # Windows keeps a file that is still mapped until the folder goes
                file.unlink(missing_ok=True)


@contextlib.contextmanager
def one_row_group_at_a_time() -> Iterator[None]:
    """Let scans prefetch one row group, which halves their memory and costs no time; restored afterwards."""
    if _PREFETCH in os.environ:
        yield
        return
    os.environ[_PREFETCH] = "1"
    try:
        yield
    finally:
        os.environ.pop(_PREFETCH, None)
