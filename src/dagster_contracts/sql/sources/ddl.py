"""Sources declared by `CREATE TABLE` statements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import spelled_type
from dagster_contracts.sql.positions import span_of
from dagster_contracts.sql.relation import Relation
from dagster_contracts.sql.sources.declared import SourceError, declared_column

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dagster_contracts.contract.types import Type
    from dagster_contracts.diagnostics.finding import Span
    from dagster_contracts.sql.relation import Column

# Where a primary key is enforced, its columns are never NULL.
_ENFORCES_KEYS = ("duckdb", "postgres")
_HARMLESS = (exp.Set, exp.Comment, exp.Use, exp.Semicolon)
_HARMLESS_KINDS = ("SCHEMA", "INDEX", "SEQUENCE", "DATABASE")


def read_ddl(text: str, file: str, dialect: str) -> list[Relation]:
    """Read the tables that a file of DDL creates.

    Args:
        text: The file's text.
        file: Its path, for places.
        dialect: The dialect that it is written in.

    Raises:
        SourceError: It does not parse, or has statements that change tables in other ways.
    """
    try:
        statements = [one for one in sqlglot.parse(text, dialect=dialect) if one is not None]
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
        raise _unparsed(error, text, file, dialect) from error
    tables = []
    for number, statement in enumerate(statements, 1):
        kind = statement.kind if isinstance(statement, exp.Create) else ""
        if isinstance(statement, _HARMLESS) or kind in _HARMLESS_KINDS:
            continue
        if kind != "TABLE" or not isinstance(statement.this, exp.Schema):
            raise SourceError(
                f"Statement {number} is no CREATE TABLE with columns: {statement.sql(dialect)[:60]!r}.",
                _span(statement, text, file),
            )
        tables.append(_table(statement.this, text, file, dialect))
    return tables


def _table(schema: exp.Schema, text: str, file: str, dialect: str) -> Relation:
    name = ".".join(_folded(part, dialect) for part in schema.this.parts)
    keys = {_folded(key, dialect).lower() for key in _primary_key(schema)}
    columns = []
    for column in schema.expressions:
        if isinstance(column, exp.ColumnDef):
            in_key = _folded(column.this, dialect).lower() in keys
            columns.append(_column(name, column, dialect, in_key=in_key, span=_span(column, text, file)))
        elif isinstance(column, exp.Identifier | exp.Column):
            raise SourceError(f"{name}.{column.name} has no type.", _span(column, text, file))
    if not columns:
        raise SourceError(f"{name} is created without columns.", _span(schema, text, file))
    return Relation(name, tuple(columns))


def _column(table: str, column: exp.ColumnDef, dialect: str, *, in_key: bool, span: Span | None) -> Column:
    name = _folded(column.this, dialect)
    kinds = [constraint.kind for constraint in column.constraints]
    nullable: bool | None = True
    in_key = in_key or any(isinstance(kind, exp.PrimaryKeyColumnConstraint) for kind in kinds)
    if in_key:
        nullable = False if dialect in _ENFORCES_KEYS else None
    for kind in kinds:
        if isinstance(kind, exp.NotNullColumnConstraint):
            nullable = bool(kind.args.get("allow_null"))
    spelled = column.kind.sql(dialect) if column.kind is not None else ""
    if "SERIAL" in spelled.upper():
        nullable = False
    of, why = _type(spelled, dialect)
    if dialect == "duckdb" and re.match(r"TIMESTAMP\((?!6\))", spelled):
        of, why = None, f"contracts have no name for {spelled}, which is no TIMESTAMP of microseconds"
    return declared_column(table, name, of, nullable=nullable, span=span, why=why)


def _type(spelled: str, dialect: str) -> tuple[Type | None, str]:
    """A column's type; one that contracts cannot name is not known."""
    if not spelled:
        return None, "it is declared without a type"
    try:
        return spelled_type(spelled, dialect), f"contracts have no name for {dialect}'s type {spelled}"
    except UnknownTypeError:
        return None, f"nobody knows a type {spelled} of {dialect}"


def _primary_key(schema: exp.Schema) -> Iterable[exp.Expr]:
    """The columns of a table's primary key that stands on its own."""
    for part in schema.expressions:
        found = (
            part
            if isinstance(part, exp.PrimaryKey)
            else part.find(exp.PrimaryKey)
            if isinstance(part, exp.Constraint)
            else None
        )
        for column in found.expressions if found is not None else ():
            yield from column.find_all(exp.Identifier)


def _folded(identifier: exp.Expr, dialect: str) -> str:
    """A name as the dialect stores it."""
    name = identifier.name
    if dialect in ("snowflake", "postgres") and not identifier.args.get("quoted"):
        return name.upper() if dialect == "snowflake" else name.lower()
    return name


def _span(node: exp.Expr, text: str, file: str) -> Span | None:
    """Where the names in a node stand."""
    places = [one.meta for one in node.find_all(exp.Identifier) if "start" in one.meta]
    if not places:
        return None
    return span_of(file, text, places[0]["start"], places[0]["end"] + 1)


def _unparsed(error: Exception, text: str, file: str, dialect: str) -> SourceError:
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        lines = text.split("\n")
        end = sum(len(line) + 1 for line in lines[: (first.get("line") or 1) - 1]) + (first.get("col") or 1)
        start = max(0, end - len(first.get("highlight") or " "))
        words = str(first.get("description") or "it cannot be read").rstrip(".")
        return SourceError(f"{file} does not parse as {dialect}: {words}.", span_of(file, text, start, end))
    words = str(error).split("\n")[0].rstrip(".") or type(error).__name__
    return SourceError(f"{file} does not parse as {dialect}: {words}.")
