"""How each dialect folds names and compares them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.sql.relation import Relation


def fold(identifier: exp.Expr | None, dialect: str) -> str:
    """A name as the dialect stores it."""
    if identifier is None:
        return ""
    name = identifier.name
    if isinstance(identifier, exp.Identifier) and identifier.args.get("quoted"):
        return name
    return {"snowflake": name.upper(), "postgres": name.lower()}.get(dialect, name)


def key(name: str, dialect: str) -> str:
    """A folded name as the dialect compares it."""
    return name if dialect in ("snowflake", "postgres") else name.lower()


def table_key(table: exp.Table, dialect: str) -> str:
    """A table's dotted name, folded."""
    return ".".join(fold(part, dialect) for part in table.parts)


def find_table(tables: Mapping[str, Relation], table: exp.Table, dialect: str) -> Relation | None:
    """The relation that a mapping holds under a table's name, as folded or as written."""
    folded = table_key(table, dialect)
    for name in (folded, ".".join(part.name for part in table.parts), folded.lower()):
        if name in tables:
            return tables[name]
    return None
