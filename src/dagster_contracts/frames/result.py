"""What splitting a frame finds out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.contract.verdict import Verdict
from dagster_contracts.frames.memory import default_budget

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from dagster_contracts.contract.fields import Contract, RuleSpec
    from dagster_contracts.frames.progress import Progress
    from dagster_contracts.frames.statistics import Statistics


@dataclass(frozen=True)
class SplitOptions:
    """What to find out while splitting.

    Args:
        statistics: Whether to summarize the valid rows.
        max_failure_samples: Rows to keep for each broken rule.
        memory_budget: Bytes that what cannot be streamed may use; a quarter of the machine's memory by default.
        halves_as_plans: Whether the halves of a frame in memory may be plans over it, which are no second copy of it.
        tell: Told how far a long split of a lazy frame is, at most every ten seconds, from another thread.
    """

    statistics: bool = True
    max_failure_samples: int = 5
    memory_budget: int | None = None
    halves_as_plans: bool = False
    tell: Callable[[Progress], None] | None = None

    @property
    def budget(self) -> int:
        """The memory budget in bytes."""
        return self.memory_budget or default_budget()


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
        valid: The rows that keep every rule but the warnings, in the input's order. Of a frame in memory a frame, or
            a plan if asked for, and the very frame if every row is valid; of a lazy frame the scan of a staged file.
        invalid: The other rows in the input's order, likewise; behind the original columns one String column per rule,
            named as the rule's check, reading `valid` or `invalid`.
        valid_count: How many rows are valid.
        invalid_count: How many rows are invalid.
        rule_counts: How many rows break each rule; every rule of the contract is a key.
        broken_together: One row a set of rules that rows broke together, biggest first: a Boolean column a broken rule,
            named as its check (true where the rule was kept), `invalid` (whether such rows are invalid: a row that
            breaks only warnings is not) and `rows`, how many there are.
        rule_samples: For each broken rule its first rows, original columns only.
        statistics: A summary of the valid rows, if asked for.
    """

    contract: Contract
    valid: pl.DataFrame | pl.LazyFrame
    invalid: pl.DataFrame | pl.LazyFrame
    valid_count: int
    invalid_count: int
    rule_counts: Mapping[str, int]
    broken_together: pl.DataFrame
    rule_samples: Mapping[str, pl.DataFrame]
    statistics: Statistics | None

    @property
    def row_count(self) -> int:
        """How many rows came in."""
        return self.valid_count + self.invalid_count

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

    def first_valid(self, limit: int) -> pl.DataFrame:
        """The first valid rows."""
        return self.valid.lazy().head(limit).collect(engine="streaming")

    def first_invalid(self, limit: int) -> pl.DataFrame:
        """The first invalid rows, rule columns included."""
        return self.invalid.lazy().head(limit).collect(engine="streaming")

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """Whether each rule was held or broken."""
        return {rule: Verdict.BROKEN if count else Verdict.HELD for rule, count in self.rule_counts.items()}
