"""PIVOT with listed values."""

from __future__ import annotations

from sqlglot import exp

from dagster_contracts.sql.typing.expressions import type_of
from dagster_contracts.sql.typing.names import fold
from dagster_contracts.sql.typing.scope import Named, Scope, Source


def pivoted(pivot: exp.Pivot, source: Source, scope: Scope) -> Source:
    """A source after one PIVOT.

    Args:
        pivot: The clause.
        source: What it pivots.
        scope: What it can see.

    Returns:
        The columns that the pivot leaves, then one per listed value and aggregate.
    """
    dialect = scope.context.dialect
    alias = pivot.args.get("alias")
    name = fold(alias.this, dialect) if alias and alias.this else source.alias
    new = [fold(one, dialect) for one in pivot.args.get("columns") or ()]
    aggregates = pivot.expressions
    fields = [one for one in pivot.args.get("fields") or () if isinstance(one, exp.In)]
    if pivot.args.get("unpivot") or len(fields) != 1 or not new or source.columns is None:
        return Source(name, None, ("the columns of this PIVOT or UNPIVOT are not worked out", *source.reasons))
    if len(new) != len(fields[0].expressions) * len(aggregates):
        return Source(name, None, ("the values of this PIVOT are not listed",))
    inner = Scope(scope.context, scope.ctes, scope, [source])
    types = [type_of(one, inner) for one in aggregates]
    used = {
        inner.key(fold(column.this, dialect))
        for part in (*aggregates, fields[0].this)
        for column in part.find_all(exp.Column)
    }
    kept = [column for column in source.columns if inner.key(column.name) not in used]
    made = [Named(column, types[at % len(types)]) for at, column in enumerate(new)]
    names = [fold(one, dialect) for one in (alias.args.get("columns") if alias else None) or ()]
    columns = [Named(names[at], one.typed) if at < len(names) else one for at, one in enumerate([*kept, *made])]
    return Source(name, tuple(columns))
