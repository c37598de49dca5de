"""Splitting a lazy frame without ever holding it: one streaming run into two files.

Rules that need more than their own row are decided first, on the few columns that they read. Then a single query scans
the source, evaluates the row-local rules, and feeds the valid file, the invalid file, the sets of rules broken together
and the statistics.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from dagster_contracts.errors import RuleError
from dagster_contracts.frames.classify import Scope
from dagster_contracts.frames.keyed import Decided, decide
from dagster_contracts.frames.plans import can_run_twice
from dagster_contracts.frames.result import Split
from dagster_contracts.frames.rules import (
    INVALID,
    POLARS_ERRORS,
    VALID,
    biggest_first,
    blame,
    broken_together,
    in_words,
    kept,
    refuse_other_than_boolean,
    sights,
)
from dagster_contracts.frames.staged import scan_staged
from dagster_contracts.frames.statistics import Statistics, median_plan, read_statistics, statistics_plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dagster_contracts.contract.fields import Contract, RuleSpec
    from dagster_contracts.frames.result import SplitOptions

_IS_VALID, _ROW = "__dagster_contracts_valid", "__dagster_contracts_row"
_MEDIAN_SAMPLE = 100_000
# Multiples of an odd number near the golden section of 2^32, modulo 2^32, are spread evenly whatever the period of the
# data.
_SPREAD, _TURN = 2_654_435_761, 2**32
_SHARE_FOR_STATISTICS = 16
_PREFETCH = "POLARS_ROW_GROUP_PREFETCH_SIZE"


def can_be_staged(frame: pl.LazyFrame) -> bool:
    """Whether every column can be kept in a file: not objects, and not structs without fields."""
    return not any(_is_unstorable(dtype) for dtype in frame.collect_schema().dtypes())


def split_streaming(contract: Contract, frame: pl.LazyFrame, options: SplitOptions, folder: Path) -> Split:
    """Split a lazy frame into two files in a folder; see `split`.

    Raises:
        RuleError: A rule does not evaluate on this frame or is not Boolean, or the source changed while it was read.
    """
    with _one_row_group_at_a_time():
        source = frame if can_run_twice(frame) else _stage(frame, folder)
        decided = _decide(contract, source, options)
        plan = _Plan.of(contract, source, decided)
        refuse_other_than_boolean(contract, plan.open_rules, plan.evaluated.collect_schema())
        valid, invalid = folder / "valid.parquet", folder / "invalid.parquet"
        statistics = _StatisticsPlan.of(contract, source, options, decided.row_count)
        warned = [rule for rule in plan.open_rules if rule.warning]
        try:
            results = pl.collect_all(
                [
                    plan.valid_rows().sink_parquet(valid, lazy=True),
                    plan.invalid_rows().sink_parquet(invalid, lazy=True),
                    plan.broken_together(),
                    plan.valid_again().select(pl.len().alias("rows"), *statistics.exprs),
                    *(plan.breaking(rule).head(options.max_failure_samples) for rule in warned),
                ],
                engine="streaming",
            )
        except POLARS_ERRORS as error:
            raise blame(contract, plan.open_rules, source, error) or error from error
    sets, totals = biggest_first(results[2]), results[3]
    counts = {rule.name: 0 for rule in contract.rules}
    counts |= {rule.name: int(sets.filter(~pl.col(rule.check_name))["rows"].sum()) for rule in plan.open_rules}
    found = sets.select(*(rule.check_name for rule in plan.open_rules if counts[rule.name]), "invalid", "rows")
    valid_count, invalid_count = int(totals["rows"].item()), int(sets.filter("invalid")["rows"].sum())
    _refuse_changed_source(contract, decided, valid_count + invalid_count)
    broken = [rule for rule in plan.open_rules if counts[rule.name]]
    samples = _first_broken(invalid, [r for r in broken if not r.warning], plan.columns, options.max_failure_samples)
    samples |= {rule.name: rows for rule, rows in zip(warned, results[4:], strict=True) if counts[rule.name]}
    return Split(
        contract=contract,
        valid=scan_staged(valid),
        invalid=scan_staged(invalid),
        valid_count=valid_count,
        invalid_count=invalid_count,
        rule_counts=counts,
        broken_together=found,
        rule_samples={rule.name: samples[rule.name] for rule in broken},
        statistics=statistics.read(totals, valid),
    )


@dataclass(frozen=True)
class _Plan:
    """The query that everything is read from: the source with a column a rule that is not known to hold.

    Args:
        contract: The contract.
        columns: The source's columns.
        open_rules: The rules that are not known to hold.
        evaluated: The source, their bits, and whether the row is valid.
    """

    contract: Contract
    columns: list[str]
    open_rules: list[RuleSpec]
    evaluated: pl.LazyFrame

    @classmethod
    def of(cls, contract: Contract, source: pl.LazyFrame, decided: Decided) -> _Plan:
        """Put the bits that were decided beside the source and evaluate the row-local rules."""
        local = [
            rule for rule, sight in zip(contract.rules, sights(contract), strict=True) if sight.scope is Scope.ROW_LOCAL
        ]
        open_rules = [rule for rule in contract.rules if rule in local or rule.check_name in decided.bits]
        removing = [rule.check_name for rule in open_rules if not rule.warning]
        columns = source.collect_schema().names()
        if decided.bits:
            source = pl.concat([source, pl.DataFrame(decided.bits).lazy()], how="horizontal")
        is_valid = pl.all_horizontal(removing) if removing else pl.lit(value=True)
        evaluated = source.with_columns(map(kept, local)).with_columns(is_valid.alias(_IS_VALID))
        return cls(contract, columns, open_rules, evaluated)

    def valid_rows(self) -> pl.LazyFrame:
        """The rows of the valid file."""
        return self.evaluated.filter(pl.col(_IS_VALID)).select(cs.by_name(*self.columns))

    def invalid_rows(self) -> pl.LazyFrame:
        """The rows of the invalid file, with the rules in words."""
        open_names = {rule.check_name for rule in self.open_rules}
        words = [
            in_words(rule) if rule.check_name in open_names else pl.lit(VALID).alias(rule.check_name)
            for rule in self.contract.rules
        ]
        return self.evaluated.filter(~pl.col(_IS_VALID)).select(cs.by_name(*self.columns), *words)

    # The predicates below say the same in other words on purpose: for equal ones Polars would keep the filtered rows of
    # the sinks in memory to share them.

    def valid_again(self) -> pl.LazyFrame:
        """The valid rows, for aggregates."""
        return self.evaluated.filter(pl.col(_IS_VALID).eq(other=True)).select(cs.by_name(*self.columns))

    def broken_together(self) -> pl.LazyFrame:
        """The sets of rules that rows broke together."""
        names = [rule.check_name for rule in self.open_rules]
        if not names:
            return pl.LazyFrame(schema={"invalid": pl.Boolean, "rows": pl.UInt32})
        removing = [rule.check_name for rule in self.open_rules if not rule.warning]
        return broken_together(names, removing, self.evaluated)

    def breaking(self, rule: RuleSpec) -> pl.LazyFrame:
        """The rows that break one rule."""
        return self.evaluated.filter(pl.col(rule.check_name).ne(other=True)).select(cs.by_name(*self.columns))


@dataclass(frozen=True)
class _StatisticsPlan:
    """What to summarize, and whether it may hold whole columns."""

    schema: pl.Schema
    exprs: list[pl.Expr]
    medians: list[pl.Expr]
    every: int | None

    @classmethod
    def of(cls, contract: Contract, source: pl.LazyFrame, options: SplitOptions, row_count: int) -> _StatisticsPlan:
        """Plan statistics that stay within their share of the memory budget."""
        schema = source.collect_schema()
        if not options.statistics:
            return cls(schema, [], [], None)
        exact = row_count * len(schema) * 8 <= options.budget // _SHARE_FOR_STATISTICS
        exprs = statistics_plan(schema, contract.sensitive_columns, approximate=not exact)
        if exact:
            return cls(schema, exprs, [], None)
        return cls(schema, exprs, median_plan(schema, contract.sensitive_columns), max(1, row_count // _MEDIAN_SAMPLE))

    def read(self, totals: pl.DataFrame, valid: Path) -> Statistics | None:
        """The statistics from what the query gave, with medians of rows drawn from the valid file."""
        if not self.exprs:
            return None
        row: dict[str, Any] = totals.row(0, named=True)
        if self.every is not None and self.medians:
            lot = (pl.col(_ROW).cast(pl.UInt64) * _SPREAD) % _TURN < _TURN // self.every
            numbers = pl.scan_parquet(valid, glob=False).select(cs.numeric()).with_row_index(_ROW)
            row |= numbers.filter(lot).collect(engine="streaming").select(self.medians).row(0, named=True)
        return read_statistics(row, self.schema, approximate=self.every is not None)


def _decide(contract: Contract, source: pl.LazyFrame, options: SplitOptions) -> Decided:
    wider = [
        (rule, sight)
        for rule, sight in zip(contract.rules, sights(contract), strict=True)
        if sight.scope is not Scope.ROW_LOCAL
    ]
    try:
        return decide(source, wider, options.budget)
    except POLARS_ERRORS as error:
        raise blame(contract, [rule for rule, _ in wider], source, error) or error from error


def _stage(frame: pl.LazyFrame, folder: Path) -> pl.LazyFrame:
    """Run a plan that must run once, into a file that can be read again."""
    path = folder / "source.arrow"
    frame.sink_ipc(path, engine="streaming")
    return pl.scan_ipc(path)


def _first_broken(path: Path, rules: list[RuleSpec], columns: list[str], limit: int) -> dict[str, pl.DataFrame]:
    """The first rows that break each rule: its column is read, then only the few rows."""
    if not rules:
        return {}
    file = pl.scan_parquet(path, glob=False)
    flags = file.select(pl.col(rule.check_name) == INVALID for rule in rules).collect(engine="streaming")
    first = {rule.name: flags[rule.check_name].arg_true().head(limit) for rule in rules}
    wanted = pl.concat(list(first.values())).unique().sort()
    rows = file.select(cs.by_name(*columns)).with_row_index(_ROW).filter(pl.col(_ROW).is_in(wanted.implode()))
    drawn = rows.collect(engine="streaming")
    return {name: drawn.filter(pl.col(_ROW).is_in(numbers.implode())).drop(_ROW) for name, numbers in first.items()}


def _refuse_changed_source(contract: Contract, decided: Decided, row_count: int) -> None:
    if row_count != decided.row_count:
        raise RuleError(
            f"{contract.name}: the source had {decided.row_count} rows when its keys were read and {row_count} when "
            "its rows were; it was changed in between. Nothing was written; run again when it is at rest."
        )


def _is_unstorable(dtype: pl.DataType) -> bool:
    if isinstance(dtype, pl.Struct):
        return not dtype.fields or any(_is_unstorable(_dtype(field.dtype)) for field in dtype.fields)
    if isinstance(dtype, (pl.List, pl.Array)):
        return _is_unstorable(_dtype(dtype.inner))
    return isinstance(dtype, pl.Object)


def _dtype(dtype: pl.DataType | type[pl.DataType]) -> pl.DataType:
    return dtype() if isinstance(dtype, type) else dtype


@contextlib.contextmanager
def _one_row_group_at_a_time() -> Iterator[None]:
    """Let scans prefetch one row group, which halves their memory and costs no time; restored afterwards."""
    if _PREFETCH in os.environ:
        yield
        return
    os.environ[_PREFETCH] = "1"
    try:
        yield
    finally:
        os.environ.pop(_PREFETCH, None)
