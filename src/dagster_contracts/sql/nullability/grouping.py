"""GROUP BY: whether a group can be without rows, and what subtotals leave out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability.evaluate import AliasUse, expression_key, resolve
from dagster_contracts.sql.nullability.function_table import function_of
from dagster_contracts.sql.nullability.scope import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dagster_contracts.sql.nullability.scope import Env, Known

_SUBTOTALS = (exp.Rollup, exp.Cube, exp.GroupingSets)


@dataclass(frozen=True, slots=True)
class Grouping:
    """What GROUP BY does.

    Args:
        aggregates: Whether the SELECT aggregates at all.
        can_be_empty: Whether a group can be without rows.
        nulled: The columns and expressions that are NULL in some subtotals.
    """

    aggregates: bool
    can_be_empty: bool = False
    nulled: Known = NOTHING


def read_grouping(select: exp.Select, rows: Env, aliases: Mapping[str, tuple[int, exp.Expr]]) -> Grouping:
    """What the GROUP BY of a SELECT does; without one, aggregates see all rows or none."""
    group = select.args.get("group")
    dialect = rows.project.dialect.name
    if group is None:
        having = select.args.get("having")
        parts = [*select.expressions, *([having] if having is not None else [])]
        return Grouping(any(aggregates(part, dialect) for part in parts), can_be_empty=True)
    if any(
        value and name not in {"expressions", "all", "rollup", "cube", "grouping_sets"}
        for name, value in group.args.items()
    ):
        return Grouping(aggregates=True, can_be_empty=True)
    is_all = group.args.get("all") is True
    listed = [one for one in select.expressions if not aggregates(one, dialect)] if is_all else group.expressions
    subtotals: list[exp.Expr] = [node for node in listed if isinstance(node, _SUBTOTALS)]
    keys = [node.unalias() for node in listed if not isinstance(node, _SUBTOTALS)]
    trailing = [one for name in ("rollup", "cube", "grouping_sets") for one in _trailing(group.args.get(name))]
    # `GROUP BY a, b WITH ROLLUP` and `GROUP BY a, b GROUPING SETS (…)`: the keys are what the subtotals are of.
    subtotals += [one if one.expressions else exp.Rollup(expressions=[key.copy() for key in keys]) for one in trailing]
    if is_all and not subtotals:
        return Grouping(aggregates=True, can_be_empty=not any(_has_column(key, rows) for key in keys))
    with_rollup = any(not one.expressions for one in trailing)
    is_keyed = not with_rollup and any(not (isinstance(node, exp.Tuple) and not node.expressions) for node in keys)
    empty = not is_keyed and (not subtotals or any(_has_total(node) for node in subtotals))
    nulled: set[object] = set()
    for node in subtotals:
        for expression in _parts(node):
            nulled |= _nulled(expression, select, rows, aliases)
    return Grouping(aggregates=True, can_be_empty=empty, nulled=frozenset(nulled))


def _trailing(value: object) -> list[exp.Expr]:
    """The subtotals that a GROUP BY says after its keys; `True` where it says only that there are some."""
    if isinstance(value, list):
        return value
    return [exp.Rollup()] if value is True else []


def aggregates(node: exp.Expr, dialect: str) -> bool:
    """Whether an expression has an aggregate of its own query in it, outside of windows."""
    if isinstance(node, exp.Query):
        return False
    if isinstance(node, exp.Window):
        inner = node.this.this if isinstance(node.this, exp.Filter) else node.this
        return any(aggregates(child, dialect) for child in inner.iter_expressions()) or any(
            aggregates(child, dialect) for child in node.iter_expressions() if child is not node.this
        )
    function = function_of(node, dialect)
    if function.aggregates if function is not None else isinstance(node, (exp.AggFunc, exp.AnonymousAggFunc)):
        return True
    return any(aggregates(child, dialect) for child in node.iter_expressions())


def _has_column(node: exp.Expr, rows: Env) -> bool:
    """Whether an expression has a column of the query's own relations in it."""
    if node.find(exp.Star) is not None:
        return True
    return any(isinstance(resolve(column, rows), tuple) for column in node.find_all(exp.Column))


def _has_total(node: exp.Expr) -> bool:
    """Whether subtotals have a grand total, which is there even without rows."""
    if not isinstance(node, exp.GroupingSets):
        return True
    return any(
        isinstance(item, (exp.Rollup, exp.Cube)) or (isinstance(item, exp.Tuple) and not item.expressions)
        for item in node.expressions
    )


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The expressions that subtotals leave out in some rows."""
    if isinstance(node, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)):
        for item in node.expressions:
            yield from _parts(item)
    elif isinstance(node, exp.Paren):
        yield from _parts(node.this)
    else:
        yield node


def _nulled(node: exp.Expr, select: exp.Select, rows: Env, aliases: Mapping[str, tuple[int, exp.Expr]]) -> set[object]:
    """The keys of an expression that subtotals leave out: by itself, by its position, by its alias."""
    if isinstance(node, exp.Literal) and node.is_int and 0 < int(node.name) <= len(select.expressions):
        node = select.expressions[int(node.name) - 1].unalias()
    found: set[object] = set()
    candidates = [node]
    if isinstance(node, exp.Column):
        alias = aliases.get(rows.project.dialect.key(node.this))
        candidates += [alias[1]] if alias is not None else []
    for candidate in candidates:
        key = expression_key(candidate, rows)
        if key is not None:
            found.add(key)
        if isinstance(candidate, exp.Column):
            resolved = resolve(candidate, rows)
            if isinstance(resolved, tuple):
                found.add(resolved[0])
            elif isinstance(resolved, AliasUse):
                found |= _nulled(resolved.expression, select, rows, {})
    return found
