"""Queries for a database that cannot be asked, which it would refuse for how they aggregate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.query_error import RefusedQueryError
from dagster_contracts.sql.typing.names import find_table, fold, key
from dagster_contracts.sql.typing.typed import called

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dagster_contracts.sql.relation import Relation

_WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
# What aggregates, what may do so, and what has a scope of its own: what stands inside needs not be grouped.
_CLOSED = (*_WRAPPERS, exp.AggFunc, exp.Anonymous, exp.AnonymousAggFunc, exp.Query, exp.Lambda)


def refuse_ungrouped(query: exp.Query, dialect: str, tables: Mapping[str, Relation]) -> None:
    """Refuse a query with an aggregate in WHERE, or with a column beside aggregates that is not grouped.

    Of subqueries in the place of a value nothing is said: their aggregates may be those of the query around them.

    Args:
        query: The parsed query.
        dialect: Its dialect.
        tables: What the tables return, as far as that is known.

    Raises:
        RefusedQueryError: It has.
    """
    for select in query.find_all(exp.Select):
        if not _stands_alone(select):
            continue
        where = select.args.get("where")
        if where is not None:
            for found in _own(where, exp.Window, exp.AggFunc):
                what = "a window function" if isinstance(found, exp.Window) else f"the aggregate {called(found)}"
                raise RefusedQueryError(f"{dialect} would refuse the query: WHERE contains {what}", _place(found))
        loose = _loose_column(select, dialect)
        if loose is not None and not (dialect == "postgres" and _may_depend_on_key(select, loose, tables)):
            name = ".".join(part.name for part in loose.parts) if isinstance(loose, exp.Column) else "*"
            why = f"{name} is neither grouped nor aggregated"
            raise RefusedQueryError(f"{dialect} would refuse the query: {why}", _place(loose))


def _stands_alone(select: exp.Select) -> bool:
    """Whether a SELECT cannot name columns of one around it."""
    node = select.parent
    while isinstance(node, exp.Subquery | exp.SetOperation):
        node = node.parent
    return node is None or isinstance(node, exp.From | exp.Join | exp.CTE)


def _own(node: exp.Expr, *kinds: type[exp.Expr]) -> Iterator[exp.Expr]:
    """The outermost parts of an expression that are of a kind, and stand in no subquery."""
    if isinstance(node, kinds):
        yield node
    elif not isinstance(node, exp.Query | exp.Lambda):
        for child in node.iter_expressions():
            yield from _own(child, *kinds)


def _loose_column(select: exp.Select, dialect: str) -> exp.Expr | None:
    """A column that a SELECT returns and neither groups by nor aggregates."""
    group = select.args.get("group")
    if group is None and select.args.get("having") is None and not any(map(_aggregates, select.expressions)):
        return None
    if group is not None and (group.args.get("all") or group.args.get("totals")):
        return None
    grouped = _grouped(select, group, dialect)
    names: set[str] = set()
    for item in select.expressions:
        if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
            if group is None:
                return item
            continue
        found = _loose(item, grouped, names, dialect)
        if found is not None:
            return found
        if isinstance(item, exp.Alias):
            names.add(key(fold(item.args["alias"], dialect), dialect))
    return None


def _aggregates(item: exp.Expr) -> bool:
    """Whether an item aggregates rows, not over a window alone."""
    return any(not isinstance(found, exp.Window) for found in _own(item, exp.Window, exp.AggFunc))


def _grouped(select: exp.Select, group: exp.Group | None, dialect: str) -> set[str]:
    """What a SELECT groups by, as texts."""
    if group is None:
        return set()
    found: list[exp.Expr] = []
    for one in group.iter_expressions():
        found += [one, *(part for part in one.walk() if part is not one)] if _is_list(one) else [one]
    aliases = {
        key(fold(item.args["alias"], dialect), dialect): item.this
        for item in select.expressions
        if isinstance(item, exp.Alias)
    }
    texts = set()
    for part in found:
        texts.add(_text(part, dialect))
        if isinstance(part, exp.Literal) and part.is_int and 0 < int(part.name) <= len(select.expressions):
            texts.add(_text(select.expressions[int(part.name) - 1].unalias(), dialect))
        if isinstance(part, exp.Column) and not part.table and _text(part, dialect) in aliases:
            texts.add(_text(aliases[_text(part, dialect)], dialect))
    return texts


def _is_list(one: exp.Expr) -> bool:
    """Whether what is grouped by is written as a list, such as ROLLUP (a, b) or (a, b)."""
    return isinstance(one, exp.Tuple | exp.Paren | exp.Rollup | exp.Cube | exp.GroupingSets)


def _text(node: exp.Expr, dialect: str) -> str:
    """An expression without its tables' names, as it is compared."""
    if isinstance(node, exp.Paren):
        return _text(node.this, dialect)
    if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        return key(fold(node.this, dialect), dialect)
    bare = node.copy()
    for column in list(bare.find_all(exp.Column)):
        column.replace(exp.column(exp.to_identifier(key(fold(column.this, dialect), dialect), quoted=True)))
    return bare.sql(dialect, comments=False)


def _loose(node: exp.Expr, grouped: set[str], names: set[str], dialect: str) -> exp.Column | None:
    """The first column of an expression that is not grouped."""
    if grouped and _text(node.unalias(), dialect) in grouped:
        return None
    if isinstance(node, exp.Column):
        return None if _is_free(node, grouped, names, dialect) else node
    inside = list(node.iter_expressions())
    if isinstance(node, exp.Window):
        call = node.this
        while isinstance(call, _WRAPPERS):
            call = call.this
        inside = [*(() if isinstance(call, exp.Anonymous) else call.iter_expressions()), *inside[1:]]
    elif isinstance(node, _CLOSED) or type(node).__name__.endswith("Agg"):
        return None
    return next(filter(None, (_loose(one, grouped, names, dialect) for one in inside)), None)


def _is_free(column: exp.Column, grouped: set[str], names: set[str], dialect: str) -> bool:
    """Whether a column is a field of what is grouped, a name that an earlier item has, or no column but a word."""
    parts = [key(fold(part, dialect), dialect) for part in column.parts]
    is_word = len(parts) == 1 and isinstance(column.parent, exp.Func) and column.name.isupper()
    return is_word or bool(grouped & set(parts)) or (len(parts) == 1 and parts[0] in names)


def _may_depend_on_key(select: exp.Select, loose: exp.Expr, tables: Mapping[str, Relation]) -> bool:
    """Whether PostgreSQL may take a column for grouped, as its table is grouped by what may be its primary key."""
    group = select.args.get("group")
    columns = [] if group is None else [one for one in group.expressions if isinstance(one, exp.Column)]
    first = select.args.get("from_") or select.args.get("from")
    for item in (first, *(select.args.get("joins") or ())):
        table = None if item is None else item.this
        if not isinstance(table, exp.Table):
            continue
        relation = find_table(tables, table, "postgres")
        if relation is None or (isinstance(loose, exp.Column) and loose.table not in ("", table.alias_or_name)):
            continue
        keys = {column.name for column in relation.columns if column.nullable is not True}
        if any(one.table in ("", table.alias_or_name) and fold(one.this, "postgres") in keys for one in columns):
            return True
    return False


def _place(node: exp.Expr) -> tuple[int, int] | None:
    """Where an expression's name stands in the text."""
    meta = node.meta if "start" in node.meta else getattr(node.this, "meta", {})
    return (meta["start"], meta["end"] + 1) if "start" in meta else None
