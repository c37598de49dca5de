"""Rows one by one, pages of rows and whole tables, cut into batches that are small enough to hold."""

from __future__ import annotations

import dataclasses
import inspect
import io
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeAlias, cast

import polars as pl
from pydantic import BaseModel

from dagster_contracts.rows.foreign import as_dict, no_if_it_raises

Batch: TypeAlias = "list[Any] | pl.DataFrame | Any"
"""A list of rows, or a part of a table in the table's own kind."""

FULL: Final = object()
END: Final = object()
_WEIGHED = 8  # one row in so many is weighed
_OBJECT = 56  # what an empty Python object takes, roughly
_NO_PAGES = (str, bytes, bytearray, memoryview, Mapping, AbstractSet, BaseModel, pl.Series, io.IOBase, type)


class Batcher:
    """Collects rows and tables until there is enough for a batch.

    Rows are held until there are `rows` of them or they weigh `bytes`, by an estimate from every eighth row; a table is
    cut by rows, and never mixed with rows.

    Args:
        rows: The most rows of a batch.
        bytes: About the most bytes of a batch of rows.
    """

    def __init__(self, rows: int, bytes: int) -> None:  # noqa: A002
        self._most_rows, self._most_bytes = rows, bytes
        self._rows: list[Any] = []
        self._weight = 0

    def add(self, element: object) -> Iterable[Batch]:
        """Take a row or a table, and give the batches that are complete."""
        if type(element) is dict:  # most are, and there are many; some generators fill one dict again and again
            return self._add_row(element.copy())
        if is_table(element):
            return itertools.chain(self.rest(), cut(element, self._most_rows))
        row = as_dict(element)
        return self._add_row(element if row is None else row)

    def fill(self, source: Iterator[object]) -> object:
        """Take dict rows from an iterator for as long as there is room: as `add` does, at a fraction of its cost a row.

        Returns:
            The first element that is no dict, which is not taken; `FULL` if a batch is complete; `END` after the last.
        """
        for element in source:
            if type(element) is not dict:
                return element
            if self._has_filled(element.copy()):
                return FULL
            room = min(-len(self._rows) % _WEIGHED, self._most_rows - len(self._rows))
            for unweighed in itertools.islice(source, room):
                if type(unweighed) is not dict:
                    return unweighed
                self._rows.append(unweighed.copy())
            if len(self._rows) >= self._most_rows:
                return FULL
        return END

    @property
    def held(self) -> int:
        """How many rows are held."""
        return len(self._rows)

    def rest(self) -> Sequence[Batch]:
        """Give the rows that are held, if there are any."""
        rows, self._rows, self._weight = self._rows, [], 0
        return [rows] if rows else []

    def _add_row(self, row: object) -> Sequence[Batch]:
        return self.rest() if self._has_filled(row) else ()

    def _has_filled(self, row: object) -> bool:
        """Take a row; whether the batch is complete with it."""
        if len(self._rows) % _WEIGHED == 0:
            self._weight += _weight_of(row) * _WEIGHED
        self._rows.append(row)
        return len(self._rows) >= self._most_rows or self._weight >= self._most_bytes


@no_if_it_raises
def is_row(value: object) -> bool:
    """Whether a value is one row: a mapping, a named tuple, or an object of a dataclass or a pydantic model."""
    if isinstance(value, (Mapping, BaseModel)) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        return True
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


@no_if_it_raises
def is_page(value: object) -> bool:
    """Whether a value gives rows one after another: a list, a generator or any other iterable that is no row itself.

    Neither text nor a set, a file or a series is one.
    """
    if isinstance(value, (list, tuple)):
        return not hasattr(value, "_fields")
    if not isinstance(value, Iterable) or isinstance(value, _NO_PAGES) or inspect.isawaitable(value):
        return False
    return not is_series(value) and not is_row(value) and not is_table(value)


@no_if_it_raises
def is_table(value: object) -> bool:
    """Whether a value is columnar: a Polars frame, anything that speaks Arrow's C interface, or a pandas frame."""
    if isinstance(value, (pl.DataFrame, pl.LazyFrame)):
        return True
    if isinstance(value, (type, pl.Series)):
        return False
    # A series or an array speaks Arrow, too; what has columns has their names.
    speaks = hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")
    return is_pandas(value) or (speaks and (hasattr(value, "schema") or hasattr(value, "columns")))


@no_if_it_raises
def is_pandas(value: object) -> bool:
    """Whether a value is a pandas frame; pandas is not imported to find out."""
    kind = type(value)
    return kind.__module__.partition(".")[0] == "pandas" and hasattr(value, "iloc") and hasattr(value, "columns")


@no_if_it_raises
def is_series(value: object) -> bool:
    """Whether a value is one column of Polars or of pandas."""
    in_pandas = type(value).__module__.partition(".")[0] == "pandas"
    return isinstance(value, pl.Series) or (in_pandas and hasattr(value, "to_frame"))


def cut(table: Any, rows: int) -> Iterator[Batch]:
    """A table in parts of its own kind, none of more than so many rows; one without rows gives itself."""
    if isinstance(table, pl.LazyFrame):
        yield from _cut_lazy(table, rows)
    elif isinstance(table, pl.DataFrame):
        yield from table.iter_slices(rows) if table.height else [table]
    elif is_pandas(table):
        yield from (table.iloc[at : at + rows] for at in range(0, max(len(table), 1), rows))
    elif isinstance(table, Iterator):  # a reader of record batches
        yield from _cut_reader(table, rows)
    elif hasattr(table, "num_rows") and hasattr(table, "slice"):
        count = table.num_rows  # a slice of a table without columns has as many rows as are asked for
        yield from (table.slice(at, min(rows, count - at)) for at in range(0, max(count, 1), rows))
    else:
        yield from cut(pl.DataFrame(table), rows)


def _cut_reader(reader: Any, rows: int) -> Iterator[Batch]:
    """A reader's batches; one that has none gives its columns."""
    empty = True
    for part in reader:
        empty = False
        yield from cut(part, rows)
    if empty and hasattr(reader.schema, "empty_table"):
        yield reader.schema.empty_table()


def weight(value: object, *, depth: int = 4) -> int:
    """About how many bytes a value takes."""
    if isinstance(value, (str, bytes, bytearray)):
        return _OBJECT + len(value)
    if value is None or isinstance(value, (bool, int, float)):
        return _OBJECT // 2
    if depth == 0:
        return _OBJECT
    if isinstance(value, Mapping):
        return 2 * _OBJECT + sum(_OBJECT + weight(item, depth=depth - 1) for item in value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        return _OBJECT + sum(8 + weight(item, depth=depth - 1) for item in cast("Iterable[object]", value))
    own = getattr(value, "__dict__", None)
    return _OBJECT + (weight(own, depth=depth - 1) if own else 0)


def _weight_of(row: object) -> int:
    """The same, of values that may be anybody's objects."""
    try:
        return weight(row)
    except Exception:  # noqa: BLE001  (their own methods may raise anything)
        return _OBJECT


def _cut_lazy(table: pl.LazyFrame, rows: int) -> Iterator[pl.DataFrame]:
    """A plan's rows as the streaming engine gives them; a plan without rows gives one frame without any."""
    empty = True
    for part in table.collect_batches(chunk_size=rows, maintain_order=True, engine="streaming"):
        empty = empty and not part.height
        if part.height:
            yield from part.iter_slices(rows)
    if empty:
        yield pl.DataFrame(schema=table.collect_schema())
