"""What is known about one value: whether it can be NULL, why, and what kind of value it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from dagster_contracts.sql.nullability.families import common_family

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_REASONS = 12


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known about one value.

    Args:
        nullable: False where it is proved that it is never NULL, true where it can be, `None` where neither is known.
        reasons: Why it can be NULL or why that is not known, outermost first; empty where it is never NULL.
        family: Its kind of type as `families.py` names them, or `None` where it is not known.
        element: Of an array, what is known about each of its elements, if anything.
    """

    nullable: bool | None
    reasons: tuple[str, ...] = ()
    family: str | None = None
    element: Fact | None = None


@cache
def not_null(family: str | None = None) -> Fact:
    """A value that is never NULL."""
    return Fact(nullable=False, family=family)


def can_be_null(reason: str, family: str | None = None, because: tuple[str, ...] = ()) -> Fact:
    """A value that can be NULL for a reason that may have reasons of its own."""
    return Fact(nullable=True, reasons=(reason, *because)[:MAX_REASONS], family=family)


def unknown(reason: str, family: str | None = None, because: tuple[str, ...] = ()) -> Fact:
    """A value of which it is not known whether it can be NULL."""
    return Fact(nullable=None, reasons=(reason, *because)[:MAX_REASONS], family=family)


def strict(facts: Iterable[Fact], family: str | None = None) -> Fact:
    """A value that is NULL exactly where one of these is."""
    undecided = None
    for fact in facts:
        if fact.nullable:
            return Fact(nullable=True, reasons=fact.reasons, family=family)
        if fact.nullable is None and undecided is None:
            undecided = fact
    return not_null(family) if undecided is None else Fact(None, undecided.reasons, family)


def first_not_null(facts: list[Fact]) -> Fact:
    """A value that is NULL only where all of these are."""
    family = common_family(fact.family for fact in facts)
    undecided = None
    for fact in facts:
        if fact.nullable is False:
            return not_null(family)
        if fact.nullable is None and undecided is None:
            undecided = fact
    if undecided is not None:
        return Fact(None, undecided.reasons, family)
    return Fact(nullable=True, reasons=facts[0].reasons if facts else (), family=family)


def one_of(facts: list[Fact]) -> Fact:
    """A value that is one of these."""
    family = common_family(fact.family for fact in facts)
    worst = strict(facts, family)
    elements = [fact.element for fact in facts]
    known = [element for element in elements if element is not None]
    return replace(worst, element=one_of(known)) if known and len(known) == len(elements) else worst
