"""What is known of a column's nulls, and what Polars's functions do with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Root: TypeAlias = tuple[str, str]
"""A table and one of its columns; or `join` and a join whose missing rows make nulls."""


@dataclass(frozen=True)
class Fact:
    """Whether a column has nulls.

    Args:
        null: False where it is proved that it never has, true where there are inputs within their contracts with which
            it has, `None` where neither is known.
        reasons: Why, outermost first; empty where it never has.
        roots: Everything that its values come from.
    """

    null: bool | None
    reasons: tuple[str, ...] = ()
    roots: frozenset[Root] = frozenset()

    def unknown(self, reason: str) -> Fact:
        """The same column, about which nothing is known any more; what was proved stays."""
        return self if self.null is False else Fact(None, (reason, *self.reasons), self.roots)

    def never(self) -> Fact:
        """The same column, once it is proved to have no nulls."""
        return Fact(null=False, roots=self.roots)


@dataclass(frozen=True, eq=False)
class Source:
    """A table that a plan reads.

    Args:
        name: What the function calls it.
        schema: Its columns.
        nulls: For each column whether it may have nulls; `None` where a rule ties it to other columns.
    """

    name: str
    schema: Mapping[str, pl.DataType]
    nulls: Mapping[str, bool | None]


def roots_of(facts: Iterable[Fact]) -> frozenset[Root]:
    """Everything that several columns come from."""
    return frozenset[Root]().union(*(fact.roots for fact in facts))


COMPARISONS = frozenset({"Eq", "NotEq", "Lt", "LtEq", "Gt", "GtEq"})
NULL_SAFE = frozenset({"EqValidity", "NotEqValidity"})
LOGICAL = frozenset({"And", "Or", "Xor", "LogicalAnd", "LogicalOr"})
DIVISIONS = frozenset({"FloorDivide", "Modulus"})

ROW_BY_ROW = frozenset(
    [
        *("abs", "negate", "round", "floor", "ceil", "cum_sum", "fill_null_with_strategy", "rank"),
        *(f"BooleanFunction.{name}" for name in ("Not", "IsNan", "IsNotNan", "IsFinite", "IsInfinite")),
        *(f"StringFunction.{name}" for name in ("LenBytes", "LenChars", "Uppercase", "Lowercase", "Reverse")),
        *(f"TemporalFunction.{name}" for name in ("Year", "IsoYear", "Quarter", "Month", "Week", "WeekDay", "Day")),
        *(f"TemporalFunction.{name}" for name in ("OrdinalDay", "Date", "Time", "Hour", "Minute", "Second")),
        *(f"TemporalFunction.{name}" for name in ("Millisecond", "Microsecond", "Nanosecond", "IsLeapYear")),
        "ListFunction.Length",
    ]
)
"""Functions of one column that give a null for a null and for nothing else."""
ALL_ARGUMENTS = frozenset(
    [
        *("clip", "BooleanFunction.IsBetween", "StringFunction.Format", "StringFunction.StartsWith"),
        *("StringFunction.EndsWith", "TemporalFunction.Truncate"),
    ]
)
"""Functions that give no null where none of their arguments is one."""
FIRST_ARGUMENT_DECIDES = frozenset(
    [
        *("BooleanFunction.IsIn", "BooleanFunction.IsBetween", "StringFunction.Contains", "StringFunction.StartsWith"),
        "StringFunction.EndsWith",
    ]
)
"""Conditions that are null, and so not true, where their first argument is."""
ANY_ARGUMENT = frozenset({"fill_null", "coalesce", "max_horizontal", "min_horizontal"})
"""Functions that give no null where one of their arguments is none."""
NEVER = frozenset(
    [
        *("null_count", "as_struct", "rle_id", "BooleanFunction.IsNull", "BooleanFunction.IsNotNull"),
        *("BooleanFunction.IsDuplicated", "BooleanFunction.IsUnique", "BooleanFunction.IsFirstDistinct"),
        *("BooleanFunction.IsLastDistinct", "RangeFunction.IntRange"),
    ]
)
COUNTING = frozenset({"count", "n_unique", "implode"})
PICKING = frozenset({"first", "last", "min", "max", "mean", "median"})


def is_plain_number(dtype: pl.DataType | None) -> bool:
    """Whether a dtype's arithmetic is the machine's: wraps or goes to infinity, and never gives a null."""
    return dtype is not None and (dtype.is_integer() or dtype.is_float())


def can_aggregate(name: str, dtype: pl.DataType | None) -> bool:
    """Whether an aggregation over rows without nulls, at least one of them, surely has a value."""
    if dtype is None:
        return False
    if name in ("first", "last"):
        return True
    ordered = is_plain_number(dtype) or dtype.is_temporal() or dtype == pl.Boolean
    return ordered or (name in ("min", "max") and dtype == pl.String)
