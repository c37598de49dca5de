"""What a query takes from tables that nobody knows, and which of its columns are there only if these have them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.typing.names import find_table, fold, key, table_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dagster_contracts.sql.relation import Relation

_PLAIN = (exp.Identifier, exp.Dot)


@dataclass(frozen=True)
class Doubts:
    """Which of a query's columns may not be there, and why.

    Args:
        by_name: The reason by the column's name; columns without a name of their own are under an empty one.
        names: The names that the query gives or passes on.
    """

    by_name: Mapping[str, str] = field(default_factory=dict)
    names: frozenset[str] = frozenset()

    def of(self, name: str, dialect: str) -> tuple[str, ...]:
        """Why it is not certain that a column is there; nothing where it is."""
        compared = key(name, dialect)
        found = self.by_name.get(compared if compared in self.names else "")
        return () if found is None else (found,)


@dataclass(frozen=True)
class _Source:
    """One item of FROM: its alias and path, the columns that it is known to have, each with a doubt or none."""

    aliases: frozenset[str]
    columns: Mapping[str, str | None]
    blind: str | None = None
    table: str | None = None


@dataclass
class _Undeclared:
    """A query, and the columns that it takes from each table that nobody knows, found as the query is followed."""

    query: exp.Expr
    dialect: str
    tables: Mapping[str, Relation]
    taken: dict[str, dict[str, None]] = field(default_factory=dict)
    _sources: dict[int, list[_Source]] = field(default_factory=dict)
    _outputs: dict[int, dict[str, str | None]] = field(default_factory=dict)

    def follow(self) -> Doubts:
        """Find what each column of the query comes from."""
        for select in self.query.find_all(exp.Select):
            self._sources_of(select)
        for column in self.query.find_all(exp.Column):
            self._doubt(column)
        found = self._output(self.query)
        return Doubts({name: why for name, why in found.items() if why is not None}, frozenset(found))

    def _key(self, identifier: exp.Expr | None) -> str:
        return key(fold(identifier, self.dialect), self.dialect)

    def _output(self, query: exp.Expr) -> dict[str, str | None]:
        """The columns of a query inside another, each with why it may not be there."""
        if id(query) in self._outputs:
            return self._outputs[id(query)]
        self._outputs[id(query)] = {}  # what is recursive adds nothing of its own
        found: dict[str, str | None] = {}
        if isinstance(query, exp.Subquery):
            found = self._output(query.this)
        elif isinstance(query, exp.SetOperation):
            found = dict(self._output(query.this))
            if query.args.get("by_name"):
                found = {**self._output(query.expression), **found}
        elif isinstance(query, exp.Select):
            for name, why in self._items(query):
                found[name] = found.get(name) or why
        self._outputs[id(query)] = found
        return found

    def _items(self, select: exp.Select) -> Iterator[tuple[str, str | None]]:
        """The columns of a SELECT."""
        for item in select.expressions:
            if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
                of = "" if isinstance(item, exp.Star) else item.table
                for source in self._sources_of(select):
                    if not of or key(of, self.dialect) in source.aliases:
                        yield from source.columns.items()
                continue
            why = next(filter(None, (self._doubt(column) for column in item.find_all(exp.Column))), None)
            name = item.args["alias"] if isinstance(item, exp.Alias) else getattr(item, "this", None)
            yield (self._key(name) if isinstance(item, exp.Alias | exp.Column) else ""), why

    def _sources_of(self, select: exp.Select) -> list[_Source]:
        """What a SELECT reads."""
        if id(select) not in self._sources:
            found = self._sources[id(select)] = []
            first = select.args.get("from_") or select.args.get("from")
            joins = [*(select.args.get("joins") or ())]
            if first is not None:
                found.append(self._source(first.this))
                joins = [*(first.this.args.get("joins") or ()), *joins]
            for join in joins:
                joined = self._source(join.this)
                self._using(join, found, joined)
                found.append(joined)
            found += map(self._source, select.args.get("laterals") or ())
        return self._sources[id(select)]

    def _using(self, join: exp.Join, before: list[_Source], joined: _Source) -> None:
        """What USING takes from tables that nobody knows."""
        for one in join.args.get("using") or ():
            name = one.this if isinstance(one, exp.Column) else one
            if not any(self._key(name) in source.columns for source in before):
                self._take(next((source for source in before if source.table), None), name)
            self._take(joined, name)

    def _source(self, item: exp.Expr) -> _Source:
        """One item of FROM."""
        alias = item.args.get("alias")
        named = alias if isinstance(alias, exp.TableAlias) else None
        aliases = {self._key(named.this)} if named is not None and named.this else set()
        listed = [self._key(one) for one in named.columns] if named is not None else []
        if isinstance(item.args.get("offset"), exp.Identifier):
            listed.append(self._key(item.args["offset"]))
        blind = table = None
        columns: dict[str, str | None] = {}
        if isinstance(item, exp.Table) and isinstance(item.this, _PLAIN):
            aliases = aliases or {self._key(item.this), table_key(item, self.dialect)}
            cte, relation = self._named_query(item), find_table(self.tables, item, self.dialect)
            if cte is not None:
                columns = self._output(cte.this)
                listed = listed or [self._key(one) for one in cte.args["alias"].columns]
            elif relation is not None:
                columns = {key(one.name, self.dialect): (one.doubts or (None,))[0] for one in relation.columns}
            else:
                table = table_key(item, self.dialect)
                blind = f"it comes from {'.'.join(part.name for part in item.parts)}, whose columns are not known"
                self.taken.setdefault(table, {})
        elif isinstance(item, exp.Lateral | exp.Subquery) and isinstance(item.this, exp.Query):
            columns = self._output(item.this)
        elif isinstance(item.this, exp.Anonymous) and not listed:
            blind = f"it comes from the function {item.this.name}, whose columns are not known"
        if item.args.get("pivots"):  # its columns are others
            why = blind or next(filter(None, columns.values()), None)
            return _Source(frozenset(aliases), {}, why)
        if listed and table is not None:
            self.taken[table] |= dict.fromkeys(listed)
        if listed:
            columns = dict(zip(listed, [*columns.values(), *[blind] * len(listed)], strict=False))
        return _Source(frozenset(aliases), columns, blind, None if listed else table)

    def _named_query(self, table: exp.Table) -> exp.CTE | None:
        """The named query that a table stands for."""
        if len(table.parts) > 1:
            return None
        inside = _ancestor(table, exp.CTE)
        node: exp.Expr | None = table
        while node is not None:
            clause = node.args.get("with_") or node.args.get("with")
            for cte in clause.find_all(exp.CTE) if isinstance(clause, exp.With) else ():
                is_own = cte is inside and not (isinstance(clause, exp.With) and clause.recursive)
                if cte.parent is clause and self._key(cte.args["alias"].this) == self._key(table.this) and not is_own:
                    return cte
            node = node.parent
        return None

    def _doubt(self, column: exp.Column) -> str | None:
        """Why a column may not be there; notes what is taken from a table that nobody knows."""
        parts = [self._key(part) for part in column.parts]
        select = _ancestor(column, exp.Select)
        while isinstance(select, exp.Select):
            sources = self._sources_of(select)
            for count in range(len(parts) - 1, 0, -1):
                for source in sources:
                    if source.aliases & {".".join(parts[:count]), parts[count - 1]} and not isinstance(
                        column.this, exp.Star
                    ):
                        self._take(source, column.parts[count])
                        return source.columns.get(parts[count], source.blind)
            for source in sources:
                if parts[0] in source.columns:
                    return source.columns[parts[0]]
            blind = next((source for source in sources if source.blind), None)
            if blind is not None:
                if not self._is_own_name(select, column, parts[0]):
                    self._take(blind, column.parts[0])
                return blind.blind
            select = None if _ancestor(select, exp.CTE, until=exp.Select) else _ancestor(select, exp.Select)
        return None

    def _is_own_name(self, select: exp.Select, column: exp.Column, name: str) -> bool:
        """Whether a SELECT gave a name to one of its items before a column of that name stands there."""
        for item in select.expressions:
            if any(one is column for one in item.find_all(exp.Column)):
                return False
            if isinstance(item, exp.Alias) and self._key(item.args["alias"]) == name:
                return True
        return False

    def _take(self, source: _Source | None, name: exp.Expr) -> None:
        if source is not None and source.table is not None:
            self.taken[source.table].setdefault(fold(name, self.dialect))


def _ancestor(node: exp.Expr, kind: type[exp.Expr], until: type[exp.Expr] | None = None) -> exp.Expr | None:
    """The nearest node of a kind around another."""
    around = node.parent
    while around is not None and not isinstance(around, kind):
        if until is not None and isinstance(around, until):
            return None
        around = around.parent
    return around


def doubts_of(query: exp.Expr, dialect: str, tables: Mapping[str, Relation]) -> Doubts:
    """Which columns of a query are there only if a table that nobody knows has what the query takes from it.

    Args:
        query: The parsed query.
        dialect: Its dialect.
        tables: What the tables return, as far as that is known.
    """
    for table in query.find_all(exp.Table, exp.Lateral):
        is_named = isinstance(table, exp.Table) and isinstance(table.this, _PLAIN)
        relation = find_table(tables, table, dialect) if is_named and isinstance(table, exp.Table) else None
        if relation is None or any(column.doubts for column in relation.columns):
            return _Undeclared(query, dialect, tables).follow()
    return Doubts()


def columns_taken(query: exp.Expr, dialect: str, tables: Mapping[str, Relation]) -> dict[str, tuple[str, ...]]:
    """The columns that a query takes from each table that nobody knows, by the table's folded name.

    Args:
        query: The parsed query.
        dialect: Its dialect.
        tables: What the other tables return.
    """
    undeclared = _Undeclared(query, dialect, tables)
    undeclared.follow()
    return {table: tuple(names) for table, names in undeclared.taken.items()}
