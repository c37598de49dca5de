"""Splitting a frame that is in memory.

Rules become a frame of bits, never a copy of the data. When every row is valid, the very frame that came in goes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.frames.keyed import bits_of, is_decided_by_hash, repeated_rows
from dagster_contracts.frames.result import Split
from dagster_contracts.frames.rules import (
    EVALUATION_ERRORS,
    VALID,
    biggest_first,
    blame,
    broken_together,
    in_words,
    kept,
    refuse_other_than_boolean,
    sights,
)
from dagster_contracts.frames.statistics import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_contracts.contract.fields import Contract, RuleSpec
    from dagster_contracts.frames.result import SplitOptions


def split_eagerly(contract: Contract, rows: pl.DataFrame, options: SplitOptions) -> Split:
    """Split a frame in memory; see `split`."""
    bits = _broken_bits(contract, rows)
    broken = [rule for rule in contract.rules if rule.check_name in bits.columns]
    counts = {rule.name: 0 for rule in contract.rules}
    counts |= {rule.name: rows.height - int(bits[rule.check_name].sum()) for rule in broken}
    removing = [rule.check_name for rule in broken if not rule.warning]
    keep = bits.select(pl.all_horizontal(removing)).to_series() if removing else None
    valid = rows if keep is None else rows.filter(keep)
    invalid = rows.clear() if keep is None else rows.filter(~keep)
    invalid_bits = bits.clear() if keep is None else bits.filter(~keep)
    return Split(
        contract=contract,
        valid=valid,
        invalid=invalid.hstack(_as_text(contract.rules, invalid_bits)),
        valid_count=valid.height,
        invalid_count=invalid.height,
        rule_counts=counts,
        broken_together=_sets([rule.check_name for rule in broken], removing, bits),
        rule_samples={
            rule.name: rows[(~bits[rule.check_name]).arg_true().head(options.max_failure_samples)] for rule in broken
        },
        statistics=summarize(valid, contract.sensitive_columns) if options.statistics else None,
    )


def _broken_bits(contract: Contract, rows: pl.DataFrame) -> pl.DataFrame:
    """The Boolean column of each rule that some row breaks."""
    seen = list(zip(contract.rules, sights(contract), strict=True))
    if not seen or not rows.width:
        return pl.DataFrame()
    frame = rows.lazy()
    try:
        hashed = {
            rule.check_name: repeated_rows(frame, rule, sight.keys)
            for rule, sight in seen
            if is_decided_by_hash(frame, sight)
        }
        rules = [rule for rule, sight in seen if rule.check_name not in hashed and _is_open(rows, sight.not_null)]
        bits = frame.with_columns(map(kept, rules)).select(rule.check_name for rule in rules).collect()
    except EVALUATION_ERRORS as error:
        raise blame(contract, contract.rules, frame, error) or error from error
    refuse_other_than_boolean(contract, rules, bits.schema)
    held = bits.select(pl.all().all()).row(0) if rules else ()
    found = {rule.check_name: bits[rule.check_name] for rule, every in zip(rules, held, strict=True) if not every}
    found |= {name: bits_of(rows.height, numbers) for name, numbers in hashed.items() if len(numbers)}
    return pl.DataFrame(
        {rule.check_name: found[rule.check_name] for rule in contract.rules if rule.check_name in found}
    )


def _is_open(rows: pl.DataFrame, not_null: str | None) -> bool:
    """Whether a rule must be evaluated: "not null" is held by a column that is known to have no nulls."""
    return not_null is None or rows[not_null].null_count() > 0


def _as_text(rules: Sequence[RuleSpec], bits: pl.DataFrame) -> list[pl.Series]:
    held = pl.Series([VALID], dtype=pl.String).new_from_index(0, bits.height)
    words = bits.select(in_words(rule) for rule in rules if rule.check_name in bits.columns)
    return [
        words[rule.check_name] if rule.check_name in words.columns else held.alias(rule.check_name) for rule in rules
    ]


def _sets(broken: Sequence[str], removing: Sequence[str], bits: pl.DataFrame) -> pl.DataFrame:
    if not broken:
        return pl.DataFrame(schema={"invalid": pl.Boolean, "rows": pl.UInt32})
    return biggest_first(broken_together(broken, removing, bits.lazy()).collect())
