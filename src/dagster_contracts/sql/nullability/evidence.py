"""What is not NULL where a condition holds, where it does not, and where an expression has a value."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.evaluate import AliasUse, evaluate, expression_key, resolve
from dagster_contracts.sql.nullability.function_table import function_of, operands
from dagster_contracts.sql.nullability.scope import NOTHING, closure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dagster_contracts.sql.nullability.scope import Env, Known

_COMPARISONS = frozenset([exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE])
_BOTH_SIDES = frozenset(
    [
        *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod),
        *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor),
        *(exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.RegexpLike, exp.RegexpILike, exp.Escape),
    ]
)
_ONE_SIDE = frozenset([exp.Paren, exp.Alias, exp.Neg, exp.Not, exp.BitwiseNot, exp.Cast, exp.TryCast, exp.Nullif])


def value_of(node: exp.Expr, env: Env) -> Known:
    """What is not NULL where an expression is not NULL."""
    kind = type(node)
    if kind is exp.Column:
        return _column(node, env)
    own = _own_key(node, env)
    if kind in _ONE_SIDE or kind in {exp.Between, exp.AtTimeZone, exp.Bracket}:
        return own | value_of(node.this, env)
    if kind in _BOTH_SIDES:
        return own | value_of(node.this, env) | value_of(node.expression, env)
    if kind in _COMPARISONS:
        return NOTHING if _quantified(node) else _compared(node, env)
    if kind is exp.In:
        return value_of(node.this, env) if node.expressions and not isinstance(node.this, exp.Tuple) else NOTHING
    if kind is exp.Coalesce:
        return own | _in_all(value_of(argument, env) for argument in [node.this, *node.expressions])
    if kind is exp.DPipe and all(evaluate(side, env).family == families.STRING for side in node.flatten()):
        return own | _union(value_of(side, env) for side in node.flatten())
    function = function_of(node, env.project.dialect.name)
    if function is not None and function.propagates:
        return own | _union(value_of(operand, env) for operand in operands(node))
    return own


def _column(node: exp.Column, env: Env) -> Known:
    found = resolve(node, env)
    if isinstance(found, AliasUse):
        return value_of(found.expression, found.env)
    return closure([found[0]]) if isinstance(found, tuple) else NOTHING


def _own_key(node: exp.Expr, env: Env) -> Known:
    """The expression itself, where it is one that can be found again."""
    if not isinstance(node, (exp.Func, exp.Window, exp.Filter, exp.Case, exp.Bracket, exp.Binary)):
        return NOTHING
    key = expression_key(node, env)
    return NOTHING if key is None else frozenset([key])


def _quantified(node: exp.Expr) -> bool:
    return isinstance(node.expression, (exp.Any, exp.All)) or isinstance(node.this, (exp.Any, exp.All))


def _compared(node: exp.Expr, env: Env) -> Known:
    """What is not NULL where a comparison is true or false; rows are compared in ways of their own."""
    return _union(value_of(side, env) for side in (node.this, node.expression) if not isinstance(side, exp.Tuple))


def _union(found: Iterable[Known]) -> Known:
    return frozenset().union(*found)


def _in_all(found: Iterable[Known]) -> Known:
    return reduce(frozenset.intersection, found)


def true_of(node: exp.Expr, env: Env) -> Known:
    """What is not NULL where a condition is true."""
    kind = type(node)
    if kind in {exp.Paren, exp.Alias}:
        return true_of(node.this, env)
    if kind is exp.And:
        return true_of(node.this, env) | true_of(node.expression, env)
    if kind is exp.Or:
        return true_of(node.this, env) & true_of(node.expression, env)
    if kind is exp.Not:
        return false_of(node.this, env)
    if kind is exp.Is:
        return _is(node, env)
    if kind is exp.NullSafeEQ:
        return _same(node, env)
    if kind is exp.NullSafeNEQ:
        return _differs_from_null(node, env)
    if kind is exp.Between:
        return _union(value_of(node.args[name], env) for name in ("this", "low", "high"))
    if kind is exp.In and not isinstance(node.this, exp.Tuple):
        return value_of(node.this, env)
    if kind is exp.EQ and isinstance(node.expression, exp.Any):
        return NOTHING if isinstance(node.this, exp.Tuple) else value_of(node.this, env)
    if kind is exp.Coalesce:
        choices = [argument for argument in [node.this, *node.expressions] if not _is_false(argument)]
        return _in_all(true_of(choice, env) for choice in choices) if choices else NOTHING
    if kind is exp.Anonymous and node.name.lower() == "isfinite" and len(node.expressions) == 1:
        key = expression_key(node.expressions[0], env)
        return value_of(node, env) | (NOTHING if key is None else frozenset([("finite", key)]))
    return _true_column(node, env) if kind is exp.Column else value_of(node, env)


def _true_column(node: exp.Column, env: Env) -> Known:
    """A name in a condition's place may stand for a condition."""
    found = resolve(node, env)
    return true_of(found.expression, found.env) if isinstance(found, AliasUse) else _column(node, env)


def _is_false(node: exp.Expr) -> bool:
    return isinstance(node, exp.Boolean) and not node.this


def _is(node: exp.Is, env: Env) -> Known:
    if isinstance(node.expression, exp.Boolean):
        return true_of(node.this, env) if node.expression.this else false_of(node.this, env)
    return NOTHING


def _same(node: exp.NullSafeEQ, env: Env) -> Known:
    """Where two values are the same and one of them is not NULL, neither is the other."""
    found = NOTHING
    for side, other in ((node.this, node.expression), (node.expression, node.this)):
        if evaluate(other, env).nullable is False:
            found |= value_of(side, env)
    return found


def _differs_from_null(node: exp.NullSafeNEQ, env: Env) -> Known:
    found = NOTHING
    for side, other in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(other, exp.Null):
            found |= value_of(side, env)
    return found


def false_of(node: exp.Expr, env: Env) -> Known:
    """What is not NULL where a condition is false."""
    kind = type(node)
    if kind in {exp.Paren, exp.Alias}:
        return false_of(node.this, env)
    if kind is exp.Or:
        return false_of(node.this, env) | false_of(node.expression, env)
    if kind is exp.And:
        return false_of(node.this, env) & false_of(node.expression, env)
    if kind is exp.Not:
        return true_of(node.this, env)
    if kind is exp.Is and isinstance(node.expression, exp.Null):
        return value_of(node.this, env)
    if kind is exp.NullSafeEQ:
        return _differs_from_null(node, env)
    if kind is exp.NullSafeNEQ:
        return _same(node, env)
    if kind is exp.In:
        return _not_in(node, env)
    if kind is exp.Coalesce:
        return NOTHING
    return value_of(node, env)


def _not_in(node: exp.In, env: Env) -> Known:
    """A value that is not in a list has been compared with each; one that is not in no rows at all has not."""
    if not node.expressions or isinstance(node.this, exp.Tuple):
        return NOTHING
    return _union(value_of(side, env) for side in [node.this, *node.expressions] if not isinstance(side, exp.Tuple))


def not_true_of(node: exp.Expr, env: Env) -> Known:
    """What is not NULL where a condition is false or NULL."""
    kind = type(node)
    if kind in {exp.Paren, exp.Alias}:
        return not_true_of(node.this, env)
    if kind is exp.Or:
        return not_true_of(node.this, env) | not_true_of(node.expression, env)
    if kind is exp.And:
        return not_true_of(node.this, env) & not_true_of(node.expression, env)
    return false_of(node, env) if evaluate(node, env).nullable is False else NOTHING
