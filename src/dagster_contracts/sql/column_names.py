"""A contract's names for columns -> the columns of an output, by the dialect's own rule for letters' case."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagster_contracts.sql.relation import Column, Relation

_LETTERS = str.maketrans({chr(letter): chr(letter).lower() for letter in range(ord("A"), ord("Z") + 1)})
_FOLDS = {"postgres": str.lower, "snowflake": str.upper}


@dataclass(frozen=True)
class Match:
    """The columns of one name.

    Args:
        columns: The columns; none where the output has none of that name, several where it has the name twice.
        note: What the letters' case has to do with it.
    """

    columns: tuple[Column, ...]
    note: str | None = None


def find_columns(name: str, relation: Relation, dialect: str) -> Match:
    """The columns that a contract means by a name.

    Args:
        name: The name in the contract: exact, or as SQL would write it without quotes.
        relation: The output.
        dialect: Its dialect. DuckDB, BigQuery and Databricks take no notice of case; Postgres and Snowflake fold what
            has no quotes, and tell apart what then differs.
    """
    exact = tuple(column for column in relation.columns if column.name == name)
    key = _compared(name, dialect)
    alike = tuple(column for column in relation.columns if _compared(column.name, dialect) == key)
    if dialect not in _FOLDS:
        if not alike or exact:
            return Match(alike)
        return Match(alike, f"The output spells it {alike[0].name!r}; {dialect} takes that for the same name.")
    if exact:
        return Match(exact)
    folded = tuple(column for column in relation.columns if column.name == _FOLDS[dialect](name))
    if folded:
        return Match(folded, f"{dialect} folds {name!r} to {folded[0].name!r}.")
    if alike:
        return Match((), f"The output has {alike[0].name!r}: {dialect} tells names apart whose case differs.")
    return Match(())


@lru_cache(maxsize=4096)
def _compared(name: str, dialect: str) -> str:
    """A name without its letters' case; DuckDB looks at that of every letter but those from A to Z."""
    return name.translate(_LETTERS) if dialect == "duckdb" else name.lower()
