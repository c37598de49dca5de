"""DuckDB's own binder over empty tables: the truth about the names and types that a DuckDB query returns."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import duckdb

from dagster_contracts.sql.query_error import QueryError, QueryErrorCode, RefusedQueryError, UnknownOutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# No file, no network, no extension that is not built in, no Python variable as a table.
_LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": "512MB",
    "threads": "1",
    "errors_as_json": "true",  # with the place of what is wrong
}
_MOST_PARTS = 3
_MOST_VALUES = 12
_WORD = re.compile(r"\w+|\S")
_EXPLAIN = "EXPLAIN\n"
_TAIL = re.compile(r"\s*(Candidate functions:|LINE \d+:).*", re.DOTALL)
_REFUSALS = (duckdb.ProgrammingError, duckdb.NotSupportedError, duckdb.DataError)
_NO_TABLE = re.compile(r"(Table|View) with name|Catalog \"|.*depth limit")
_CODES: tuple[tuple[str, QueryErrorCode], ...] = (
    (r"Ambiguous reference|ambiguous", "ambiguous-column"),
    (r"Referenced table .* not found", "unknown-relation"),
    (r"Referenced column|does not have a column named|not found in FROM clause", "unknown-column"),
    (r"same number of result columns|Subquery returns|aliases", "column-count"),
    (r"No function matches|Cannot (compare|mix|combine)|Could not choose a best candidate|type", "type-error"),
)


class Binder:
    """One in-memory DuckDB, locked down, that knows tables by their columns and holds no row.

    A table's name means the same in every query that one binder describes. A table that was created once is created
    again only when its columns are others.
    """

    _opened: duckdb.DuckDBPyConnection | None

    def __init__(self) -> None:
        self._trials: dict[str, Binder] = {}
        self._clear()

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """The database, started when it is first asked: what is known from before needs none."""
        if self._opened is None:
            self._opened = duckdb.connect(":memory:", config=_LOCKED)
            self._opened.execute("SET lock_configuration = true")
        return self._opened

    def _clear(self) -> None:
        """Forget everything; the next question starts an empty database."""
        self._opened = None
        self._tables: dict[tuple[str, ...], tuple[tuple[str, str], ...]] = {}
        self._homes: set[tuple[str, ...]] = {("main",), ("memory", "main")}
        self._functions: frozenset[str] = frozenset()
        self._defined: set[tuple[str, ...]] = set()

    def declare(self, name: Sequence[str], columns: tuple[tuple[str, str], ...]) -> None:
        """Make a table known.

        Args:
            name: The parts of its name: catalog, schema and table, or fewer.
            columns: Each column's name and type, as DuckDB spells it.

        Raises:
            UnknownOutputError: DuckDB can hold no table of that name or with those columns.
        """
        key = tuple(part.lower() for part in name)
        if self._tables.get(key) == columns:
            return
        if len(key) > _MOST_PARTS or not columns:
            raise UnknownOutputError(f"DuckDB has no place for a table {'.'.join(name)} of {len(columns)} columns")
        listed = ", ".join(f"{_quoted(column)} {of}" for column, of in columns)
        try:
            self._make_home(key[:-1])
            self._connection.execute(f"CREATE OR REPLACE TABLE {'.'.join(map(_quoted, name))} ({listed})")
        except (duckdb.Error, RuntimeError, ValueError) as error:
            raise UnknownOutputError(f"DuckDB cannot declare {'.'.join(name)}: {_brief(error)}") from error
        self._tables[key] = columns

    def trial(self, of: str) -> Binder:
        """Another binder, in which columns and functions of a type stand in for what is not known."""
        return self._trials.setdefault(of, Binder())

    def define(self, function: tuple[str, ...], of: str) -> None:
        """Make a function known that takes up to twelve values of any type.

        Args:
            function: The parts of its name.
            of: The type that it returns, as DuckDB spells it.

        Raises:
            UnknownOutputError: DuckDB can have no function of that name.
        """
        if function in self._defined:
            return
        stubs = ", ".join(_stub(count, of) for count in range(_MOST_VALUES + 1))
        try:
            self._make_home(function[:-1])
            self._connection.execute(f"CREATE OR REPLACE MACRO {'.'.join(map(_quoted, function))} {stubs}")
        except duckdb.Error as error:
            raise UnknownOutputError(f"DuckDB can have no function {'.'.join(function)}: {_brief(error)}") from error
        self._defined.add(function)

    def describe(self, sql: str) -> tuple[tuple[str, str], ...]:
        """Bind one query.

        Args:
            sql: The query's text, which reads declared tables only.

        Returns:
            Each output column's name and type, as DuckDB spells it.

        Raises:
            QueryError: The query is wrong.
            RefusedQueryError: DuckDB refuses the query, as it has no such function or type, or cannot do what it says.
            UnknownOutputError: DuckDB cannot tell without data, files, extensions, or tables that were not declared.
        """
        try:
            statements = self._connection.extract_statements(sql)
            if any(one.type != duckdb.StatementType.SELECT for one in statements):
                raise UnknownOutputError(
                    "DuckDB can tell the columns of this statement only by running it; "
                    "those of a PIVOT, where it lists the values: ON kind IN ('a', 'b')"
                )
            if len(statements) != 1:
                raise QueryError("syntax", f"A model is one query; this text has {len(statements)} statements.")
            if statements[0].named_parameters:
                raise RefusedQueryError(
                    f"the query has parameters: {', '.join(sorted(statements[0].named_parameters))}"
                )
            bound = self._connection.sql(statements[0])
            return tuple(zip(bound.columns, map(str, bound.types), strict=True))
        except (duckdb.Error, RuntimeError, ValueError) as error:
            if isinstance(error, duckdb.InternalException | duckdb.FatalException):
                self._clear()  # a database that met an internal error answers no further query
            read = _read(error)
            if isinstance(read, QueryError | RefusedQueryError):
                read.position = self._place(sql)
            raise read from error

    def _place(self, sql: str) -> tuple[int, int] | None:
        """Where in a query that DuckDB refuses the mistake is, as far as DuckDB says so."""
        try:
            self._connection.execute(f"{_EXPLAIN}{sql}")
        except (duckdb.Error, RuntimeError, ValueError) as error:
            details = _details(error)
        else:
            return None
        found = re.fullmatch(r"\[(\d+),(\d+)\]", details.get("location") or f"[{details.get('position')},0]")
        if found is None or int(found[1]) < len(_EXPLAIN):
            return None
        data = sql.encode("utf-8", "surrogatepass")
        start = int(found[1]) - len(_EXPLAIN)
        before, at = data[:start], data[start : start + int(found[2])]
        first, length = len(before.decode("utf-8", "replace")), len(at.decode("utf-8", "replace"))
        word = _WORD.match(sql, first)  # DuckDB 1 tells no length
        return first, first + length if length or word is None else word.end()

    def calls(self, sql: str) -> dict[str, tuple[int, int] | None]:
        """The functions that a query calls, in small letters, in the text's order, each with a place.

        DuckDB's own parser finds them, so nothing needs to be known of the tables that the query reads.

        Args:
            sql: The query's text. Of what is no SELECT, none are found.

        Raises:
            QueryError: DuckDB cannot parse it.
        """
        try:
            self._connection.extract_statements(sql)
        except duckdb.ParserException as error:
            read = _read(error)
            if isinstance(read, QueryError):
                read.position = self._place(sql)
                raise read from error
        try:
            (text,) = self._connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0]
            found = json.loads(text)
        except (duckdb.Error, RuntimeError, ValueError, RecursionError):
            return {}
        data = sql.encode("utf-8", "surrogatepass")
        called = [(name.lower(), _place(name, at, data)) for name, at in _functions(found)]
        places: dict[str, tuple[int, int] | None] = {}
        for name, place in sorted(called, key=lambda one: one[1] or (len(sql), 0)):
            places.setdefault(name, place)
        return places

    def functions(self) -> frozenset[str]:
        """The functions that DuckDB has without an extension that is not built in, in small letters."""
        if not self._functions:
            rows = self._connection.execute("SELECT DISTINCT lower(function_name) FROM duckdb_functions()").fetchall()
            self._functions = frozenset(name for (name,) in rows)
        return self._functions

    def close(self) -> None:
        """Close the connection, and those of its trials."""
        for trial in self._trials.values():
            trial.close()
        if self._opened is not None:
            self._opened.close()

    def _make_home(self, home: tuple[str, ...]) -> None:
        """Create the catalog and the schema that a table is in."""
        if not home or home in self._homes:
            return
        if len(home) > 1 and home[:1] not in self._homes:
            self._connection.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {_quoted(home[0])}")
        self._connection.execute(f"CREATE SCHEMA IF NOT EXISTS {'.'.join(map(_quoted, home))}")
        self._homes.add(home)


def _read(error: Exception) -> QueryError | UnknownOutputError:
    """What one of DuckDB's errors says about the query."""
    text = _brief(error)
    if isinstance(error, duckdb.ParserException) and "depth limit" not in text:
        return QueryError("syntax", text)
    if isinstance(error, duckdb.BinderException | duckdb.ConversionException | duckdb.OutOfRangeException):
        if re.search(r"extension|not.*(supported|implemented)|prepared|parameter", text, re.IGNORECASE):
            return RefusedQueryError(f"DuckDB refuses the query: {text}")
        default: QueryErrorCode = "invalid" if isinstance(error, duckdb.BinderException) else "type-error"
        code = next((code for pattern, code in _CODES if re.search(pattern, text)), default)
        return QueryError(code, text)
    if isinstance(error, _REFUSALS) and not _NO_TABLE.match(text):
        return RefusedQueryError(f"DuckDB refuses the query: {text}")
    return UnknownOutputError(f"DuckDB's binder: {text}")


def _stub(count: int, of: str) -> str:
    """A macro's parameters and its body, which reads each of them, so that DuckDB looks into what is given."""
    reads = "".join(f"_{at} IS NULL AND " for at in range(count))
    return f"({', '.join(f'_{at}' for at in range(count))}) AS CASE WHEN {reads}true THEN CAST(NULL AS {of}) END"


def _functions(node: object) -> Iterator[tuple[str, object]]:
    """The names of the functions in a query as DuckDB writes it down, and the byte that each call begins with."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if isinstance(node.get("function_name"), str):
                yield node["function_name"], node.get("query_location")
            waiting += node.values()
        elif isinstance(node, list):
            waiting += reversed(node)


def _place(name: str, at: object, data: bytes) -> tuple[int, int] | None:
    """Where a function's name stands in a text: at this byte, or soon after, behind what it is called on.

    DuckDB does not tell where a function of rows is called; there, it is the first place that looks like it.
    """
    start, behind = 0, r"(?=\s*\()"
    if isinstance(at, int) and at < len(data):
        start, behind = len(data[:at].decode("utf-8", "replace")), ""
    pattern = re.compile(rf"{re.escape(name)}{behind}", re.IGNORECASE)
    found = pattern.search(data.decode("utf-8", "replace"), start)
    return found.span() if found else None


def _details(error: Exception) -> dict[str, str]:
    """What an error says in parts, if it does."""
    _, brace, text = str(error).partition("{")
    try:
        found = json.loads(brace + text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _brief(error: Exception) -> str:
    """An error's text on one line, without its kind and the list of every candidate."""
    text = _TAIL.sub("", _details(error).get("exception_message") or str(error))
    return (
        re.sub(r"^\w+( \w+)? Error: ", "", re.sub(r"\s+", " ", text).replace(" : ", " ")).strip()
        or type(error).__name__
    )


def _quoted(name: str) -> str:
    """An identifier in quotes."""
    return '"' + name.replace('"', '""') + '"'
