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

from dagster_contracts.frames.arrays import repeated
from dagster_contracts.frames.classify import Scope, Sight
from dagster_contracts.frames.plans import bytes_a_row, free_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dagster_contracts.contract.fields import RuleSpec
    from dagster_contracts.frames.arrays import Hashes

_HASH, _HASH_BYTES, _HASHES = "hash", 8, 2**64
_LEAST_HASHES = 1 << 20  # bytes; for fewer at once it is not worth to read the keys again
_MOST_PARTS = 256  # each reads the rule's columns again
_MOST_AT_ONCE = 3 << 28  # bytes for one part of a group rule, however large the budget: more would save little time
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
        return repeated_rows(frame, rule, sight.keys, row_count, budget)
    kept = rule.expr.fill_null(value=True).alias(rule.check_name)
    parts = 1
    if sight.scope is Scope.KEYED and not _is_nested(frame, sight.keys):
        columns = list(dict.fromkeys((*rule.expr.meta.root_names(), *sight.keys)))
        needed = bytes_a_row(frame, columns) * row_count * _ROOM_TO_WORK
        parts = max(1, min(-int(-needed // min(budget, _MOST_AT_ONCE)), row_count, _MOST_PARTS))
    if parts == 1:
        # A rule may look at columns that its expression does not name, such as all of them: it sees the frame as it is.
        row = "row"
        bits = frame.with_columns(kept).select(rule.check_name).with_row_index(row)
        return bits.filter(~pl.col(rule.check_name)).select(row).collect(engine="streaming").to_series()
    row = free_name(columns)
    narrow = frame.select(cs.by_name(*columns)).with_row_index(row)
    found = []
    for part in range(parts):
        rows = narrow.filter(_is_in_part(_hashed(sight.keys), part, parts))
        broken = rows.with_columns(kept).filter(~pl.col(rule.check_name))
        found.append(broken.select(row).collect(engine="streaming").to_series())
    return pl.concat(found).sort()


def is_decided_by_hash(frame: pl.LazyFrame, sight: Sight) -> bool:
    """Whether a rule asks for nothing but uniqueness of keys that can be told apart by hash."""
    return sight.is_unique and not _is_nested(frame, sight.keys)


def repeated_rows_in_memory(rows: pl.DataFrame, rule: RuleSpec, keys: Sequence[str]) -> pl.Series:
    """`repeated_rows` of a frame in memory, whose keys are hashed once."""
    hashes = rows.select(_hashed(keys)).to_series()
    found = repeated(hashes.to_numpy(writable=True))
    if not len(found):
        return pl.Series(dtype=pl.UInt32)
    candidates = hashes.is_in(found.implode()).arg_true()
    kept = rows.select(cs.by_name(*keys))[candidates].select(rule.expr.fill_null(value=True)).to_series()
    return candidates.filter(~kept)


def repeated_rows(frame: pl.LazyFrame, rule: RuleSpec, keys: Sequence[str], row_count: int, budget: int) -> pl.Series:
    """The numbers of the rows that break a uniqueness rule: candidates by hash, then by their true keys."""
    parts = max(1, min(-(-row_count * _HASH_BYTES // max(budget, _LEAST_HASHES)), _MOST_PARTS))
    found = [repeated(_hashes(frame, keys, row_count, part, parts)) for part in range(parts)]
    hashes = pl.concat(found)
    row = free_name(keys)
    if not len(hashes):
        return pl.Series(row, dtype=pl.UInt32)
    numbered = frame.select(cs.by_name(*keys)).with_row_index(row)
    candidates = numbered.filter(_hashed(keys).is_in(hashes.implode())).collect(engine="streaming")
    return candidates.filter(~rule.expr.fill_null(value=True))[row].sort()


def _hashes(frame: pl.LazyFrame, keys: Sequence[str], row_count: int, part: int, parts: int) -> Hashes:
    """The keys' hashes, or those of one part of them, in no order, batch by batch into one array."""
    import numpy as np  # noqa: PLC0415  (heavy)

    hashes = np.empty(-(-row_count // parts) + (row_count // (10 * parts) + 1_000) * (parts > 1), dtype=np.uint64)
    filled = 0

    def fill(batch: pl.DataFrame) -> None:
        nonlocal hashes, filled
        missing = filled + batch.height - len(hashes)
        if missing > 0:
            hashes = np.concatenate([hashes, np.empty(missing + len(hashes) // 10, dtype=np.uint64)])
        hashes[filled : filled + batch.height] = batch.to_series().to_numpy()
        filled += batch.height

    mixed = frame.select(_hashed(keys).alias(_HASH))
    if parts > 1:
        mixed = mixed.filter(_is_in_part(pl.col(_HASH), part, parts))
    mixed.sink_batches(fill, maintain_order=False, engine="streaming")
    return hashes[:filled]


def _hashed(keys: Sequence[str]) -> pl.Expr:
    """A hash that is equal for equal keys: -0.0 and 0.0 are one key, NaN is one key, null is one key."""
    return cs.by_name(*keys).as_expr().hash() if len(keys) == 1 else pl.struct(cs.by_name(*keys)).hash()


def _is_in_part(hashed: pl.Expr, part: int, parts: int) -> pl.Expr:
    """Whether a hash is in one of as many equal stretches of all hashes."""
    first, end = _HASHES * part // parts, _HASHES * (part + 1) // parts
    return hashed.is_between(pl.lit(first, dtype=pl.UInt64), pl.lit(end - 1, dtype=pl.UInt64))


def _is_nested(frame: pl.LazyFrame, columns: Iterable[str]) -> bool:
    """Whether a column's equality is more than that of its hash's input, as with floats inside lists."""
    schema = frame.collect_schema()
    return any(schema[column].is_nested() or schema[column] == pl.Object for column in columns)


def bits_of(row_count: int, broken: pl.Series) -> pl.Series:
    """One Boolean a row, false for the rows of these numbers."""
    return pl.repeat(value=True, n=row_count, dtype=pl.Boolean, eager=True).scatter(broken, values=False)
