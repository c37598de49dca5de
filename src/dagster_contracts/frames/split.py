"""A frame split into the rows that keep every rule of a contract and the rows that break one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.contract.verdict import Verdict
from dagster_contracts.errors import RuleError
from dagster_contracts.frames.staging import collect_staged
from dagster_contracts.frames.statistics import Statistics, summarize

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from dagster_contracts.contract.fields import Contract, RuleSpec

VALID, INVALID = "valid", "invalid"
_POLARS_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


@dataclass(frozen=True)
class SplitOptions:
    """What to find out while splitting.

    Args:
        statistics: Whether to summarize the valid rows.
        max_failure_samples: Rows to keep for each broken rule.
        temp_dir: Where a lazy frame is staged; the system's temporary directory by default.
    """

    statistics: bool = True
    max_failure_samples: int = 5
    temp_dir: Path | None = None


@dataclass(frozen=True)
class CoFailure:
    """A set of rules that `count` rows broke together, and no further one."""

    rules: tuple[str, ...]
    count: int


@dataclass(frozen=True)
class Split:
    """The two halves of a frame and what was found out on the way.

    Args:
        contract: What the rows were held against.
        valid: The rows that keep every rule but the warnings, in the input's order.
        invalid: The other rows in the input's order; behind the original columns one String column per rule, named as
            the rule's check, reading `valid` or `invalid`.
        rule_counts: How many rows break each rule; every rule of the contract is a key.
        broken_together: One row a set of rules that rows broke together, biggest first: a Boolean column a broken rule,
            named as its check (true where the rule was kept), `invalid` (whether such rows are invalid: a row that
            breaks only warnings is not) and `rows`, how many there are.
        rule_samples: For each broken rule its first rows, original columns only.
        statistics: A summary of the valid rows, if asked for.
    """

    contract: Contract
    valid: pl.DataFrame
    invalid: pl.DataFrame
    rule_counts: Mapping[str, int]
    broken_together: pl.DataFrame
    rule_samples: Mapping[str, pl.DataFrame]
    statistics: Statistics | None

    @property
    def valid_count(self) -> int:
        """How many rows are valid."""
        return self.valid.height

    @property
    def invalid_count(self) -> int:
        """How many rows are invalid."""
        return self.invalid.height

    @property
    def row_count(self) -> int:
        """How many rows came in."""
        return self.valid.height + self.invalid.height

    @property
    def co_failures(self) -> tuple[CoFailure, ...]:
        """The sets of rules that invalid rows broke together, biggest first; they add up to the invalid rows."""
        return self.top_co_failures(None)

    def top_co_failures(self, limit: int | None) -> tuple[CoFailure, ...]:
        """The `limit` biggest of `co_failures`."""
        names = {rule.check_name: rule.name for rule in self.contract.enforced_rules}
        broken = [name for name in self.broken_together.columns if name in names]
        if not broken:
            return ()
        sets = self.broken_together.filter("invalid").group_by(broken, maintain_order=True).agg(pl.col("rows").sum())
        top = sets.sort("rows", descending=True, maintain_order=True).head(sets.height if limit is None else limit)
        return tuple(
            CoFailure(tuple(names[name] for name, kept in zip(broken, row, strict=False) if not kept), row[-1])
            for row in top.iter_rows()
        )

    def rows_breaking(self, rules: Collection[RuleSpec]) -> int:
        """How many rows break at least one of some rules."""
        columns = [rule.check_name for rule in rules if self.rule_counts[rule.name]]
        if not columns:
            return 0
        return int(self.broken_together.filter(~pl.all_horizontal(columns))["rows"].sum())

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """Whether each rule was held or broken."""
        return {rule: Verdict.BROKEN if count else Verdict.HELD for rule, count in self.rule_counts.items()}


def split(contract: Contract, frame: pl.DataFrame | pl.LazyFrame, options: SplitOptions | None = None) -> Split:
    """Split a frame whose columns keep the contract.

    Args:
        contract: The rules to hold the rows against.
        frame: The rows. A lazy frame's plan runs once, on the streaming engine, into a staging file.
        options: What to find out on the way.

    Raises:
        RuleError: A rule does not evaluate on this frame or is not Boolean.
    """
    options = options or SplitOptions()
    rows = collect_staged(frame, options.temp_dir) if isinstance(frame, pl.LazyFrame) else frame
    bits = _evaluate(contract, rows)
    counts = {rule.name: rows.height - int(bits[rule.check_name].sum()) for rule in contract.rules}
    broken = [rule for rule in contract.rules if counts[rule.name]]
    removing = [rule.check_name for rule in broken if not rule.warning]
    keep = bits.select(pl.all_horizontal(removing)).to_series() if removing else None
    valid = rows if keep is None else rows.filter(keep)
    invalid = rows.clear() if keep is None else rows.filter(~keep)
    invalid_bits = bits.clear() if keep is None else bits.filter(~keep)
    return Split(
        contract=contract,
        valid=valid,
        invalid=invalid.hstack(_as_text(contract.rules, invalid_bits, counts)) if contract.rules else invalid,
        rule_counts=counts,
        broken_together=_broken_together([rule.check_name for rule in broken], removing, bits),
        rule_samples={
            rule.name: rows[(~bits[rule.check_name]).arg_true().head(options.max_failure_samples)] for rule in broken
        },
        statistics=summarize(valid, contract.sensitive_columns) if options.statistics else None,
    )


def _evaluate(contract: Contract, rows: pl.DataFrame) -> pl.DataFrame:
    """One Boolean column a rule, named as its check; a row for which a rule is null keeps it."""
    if not contract.rules:
        return pl.DataFrame()
    plan = rows.lazy().with_columns(rule.expr.fill_null(value=True).alias(rule.check_name) for rule in contract.rules)
    try:
        bits = plan.select(rule.check_name for rule in contract.rules).collect()
    except _POLARS_ERRORS as error:
        raise _blame(contract, rows, error) from error
    for rule, dtype in zip(contract.rules, bits.dtypes, strict=True):
        if dtype != pl.Boolean:
            raise RuleError(
                f"{contract.name}: the rule {rule.name!r} is {dtype}, not Boolean. It reads {rule.expr_text}"
            )
    return bits


def _blame(contract: Contract, rows: pl.DataFrame, error: BaseException) -> RuleError:
    """The error that names the first rule which fails on its own, too."""
    for rule in contract.rules:
        try:
            rows.lazy().with_columns(rule.expr.fill_null(value=True).alias(rule.check_name)).select(
                rule.check_name
            ).collect()
        except _POLARS_ERRORS as own:
            return RuleError(
                f"{contract.name}: the rule {rule.name!r} does not evaluate: {_told(contract, own)}. "
                f"It reads {rule.expr_text}"
            )
    return RuleError(f"{contract.name}: the rules do not evaluate together: {_told(contract, error)}")


def _told(contract: Contract, error: BaseException) -> str:
    """What Polars said, which may quote values of the data: only its kind where some of them are private."""
    if contract.sensitive_columns:
        return f"{type(error).__name__} (its text may quote values of the sensitive columns)"
    return str(error)


def _as_text(rules: Sequence[RuleSpec], bits: pl.DataFrame, counts: Mapping[str, int]) -> pl.DataFrame:
    kept = pl.Series([VALID], dtype=pl.String).new_from_index(0, bits.height)
    return pl.DataFrame(
        [
            bits[rule.check_name].replace_strict({True: VALID, False: INVALID}, return_dtype=pl.String)
            if counts[rule.name]
            else kept.alias(rule.check_name)
            for rule in rules
        ]
    )


def _broken_together(broken: Sequence[str], removing: Sequence[str], bits: pl.DataFrame) -> pl.DataFrame:
    if not broken:
        return pl.DataFrame(schema={"invalid": pl.Boolean, "rows": pl.UInt32})
    is_valid = pl.all_horizontal(removing) if removing else pl.lit(value=True)
    return (
        bits.lazy()
        .select(broken)
        .filter(~pl.all_horizontal(broken))
        .group_by(broken, maintain_order=True)
        .agg(pl.len().alias("rows"))
        .with_columns((~is_valid).alias("invalid"))
        .sort("rows", descending=True, maintain_order=True)
        .select(*broken, "invalid", "rows")
        .collect()
    )
