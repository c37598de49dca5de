"""What a table or a model's output looks like, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagster_contracts.contract.types import Type
    from dagster_contracts.diagnostics.finding import Span


@dataclass(frozen=True)
class Column:
    """One column of a table or of a model's output.

    Args:
        name: The column's name, as its dialect folds it.
        type: Its type, or `None` where it could not be worked out.
        nullable: False where it is proved that it is never NULL, true where it can be, `None` where neither is known.
        reasons: Why it can be NULL or why that is not known, outermost first.
        type_reasons: Why the type is not known.
        span: The SELECT item or the declaration that it comes from.
        doubts: Why it is not certain that the column is there: it comes from a table that nobody knows.
    """

    name: str
    type: Type | None
    nullable: bool | None
    reasons: tuple[str, ...] = ()
    type_reasons: tuple[str, ...] = ()
    span: Span | None = None
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Relation:
    """A table, or what a model returns.

    Args:
        name: The name that SQL calls it by, dots included.
        columns: The columns, in order.
    """

    name: str
    columns: tuple[Column, ...]

    @cached_property
    def column_names(self) -> list[str]:
        """The columns' names, in order."""
        return [column.name for column in self.columns]
