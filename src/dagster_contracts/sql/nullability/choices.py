"""What one of several values can be: COALESCE, CASE and their kin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.evaluate import described, evaluate, evaluates
from dagster_contracts.sql.nullability.evidence import not_true_of, true_of
from dagster_contracts.sql.nullability.fact import Fact, can_be_null, first_not_null, one_of, strict

if TYPE_CHECKING:
    from dagster_contracts.sql.nullability.scope import Env


@evaluates(exp.Coalesce)
def _coalesce(node: exp.Coalesce, env: Env) -> Fact:
    """COALESCE, IFNULL and NVL."""
    return first_not_null([evaluate(argument, env) for argument in [node.this, *node.expressions]])


@evaluates(exp.Nullif)
def _nullif(node: exp.Nullif, env: Env) -> Fact:
    """NULLIF."""
    fact = evaluate(node.this, env)
    return can_be_null(f"{described(node, env)} is NULL where both are equal", fact.family)


@evaluates(exp.If)
def _if(node: exp.If, env: Env) -> Fact:
    """IF, IIF and IFF."""
    return _branches([(node.this, node.args["true"])], node.args.get("false"), env)


@evaluates(exp.Case)
def _case(node: exp.Case, env: Env) -> Fact:
    """CASE, with and without a subject."""
    subject = node.this
    branches = [(branch.this, branch.args["true"]) for branch in node.args["ifs"]]
    if subject is not None:
        branches = [(exp.EQ(this=subject.copy(), expression=when.copy()), value) for when, value in branches]
    return _branches(branches, node.args.get("default"), env)


@evaluates(exp.Nvl2)
def _nvl2(node: exp.Nvl2, env: Env) -> Fact:
    """NVL2."""
    present = exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.Null()))
    return _branches([(present, node.args["true"])], node.args.get("false"), env)


def _branches(branches: list[tuple[exp.Expr, exp.Expr]], default: exp.Expr | None, env: Env) -> Fact:
    """One of several values, of which each is taken where its condition holds and none before it does."""
    facts = []
    for condition, value in branches:
        facts.append(evaluate(value, env.knowing(true_of(condition, env))))
        env = env.knowing(not_true_of(condition, env))
    if default is None:
        facts.append(can_be_null("CASE without ELSE is NULL where no condition holds", families.NULL))
    else:
        facts.append(evaluate(default, env))
    return one_of(facts)


@evaluates(exp.Greatest, exp.Least)
def _greatest(node: exp.Expr, env: Env) -> Fact:
    """GREATEST and LEAST: some dialects leave NULLs out."""
    facts = [evaluate(argument, env) for argument in [node.this, *node.expressions]]
    if env.project.dialect.greatest_skips_null or node.args.get("ignore_nulls"):
        return first_not_null(facts)
    return strict(facts, families.common_family(fact.family for fact in facts))
