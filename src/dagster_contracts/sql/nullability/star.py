"""What `*` stands for in a SELECT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability.evaluate import evaluate
from dagster_contracts.sql.nullability.scope import Output, Slot, slot_fact

if TYPE_CHECKING:
    from dagster_contracts.sql.nullability.scope import Env

_PARTS = frozenset(["except_", "replace", "rename"])


def is_star(item: exp.Expr) -> bool:
    """Whether a SELECT item stands for several columns."""
    return isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))


def expanded(item: exp.Expr, env: Env) -> Output:
    """The columns that `*` or `t.*` stands for, with EXCLUDE, REPLACE and RENAME."""
    star = item if isinstance(item, exp.Star) else item.this
    slots, incomplete = _all_slots(env) if star is item else _slots_of(item, env)
    part = next((name for name, value in star.args.items() if value and name not in _PARTS), None)
    if part is not None:
        incomplete = (f"* with {part.upper()} is not supported",)
    if incomplete:
        return Output((), (), incomplete)
    key = env.project.dialect.key
    excluded = {key(_name(column)) for column in star.args.get("except_") or ()}
    replaced = {key(alias.args["alias"]): alias.this for alias in star.args.get("replace") or ()}
    renamed = {key(_name(alias.this)): alias.alias for alias in star.args.get("rename") or ()}
    kept = [slot for slot in slots if slot.key not in excluded]
    names = tuple(renamed.get(slot.key, slot.name) for slot in kept)
    facts = tuple(
        evaluate(replaced[slot.key], env) if slot.key in replaced else slot_fact(slot, env.known, env.nulled)
        for slot in kept
    )
    return Output(names, facts)


def _name(column: exp.Expr) -> exp.Expr:
    return column.this if isinstance(column, exp.Column) else column


def _all_slots(env: Env) -> tuple[tuple[Slot, ...], tuple[str, ...]]:
    return env.scope.visible, env.scope.incomplete()


def _slots_of(item: exp.Column, env: Env) -> tuple[tuple[Slot, ...], tuple[str, ...]]:
    qualifier = env.project.dialect.key(item.args.get("table"))
    sources = [source for source in env.scope.sources if source.key == qualifier]
    if len(sources) != 1 or item.args.get("db"):
        return (), (f"it is not known what {item.sql()} stands for",)
    return tuple(sources[0].slots), sources[0].incomplete
