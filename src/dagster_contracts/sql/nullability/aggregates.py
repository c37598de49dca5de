"""What aggregates can be: over groups that have rows, over groups that may have none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.evaluate import described, evaluate, evaluates, resolve
from dagster_contracts.sql.nullability.fact import Fact, can_be_null, not_null, strict, unknown
from dagster_contracts.sql.nullability.function_table import SAME, Function, Rule, function_of, operands

if TYPE_CHECKING:
    from dagster_contracts.sql.nullability.scope import Env

_INTERPOLATING = (exp.Avg, exp.Median, exp.Quantile, exp.PercentileCont, exp.Anonymous)
_WRAPPERS = (exp.IgnoreNulls, exp.RespectNulls, exp.Order, exp.Limit, exp.HavingMax)


def aggregated(node: exp.Expr, function: Function, env: Env, *, can_be_empty: bool | None = None) -> Fact:  # noqa: PLR0911  (one a case)
    """What an aggregate over the rows of a group, or over a window's frame, can be.

    Args:
        node: The aggregate.
        function: What the table of functions says about it.
        env: Where it stands.
        can_be_empty: Whether it can see no rows; as the GROUP BY says, if not given.
    """
    if function.rule is Rule.COUNT:
        return not_null(function.family)
    rows = env.rows or env
    if can_be_empty is None and env.sees_outside() and not _sees_own_rows(node, rows):
        return unknown(f"{described(node, env)} may belong to the query around")
    facts = [evaluate(argument(operand), rows) for operand in operands(node)]
    same = function.family == SAME
    family = facts[0].family if same and facts else None if same else function.family
    element = facts[0] if isinstance(node, exp.ArrayAgg) and facts else None
    if function.rule is Rule.SAMPLE:
        return can_be_null(f"{described(node, env)} is NULL where it sees fewer than two rows", family)
    if env.can_be_empty if can_be_empty is None else can_be_empty:
        return can_be_null(f"{described(node, env)} is NULL where it sees no rows", family)
    if function.family == families.ARRAY:
        if isinstance(node.parent, exp.IgnoreNulls) and (element is None or element.nullable is not False):
            return unknown(f"it is not known what {described(node, env)} is where IGNORE NULLS leaves nothing", family)
        return Fact(nullable=False, family=family, element=element)
    result = strict(facts, family)
    interpolates = isinstance(node, _INTERPOLATING) and family in {families.TEMPORAL, None}
    if result.nullable is False and interpolates and env.project.dialect.infinite_dates:
        return unknown(f"{described(node, env)} is NULL between infinite dates", family)
    depends = env.project.dialect.decimal_overflow == "depends" and isinstance(node, (exp.Sum, exp.Avg))
    if result.nullable is False and depends and family not in {families.NUMBER, families.INTERVAL}:
        return unknown(f"{described(node, env)} is NULL on a decimal overflow unless ANSI mode is on", family)
    return result


def argument(node: exp.Expr) -> exp.Expr:
    """What an aggregate aggregates, without DISTINCT, ORDER BY and the like."""
    while isinstance(node, (*_WRAPPERS, exp.Distinct)):
        if isinstance(node, exp.Distinct):
            if len(node.expressions) != 1:
                return exp.Tuple(expressions=[item.copy() for item in node.expressions])
            node = node.expressions[0]
        else:
            node = node.this
    return node


def _sees_own_rows(node: exp.Expr, rows: Env) -> bool:
    """Whether an aggregate's arguments are the subquery's own, or constants."""
    found = [resolve(column, rows) for column in node.find_all(exp.Column)]
    return all(isinstance(one, tuple) and one[1].scope is rows.scope for one in found)


@evaluates(exp.Filter)
def _filter(node: exp.Filter, env: Env) -> Fact:
    """An aggregate over the rows that FILTER leaves, which can be none."""
    function = function_of(node.this, env.project.dialect.name)
    if function is not None and function.rule is Rule.COUNT:
        return not_null(function.family)
    fact = evaluate(node.this, env)
    if fact.nullable is None:
        return fact
    return can_be_null(f"{described(node.this, env)} is NULL where FILTER leaves no rows", fact.family)


@evaluates(exp.WithinGroup)
def _within_group(node: exp.WithinGroup, env: Env) -> Fact:
    """An aggregate of what WITHIN GROUP orders."""
    function = function_of(node.this, env.project.dialect.name)
    if function is None or not function.aggregates:
        return unknown(f"it is not known whether {described(node, env)} can be NULL")
    fact = aggregated(node.this, function, env)
    if fact.nullable is not False or function.rule is Rule.COUNT or isinstance(node.this, exp.GroupConcat):
        return fact
    ordered = [evaluate(item.this, env.rows or env) for item in node.expression.expressions]
    return replace(strict([*ordered, fact]), family=ordered[0].family if ordered else fact.family)


@evaluates(exp.IgnoreNulls, exp.RespectNulls)
def _nulls(node: exp.Expr, env: Env) -> Fact:
    """IGNORE NULLS and RESPECT NULLS leave what can be NULL as it is."""
    return evaluate(node.this, env)


@evaluates(exp.Grouping, exp.GroupingId)
def _grouping(node: exp.Expr, env: Env) -> Fact:  # noqa: ARG001
    """GROUPING is a number, always."""
    return not_null(families.NUMBER)
