"""`*` and `t.*`, with what they leave out, replace and rename."""

from __future__ import annotations

from sqlglot import exp

from dagster_contracts.sql.query_error import QueryError, UnknownOutputError
from dagster_contracts.sql.typing.expressions import type_of
from dagster_contracts.sql.typing.names import fold
from dagster_contracts.sql.typing.scope import Named, Scope, Source, span_of
from dagster_contracts.sql.typing.typed import Typed


def expand_star(item: exp.Expr, scope: Scope) -> list[Named] | None:
    """The columns that a star stands for.

    Args:
        item: A SELECT item.
        scope: What the SELECT can see.

    Returns:
        The columns; `None` where the item is no star.

    Raises:
        QueryError: The star names a table or column that is not there.
        UnknownOutputError: It stands for columns that are not known.
    """
    if isinstance(item, exp.Star):
        return _changed(item, _all(scope), scope)
    if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
        return _changed(item.this, _of_one(item, scope), scope)
    if isinstance(item, exp.Dot) and isinstance(item.expression, exp.Star):
        found = type_of(item.this, scope)
        if found.type is None or not found.type.fields:
            raise UnknownOutputError("the fields that a star stands for are not known", *found.reasons)
        return _changed(item.expression, [Named(name, Typed(of)) for name, of in found.type.fields], scope)
    if isinstance(item, exp.Columns):
        raise UnknownOutputError("COLUMNS(…) is written out by DuckDB's binder alone")
    return None


def _all(scope: Scope) -> list[Named]:
    """What a bare star stands for: columns that USING merged once, the rest in the order of the sources."""
    if not scope.sources:
        raise QueryError("invalid", "* stands for nothing without FROM.")
    merged_first = [] if scope.context.dialect == "duckdb" else list(scope.merged.values())
    waiting = dict(scope.merged) if scope.context.dialect == "duckdb" else {}
    found = merged_first
    for at, source in enumerate(scope.sources):
        for column in _columns(source):
            name = scope.key(column.name)
            if at not in scope.merged_from.get(name, ()):
                found.append(column)
            elif name in waiting:
                found.append(waiting.pop(name))
    return found


def _columns(source: Source) -> tuple[Named, ...]:
    """A source's columns, which must be known."""
    if source.columns is None:
        raise UnknownOutputError(f"the columns of {source.alias or 'a source'} are not known", *source.reasons)
    return source.columns


def _of_one(item: exp.Column, scope: Scope) -> list[Named]:
    """What a qualified star stands for."""
    parts = [fold(part, scope.context.dialect) for part in item.parts[:-1]]
    source = scope.source(parts[-1])
    if source is not None:
        return list(_columns(source))
    struct = exp.column(item.parts[0].copy()) if len(parts) == 1 else None
    if struct is not None and scope.context.dialect in ("bigquery", "databricks"):
        found = type_of(struct, scope)
        if found.type is not None and found.type.fields:
            return [Named(name, Typed(of)) for name, of in found.type.fields]
        raise UnknownOutputError(f"the fields of {parts[0]} are not known", *found.reasons)
    raise QueryError("unknown-relation", f"No table of this query is called {parts[-1]}.", span_of(item))


def _changed(star: exp.Star, columns: list[Named], scope: Scope) -> list[Named]:
    """The columns without what EXCLUDE names, with what REPLACE and RENAME put in place."""
    dialect = scope.context.dialect
    excluded = {
        scope.key(fold(_last(one), dialect)) for one in star.args.get("except_") or star.args.get("except") or ()
    }
    replaced = {scope.key(fold(one.args["alias"], dialect)): one for one in star.args.get("replace") or ()}
    renamed = {
        scope.key(fold(_last(one.this), dialect)): fold(one.args["alias"], dialect)
        for one in star.args.get("rename") or ()
    }
    if star.args.get("ilike") or star.args.get("like"):
        raise UnknownOutputError("a star that takes columns by a pattern is not worked out")
    missing = (excluded | set(replaced) | set(renamed)) - {scope.key(column.name) for column in columns}
    if missing:
        raise QueryError("unknown-column", f"* has no column {min(missing)}.", span_of(star))
    found = []
    for column in columns:
        name = scope.key(column.name)
        if name in excluded:
            continue
        typed = type_of(replaced[name].this, scope) if name in replaced else column.typed
        found.append(Named(renamed.get(name, column.name), typed))
    return found


def _last(name: exp.Expr) -> exp.Expr:
    """A column's own name."""
    return name.this if isinstance(name, exp.Column) else name
