"""SELECT: what its items can be after FROM, WHERE, GROUP BY, HAVING and QUALIFY."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.evaluate import described, evaluate
from dagster_contracts.sql.nullability.evidence import true_of, value_of
from dagster_contracts.sql.nullability.from_clause import read_from
from dagster_contracts.sql.nullability.grouping import Grouping, read_grouping
from dagster_contracts.sql.nullability.scope import NOTHING, Env, Output
from dagster_contracts.sql.nullability.star import expanded, is_star

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.sql.nullability.fact import Fact

    Query = Callable[[exp.Expr, Env], Output]

_PARTS = frozenset(
    [
        *("expressions", "from_", "joins", "laterals", "where", "group", "having", "qualify", "windows", "distinct"),
        *(
            "order",
            "limit",
            "offset",
            "with_",
            "hint",
            "sample",
            "cluster",
            "distribute",
            "sort",
            "operation_modifiers",
        ),
    ]
)


def unsupported_part(node: exp.Expr, parts: frozenset[str]) -> str | None:
    """The first part of a query that is none of these."""
    return next((name for name, value in node.args.items() if value and name not in parts), None)


def select_output(select: exp.Select, outer: Env, query: Query) -> Output:
    """What a SELECT returns.

    Args:
        select: The SELECT.
        outer: Where it stands: the queries around it and their CTEs.
        query: What a subquery returns.

    Returns:
        Its columns; incomplete where they are not all known.
    """
    part = unsupported_part(select, _PARTS)
    if part is not None:
        return Output((), (), (f"{part.strip('_').upper()} is not supported",))
    env = final_env(select, outer, query)
    names: list[str] = []
    facts: list[Fact] = []
    for position, item in enumerate(select.expressions):
        if is_star(item):
            columns = expanded(item, env)
            if columns.incomplete:
                return columns
            names += columns.names
            facts += columns.facts
            continue
        if isinstance(item, (exp.Columns, exp.Aliases)) or _expands(item, env):
            return Output((), (), (f"it is not known which columns {described(item, env)} returns",))
        names.append(_name(item, position, env))
        facts.append(evaluate(item, _at(env, position)))
    return Output(tuple(names), tuple(facts))


def final_env(select: exp.Select, outer: Env, query: Query) -> Env:
    """Where the items of a SELECT stand: all that its clauses say is known there."""
    scope = read_from(select, outer, query)
    dialect = outer.project.dialect
    aliases = {
        dialect.key(item.args["alias"]): (position, item.this)
        for position, item in enumerate(select.expressions)
        if isinstance(item, exp.Alias) and item.args.get("alias")
    }
    windows = {
        dialect.key(window.this): window
        for window in select.args.get("windows") or ()
        if isinstance(window, exp.Window)
    }
    reused = aliases if dialect.reuses_aliases else {}
    rows = Env(outer.project, scope, NOTHING, outer, outer.ctes, reused, windows=windows)
    rows = rows.knowing(outer.columns_known() | scope.known)
    where = select.args.get("where")
    if where is not None:
        rows = rows.knowing(true_of(where.this, rows))
    grouping = read_grouping(select, rows, aliases)
    peers = _grouped(rows, grouping) if grouping.aggregates else rows
    named = replace(peers, aliases=aliases, prefers_alias=True)
    having, qualify = select.args.get("having"), select.args.get("qualify")
    if having is not None:
        known = true_of(having.this, named)
        peers, named = peers.knowing(known), named.knowing(known)
    peers = replace(peers, rows=peers.rows or rows)
    exploding = [item.unalias() for item in select.expressions if isinstance(item.unalias(), (exp.Explode, exp.Unnest))]
    if len(exploding) == 1 and exploding[0].this is not None:
        final = peers.knowing(value_of(exploding[0].this, peers))
        return replace(final, peers=peers) if qualify is None else peers
    if qualify is not None:
        return replace(peers.knowing(true_of(qualify.this, replace(named, rows=peers.rows, peers=peers))), peers=peers)
    return replace(peers, peers=peers)


def _grouped(rows: Env, grouping: Grouping) -> Env:
    """The same place after GROUP BY."""
    return replace(
        rows,
        known=(rows.columns_known() - grouping.nulled) if grouping.nulled else rows.known,
        rows=rows,
        can_be_empty=grouping.can_be_empty,
        nulled=grouping.nulled,
        knows_expressions=rows.knows_expressions or bool(grouping.nulled),
    )


def _at(env: Env, position: int) -> Env:
    """Where one SELECT item stands: it sees the aliases before it."""
    if not env.aliases:
        return env
    aliases = {name: alias for name, alias in env.aliases.items() if alias[0] < position}
    return env.with_aliases(aliases) if len(aliases) < len(env.aliases) else env


def _name(item: exp.Expr, position: int, env: Env) -> str:
    """The name of a SELECT item; its position, where the query does not name it."""
    named = (
        item.args.get("alias") if isinstance(item, exp.Alias) else item.this if isinstance(item, exp.Column) else None
    )
    return env.project.dialect.shown(named) if named is not None else f"column {position + 1}"


def _expands(item: exp.Expr, env: Env) -> bool:
    """Whether a SELECT item may return several columns, as UNNEST of a struct does."""
    inner = item.unalias()
    if isinstance(inner, (exp.Column, exp.Literal)):
        return False
    if isinstance(inner, (exp.Explode, exp.Unnest)):
        array = inner.this if isinstance(inner, exp.Explode) else inner.expressions[0]
        return bool(inner.expressions[isinstance(inner, exp.Unnest) :]) or evaluate(array, env).family != families.ARRAY
    return isinstance(inner, exp.UDTF) or any(isinstance(node, exp.Columns) for node in inner.walk())
