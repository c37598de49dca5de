"""How reading one query ends when its output cannot be told: the query is wrong, or it cannot be known."""

from __future__ import annotations

from typing import Literal, TypeAlias

from dagster_contracts.errors import SqlModelError

QueryErrorCode: TypeAlias = Literal[
    "syntax",
    "unknown-column",
    "ambiguous-column",
    "unknown-relation",
    "column-count",
    "type-error",
    "invalid",
]


class QueryError(SqlModelError):
    """The query itself is wrong: no engine of its dialect would run it.

    Args:
        code: What kind of mistake it is.
        message: What is wrong, in one or a few sentences.
        position: The first character and one past the last of what is wrong in the model's text, from 0, where known.
    """

    def __init__(self, code: QueryErrorCode, message: str, position: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.position = position


class UnknownOutputError(SqlModelError):
    """What the query returns cannot be known without more than its text and the tables that are declared.

    Args:
        reasons: Why, outermost first.
    """

    def __init__(self, *reasons: str) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


class RefusedQueryError(UnknownOutputError):
    """The engine refuses the query as far as the check can see: it calls what only the real database may have.

    Args:
        reason: Why.
        position: What is refused in the model's text, as `QueryError` has it, where known.
    """

    def __init__(self, reason: str, position: tuple[int, int] | None = None) -> None:
        super().__init__(reason)
        self.position = position
