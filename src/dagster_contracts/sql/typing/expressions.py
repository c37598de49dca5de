"""The type of an expression, in each dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.contract.types import Type
from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import spelled_type
from dagster_contracts.sql.query_error import UnknownOutputError
from dagster_contracts.sql.typing.functions import function_type
from dagster_contracts.sql.typing.literals import literal_type
from dagster_contracts.sql.typing.names import fold
from dagster_contracts.sql.typing.numbers import NUMBERS, arithmetic
from dagster_contracts.sql.typing.scope import Scope, field_of
from dagster_contracts.sql.typing.times import time_arithmetic
from dagster_contracts.sql.typing.typed import BOOLEAN, FRACTION, NULL, STRING, TEXT, Typed, of, some_decimal, unknown
from dagster_contracts.sql.typing.unify import settle, unify

if TYPE_CHECKING:
    from collections.abc import Callable

_OPERATORS: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
_AROUND = (
    *(exp.Paren, exp.Alias, exp.Window, exp.Filter, exp.WithinGroup, exp.Distinct, exp.Ordered, exp.IgnoreNulls),
    *(exp.RespectNulls, exp.HavingMax, exp.Collate, exp.Order, exp.Limit, exp.PivotAlias),
)
_TRUTHS = (exp.Predicate, exp.Connector, exp.Not, exp.Exists, exp.Boolean)


def type_of(expression: exp.Expr, scope: Scope) -> Typed:
    """Work out an expression's type.

    Args:
        expression: The parsed expression.
        scope: What it can see.

    Returns:
        Its type, or why it is not known.

    Raises:
        QueryError: It names a column that is not there, or that several tables have.
    """
    if isinstance(expression, exp.Column):
        return scope.resolve(expression)
    if type(expression) in _FIXED:
        return _FIXED[type(expression)]
    handler = _HANDLERS.get(type(expression))
    if handler is None and isinstance(expression, exp.Query):
        handler = _scalar
    if handler is not None:
        return handler(expression, scope)
    if isinstance(expression, _AROUND):
        return _around(expression, scope)
    types = [type_of(one, scope) for one in expression.iter_expressions() if _is_value(one)]
    if isinstance(expression, _TRUTHS):
        return BOOLEAN
    if not isinstance(expression, exp.Lag | exp.Lead):  # whose default decides what a literal is
        types = [_alone(one) for one in types]
    return function_type(expression, types, scope.context)


def _alone(found: Typed) -> Typed:
    """A literal with a point where nothing else decides what it is."""
    return of("Float64") if found.type == FRACTION else found


def _is_value(node: exp.Expr) -> bool:
    """Whether a part of an expression is a value, rather than a word of syntax."""
    return not isinstance(
        node, exp.Var | exp.Identifier | exp.DataType | exp.JSONPath | exp.WindowSpec | exp.TableAlias
    )


def _around(expression: exp.Expr, scope: Scope) -> Typed:
    """What stands around an expression without changing its type: parentheses, an alias, OVER, FILTER."""
    inner = expression.this if not isinstance(expression, exp.Distinct) else (expression.expressions or [None])[0]
    for part in expression.iter_expressions():
        if part is not inner and _is_value(part):
            type_of_parts(part, scope)
    return type_of(inner, scope) if inner is not None else unknown()


def type_of_parts(part: exp.Expr, scope: Scope) -> None:
    """Check the columns that a part of syntax names, such as ORDER BY in a window."""
    for column in part.find_all(exp.Column):
        if column.find_ancestor(exp.Query) is part.find_ancestor(exp.Query) and not isinstance(column.this, exp.Star):
            scope.resolve(column)


def _scalar(query: exp.Query, scope: Scope) -> Typed:
    """A subquery in an expression's place."""
    try:
        columns = scope.context.read(query, scope)
    except UnknownOutputError as error:
        return unknown("a subquery's columns are not known", *error.reasons)
    return columns[0].typed if columns else unknown("a subquery without columns")


def _literal(literal: exp.Literal, scope: Scope) -> Typed:
    """A number or a text in quotes."""
    return literal_type(literal, scope.context.dialect)


def _cast(cast: exp.Cast, scope: Scope) -> Typed:
    """CAST, TRY_CAST and the like."""
    type_of(cast.this, scope)
    spelled = cast.args["to"].sql(scope.context.dialect)
    try:
        found = spelled_type(spelled, scope.context.dialect)
    except UnknownTypeError as error:
        return unknown(f"CAST to {spelled}: {error}")
    if found is None:
        return unknown(f"{spelled} is a type that contracts have no name for")
    if found.precision is not None and scope.context.dialect == "bigquery" and "(" in spelled:
        return some_decimal("BigQuery keeps no digits of a parameterized decimal")
    return Typed(found)


def _binary(binary: exp.Binary, scope: Scope) -> Typed:
    """`+ - * / %` on numbers, dates and times."""
    left, right = type_of(binary.this, scope), type_of(binary.expression, scope)
    dialect, operator = scope.context.dialect, _OPERATORS[type(binary)]
    for side in (left, right):
        if side.type is None:
            return unknown(f"an operand of {operator} is not known", *side.reasons)
    if left.type is None or right.type is None:
        return unknown()
    if FRACTION in (left.type, right.type):
        return unify(dialect, [left, right])
    if {left.type.name, right.type.name} <= NUMBERS:
        literal = any(isinstance(_bare(side), exp.Literal) for side in (binary.this, binary.expression))
        return arithmetic(dialect, operator, left.type, right.type, literal=literal)
    return time_arithmetic(dialect, operator, left.type, right.type)


def _bare(expression: exp.Expr) -> exp.Expr:
    """An expression without parentheses, signs and casts around it; a literal's suffix is parsed as a cast, too."""
    while isinstance(expression, exp.Paren | exp.Neg | exp.Cast):
        expression = expression.this
    return expression


def _case(case: exp.Case, scope: Scope) -> Typed:
    """CASE."""
    if case.this:
        type_of(case.this, scope)
    branches = []
    for branch in case.args["ifs"]:
        type_of(branch.this, scope)
        branches.append(type_of(branch.args["true"], scope))
    default = case.args.get("default")
    return unify(scope.context.dialect, [*branches, type_of(default, scope) if default else Typed(NULL)])


def _if(node: exp.If | exp.Nvl2, scope: Scope) -> Typed:
    """IF, IFF, NVL2."""
    type_of(node.this, scope)
    parts = [node.args[part] for part in ("true", "false") if node.args.get(part)]
    return unify(scope.context.dialect, [type_of(part, scope) for part in parts])


def _any_of(node: exp.Expr, scope: Scope) -> Typed:
    """COALESCE, GREATEST, LEAST."""
    found = [
        type_of(one, scope) for one in [node.this, *node.expressions] if one is not None and not isinstance(one, list)
    ]
    return unify(scope.context.dialect, found)


def _nullif(node: exp.Nullif, scope: Scope) -> Typed:
    """NULLIF: its first argument."""
    first, second = type_of(node.this, scope), type_of(node.expression, scope)
    if first.type is None or second.type in (first.type, TEXT):
        return Typed(STRING.type) if first.type == TEXT else first
    if scope.context.dialect == "databricks" or (first.type.name == "String" and second.type is not None):
        return first
    both = unify(scope.context.dialect, [first, second])
    return first if both.type == first.type else unknown(f"NULLIF of {first.type} and {second.type}", *second.reasons)


def _text_pair(node: exp.Expr, scope: Scope) -> Typed:
    """`||` and CONCAT."""
    parts = node.expressions if isinstance(node, exp.Concat) else [node.this, node.expression]
    types = [type_of(one, scope) for one in parts]
    names = {one.type.name if one.type else None for one in types}
    if names & {"String", TEXT.name}:
        if not names & {"Binary", "Array", "Json", "Struct", "Map", "Variant", None}:
            return STRING
    elif isinstance(node, exp.Concat) and not names & {"Binary", "Array", None}:
        return STRING
    return unknown(
        "what is joined may be text, binary or an array", *(reason for one in types for reason in one.reasons)
    )


def _bracket(node: exp.Bracket, scope: Scope) -> Typed:
    """`x[i]` of an array, a map, a struct or JSON."""
    found = type_of(node.this, scope)
    for index in node.expressions:
        type_of(index, scope)
    if found.type is None:
        return unknown("an element of what is not known", *found.reasons)
    if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Slice):
        return found
    if found.type.name in ("Json", "Variant"):
        return found
    if found.type.name in ("Array", "Map") and found.type.args:
        return Typed(found.type.args[-1])
    return unknown(f"an element of {found.type} is not known")


def _dot(node: exp.Dot, scope: Scope) -> Typed:
    """`(x).field`."""
    if isinstance(node.expression, exp.Func):
        return unknown(f"the function {node.sql(scope.context.dialect)} is not known")
    return field_of(type_of(node.this, scope), fold(node.expression, scope.context.dialect), scope.context.dialect)


def _array(node: exp.Array, scope: Scope) -> Typed:
    """ARRAY[…], or ARRAY(SELECT …)."""
    dialect = scope.context.dialect
    if dialect == "snowflake":
        return of("Array")
    found = settle(dialect, unify(dialect, [type_of(one, scope) for one in node.expressions]), "an element")
    if found.type is None or found.type.name == "Array":
        return unknown("the elements of an array are not known", *found.reasons)
    return Typed(Type("Array", args=(found.type,)), found.reasons)


def _struct(node: exp.Struct, scope: Scope) -> Typed:
    """STRUCT(…), named_struct, OBJECT_CONSTRUCT."""
    dialect, fields = scope.context.dialect, []
    for at, one in enumerate(node.expressions):
        value = one.expression if isinstance(one, exp.PropertyEQ) else one
        found = settle(dialect, type_of(value, scope), "a field")
        name = one.this.name if isinstance(one, exp.PropertyEQ) else value.alias_or_name or f"col{at + 1}"
        fields.append((name, found))
    if dialect == "snowflake":
        return of("Struct")
    if dialect not in ("bigquery", "databricks") or any(found.type is None for _, found in fields):
        return unknown("a field of a struct is not known", *(reason for _, one in fields for reason in one.reasons))
    return Typed(Type("Struct", fields=tuple((name, one.type) for name, one in fields if one.type is not None)))


def _map(node: exp.VarMap, scope: Scope) -> Typed:
    """map(key, value, …)."""
    dialect = scope.context.dialect
    parts = [
        _array(node.args[part], scope) for part in ("keys", "values") if isinstance(node.args.get(part), exp.Array)
    ]
    args = [one.type.args[0] for one in parts if one.type is not None and one.type.args]
    if dialect != "databricks" or len(args) != 2:  # noqa: PLR2004
        return unknown("the keys or values of a map are not known")
    return Typed(Type("Map", args=tuple(args)))


def _negative(node: exp.Neg, scope: Scope) -> Typed:
    """A number's or an interval's opposite."""
    found = type_of(node.this, scope)
    if found.type is None or found.type.name not in {*NUMBERS, "Interval", FRACTION.name}:
        return unknown("the opposite of what is no known number", *found.reasons)
    if found.type.name == "Decimal" and scope.context.dialect == "postgres":
        return some_decimal("Postgres keeps no digits of a numeric that it computes")
    return found


_FIXED: dict[type[exp.Expr], Typed] = {
    exp.Null: Typed(NULL),
    exp.Interval: of("Interval"),
    exp.Lambda: unknown("a lambda's names are its own"),
}
_HANDLERS: dict[type[exp.Expr], Callable[..., Typed]] = {
    exp.Literal: _literal,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Case: _case,
    exp.If: _if,
    exp.Nvl2: _if,
    exp.Coalesce: _any_of,
    exp.Greatest: _any_of,
    exp.Least: _any_of,
    exp.Nullif: _nullif,
    exp.DPipe: _text_pair,
    exp.Concat: _text_pair,
    exp.Bracket: _bracket,
    exp.Dot: _dot,
    exp.Array: _array,
    exp.Struct: _struct,
    exp.VarMap: _map,
    exp.Neg: _negative,
    **dict.fromkeys(_OPERATORS, _binary),
}
