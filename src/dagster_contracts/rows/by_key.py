"""The values of dict rows, key by key, and the types among them: some rows at a time, while they are in the cache."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from dagster_contracts.rows.failure import key_text
from dagster_contracts.rows.groups import Objects, objects
from dagster_contracts.rows.reference import default_of, refuse_missing
from dagster_contracts.rows.refused import NOTHING, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dagster_contracts.contract.row_fields import RowField
    from dagster_contracts.rows.reference import How
    from dagster_contracts.rows.shapes import RecordShape

_NEAR_VALUES: Final = 12_000
"""How many values are read at once: they stay in the processor's cache until their types were asked for."""

_FEW: Final = 12
"""Up to how many keys are fetched one after the other; of more, all of a row at once is faster."""


@dataclass(frozen=True)
class Fetched:
    """What rows have under the keys of their fields.

    Args:
        given: Each field's values; `None` where a row has none that counts.
        absent: For each field, the rows that have no value and may not be without one, and why.
        unlike: The rows that have keys which no field has, where that is refused.
    """

    given: list[Objects]
    absent: list[dict[int, Refused]]
    unlike: frozenset[int]


def by_key(record: RecordShape, rows: list[dict[Any, Any]], how: How, prefix: str) -> Fetched:
    """Fetch the values of every field.

    Args:
        record: The fields.
        rows: The rows.
        how: What is done to them; takes the keys that no field has.
        prefix: What stands before those keys, for records inside of rows.
    """
    keys = [field.key for field in record.fields]
    values: list[list[Any]] = [[] for _ in keys]
    kinds: list[set[type]] = [set() for _ in keys]
    unlike: set[int] = set()
    sparse: set[str] = set()
    fills = {field.key: _fill(field, how) for field in record.fields}
    known = {field.key for field in record.fields}
    alike = len(known) == len(keys) > 0
    step = rows_near(len(keys))
    for at in range(0, len(rows), step):
        some = rows[at : at + step]
        found = all_there(some, keys) if alike else None
        if found is None:
            alike = False
            if met := set().union(*some) - known:
                some = _aligned(record, some, at, met, how=how, prefix=prefix, unlike=unlike)
            found = _where_there(some, keys, fills, sparse)
        for column, all_values, all_kinds in zip(found, values, kinds, strict=True):
            all_kinds.update(map(type, column))
            all_values.extend(column)
    given, absent = [], []
    for field, some_values, some_kinds in zip(record.fields, values, kinds, strict=True):
        missing: dict[int, Refused] = {}
        if object in some_kinds:
            _put_defaults(field, some_values, how, missing)
            given.append(objects(some_values))
        else:
            given.append(Objects(some_values, frozenset(some_kinds)))
        absent.append(missing)
    return Fetched(given, absent, frozenset(unlike))


def rows_near(fields: int) -> int:
    """How many rows of so many fields are read at once."""
    return max(64, _NEAR_VALUES // max(fields, 1))


def all_there(rows: list[dict[Any, Any]], keys: list[str]) -> Iterable[Sequence[Any]] | None:
    """The values by key, where each row has these keys and no others; `None` if one has not."""
    if set(map(len, rows)) != {len(keys)}:
        return None
    try:
        return _columns(rows, keys)
    except KeyError:
        return None


def _columns(rows: list[dict[Any, Any]], keys: list[str]) -> list[Sequence[Any]]:
    """The values by key.

    Raises:
        KeyError: A row lacks one.
    """
    if len(keys) <= _FEW:
        return [[row[key] for row in rows] for key in keys]
    return [*zip(*map(itemgetter(*keys), rows), strict=True)]


def _where_there(
    rows: list[dict[Any, Any]], keys: list[str], fills: dict[str, Any], sparse: set[str]
) -> list[Sequence[Any]]:
    """The values by key, with something in the place of those that are not there.

    Args:
        rows: The rows.
        keys: The keys.
        fills: What stands for a key that is not there.
        sparse: The keys that some row lacked so far; takes those that are found to be like that.
    """
    found: dict[str, Sequence[Any]] = {}
    while len(found) < len(set(keys) - sparse):
        dense = [key for key in dict.fromkeys(keys) if key not in sparse]
        try:
            found = dict(zip(dense, _columns(rows, dense), strict=True))
        except KeyError as error:
            sparse.add(error.args[0])
    for key in sparse:
        fill = fills[key]
        found[key] = [row.get(key, fill) for row in rows]
    return [found[key] for key in keys]


def _fill(field: RowField, how: How) -> Any:
    """What stands for a key that is not there: `None` if that is the field's default, else a mark."""
    return None if not (how.strict or field.required) and field.default is None else NOTHING


def _put_defaults(field: RowField, values: list[Any], how: How, missing: dict[int, Refused]) -> None:
    """Put defaults where marks are; `None` where there is no default, and why."""
    for at, value in enumerate(values):
        if value is not NOTHING:
            continue
        try:
            refuse_missing(field, how)
            values[at] = default_of(field)
        except Refused as refused:
            values[at] = None
            missing[at] = refused


def _aligned(
    record: RecordShape,
    rows: list[dict[Any, Any]],
    start: int,
    met: set[Any],
    *,
    how: How,
    prefix: str,
    unlike: set[int],
) -> list[dict[Any, Any]]:
    """Rows with the keys of their fields, where they use a column's name; keys that no field has are noted."""
    names = record.by_key
    unknown = {key for key in met if not isinstance(key, str) or key not in names}
    if unknown and how.strict:
        unlike.update(at for at, row in enumerate(rows, start) if not unknown.isdisjoint(row))
    elif unknown:
        how.dropped.update(dict.fromkeys(f"{prefix}{key_text(key)}" for key in unknown))
    by_name = met - unknown
    if not by_name:
        return rows
    key_of = {field.name: field.key for field in record.fields}
    return [
        _renamed(row, by_name, key_of, at=at, how=how, prefix=prefix, unlike=unlike)
        for at, row in enumerate(rows, start)
    ]


def _renamed(
    row: dict[Any, Any], by_name: set[str], key_of: dict[str, str], *, at: int, how: How, prefix: str, unlike: set[int]
) -> dict[Any, Any]:
    """A row whose fields go by their keys, where it used a column's name; the key counts where it has both."""
    found = dict(row)
    for name in by_name & row.keys():
        value = found.pop(name)
        if key_of[name] not in row:
            found[key_of[name]] = value
        elif how.strict:
            unlike.add(at)
        else:
            how.dropped[f"{prefix}{name}"] = None
    return found
