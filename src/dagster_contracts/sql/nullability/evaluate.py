"""What an expression can be: the one entry, and the names it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp

from dagster_contracts.sql.nullability.fact import Fact, can_be_null, not_null, unknown
from dagster_contracts.sql.nullability.function_table import function_of
from dagster_contracts.sql.nullability.scope import Env, Slot, slot_fact

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.sql.nullability.scope import Scope

    Evaluator: TypeAlias = Callable[[Any, Env], Fact]

EVALUATORS: dict[type[exp.Expr], Evaluator] = {}


def evaluates(*kinds: type[exp.Expr]) -> Callable[[Evaluator], Evaluator]:
    """Marks the function that evaluates nodes of exactly these kinds, not of kinds derived from them."""

    def register(function: Evaluator) -> Evaluator:
        """Put the function into the table."""
        EVALUATORS.update(dict.fromkeys(kinds, function))
        return function

    return register


def evaluate(node: exp.Expr, env: Env) -> Fact:
    """What is known of an expression's value where it stands."""
    evaluator = EVALUATORS.get(type(node)) or (EVALUATORS[exp.Func] if isinstance(node, exp.Func) else None)
    if type(node) is not exp.Column and (env.nulled or env.knows_expressions):
        key = expression_key(node, env)
        if key is not None and key in env.known:
            fact = evaluator(node, env) if evaluator else not_null()
            return Fact(nullable=False, family=fact.family, element=fact.element)
        if key is not None and key in env.nulled:
            return can_be_null(f"{node.sql()} is NULL in the subtotals of GROUP BY")
    if evaluator is None:
        return unknown(f"it is not known whether {described(node, env)} can be NULL")
    return evaluator(node, env)


def described(node: exp.Expr, env: Env) -> str:
    """What a person calls an expression: a function by its name and columns, anything else by its text, cut short."""
    if isinstance(node, exp.Func) and not isinstance(node, exp.Binary):
        operands = node.expressions if isinstance(node, exp.Anonymous) else [node.args.get("this"), *node.expressions]
        columns = [operand.sql() for operand in operands if isinstance(operand, exp.Column)]
        return f"{_called(node, env)}({', '.join(columns)})"
    text = node.sql(dialect=env.project.dialect.name)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _called(node: exp.Func, env: Env) -> str:
    """A function's name: as the query writes it, if its text is known."""
    start, end, text = node.meta.get("start"), node.meta.get("end"), env.project.text
    if text is not None and start is not None and end is not None:
        written = text[start : end + 1]
        if written.isidentifier():
            return written
    return node.name if isinstance(node, exp.Anonymous) else node.sql_name()


_LONGEST = 60


@dataclass(frozen=True, slots=True)
class AliasUse:
    """A name that stands for a SELECT item.

    Args:
        expression: The item.
        env: Where the item itself stands.
    """

    expression: exp.Expr
    env: Env


def resolve(column: exp.Column, env: Env | None) -> tuple[Slot, Env] | AliasUse | Fact:
    """What a column's name stands for: a column and where it is seen, a SELECT item, or why that is not known."""
    key = column.args["this"]
    table = column.args.get("table")
    if isinstance(key, exp.Star) or column.args.get("db"):
        return _nested_or_unknown(column, env)
    name = env.project.dialect.key(key) if env else ""
    qualifier = env.project.dialect.key(table) if env and table else ""
    start = env
    while env is not None:
        found = _qualified(env.scope, qualifier, name) if table else _unqualified(env.scope, name)
        alias = None if table else env.aliases.get(name)
        if isinstance(found, Slot):
            if alias and env.prefers_alias and not _is_plain(alias[1], name, env):
                return unknown(f"{column.name} is both a column and an alias")
            return found, env
        if isinstance(found, Fact):
            return found
        if alias:
            return AliasUse(alias[1], _before(env, alias[0]))
        env = env.parent
    return _nested_or_unknown(column, start)


def _is_plain(expression: exp.Expr, name: str, env: Env) -> bool:
    """Whether a SELECT item is nothing but the column of its alias's name."""
    return isinstance(expression, exp.Column) and env.project.dialect.key(expression.this) == name


def _before(env: Env, position: int) -> Env:
    """The same place, seeing only the aliases before a SELECT item."""
    aliases = {name: alias for name, alias in env.aliases.items() if alias[0] < position}
    return env.with_aliases(aliases)


def _unqualified(scope: Scope, name: str) -> Slot | Fact | None:
    """The column that a bare name stands for, why that is not known, or nothing."""
    if name in scope.merged:
        return scope.merged[name]
    found = [slot for source in scope.sources for slot in source.slots if slot.key == name]
    if len(found) == 1:
        return found[0]
    if found:
        return unknown(f"{name} is ambiguous")
    reasons = scope.incomplete()
    return unknown(f"it is not known where {name} comes from", because=reasons) if reasons else None


def _qualified(scope: Scope, qualifier: str, name: str) -> Slot | Fact | None:
    """The column that a name behind a relation's name stands for, why that is not known, or nothing."""
    sources = [source for source in scope.sources if source.key == qualifier]
    if not sources:
        return None
    found = [slot for source in sources for slot in source.slots if slot.key == name]
    if len(found) == 1:
        return found[0]
    reasons = next((source.incomplete for source in sources if source.incomplete), ())
    return unknown(f"it is not known whether {qualifier}.{name} can be NULL", because=reasons)


def _nested_or_unknown(column: exp.Column, env: Env | None) -> Fact:
    """A name that no relation has may be a field of a nested value, or a relation's whole row."""
    reasons: tuple[str, ...] = ()
    while env is not None and not reasons:
        reasons = env.scope.incomplete()
        env = env.parent
    return unknown(f"it is not known whether {column.sql()} can be NULL", because=reasons)


@evaluates(exp.Column)
def _column(column: exp.Column, env: Env) -> Fact:
    """A name: what it stands for."""
    found = resolve(column, env)
    if isinstance(found, Fact):
        return found
    if isinstance(found, AliasUse):
        return evaluate(found.expression, found.env)
    slot, owner = found
    return slot_fact(slot, env.known, owner.nulled)


_WINDOW_FUNCTIONS = (
    *(exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile),
    *(exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue),
)


def _is_stable(node: exp.Func, env: Env) -> bool:
    """Whether a function always returns the same for the same arguments."""
    if isinstance(node, _WINDOW_FUNCTIONS):
        return True
    function = function_of(node, env.project.dialect.name)
    return function is not None and not function.volatile


_LEAVES = (exp.Literal, exp.Boolean, exp.Null, exp.Var, exp.DataType, exp.Star)
_NO_KEY = (exp.Query, exp.Rand, exp.Uuid, exp.AnyValue, exp.First, exp.Last, exp.Lambda, exp.Placeholder, exp.Parameter)


def expression_key(node: exp.Expr, env: Env) -> object:  # noqa: PLR0911  (one a case)
    """What two expressions that always have the same value share; `None` where that is not certain.

    Only functions that are known have a key: what is unknown may be volatile.
    """
    if isinstance(node, exp.Paren):
        return expression_key(node.this, env)
    if isinstance(node, exp.Column):
        found = resolve(node, env)
        if isinstance(found, AliasUse):
            return expression_key(found.expression, found.env)
        return found[0] if isinstance(found, tuple) else None
    if isinstance(node, _NO_KEY) or (
        isinstance(node, exp.Func) and type(node) not in EVALUATORS and not _is_stable(node, env)
    ):
        return None
    if isinstance(node, _LEAVES):
        return (type(node), node.sql())
    parts: list[object] = [type(node)]
    for name, value in node.args.items():
        for item in value if isinstance(value, list) else [value]:
            part = expression_key(item, env) if isinstance(item, exp.Expr) else item
            if part is None and isinstance(item, exp.Expr):
                return None
            if item is not None:
                parts.append((name, part))
    return tuple(parts)
