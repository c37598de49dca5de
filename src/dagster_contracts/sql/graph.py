"""Which models and sources each model reads, and in which order that lets them be worked out."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SENSITIVE = ("postgres", "snowflake")


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


def find_cycles(reads: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """The models that read themselves through others, each with the shortest way back to itself.

    Args:
        reads: The models that each model reads.
    """
    return {name: _circle(name, members, reads) for members in _caught(reads) for name in sorted(members)}


def sort_models(reads: Mapping[str, Iterable[str]]) -> list[str]:
    """Models after the models that they read; those in or behind a circle are left out.

    Args:
        reads: The models that each model reads.
    """
    caught = {name for circle in _caught(reads) for name in circle}
    caught |= set(descendants(caught, reads))
    sorter = TopologicalSorter({name: sorted(reads[name]) for name in sorted(reads) if name not in caught})
    return list(sorter.static_order())


def descendants(names: Iterable[str], reads: Mapping[str, Iterable[str]]) -> list[str]:
    """The models that read these, directly or through others, nearest first.

    Args:
        names: The models to begin with.
        reads: The models that each model reads.
    """
    readers: dict[str, list[str]] = {}
    for name in sorted(reads):
        for read in reads[name]:
            readers.setdefault(read, []).append(name)
    start = set(names)
    found: dict[str, None] = {}
    queue = sorted(start)
    for name in queue:
        for reader in readers.get(name, ()):
            if reader not in found and reader not in start:
                found[reader] = None
                queue.append(reader)
    return list(found)


def _caught(reads: Mapping[str, Iterable[str]]) -> list[set[str]]:
    """The sets of models of which each reads itself through the others."""
    return [names for names in _components(reads) if len(names) > 1 or names & set(reads[min(names)])]


def _components(reads: Mapping[str, Iterable[str]]) -> list[set[str]]:
    """The strongly connected components, by Tarjan's algorithm without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[set[str]] = []
    for root in sorted(reads):
        work = [] if root in index else [(root, iter(sorted(reads[root])))]
        while work:
            name, following = work[-1]
            if name not in index:
                index[name] = low[name] = len(index)
                stack.append(name)
                on_stack.add(name)
            for other in following:
                if other not in index:
                    work.append((other, iter(sorted(reads.get(other, ())))))
                    break
                if other in on_stack:
                    low[name] = min(low[name], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    cut = stack.index(name)
                    found.append(set(stack[cut:]))
                    on_stack -= found[-1]
                    del stack[cut:]
    return found


def _circle(first: str, members: set[str], reads: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """The shortest way from a model back to itself."""
    ways: list[tuple[str, ...]] = [(first,)]
    seen: set[str] = set()
    for way in ways:
        for name in sorted(set(reads[way[-1]]) & members):
            if name == first:
                return way
            if name not in seen:
                seen.add(name)
                ways.append((*way, name))
    return (first,)
