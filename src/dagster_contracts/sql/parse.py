"""A model's text -> its query."""

from __future__ import annotations

import re

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from dagster_contracts.sql.query_error import QueryError, UnknownOutputError

_DUCKDB_LINE = re.compile(r"\nLINE (\d+): ([^\n]*)\n( *)\^")
_TOKEN = re.compile(r"\w+|\S")


class NotOneSelectError(QueryError):
    """The text is something else than one query."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid", message)


def parse_query(sql: str, dialect: str) -> exp.Query:
    """Parse a model's text.

    Args:
        sql: The text.
        dialect: Its dialect.

    Returns:
        The query; its identifiers carry their positions in the text.

    Raises:
        QueryError: It does not parse, or is not one query.
        UnknownOutputError: DuckDB can parse it, and the parser that works out the rest cannot.
    """
    try:
        statements = [one for one in sqlglot.parse(sql, dialect=dialect) if one is not None]
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
        raise _unparsed(sql, dialect, error) from error
    statements = [one for one in statements if not isinstance(one, exp.Semicolon)]
    if not statements:
        raise NotOneSelectError("The file has no query in it.")
    if len(statements) > 1:
        raise NotOneSelectError(f"The file has {len(statements)} statements; a model is one query.")
    query = statements[0]
    while isinstance(query, exp.Subquery | exp.Paren) and not _has_more(query):
        query = query.this
    if _returns_rows(query, dialect):
        return exp.Select(expressions=[exp.Star()]).from_(
            query if isinstance(query, exp.Values) else exp.Subquery(this=query)
        )
    if not isinstance(query, exp.Query):
        kind = "a statement" if isinstance(query, exp.Command) else query.key.upper()
        raise NotOneSelectError(f"The file is {kind}, not a query.")
    if _first_select(query).args.get("into"):
        raise NotOneSelectError("The file is SELECT INTO, which writes a table, not a query.")
    return query


def _first_select(query: exp.Expr) -> exp.Expr:
    """The SELECT that a query begins with."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    return query


def _returns_rows(query: exp.Expr, dialect: str) -> bool:
    """Whether a statement is none of the parser's queries and yet one: VALUES, and DuckDB's PIVOT and UNPIVOT."""
    return (isinstance(query, exp.Values) and dialect != "bigquery") or (
        isinstance(query, exp.Pivot) and dialect == "duckdb"
    )


def _has_more(query: exp.Expr) -> bool:
    """Whether a query in brackets has anything outside of them."""
    return any(value for key, value in query.args.items() if key != "this")


def _unparsed(sql: str, dialect: str, error: Exception) -> QueryError | UnknownOutputError:
    """Why a text does not parse, in the words of whoever knows the dialect best."""
    if dialect == "duckdb":
        found = _by_duckdb(sql)
        return found or UnknownOutputError(
            f"DuckDB can parse the query, and the parser that its columns are worked out with cannot: {_words(error)}"
        )
    if isinstance(error, RecursionError):
        return UnknownOutputError("the query is nested too deeply to be read")
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        end = _offset(sql, first.get("line") or 1, first.get("col") or 1)
        length = len(first.get("highlight") or " ")
        place = (max(0, end - length), end)
        return QueryError("syntax", f"The query does not parse as {dialect}: {_words(error)}.", place)
    return QueryError("syntax", f"The query does not parse as {dialect}: {_words(error)}.")


def _words(error: Exception) -> str:
    """What the parser says against a text."""
    words = error.errors[0].get("description") if isinstance(error, ParseError) and error.errors else str(error)
    return (words or "").split("\n")[0].rstrip(".") or "it cannot be read"


def _by_duckdb(sql: str) -> QueryError | None:
    """What DuckDB's own parser says against a text, if it does."""
    try:
        duckdb.extract_statements(sql)
    except duckdb.Error as error:
        return _read_duckdb(sql, str(error))
    except (RuntimeError, ValueError, UnicodeError) as error:
        return QueryError("syntax", f"The query does not parse as duckdb: {error}.")
    return None


def _read_duckdb(sql: str, text: str) -> QueryError:
    """One of DuckDB's parser errors, with its place."""
    words = re.sub(r"\s+", " ", re.sub(r"^\w+ Error: ", "", _DUCKDB_LINE.split(text)[0])).strip().rstrip(".")
    return QueryError("syntax", f"The query does not parse as duckdb: {words}.", duckdb_place(sql, text))


def duckdb_place(sql: str, text: str) -> tuple[int, int] | None:
    """The place in a text that the caret of one of DuckDB's errors points to, if it does."""
    found = _DUCKDB_LINE.search(text)
    if found is None:
        return None
    number, shown, blanks = int(found[1]), found[2], len(found[3]) - len(f"LINE {found[1]}: ")
    lines = sql.split("\n")
    if number > len(lines) or blanks < 0:
        return None
    cut = shown.startswith("...")
    column = lines[number - 1].find(shown.strip(".")) + blanks - 3 if cut else blanks
    start = sum(len(line) + 1 for line in lines[: number - 1]) + max(0, column)
    token = _TOKEN.match(sql, start)
    return start, token.end() if token else start


def _offset(sql: str, line: int, column: int) -> int:
    """The offset of a line and a column that begin at one."""
    lines = sql.split("\n")
    return min(len(sql), sum(len(one) + 1 for one in lines[: line - 1]) + column)
