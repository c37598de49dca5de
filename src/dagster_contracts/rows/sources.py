"""What was given, whatever its kind: rows one by one, or columns."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import polars as pl
import polars.selectors as cs

from dagster_contracts.errors import SchemaError
from dagster_contracts.rows.arrow_types import for_polars, stored
from dagster_contracts.rows.exact import exact_values
from dagster_contracts.rows.failure import key_text
from dagster_contracts.rows.foreign import as_mapping, no_if_it_raises
from dagster_contracts.rows.groups import Objects, objects

if TYPE_CHECKING:
    from collections.abc import Callable

_NEVER_MISSING: Final = frozenset({type(None), bool, int, str, bytes, list, tuple, dict, dt.date, dt.datetime})
"""The types that pandas takes no missing marker to be of."""


@dataclass(frozen=True)
class Columns:
    """A table, column by column.

    Args:
        columns: A series for each column that has one type; for one of mixed Python objects, those.
        height: How many rows there are.
    """

    columns: dict[str, pl.Series | Objects]
    height: int

    def rows(self) -> list[dict[str, Any]]:
        """The same row by row, in Python's values, none of them shortened."""
        if not self.columns:
            return [{} for _ in range(self.height)]
        values = [exact_values(one) if isinstance(one, pl.Series) else one.values for one in self.columns.values()]
        names = list(self.columns)
        return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]

    def at(self, positions: list[int]) -> Columns:
        """Some of the rows."""
        some = {
            name: one.gather(positions) if isinstance(one, pl.Series) else objects([one.values[at] for at in positions])
            for name, one in self.columns.items()
        }
        return Columns(some, len(positions))

    def slices(self, rows: int) -> Iterator[Columns]:
        """The same in parts of so many rows."""
        if 0 < self.height <= rows:
            yield self
            return
        for start in range(0, self.height, rows):
            stop = min(start + rows, self.height)
            some = {
                name: one[start:stop] if isinstance(one, pl.Series) else objects(one.values[start:stop])
                for name, one in self.columns.items()
            }
            yield Columns(some, stop - start)


@no_if_it_raises
def is_pandas(value: object) -> bool:
    """Whether a value is a pandas frame, found out without importing pandas."""
    kind = type(value)
    return (
        (kind.__module__ or "").partition(".")[0] == "pandas" and hasattr(value, "iloc") and hasattr(value, "columns")
    )


@no_if_it_raises
def is_arrow(value: object) -> bool:
    """Whether a value speaks Arrow and has columns."""
    speaks = hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")
    return (
        speaks and not isinstance(value, (type, pl.Series)) and (hasattr(value, "schema") or hasattr(value, "columns"))
    )


@no_if_it_raises
def is_table(value: object) -> bool:
    """Whether a value is columnar: Polars, Arrow or pandas."""
    return isinstance(value, (pl.DataFrame, pl.LazyFrame)) or is_pandas(value) or is_arrow(value)


def read(value: object) -> Columns | Iterable[Any]:
    """What was given, as columns or as an iterable of rows that is read once.

    Raises:
        SchemaError: It is neither a table nor rows.
    """
    if issubclass(type(value), pl.LazyFrame):  # of its type: an object may raise where it is asked for its class
        value = cast("pl.LazyFrame", value).collect(engine="streaming")
    try:
        if issubclass(type(value), pl.DataFrame):
            return of_polars(cast("pl.DataFrame", value))
        if is_pandas(value):
            return of_pandas(value)
        if is_arrow(value):
            return of_polars(pl.DataFrame(cast("Any", for_polars(value))))
    except (Exception, pl.exceptions.PanicException) as error:
        raise SchemaError(f"The {type(value).__name__} cannot be read as a table: {key_text(error)}") from error
    if _is_row(value):
        return [value]
    if not _is_iterable(value):
        raise SchemaError(
            f"A {type(value).__name__} is neither rows nor a table. Give an iterable of dicts, dataclasses or pydantic "
            "objects, or a Polars, Arrow or pandas table."
        )
    return cast("Iterable[Any]", value)


@no_if_it_raises
def _is_iterable(value: object) -> bool:
    """Whether a value may give rows; a text gives none."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, bytearray))


@no_if_it_raises
def _is_row(value: object) -> bool:
    """Whether a value is one row by itself."""
    return as_mapping(value) is not None


def in_parts(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """An iterable's rows, read once, so many at a time.

    Raises:
        SchemaError: The iterable itself raised; its own error is the cause.
    """
    count = 0
    try:
        source = iter(rows)
        while part := list(itertools.islice(source, size)):
            count += len(part)
            yield part
    except Exception as error:
        raise SchemaError(f"What gives the rows raised {key_text(error)} after {count:,} rows or more.") from error


def of_polars(frame: pl.DataFrame) -> Columns:
    """A Polars frame's columns."""
    return Columns({one.name: _plain(one) for one in frame.get_columns()}, frame.height)


def _plain(series: pl.Series) -> pl.Series | Objects:
    """A series that no dtype hides from: categories as text, objects as a list, extensions as they are stored."""
    series = stored(series)
    if series.dtype == pl.Object():
        return objects(series.to_list())
    if series.dtype in (pl.Categorical, pl.Enum):
        return series.cast(pl.String())
    return series


def of_pandas(frame: Any) -> Columns:
    """A pandas frame's columns, missing markers as null; an index with a name is a column, too.

    Raises:
        ValueError: Two columns have one name.
    """
    if all(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    if not frame.columns.is_unique:
        raise ValueError(f"two columns are named {next(iter(frame.columns[frame.columns.duplicated()]))!r}")
    columns = {
        name if isinstance(name, str) else repr(name): _of_pandas_series(frame.iloc[:, at])
        for at, name in enumerate(frame.columns)
    }
    return Columns(columns, len(frame))


def _of_pandas_series(series: Any) -> pl.Series | Objects:
    """One column; one of Python objects stays what it is, for its values may be of any type."""
    kind = str(series.dtype)
    if kind.startswith("period["):  # Arrow's and Polars' are their bare numbers
        series = series.astype(object)
    elif kind != "object":
        try:
            if kind.startswith(("datetime64[s", "timedelta64[s")):  # as milliseconds they could overflow unseen
                series = series.dt.as_unit("ms")
            return _plain(cast("pl.Series", pl.from_pandas(series, nan_to_null=True)))
        except Exception:  # noqa: BLE001  (what Arrow does not know is read as objects)
            series = series.astype(object)
    values = series.to_numpy().tolist()
    found = objects(values)
    if found.kinds <= _NEVER_MISSING:
        return found
    missing = series.isna().to_numpy()
    return objects([None if gone else value for value, gone in zip(values, missing, strict=True)])


def restore(value: object) -> Callable[[pl.DataFrame], Any] | None:
    """What gives a frame back in the kind that a table came in; `None` for rows."""
    if issubclass(type(value), pl.LazyFrame):
        return pl.DataFrame.lazy
    if issubclass(type(value), pl.DataFrame):
        return lambda frame: frame
    if is_pandas(value):
        return lambda frame: _given_back(frame, pl.DataFrame.to_pandas, "pandas")
    if is_arrow(value):
        return lambda frame: _given_back(frame, pl.DataFrame.to_arrow, "Arrow")
    return None


def _given_back(frame: pl.DataFrame, write: Callable[[pl.DataFrame], Any], kind: str) -> Any:
    """A frame in another kind; Arrow has no integers of 128 bits, but decimals of as many digits.

    Raises:
        SchemaError: That kind of table cannot hold it.
    """
    wide = cs.by_dtype(pl.Int128())
    try:
        return write(frame.with_columns(wide.cast(pl.Decimal(38, 0))))
    except ImportError:
        raise
    except Exception as error:
        raise SchemaError(
            f"The rows conform, but {kind} cannot hold them: {key_text(error)}. `to_frame` gives a Polars frame."
        ) from error
