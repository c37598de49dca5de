"""Models that read each other: their circles, and the order in which they can be worked out."""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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
