"""One output column and its type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagster_contracts.contract.types import Type


@dataclass(frozen=True)
class TypedColumn:
    """One column that a query returns.

    Args:
        name: Its name, as the dialect folds it.
        type: Its type; `None` where it is not known. A `Decimal` without digits has digits that are not known.
        reasons: Why the type, or its digits, are not known, outermost first.
    """

    name: str
    type: Type | None
    reasons: tuple[str, ...] = ()
