"""Which columns of which tables each output column is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.lineage import lineage
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import build_scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot.lineage import Node

    from dagster_contracts.sql.relation import Relation

Source = tuple[str, str]
"""A table's name and the name of a column in it."""


def column_lineage(sql: str, dialect: str, tables: Mapping[str, Relation]) -> dict[str, tuple[Source, ...]]:
    """Work out what each output column of a query is made of.

    Columns that only decide which rows are returned, in a join or a filter, are not named.

    Args:
        sql: The query.
        dialect: Its dialect.
        tables: What it reads, by the name that it calls it.

    Returns:
        By output column, the columns that it reads, sorted. A column that reads none is left out, and so is all of a
        query that cannot be followed: a lineage that is shown is right, and it need not be whole.
    """
    schema = _schema(tables)
    try:
        query = qualify(sqlglot.parse_one(sql, dialect=dialect), schema=schema, dialect=dialect)
        scope = build_scope(query)
        if scope is None or not isinstance(query, exp.Query):
            return {}
        found = {
            name: _sources(lineage(name, query, schema, scope=scope, dialect=dialect, trim_selects=False, copy=False))
            for name in query.named_selects
            if name != "*"
        }
    except (SqlglotError, ValueError, KeyError, IndexError, AttributeError, RecursionError):
        return {}
    return {name: sources for name, sources in found.items() if sources}


def _schema(tables: Mapping[str, Relation]) -> dict[str, object]:
    """The tables' columns, nested by the parts of the tables' names as sqlglot wants them."""
    depth = max((name.count(".") for name in tables), default=0)
    schema: dict[str, object] = {}
    for name, relation in tables.items():
        *folders, last = [*[""] * (depth - name.count(".")), *name.split(".")]
        inner: dict[str, object] = schema
        for folder in folders:
            inner = inner.setdefault(folder, {})  # type: ignore[assignment]
        inner[last] = dict.fromkeys(relation.column_names, "UNKNOWN")
    return schema


def _sources(node: Node) -> tuple[Source, ...]:
    """The columns of tables at the ends of a lineage."""
    ends = [found for found in node.walk() if not found.downstream and isinstance(found.expression, exp.Table)]
    return tuple(sorted({(_table_name(end.expression), exp.to_column(end.name).name) for end in ends}))


def _table_name(table: exp.Expr) -> str:
    return ".".join(part.name for part in table.parts) if isinstance(table, exp.Table) else table.name
