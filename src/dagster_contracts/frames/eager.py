"""Splitting a frame that is in memory.

Rules become a frame of bits, never a copy of the data. When every row is valid, the very frame that came in goes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from dagster_contracts.frames.keyed import bits_of, is_decided_by_hash, repeated_rows_in_memory
from dagster_contracts.frames.plans import free_name
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
from dagster_contracts.frames.staged import is_unstorable
from dagster_contracts.frames.summarize import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_contracts.contract.fields import Contract
    from dagster_contracts.frames.result import SplitOptions


def split_eagerly(contract: Contract, rows: pl.DataFrame, options: SplitOptions) -> Split:
    """Split a frame in memory; see `split`."""
    bits = _broken_bits(contract, rows)
    broken = [rule for rule in contract.rules if rule.check_name in bits.columns]
    removing = [rule.check_name for rule in broken if not rule.warning]
    keep = bits.select(pl.all_horizontal(removing)).to_series() if removing else None
    # Before the halves, which may be copies.
    statistics = summarize(rows, contract.sensitive_columns, keep=keep) if options.statistics else None
    valid, invalid = _halves(contract, rows, bits, keep, as_plans=options.halves_as_plans)
    valid_count = rows.height if keep is None else int(keep.sum())
    return Split(
        contract=contract,
        valid=valid,
        invalid=invalid,
        valid_count=valid_count,
        invalid_count=rows.height - valid_count,
        rule_counts=dict.fromkeys((rule.name for rule in contract.rules), 0)
        | {rule.name: rows.height - int(bits[rule.check_name].sum()) for rule in broken},
        broken_together=_sets([rule.check_name for rule in broken], removing, bits),
        rule_samples={
            rule.name: rows[(~bits[rule.check_name]).arg_true().head(options.max_failure_samples)] for rule in broken
        },
        statistics=statistics,
    )


def _halves(
    contract: Contract, rows: pl.DataFrame, bits: pl.DataFrame, keep: pl.Series | None, *, as_plans: bool
) -> tuple[pl.DataFrame | pl.LazyFrame, pl.DataFrame | pl.LazyFrame]:
    """The valid rows, the very frame if all are, and the invalid ones with the rules in words."""
    words = [
        in_words(rule) if rule.check_name in bits.columns else pl.lit(VALID).alias(rule.check_name)
        for rule in contract.rules
    ]
    columns, is_valid = cs.by_name(*rows.columns), free_name(rows.columns)
    if keep is None:
        return rows, rows.clear().hstack(bits.clear()).select(columns, *words)
    marked = rows.hstack([*bits, keep.alias(is_valid)]).lazy()
    valid, invalid = marked.filter(is_valid).select(columns), marked.filter(~pl.col(is_valid)).select(columns, *words)
    if as_plans and not any(map(is_unstorable, rows.dtypes)):
        return valid, invalid
    return valid.collect(), invalid.collect()


def _broken_bits(contract: Contract, rows: pl.DataFrame) -> pl.DataFrame:
    """The Boolean column of each rule that some row breaks."""
    seen = list(zip(contract.rules, sights(contract), strict=True))
    if not seen or not rows.width:
        return pl.DataFrame()
    frame = rows.lazy()
    try:
        hashed = {
            rule.check_name: repeated_rows_in_memory(rows, rule, sight.keys)
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


def _sets(broken: Sequence[str], removing: Sequence[str], bits: pl.DataFrame) -> pl.DataFrame:
    if not broken:
        return pl.DataFrame(schema={"invalid": pl.Boolean, "rows": pl.UInt32})
    return biggest_first(broken_together(broken, removing, bits.lazy()).collect())
