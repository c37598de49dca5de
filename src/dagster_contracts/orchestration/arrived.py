"""What an asset's function gave, on its way from there to the split."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from dagster_contracts.frames.column_schema import ColumnMismatch
    from dagster_contracts.orchestration.refused_rows import Refused
    from dagster_contracts.rows.schema import Schema


@dataclass(frozen=True)
class Arrived:
    """What a function gave, as the rest of the way takes it.

    Args:
        frame: The rows that are in the contract's types, numbered by `NUMBER` as they arrived, or a frame as it was
            returned; `None` for what is no table.
        other: What is no table.
        refused: The rows that could not be conformed; `None` where nothing was, but frames taken as they are.
        types: The keys that arrived and their types; `None` likewise.
        undeclared: The keys and columns that the contract does not declare and that are not in the frame.
        effective: Gives the schema of what is written.
        mismatches: What is wrong with the columns where nothing came but tables without rows.
    """

    frame: pl.DataFrame | pl.LazyFrame | None
    other: object = None
    refused: Refused | None = None
    types: Mapping[str, str] | None = None
    undeclared: Mapping[str, str] = field(default_factory=dict)
    effective: Callable[[], type[Schema] | None] = lambda: None
    mismatches: tuple[ColumnMismatch, ...] = ()
