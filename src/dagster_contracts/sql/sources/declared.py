"""What every form of a source's declaration becomes: relations with their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.errors import ContractsError
from dagster_contracts.sql.relation import Column

if TYPE_CHECKING:
    from dagster_contracts.contract.types import Type
    from dagster_contracts.diagnostics.finding import Span

UNDECLARED_NULL = "its source does not say whether it can be NULL"


class SourceError(ContractsError):
    """A declaration of sources cannot be read.

    Args:
        span: Where in it, if it is known.
    """

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


def declared_column(
    table: str,
    name: str,
    of: Type | None,
    *,
    nullable: bool | None,
    span: Span | None,
    why: str = "its source does not say its type",
) -> Column:
    """A source's column, with the reason for what is not declared or allows NULL.

    Args:
        table: The source's name.
        name: The column's name.
        of: Its type, if it is known.
        nullable: Whether it can be NULL, if that is known.
        span: Where it is declared.
        why: Why its type is not known.
    """
    reasons = {
        None: (f"{table}.{name}: {UNDECLARED_NULL}",),
        True: (f"{table}.{name} can be NULL, as its source is declared",),
        False: (),
    }[nullable]
    return Column(name, of, nullable, reasons, () if of else (f"{table}.{name}: {why}",), span)


def native_name(name: str, dialect: str) -> str:
    """A column's name that was written outside of SQL, as the dialect folds it.

    A name all in the other case is one that nobody quoted; one with letters of both is taken as it stands.
    """
    if dialect == "snowflake" and name == name.lower():
        return name.upper()
    if dialect == "postgres" and name == name.upper():
        return name.lower()
    return name
