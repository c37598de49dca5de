"""Rules evaluated on rows: one Boolean column a rule, named as its check."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.errors import RuleError
from dagster_contracts.frames.classify import Sight, classify

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dagster_contracts.contract.fields import Contract, RuleSpec

POLARS_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
EVALUATION_ERRORS = (Exception, pl.exceptions.PanicException)
"""What may come out of evaluating a rule: Polars' errors, and whatever a Python function inside it raises."""
VALID, INVALID, UNKNOWN = "valid", "invalid", "unknown"


@lru_cache(maxsize=1024)
def sights(contract: Contract) -> tuple[Sight, ...]:
    """What each rule of a contract must see, in the rules' order."""
    return tuple(classify(rule.expr) for rule in contract.rules)


def kept(rule: RuleSpec) -> pl.Expr:
    """Whether a row keeps a rule; one for which the rule is null does."""
    return rule.expr.fill_null(value=True).alias(rule.check_name)


def in_words(rule: RuleSpec) -> pl.Expr:
    """A rule's Boolean column as a quarantine has it."""
    text = pl.when(pl.col(rule.check_name)).then(pl.lit(VALID)).otherwise(pl.lit(INVALID))
    return text.alias(rule.check_name)


def refuse_other_than_boolean(contract: Contract, rules: Iterable[RuleSpec], schema: pl.Schema) -> None:
    """Refuse rules whose evaluated columns are no truth values.

    Raises:
        RuleError: A rule is of another dtype.
    """
    dtypes = dict(schema)
    for rule in rules:
        if dtypes[rule.check_name] != pl.Boolean:
            raise RuleError(
                f"{contract.name}: the rule {rule.name!r} is {dtypes[rule.check_name]}, not Boolean. "
                f"It reads {rule.expr_text}"
            )


def blame(contract: Contract, rules: Sequence[RuleSpec], rows: pl.LazyFrame, error: BaseException) -> RuleError | None:
    """The error that names the first rule which fails on its own, too; `None` if it is the rows that do."""
    try:
        rows.select(pl.all().count()).collect(engine="streaming")
    except EVALUATION_ERRORS:
        return None
    for rule in rules:
        try:
            rows.with_columns(kept(rule)).select(rule.check_name).collect(engine="streaming")
        except EVALUATION_ERRORS as own:
            return RuleError(
                f"{contract.name}: the rule {rule.name!r} does not evaluate: {_told(contract, own)}. "
                f"It reads {rule.expr_text}"
            )
    if not isinstance(error, POLARS_ERRORS):
        return None
    return RuleError(f"{contract.name}: the rules do not evaluate together: {_told(contract, error)}")


def broken_together(broken: Sequence[str], removing: Sequence[str], bits: pl.LazyFrame) -> pl.LazyFrame:
    """The sets of rules that rows broke together, as `Split.broken_together` describes them, in no order.

    Args:
        broken: The columns of the rules that may be broken.
        removing: Those of them that make a row invalid.
        bits: One Boolean column a rule.
    """
    is_valid = pl.all_horizontal(removing) if removing else pl.lit(value=True)
    return (
        bits.filter(~pl.all_horizontal(broken))
        .group_by(broken)
        .agg(pl.len().alias("rows"))
        .with_columns((~is_valid).alias("invalid"))
        .select(*broken, "invalid", "rows")
    )


def biggest_first(sets: pl.DataFrame) -> pl.DataFrame:
    """The sets in one order, whatever engine found them: by size, then by the rules broken."""
    rules = [name for name in sets.columns if name not in {"invalid", "rows"}]
    return sets.sort("rows", *rules, descending=[True, *(False for _ in rules)])


def _told(contract: Contract, error: BaseException) -> str:
    """What Polars said, which may quote values of the data: only its kind where some of them are private."""
    if contract.sensitive_columns:
        return f"{type(error).__name__} (its text may quote values of the sensitive columns)"
    return str(error) if isinstance(error, POLARS_ERRORS) else repr(error)
