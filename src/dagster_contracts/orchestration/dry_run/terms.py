"""Whether an expression's values can be null."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from dagster_contracts.orchestration.dry_run import facts as known
from dagster_contracts.orchestration.dry_run.facts import Fact, roots_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dagster_contracts.orchestration.dry_run.plan import Term


@dataclass(frozen=True, eq=False)
class Scope:
    """Where an expression stands.

    Args:
        columns: What is known of the columns that it can name.
        rows: What an aggregation is over: `some` rows, surely; `any` number of them, none included.
        grouped: Whether it stands in the aggregations of a group-by, where a plain column becomes a list.
    """

    columns: Mapping[str, Fact]
    rows: Literal["some", "any"] = "any"
    grouped: bool = False


def fact_of(term: Term, scope: Scope) -> Fact:  # noqa: PLR0911  (one a kind of expression)
    """What is known of an expression's nulls."""
    if term.kind == "column":
        fact = scope.columns.get(term.name) or Fact(None, (f"nothing is known of `{term.name}`",))
        return fact.never() if scope.grouped else fact
    if term.kind == "literal":
        return _literal(term)
    if term.kind in ("agg", "len"):
        return _aggregation(term, scope)
    if term.kind == "window":
        inner = term.terms[0]
        roots = _roots(term, scope)
        if inner.kind in ("agg", "len"):
            return _with_roots(_aggregation(inner, Scope(scope.columns, "some")), roots)
        return Fact(None, ("a window may have nothing to show",), roots)
    below = [fact_of(one, scope) for one in term.terms]
    rule = {"binary": _binary, "cast": _cast, "ternary": _ternary, "function": _function}.get(term.kind)
    if rule is None:
        return Fact(None, (f"`{term.kind}` may leave nothing",), roots_of(below))
    fact = _with_roots(rule(term, below), roots_of(below))
    return fact.unknown("it stands in an aggregation") if scope.grouped and fact.null else fact


def not_null_where(predicate: Term) -> frozenset[str]:
    """The columns that have no null in a row for which a condition is true."""
    none: frozenset[str] = frozenset()
    first = predicate.terms[0] if predicate.terms else None
    if predicate.kind == "binary" and predicate.name in ("And", "LogicalAnd"):
        return none.union(*(not_null_where(one) for one in predicate.terms))
    if predicate.kind == "binary" and predicate.name in ("Or", "LogicalOr"):
        left, right = (not_null_where(one) for one in predicate.terms)
        return left & right
    if predicate.name == "BooleanFunction.IsNotNull" and first is not None:
        return _carried(first)
    if predicate.name == "BooleanFunction.Not" and first is not None and first.name == "BooleanFunction.IsNull":
        return _carried(first.terms[0])
    return _carried(predicate)


def _carried(term: Term) -> frozenset[str]:
    """The columns whose null surely makes an expression null."""
    if term.kind == "column":
        return frozenset({term.name})
    strict = term.kind == "binary" and (term.name in known.COMPARISONS or term.name in ("Plus", "Minus", "Multiply"))
    if strict:
        return frozenset[str]().union(*(_carried(one) for one in term.terms))
    single = term.kind == "cast" or term.name in (known.ROW_BY_ROW - {"fill_null_with_strategy"})
    if single or term.name in known.FIRST_ARGUMENT_DECIDES:
        nulls_are_values = term.name == "BooleanFunction.IsIn" and term.options != (False,)
        return frozenset() if nulls_are_values else _carried(term.terms[0])
    return frozenset()


def _literal(term: Term) -> Fact:
    value = term.options[0]
    if isinstance(value, pl.Series):
        return Fact(null=False) if value.null_count() == 0 else Fact(None, ("a series of the function has nulls",))
    return Fact(null=True, reasons=("it is a null literal",)) if value is None else Fact(null=False)


def _aggregation(term: Term, scope: Scope) -> Fact:
    roots = _roots(term, scope)
    if term.kind == "len" or term.name in known.COUNTING:
        return Fact(null=False, roots=roots)
    over = term.terms[0] if term.terms else None
    dtype = over.dtype if over is not None else None
    if term.name == "sum" and (known.is_plain_number(dtype) or dtype == pl.Boolean):
        return Fact(null=False, roots=roots)
    if over is None or term.name not in known.PICKING or not known.can_aggregate(term.name, dtype):
        return Fact(None, (f"`{term.name}` may have no value",), roots)
    if scope.rows == "any":
        return Fact(None, (f"`{term.name}` of no rows is null",), roots)
    if not _is_row_by_row(over):
        return Fact(None, (f"`{term.name}` may be over no rows",), roots)
    inner = fact_of(over, Scope(scope.columns, scope.rows))
    return Fact(null=False, roots=roots) if inner.null is False else inner.unknown(f"`{term.name}` of nulls is null")


def _is_row_by_row(term: Term) -> bool:
    """Whether an expression has a value for each row and, so, at least one where there are rows."""
    if term.kind == "column":
        return True
    if term.kind not in ("binary", "cast", "ternary", "function"):
        return False
    inner = [one for one in term.terms if one.kind != "literal"]
    shapes = known.ROW_BY_ROW | known.ALL_ARGUMENTS | known.ANY_ARGUMENT
    return bool(inner) and all(map(_is_row_by_row, inner)) and (term.kind != "function" or term.name in shapes)


def _binary(term: Term, below: Sequence[Fact]) -> Fact:
    left, right = term.terms
    if term.name in known.NULL_SAFE:
        return Fact(null=False)
    if term.name in known.LOGICAL:
        return Fact(null=False) if _none_null(below) else Fact(None, ("a condition on a null may be null",))
    if term.name in known.COMPARISONS or _is_total(term.name, left, right):
        return _all_arguments(below)
    carried = [fact for fact in below if fact.null]
    return carried[0] if carried else Fact(None, (f"`{term.name}` may give a null",))


def _is_total(name: str, left: Term, right: Term) -> bool:
    """Whether an operator has a value for every pair of values."""
    types = (left.dtype, right.dtype)
    numbers = all(map(known.is_plain_number, types))
    if name == "TrueDivide":
        return numbers
    if name in known.DIVISIONS:
        return numbers and right.kind == "literal" and right.options[0] not in (None, 0)
    text = name == "Plus" and all(dtype == pl.String for dtype in types)
    time = name in ("Plus", "Minus") and all(dtype is not None and dtype.is_temporal() for dtype in types)
    return (name in ("Plus", "Minus", "Multiply") and numbers) or text or time


def _cast(term: Term, below: Sequence[Fact]) -> Fact:
    if term.name == "strict" or below[0].null:
        return below[0]
    return Fact(None, ("a cast that is not strict gives a null where it fails", *below[0].reasons))


def _ternary(term: Term, below: Sequence[Fact]) -> Fact:
    _, then, otherwise = below
    if _none_null((then, otherwise)):
        return Fact(null=False)
    proved = not_null_where(term.terms[0])
    if term.terms[1].kind == "column" and term.terms[1].name in proved and otherwise.null is False:
        return Fact(null=False)
    reasons = next(fact.reasons for fact in (otherwise, then) if fact.null is not False)
    return Fact(None, ("a branch of a condition may be null", *reasons))


def _function(term: Term, below: Sequence[Fact]) -> Fact:  # noqa: PLR0911  (one a family of functions)
    name = term.name
    if name in known.NEVER or (name == "sum_horizontal" and term.options == (True,)):
        return Fact(null=False)
    if name in known.ANY_ARGUMENT:
        if any(fact.null is False for fact in below):
            return Fact(null=False)
        return Fact(None, ("nothing else may be there either", *below[0].reasons))
    if name == "fill_null_with_strategy":
        return below[0].unknown("there may be nothing to fill it with")
    if name in known.ROW_BY_ROW:
        return below[0]
    if name in known.ALL_ARGUMENTS:
        return _all_arguments(below)
    if name == "StringFunction.ConcatHorizontal":
        return Fact(null=False) if term.options[-1] else _all_arguments(below)
    if name == "StringFunction.Contains" and term.options[-1]:
        return _all_arguments(below)
    return Fact(None, (f"`{name.split('.')[-1].lower()}` may give a null",))


def _all_arguments(below: Sequence[Fact]) -> Fact:
    """A function that gives a null where an argument is one, and nowhere else."""
    return next((f for f in below if f.null), None) or next((f for f in below if f.null is None), Fact(null=False))


def _none_null(below: Sequence[Fact]) -> bool:
    return all(fact.null is False for fact in below)


def _with_roots(fact: Fact, roots: frozenset[known.Root]) -> Fact:
    return Fact(fact.null, fact.reasons, fact.roots | roots)


def _roots(term: Term, scope: Scope) -> frozenset[known.Root]:
    if term.kind == "column":
        fact = scope.columns.get(term.name)
        return fact.roots if fact else frozenset()
    return frozenset[known.Root]().union(*(_roots(one, scope) for one in term.terms))
