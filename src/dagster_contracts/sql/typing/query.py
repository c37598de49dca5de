"""The output of a query, worked out from its parsed text: SELECT, set operations, WITH, VALUES."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.query_error import QueryError, UnknownOutputError
from dagster_contracts.sql.typing.expressions import type_of, type_of_parts
from dagster_contracts.sql.typing.names import fold
from dagster_contracts.sql.typing.scope import Context, Named, Scope, Source
from dagster_contracts.sql.typing.sources import add_sources, renamed, values_columns
from dagster_contracts.sql.typing.stars import expand_star
from dagster_contracts.sql.typing.table_functions import exploded_columns
from dagster_contracts.sql.typing.typed import unknown
from dagster_contracts.sql.typing.unify import settle, unify
from dagster_contracts.sql.typing.unnamed import unnamed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.sql.relation import Relation

_LATERAL_ALIASES = frozenset(["snowflake", "databricks", "duckdb"])
_CONDITIONS = ("having", "qualify")


def output_of(query: exp.Query, *, dialect: str, tables: Mapping[str, Relation], sql: str | None) -> tuple[Named, ...]:
    """Work out what a query returns.

    Args:
        query: The parsed query.
        dialect: Its dialect.
        tables: What the tables return, by folded name.
        sql: The query's text, if it is at hand.

    Returns:
        The columns, in order.

    Raises:
        QueryError: The query is wrong.
        UnknownOutputError: Its columns cannot be known.
    """
    return read_query(query, Scope(Context(dialect, tables, sql, read_query), {}))


def read_query(query: exp.Expr, outer: Scope) -> tuple[Named, ...]:
    """What a query inside another returns, each column with a type of its own."""
    dialect = outer.context.dialect
    return tuple(Named(one.name, settle(dialect, one.typed, one.name)) for one in _read(query, outer))


def _read(query: exp.Expr, outer: Scope) -> tuple[Named, ...]:
    """What a query returns; literals still take the type of what they meet."""
    scope = replace(outer, ctes=_with(query, outer))
    if isinstance(query, exp.Subquery):
        return _read(query.this, scope)
    if isinstance(query, exp.SetOperation):
        return _set_operation(query, scope)
    if isinstance(query, exp.Select):
        return _select(query, Scope(outer.context, scope.ctes, scope))
    if isinstance(query, exp.Values):
        return values_columns(query, outer)
    if isinstance(query, exp.Table):
        inner = Scope(outer.context, scope.ctes, scope)
        add_sources(inner, query)
        return tuple(expand_star(exp.Star(), inner) or ())
    raise UnknownOutputError(f"{type(query).__name__} is a kind of query whose columns are not worked out")


def _with(query: exp.Expr, outer: Scope) -> Mapping[str, Source]:
    """The named queries that a query can see: those around it and its own."""
    clause = query.args.get("with_") or query.args.get("with")
    if clause is None:
        return outer.ctes
    known = dict(outer.ctes)
    for cte in clause.expressions:
        name = fold(cte.args["alias"].this, outer.context.dialect)
        scope = replace(outer, ctes=known)
        known = {**known, scope.key(name): _named_query(cte, name, scope, recursive=bool(clause.args.get("recursive")))}
    return known


def _named_query(cte: exp.CTE, name: str, scope: Scope, *, recursive: bool) -> Source:
    """One named query as a source."""
    alias = cte.args["alias"]
    body = cte.this
    try:
        if recursive and isinstance(body, exp.Union) and _reads(body.expression, name, scope):
            return _recursive(body, name, alias, scope)
        return Source(name, renamed(read_query(body, scope), alias, scope.context.dialect))
    except UnknownOutputError as error:
        return Source(name, None, (f"the columns of {name} are not known", *error.reasons))


def _reads(query: exp.Expr, name: str, scope: Scope) -> bool:
    """Whether a query reads a table of a name."""
    dialect = scope.context.dialect
    return any(scope.key(fold(table.this, dialect)) == scope.key(name) for table in query.find_all(exp.Table))


def _recursive(body: exp.Union, name: str, alias: exp.TableAlias, scope: Scope) -> Source:
    """A recursive query: its first branch gives the types, as long as the second one's are no wider."""
    dialect = scope.context.dialect
    inner = replace(scope, ctes=_with(body, scope))
    anchor = renamed(read_query(body.this, inner), alias, dialect)
    inner.ctes = {**inner.ctes, scope.key(name): Source(name, anchor)}
    again = read_query(body.expression, inner)
    _same_count(anchor, again)
    columns = []
    for first, next_ in zip(anchor, again, strict=True):
        both = unify(dialect, [first.typed, next_.typed])
        same = both.type == first.typed.type or first.typed.type is None
        widened = unknown(f"the recursion makes {first.name} of {first.typed.type} a {next_.typed.type}")
        columns.append(Named(first.name, first.typed if same else widened))
    return Source(name, tuple(columns))


def _same_count(left: tuple[Named, ...], right: tuple[Named, ...]) -> None:
    """Refuse branches of different widths."""
    if len(left) != len(right):
        raise QueryError("column-count", f"One branch returns {len(left)} columns and the other {len(right)}.")


def _set_operation(query: exp.SetOperation, scope: Scope) -> tuple[Named, ...]:
    """UNION, EXCEPT, INTERSECT."""
    left = _read(query.this, scope)
    if query.args.get("by_name") and (query.args.get("side") or query.args.get("kind")):
        raise UnknownOutputError("a set operation BY NAME with a side is not worked out")
    try:
        right = _read(query.expression, scope)
    except UnknownOutputError as error:
        return tuple(Named(one.name, unknown("the other branch is not known", *error.reasons)) for one in left)
    dialect = scope.context.dialect
    if not query.args.get("by_name"):
        _same_count(left, right)
        pairs = zip(left, right, strict=True)
        return tuple(Named(one.name, unify(dialect, [one.typed, other.typed])) for one, other in pairs)
    others = {scope.key(other.name): other for other in right}
    columns = []
    for one in left:
        other = others.pop(scope.key(one.name), None)
        columns.append(Named(one.name, unify(dialect, [one.typed, other.typed]) if other else one.typed))
    return (*columns, *others.values())


def _select(query: exp.Select, scope: Scope) -> tuple[Named, ...]:
    """One SELECT."""
    if query.args.get("kind"):
        raise UnknownOutputError(f"SELECT AS {query.args['kind']} is not worked out")
    if not query.expressions and scope.context.dialect != "postgres":
        raise QueryError("syntax", "SELECT lists no column.")
    add_sources(scope, query)
    columns = _items(query, scope)
    if query.args.get("where"):
        type_of(query.args["where"].this, scope if _where_sees_aliases(scope) else replace(scope, aliases={}))
    scope.aliases = {scope.key(column.name): column.typed for column in columns} | scope.aliases
    for clause in _CONDITIONS:
        if query.args.get(clause):
            type_of(query.args[clause].this, scope)
    for clause in ("group", "order"):
        for expression in getattr(query.args.get(clause), "expressions", None) or ():
            type_of_parts(expression, scope)
    return columns


def _where_sees_aliases(scope: Scope) -> bool:
    """Whether WHERE sees the names that SELECT gives."""
    return scope.context.dialect in ("snowflake", "duckdb")


def _items(query: exp.Select, scope: Scope) -> tuple[Named, ...]:
    """The SELECT list, its stars written out."""
    dialect = scope.context.dialect
    columns: list[Named] = []
    without_name = 0
    for item in query.expressions:
        starred = expand_star(item, scope)
        if starred is not None:
            columns += starred
            continue
        exploded = exploded_columns(item, scope)
        if exploded is not None:
            columns += exploded
            continue
        typed = type_of(item, scope)
        name = _name(item, dialect)
        if not name:
            name = unnamed(item, without_name, dialect, scope.context.sql)
            without_name += 1
        columns.append(Named(name, typed))
        if dialect in _LATERAL_ALIASES and isinstance(item, exp.Alias):
            scope.aliases.setdefault(scope.key(name), typed)
    return tuple(columns)


def _name(item: exp.Expr, dialect: str) -> str:
    """An item's own name, where it has one."""
    if isinstance(item, exp.Alias):
        return fold(item.args["alias"], dialect)
    if isinstance(item, exp.Column):
        return fold(item.this, dialect)
    if isinstance(item, exp.Dot):
        return fold(item.expression, dialect)
    if isinstance(item, exp.Paren) and dialect != "databricks":
        return _name(item.this, dialect)
    return ""
