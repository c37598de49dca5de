"""What a function gave, brought to the contract's types: batch by batch and in constant memory."""

from __future__ import annotations

import contextlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, cast

import polars as pl
import polars.selectors as cs

from dagster_contracts.contract import names
from dagster_contracts.errors import UsageError
from dagster_contracts.frames.column_schema import compare_columns
from dagster_contracts.orchestration.arrived import Arrived
from dagster_contracts.orchestration.refused_rows import NUMBER, RAW, Refusals
from dagster_contracts.orchestration.returned import (
    EVENTS,
    is_tabular,
    is_unread,
    is_value,
    refuse,
    refuse_result,
    refuse_value,
)
from dagster_contracts.orchestration.row_batches import END, FULL, Batcher, cut, is_page, is_row, is_table
from dagster_contracts.orchestration.schema_change import Arrivals, new_keys
from dagster_contracts.orchestration.storage.lazy import staging_folder
from dagster_contracts.orchestration.storage.spool import Spool

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Iterable
    from pathlib import Path
    from types import TracebackType

    from dagster_contracts.frames.column_schema import ColumnMismatch
    from dagster_contracts.orchestration.declaration import Declaration
    from dagster_contracts.orchestration.kept_keys import KeptKeys
    from dagster_contracts.orchestration.row_batches import Batch
    from dagster_contracts.orchestration.settings import Settings
    from dagster_contracts.rows.schema import Schema

BATCH_ROWS, BATCH_BYTES = 20_000, 32 << 20
_MOST_LEFT_OUT = 500
_DEEPEST = 8  # pages in pages
HELD_BYTES = 64 << 20
"""Conformed rows that are held in memory; more go to files."""


class Conformer:
    """Takes what a function gives, element by element, and keeps it conformed.

    Args:
        declaration: The asset.
        settings: Its settings.
    """

    def __init__(self, declaration: Declaration, settings: Settings) -> None:
        self._declaration, self._settings = declaration, settings
        self._opened = contextlib.ExitStack()
        self._folder: Path | None = None
        self._batcher = Batcher(BATCH_ROWS, BATCH_BYTES)
        self._spools = [Spool(self.folder, "rows", HELD_BYTES)]
        self._refusals = Refusals(Spool(self.folder, "refused", HELD_BYTES), settings.max_failure_samples)
        self._given = self._landed = 0
        self._as_it_is: pl.DataFrame | pl.LazyFrame | None = None
        self._left_out: dict[str, str] = {}
        self._mismatches: tuple[ColumnMismatch, ...] = ()
        self._row_types: set[type] = {dict}
        self._conformed = self._done = False

    @cached_property
    def _arrivals(self) -> Arrivals:
        """What arrives, row by row; a frame that is taken as it is has no rows, and asks nobody what their keys are."""
        return Arrivals(self._declaration.known_keys)

    @cached_property
    def _kept(self) -> KeptKeys:
        """The keys that nobody declared, where they are kept."""
        from dagster_contracts.orchestration.kept_keys import KeptKeys  # noqa: PLC0415  (heavy)

        return KeptKeys(self._declaration.name, self._declaration.known_keys)

    @property
    def _keeps(self) -> bool:
        return self._conformed and self._declaration.on_extra_columns == "keep"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._opened.close()

    def folder(self) -> Path:
        """The folder for what is too large to hold: made when it is needed, and gone afterwards."""
        if self._folder is None:
            self._folder = self._opened.enter_context(staging_folder(self._declaration.asset, self._settings))
        return self._folder

    def take_returned(self, value: Any, *, in_result: bool = False) -> None:
        """Take all that a function returned.

        Raises:
            ReturnTypeError: It is neither a table nor rows.
            MaterializeResultValueError: The same, in a result.
        """
        if isinstance(value, (pl.DataFrame, pl.LazyFrame)) and not self._declaration.takes_rows:
            self._as_it_is = value
        elif is_table(value):
            self._take(value)
        elif is_tabular(value):
            self._take_all(value)
        elif in_result:
            refuse_value(self._declaration.name, value)
        else:
            refuse(self._declaration.name, value)

    async def take_yielded(self, elements: AsyncIterable[object]) -> None:
        """Take every element of an async generator."""
        source = aiter(elements)
        try:
            while not self._done:
                try:
                    element = await anext(source)
                except StopAsyncIteration:
                    break
                except Exception as error:
                    error.add_note(self._raised_by())
                    raise
                self._take(element)
        finally:
            if close := getattr(source, "aclose", None):
                await close()

    def arrived(self) -> Arrived:
        """Everything that was taken."""
        self._land_all(self._batcher.rest())
        contract, effective = self._declaration.contract, self._declaration.effective_schema
        if self._as_it_is is not None:
            return Arrived(self._as_it_is, effective=effective)
        rows = self._rows()
        if rows is None:
            rows = contract.empty_frame().with_columns(pl.lit(None, pl.UInt64).alias(NUMBER))
        there = set(rows.collect_schema().names())
        types = self._arrivals.types
        undeclared = {key: kind for key, kind in self._new_keys().items() if key not in there} | self._left_out
        if not self._conformed and not self._declaration.takes_rows:
            return Arrived(rows.drop(NUMBER), undeclared=undeclared, effective=effective)
        mismatches = () if self._landed else self._mismatches
        return Arrived(rows, None, self._refusals.result(), types, undeclared, effective, mismatches)

    def _rows(self) -> pl.DataFrame | pl.LazyFrame | None:
        """The rows that were conformed; every kept key in the type that holds it in all of them."""
        if len(self._spools) > 1:
            whole = Spool(self.folder, "rows-all", HELD_BYTES)
            for change, spool in enumerate(self._spools):
                for part in cut(spool.result(), BATCH_ROWS):
                    whole.append(self._kept.in_last_types(cast("pl.DataFrame", part), change))
            self._spools = [whole]
        rows = self._spools[0].result()
        return rows if rows is None or not self._keeps else self._kept.in_order(rows)

    def _take_all(self, elements: Iterable[object], depth: int = 0) -> None:
        """Take every element, and close what gives them. An error of theirs says how many had come."""
        source, before = iter(elements), self._given
        try:
            while not self._done:
                held = self._batcher.held
                try:
                    element = self._batcher.fill(source)
                except Exception as error:
                    self._given += self._batcher.held - held
                    error.add_note(self._raised_by())
                    raise
                self._given += self._batcher.held - held
                if element is END:
                    break
                if element is FULL:
                    self._land_all(self._batcher.rest())
                elif depth and self._given == before and is_value(element):
                    within = "a page that begins with " if before else "rows that begin with "
                    refuse(self._declaration.name, element, within=within)
                else:
                    self._take(element, depth)
        finally:
            if close := getattr(source, "close", None):
                close()

    def _take(self, element: object, depth: int = 0) -> None:
        """Take a row, a table or a page of both."""
        if type(element) not in self._row_types:
            self._refuse_no_rows(element)
            if is_page(element):
                if depth == _DEEPEST:
                    refuse(self._declaration.name, element, within="pages in pages of ")
                page = refuse_result(self._declaration.name, element)
                self._take_all(page, depth + 1)
                return
        self._given += 1
        self._land_all(self._batcher.add(element))

    def _refuse_no_rows(self, element: object) -> None:
        """Refuse what begins with something else than a row; later such elements are rows that cannot be conformed."""
        row = is_row(element)
        begins = not self._given and not row and not is_table(element) and not is_page(element)
        if begins or issubclass(type(element), EVENTS) or is_unread(element):
            refuse(self._declaration.name, element, within="" if self._given else "rows that begin with ")
        if row:
            self._row_types.add(type(element))

    def _raised_by(self) -> str:
        return (
            f"Raised by the function of {self._declaration.name} after it had given {self._given:,} rows or tables. "
            "Nothing was written."
        )

    def _land_all(self, batches: Iterable[Batch]) -> None:
        """Bring batches to the contract's types and put them with the others."""
        for batch in batches:
            if self._done:
                return
            self._arrivals.add(batch)
            if isinstance(batch, pl.DataFrame) and not self._declaration.takes_rows:
                self._land_frame(batch)
            else:
                self._land_rows(batch)

    def _land_frame(self, frame: pl.DataFrame) -> None:
        """Take a frame as it is; one whose columns break the contract decides the run."""
        report = compare_columns(self._declaration.contract, frame.schema, self._declaration.on_extra_columns)
        if report.mismatches:
            self._as_it_is, self._done = frame, True
            return
        numbers = pl.int_range(self._landed, self._landed + frame.height, dtype=pl.UInt64, eager=True).alias(NUMBER)
        self._spools[-1].append(frame.select(cs.by_name(*report.kept)).with_columns(numbers))
        self._landed += frame.height

    def _land_rows(self, batch: Batch) -> None:
        """Conform rows; an undeclared key decides the run where none may come."""
        from dagster_contracts.orchestration.empty_tables import mismatches_if_empty  # noqa: PLC0415  (heavy)
        from dagster_contracts.orchestration.kept_keys import with_others  # noqa: PLC0415  (likewise)
        from dagster_contracts.rows.conform import conform  # noqa: PLC0415  (likewise)

        self._conformed = True
        if self._declaration.on_extra_columns == "raise" and self._new_keys():
            self._done = True
            return
        taken = self._kept.take(batch, self._landed) if self._keeps else None
        strategy, declared = self._settings.materialization_strategy, batch if taken is None else taken.declared
        self._mismatches = self._mismatches or mismatches_if_empty(self._schema(), declared, strategy)
        found = conform(self._schema(), declared, strategy, first_row=self._landed, leave_rules=True)
        self._note_left_out(found.dropped)
        if self._declaration.on_extra_columns == "raise" and self._left_out:
            self._done = True
            return
        rows, raw = found.frame, found.raw
        if taken is not None:
            found, rows, raw = with_others(found, batch, taken, self._landed)
            if taken.retyped:
                self._spools.append(Spool(self.folder, f"rows-{len(self._spools)}", HELD_BYTES >> len(self._spools)))
        refused = found.refused.with_columns(
            found.refused_numbers.alias(NUMBER), raw.alias(RAW), found.reasons.alias(names.CONFORM_CHECK)
        )
        self._spools[-1].append(rows.with_columns(found.numbers.alias(NUMBER)))
        self._refusals.add(refused, found.failures)
        self._landed += found.count

    def _note_left_out(self, dropped: Iterable[str]) -> None:
        """Note what was left out and is no undeclared column: keys inside of records, and names beside their keys."""
        declared, arrived = self._declaration.known_keys, self._arrivals.types
        for key in dropped:
            if len(self._left_out) < _MOST_LEFT_OUT and (key in declared or ("." in key and key not in arrived)):
                told = f"{key} (beside its key)" if key in declared else key
                self._left_out[told] = "a key of a row" if key in declared else "a key inside of a record"

    def _schema(self) -> type[Schema]:
        if self._declaration.rows is None:
            raise UsageError(
                f"{self._declaration.name}: rows are conformed to a dc.Schema or a dy.Schema, and its contract is a "
                f"{type(self._declaration.source).__name__}. Give one of these, or frames in the contract's dtypes."
            )
        return self._declaration.rows

    def _new_keys(self) -> dict[str, str]:
        return new_keys(self._arrivals.types, self._declaration.known_keys)
