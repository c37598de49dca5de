"""The columns that an expression can see, and what is known of them where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from dagster_contracts.sql.nullability.fact import Fact, can_be_null, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlglot import exp

    from dagster_contracts.sql.nullability.dialects import Dialect
    from dagster_contracts.sql.relation import Relation

Known: TypeAlias = frozenset[object]
NOTHING: Known = frozenset()


@dataclass(eq=False, slots=True)
class Extension:
    """One side of an outer join, whose rows are NULL throughout where the other side found no match.

    Args:
        reason: Which join it is.
        implies: What is known wherever the side's row is a real one.
    """

    reason: str
    implies: Known


@dataclass(eq=False, slots=True)
class Slot:
    """One column of one relation in a FROM clause.

    Args:
        name: The column's name.
        key: The name as it is compared.
        label: What a person calls it.
        fact: What is known of it where its row is a real one.
        extensions: The outer joins that may replace its row by NULLs.
    """

    name: str
    key: str
    label: str
    fact: Fact
    extensions: list[Extension] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Output:
    """What a query or a table returns.

    Args:
        names: The columns' names.
        facts: What is known of each.
        incomplete: Why the columns are not all known, if they are not; empty otherwise.
        label: What a person calls it.
    """

    names: tuple[str, ...]
    facts: tuple[Fact, ...]
    incomplete: tuple[str, ...] = ()
    label: str = ""


@dataclass(eq=False, slots=True)
class Source:
    """One relation in a FROM clause.

    Args:
        key: The name that qualifies its columns, as it is compared; empty if it has none.
        slots: Its columns.
        incomplete: Why its columns are not all known, if they are not.
    """

    key: str
    slots: list[Slot]
    incomplete: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """A FROM clause, or one part of it.

    Args:
        sources: Its relations, from left to right.
        merged: Its columns that USING or NATURAL has merged, by the name as it is compared.
        known: What holds of every row that it returns.
        visible: What `*` stands for.
    """

    sources: tuple[Source, ...] = ()
    merged: Mapping[str, Slot] = field(default_factory=dict)
    known: Known = NOTHING
    visible: tuple[Slot, ...] = ()

    def every_slot(self) -> set[Slot]:
        """All columns, merged ones included."""
        return {slot for source in self.sources for slot in source.slots} | set(self.merged.values())

    def incomplete(self) -> tuple[str, ...]:
        """Why it may have columns that are not known, if it may."""
        return next((source.incomplete for source in self.sources if source.incomplete), ())


@dataclass(frozen=True, slots=True)
class Project:
    """What stays the same in the whole of one query.

    Args:
        dialect: What differs from dialect to dialect.
        tables: What the tables return, by their dotted name.
        text: The query's text, if it is known.
    """

    dialect: Dialect
    tables: Mapping[str, Relation]
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Env:
    """Where an expression stands.

    Args:
        project: What stays the same in the whole query.
        scope: The FROM clause of its SELECT.
        known: What is not NULL here: columns, outer joins' sides, and expressions by their key.
        parent: Where the subquery that it is in stands.
        ctes: The queries of WITH clauses around it.
        aliases: The SELECT items that it can call by name.
        rows: Where the arguments of aggregates are evaluated; `None` outside of an aggregating SELECT.
        peers: Where the arguments of window functions are evaluated; `None` for the same place.
        windows: The windows that the SELECT names.
        can_be_empty: Whether a group can have no rows.
        nulled: The columns and expressions that ROLLUP, CUBE or GROUPING SETS leave out in some of the rows.
        prefers_alias: Whether a name that is both a column's and an alias's is ambiguous here.
        knows_expressions: Whether something is known or left out that is no column.
    """

    project: Project
    scope: Scope = field(default_factory=Scope)
    known: Known = NOTHING
    parent: Env | None = None
    ctes: Mapping[str, Output] = field(default_factory=dict)
    aliases: Mapping[str, tuple[int, exp.Expr]] = field(default_factory=dict)
    rows: Env | None = None
    peers: Env | None = None
    windows: Mapping[str, exp.Expr] = field(default_factory=dict)
    can_be_empty: bool = False
    nulled: Known = NOTHING
    prefers_alias: bool = False
    knows_expressions: bool = False

    def knowing(self, more: Known) -> Env:
        """The same place, where more is known."""
        if more <= self.known:
            return self
        knows_expressions = self.knows_expressions or any(isinstance(key, tuple) for key in more)
        return replace(self, known=self.known | more, knows_expressions=knows_expressions)

    def sees_outside(self) -> bool:
        """Whether a name can stand for a column of a query around this one."""
        outer = self.parent
        while outer is not None:
            if outer.scope.sources:
                return True
            outer = outer.parent
        return False

    def columns_known(self) -> Known:
        """What is known of columns alone: an expression of the same words can be another one elsewhere."""
        return frozenset(key for key in self.known if not isinstance(key, tuple))

    def with_aliases(self, aliases: Mapping[str, tuple[int, exp.Expr]]) -> Env:
        """The same place, where other SELECT items can be called by name."""
        return replace(self, aliases=aliases)


def closure(keys: Iterable[object]) -> Known:
    """Everything that follows from these: a column that is not NULL makes its outer joins' sides real, and so on."""
    found: set[object] = set()
    stack = list(keys)
    while stack:
        key = stack.pop()
        if key in found:
            continue
        found.add(key)
        if isinstance(key, Slot):
            stack.extend(key.extensions)
        elif isinstance(key, Extension):
            stack.extend(key.implies)
    return frozenset(found)


def slot_fact(slot: Slot, known: Known, nulled: Known = NOTHING) -> Fact:
    """What is known of a column where these are not NULL, and those are left out in some rows."""
    fact = slot.fact
    if slot in known:
        return Fact(nullable=False, family=fact.family, element=fact.element)
    if slot in nulled:
        return can_be_null(f"{slot.label} is NULL in the subtotals of GROUP BY", fact.family)
    for extension in reversed(slot.extensions):
        if extension not in known:
            return can_be_null(f"{slot.label} can be NULL after {extension.reason}", fact.family)
    if fact.nullable:
        return can_be_null(f"{slot.label} can be NULL", fact.family, fact.reasons)
    if fact.nullable is None:
        return unknown(f"it is not known whether {slot.label} can be NULL", fact.family, fact.reasons)
    return fact
