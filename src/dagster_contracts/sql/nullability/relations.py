"""What the relations of a FROM clause return: tables, CTEs, subqueries, VALUES, UNNEST, table functions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.evaluate import described, evaluate, evaluates
from dagster_contracts.sql.nullability.fact import Fact, can_be_null, not_null, one_of, unknown
from dagster_contracts.sql.nullability.scope import Output, Slot, Source

if TYPE_CHECKING:
    from dagster_contracts.sql.nullability.scope import Env
    from dagster_contracts.sql.relation import Relation

_SERIES = (exp.GenerateSeries, exp.ExplodingGenerateSeries, exp.GenerateDateArray, exp.GenerateTimestampArray)
_TABLE_PARTS = frozenset(["this", "db", "catalog", "alias", "joins", "pivots", "only", "sample", "hints", "ordinality"])


def incomplete(reason: str) -> Output:
    """A relation whose columns are not known."""
    return Output((), (), (reason,))


def source_of(node: exp.Expr, output: Output, env: Env) -> Source:
    """One relation as its alias names it and its columns."""
    dialect = env.project.dialect
    alias = node.args.get("alias")
    alias = alias if isinstance(alias, exp.TableAlias) else None
    name = alias.this if alias is not None and alias.this is not None else None
    if name is None and isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        name = node.this
    label = name.name if name is not None else output.label
    renamed = [dialect.shown(column) for column in alias.args.get("columns") or ()] if alias is not None else []
    keys = [dialect.key(column) for column in alias.args.get("columns") or ()] if alias is not None else []
    if len(renamed) > len(output.names):
        output = replace(output, incomplete=output.incomplete or ("its alias names more columns than it has",))
    slots = []
    for position, (column, fact) in enumerate(zip(output.names, output.facts, strict=True)):
        shown = renamed[position] if position < len(renamed) else column
        key = keys[position] if position < len(keys) else dialect.declared_key(column)
        slots.append(Slot(shown, key, f"{label}.{shown}" if label else shown, fact))
    return Source(dialect.key(name), slots, output.incomplete)


def table_output(node: exp.Table, env: Env) -> Output:
    """What a table, a CTE or a table function returns."""
    this = node.this
    if node.args.keys() - _TABLE_PARTS and any(node.args[name] for name in node.args.keys() - _TABLE_PARTS):
        return incomplete(f"{node.sql()} is not supported")
    if not isinstance(this, exp.Identifier):
        return _table_function(this, node, env)
    dialect = env.project.dialect
    if not node.args.get("db"):
        cte = env.ctes.get(dialect.key(this))
        if cte is not None:
            return cte
    parts = [node.args.get(name) for name in ("catalog", "db")]
    name = ".".join([*(dialect.key(part) for part in parts if part), dialect.key(this)])
    written = ".".join([*(part.name for part in parts if part), this.name])
    relation = env.project.tables.get(name) or env.project.tables.get(written)
    if relation is None:
        return incomplete(f"{written} is not declared")
    return _relation_output(relation, written)


def _relation_output(relation: Relation, label: str) -> Output:
    """What a declared table returns."""
    facts = []
    for column in relation.columns:
        family = families.declared_family(column.type)
        if column.nullable is False:
            facts.append(not_null(family))
        elif column.nullable:
            facts.append(Fact(nullable=True, reasons=column.reasons, family=family))
        else:
            facts.append(Fact(None, column.reasons or (f"nothing is declared about {label}.{column.name}",), family))
    return Output(tuple(column.name for column in relation.columns), tuple(facts), (), label)


def _table_function(call: exp.Expr, node: exp.Table, env: Env) -> Output:
    """Functions that return rows: of these only the series are known."""
    alias = node.args.get("alias")
    if isinstance(call, _SERIES) and not node.args.get("ordinality"):
        named = "range" if call.args.get("is_end_exclusive") else "generate_series"
        if env.project.dialect.name == "postgres" and alias is not None and alias.this is not None:
            named = alias.name
        return Output((named,), (series_element(call, env),))
    return incomplete(f"it is not known what {described(call, env)} returns")


def series_element(call: exp.Expr, env: Env) -> Fact:
    """An element of a series: series of NULL have none."""
    first = call.args.get("start") or call.this
    fact = evaluate(first, env) if isinstance(first, exp.Expr) else not_null()
    return not_null(fact.family)


@evaluates(*_SERIES)
def _series(node: exp.Expr, env: Env) -> Fact:
    """A series in the place of a value is an array."""
    bounds = [evaluate(value, env) for value in node.args.values() if isinstance(value, exp.Expr)]
    whole = one_of(bounds) if bounds else not_null()
    if isinstance(node, exp.ExplodingGenerateSeries):
        return unknown("a series in a SELECT list has other rows")
    return Fact(whole.nullable, whole.reasons, families.ARRAY, series_element(node, env))


def values_output(node: exp.Values, env: Env) -> Output:
    """What VALUES returns."""
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
    if not rows or len({len(row) for row in rows}) != 1:
        return incomplete("the rows of VALUES differ in length")
    facts = [one_of([evaluate(row[position], env) for row in rows]) for position in range(len(rows[0]))]
    dialect = env.project.dialect
    names = [dialect.values_names.format(position + dialect.values_from) for position in range(len(facts))]
    return Output(tuple(names), tuple(facts))


def unnest_output(node: exp.Unnest, alias: exp.Expr | None, env: Env) -> Output:
    """What UNNEST returns: each array's elements, and their positions where they are asked for."""
    arrays = [evaluate(array, env) for array in node.expressions]
    facts = [element_of(array, env) for array in arrays]
    if len(facts) > 1:
        facts = [can_be_null("UNNEST of several arrays fills the shorter with NULL", fact.family) for fact in facts]
    names = ["unnest"] * len(facts)
    if env.project.dialect.name == "bigquery":
        named = [column.name for column in alias.args.get("columns") or ()] if alias else []
        names = named if len(named) == len(facts) else ["f0_"] * len(facts)
    elif env.project.dialect.name == "postgres" and alias is not None and alias.this is not None:
        names = [alias.name] * len(facts)
    offset = node.args.get("offset")
    if offset:
        names.append(env.project.dialect.shown(offset) if isinstance(offset, exp.Identifier) else "ordinality")
        facts.append(not_null(families.NUMBER))
    may_expand = env.project.dialect.name != "duckdb" and any(array.element is None for array in arrays)
    missing = ("UNNEST of structs returns a column for each field",) if may_expand else ()
    return Output(tuple(names), tuple(facts), missing)


def element_of(array: Fact, env: Env) -> Fact:
    """An element of an array."""
    if array.family != families.ARRAY:
        return unknown("it is not known what it has inside")
    if array.element is not None:
        return array.element
    if not env.project.dialect.null_elements:
        return unknown("it is not known whether the array has NULL elements")
    return can_be_null("an array can have NULL elements")


@evaluates(exp.Explode, exp.Unnest)
def _exploded(node: exp.Expr, env: Env) -> Fact:
    """UNNEST in a SELECT list; beside another one, the shorter is filled with NULL."""
    element = element_of(evaluate(node.this or node.expressions[0], env), env)
    select = node.find_ancestor(exp.Select)
    several = select is None or sum(1 for item in select.expressions for _ in item.find_all(exp.UDTF)) > 1
    return (
        unknown("several UNNEST fill the shorter with NULL", element.family)
        if several and not element.nullable
        else element
    )


def lateral_view(node: exp.Lateral, env: Env) -> Source:
    """What LATERAL VIEW or FLATTEN adds to each row."""
    call = node.this
    alias = node.args.get("alias")
    names = (
        [env.project.dialect.shown(column) for column in alias.args.get("columns") or ()]
        if isinstance(alias, exp.TableAlias)
        else []
    )
    facts = [unknown(f"it is not known whether what {described(call, env)} returns can be NULL")] * len(names)
    if isinstance(call, exp.Explode) and len(names) == 1:
        facts = [element_of(evaluate(call.this, env), env)]
    if node.args.get("outer"):
        facts = [can_be_null("OUTER makes a row of NULLs where there is nothing to explode")] * len(names)
    missing = () if names else (f"it is not known what {described(call, env)} returns",)
    return source_of(node, Output(tuple(names), tuple(facts), missing), env)
