"""Keys that a contract does not declare, kept as columns of the types that are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from dagster_contracts.orchestration.row_batches import is_pandas
from dagster_contracts.rows.foreign import as_dict
from dagster_contracts.rows.raw import raw_json
from dagster_contracts.rows.sources import Columns, read

if TYPE_CHECKING:
    from collections.abc import Collection


def without_keys(batch: Any, known: Collection[str]) -> tuple[Any, pl.DataFrame | None]:
    """A batch without the keys that nobody declared, and a frame of these with a row for each of the batch's.

    Raises:
        SchemaError: No column can hold them.
        UsageError: The same, because of a key's name.
    """
    if isinstance(batch, list):
        return _without(batch, known)
    names = [str(name) for name in batch.columns] if is_pandas(batch) else pl.DataFrame(batch).columns
    others = [name for name in names if name not in known]
    if not others:
        return batch, None
    if is_pandas(batch):
        return batch.drop(columns=others), pl.from_pandas(batch[others], nan_to_null=True)
    frame = pl.DataFrame(batch)
    return frame.select(cs.exclude(others)), frame.select(cs.by_name(*others))


def as_they_came(batch: Any, numbers: pl.Series) -> pl.Series:
    """Some rows of a batch as JSON, with every key."""
    picked = numbers.to_list()
    given = read(batch)
    rows = given.at(picked).rows() if isinstance(given, Columns) else [batch[at] for at in picked]
    return pl.Series([raw_json(row) for row in rows], dtype=pl.String)


def _without(rows: list[Any], known: Collection[str]) -> tuple[list[Any], pl.DataFrame | None]:
    mappings = [as_dict(row) or {} for row in rows]  # what is no row is refused by conforming
    others = [
        {key: value for key, value in row.items() if isinstance(key, str) and key not in known} for row in mappings
    ]
    if not any(others):
        return rows, None
    declared = [
        {key: value for key, value in mapping.items() if key in known} if other else row
        for row, mapping, other in zip(rows, mappings, others, strict=True)
    ]
    from dagster_contracts.rows.schema import Schema  # noqa: PLC0415  (heavy)

    return declared, Schema.infer(others, name="Kept").to_frame(others)
