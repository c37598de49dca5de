"""What changed between two states of a project, and whether those who read it can live with that."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from dagster_contracts.contract.types import matches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dagster_contracts.sql.relation import Column, Relation


class Grade(Enum):
    """What a change means for those who read the model."""

    BREAKING = "breaking"
    COMPATIBLE = "compatible"
    NOT_VERIFIED = "not verified"


@dataclass(frozen=True)
class Change:
    """One change.

    Args:
        model: The model's name.
        column: The column, as it was called before; `None` where the whole model is meant.
        grade: What it means for those who read it.
        message: What changed, in words.
    """

    model: str
    column: str | None
    grade: Grade
    message: str


def find_changes(before: Mapping[str, Relation | None], after: Mapping[str, Relation | None]) -> list[Change]:
    """Compare two states of a project.

    Args:
        before: What each model returned; `None` where that is not known.
        after: What it returns now.

    Returns:
        The changes, by model and then in the order of the columns.
    """
    found: list[Change] = []
    for name in sorted({*before, *after}):
        if name not in after:
            found.append(Change(name, None, Grade.BREAKING, "the model was dropped"))
        elif name not in before and after[name] is None:
            message = "it is not known what the model returned before, and its columns are not known now"
            found.append(Change(name, None, Grade.NOT_VERIFIED, message))
        elif name not in before:
            found.append(Change(name, None, Grade.COMPATIBLE, "the model was added"))
        else:
            found += _model(name, before[name], after[name])
    return found


def _model(name: str, before: Relation | None, after: Relation | None) -> Iterator[Change]:
    if before is None or after is None:
        when = "before" if before is None else "now"
        if before is not after:
            yield Change(name, None, Grade.NOT_VERIFIED, f"its columns are not known {when}")
        return
    old = {column.name.lower(): column for column in before.columns}
    new = {column.name.lower(): column for column in after.columns}
    renamed = _renamed(before, after)
    for column in before.columns:
        key = column.name.lower()
        if key in new:
            yield from _column(name, column, new[key])
        elif key in renamed:
            other = renamed[key].name
            yield Change(name, column.name, Grade.BREAKING, f"`{column.name}` was renamed to `{other}`")
        else:
            yield Change(name, column.name, Grade.BREAKING, f"`{column.name}` was dropped")
    taken = {column.name.lower() for column in renamed.values()}
    for column in after.columns:
        if column.name.lower() not in old and column.name.lower() not in taken:
            yield Change(name, column.name, Grade.COMPATIBLE, f"`{column.name}` was added")


def _renamed(before: Relation, after: Relation) -> dict[str, Column]:
    """Columns that are gone, each with the new one that stands in its place and is like it."""
    old, new = ({column.name.lower() for column in side.columns} for side in (before, after))
    if len(before.columns) != len(after.columns):
        return {}
    return {
        one.name.lower(): other
        for one, other in zip(before.columns, after.columns, strict=True)
        if one.name.lower() not in new
        and other.name.lower() not in old
        and one.type is not None
        and (one.type, one.nullable) == (other.type, other.nullable)
    }


def _column(model: str, before: Column, after: Column) -> Iterator[Change]:
    if before.name != after.name:
        message = f"`{before.name}` is spelled `{after.name}` now"
        yield Change(model, before.name, Grade.NOT_VERIFIED, f"{message}; whether that is the same is up to the engine")
    yield from _type(model, before, after)
    if before.nullable is after.nullable:
        return
    if before.nullable is None or after.nullable is None:
        when = "before" if before.nullable is None else "now"
        message = f"whether `{before.name}` can be NULL is not known {when}"
        yield Change(model, before.name, Grade.NOT_VERIFIED, message)
    elif after.nullable:
        yield Change(model, before.name, Grade.BREAKING, f"`{before.name}` became nullable")
    else:
        yield Change(model, before.name, Grade.COMPATIBLE, f"`{before.name}` became not null")


def _type(model: str, before: Column, after: Column) -> Iterator[Change]:
    if before.type == after.type:
        return
    if before.type is None or after.type is None:
        when = "before" if before.type is None else "now"
        yield Change(model, before.name, Grade.NOT_VERIFIED, f"the type of `{before.name}` is not known {when}")
        return
    is_wider = matches(after.type, before.type, assignable=True)
    words = f"from {before.type} to {after.type}"
    if is_wider is None:
        yield Change(model, before.name, Grade.NOT_VERIFIED, f"`{before.name}` went {words}")
    elif is_wider:
        yield Change(model, before.name, Grade.COMPATIBLE, f"`{before.name}` was widened {words}")
    else:
        is_narrower = matches(before.type, after.type, assignable=True)
        verb = "was narrowed" if is_narrower else "changed its type"
        yield Change(model, before.name, Grade.BREAKING, f"`{before.name}` {verb} {words}")
