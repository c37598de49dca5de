"""What a query returns: SELECTs, set operations, VALUES, and the CTEs before them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.evaluate import described, evaluate, evaluates
from dagster_contracts.sql.nullability.fact import Fact, can_be_null, one_of, strict, unknown
from dagster_contracts.sql.nullability.grouping import aggregates
from dagster_contracts.sql.nullability.operators import compared
from dagster_contracts.sql.nullability.relations import incomplete, values_output
from dagster_contracts.sql.nullability.scope import Output
from dagster_contracts.sql.nullability.select import select_output, unsupported_part

if TYPE_CHECKING:
    from dagster_contracts.sql.nullability.scope import Env

_SET_PARTS = frozenset(["this", "expression", "distinct", "by_name", "order", "limit", "offset", "with_"])
_SUBQUERY_PARTS = frozenset(["this", "alias", "order", "limit", "offset", "with_", "pivots", "sample"])
_CTE_PARTS = frozenset(["this", "alias", "materialized", "scalar"])


def query_output(query: exp.Expr, env: Env) -> Output:
    """What a query returns where it stands.

    Args:
        query: A SELECT, a set operation, VALUES, or one of them in parentheses.
        env: The queries around it and their CTEs.

    Returns:
        Its columns; incomplete where they are not all known.
    """
    env = _with_ctes(query, env)
    if isinstance(query, exp.Select):
        return select_output(query, env, query_output)
    if isinstance(query, exp.Subquery):
        part = unsupported_part(query, _SUBQUERY_PARTS)
        return incomplete(f"{part.upper()} is not supported") if part else query_output(query.this, env)
    if isinstance(query, exp.SetOperation):
        return _set_operation(query, env)
    if isinstance(query, exp.Values):
        return values_output(query, env)
    return incomplete(f"{described(query, env)} is not supported")


def _with_ctes(query: exp.Expr, env: Env) -> Env:
    """The same place, after the WITH clause of a query."""
    clause = query.args.get("with_")
    if clause is None:
        return env
    key = env.project.dialect.key
    for cte in clause.expressions:
        alias = cte.args["alias"]
        name = key(alias.this)
        part = unsupported_part(cte, _CTE_PARTS)
        if part is not None:
            output = incomplete(f"WITH ... {part.upper()} is not supported")
        elif clause.args.get("recursive") and any(key(table.this) == name for table in _tables(cte)):
            output = _recursive(cte.this, cte, name, env)
        else:
            output = _named(query_output(cte.this, env), cte, env)
        env = replace(env, ctes={**env.ctes, name: output})
    return env


def _tables(cte: exp.Expr) -> list[exp.Table]:
    """The tables that a CTE reads."""
    return [table for table in cte.find_all(exp.Table) if isinstance(table.this, exp.Identifier)]


def _named(output: Output, cte: exp.Expr, env: Env) -> Output:
    """What a CTE returns, under the names that it gives."""
    alias = cte.args["alias"]
    names = tuple(env.project.dialect.shown(column) for column in alias.args.get("columns") or ())
    if len(names) > len(output.names):
        return output if output.incomplete else replace(output, incomplete=("a CTE names more columns than it has",))
    return replace(output, names=(*names, *output.names[len(names) :]), label="")


def _recursive(query: exp.Expr, cte: exp.Expr, name: str, env: Env) -> Output:
    """A recursive CTE: what its first part returns, and what each further part adds, until nothing changes."""
    if not isinstance(query, exp.Union) or query.args.get("by_name") or unsupported_part(query, _SET_PARTS):
        return incomplete("this recursive CTE is not supported")
    env = _with_ctes(query, env)
    unsettled = {**env.ctes, name: incomplete(f"{name} is defined by itself")}
    current = _named(query_output(query.this, replace(env, ctes=unsettled)), cte, env)
    for _ in range(2 * len(current.facts) + 2):
        if current.incomplete:
            return current
        further = query_output(query.expression, replace(env, ctes={**env.ctes, name: current}))
        joined = _by_position(current, further)
        if [fact.nullable for fact in joined.facts] == [fact.nullable for fact in current.facts]:
            same = all(a.family == b.family for a, b in zip(joined.facts, current.facts, strict=True))
            if same:
                return joined
        current = joined
    return incomplete("this recursive CTE does not settle")


def _set_operation(query: exp.SetOperation, env: Env) -> Output:  # noqa: PLR0911  (one a case)
    """Two queries, one above the other."""
    part = unsupported_part(query, _SET_PARTS)
    if part is not None:
        return incomplete(f"a set operation with {part.upper()} is not supported")
    left, right = query_output(query.this, env), query_output(query.expression, env)
    if query.args.get("by_name"):
        return (
            _by_name(left, right, env) if isinstance(query, exp.Union) else incomplete("BY NAME is not supported here")
        )
    if isinstance(query, exp.Union):
        return _by_position(left, right)
    if left.incomplete or len(left.facts) != len(right.facts):
        return incomplete("the parts of a set operation differ in their columns") if not left.incomplete else left
    if isinstance(query, exp.Intersect):
        facts = [
            replace(theirs, family=None) if theirs.nullable is False else ours
            for ours, theirs in zip(left.facts, right.facts, strict=True)
        ]
        return replace(left, facts=tuple(facts), label="")
    if isinstance(query, exp.Except):
        return replace(left, label="")
    return incomplete(f"{query.key} is not supported")


def _by_position(left: Output, right: Output) -> Output:
    """What comes from one of two queries, column by column."""
    if left.incomplete or right.incomplete:
        return incomplete((left.incomplete or right.incomplete)[0])
    if len(left.facts) != len(right.facts):
        return incomplete("the parts of a set operation differ in their number of columns")
    facts = tuple(one_of([ours, theirs]) for ours, theirs in zip(left.facts, right.facts, strict=True))
    return Output(left.names, facts)


def _by_name(left: Output, right: Output, env: Env) -> Output:
    """UNION BY NAME: a column that one part does not have is NULL in its rows."""
    if left.incomplete or right.incomplete:
        return incomplete((left.incomplete or right.incomplete)[0])
    key = env.project.dialect.declared_key
    ours = {key(name): fact for name, fact in zip(left.names, left.facts, strict=True)}
    theirs = {key(name): fact for name, fact in zip(right.names, right.facts, strict=True)}
    if len(ours) < len(left.facts) or len(theirs) < len(right.facts):
        return incomplete("UNION BY NAME of columns that share a name")
    names = [*left.names, *(name for name in right.names if key(name) not in ours)]
    absent = can_be_null("UNION BY NAME fills a column that one part does not have", families.NULL)
    facts = [one_of([ours.get(key(name), absent), theirs.get(key(name), absent)]) for name in names]
    return Output(tuple(names), tuple(facts))


@evaluates(exp.Subquery, exp.Select, exp.Union, exp.Intersect, exp.Except)
def _scalar(node: exp.Expr, env: Env) -> Fact:
    """A subquery in the place of a value: NULL where it returns no row."""
    output = query_output(node, env)
    if output.incomplete or len(output.facts) != 1:
        reasons = output.incomplete or ("it returns several columns",)
        return unknown("it is not known whether a subquery's value can be NULL", because=reasons)
    fact = output.facts[0]
    if _returns_one_row(node, env):
        return fact
    if fact.nullable is None:
        return fact
    return can_be_null("a subquery's value is NULL where it returns no row", fact.family, fact.reasons)


def _returns_one_row(query: exp.Expr, env: Env) -> bool:
    """Whether a query always returns exactly one row."""
    query = query.unnest()
    if not isinstance(query, exp.Select) or query.args.get("with_") is not None:
        return False
    if any(query.args.get(name) for name in ("group", "having", "qualify", "limit", "offset", "laterals", "sample")):
        return False
    items = query.expressions
    if any(
        isinstance(node, (exp.Explode, exp.Unnest, exp.ExplodingGenerateSeries)) for i in items for node in i.walk()
    ):
        return False
    if any(aggregates(item, env.project.dialect.name) for item in items):
        return True
    return query.args.get("from_") is None and query.args.get("where") is None


@evaluates(exp.Any, exp.All)
def _elements(node: exp.Expr, env: Env) -> Fact:
    """What ANY and ALL compare with: NULL where one of the values is."""
    inner = node.this.unnest() if not isinstance(node.this, exp.Query) else node.this
    if isinstance(inner, exp.Query):
        return _column_of(inner, env)
    array = evaluate(inner, env)
    if array.element is None or array.nullable is not False:
        return unknown("it is not known whether an array has NULL elements")
    return array.element


def _column_of(query: exp.Expr, env: Env) -> Fact:
    """What the only column of a subquery can be."""
    output = query_output(query, env)
    if output.incomplete or len(output.facts) != 1:
        return unknown("it is not known whether a subquery returns NULL", because=output.incomplete)
    return output.facts[0]


@evaluates(exp.In)
def _in(node: exp.In, env: Env) -> Fact:
    """IN, with a list or a subquery."""
    facts = [evaluate(node.this, env)]
    query = node.args.get("query")
    if query is not None:
        facts.append(_column_of(query, env))
    elif node.expressions:
        facts += [evaluate(item, env) for item in node.expressions]
    else:
        return unknown(f"it is not known whether {described(node, env)} can be NULL", families.BOOLEAN)
    fact = compared(facts, env)
    return strict([fact], families.BOOLEAN)
