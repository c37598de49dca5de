"""What a SELECT can see: its sources, in order, and the query around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.sql.query_error import QueryError
from dagster_contracts.sql.typing.names import fold, key
from dagster_contracts.sql.typing.typed import Typed, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dagster_contracts.sql.relation import Relation

_PSEUDO_COLUMNS = {
    "postgres": ("ctid", "oid", "tableoid", "xmin", "xmax", "cmin", "cmax"),
    "snowflake": ("METADATA$", "CURRENT_", "LOCALTIME", "SYSDATE", "$"),
    "bigquery": ("_",),
    "databricks": ("_metadata", "current_"),
    "duckdb": ("rowid", "filename", "file_row_number"),
}

_UNITS = frozenset(
    [
        *("NANOSECOND", "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER"),
        *("YEAR", "DECADE", "CENTURY", "EPOCH", "EPOCH_SECOND", "DAYOFWEEK", "DAYOFYEAR", "DOW", "DOY", "ISOWEEK"),
    ]
)


@dataclass(frozen=True)
class Named:
    """A column with what is known of its type."""

    name: str
    typed: Typed


@dataclass(frozen=True)
class Source:
    """One table, subquery or function in FROM.

    Args:
        alias: What columns are qualified by, folded; empty where nothing can.
        columns: Its columns; `None` where they are not known.
        reasons: Why they are not.
        row: What its alias alone stands for, where it stands for a value.
        path: The parts of a table's name, for columns qualified by more than an alias.
    """

    alias: str
    columns: tuple[Named, ...] | None
    reasons: tuple[str, ...] = ()
    row: Typed | None = None
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Context:
    """What stays the same throughout one model."""

    dialect: str
    tables: Mapping[str, Relation]
    sql: str | None
    read: Callable[[exp.Expr, Scope], tuple[Named, ...]]


@dataclass
class Scope:
    """What one SELECT can see.

    Args:
        context: The model's.
        ctes: The named queries around it, by compared name.
        parent: The query around it.
        sources: Its sources, in order.
        merged: Columns that USING made one of two, by compared name.
        merged_from: The positions of the sources that each of these is of.
        aliases: Its own items so far, by compared name.
    """

    context: Context
    ctes: Mapping[str, Source]
    parent: Scope | None = None
    sources: list[Source] = field(default_factory=list)
    merged: dict[str, Named] = field(default_factory=dict)
    merged_from: dict[str, set[int]] = field(default_factory=dict)
    aliases: dict[str, Typed] = field(default_factory=dict)

    def key(self, name: str) -> str:
        """A folded name as the dialect compares it."""
        return key(name, self.context.dialect)

    def source(self, alias: str) -> Source | None:
        """The source of an alias, here or further out."""
        found = next((one for one in self.sources if one.alias and self.key(one.alias) == self.key(alias)), None)
        return found or (self.parent.source(alias) if self.parent else None)

    def resolve(self, column: exp.Column) -> Typed:
        """The type of a column.

        Raises:
            QueryError: No source has it, or several have.
        """
        if isinstance(column.this, exp.Star):
            return unknown("a whole row")
        parts = [fold(part, self.context.dialect) for part in column.parts]
        if len(parts) == 1:
            return self._bare(column, parts[0])
        return self._qualified(column, parts)

    def _bare(self, column: exp.Column, name: str) -> Typed:
        """An unqualified column, sought from the inside out."""
        scope: Scope | None = self
        blind: tuple[str, ...] = ()
        while scope is not None:
            found = scope._here(column, name)  # noqa: SLF001
            if found is not None:
                return found
            blind = blind or scope._blindness()  # noqa: SLF001
            scope = scope.parent
        if blind or self._is_pseudo(name) or _is_word(column):
            return unknown(f"{name} comes from what is not known", *blind)
        raise self._missing(column, name)

    def _here(self, column: exp.Column, name: str) -> Typed | None:
        """An unqualified column of this SELECT's own sources."""
        wanted = self.key(name)
        if wanted in self.merged:
            return self.merged[wanted].typed
        found = [
            (source, one) for source in self.sources for one in source.columns or () if self.key(one.name) == wanted
        ]
        if len(found) > 1:
            tables = " and ".join(sorted({source.alias or "a subquery" for source, _ in found}))
            raise QueryError("ambiguous-column", f"{name} is ambiguous: {tables} have it.", span_of(column))
        if found:
            return found[0][1].typed
        if wanted in self.aliases:
            return self.aliases[wanted]
        row = next((one for one in self.sources if one.alias and self.key(one.alias) == wanted), None)
        if row is not None:
            return row.row or unknown(f"{name} is a whole row of {row.alias}")
        return None

    def _qualified(self, column: exp.Column, parts: list[str]) -> Typed:
        """A qualified column, or a field of a struct column."""
        *qualifier, name = parts
        source = self.source(qualifier[-1]) or self._by_path(qualifier)
        if source is None and self.context.dialect in ("bigquery", "databricks", "duckdb", "snowflake"):
            return self._field(column, parts)
        if source is None:
            if self._blind():
                return unknown(f"{'.'.join(parts)} comes from what is not known")
            raise QueryError("unknown-relation", f"No table of this query is called {qualifier[-1]}.", span_of(column))
        if source.columns is None:
            return unknown(f"{source.alias}.{name} is not known", *source.reasons)
        found = [one for one in source.columns if self.key(one.name) == self.key(name)]
        if len(found) > 1:
            raise QueryError("ambiguous-column", f"{source.alias} has {len(found)} columns {name}.", span_of(column))
        if found:
            return found[0].typed
        if source.row is not None and source.row.type is None:
            return unknown(f"{name} may be a field of {source.alias}", *source.row.reasons)
        raise self._missing(column, name, source)

    def _by_path(self, qualifier: list[str]) -> Source | None:
        """The source whose own name ends in a qualifier of several parts."""
        wanted = tuple(map(self.key, qualifier))
        for source in self.sources:
            if tuple(map(self.key, source.path))[-len(wanted) :] == wanted:
                return source
        return self.parent._by_path(qualifier) if self.parent else None  # noqa: SLF001

    def _field(self, column: exp.Column, parts: list[str]) -> Typed:
        """A field of a struct, reached as `column.field` or `table.column.field`."""
        source = self.source(parts[0])
        if source is not None and len(parts) > 2 and source.columns is not None:  # noqa: PLR2004
            found: Typed | None = next(
                (one.typed for one in source.columns if self.key(one.name) == self.key(parts[1])), None
            )
            rest = parts[2:]
        else:
            found = self._here(column, parts[0]) if source is None else unknown(f"{parts[0]} is not known")
            rest = parts[1:]
        if found is None and self.parent is not None:
            return self.parent._field(column, parts)  # noqa: SLF001
        if found is None:
            if self._blind():
                return unknown(f"{'.'.join(parts)} comes from what is not known")
            raise QueryError("unknown-relation", f"No table of this query is called {parts[0]}.", span_of(column))
        for name in rest:
            found = field_of(found, name, self.context.dialect)
        return found

    def _blind(self) -> bool:
        """Whether anything in sight has columns that are not known."""
        return any(one.columns is None for one in self.sources) or (self.parent is not None and self.parent._blind())  # noqa: SLF001

    def _missing(self, column: exp.Column, name: str, source: Source | None = None) -> QueryError:
        """The error for a column that nothing has."""
        sources = [source] if source else self.sources
        names = [one.name for each in sources for one in each.columns or ()]
        where = f"{source.alias} has no column {name}." if source else f"No table of this query has a column {name}."
        return QueryError("unknown-column", where + did_you_mean(name, names), span_of(column))

    def _blindness(self) -> tuple[str, ...]:
        """Why not every column of this SELECT's own sources is known."""
        for one in self.sources:
            if one.columns is None:
                return one.reasons or (f"the columns of {one.alias or 'a source'} are not known",)
        return ()

    def _is_pseudo(self, name: str) -> bool:
        """Whether a name may be a column that the product adds by itself."""
        return name.startswith(_PSEUDO_COLUMNS[self.context.dialect])


def field_of(struct: Typed, name: str, dialect: str) -> Typed:
    """The type of a struct's field."""
    if struct.type is None:
        return unknown(f".{name} of what is not known", *struct.reasons)
    for field_name, found in struct.type.fields:
        if field_name.lower() == name.lower():
            return Typed(found)
    if struct.type.name == "Json" and dialect == "bigquery":
        return struct
    return unknown(f".{name} of {struct.type} is not known")


def _is_word(column: exp.Column) -> bool:
    """Whether a name stands where a function may take a unit, such as DAY."""
    return isinstance(column.parent, exp.Func) and column.name.upper().rstrip("S") in _UNITS


def span_of(column: exp.Expr) -> tuple[int, int] | None:
    """Where an expression's last name stands in the text."""
    meta = column.this.meta if "start" not in column.meta and hasattr(column.this, "meta") else column.meta
    return (meta["start"], meta["end"] + 1) if "start" in meta else None
