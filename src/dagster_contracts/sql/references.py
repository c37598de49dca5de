"""The tables that a query reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.config import SENSITIVE

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Reference:
    """A table that a query reads.

    Args:
        written: Its dotted name as it is written.
        folded: The same as the dialect folds it.
        parts: How many parts the name has.
        position: The first character of the name in the model's text and one past its last, where known.
    """

    written: str
    folded: str
    parts: int
    position: tuple[int, int] | None = None


def find_references(query: exp.Query, dialect: str) -> tuple[Reference, ...]:
    """The tables that a query reads, each once, in the order of the text; its own CTEs are none.

    Args:
        query: The query.
        dialect: Its dialect.
    """
    found: dict[str, Reference] = {}
    for table in _tables(query, dialect):
        reference = _reference(table, dialect)
        found.setdefault(reference.folded, reference)
    return tuple(found.values())


def fold(identifier: exp.Expr, dialect: str) -> str:
    """A name as it is compared: in quotes it keeps its letters where the dialect looks at them."""
    name = identifier.name
    if dialect not in SENSITIVE:
        return name.lower()
    if isinstance(identifier, exp.Identifier) and identifier.args.get("quoted"):
        return name
    return name.upper() if dialect == "snowflake" else name.lower()


def _tables(query: exp.Expr, dialect: str) -> Iterator[exp.Table]:
    """Every table that is no CTE: those are seen by their own query, by later ones, and by themselves if recursive."""
    pending: list[tuple[exp.Expr, frozenset[str]]] = [(query, frozenset())]
    while pending:
        node, ctes = pending.pop()
        if isinstance(node, exp.Table):
            is_name = isinstance(node.this, exp.Identifier)
            if is_name and not (len(node.parts) == 1 and fold(node.this, dialect) in ctes):
                yield node
        inside: list[tuple[exp.Expr, frozenset[str]]] = []
        clause = node.args.get("with_") or node.args.get("with")
        if isinstance(clause, exp.With):
            for cte in clause.expressions:
                name = fold(cte.args["alias"].this, dialect)
                inside.append((cte, ctes | {name} if clause.recursive else ctes))
                ctes |= {name}
        inside += [(child, ctes) for child in node.iter_expressions() if child is not clause]
        pending += reversed(inside)


def _reference(table: exp.Table, dialect: str) -> Reference:
    parts = table.parts
    places = [(part.meta["start"], part.meta["end"] + 1) for part in parts if "start" in part.meta]
    return Reference(
        written=".".join(part.name for part in parts),
        folded=".".join(fold(part, dialect) for part in parts),
        parts=len(parts),
        position=(places[0][0], places[-1][1]) if places else None,
    )
