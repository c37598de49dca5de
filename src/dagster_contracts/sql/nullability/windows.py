"""What window functions can be: over frames that hold the row itself, over frames that can be empty."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.aggregates import aggregated
from dagster_contracts.sql.nullability.evaluate import described, evaluate, evaluates
from dagster_contracts.sql.nullability.fact import Fact, can_be_null, not_null, strict, unknown
from dagster_contracts.sql.nullability.function_table import function_of

if TYPE_CHECKING:
    from dagster_contracts.sql.nullability.scope import Env

_NUMBERING = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist)


@evaluates(exp.Window)
def _window(node: exp.Window, env: Env) -> Fact:  # noqa: PLR0911  (one a kind of function)
    """A function over a window."""
    call = node.this
    peers = env.peers or env
    filtered = isinstance(call, exp.Filter)
    if filtered:
        call = call.this
    while isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
        call = call.this
    if isinstance(call, _NUMBERING):
        return not_null(families.NUMBER)
    if isinstance(call, exp.Ntile):
        return strict([evaluate(call.this, peers)], families.NUMBER) if call.this else unknown("ntile() has no number")
    if isinstance(call, (exp.Lag, exp.Lead)):
        return _shifted(call, peers)
    empty = filtered or _can_be_empty(_frame(node, env))
    if isinstance(call, (exp.FirstValue, exp.LastValue)):
        return _value_in_frame(call, peers, empty=empty)
    if isinstance(call, exp.NthValue):
        return can_be_null(f"{described(call, env)} is NULL where the frame has fewer rows")
    function = function_of(call, env.project.dialect.name)
    if function is None or not function.aggregates:
        return unknown(f"it is not known whether {described(call, env)} can be NULL")
    fact = aggregated(call, function, replace(peers, rows=peers, can_be_empty=empty), can_be_empty=empty)
    if fact.nullable and empty:
        return can_be_null(f"{described(call, env)} is NULL where its window is empty", fact.family)
    return fact


def _shifted(call: exp.Expr, peers: Env) -> Fact:
    """LAG and LEAD: another row's value, or the default where there is no such row."""
    subject, offset, default = call.this, call.args.get("offset"), call.args.get("default")
    if isinstance(subject, (exp.IgnoreNulls, exp.RespectNulls)):
        subject = subject.this
    value = evaluate(subject, peers)
    if default is None:
        return can_be_null(
            f"{described(call, peers)} without a default is NULL where there is no such row", value.family
        )
    if offset is not None and not isinstance(offset.unnest(), exp.Literal):
        return unknown(f"it is not known whether the offset of {described(call, peers)} can be NULL", value.family)
    other = evaluate(default, peers)
    return strict([value, other], families.common_family([value.family, other.family]))


def _value_in_frame(call: exp.Expr, peers: Env, *, empty: bool) -> Fact:
    """FIRST_VALUE and LAST_VALUE: a row's value, if the frame has rows."""
    subject = call.this
    while isinstance(subject, (exp.IgnoreNulls, exp.RespectNulls)):
        subject = subject.this
    if isinstance(subject, exp.Order):
        return unknown(f"it is not known whether {described(call, peers)} can be NULL")
    value = evaluate(subject, peers)
    if empty:
        return can_be_null(f"{described(call, peers)} is NULL where its window is empty", value.family)
    return strict([value], value.family)


def _frame(node: exp.Window, env: Env) -> exp.Expr | None:
    """The frame that a window names itself or takes from a named window."""
    seen: set[str] = set()
    while node.args.get("spec") is None:
        base = node.args.get("alias")
        name = env.project.dialect.key(base) if base is not None else ""
        if not name or name in seen:
            return None
        seen.add(name)
        named = env.windows.get(name)
        if not isinstance(named, exp.Window):
            return exp.WindowSpec(exclude=exp.Var(this="UNKNOWN"))
        node = named
    frame: exp.Expr = node.args["spec"]
    return frame


def _can_be_empty(frame: exp.Expr | None) -> bool:
    """Whether a frame can be without rows: one that always holds the row itself cannot."""
    if frame is None:
        return False
    if frame.args.get("exclude") is not None:
        return True
    starts_before = _side(frame, "start") in {"PRECEDING", "CURRENT"}
    ends_after = _side(frame, "end") in {"FOLLOWING", "CURRENT"}
    return not (starts_before and ends_after)


def _side(frame: exp.Expr, bound: str) -> str:
    """On which side of the row itself a bound of a frame lies."""
    value = frame.args.get(bound)
    if value is None:
        return "CURRENT" if bound == "end" else "UNKNOWN"
    if isinstance(value, str) and value.upper() == "CURRENT ROW":
        return "CURRENT"
    text = value.upper() if isinstance(value, str) else ""
    side = str(frame.args.get(f"{bound}_side") or "").upper()
    if text == "UNBOUNDED" or isinstance(value, (exp.Literal, exp.Interval)):
        return side
    return "UNKNOWN"
