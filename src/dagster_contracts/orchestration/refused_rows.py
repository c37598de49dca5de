"""Rows that could not be conformed, beside the rows that break a rule: invalid like those, and with their own check."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from dagster_contracts.contract import names
from dagster_contracts.contract.fields import FieldSpec, RuleSpec
from dagster_contracts.contract.types import Type
from dagster_contracts.frames.rules import UNKNOWN, VALID, biggest_first
from dagster_contracts.orchestration.checks import CONFORM_TEXT, CheckGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_contracts.contract.fields import Contract
    from dagster_contracts.frames.split import Split
    from dagster_contracts.frames.statistics import Statistics
    from dagster_contracts.orchestration.storage.spool import Spool
    from dagster_contracts.rows.failure import RowFailure

    Frame = pl.DataFrame | pl.LazyFrame

NUMBER = "__dagster_contracts_row"
"""The column that numbers the rows as they arrived, while they are on their way."""
RAW = "__dagster_contracts_raw"
"""The column that has them as they arrived, likewise; its name in a quarantine depends on the others."""

CONFORM = RuleSpec(
    name="conform",
    check_name=names.CONFORM_CHECK,
    column=None,
    expr=pl.lit(value=True),
    expr_text="every value is of its field's type, or can become one without loss",
    description=CONFORM_TEXT,
)
"""Conforming as one more rule: decided before all others, and unlike them not on a frame."""

_MOST_FAILURES, _SHOWN_KINDS = 100, 10

CONFORM_GROUP = CheckGroup(CONFORM.check_name, CONFORM.description, (CONFORM,), collapsed=False)


@dataclass(frozen=True)
class Refused:
    """The rows that could not be conformed.

    Args:
        rows: `NUMBER`, the typed columns as far as they could be filled, `RAW` and the reason;
            `None` if there are none.
        count: How many there are.
        first: The first of them, each behind its number, the field and the cause.
        failures: What was wrong with the first of them, value by value.
        told: All that was wrong in a few lines.
    """

    rows: Frame | None = None
    count: int = 0
    first: pl.DataFrame | None = None
    failures: tuple[RowFailure, ...] = ()
    told: str = ""

    @property
    def example(self) -> str:
        """The first failure: row, field and reason."""
        return str(self.failures[0]) if self.failures else ""


class Refusals:
    """Collects the rows that could not be conformed, batch by batch.

    Args:
        spool: Keeps the rows.
        most: How many are kept to be shown.
    """

    def __init__(self, spool: Spool, most: int) -> None:
        self._spool, self._most = spool, most
        self._first: list[pl.DataFrame] = []
        self._failures: list[RowFailure] = []
        self._kinds: Counter[tuple[str, str]] = Counter()

    def add(self, rows: pl.DataFrame, failures: Sequence[RowFailure]) -> None:
        """Take the refused rows of a batch, and what was wrong with them.

        Args:
            rows: As `Refused.rows`.
            failures: One or more for each row, in order, with the numbers that the rows have.
        """
        if not rows.height:
            return
        rows = _apart(rows)
        self._spool.append(rows)
        self._kinds.update((failure.field, failure.code) for failure in failures)
        missing = self._most - sum(frame.height for frame in self._first)
        if missing > 0:
            self._first.append(rows.head(missing))
        self._failures += failures[: _MOST_FAILURES - len(self._failures)]

    def result(self) -> Refused:
        """All of them."""
        if not self._spool.height:
            return Refused()
        first = pl.concat(self._first, how="diagonal_relaxed") if self._first else None
        return Refused(self._spool.result(), self._spool.height, first, tuple(self._failures), self._told())

    def _told(self) -> str:
        """The commonest kinds of failure, each with its count and an example."""
        examples: dict[tuple[str, str], RowFailure] = {}
        for failure in self._failures:
            examples.setdefault((failure.field, failure.code), failure)
        lines = []
        for kind, count in self._kinds.most_common(_SHOWN_KINDS):
            field, code = kind
            example = f", first {examples[kind]}" if kind in examples else ""
            lines.append(f"  {count:,} x {field or 'the whole row'} [{code}]{example}")
        if len(self._kinds) > _SHOWN_KINDS:
            lines.append(f"  and {len(self._kinds) - _SHOWN_KINDS} more kinds")
        return "\n".join(lines)


def _apart(rows: pl.DataFrame) -> pl.DataFrame:
    """The same rows in memory of their own: picked from a batch, they keep all of its texts in memory."""
    written = io.BytesIO()
    rows.write_ipc(written)
    written.seek(0)
    return pl.read_ipc(written)


def can_be_numbered(contract: Contract) -> bool:
    """Whether no rule would see a further column; one over all columns would take the row's number for data."""
    return not any(rule.expr.meta.has_multiple_outputs() for rule in contract.rules)


def with_refused(found: Split, refused: Refused) -> Split:
    """A split of the rows that were conformed, and with them those that were not: in the order they arrived.

    Args:
        found: The split, of rows that are numbered if there is anything to put between them and no rule would see that.
        refused: The others.
    """
    columns = [name for name in found.valid.collect_schema().names() if name != NUMBER]
    raw = names.raw_column(columns)
    contract = found.contract
    private = bool(contract.sensitive_columns)
    invalid = _beside(found, refused, columns, raw)
    return replace(
        found,
        # Whatever is private may stand in the raw row, too.
        contract=replace(
            contract,
            fields=(*contract.fields, *([_raw_field(raw)] if private else [])),
            rules=(CONFORM, *contract.rules),
        ),
        valid=_without_number(found.valid),
        invalid=invalid,
        invalid_count=found.invalid_count + refused.count,
        rule_counts={CONFORM.name: refused.count, **found.rule_counts},
        broken_together=_sets(found.broken_together, refused.count),
        rule_samples={
            **{name: rows.drop(NUMBER, strict=False) for name, rows in found.rule_samples.items()},
            **({CONFORM.name: _shown(refused.first, raw)} if refused.first is not None else {}),
        },
        statistics=_statistics(found.statistics),
    )


def _shown(first: pl.DataFrame, raw: str) -> pl.DataFrame:
    """The first refused rows with what tells most in front; no column of a contract has these names."""
    told = first.rename({NUMBER: "dy_row", names.CONFORM_CHECK: "dy_cause", RAW: raw})
    return told.select("dy_row", "dy_cause", cs.exclude("dy_row", "dy_cause"))


def _without_number(frame: Frame) -> Frame:
    # A scan of a staged file is published by renaming, and no longer one once anything is selected from it.
    return frame.drop(NUMBER) if NUMBER in frame.collect_schema() else frame


def _beside(found: Split, refused: Refused, columns: list[str], raw: str) -> Frame:
    checks = [rule.check_name for rule in found.contract.rules]
    schema = found.invalid.collect_schema()
    broken = found.invalid.with_columns(pl.lit(None, pl.String).alias(raw), pl.lit(VALID).alias(names.CONFORM_CHECK))
    order = [*columns, raw, names.CONFORM_CHECK, *checks]
    if refused.rows is None:
        return broken.select(cs.by_name(*order))
    own = refused.rows.collect_schema()
    missing = [pl.lit(None, schema[name]).alias(name) for name in columns if name not in own]
    unknown = [pl.lit(UNKNOWN).alias(name) for name in checks]
    others = refused.rows.rename({RAW: raw}).with_columns(*missing, *unknown)
    if NUMBER not in schema:
        both = [broken.select(cs.by_name(*order)), others.select(cs.by_name(*order))]
        return _concat(both[0], both[1])
    order = [NUMBER, *order]
    return _merge(broken.select(cs.by_name(*order)), others.select(cs.by_name(*order))).select(cs.by_name(*order[1:]))


def _concat(one: Frame, other: Frame) -> Frame:
    if isinstance(one, pl.DataFrame) and isinstance(other, pl.DataFrame):
        return pl.concat([one, other])
    return pl.concat([one.lazy(), other.lazy()])


def _merge(one: Frame, other: Frame) -> Frame:
    """Both, each in the order of its numbers already, in the order of all."""
    if isinstance(one, pl.DataFrame) and isinstance(other, pl.DataFrame):
        return one.merge_sorted(other, key=NUMBER)
    return one.lazy().merge_sorted(other.lazy(), key=NUMBER)


def _sets(sets: pl.DataFrame, count: int) -> pl.DataFrame:
    if not count:
        return sets
    rules = [name for name in sets.columns if name not in {"invalid", "rows"}]
    row = pl.DataFrame(
        {names.CONFORM_CHECK: [False], **{name: [True] for name in rules}, "invalid": [True], "rows": [count]},
        schema_overrides={"rows": sets.schema["rows"]},
    )
    every = sets.with_columns(pl.lit(value=True).alias(names.CONFORM_CHECK)).select(cs.by_name(*row.columns))
    return biggest_first(pl.concat([every, row]))


def _statistics(statistics: Statistics | None) -> Statistics | None:
    if statistics is None:
        return None
    return replace(statistics, numeric=tuple(row for row in statistics.numeric if row.column != NUMBER))


def _raw_field(name: str) -> FieldSpec:
    dtype = pl.String()
    return FieldSpec(
        name=name,
        type=Type("String"),
        dtype=dtype,
        type_text="String",
        accepts=lambda one: one == dtype,
        sensitive=True,
    )
