"""Splitting a lazy frame without ever holding it: one streaming run into two files.

Rules that need more than their own row are decided first, on the few columns that they read. Then a single query scans
the source, evaluates the row-local rules, and feeds the valid file, the invalid file, the sets of rules broken together
and the statistics.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from dagster_contracts.errors import RuleError
from dagster_contracts.frames.classify import Scope
from dagster_contracts.frames.guards import nothing_but, one_row_group_at_a_time, refusing_changes
from dagster_contracts.frames.keyed import Decided, decide
from dagster_contracts.frames.plans import beside, bytes_a_row, can_run_twice, free_name
from dagster_contracts.frames.progress import Odometer
from dagster_contracts.frames.result import Split
from dagster_contracts.frames.rules import (
    EVALUATION_ERRORS,
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
from dagster_contracts.frames.staged import is_unstorable, scan_staged
from dagster_contracts.frames.statistics import Statistics, median_plan, read_statistics, statistics_plan

if TYPE_CHECKING:
    from pathlib import Path

    from dagster_contracts.contract.fields import Contract, RuleSpec
    from dagster_contracts.frames.result import SplitOptions

VALID_FILE, INVALID_FILE, _SOURCE_FILE = "valid.parquet", "invalid.parquet", "source.arrow"
_HEADS_AT_ONCE = 25
_MEDIAN_SAMPLE = 100_000
# Multiples of an odd number near the golden section of 2^32, modulo 2^32, are spread evenly whatever the period of the
# data.
_SPREAD, _TURN = 2_654_435_761, 2**32
_SHARE_FOR_STATISTICS = 16


def can_be_staged(frame: pl.LazyFrame) -> bool:
    """Whether there are columns, and each can be kept in a file: not objects, and not structs without fields."""
    dtypes = frame.collect_schema().dtypes()
    return bool(dtypes) and not any(map(is_unstorable, dtypes))


def split_streaming(contract: Contract, frame: pl.LazyFrame, options: SplitOptions, folder: Path | None) -> Split:
    """Split a lazy frame into two files in a folder, or without a folder into two plans; see `split`.

    Raises:
        RuleError: A rule does not evaluate on this frame or is not Boolean, or the source changed while it was read.
    """
    with one_row_group_at_a_time(), nothing_but(*_files(folder)):
        source = frame if folder is None or can_run_twice(frame) else _stage(frame, folder, options)
        with refusing_changes(contract, source):
            return _split(contract, source, options, folder)


def _split(contract: Contract, source: pl.LazyFrame, options: SplitOptions, folder: Path | None) -> Split:
    decided = _decide(contract, source, options)
    plan = _Plan.of(contract, source, decided)
    statistics = _StatisticsPlan.of(contract, source, options, decided.row_count)
    try:
        refuse_other_than_boolean(contract, plan.open_rules, plan.evaluated.collect_schema())
        sets, totals = plan.run(statistics, folder, options)
        counts = {rule.name: int(sets.filter(~pl.col(rule.check_name))["rows"].sum()) for rule in plan.open_rules}
        broken = [rule for rule in plan.open_rules if counts[rule.name]]
        valid_count, invalid_count = int(totals["rows"].item()), int(sets.filter("invalid")["rows"].sum())
        _refuse_changed_source(contract, decided, valid_count + invalid_count)
        valid = plan.valid_rows() if folder is None else scan_staged(folder / VALID_FILE)
        return Split(
            contract=contract,
            valid=valid,
            invalid=plan.invalid_rows() if folder is None else scan_staged(folder / INVALID_FILE),
            valid_count=valid_count,
            invalid_count=invalid_count,
            rule_counts=dict.fromkeys((rule.name for rule in contract.rules), 0) | counts,
            broken_together=sets.select(*(rule.check_name for rule in broken), "invalid", "rows"),
            rule_samples=plan.first_broken(broken, options.max_failure_samples, folder),
            statistics=statistics.read(totals, valid),
        )
    except RuleError:
        raise
    except EVALUATION_ERRORS as error:
        raise blame(contract, plan.open_rules, source, error) or error from error


@dataclass(frozen=True)
class _Plan:
    """The query that everything is read from: the source with a column a rule that is not known to hold.

    Args:
        contract: The contract.
        columns: The source's columns.
        open_rules: The rules that are not known to hold.
        evaluated: The source, their bits, and whether the row is valid.
        is_valid: The name of the column that says so, which no other column has.
    """

    contract: Contract
    columns: list[str]
    open_rules: list[RuleSpec]
    evaluated: pl.LazyFrame
    is_valid: str

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
            source = beside(source, pl.DataFrame(decided.bits).lazy())
        is_valid = pl.all_horizontal(removing) if removing else pl.lit(value=True)
        name = free_name(columns)
        evaluated = source.with_columns(map(kept, local)).with_columns(is_valid.alias(name))
        return cls(contract, columns, open_rules, evaluated, name)

    def valid_rows(self) -> pl.LazyFrame:
        """The rows of the valid file."""
        return self.evaluated.filter(pl.col(self.is_valid)).select(cs.by_name(*self.columns))

    def invalid_rows(self) -> pl.LazyFrame:
        """The rows of the invalid file, with the rules in words."""
        open_names = {rule.check_name for rule in self.open_rules}
        words = [
            in_words(rule) if rule.check_name in open_names else pl.lit(VALID).alias(rule.check_name)
            for rule in self.contract.rules
        ]
        return self.evaluated.filter(~pl.col(self.is_valid)).select(cs.by_name(*self.columns), *words)

    def run(
        self, statistics: _StatisticsPlan, folder: Path | None, options: SplitOptions
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Run the query once: write the halves if there is a folder, and return the sets and the totals."""
        # The same condition in other words: for an equal one Polars would keep the valid rows in memory to share them.
        again = self.evaluated.filter(pl.col(self.is_valid).eq(other=True)).select(cs.by_name(*self.columns))
        plans = [self._sets(), again.select(pl.len().alias("rows"), *statistics.exprs)]
        if folder is not None:
            plans.append(self.valid_rows().sink_parquet(folder / VALID_FILE, lazy=True))
            plans.append(self.invalid_rows().sink_parquet(folder / INVALID_FILE, lazy=True))
        if options.tell is not None:
            count = Odometer(options.tell, checks=True).checked
            plans.append(self.evaluated.select(self.is_valid).sink_batches(count, lazy=True, maintain_order=False))
        sets, totals, *_ = pl.collect_all(plans, engine="streaming")
        return biggest_first(sets), totals

    def first_broken(self, broken: list[RuleSpec], limit: int, folder: Path | None) -> dict[str, pl.DataFrame]:
        """The first rows that break each rule: of invalid rows from their file, else from the query."""
        filed = [rule for rule in broken if folder is not None and not rule.warning]
        found = _first_filed(folder / INVALID_FILE, filed, self.columns, limit) if folder is not None else {}
        rest = [rule for rule in broken if rule not in filed]
        for some in (rest[at : at + _HEADS_AT_ONCE] for at in range(0, len(rest), _HEADS_AT_ONCE)):
            heads = [self._breaking(rule).head(limit) for rule in some]
            found |= {
                rule.name: rows for rule, rows in zip(some, pl.collect_all(heads, engine="streaming"), strict=True)
            }
        return {rule.name: found[rule.name] for rule in broken}

    def _sets(self) -> pl.LazyFrame:
        names = [rule.check_name for rule in self.open_rules]
        if not names:
            return pl.LazyFrame(schema={"invalid": pl.Boolean, "rows": pl.UInt32})
        removing = [rule.check_name for rule in self.open_rules if not rule.warning]
        return broken_together(names, removing, self.evaluated)

    def _breaking(self, rule: RuleSpec) -> pl.LazyFrame:
        return self.evaluated.filter(~pl.col(rule.check_name)).select(cs.by_name(*self.columns))


@dataclass(frozen=True)
class _StatisticsPlan:
    """What to summarize, and whether it may hold whole columns."""

    schema: pl.Schema
    exprs: list[pl.Expr]
    medians: list[pl.Expr]
    every: int | None
    wanted: bool = True

    @classmethod
    def of(cls, contract: Contract, source: pl.LazyFrame, options: SplitOptions, row_count: int) -> _StatisticsPlan:
        """Plan statistics that stay within their share of the memory budget."""
        schema = source.collect_schema()
        if not options.statistics:
            return cls(schema, [], [], None, wanted=False)
        share = options.budget // _SHARE_FOR_STATISTICS
        # Long texts weigh more than numbers do, and counting how many differ holds them all.
        exact = row_count * len(schema) * 8 <= share and row_count * bytes_a_row(source, schema.names()) <= share
        exprs = statistics_plan(schema, contract.sensitive_columns, approximate=not exact)
        if exact:
            return cls(schema, exprs, [], None)
        return cls(schema, exprs, median_plan(schema, contract.sensitive_columns), max(1, row_count // _MEDIAN_SAMPLE))

    def read(self, totals: pl.DataFrame, valid: pl.LazyFrame) -> Statistics | None:
        """The statistics from what the query gave, with medians of rows drawn from the valid ones."""
        if not self.wanted:
            return None
        row: dict[str, Any] = totals.row(0, named=True)
        if self.every is not None and self.medians:
            row_number = free_name(self.schema)
            lot = (pl.col(row_number).cast(pl.UInt64) * _SPREAD) % _TURN < _TURN // self.every
            numbers = valid.select(cs.numeric()).with_row_index(row_number)
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
    except EVALUATION_ERRORS as error:
        rules = [rule for rule, _ in wider]
        named = blame(contract, rules, source, error)
        if named is not None:
            with contextlib.suppress(*POLARS_ERRORS):
                refuse_other_than_boolean(contract, rules, source.with_columns(map(kept, rules)).collect_schema())
        raise named or error from error


def _files(folder: Path | None) -> tuple[list[Path], list[Path]]:
    """The files that stay in a folder after a split, and those that do not."""
    names = [VALID_FILE, INVALID_FILE], [_SOURCE_FILE]
    return ([], []) if folder is None else ([folder / name for name in names[0]], [folder / name for name in names[1]])


def _stage(frame: pl.LazyFrame, folder: Path, options: SplitOptions) -> pl.LazyFrame:
    """Run a plan that must run once, into a file that can be read again."""
    path = folder / _SOURCE_FILE
    if options.tell is not None:
        frame = frame.map_batches(
            Odometer(options.tell, checks=False).passing, schema=frame.collect_schema(), streamable=True
        )
    frame.sink_ipc(path, engine="streaming")
    return pl.scan_ipc(path, glob=False)


def _first_filed(path: Path, rules: list[RuleSpec], columns: list[str], limit: int) -> dict[str, pl.DataFrame]:
    """The first rows that break each rule: its column is read, then only the few rows."""
    if not rules:
        return {}
    file = pl.scan_parquet(path, glob=False)
    flags = file.select(pl.col(rule.check_name) == INVALID for rule in rules).collect(engine="streaming")
    first = {rule.name: flags[rule.check_name].arg_true().head(limit) for rule in rules}
    wanted = pl.concat(list(first.values())).unique().sort()
    row = free_name(columns)
    rows = file.select(cs.by_name(*columns)).with_row_index(row).filter(pl.col(row).is_in(wanted.implode()))
    drawn = rows.collect(engine="streaming")
    return {name: drawn.filter(pl.col(row).is_in(numbers.implode())).drop(row) for name, numbers in first.items()}


def _refuse_changed_source(contract: Contract, decided: Decided, row_count: int) -> None:
    if row_count != decided.row_count:
        raise RuleError(
            f"{contract.name}: the source had {decided.row_count} rows when its keys were read and {row_count} when "
            "its rows were; it was changed in between. Nothing was written; run again when it is at rest."
        )
