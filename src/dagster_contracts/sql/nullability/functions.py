"""What the call of a function can be, from the table of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.aggregates import aggregated
from dagster_contracts.sql.nullability.evaluate import described, evaluate, evaluates, expression_key
from dagster_contracts.sql.nullability.fact import Fact, can_be_null, not_null, unknown
from dagster_contracts.sql.nullability.function_table import SAME, Function, Rule, function_of, operands
from dagster_contracts.sql.nullability.operators import plain

if TYPE_CHECKING:
    from dagster_contracts.sql.nullability.scope import Env

_UNITS = frozenset(["day", "week", "month", "quarter", "year", "hour", "minute", "second"])
_MAY_BE_TEXT = frozenset([families.STRING, families.OTHER, None])


@evaluates(exp.Func)
def call(node: exp.Func, env: Env) -> Fact:
    """What is known of a function's value; nothing, where the function is not in the table."""
    function = function_of(node, env.project.dialect.name)
    if function is None or _is_another_function(node, env):
        return unknown(f"it is not known whether {described(node, env)} can be NULL")
    if function.aggregates:
        return aggregated(node, function, env)
    facts = [evaluate(operand, env) for operand in operands(node)]
    family = families.common_family([facts[0].family]) if function.family == SAME and facts else function.family
    if function.rule in {Rule.MAYBE, Rule.LOOSE}:
        return can_be_null(f"{described(node, env)} can be NULL", family)
    return _by_rule(node, function, facts, family, env)


def _by_rule(node: exp.Func, function: Function, facts: list[Fact], family: str | None, env: Env) -> Fact:  # noqa: PLR0911  (one a case)
    """What the value is where no argument that matters is NULL."""
    if function.rule is Rule.NEVER:
        return not_null(family)
    if function.rule is Rule.FIRST:
        return plain(facts[:1], family)
    result = plain(facts, family)
    if result.nullable is not False:
        return result
    dialect = env.project.dialect
    if (
        dialect.infinite_dates
        and function.rule is Rule.FINITE
        and not _grows(node, env)
        and not _all_finite(node, facts, env)
    ):
        return unknown(f"{described(node, env)} is NULL for an infinite date", family)
    if dialect.decimal_overflow == "depends" and function.family == SAME and family == families.DECIMAL:
        return unknown(f"{described(node, env)} is NULL on a decimal overflow unless ANSI mode is on", family)
    if dialect.cast == "depends" and not _has_what_it_takes(node, function, facts):
        return unknown(f"{described(node, env)} is NULL where it fails unless ANSI mode is on", family)
    if family == families.TEMPORAL and all(fact.family in _FINITE_FAMILIES for fact in facts):
        return not_null(families.FINITE if any(fact.family == families.FINITE for fact in facts) else family)
    return result


_FINITE_FAMILIES = frozenset([families.FINITE, families.NUMBER, families.DECIMAL, families.TIME, families.INTERVAL])


def _all_finite(node: exp.Func, facts: list[Fact], env: Env) -> bool:
    """Whether no argument can be an infinite date."""
    for operand, fact in zip(operands(node), facts, strict=True):
        if fact.family in _FINITE_FAMILIES or isinstance(operand, exp.Literal):
            continue
        if ("finite", expression_key(operand, env)) not in env.known:
            return False
    return True


def _grows(node: exp.Func, env: Env) -> bool:
    """Whether Postgres gives an infinite date an infinite part, as it does for those that grow with time."""
    if env.project.dialect.name != "postgres" or not isinstance(node, exp.Extract):
        return False
    return node.name.upper() in {"YEAR", "EPOCH", "DECADE", "CENTURY", "MILLENNIUM", "JULIAN"}


def _has_what_it_takes(node: exp.Func, function: Function, facts: list[Fact]) -> bool:
    """Whether no argument is converted in a way that can fail."""
    if isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)):
        unit = node.args.get("unit")
        if unit is None or unit.name.lower() not in _UNITS:
            return False
    if function.rule is Rule.TEXT:
        return all(fact.family not in {families.NESTED, families.ARRAY} for fact in facts)
    return not facts or (
        facts[0].family not in _MAY_BE_TEXT
        and all(
            fact.family not in _MAY_BE_TEXT or isinstance(operand, exp.Literal)
            for operand, fact in zip(operands(node), facts, strict=True)
        )
    )


def _is_another_function(node: exp.Func, env: Env) -> bool:
    """Whether sqlglot has one node for a function that the dialect has two of."""
    if isinstance(node, exp.Substring) and env.project.dialect.name == "postgres":
        start = node.args.get("start")
        return start is None or evaluate(start, env).family != families.NUMBER
    return False
