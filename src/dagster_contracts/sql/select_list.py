"""Where the items of a model's outermost SELECT stand in its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import TokenType
from sqlglot.errors import SqlglotError

if TYPE_CHECKING:
    from sqlglot import Token

_OPENS, _CLOSES = {"(", "[", "{"}, {")", "]", "}"}
_SETS = {TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT}
_ENDS = {TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.LIMIT, TokenType.QUALIFY}


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
    try:
        tokens = sqlglot.tokenize(sql, dialect=dialect)
    except SqlglotError:
        return ()
    outer = _outermost(tokens)
    selects = [at for at in outer if tokens[at].token_type is TokenType.SELECT]
    is_plain = len(selects) == 1 and not any(tokens[at].token_type in _SETS for at in outer)
    return _items(tokens[selects[0] + 1 :]) if is_plain else ()


def _outermost(tokens: list[Token]) -> list[int]:
    """The indices of the tokens that stand in no brackets."""
    depth, found = 0, []
    for at, token in enumerate(tokens):
        depth -= token.text in _CLOSES
        if depth == 0 and token.text not in _OPENS | _CLOSES:
            found.append(at)
        depth += token.text in _OPENS
    return found


def _items(tokens: list[Token]) -> tuple[Item, ...]:
    depth = 0
    item: list[tuple[Token, int]] = []
    items: list[Item | None] = []
    for token in tokens:
        depth -= token.text in _CLOSES
        if depth == 0 and token.token_type in _ENDS:
            break
        if depth == 0 and token.token_type is TokenType.COMMA:
            items.append(_item(item))
            item = []
        else:
            item.append((token, depth))
        depth += token.text in _OPENS
    items.append(_item(item))
    return () if None in items else tuple(one for one in items if one is not None)


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
