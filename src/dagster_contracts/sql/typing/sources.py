"""What FROM, JOIN and LATERAL bring into a SELECT's sight."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.dialect_type_names import DECIMALS
from dagster_contracts.sql.query_error import UnknownOutputError
from dagster_contracts.sql.typing.expressions import type_of
from dagster_contracts.sql.typing.names import find_table, fold, table_key
from dagster_contracts.sql.typing.pivots import pivoted
from dagster_contracts.sql.typing.scope import Named, Scope, Source
from dagster_contracts.sql.typing.table_functions import function_columns
from dagster_contracts.sql.typing.typed import Typed, some_decimal, unknown
from dagster_contracts.sql.typing.unify import settle, unify

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dagster_contracts.contract.types import Type

_BIGQUERY_DECIMALS = DECIMALS["bigquery"].values()
_VALUES_NAMES = {"postgres": ("column", 1), "snowflake": ("COLUMN", 1), "databricks": ("col", 1), "duckdb": ("col", 0)}


def add_sources(scope: Scope, query: exp.Expr) -> None:
    """Put what a SELECT reads into its scope, in order.

    Args:
        scope: The scope to fill.
        query: A SELECT, or a table with joins of its own.

    Raises:
        QueryError: A join's condition names what is not there.
    """
    first = query.args.get("from_") or query.args.get("from")
    if isinstance(query, exp.Table):
        scope.sources.append(_table(query, scope))
    elif first is not None:
        scope.sources.append(_source(first.this, scope))
        _joins(first.this.args.get("joins") or (), scope)
    _joins(query.args.get("joins") or (), scope)
    for lateral in query.args.get("laterals") or ():
        scope.sources.append(_source(lateral, scope))


def _joins(joins: Iterable[exp.Join], scope: Scope) -> None:
    """Add each joined source and check its condition."""
    for join in joins:
        joined = _source(join.this, scope)
        kind = (join.args.get("kind") or "").upper()
        one_sided = kind in ("SEMI", "ANTI") or (join.args.get("side") or "").upper() in ("SEMI", "ANTI")
        if (join.args.get("method") or "").upper() == "NATURAL":
            _merge(scope, joined, _shared(scope, joined))
        elif join.args.get("using"):
            names = [
                fold(one.this if isinstance(one, exp.Column) else one, scope.context.dialect)
                for one in join.args["using"]
            ]
            if not one_sided:
                _merge(scope, joined, names)
        scope.sources.append(joined)
        if join.args.get("on"):
            type_of(join.args["on"], scope)
        if one_sided:
            scope.sources.pop()


def _shared(scope: Scope, joined: Source) -> list[str]:
    """The names that a natural join joins by."""
    left = [source for source in scope.sources if source.columns is None]
    if left or joined.columns is None:
        unknown_one = left[0] if left else joined
        raise UnknownOutputError(f"a natural join needs the columns of {unknown_one.alias}", *unknown_one.reasons)
    right = {scope.key(column.name) for column in joined.columns}
    names = [
        column.name for source in scope.sources for column in source.columns or () if scope.key(column.name) in right
    ]
    return list(dict.fromkeys(names))


def _merge(scope: Scope, joined: Source, names: list[str]) -> None:
    """Make one of each pair of columns that a join is by."""
    for name in names:
        wanted = scope.key(name)
        sides = [scope.merged[wanted]] if wanted in scope.merged else _having(wanted, scope.sources, scope)
        sides += _having(wanted, [joined], scope)
        blind = next((one for one in [*scope.sources, joined] if one.columns is None), None)
        typed = unify(scope.context.dialect, [side.typed for side in sides])
        if blind is not None:
            typed = unknown(f"{name} is also of {blind.alias}, which is not known", *blind.reasons)
        left = {at for at, one in enumerate(scope.sources) if _having(wanted, [one], scope)}
        scope.merged_from[wanted] = scope.merged_from.get(wanted, left) | {len(scope.sources)}
        scope.merged[wanted] = Named(sides[0].name if sides and scope.context.dialect == "duckdb" else name, typed)


def _having(wanted: str, sources: list[Source], scope: Scope) -> list[Named]:
    """The columns of a name among sources."""
    return [column for source in sources for column in source.columns or () if scope.key(column.name) == wanted]


def _source(item: exp.Expr, scope: Scope) -> Source:
    """One item of FROM."""
    dialect = scope.context.dialect
    alias = item.args.get("alias")
    name = fold(alias.this, dialect) if isinstance(alias, exp.TableAlias) and alias.this else ""
    if isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier | exp.Dot):
        return _pivots(item, _table(item, scope), scope)
    lateral = isinstance(item, exp.Lateral) or dialect == "duckdb"
    inner = Scope(scope.context, scope.ctes, scope if lateral else scope.parent)
    try:
        if isinstance(item, exp.Lateral | exp.Subquery) and isinstance(item.this, exp.Query | exp.Table | exp.Values):
            found = Source(name, renamed(scope.context.read(item.this, inner), alias, dialect))
        elif isinstance(item, exp.Values):
            found = Source(name, renamed(values_columns(item, inner), alias, dialect))
        else:
            found = function_columns(item, scope, name)
    except UnknownOutputError as error:
        return Source(name, None, (f"the columns of {name or 'a subquery'} are not known", *error.reasons))
    return _pivots(item, found, scope)


def _pivots(item: exp.Expr, source: Source, scope: Scope) -> Source:
    """A source after its pivots."""
    for pivot in item.args.get("pivots") or ():
        source = pivoted(pivot, source, scope)
    return source


def _table(table: exp.Table, scope: Scope) -> Source:
    """A named query, or a table that is declared or not."""
    dialect = scope.context.dialect
    alias = table.args.get("alias")
    path = tuple(fold(part, dialect) for part in table.parts)
    name = fold(alias.this, dialect) if alias and alias.this else path[-1]
    cte = scope.ctes.get(scope.key(path[0])) if len(path) == 1 else None
    if cte is not None:
        columns = renamed(cte.columns, alias, dialect) if cte.columns is not None else None
        return replace(cte, alias=name, columns=columns)
    relation = find_table(scope.context.tables, table, dialect)
    own_path = () if alias and alias.this else path
    if relation is None:
        return Source(name, None, (f"{table_key(table, dialect)} is not declared",), path=own_path)
    declared = tuple(
        Named(one.name, _declared(relation.name, one.name, one.type, one.type_reasons, dialect))
        for one in relation.columns
    )
    return Source(name, renamed(declared, alias, dialect), path=own_path)


def _declared(table: str, column: str, of: Type | None, reasons: tuple[str, ...], dialect: str) -> Typed:
    """A declared column's type."""
    if dialect == "bigquery" and of is not None and of.name == "Decimal" and of not in _BIGQUERY_DECIMALS:
        return some_decimal("BigQuery keeps no digits of a parameterized decimal that a query reads")
    if of is not None:
        return Typed(of, reasons)
    return unknown(f"the type of {table}.{column} is not known", *reasons)


def renamed(columns: tuple[Named, ...], alias: exp.Expr | None, dialect: str) -> tuple[Named, ...]:
    """Columns with the names that an alias lists, as in `t(a, b)`."""
    names = [fold(_alias_name(one), dialect) for one in (alias.args.get("columns") if alias else None) or ()]
    return tuple(replace(column, name=names[at]) if at < len(names) else column for at, column in enumerate(columns))


def _alias_name(one: exp.Expr) -> exp.Expr:
    """The name of one of an alias's columns, which may carry a type."""
    return one.this if isinstance(one, exp.ColumnDef) else one


def values_columns(values: exp.Values, scope: Scope) -> tuple[Named, ...]:
    """The columns of VALUES.

    Args:
        values: The rows.
        scope: What they can see.

    Returns:
        The columns, named as the dialect names them.
    """
    dialect = scope.context.dialect
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
    width = len(rows[0]) if rows else 0
    if any(len(row) != width for row in rows):
        raise UnknownOutputError("the rows of VALUES have different widths")
    stem, start = _VALUES_NAMES.get(dialect, ("column", 1))
    columns = []
    for at in range(width):
        typed = unify(dialect, [type_of(row[at], scope) for row in rows])
        columns.append(Named(f"{stem}{at + start}", settle(dialect, typed, f"{stem}{at + start}")))
    return tuple(columns)
