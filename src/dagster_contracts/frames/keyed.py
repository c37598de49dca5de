"""Rules that need more than their own row, decided first, on the few columns that they read.

Uniqueness is decided on 64-bit hashes of the keys: rows whose hash is their own are unique, and only the few others are
looked at with their true keys. Other keyed rules are decided in partitions by their keys' hash, so that no more than a
budget is in memory at once. What comes back is one bit a row for each rule that some row breaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from dagster_contracts.frames.classify import Scope, Sight
from dagster_contracts.frames.plans import bytes_a_row, free_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dagster_contracts.contract.fields import RuleSpec

_HASH = "hash"
_SLICES = 8
_MOST_PARTS = 256  # each reads the rule's columns again
_ROOM_TO_WORK = 4  # a rule's columns, its groups and its result, in multiples of the columns


@dataclass(frozen=True)
class Decided:
    """What the rules said that need more than their own row.

    Args:
        row_count: How many rows the frame has.
        bits: For each rule that some row breaks, named as its check, one Boolean a row in the frame's order.
    """

    row_count: int
    bits: dict[str, pl.Series]


def decide(frame: pl.LazyFrame, rules: Sequence[tuple[RuleSpec, Sight]], budget: int) -> Decided:
    """Decide keyed and whole-table rules.

    Args:
        frame: A plan that gives the same rows in the same order each time.
        rules: The rules, each with what it must see.
        budget: Bytes of memory to stay within, where the rules allow it.
    """
    row_count = int(frame.select(pl.len()).collect(engine="streaming").item())
    bits = {}
    for rule, sight in rules:
        broken = _broken_rows(frame, rule, sight, row_count, budget)
        if len(broken):
            bits[rule.check_name] = bits_of(row_count, broken)
    return Decided(row_count, bits)


def _broken_rows(frame: pl.LazyFrame, rule: RuleSpec, sight: Sight, row_count: int, budget: int) -> pl.Series:
    """The numbers of the rows that break a rule, ascending."""
    if is_decided_by_hash(frame, sight):
        return repeated_rows(frame, rule, sight.keys)
    kept = rule.expr.fill_null(value=True).alias(rule.check_name)
    parts = 1
    if sight.scope is Scope.KEYED and not _is_nested(frame, sight.keys):
        columns = list(dict.fromkeys((*rule.expr.meta.root_names(), *sight.keys)))
        needed = bytes_a_row(frame, columns) * row_count * _ROOM_TO_WORK
        parts = max(1, min(-int(-needed // budget), row_count, _MOST_PARTS))
    if parts == 1:
        # A rule may look at columns that its expression does not name, such as all of them: it sees the frame as it is.
        row = "row"
        bits = frame.with_columns(kept).select(rule.check_name).with_row_index(row)
        return bits.filter(~pl.col(rule.check_name)).select(row).collect(engine="streaming").to_series()
    row = free_name(columns)
    narrow = frame.select(cs.by_name(*columns)).with_row_index(row)
    found = []
    for part in range(parts):
        rows = narrow.filter(_hashed(sight.keys) % parts == part)
        broken = rows.with_columns(kept).filter(~pl.col(rule.check_name))
        found.append(broken.select(row).collect(engine="streaming").to_series())
    return pl.concat(found).sort()


def is_decided_by_hash(frame: pl.LazyFrame, sight: Sight) -> bool:
    """Whether a rule asks for nothing but uniqueness of keys that can be told apart by hash."""
    return sight.is_unique and not _is_nested(frame, sight.keys)


def repeated_rows(frame: pl.LazyFrame, rule: RuleSpec, keys: Sequence[str]) -> pl.Series:
    """The rows of a uniqueness rule that are not unique: candidates by hash, then by their true keys."""
    hashes = frame.select(_hashed(keys).alias(_HASH)).collect(engine="streaming").to_series()
    repeated = _repeated_hashes(hashes)
    if not len(repeated):
        return pl.Series(dtype=pl.UInt32)
    candidates = hashes.is_in(repeated.implode()).arg_true()
    del hashes
    row = free_name(keys)
    rows = frame.select(cs.by_name(*keys)).with_row_index(row).filter(pl.col(row).is_in(candidates.implode()))
    broken = rows.collect(engine="streaming").filter(~rule.expr.fill_null(value=True))
    return broken[row].sort()


def _repeated_hashes(hashes: pl.Series) -> pl.Series:
    """The hashes that occur more than once, found slice by slice so that only one slice is sorted at a time."""
    found = []
    for part in range(_SLICES):
        ordered = hashes.filter(hashes % _SLICES == part).sort()
        found.append(ordered.filter(ordered == ordered.shift(1)).unique())
    return pl.concat(found)


def _hashed(keys: Iterable[str]) -> pl.Expr:
    """A hash that is equal for equal keys: -0.0 and 0.0 are one key, NaN is one key, null is one key."""
    return pl.struct(cs.by_name(*keys)).hash()


def _is_nested(frame: pl.LazyFrame, columns: Iterable[str]) -> bool:
    """Whether a column's equality is more than that of its hash's input, as with floats inside lists."""
    schema = frame.collect_schema()
    return any(schema[column].is_nested() or schema[column] == pl.Object for column in columns)


def bits_of(row_count: int, broken: pl.Series) -> pl.Series:
    """One Boolean a row, false for the rows of these numbers."""
    return pl.repeat(value=True, n=row_count, dtype=pl.Boolean, eager=True).scatter(broken, values=False)
