"""What operators, conditions and conversions can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.evaluate import described, evaluate, evaluates
from dagster_contracts.sql.nullability.evidence import false_of, true_of
from dagster_contracts.sql.nullability.fact import (
    Fact,
    can_be_null,
    not_null,
    one_of,
    strict,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dagster_contracts.sql.nullability.scope import Env

_PLAIN_TEXT = frozenset([families.STRING, families.OTHER])


@evaluates(exp.Literal)
def _literal(node: exp.Literal, env: Env) -> Fact:  # noqa: ARG001
    """A number or a text that is written there."""
    if node.is_string:
        return not_null(families.STRING)
    return not_null(families.NUMBER if node.is_int else families.DECIMAL)


@evaluates(exp.Null)
def _null(node: exp.Null, env: Env) -> Fact:  # noqa: ARG001
    """NULL itself."""
    return can_be_null("NULL is written there", families.NULL)


@evaluates(exp.Boolean)
def _boolean(node: exp.Boolean, env: Env) -> Fact:  # noqa: ARG001
    """TRUE and FALSE."""
    return not_null(families.BOOLEAN)


@evaluates(exp.Paren, exp.Alias)
def _inner(node: exp.Expr, env: Env) -> Fact:
    """What is in parentheses or behind an alias."""
    return evaluate(node.this, env)


def plain(facts: Iterable[Fact], family: str | None) -> Fact:
    """A value that is NULL exactly where one of these is, unless one of them has nulls of its own inside."""
    facts = list(facts)
    result = strict(facts, family)
    if result.nullable is False:
        for fact in facts:
            if fact.family is None or fact.family == families.JSON:
                return unknown(_INNER_NULL, family)
    return result


_INNER_NULL = "a value whose type is JSON or not known can hold a null of its own"


def number_family(facts: list[Fact]) -> str:
    """The family of what arithmetic makes of these."""
    found = {fact.family for fact in facts} - {families.NULL}
    if found <= {families.NUMBER}:
        return families.NUMBER
    if found <= {families.NUMBER, families.DECIMAL}:
        return families.DECIMAL
    if families.TEMPORAL in found:
        return families.TEMPORAL
    if families.FINITE in found:
        finite = {families.FINITE, families.INTERVAL, families.NUMBER, families.TIME}
        return families.FINITE if found <= finite else families.TEMPORAL
    return families.INTERVAL if found <= {families.INTERVAL, families.NUMBER} else families.OTHER


@evaluates(exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot)
def _arithmetic(node: exp.Expr, env: Env) -> Fact:
    """NULL where one of its sides is."""
    facts = [evaluate(node.this, env)]
    if isinstance(node, exp.Binary):
        facts.append(evaluate(node.expression, env))
    return _unless_overflow(node, plain(facts, number_family(facts)), facts, env)


def _unless_overflow(node: exp.Expr, result: Fact, facts: list[Fact], env: Env) -> Fact:
    """The result, unless it depends on a mode: decimals may have too many digits, and text may be no number."""
    if result.nullable is not False or env.project.dialect.decimal_overflow != "depends":
        return result
    if result.family == families.DECIMAL or any(fact.family in _MAY_BE_TEXT for fact in facts):
        return unknown(f"{described(node, env)} is NULL where it fails unless ANSI mode is on", result.family)
    return result


_MAY_BE_TEXT = frozenset([families.STRING, families.OTHER, None])


@evaluates(exp.Div)
def _division(node: exp.Div, env: Env) -> Fact:
    """`/`."""
    return _divided(node, env, env.project.dialect.slash_zero)


@evaluates(exp.IntDiv, exp.Mod)
def _modulo(node: exp.Binary, env: Env) -> Fact:
    """`%` and the integer division."""
    return _divided(node, env, env.project.dialect.modulo_zero)


def _divided(node: exp.Binary, env: Env, by_zero: str) -> Fact:
    """A division: NULL where one of its sides is, and where its dialect makes NULL of a zero."""
    facts = [evaluate(node.this, env), evaluate(node.expression, env)]
    result = _unless_overflow(node, plain(facts, number_family(facts)), facts, env)
    if result.nullable is not False or by_zero in {"error", "value"} or _is_not_zero(node.expression):
        return result
    if by_zero == "null":
        return can_be_null(f"{described(node, env)} is NULL where it divides by zero", result.family)
    return unknown(f"{described(node, env)} is NULL where it divides by zero unless ANSI mode is on", result.family)


def _is_not_zero(node: exp.Expr) -> bool:
    """Whether an expression is a number that is written there and is not zero."""
    node = node.unnest()
    return isinstance(node, exp.Literal) and not node.is_string and node.name.strip("0.") != ""


_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_PATTERNS = (exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.RegexpLike, exp.RegexpILike)


@evaluates(*_COMPARISONS)
def _comparison(node: exp.Binary, env: Env) -> Fact:
    """NULL where one of its sides is."""
    return compared([evaluate(node.this, env), evaluate(node.expression, env)], env)


def compared(facts: list[Fact], env: Env) -> Fact:
    """What a comparison of these can be."""
    result = plain(facts, families.BOOLEAN)
    nested = any(fact.family in {families.NESTED, families.ARRAY, None} for fact in facts)
    if result.nullable is False and nested and not env.project.dialect.nested_compare:
        return unknown("comparing nested values that hold NULLs can be NULL", families.BOOLEAN)
    kinds = {fact.family in _MAY_BE_TEXT for fact in facts}
    if result.nullable is False and env.project.dialect.cast == "depends" and len(kinds) > 1:
        return unknown("comparing text with a number can be NULL unless ANSI mode is on", families.BOOLEAN)
    return result


@evaluates(*_PATTERNS)
def _pattern(node: exp.Expr, env: Env) -> Fact:
    """LIKE and the like."""
    return plain([evaluate(node.this, env), evaluate(node.expression, env)], families.BOOLEAN)


@evaluates(exp.Escape)
def _escape(node: exp.Escape, env: Env) -> Fact:
    """LIKE with ESCAPE."""
    return plain([evaluate(node.this, env), evaluate(node.expression, env)], families.BOOLEAN)


@evaluates(exp.Between)
def _between(node: exp.Between, env: Env) -> Fact:
    """BETWEEN."""
    return compared([evaluate(node.args[name], env) for name in ("this", "low", "high")], env)


@evaluates(exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Exists)
def _never_null(node: exp.Expr, env: Env) -> Fact:  # noqa: ARG001
    """Questions that are always answered."""
    return not_null(families.BOOLEAN)


@evaluates(exp.Not)
def _not(node: exp.Not, env: Env) -> Fact:
    """NOT."""
    return plain([evaluate(node.this, env)], families.BOOLEAN)


@evaluates(exp.And)
def _and(node: exp.And, env: Env) -> Fact:
    """AND: its right side matters only where its left one is not false."""
    left = evaluate(node.this, env)
    right = evaluate(node.expression, env.knowing(true_of(node.this, env)))
    return plain([left, right], families.BOOLEAN)


@evaluates(exp.Or)
def _or(node: exp.Or, env: Env) -> Fact:
    """OR: its right side matters only where its left one is not true."""
    left = evaluate(node.this, env)
    right = evaluate(node.expression, env.knowing(false_of(node.this, env)))
    return plain([left, right], families.BOOLEAN)


@evaluates(exp.DPipe)
def _pipes(node: exp.DPipe, env: Env) -> Fact:
    """`||`."""
    facts = [evaluate(node.this, env), evaluate(node.expression, env)]
    return plain(facts, families.ARRAY if facts[0].family == families.ARRAY else families.STRING)


@evaluates(exp.Concat)
def _concat(node: exp.Concat, env: Env) -> Fact:
    """CONCAT: some dialects leave NULLs out."""
    facts = [evaluate(argument, env) for argument in node.expressions]
    if env.project.dialect.concat_skips_null and all(
        fact.family not in {families.NESTED, families.ARRAY, None} for fact in facts
    ):
        return not_null(families.STRING)
    return plain(facts, families.STRING)


@evaluates(exp.Interval)
def _interval(node: exp.Interval, env: Env) -> Fact:
    """INTERVAL."""
    return not_null(families.INTERVAL) if node.this is None else plain([evaluate(node.this, env)], families.INTERVAL)


@evaluates(exp.Array)
def _array(node: exp.Array, env: Env) -> Fact:
    """An array that is written there."""
    if any(isinstance(item, exp.Query) for item in node.expressions):
        return unknown("it is not known whether an array of a subquery's rows can be NULL", families.NESTED)
    elements = [evaluate(item, env) for item in node.expressions]
    element = one_of(elements) if elements else None
    return Fact(nullable=False, family=families.ARRAY, element=element)


@evaluates(exp.Struct, exp.Map, exp.VarMap, exp.ToMap, exp.Tuple)
def _nested(node: exp.Expr, env: Env) -> Fact:
    """Rows and structs of NULLs are not NULL themselves in most dialects, and never hold that in all."""
    if isinstance(node, exp.Struct):
        return not_null(families.NESTED)
    return strict([evaluate(item, env) for item in node.iter_expressions()], families.NESTED)


@evaluates(exp.Bracket)
def _bracket(node: exp.Bracket, env: Env) -> Fact:
    """An element or a field, which need not be there."""
    return can_be_null(f"{described(node, env)} is NULL where there is no such element")


@evaluates(exp.AtTimeZone)
def _at_time_zone(node: exp.AtTimeZone, env: Env) -> Fact:
    """AT TIME ZONE."""
    facts = [evaluate(node.this, env), evaluate(node.args["zone"], env)]
    return plain(facts, facts[0].family)
