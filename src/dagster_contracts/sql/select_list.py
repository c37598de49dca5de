"""Where the items of a model's outermost SELECT stand in its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import TokenType
from sqlglot.errors import SqlglotError

if TYPE_CHECKING:
    from sqlglot import Token

_OPENS = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSES = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}
_SETS = {TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT}
_ENDS = {
    *(TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.WINDOW, TokenType.QUALIFY),
    *(TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH, TokenType.SEMICOLON, *_SETS),
}


@dataclass(frozen=True)
class Item:
    """One item of a SELECT.

    Args:
        start: Its first character.
        end: One past its last.
        expression_end: One past the last character of what stands before its alias.
        alias: The alias that `AS` gives it, as it is written; `None` without one.
        is_star: Whether it may stand for several columns.
    """

    start: int
    end: int
    expression_end: int
    alias: str | None
    is_star: bool


def find_items(sql: str, dialect: str) -> tuple[Item, ...]:
    """The items of a query's outermost SELECT; none where it is not one plain SELECT.

    Args:
        sql: The query's text.
        dialect: Its dialect.
    """
    tokens = _tokens(sql, dialect)
    outer = _outermost(tokens)
    selects = [at for at in outer if tokens[at].token_type is TokenType.SELECT]
    is_plain = len(selects) == 1 and not any(tokens[at].token_type in _SETS for at in outer)
    return _items(tokens[selects[0] + 1 :]) if is_plain else ()


def item_places(sql: str, dialect: str) -> tuple[tuple[int, int], ...]:
    """Where each item of the first SELECT that stands in no brackets is, from its first character to after its last.

    The first SELECT of a set operation names its columns. None are found where a query begins otherwise.

    Args:
        sql: The query's text.
        dialect: Its dialect.
    """
    return _places(_tokens(sql, dialect))


def output_place(sql: str, dialect: str) -> tuple[int, int] | None:
    """Where a query says what it returns: the items of its first SELECT, or else its first word; none in no query.

    Args:
        sql: The query's text.
        dialect: Its dialect.
    """
    tokens = _tokens(sql, dialect)
    places = _places(tokens)
    if places:
        return places[0][0], places[-1][1]
    return (tokens[0].start, tokens[0].end + 1) if tokens else None


def _tokens(sql: str, dialect: str) -> list[Token]:
    """The words of a text; none where it cannot be told apart."""
    try:
        return sqlglot.tokenize(sql, dialect=dialect)
    except SqlglotError:
        return []


def _places(tokens: list[Token]) -> tuple[tuple[int, int], ...]:
    """Where the items of the first SELECT are."""
    select = next((at for at in _outermost(tokens) if tokens[at].token_type is TokenType.SELECT), None)
    if select is None:
        return ()
    items = _split(_without_distinct(tokens[select + 1 :]))
    return tuple((item[0][0].start, item[-1][0].end + 1) for item in items if item)


def _without_distinct(tokens: list[Token]) -> list[Token]:
    """The tokens behind DISTINCT, DISTINCT ON (…) or ALL."""
    if not tokens or tokens[0].token_type not in {TokenType.DISTINCT, TokenType.ALL}:
        return tokens
    if len(tokens) == 1 or tokens[1].token_type is not TokenType.ON:
        return tokens[1:]
    depth = 0
    for at, token in enumerate(tokens[2:], 3):
        depth += (token.token_type in _OPENS) - (token.token_type in _CLOSES)
        if depth == 0:
            return tokens[at:]
    return []


def _outermost(tokens: list[Token]) -> list[int]:
    """The indices of the tokens that stand in no brackets."""
    depth, found = 0, []
    for at, token in enumerate(tokens):
        depth -= token.token_type in _CLOSES
        if depth == 0 and token.token_type not in _OPENS | _CLOSES:
            found.append(at)
        depth += token.token_type in _OPENS
    return found


def _items(tokens: list[Token]) -> tuple[Item, ...]:
    items = [_item(item) for item in _split(tokens)]
    return () if None in items else tuple(one for one in items if one is not None)


def _split(tokens: list[Token]) -> list[list[tuple[Token, int]]]:
    """The tokens of each item, with how many brackets each stands in."""
    depth = 0
    items: list[list[tuple[Token, int]]] = [[]]
    for token in tokens:
        depth -= token.token_type in _CLOSES
        if depth < 0 or (depth == 0 and token.token_type in _ENDS):
            break
        if depth == 0 and token.token_type is TokenType.COMMA:
            items.append([])
        else:
            items[-1].append((token, depth))
        depth += token.token_type in _OPENS
    return items


def _item(tokens: list[tuple[Token, int]]) -> Item | None:
    if not tokens or tokens[0][0].token_type is TokenType.DISTINCT:
        return None
    first, last = tokens[0][0], tokens[-1][0]
    aliased = [at for at, (token, depth) in enumerate(tokens) if depth == 0 and token.token_type is TokenType.ALIAS]
    alias, expression_end = None, last.end + 1
    if aliased and aliased[-1] == len(tokens) - 2:
        alias, expression_end = "", tokens[aliased[-1] - 1][0].end + 1
    return Item(
        start=first.start,
        end=last.end + 1,
        expression_end=expression_end,
        alias=alias if alias is None else _spelled(last),
        is_star=any(token.token_type is TokenType.STAR and depth == 0 for token, depth in tokens),
    )


def _spelled(token: Token) -> str:
    """A name as it stands in the text."""
    return f'"{token.text}"' if token.token_type is TokenType.IDENTIFIER else token.text
