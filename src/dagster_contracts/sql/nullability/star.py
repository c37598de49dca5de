"""What `*` stands for in a SELECT."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability.evaluate import described, evaluate
from dagster_contracts.sql.nullability.scope import Output, Slot, slot_fact

if TYPE_CHECKING:
    from dagster_contracts.sql.nullability.scope import Env

_PARTS = frozenset(["except_", "replace", "rename"])
_PLAIN_PATTERN = re.compile(r"[\w.*+?|^$()]+").fullmatch  # what means the same in DuckDB's regular expressions and ours


def is_star(item: exp.Expr) -> bool:
    """Whether a SELECT item stands for several columns."""
    if isinstance(item, exp.Columns):
        is_plain = isinstance(item.this, exp.Literal) and _PLAIN_PATTERN(item.this.name) is not None
        return is_plain or isinstance(item.this, exp.Star)
    return isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))


def expanded(item: exp.Expr, env: Env) -> Output:
    """The columns that `*` or `t.*` stands for, with EXCLUDE, REPLACE and RENAME."""
    if isinstance(item, exp.Columns) and isinstance(item.this, exp.Literal):
        return _matching(item.this.name, env)
    star = item if isinstance(item, exp.Star) else item.this
    slots, incomplete = _slots_of(item, env) if isinstance(item, exp.Column) else _all_slots(env)
    part = next((name for name, value in star.args.items() if value and name not in _PARTS), None)
    if part is not None:
        incomplete = (f"* with {part.upper()} is not supported",)
    changed = [*(star.args.get("replace") or ()), *(star.args.get("rename") or ())]
    if not all(isinstance(one, exp.Alias) and one.args.get("alias") for one in changed):
        incomplete = (f"{described(item, env)} is not supported",)
    if incomplete:
        return Output((), (), incomplete)
    key = env.project.dialect.key
    excluded = {key(_name(column)) for column in star.args.get("except_") or ()}
    replaced = {key(alias.args["alias"]): alias.this for alias in star.args.get("replace") or ()}
    renamed = {
        key(_name(alias.this)): env.project.dialect.shown(alias.args["alias"])
        for alias in star.args.get("rename") or ()
    }
    kept = [slot for slot in slots if slot.key not in excluded]
    names = tuple(renamed.get(slot.key, slot.name) for slot in kept)
    facts = tuple(
        evaluate(replaced[slot.key], env) if slot.key in replaced else slot_fact(slot, env.known, env.nulled)
        for slot in kept
    )
    return Output(names, facts)


def _matching(pattern: str, env: Env) -> Output:
    """The columns that COLUMNS('pattern') stands for."""
    try:
        matches = re.compile(pattern).search
    except re.error:
        return Output((), (), (f"COLUMNS({pattern!r}) is not supported",))
    slots = [slot for slot in env.scope.visible if matches(slot.name)]
    facts = tuple(slot_fact(slot, env.known, env.nulled) for slot in slots)
    return Output(tuple(slot.name for slot in slots), facts, env.scope.incomplete())


def _name(column: exp.Expr) -> exp.Expr:
    """The name of a column that EXCLUDE or RENAME mentions."""
    return column.this if isinstance(column, exp.Column) else column


def _all_slots(env: Env) -> tuple[tuple[Slot, ...], tuple[str, ...]]:
    """What `*` stands for, and why that is not known."""
    return env.scope.visible, env.scope.incomplete()


def _slots_of(item: exp.Column, env: Env) -> tuple[tuple[Slot, ...], tuple[str, ...]]:
    """What `t.*` stands for, and why that is not known."""
    qualifier = env.project.dialect.key(item.args.get("table"))
    sources = [source for source in env.scope.sources if source.key == qualifier]
    if len(sources) != 1 or item.args.get("db"):
        return (), (f"it is not known what {item.sql()} stands for",)
    return tuple(sources[0].slots), sources[0].incomplete
