"""A lazy frame's plan as plain data: the only module that reads Polars's own, pinned by `tests/test_upstream.py`.

Polars shows its plans to engines that run them elsewhere, as nodes and expressions. A part that is not shown to those,
a Python function above all, ends the reading with a `HiddenError`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# How a serialized plan spells "reads files" and "asks Python for rows"; it tells without opening anything.
_SCAN = re.compile(rb"\x81(\xa4Scan[\x80-\x8f]\xa7sources|\xaaPythonScan[\x80-\x8f])")
_DECIDED_BY_ROWS = {"StringFunction.ToDecimal", "ListFunction.ToStruct", "StringFunction.JsonDecodeInfer"}


@dataclass(frozen=True, eq=False)
class Term:
    """One expression, or a part of one.

    Args:
        kind: `column`, `literal`, `binary`, `cast`, `function`, `agg`, `len`, `ternary`, `window`, or another word of
            Polars for something that is only walked through.
        name: The column's name, the operator, the function or the aggregation.
        terms: What it is made of, in Polars's order.
        options: A function's further arguments; a literal's value; whether a cast is strict.
        dtype: Its dtype, where Polars tells.
    """

    kind: str
    name: str = ""
    terms: tuple[Term, ...] = ()
    options: tuple[Any, ...] = ()
    dtype: pl.DataType | None = None


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a plan.

    Args:
        kind: Polars's name of it, such as `Select`, `Join`, `DataFrameScan`.
        inputs: The steps it works on.
        schema: The columns that come out of it.
        outputs: Named expressions: what is selected, added, aggregated.
        keys: Named expressions it works by: group keys; the left side's join keys, then the right side's.
        predicate: What rows must be to stay.
        options: Anything else, as Polars has it.
    """

    kind: str
    inputs: tuple[Step, ...]
    schema: Mapping[str, pl.DataType]
    outputs: tuple[tuple[str, Term], ...] = ()
    keys: tuple[tuple[tuple[str, Term], ...], ...] = ()
    predicate: Term | None = None
    options: tuple[Any, ...] = field(default=())


class HiddenError(Exception):
    """A plan has a part that Polars does not show."""


def read_plan(frame: pl.LazyFrame) -> Step:
    """The plan of a lazy frame as it was written, before Polars optimizes it.

    Raises:
        HiddenError: A part of it is not shown: a Python function, a plugin, a fold, or a step that is newer than this.
        polars.exceptions.PolarsError: The plan does not resolve, such as a column that is not there.
    """
    plain = frame._ldf.with_optimizations(pl.QueryOptFlags.none()._pyoptflags)  # noqa: SLF001
    try:
        plan = plain.visit()
        return _step(plan, plan.get_node())
    except NotImplementedError as error:
        raise HiddenError(_hidden(str(error))) from error
    except pl.exceptions.PanicException as error:
        raise HiddenError(f"a plan that Polars fails to read ({error})") from error


def trouble_with(frame: object) -> str | None:  # noqa: PLR0911  (one a reason)
    """Why a plan must not be run in a dry run, or why its schema is not the last word; `None` if it is fine."""
    if not isinstance(frame, pl.LazyFrame):
        return None
    try:
        if _SCAN.search(frame.serialize()):
            return "a plan that reads files"
    except (pl.exceptions.PolarsError, ValueError):
        return "a plan with a Python function in it"
    try:
        step = read_plan(frame)
    except HiddenError as error:
        return str(error)
    except pl.exceptions.PolarsError:
        return None  # it does not resolve: running it says so
    for term in terms_of(step):
        if _is_decided_by_rows(term):
            return f"a plan whose dtypes depend on its rows ({term.name.split('.')[-1]})"
    return None


def terms_of(step: Step) -> Iterator[Term]:
    """Every expression of a plan and every part of one."""
    below = [term for _, term in step.outputs]
    below += [term for side in step.keys for _, term in side]
    below += [step.predicate] if step.predicate is not None else []
    while below:
        term = below.pop()
        below += term.terms
        yield term
    for one in step.inputs:
        yield from terms_of(one)


def _is_decided_by_rows(term: Term) -> bool:
    if term.name == "StringFunction.Strptime":
        return term.options[0] is None
    # Polars 2.1 reverses a column of lists that are all null into one of List(Null).
    return term.name in _DECIDED_BY_ROWS or (term.name == "reverse" and term.dtype in (None, pl.List))


def _hidden(what: str) -> str:
    known = {"anonymousfunction": "a plan with a Python function in it", "fold": "a plan with a Python function in it"}
    return known.get(what.lower(), f"a plan with a part that Polars does not show ({what})")


def _step(plan: Any, node: int) -> Step:
    plan.set_node(node)
    view = plan.view_current_node()
    kind, schema, below = type(view).__name__, dict(plan.get_schema()), list(plan.get_inputs())
    if kind in ("Scan", "PythonScan"):
        raise HiddenError("a plan that reads files" if kind == "Scan" else "a plan that asks Python for rows")
    above = below or [node]  # dtypes are told for the columns that come in, the right side's for its keys
    at = {"right_on": above[-1]}
    exprs = getattr(view, "aggs", None) or getattr(view, "exprs", None) or getattr(view, "expr", ())
    outputs = _named(plan, above[0], exprs)
    sides = [name for name in ("keys", "left_on", "right_on", "by_column") if hasattr(view, name)]
    keys = tuple(_named(plan, at.get(name, above[0]), getattr(view, name)) for name in sides)
    predicates = [getattr(view, name, None) for name in ("predicate", "selection")]
    predicate = next((one for _, one in _named(plan, node, [one for one in predicates if one is not None])), None)
    options = _options(kind, view)
    return Step(kind, tuple(_step(plan, one) for one in below), schema, outputs, keys, predicate, options)


def _options(kind: str, view: Any) -> tuple[Any, ...]:
    """What a step's kind alone does not say."""
    if kind == "DataFrameScan":
        return (pl.DataFrame._from_pydf(view.df),)  # noqa: SLF001
    if kind == "GroupBy":
        return (view.options.dynamic is not None or view.options.rolling is not None or bool(view.apply),)
    if kind == "MapFunction":
        return tuple(view.function)
    if kind == "Join":
        return tuple(view.options)
    return ()


def _named(plan: Any, node: int, exprs: Any) -> tuple[tuple[str, Term], ...]:
    """Expressions over the columns of a step, by the names of their results."""
    plan.set_node(node)
    return tuple((one.output_name, _term(plan, one.node)) for one in exprs)


def _term(plan: Any, node: int) -> Term:  # noqa: C901, PLR0911  (one case a kind of expression)
    """One expression; whatever has no case of its own is walked through, so that nothing in it stays unseen."""
    view, dtype = plan.view_expression(node), _dtype(plan, node)
    kind = type(view).__name__

    def below(*nodes: int) -> tuple[Term, ...]:
        return tuple(_term(plan, one) for one in nodes)

    match kind:
        case "Column":
            return Term("column", view.name, dtype=dtype)
        case "Literal":
            return Term("literal", options=(_value(view.value),), dtype=dtype)
        case "BinaryExpr":
            return Term("binary", str(view.op).removeprefix("Operator."), below(view.left, view.right), dtype=dtype)
        case "Cast":
            return Term("cast", "strict" if view.options == 0 else "lossy", below(view.expr), dtype=dtype)
        case "Function":
            name, *options = view.function_data
            return Term("function", str(name), below(*view.input), tuple(options), dtype)
        case "Agg":
            return Term("agg", view.name, below(*view.arguments), (view.options,), dtype)
        case "Len":
            return Term("len", dtype=dtype)
        case "Ternary":
            return Term("ternary", "", below(view.predicate, view.truthy, view.falsy), dtype=dtype)
        case "Window":
            return Term("window", "", below(view.function, *view.partition_by), dtype=dtype)
    return Term(kind, "", below(*_nodes_of(kind, view)), dtype=dtype)


_PARTS = {
    "Alias": ("expr",),
    "Explode": ("expr",),
    "Filter": ("input", "by"),
    "Gather": ("expr", "idx"),
    "Slice": ("input", "offset", "length"),
    "Sort": ("expr",),
    "SortBy": ("expr", "by"),
}


def _nodes_of(kind: str, view: Any) -> list[int]:
    if kind not in _PARTS:
        raise HiddenError(f"a plan with a part that Polars does not show ({kind})")
    found: list[int] = []
    for name in _PARTS[kind]:
        value = getattr(view, name)
        found += value if isinstance(value, list) else [value]
    return found


def _value(value: Any) -> Any:
    """A literal's value, a series as Python has it."""
    return pl.Series._from_pyseries(value) if type(value).__name__ == "PySeries" else value  # noqa: SLF001


def _dtype(plan: Any, node: int) -> pl.DataType | None:
    try:
        dtype: pl.DataType = plan.get_dtype(node)
    except (NotImplementedError, pl.exceptions.PolarsError):
        return None
    return dtype
