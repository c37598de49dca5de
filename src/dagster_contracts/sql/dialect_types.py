"""A type's spelling in a dialect -> `Type`, and back."""

from __future__ import annotations

import re
from functools import lru_cache

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.contract.types import Type, parse_type
from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_type_names import DECIMALS, DIALECTS, NAMELESS, SPELLINGS

_TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|`([^`]*)`|(\'(?:[^\']|\'\')*\')|(\d+)|(\w+)|(.))', re.UNICODE)
_FLOAT_DIGITS = 24  # Postgres: FLOAT(1) to FLOAT(24) is REAL


def read_type(text: str, dialect: str) -> Type:
    """Read a type as a contract or a source names it: by the vocabulary's exact name, or by the dialect's spelling.

    Args:
        text: Such as `Int64`, `BIGINT`, `NUMERIC(10,2)`, `ARRAY<STRING>`. The vocabulary's names are read as they are
            written, so `Int8` has eight bits, and `INT8` is what the dialect says it is.
        dialect: One of `DIALECTS`.

    Returns:
        The type.

    Raises:
        UnknownTypeError: Neither knows the name, or the vocabulary has no name for the dialect's type.
    """
    try:
        return parse_type(text)
    except UnknownTypeError as in_vocabulary:
        try:
            found = spelled_type(text, dialect)
        except UnknownTypeError as in_dialect:
            raise _nearest(text, dialect, in_vocabulary) from in_dialect
    if found is None:
        raise UnknownTypeError(
            f"{text} is a type of {dialect} that contracts have no name for, so it cannot be checked."
        )
    return found


@lru_cache(maxsize=4096)
def spelled_type(text: str, dialect: str) -> Type | None:
    """Read a type from a dialect's own spelling, without the vocabulary's names.

    Args:
        text: The spelling, as the dialect writes it in DDL.
        dialect: One of `DIALECTS`.

    Returns:
        The type; `None` where the dialect has such a type and the vocabulary has no name for it.

    Raises:
        UnknownTypeError: The dialect has no such type.
    """
    if dialect not in DIALECTS:
        raise UnknownTypeError(f"{dialect!r} is not a dialect whose types are known.{did_you_mean(dialect, DIALECTS)}")
    reader = _Spelling(text, dialect)
    found = reader.type()
    if reader.tokens[reader.at :]:
        raise reader.unknown()
    return found


def type_sql(of: Type, dialect: str) -> str | None:
    """Spell a type in a dialect.

    Args:
        of: The type.
        dialect: One of `DIALECTS`.

    Returns:
        The spelling; `None` where the dialect has no such type, or where too little of the type is known to spell it.
    """
    if of.name == "Decimal":
        return _decimal_sql(of, dialect)
    if of.args or of.fields:
        return _nested_sql(of, dialect)
    if of.name in ("Array", "Struct", "Map") and dialect != "snowflake":
        return None
    return next((text for text, known in SPELLINGS[dialect].items() if known == of), None)


def _decimal_sql(of: Type, dialect: str) -> str | None:
    """A decimal's spelling."""
    exact = next((text for text, known in DECIMALS[dialect].items() if known == of), None)
    if exact or of.precision is None:
        return exact
    return f"{'BIGNUMERIC' if dialect == 'bigquery' and of.precision > 38 else next(iter(DECIMALS[dialect]))}({of.precision},{of.scale or 0})"  # noqa: E501, PLR2004


def _nested_sql(of: Type, dialect: str) -> str | None:
    """The spelling of an array, a map or a struct whose insides are known."""
    inside = [type_sql(inner, dialect) for inner in (*of.args, *(inner for _, inner in of.fields))]
    parts = [part for part in inside if part is not None]
    if len(parts) < len(inside):
        return None
    if of.name == "Array":
        return f"{parts[0]}[]" if dialect in ("duckdb", "postgres") else _bracketed("ARRAY", parts, dialect)
    if dialect == "postgres" or (dialect == "bigquery" and of.name == "Map"):
        return None
    if of.name == "Map":
        return _bracketed("MAP", parts, dialect)
    mark, colon = (
        ("`", ": " if dialect == "databricks" else " ") if dialect in ("bigquery", "databricks") else ('"', " ")
    )
    names = [mark + name.replace(mark, mark * 2) + mark for name, _ in of.fields]
    fields = [f"{name}{colon}{part}" for name, part in zip(names, parts, strict=True)]
    return _bracketed("OBJECT" if dialect == "snowflake" else "STRUCT", fields, dialect)


def _bracketed(name: str, parts: list[str], dialect: str) -> str:
    """A name and its insides in the dialect's brackets."""
    opening, closing = "<>" if dialect in ("bigquery", "databricks") else "()"
    return f"{name}{opening}{', '.join(parts)}{closing}"


def _nearest(text: str, dialect: str, in_vocabulary: UnknownTypeError) -> UnknownTypeError:
    """The error for a name that neither knows, with the nearest name of either."""
    if dialect not in DIALECTS:
        return in_vocabulary
    hint = did_you_mean(text.upper(), [*SPELLINGS[dialect], *DECIMALS[dialect]])
    if "Did you mean" in str(in_vocabulary) or not hint.startswith(" Did"):
        return in_vocabulary
    return UnknownTypeError(f"No type is called {text!r}, neither in contracts nor in {dialect}.{hint}")


class _Spelling:
    """Reads one spelling, token by token."""

    def __init__(self, text: str, dialect: str) -> None:
        self.text = text
        self.dialect = dialect
        self.tokens = [match.groups() for match in _TOKEN.finditer(text) if match.group().strip()]
        self.at = 0

    def unknown(self) -> UnknownTypeError:
        """The error for this spelling."""
        known = [*SPELLINGS[self.dialect], *DECIMALS[self.dialect]]
        return UnknownTypeError(f"{self.dialect} has no type {self.text!r}.{did_you_mean(self.text.upper(), known)}")

    def peek(self) -> str:
        """The next token as a mark or an upper-case word; quoted names and texts are neither."""
        if self.at >= len(self.tokens):
            return ""
        _quoted, _ticked, _literal, number, word, mark = self.tokens[self.at]
        return (number or word or mark or "").upper()

    def take(self, token: str) -> bool:
        """Go past a token if it is the next one."""
        found = self.peek() == token
        self.at += found
        return found

    def expect(self, token: str) -> None:
        """Go past a token that must be there."""
        if not self.take(token):
            raise self.unknown()

    def type(self) -> Type | None:
        """One type with its insides and its array marks."""
        name = self.word()
        if name == "ENUM" and self.dialect == "duckdb":
            self.at = len(self.tokens)
            return None
        if name in ("ARRAY", "MAP", "STRUCT", "OBJECT", "ROW") and self.peek() in ("(", "<"):
            found = self.nested(name)
        else:
            found = self.plain(name)
        while self.take("["):
            fixed = self.peek().isdigit()
            self.at += fixed
            self.expect("]")
            # A DuckDB array of a fixed length is another type than a list.
            found = None if found is None or (fixed and self.dialect == "duckdb") else Type("Array", args=(found,))
        return found

    def word(self) -> str:
        """The words of one name; digits in between, as in `TIMESTAMP(3) WITH TIME ZONE`, are left out."""
        if self.at >= len(self.tokens) or not self.peek().replace("_", "a").isidentifier():
            raise self.unknown()
        words = [self.peek()]
        self.at += 1
        longer = {name.split()[1] for name in self.names() if name.startswith(words[0] + " ")}
        start, digits = self.at, self.digits() if words[0].startswith("TIME") else ()
        if digits and self.peek() not in longer:
            return words[0]
        if not longer:
            self.at = start
        while self.peek() in (longer if len(words) == 1 else {"TIME", "ZONE", "LOCAL"}):
            words.append(self.peek())
            self.at += 1
        return " ".join(words)

    def names(self) -> set[str]:
        """Every name of the dialect."""
        return {*SPELLINGS[self.dialect], *DECIMALS[self.dialect], *NAMELESS[self.dialect]}

    def digits(self) -> tuple[int, ...]:
        """Numbers in parentheses, if they come next."""
        start, found = self.at, []
        if not self.take("("):
            return ()
        while self.peek().isdigit():
            found.append(int(self.peek()))
            self.at += 1
            if self.take(")"):
                return tuple(found)
            self.expect(",")
        self.at = start
        return ()

    def plain(self, name: str) -> Type | None:
        """A type without insides but digits."""
        digits = self.digits()
        if name in DECIMALS[self.dialect]:
            bare = DECIMALS[self.dialect][name]
            return Type("Decimal", digits[0], digits[1] if len(digits) > 1 else 0) if digits else bare
        if name in NAMELESS[self.dialect]:
            self.skip_brackets()
            return None
        if name not in SPELLINGS[self.dialect]:
            raise self.unknown()
        if name == "INTERVAL":
            self.at = len(self.tokens)
        if name == "FLOAT" and digits and self.dialect == "postgres" and digits[0] <= _FLOAT_DIGITS:
            return Type("Float32")
        return SPELLINGS[self.dialect][name]

    def nested(self, name: str) -> Type | None:
        """An array, a map or a struct with its insides."""
        opening = self.peek()
        self.at += 1
        closing = ")" if opening == "(" else ">"
        if name in ("ARRAY", "MAP"):
            args = [self.type()]
            while self.take(","):
                args.append(self.type())
            self.not_null()
            self.expect(closing)
            if len(args) != (1 if name == "ARRAY" else 2):
                raise self.unknown()
            known = [arg for arg in args if arg is not None]
            return Type(name.capitalize(), args=tuple(known)) if len(known) == len(args) else None
        return self.struct(closing)

    def struct(self, closing: str) -> Type | None:
        """A struct's fields."""
        fields: list[tuple[str, Type | None]] = []
        while not fields or self.take(","):
            if self.at >= len(self.tokens):
                raise self.unknown()
            quoted, ticked, _literal, _number, word, _mark = self.tokens[self.at]
            field = (quoted or "").replace('""', '"') or ticked or word
            if not field:
                raise self.unknown()
            self.at += 1
            self.take(":")
            fields.append((field, self.type()))
            self.not_null()
        self.expect(closing)
        known = [(field, of) for field, of in fields if of is not None]
        return Type("Struct", fields=tuple(known)) if len(known) == len(fields) else None

    def not_null(self) -> None:
        """Go past NOT NULL, which is no part of a type here."""
        if self.take("NOT"):
            self.expect("NULL")

    def skip_brackets(self) -> None:
        """Go past whatever is in brackets."""
        depth = 0
        while self.peek() in ("(", "<") or (depth and self.at < len(self.tokens)):
            depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(self.peek(), 0)
            self.at += 1
            if not depth:
                return
