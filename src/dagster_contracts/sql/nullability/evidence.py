"""What is not NULL where a condition holds, where it does not, and where an expression has a value."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.evaluate import AliasUse, evaluate, expression_key, resolve
from dagster_contracts.sql.nullability.function_table import function_of, operands
from dagster_contracts.sql.nullability.scope import NOTHING, Env, Known, closure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_BOTH_SIDES = (
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod),
    *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor),
    *(exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.RegexpLike, exp.RegexpILike, exp.Escape),
)
_FIRST_SIDE = (
    *(exp.Paren, exp.Alias, exp.Neg, exp.Not, exp.BitwiseNot, exp.Cast, exp.TryCast),
    *(exp.Nullif, exp.Between, exp.AtTimeZone, exp.Bracket),
)
_KEYED = (exp.Func, exp.Window, exp.Filter, exp.Case, exp.Bracket, exp.Binary)

Proof: TypeAlias = Callable[[Any, Env], Known]


def value_of(node: exp.Expr, env: Env) -> Known:
    """What is not NULL where an expression is not NULL."""
    if isinstance(node, exp.Column):
        return _column(node, env)
    own = _own_key(node, env)
    proof = _VALUE.get(type(node))
    if proof is not None:
        return own | proof(node, env)
    function = function_of(node, env.project.dialect.name)
    if function is not None and function.propagates:
        return own | _union(value_of(operand, env) for operand in operands(node))
    return own


def true_of(node: exp.Expr, env: Env) -> Known:
    """What is not NULL where a condition is true."""
    return _proved(_TRUE, node, env)


def false_of(node: exp.Expr, env: Env) -> Known:
    """What is not NULL where a condition is false."""
    return _proved(_FALSE, node, env)


def not_true_of(node: exp.Expr, env: Env) -> Known:
    """What is not NULL where a condition is false or NULL."""
    if isinstance(node, (exp.Paren, exp.Alias)):
        return not_true_of(node.this, env)
    if isinstance(node, exp.Or):
        return not_true_of(node.this, env) | not_true_of(node.expression, env)
    if isinstance(node, exp.And):
        return not_true_of(node.this, env) & not_true_of(node.expression, env)
    return false_of(node, env) if evaluate(node, env).nullable is False else NOTHING


def _proved(proofs: Mapping[type[exp.Expr], Proof], node: exp.Expr, env: Env) -> Known:
    """What a condition proves: by its kind, or by having a value at all."""
    proof = proofs.get(type(node))
    if proof is None:
        return value_of(node, env)
    return NOTHING if node.args.get("negate") else proof(node, env)


def _column(node: exp.Column, env: Env) -> Known:
    """A column that has a value, and all that follows from that."""
    found = resolve(node, env)
    if isinstance(found, AliasUse):
        return value_of(found.expression, found.env)
    if not isinstance(found, tuple):
        return NOTHING
    slot, owner = found
    return closure([slot]) - (owner.nulled - {slot})


def _own_key(node: exp.Expr, env: Env) -> Known:
    """The expression itself, where it is one that can be found again."""
    key = expression_key(node, env) if isinstance(node, _KEYED) else None
    return NOTHING if key is None else frozenset([key])


def _union(found: Iterable[Known]) -> Known:
    """What at least one of them proves."""
    return frozenset().union(*found)


def _in_all(found: Iterable[Known]) -> Known:
    """What each of them proves."""
    return reduce(frozenset.intersection, found)


def _values(node: exp.Expr, *names: str, env: Env) -> Known:
    """What is not NULL where these parts of an expression have values; rows are compared in ways of their own."""
    parts = [node.args[name] for name in names]
    return _union(value_of(part, env) for part in parts if not isinstance(part, exp.Tuple))


def _first(node: exp.Expr, env: Env) -> Known:
    """An expression that is NULL where its first part is."""
    return value_of(node.this, env)


def _both(node: exp.Binary, env: Env) -> Known:
    """An expression that is NULL where one of its two sides is."""
    return value_of(node.this, env) | value_of(node.expression, env)


def _compared(node: exp.Binary, env: Env) -> Known:
    """A comparison with ANY or ALL has a value without rows to compare with, too."""
    quantified = any(isinstance(side, (exp.Any, exp.All)) for side in (node.this, node.expression))
    return NOTHING if quantified else _values(node, "this", "expression", env=env)


def _listed(node: exp.In, env: Env) -> Known:
    """A value that was looked for in a list."""
    return _values(node, "this", env=env) if node.expressions else NOTHING


def _one_of(node: exp.Coalesce, env: Env) -> Known:
    """COALESCE has a value where one of its arguments has."""
    return _in_all(value_of(argument, env) for argument in [node.this, *node.expressions])


def _piped(node: exp.DPipe, env: Env) -> Known:
    """Text is NULL where a part of it is; a list may leave out what is NULL."""
    sides = list(node.flatten())
    is_text = all(evaluate(side, env).family == families.STRING for side in sides)
    return _union(value_of(side, env) for side in sides) if is_text else NOTHING


_VALUE: dict[type[exp.Expr], Proof] = {
    **dict.fromkeys(_FIRST_SIDE, _first),
    **dict.fromkeys(_BOTH_SIDES, _both),
    **dict.fromkeys(_COMPARISONS, _compared),
    exp.In: _listed,
    exp.Coalesce: _one_of,
    exp.DPipe: _piped,
}


def _true_equality(node: exp.EQ, env: Env) -> Known:
    """What equals one of some values is none of NULL."""
    if isinstance(node.expression, exp.Any):
        return _values(node, "this", env=env)
    return value_of(node, env)


def _true_in(node: exp.In, env: Env) -> Known:
    """A value that was found."""
    return _values(node, "this", env=env) if node.expressions or node.args.get("query") else NOTHING


def _true_is(node: exp.Is, env: Env) -> Known:
    """IS TRUE and IS FALSE."""
    if isinstance(node.expression, exp.Boolean):
        return true_of(node.this, env) if node.expression.this else false_of(node.this, env)
    return NOTHING


def _true_choice(node: exp.Coalesce, env: Env) -> Known:
    """Whichever of the values is taken is true, so a FALSE at the end is not."""
    choices = [argument for argument in [node.this, *node.expressions] if not _is_false(argument)]
    return _in_all(true_of(choice, env) for choice in choices) if choices else NOTHING


def _is_false(node: exp.Expr) -> bool:
    """Whether FALSE is written there."""
    return isinstance(node, exp.Boolean) and not node.this


def _true_column(node: exp.Column, env: Env) -> Known:
    """A name in a condition's place may stand for a condition."""
    found = resolve(node, env)
    return true_of(found.expression, found.env) if isinstance(found, AliasUse) else _column(node, env)


def _true_call(node: exp.Anonymous, env: Env) -> Known:
    """ISFINITE says of a date that it has a year and a month."""
    if node.name.lower() != "isfinite" or len(node.expressions) != 1:
        return value_of(node, env)
    key = expression_key(node.expressions[0], env)
    return value_of(node, env) | (NOTHING if key is None else frozenset([("finite", key)]))


def _same(node: exp.Binary, env: Env) -> Known:
    """Where two values are the same and one of them is not NULL, neither is the other."""
    sides = ((node.this, node.expression), (node.expression, node.this))
    return _union(value_of(side, env) for side, other in sides if evaluate(other, env).nullable is False)


def _differs(node: exp.Binary, env: Env) -> Known:
    """What differs from NULL is not NULL."""
    sides = ((node.this, node.expression), (node.expression, node.this))
    return _union(value_of(side, env) for side, other in sides if isinstance(other, exp.Null))


_TRUE: dict[type[exp.Expr], Proof] = {
    **dict.fromkeys((exp.Paren, exp.Alias), lambda node, env: true_of(node.this, env)),
    exp.And: lambda node, env: true_of(node.this, env) | true_of(node.expression, env),
    exp.Or: lambda node, env: true_of(node.this, env) & true_of(node.expression, env),
    exp.Not: lambda node, env: false_of(node.this, env),
    exp.Is: _true_is,
    exp.NullSafeEQ: _same,
    exp.NullSafeNEQ: _differs,
    exp.Between: lambda node, env: _values(node, "this", "low", "high", env=env),
    exp.In: _true_in,
    exp.EQ: _true_equality,
    exp.Coalesce: _true_choice,
    exp.Column: _true_column,
    exp.Anonymous: _true_call,
}


def _false_is(node: exp.Is, env: Env) -> Known:
    """What IS NULL does not hold of."""
    return value_of(node.this, env) if isinstance(node.expression, exp.Null) else NOTHING


_FALSE: dict[type[exp.Expr], Proof] = {
    **dict.fromkeys((exp.Paren, exp.Alias), lambda node, env: false_of(node.this, env)),
    exp.Or: lambda node, env: false_of(node.this, env) | false_of(node.expression, env),
    exp.And: lambda node, env: false_of(node.this, env) & false_of(node.expression, env),
    exp.Not: lambda node, env: true_of(node.this, env),
    exp.Is: _false_is,
    exp.NullSafeEQ: _differs,
    exp.NullSafeNEQ: _same,
    exp.In: _listed,
    exp.Coalesce: lambda _node, _env: NOTHING,
}
