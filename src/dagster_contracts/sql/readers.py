"""Which models and columns read a column of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.lineage import column_lineage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.sql.load import Loaded
    from dagster_contracts.sql.relation import Relation


def readers(loaded: Loaded, model: str, column: str | None, before: Mapping[str, Relation]) -> list[str]:
    """Who reads a column, as `model.column`, or `model` where it only decides which rows there are.

    Args:
        loaded: The project.
        model: The model that has the column.
        column: The column; `None` asks for every model that reads the model.
        before: What models returned when the column was there.
    """
    found = []
    for one in loaded.project.models:
        if model not in loaded.examined.reads.get(one.name, ()):
            continue
        query = loaded.examined.queries.get(one.name)
        if column is None or query is None:
            found.append(one.name)
            continue
        tables = {**loaded.examined.tables.get(one.name, {}), **_called(loaded, one.name, before)}
        lineage = column_lineage(one.sql or "", one.dialect, tables)
        made = [name for name, sources in lineage.items() if _is_among(model, column, sources)]
        found += [f"{one.name}.{name}" for name in made] or ([one.name] if _names(query, column) else [])
    return found


def _called(loaded: Loaded, reader: str, before: Mapping[str, Relation]) -> dict[str, Relation]:
    """What a model reads, as it was."""
    return {name: before[name] for name in loaded.examined.reads.get(reader, ()) if name in before}


def _is_among(model: str, column: str, sources: tuple[tuple[str, str], ...]) -> bool:
    return (model.lower(), column.lower()) in {(table.lower(), name.lower()) for table, name in sources}


def _names(query: exp.Query, column: str) -> bool:
    """Whether a query names a column anywhere, or takes all of them."""
    named = any(found.name.lower() == column.lower() for found in query.find_all(exp.Column))
    return named or query.find(exp.Star) is not None
