"""Where an asset's function and its contract's columns are written."""

from __future__ import annotations

import ast
import inspect
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster_contracts.diagnostics.finding import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def function_span(fn: Callable[..., Any]) -> Span | None:
    """What a function returns, where it returns in one place; else its name."""
    code = getattr(inspect.unwrap(fn), "__code__", None)
    text = text_of(code.co_filename) if code is not None else None
    if code is None or text is None:
        return None
    for node in ast.walk(_tree(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if first == code.co_firstlineno:
                returns = [one for one in _own_nodes(node) if isinstance(one, ast.Return) and one.value is not None]
                return (
                    _span(code.co_filename, text, returns[0])
                    if len(returns) == 1
                    else _name_span(code.co_filename, text, node)
                )
    return Span(shown(code.co_filename), code.co_firstlineno, 1, code.co_firstlineno, 1)


def column_span(contract: object, column: str | None) -> Span | None:
    """Where a contract that is a class declares a column; without a column, where the class is."""
    if not isinstance(contract, type):
        return None
    for kind in contract.__mro__:
        file, node, text = _class_of(kind)
        if node is None or text is None:
            continue
        if column is None:
            return _name_span(file, text, node)
        for one in node.body:
            names = [target.id for target in _targets(one) if isinstance(target, ast.Name)]
            if column in names:
                return _span(file, text, one)
    return column_span(contract, None) if column is not None else None


def text_of(file: str) -> str | None:
    """A source file's text, or `None` if there is no such file."""
    try:
        return Path(file).read_text("utf-8")
    except (OSError, ValueError):
        return None


def shown(file: str) -> str:
    """A file as reports name it: relative to the current folder where it lies inside of it."""
    path = Path(file)
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


@lru_cache(maxsize=256)
def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError:  # a notebook's cell, or a file that was changed
        return ast.Module([], [])


def _class_of(kind: type) -> tuple[str, ast.ClassDef | None, str | None]:
    try:
        file = inspect.getfile(kind)
    except (OSError, TypeError):
        return "", None, None
    text = text_of(file)
    nodes = [
        node for node in ast.walk(_tree(text or "")) if isinstance(node, ast.ClassDef) and node.name == kind.__name__
    ]
    return file, nodes[0] if len(nodes) == 1 else None, text


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, those of functions inside of it left out."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield child
            yield from _own_nodes(child)


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def _span(file: str, text: str, node: ast.stmt) -> Span:
    lines = text.splitlines()

    def column(line: int, offset: int) -> int:
        """`ast` counts bytes, spans count characters."""
        return len(lines[line - 1].encode()[:offset].decode("utf-8", "replace")) + 1

    last, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Span(shown(file), node.lineno, column(node.lineno, node.col_offset), last, column(last, end))


def _name_span(file: str, text: str, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Span:
    line = text.splitlines()[node.lineno - 1]
    start = line.find(node.name, node.col_offset) + 1
    return Span(shown(file), node.lineno, start, node.lineno, start + len(node.name))
