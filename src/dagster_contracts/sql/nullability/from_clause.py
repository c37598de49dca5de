"""FROM: relations joined one after the other, and what the joins do to their columns."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability.evidence import true_of, value_of
from dagster_contracts.sql.nullability.fact import one_of
from dagster_contracts.sql.nullability.pivots import pivoted
from dagster_contracts.sql.nullability.relations import (
    incomplete,
    lateral_view,
    source_of,
    table_output,
    unnest_output,
    values_output,
)
from dagster_contracts.sql.nullability.scope import NOTHING, Env, Extension, Scope, Slot, Source, closure, slot_fact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dagster_contracts.sql.nullability.scope import Known, Output

    Query = Callable[[exp.Expr, Env], Output]

_KINDS = frozenset(["", "INNER", "CROSS", "OUTER"])
_HALVES = frozenset(["SEMI", "ANTI"])
_JOIN_PARTS = frozenset(["this", "on", "side", "kind", "using", "method", "hint", "global_"])


def read_from(select: exp.Select, env: Env, query: Query) -> Scope:
    """The FROM clause of a SELECT.

    Args:
        select: The SELECT.
        env: Where it stands: outer queries and CTEs.
        query: What a subquery returns.

    Returns:
        Its relations, joined.
    """
    clause = select.args.get("from_")
    scope = _relation(clause.this, Scope(), env, query) if clause is not None else Scope()
    for join in select.args.get("joins") or ():
        scope = _joined(scope, join, env, query)
    for view in select.args.get("laterals") or ():
        beside = _seeing(scope, env)
        known = NOTHING if view.args.get("outer") else _exploded(view.this, beside)
        scope = _beside(replace(scope, known=scope.known | known), lateral_view(view, beside))
    return scope


def _exploded(node: exp.Expr, beside: Env) -> Known:
    """The array that a row comes from is not NULL: that of NULL has no rows."""
    if isinstance(node, exp.Unnest) and len(node.expressions) == 1:
        return value_of(node.expressions[0], beside)
    return value_of(node.this, beside) if isinstance(node, exp.Explode) else NOTHING


def _seeing(scope: Scope, env: Env) -> Env:
    """A place in a FROM clause that sees the relations on its left."""
    return replace(
        env,
        scope=scope,
        known=env.columns_known() | scope.known,
        parent=env,
        aliases={},
        rows=None,
        peers=None,
        nulled=NOTHING,
    )


def _single(source: Source) -> Scope:
    """A FROM clause of one relation."""
    return Scope((source,), {}, NOTHING, tuple(source.slots))


def _beside(left: Scope, source: Source) -> Scope:
    """A FROM clause and one relation more."""
    return replace(left, sources=(*left.sources, source), visible=(*left.visible, *source.slots))


def _relation(node: exp.Expr, left: Scope, env: Env, query: Query) -> Scope:
    """One item of a FROM clause, seen with what is on its left."""
    scope = _unpivoted(node, left, env, query)
    for pivot in node.args.get("pivots") or ():
        scope = _single(pivoted(pivot, scope, env))
    for join in node.args.get("joins") or ():
        scope = _joined(scope, join, env, query)
    return scope


def _unpivoted(node: exp.Expr, left: Scope, env: Env, query: Query) -> Scope:  # noqa: PLR0911  (one a kind of relation)
    """One relation before it is pivoted."""
    beside = _seeing(left, env)
    if isinstance(node, exp.Table):
        return _single(source_of(node, table_output(node, beside), env))
    if isinstance(node, exp.Subquery):
        if isinstance(node.this, (exp.Table, exp.Subquery)) and not isinstance(node.this.unnest(), exp.Query):
            return _parenthesized(node, left, env, query)
        inside = beside if env.project.dialect.correlates_from else env
        return _single(source_of(node, query(node, inside), env))
    if isinstance(node, exp.Values):
        return _single(source_of(node, values_output(node, beside), env))
    if isinstance(node, exp.Unnest):
        unnested = _single(source_of(node, unnest_output(node, node.args.get("alias"), beside), env))
        return replace(unnested, known=_exploded(node, beside))
    if isinstance(node, exp.Lateral):
        if isinstance(node.this, exp.Subquery):
            return _single(source_of(node, query(node.this, beside), env))
        if isinstance(node.this, exp.Unnest):
            unnested = _single(source_of(node, unnest_output(node.this, node.args.get("alias"), beside), env))
            return replace(unnested, known=_exploded(node.this, beside))
        return _single(lateral_view(node, beside))
    return _single(source_of(node, incomplete(f"{node.key} in FROM is not supported"), env))


def _parenthesized(node: exp.Subquery, left: Scope, env: Env, query: Query) -> Scope:
    """Joins in parentheses; an alias hides the names inside."""
    scope = _relation(node.this, left, env, query)
    alias = node.args.get("alias")
    if not alias:
        return scope
    dialect = env.project.dialect
    return Scope(
        (Source(dialect.key(alias.this), list(scope.visible), scope.incomplete()),), {}, scope.known, scope.visible
    )


def _joined(left: Scope, join: exp.Join, env: Env, query: Query) -> Scope:
    """Two parts of a FROM clause, joined."""
    right = _relation(join.this, left, env, query)
    side, kind, method = ((join.args.get(name) or "").upper() for name in ("side", "kind", "method"))
    if not _is_supported(join, side, kind, method):
        words = " ".join(word for word in (method, side, kind) if word)
        return _single(source_of(join, incomplete(f"{words} JOIN is not supported"), env))
    if method == "POSITIONAL":
        side = "FULL"
    both = Scope(
        (*left.sources, *right.sources), {**left.merged, **right.merged}, NOTHING, (*left.visible, *right.visible)
    )
    names = _using(join, left, right, method, env)
    if names is None:
        reason = incomplete("NATURAL JOIN of a relation whose columns are not all known")
        return _single(source_of(join, reason, env))
    seeing = _seeing(replace(both, known=left.known | right.known), env)
    condition = join.args.get("on")
    holds = true_of(condition, seeing) if condition is not None else NOTHING
    pairs = {name: (_find(left, name), _find(right, name)) for name in names}
    for pair in pairs.values():
        holds |= closure(slot for slot in pair if slot is not None)
    if kind in {"SEMI", "ANTI"}:
        return _half(left, kind, holds)
    coalesced = _coalesced(left, right, pairs) if side == "FULL" else {}
    known = _extended(left, right, side, holds, _described_join(join, side, method, env))
    merged = {**both.merged, **(coalesced or {name: pair[side == "RIGHT"] for name, pair in pairs.items()})}
    return _merged(replace(both, known=known), left, right, list(pairs), merged=merged, env=env)


def _is_supported(join: exp.Join, side: str, kind: str, method: str) -> bool:
    """Whether it is known what a join does."""
    if any(value and name not in _JOIN_PARTS for name, value in join.args.items()):
        return False
    kinds = {
        "": (_KINDS - {"OUTER"}) | _HALVES,
        "LEFT": _KINDS | _HALVES,
        "RIGHT": _KINDS,
        "FULL": _KINDS,
    }
    return kind in kinds.get(side, frozenset()) and method in {"", "NATURAL", "ASOF", "POSITIONAL"}


def _half(left: Scope, kind: str, holds: Known) -> Scope:
    """SEMI and ANTI joins return the left side's rows only."""
    return replace(left, known=left.known | holds) if kind == "SEMI" else left


def _extended(left: Scope, right: Scope, side: str, holds: Known, reason: str) -> Known:
    """Marks the columns that a join can replace by NULLs, and says what holds of all rows."""
    if side in {"", "INNER"}:
        return left.known | right.known | holds
    if side in {"LEFT", "FULL"}:
        _extend(right, Extension(reason, right.known | (holds | left.known if side == "LEFT" else NOTHING)))
    if side in {"RIGHT", "FULL"}:
        _extend(left, Extension(reason, left.known | (holds | right.known if side == "RIGHT" else NOTHING)))
    return {"LEFT": left.known, "RIGHT": right.known}.get(side, NOTHING)


def _extend(scope: Scope, extension: Extension) -> None:
    """Mark every column of one side of an outer join."""
    for slot in scope.every_slot():
        slot.extensions.append(extension)


def _using(join: exp.Join, left: Scope, right: Scope, method: str, env: Env) -> list[str] | None:
    """The names that a join merges; `None` where they cannot be known."""
    if method == "NATURAL":
        if left.incomplete() or right.incomplete():
            return None
        rights = {slot.key for slot in right.visible}
        return [slot.key for slot in left.visible if slot.key in rights]
    return [env.project.dialect.key(_identifier(name)) for name in join.args.get("using") or ()]


def _identifier(name: exp.Expr) -> exp.Expr:
    """The name in a USING list."""
    return name.this if isinstance(name, exp.Column) else name


def _find(scope: Scope, name: str) -> Slot | None:
    """A column that a join merges, if exactly one has the name."""
    if name in scope.merged:
        return scope.merged[name]
    found = [slot for source in scope.sources for slot in source.slots if slot.key == name]
    return found[0] if len(found) == 1 else None


def _coalesced(
    left: Scope, right: Scope, pairs: Mapping[str, tuple[Slot | None, Slot | None]]
) -> dict[str, Slot | None]:
    """The columns that FULL JOIN ... USING makes of two: whichever side has a row, its value."""
    merged: dict[str, Slot | None] = {}
    for name, (ours, theirs) in pairs.items():
        if ours is None or theirs is None:
            merged[name] = None
            continue
        merged[name] = Slot(
            ours.name, name, ours.name, one_of([slot_fact(ours, left.known), slot_fact(theirs, right.known)])
        )
    return merged


def _merged(
    scope: Scope, left: Scope, right: Scope, names: list[str], *, merged: Mapping[str, Slot | None], env: Env
) -> Scope:
    """The joined columns, where one stands for two that USING names."""
    found = {name: slot for name, slot in merged.items() if slot is not None}
    if len(found) < len(merged):
        source = Source("", [], ("it is not known which columns USING merges",))
        return replace(scope, sources=(*scope.sources, source))
    rights = [slot for slot in right.visible if slot.key not in names]
    if env.project.dialect.merged_first:
        lefts = [*(found[name] for name in names), *(slot for slot in left.visible if slot.key not in names)]
    else:
        lefts = [found[slot.key] if slot.key in names else slot for slot in left.visible]
    return replace(scope, merged=found, visible=(*lefts, *rights))


def _described_join(join: exp.Join, side: str, method: str, env: Env) -> str:
    """What a person calls a join: its kind and its line."""
    words = " ".join(word for word in (method, side, "JOIN") if word)
    if method == "POSITIONAL":
        words = "POSITIONAL JOIN"
    line = _line(join, env.project.text)
    return f"{words} at line {line}" if line else words


def _line(join: exp.Join, text: str | None) -> int | None:
    """The line of a join's own word, or of what it joins where the query's text is not known."""
    first = min(
        (node.meta for node in join.this.walk() if "start" in node.meta), key=lambda meta: meta["start"], default=None
    )
    if first is None:
        return None
    if text is not None:
        words = [match.end() for match in re.finditer(r"\bjoin\b", text[: first["start"]], re.IGNORECASE)]
        if words:
            return text.count("\n", 0, words[-1]) + 1
    line: int = first["line"]
    return line
