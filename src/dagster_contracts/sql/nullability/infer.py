"""The pass over a whole query: what each column that it returns can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

# These say what expressions can be, each for its kinds of nodes.
from dagster_contracts.sql.nullability import aggregates, choices, conversions, functions, operators, windows  # noqa: F401
from dagster_contracts.sql.nullability.dialects import dialect_named
from dagster_contracts.sql.nullability.queries import query_output
from dagster_contracts.sql.nullability.scope import Env, Project
from dagster_contracts.sql.nullability.star import is_star
from dagster_contracts.sql.select_list import item_places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.sql.relation import Relation


@dataclass(frozen=True)
class NullColumn:
    """Whether one column that a query returns can be NULL.

    Args:
        name: The column's name; its position, where the query does not name it.
        nullable: False where it is proved that it is never NULL, true where it can be as far as the query tells, `None`
            where neither is known.
        reasons: Why it can be NULL, or why that is not known, outermost first.
        position: Where its SELECT item is in the query's text, from its first character to after its last one.
    """

    name: str
    nullable: bool | None
    reasons: tuple[str, ...] = ()
    position: tuple[int, int] | None = None


def infer_nullability(
    query: exp.Query, *, dialect: str, tables: Mapping[str, Relation], text: str | None = None
) -> tuple[NullColumn, ...]:
    """Works out which columns of a query can be NULL, without data.

    Args:
        query: The query as sqlglot has parsed it. It is not changed.
        dialect: The dialect that it is written in.
        tables: What the tables that it reads return, by their dotted name as the dialect folds it.
        text: The text that the query was parsed from, for the lines of joins.

    Returns:
        Its columns, in order. Where their number is not known: one column named `*` of which nothing is known.
    """
    facts = dialect_named(dialect)
    if facts is None:
        return (NullColumn("*", None, (f"nothing is known about NULLs in {dialect}",)),)
    output = query_output(query, Env(Project(facts, tables, text)))
    if output.incomplete:
        return (NullColumn("*", None, output.incomplete),)
    positions = _positions(query, len(output.facts), text, dialect)
    return tuple(
        NullColumn(name, fact.nullable, fact.reasons, position)
        for name, fact, position in zip(output.names, output.facts, positions, strict=True)
    )


def _positions(query: exp.Expr, count: int, text: str | None, dialect: str) -> list[tuple[int, int] | None]:
    """Where each column's SELECT item is, in the first SELECT of a set operation."""
    while not isinstance(query, exp.Select):
        if not isinstance(query, (exp.Subquery, exp.SetOperation)):
            return [None] * count
        query = query.this
    places = _places(query.expressions, text, dialect)
    stars = [index for index, item in enumerate(query.expressions) if is_star(item)]
    if len(places) == count and not stars:
        return places
    if len(stars) != 1:
        return [None] * count
    middle = [places[stars[0]]] * (count - len(places) + 1)
    return [*places[: stars[0]], *middle, *places[stars[0] + 1 :]]


def _places(items: list[exp.Expr], text: str | None, dialect: str) -> list[tuple[int, int] | None]:
    """Where items are; where one is no mere name, the text is asked where it begins and ends."""
    if text is not None and not all(isinstance(item.unalias(), exp.Column) and not is_star(item) for item in items):
        found = item_places(text, dialect)
        if len(found) == len(items):
            return list(found)
    return [_position(item) for item in items]


def _position(item: exp.Expr) -> tuple[int, int] | None:
    """From the first to the last word of an item that sqlglot knows the place of."""
    start, end = -1, -1
    for node in item.walk():
        meta = node._meta  # noqa: SLF001
        if meta and "start" in meta:
            start = meta["start"] if start < 0 or meta["start"] < start else start
            end = max(end, meta["end"])
    return (start, end + 1) if start >= 0 else None
