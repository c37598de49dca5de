"""Assets without a contract: what is a table gets an inferred schema, and everything else passes as it is."""

from __future__ import annotations

from collections.abc import Iterator
from types import new_class
from typing import TYPE_CHECKING, Any, Optional

import polars as pl

from dagster_contracts.contract.schema.python_types import python_type
from dagster_contracts.errors import ContractsError
from dagster_contracts.orchestration.arrived import Arrived
from dagster_contracts.orchestration.logs import warn_in_log
from dagster_contracts.orchestration.returned import EVENTS, refuse, refuse_result
from dagster_contracts.orchestration.row_batches import is_page, is_pandas, is_row, is_table
from dagster_contracts.rows.schema import Schema

if TYPE_CHECKING:
    from dagster_contracts.orchestration.declaration import Declaration


def inferred(declaration: Declaration, value: Any) -> Arrived:
    """What an asset without a contract gave.

    Rows are held in memory: their types are not known before the last one.

    Raises:
        ReturnTypeError: `min_rows` is to be held, and what came has no rows.
    """
    if isinstance(value, Iterator) and not is_table(value):
        value = _given(declaration, value)
    if is_table(value) and not is_pandas(value):
        value = _polars(value)
    if isinstance(value, (pl.DataFrame, pl.LazyFrame)):
        return Arrived(value, effective=lambda: _of_frame(declaration, value.collect_schema()))
    if is_table(value) or (isinstance(value, (list, tuple)) and is_page(value) and value and all(map(is_row, value))):
        schema = _inferred(declaration, value)
        frame = _conformed(declaration, schema, value)
        if frame is not None:
            return Arrived(frame, effective=lambda: schema)
    if declaration.policy.min_rows is not None:
        refuse(declaration.name, value)
    return Arrived(None, other=value)


def _given(declaration: Declaration, elements: Iterator[Any]) -> Any:
    """What a generator gave, in one piece where it gave frames."""
    given: list[Any] = []
    try:
        for element in elements:
            given += refuse_result(declaration.name, element) if is_page(element) else [element]
    except Exception as error:
        error.add_note(
            f"Raised by the function of {declaration.name} after it had given {len(given):,} rows or tables. Nothing "
            "was written."
        )
        raise
    for element in given:
        if issubclass(type(element), EVENTS) or not (is_row(element) or is_table(element)):
            refuse(declaration.name, element, within="a generator of ")
    if given and all(map(is_table, given)):
        frames = [_polars(table).lazy() for table in given]
        return pl.concat(frames, how="diagonal_relaxed").collect(engine="streaming")
    return given


def _inferred(declaration: Declaration, value: Any) -> type[Schema] | None:
    """The schema of a table or of rows; `None` with the reason in the log where none can be inferred."""
    try:
        return Schema.infer(value)
    except ContractsError as error:
        warn_in_log(f"{declaration.name}: no schema could be inferred: {error}")
        return None


def _of_frame(declaration: Declaration, columns: pl.Schema) -> type[Schema] | None:
    """The schema that a frame has already; `None` with the reason in the log where it has none that can be declared."""
    try:
        annotations = {name: Optional[python_type(dtype)] for name, dtype in columns.items()}  # noqa: UP045  (a value)
        return new_class("Inferred", (Schema,), {}, lambda namespace: namespace.update(__annotations__=annotations))
    except ContractsError as error:
        warn_in_log(f"{declaration.name}: its columns are no schema's: {error}")
        return None


def _conformed(declaration: Declaration, schema: type[Schema] | None, value: Any) -> pl.DataFrame | None:
    """A table or rows as a frame in the types that were inferred; `None` with the reason in the log."""
    try:
        return schema.to_frame(value) if schema is not None else None
    except ContractsError as error:
        warn_in_log(f"{declaration.name}: what was given could not be made a frame, so it passes as it is: {error}")
        return None


def _polars(table: Any) -> pl.DataFrame | pl.LazyFrame:
    return table if isinstance(table, (pl.DataFrame, pl.LazyFrame)) else pl.DataFrame(table)
