"""Polars expressions as text and as trees.

The only module that reads their serialized form, which Polars does not promise to keep; `tests/test_upstream.py` pins
it.
"""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Functions that Polars keeps in families; their names are `<family>.<function>` here.
_FAMILIES = frozenset(
    [
        "Boolean",
        "StringExpr",
        "BinaryExpr",
        "TemporalExpr",
        "ListExpr",
        "ArrayExpr",
        "StructExpr",
        "Categorical",
        "PowFunction",
    ]
)

_ON_ELEMENTS = frozenset(["List", "ListAgg", "Array", "ArrayAgg"])


@dataclass(frozen=True)
class Node:
    """One node of an expression.

    Args:
        kind: What it is: `Column`, `Literal`, `BinaryExpr`, `Ternary`, `Cast`, `Over`, `Eval`, `Agg.Sum`, …; for a
            function its name, such as `Boolean.IsUnique` or `Shift`. `?` is something this module cannot read.
        children: The nodes it reads, in order. Of `Over` the first is the windowed expression; of `Eval` the second is
            what is evaluated on the elements.
        column: The name of a column; `None` for every other kind.
        keys: Of `Over`, the nodes it is partitioned by.
    """

    kind: str
    children: tuple[Node, ...] = ()
    column: str | None = None
    keys: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """This node and every node below it, keys included."""
        yield self
        for child in (*self.children, *self.keys):
            yield from child.walk()


UNREADABLE = Node("?")
_LITERAL_KIND = re.compile(r"\bdyn (?:int|float|str): ")
_COMPARISON = re.compile(r'\[\((col\("[^"\\]*"\))\) ([<>=!]=?) \((?:dyn (?:int|float): )?(-?[\d.]+)\)\]')
_QUOTED, _BRACKET = re.compile(r'("(?:[^"\\]|\\.)*")'), re.compile(r"[\[\]]")
_WRAPPED_TWICE = re.compile(r"\((\([^()]*(?:\([^()]*\)[^()]*)*\))\)")
_WRAPPED_ATOM = re.compile(r'(?<![\w.])\((col\("[^"]*"\)|-?[\d.]+)\)')


def tree(expr: pl.Expr) -> Node:
    """An expression as a tree; whatever cannot be read is a node of the kind `?`."""
    try:
        return _node(json.loads(expr.meta.serialize(format="json")))
    except (pl.exceptions.PolarsError, ValueError, RecursionError):
        return UNREADABLE


def readable_text(expr: pl.Expr) -> str:
    """An expression as a person reads it: without the brackets and the literal kinds that Polars prints."""
    text = str(expr)
    comparison = _COMPARISON.fullmatch(text)  # most rules are one, and it is found ten times as fast
    if comparison is not None:
        return " ".join(comparison.groups())
    text = _round_brackets(_LITERAL_KIND.sub("", text))
    while (shorter := _WRAPPED_TWICE.sub(r"\1", _WRAPPED_ATOM.sub(r"\1", text))) != text:
        text = shorter
    return text[1:-1] if _is_wrapped(text) else text


def stable_text(expr: pl.Expr) -> str:
    """An expression as text that is equal in every process with the same Polars.

    A Python function inside the expression is known by its place only: its code has no stable form.
    """
    text = str(expr)
    if "python_udf" in text.lower():
        return text
    try:
        return str(expr.meta.serialize(format="json"))
    except pl.exceptions.PolarsError:
        return text


def build(expression: Callable[[], object]) -> pl.Expr:
    """Call the code that makes a rule's expression.

    Raises:
        TypeError: It returns something else than a `pl.Expr`.
        Exception: Whatever the code raises.
    """
    expr = expression()
    if not isinstance(expr, pl.Expr):
        raise TypeError(f"it returned {type(expr).__name__}, not a pl.Expr")
    return expr


def _round_brackets(text: str) -> str:
    """Polars prints `[(a) > (b)]` for what is not a list; a list's brackets stay."""
    if "[" not in text:
        return text
    kinds: list[bool] = []

    def shown(bracket: re.Match[str]) -> str:
        if bracket[0] == "[":
            kinds.append(bracket.string[bracket.end() : bracket.end() + 1] == "(")
            return "(" if kinds[-1] else "["
        return ")" if kinds and kinds.pop() else "]"

    parts = _QUOTED.split(text)
    for at in range(0, len(parts), 2):  # every other part is a quoted name or text
        parts[at] = _BRACKET.sub(shown, parts[at])
    return "".join(parts)


def _is_wrapped(text: str) -> bool:
    """Whether one pair of brackets stands around all of a text."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if not depth:
            return char == ")" and at == len(text) - 1
    return False


def _node(part: Any) -> Node:
    if isinstance(part, str):
        return Node(part)
    if not isinstance(part, dict) or len(part) != 1:
        return UNREADABLE
    ((kind, body),) = part.items()
    reader = _READERS.get(kind)
    try:
        return reader(body) if reader else UNREADABLE
    except (KeyError, TypeError, ValueError, IndexError):
        return UNREADABLE


def _function(body: dict[str, Any]) -> Node:
    return Node(_function_name(body["function"]), tuple(_node(part) for part in body["input"]))


def _function_name(function: Any) -> str:
    if isinstance(function, str):
        return function
    ((name, rest),) = function.items()
    if name not in _FAMILIES:
        return str(name)
    return f"{name}.{rest if isinstance(rest, str) else next(iter(rest))}"


def _literal(body: Any) -> Node:
    """One value for all rows, or values by position, which is another matter: plain ones, or one list a row."""
    if not isinstance(body, dict):
        return Node("Literal.Lists")
    (kind,) = body
    if kind in {"Scalar", "Dyn"}:
        return Node("Literal")
    text = io.StringIO(json.dumps({"Literal": body}))
    (dtype,) = pl.select(pl.Expr.deserialize(text, format="json")).dtypes if kind == "Series" else [pl.List]
    return Node("Literal.Lists" if dtype.is_nested() else "Literal.Series")


def _over(body: dict[str, Any]) -> Node:
    order = body["order_by"]
    ordering = (_node(order[0]),) if order else ()
    kind = "Over" if body["mapping"] == "GroupsToRows" else "?"
    return Node(kind, (_node(body["function"]), *ordering), keys=tuple(_node(part) for part in body["partition_by"]))


def _evaluation(body: dict[str, Any]) -> Node:
    """An expression on the elements of a row's list, or on the rows up to each row, which is another matter."""
    variant = body["variant"]
    name = variant if isinstance(variant, str) else next(iter(variant))
    return Node("Eval" if name in _ON_ELEMENTS else "?", (_node(body["expr"]), _node(body["evaluation"])))


def _aggregation(body: dict[str, Any]) -> Node:
    ((name, rest),) = body.items()
    inner = rest.get("input", rest) if isinstance(rest, dict) else rest
    return Node(f"Agg.{name}", (_node(inner),))


_READERS: dict[str, Callable[[Any], Node]] = {
    "Column": lambda body: Node("Column", column=body),
    "Literal": _literal,
    "Function": _function,
    "BinaryExpr": lambda body: Node("BinaryExpr", (_node(body["left"]), _node(body["right"]))),
    "Ternary": lambda body: Node("Ternary", tuple(_node(body[part]) for part in ("predicate", "truthy", "falsy"))),
    "Cast": lambda body: Node("Cast", (_node(body["expr"]),)),
    "Alias": lambda body: Node("Alias", (_node(body[0]),)),
    "Over": _over,
    "Eval": _evaluation,
    "Agg": _aggregation,
}
