"""PIVOT and UNPIVOT: rows that become columns, and columns that become rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.fact import Fact, can_be_null, not_null, one_of, unknown
from dagster_contracts.sql.nullability.relations import incomplete, source_of
from dagster_contracts.sql.nullability.scope import Output, slot_fact

if TYPE_CHECKING:
    from dagster_contracts.sql.nullability.scope import Env, Scope, Slot, Source


def pivoted(pivot: exp.Pivot, scope: Scope, env: Env) -> Source:
    """What a PIVOT or an UNPIVOT of a relation returns."""
    reasons = scope.incomplete()
    if reasons:
        return source_of(pivot, Output((), (), reasons), env)
    output = _unpivot(pivot, scope, env) if pivot.args.get("unpivot") else _pivot(pivot, scope, env)
    return source_of(pivot, output, env)


def _kept(scope: Scope, used: set[str]) -> list[Slot]:
    """The columns that stay as they are."""
    return [slot for slot in scope.visible if slot.key not in used]


def _facts(slots: list[Slot], scope: Scope) -> list[Fact]:
    """What is known of them."""
    return [slot_fact(slot, scope.known) for slot in slots]


def _pivot(pivot: exp.Pivot, scope: Scope, env: Env) -> Output:
    """The columns to group by, and one column for each value and aggregate."""
    fields = pivot.args.get("fields") or []
    names = [env.project.dialect.shown(column) for column in pivot.args.get("columns") or ()]
    if not names or not all(isinstance(field, exp.In) and field.expressions for field in fields):
        return incomplete("PIVOT without listed values is not supported")
    key = env.project.dialect.key
    group = pivot.args.get("group")
    if group is not None:
        wanted = [key(column.this) for column in group.expressions if isinstance(column, exp.Column)]
        kept = [slot for name in wanted for slot in scope.visible if slot.key == name]
    else:
        parts = [*pivot.expressions, *(field.this for field in fields)]
        kept = _kept(scope, {key(column.this) for part in parts for column in part.find_all(exp.Column)})
    made = [_made(part.unalias(), env) for part in pivot.expressions]
    if not made or len(names) % len(made):
        return incomplete("this PIVOT is not supported")
    facts = made * (len(names) // len(made))
    kept_names = [slot.name for slot in kept]
    return Output((*kept_names, *names), (*_facts(kept, scope), *facts))


def _made(aggregate: exp.Expr, env: Env) -> Fact:
    """What a PIVOT leaves where an aggregate has no rows."""
    if isinstance(aggregate, exp.Count) and env.project.dialect.name == "duckdb":
        return not_null(families.NUMBER)
    if isinstance(aggregate, (exp.Sum, exp.Avg, exp.Min, exp.Max)):
        return can_be_null("PIVOT leaves NULL where there are no rows")
    return unknown("it is not known what PIVOT leaves where there are no rows")


def _unpivot(pivot: exp.Pivot, scope: Scope, env: Env) -> Output:
    """The columns that stay, the name of each column that does not, and its value."""
    fields, values = pivot.args.get("fields") or [], pivot.expressions
    if len(fields) != 1 or len(values) != 1 or not isinstance(fields[0], exp.In):
        return incomplete("this UNPIVOT is not supported")
    columns = [column for column in fields[0].expressions if isinstance(column, exp.Column)]
    if len(columns) != len(fields[0].expressions) or not all(
        isinstance(v, (exp.Identifier, exp.Column)) for v in values
    ):
        return incomplete("this UNPIVOT is not supported")
    keys = {env.project.dialect.key(column.this) for column in columns}
    kept, turned = _kept(scope, keys), [slot for slot in scope.visible if slot.key in keys]
    if len(turned) != len(keys):
        return incomplete("UNPIVOT names a column that is not there")
    fact = one_of(_facts(turned, scope))
    if not pivot.args.get("include_nulls"):
        fact = not_null(fact.family)
    name, value = fields[0].this.name, values[0].name
    added = ((value, fact), (name, not_null(families.STRING)))
    if not pivot.args.get("value_columns_first"):
        added = added[::-1]
    names = (*(slot.name for slot in kept), *(pair[0] for pair in added))
    return Output(names, (*_facts(kept, scope), *(pair[1] for pair in added)))
