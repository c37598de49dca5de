"""The tables that a query names, found in one walk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterator

# Nothing that is asked for stands inside of these, and most nodes are one of them.
_LEAVES = frozenset([exp.Boolean, exp.Column, exp.DataType, exp.Identifier, exp.Literal, exp.Null, exp.Star])


def tables_read(query: exp.Query) -> list[exp.Table]:
    """Find the tables that a query reads.

    Args:
        query: The parsed query.

    Returns:
        Its tables; without the names of its own WITH, where they stand for these.
    """
    tables: list[exp.Table] = []
    named: dict[str, list[exp.CTE]] = {}
    waiting: list[exp.Expr] = [query]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Table):
            tables.append(node)
        elif isinstance(node, exp.CTE):
            named.setdefault(node.alias.lower(), []).append(node)
        waiting += _parts(node)
    return [table for table in tables if not (named and _is_named_query(table, named))]


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """What a node is made of, without leaves."""
    for value in node.args.values():
        if value.__class__ is list:
            for one in value:
                if one.__class__ not in _LEAVES and hasattr(one, "args"):
                    yield one
        elif value.__class__ not in _LEAVES and hasattr(value, "args"):
            yield value


def _is_named_query(table: exp.Table, named: dict[str, list[exp.CTE]]) -> bool:
    """Whether a table is a WITH's query; inside of it, the name is a table's, unless it is recursive."""
    if len(table.parts) > 1:
        return False
    for cte in named.get(table.name.lower(), ()):
        inside = any(ancestor is cte for ancestor in _ancestors(table))
        if not inside or (cte.parent is not None and cte.parent.args.get("recursive")):
            return True
    return False


def _ancestors(node: exp.Expr) -> Iterator[exp.Expr]:
    """What stands around a node."""
    around = node.parent
    while around is not None:
        yield around
        around = around.parent
