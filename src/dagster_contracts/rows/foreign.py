"""Values and rows of other libraries, read as what they stand for in plain Python."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from pydantic import BaseModel

from dagster_contracts.rows.refused import Refused

_PLAIN: Final = frozenset(
    {type(None), bool, int, float, str, bytes, list, dict, tuple, dt.date, dt.datetime, dt.time, dt.timedelta}
)
_NANOSECONDS: Final = 1_000


@dataclass(frozen=True)
class BeyondPython:
    """A moment or a duration of a table that Python has no value for.

    Args:
        count: How many of the unit, for a moment since 1970.
        unit: Days, or Polars' name of a part of a second.
    """

    count: int
    unit: str

    def __repr__(self) -> str:
        return f"<{self.count} {self.unit}, counted from 1970 if it is a moment>"


def unwrapped(value: Any) -> Any:
    """A value of pandas, NumPy or Arrow as the Python value it stands for; any other as it is.

    Raises:
        Refused: It stands for a moment that Python's microseconds or years cannot hold.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is BeyondPython:
        raise Refused("out_of_range", "it is outside of the years 1 to 9999, or longer than those", value)
    library = (kind.__module__ or "").partition(".")[0]
    if library == "pandas":
        return _from_pandas(value, kind.__name__)
    if library == "numpy":
        return _from_numpy(value)
    if library == "pyarrow" and hasattr(value, "as_py"):
        return unwrapped(value.as_py())
    if library == "polars" and kind.__name__ == "Series":
        return value.to_list()
    return value


def _from_pandas(value: Any, name: str) -> Any:
    """Pandas' own scalars: its missing markers are `None`."""
    if name in {"NAType", "NaTType"}:
        return None
    if name == "Timestamp":
        if value.nanosecond:
            raise Refused("inexact", "it has nanoseconds, and a column has microseconds", value)
        return value.to_pydatetime()
    if name == "Timedelta":
        if value.nanoseconds:
            raise Refused("inexact", "it has nanoseconds, and a column has microseconds", value)
        return value.to_pytimedelta()
    return value


def _from_numpy(value: Any) -> Any:
    """NumPy's scalars and arrays; its moments by way of microseconds, as its nanoseconds are bare numbers in Python."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind in {"M", "m"} and getattr(value, "ndim", 1) == 0:
        exact = value.astype(f"{kind}8[us]")
        if exact != value and value == value:  # noqa: PLR0124  (NaT is not itself)
            raise Refused("inexact", "it has nanoseconds, and a column has microseconds", value)
        return exact.item()
    if kind == "O" or not hasattr(value, "tolist"):
        return list(value) if hasattr(value, "tolist") else value
    if kind == "V":
        return value
    return value.tolist() if getattr(value, "ndim", 0) else value.item()


def as_mapping(row: Any) -> Mapping[Any, Any] | None:
    """A row as a mapping from keys to values: a mapping itself, a dataclass, a pydantic object or a named tuple."""
    if isinstance(row, Mapping):
        return row
    if isinstance(row, (type, BeyondPython)):
        return None
    if isinstance(row, BaseModel):
        aliases = {name: info.alias or name for name, info in type(row).model_fields.items()}
        own = {aliases[name]: getattr(row, name) for name in aliases}
        return own | (row.model_extra or {})
    if dataclasses.is_dataclass(row):
        return {one.name: getattr(row, one.name) for one in dataclasses.fields(row)}
    if isinstance(row, tuple) and hasattr(row, "_asdict"):
        return dict(zip(cast("Any", row)._fields, row, strict=True))
    return None


def as_dict(row: Any) -> dict[Any, Any] | None:
    """A row's keys and values, read at once; `None` for what is no row, or does not behave as one."""
    if type(row) is dict:
        return row
    try:
        mapping = as_mapping(row)
        return None if mapping is None else dict(mapping.items())
    except Exception:  # noqa: BLE001  (a row's own methods may raise anything)
        return None


def no_if_it_raises(question: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """A question about a value, answered with no where the value itself raises when it is looked at."""

    @functools.wraps(question)
    def answer(value: Any) -> bool:
        try:
            return question(value)
        except Exception:  # noqa: BLE001  (a value's own attributes may raise anything)
            return False

    return answer
