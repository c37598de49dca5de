"""Functions in FROM: UNNEST, explode, FLATTEN, generate_series."""

from __future__ import annotations

from sqlglot import exp

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.query_error import UnknownOutputError
from dagster_contracts.sql.typing.expressions import type_of
from dagster_contracts.sql.typing.names import fold
from dagster_contracts.sql.typing.scope import Named, Scope, Source
from dagster_contracts.sql.typing.typed import Typed, of, some_decimal, unknown
from dagster_contracts.sql.typing.unify import unify

_SNOWFLAKE_DIGITS = "Snowflake's documentation names no digits for FLATTEN"


def function_columns(item: exp.Expr, scope: Scope, alias: str) -> Source:
    """The columns of a function in FROM.

    Args:
        item: The item of FROM.
        scope: What it can see.
        alias: Its alias, folded; empty where it has none.

    Returns:
        The source; without columns where they are not known.
    """
    dialect = scope.context.dialect
    table_alias = item.args.get("alias")
    listed = [fold(one, dialect) for one in (table_alias.args.get("columns") if table_alias else None) or ()]
    call = item.this if isinstance(item, exp.Lateral | exp.Table | exp.TableFromRows) else item
    if isinstance(call, exp.Unnest):
        return _unnest(call, scope, alias, listed)
    if isinstance(call, exp.GenerateSeries) and dialect == "postgres":
        series = _series(call, scope, alias, listed)
        if not item.args.get("ordinality"):
            return series
        counted = Named(listed[1] if len(listed) > 1 else "ordinality", of("Int64"))
        return Source(series.alias, (*(series.columns or ()), counted))
    if isinstance(call, exp.Explode) and dialect == "databricks":
        return _explode(call, scope, alias, listed)
    if isinstance(call, exp.Explode | exp.Flatten) and dialect == "snowflake":
        return _flatten(call, scope, alias)
    name = alias or call.sql_name() if isinstance(call, exp.Func) else alias
    columns = tuple(Named(one, unknown(f"{one} comes from a function that is not known")) for one in listed)
    return Source(alias, columns or None, (f"{name} is a function whose columns are not known",))


def exploded_columns(item: exp.Expr, scope: Scope) -> list[Named] | None:
    """The columns that Databricks' explode and its like put into a SELECT list.

    Args:
        item: A SELECT item.
        scope: What it can see.

    Returns:
        The columns; `None` where the item is no such function.

    Raises:
        UnknownOutputError: Their names or number are not known.
    """
    call = item.this if isinstance(item, exp.Alias | exp.Aliases) else item
    dialect = scope.context.dialect
    if dialect != "databricks" or not isinstance(call, exp.Explode):
        if isinstance(item, exp.Aliases) or isinstance(call, exp.Inline | exp.Stack):
            raise UnknownOutputError("a function that returns several columns is not worked out")
        return None
    listed = [fold(one, dialect) for one in item.expressions] if isinstance(item, exp.Aliases) else []
    if isinstance(item, exp.Alias):
        listed = [fold(item.args["alias"], dialect)]
    return list(_explode(call, scope, "", listed).columns or ())


def element_of(array: Typed) -> Typed:
    """The type of an array's elements."""
    if array.type is not None and array.type.name == "Array" and array.type.args:
        return Typed(array.type.args[0], array.reasons)
    return unknown("the elements' type is not known", *array.reasons)


def _unnest(call: exp.Unnest, scope: Scope, alias: str, listed: list[str]) -> Source:
    """UNNEST of one or more arrays."""
    dialect = scope.context.dialect
    elements = [element_of(type_of(one, scope)) for one in call.expressions]
    offset = call.args.get("offset")
    if dialect == "bigquery":
        return _bigquery_unnest(elements[0], offset, alias or (listed[0] if listed else ""), dialect)
    if any(one.type is None or one.type.name == "Struct" for one in elements) and len(listed) < len(elements):
        return Source(alias, None, ("the elements of UNNEST are not known", *elements[0].reasons))
    stem = alias if len(elements) == 1 and alias else "unnest"
    names = [listed[at] if at < len(listed) else stem for at in range(len(elements))]
    columns = [Named(name, one) for name, one in zip(names, elements, strict=True)]
    if offset:
        named = [fold(offset, dialect)] if isinstance(offset, exp.Identifier) else listed[len(elements) :]
        columns.append(Named(named[0] if named else "ordinality", of("Int64")))
    row = elements[0] if len(elements) == 1 and not listed else None
    return Source(alias, tuple(columns), row=row)


def _bigquery_unnest(element: Typed, offset: object, alias: str, dialect: str) -> Source:
    """BigQuery's UNNEST: its alias is the element itself; a struct's fields are columns, too."""
    tail = []
    if offset:
        named = offset if isinstance(offset, exp.Identifier) else None
        tail = [Named(fold(named, dialect) or "offset", of("Int64"))]
    if element.type is None or (element.type.name == "Struct" and not element.type.fields):
        return Source(
            alias, None, (f"the elements of {alias or 'UNNEST'} are not known", *element.reasons), row=element
        )
    if element.type.name == "Struct":
        columns = [Named(name, Typed(field)) for name, field in element.type.fields]
        return Source(alias, (*columns, *tail), row=element)
    return Source(alias, (Named(alias or "f0_", element), *tail), row=element)


def _series(call: exp.GenerateSeries, scope: Scope, alias: str, listed: list[str]) -> Source:
    """Postgres's generate_series."""
    bounds = [type_of(call.args[part], scope) for part in ("start", "end") if call.args.get(part)]
    found = unify("postgres", bounds)
    name = listed[0] if listed else alias or "generate_series"
    if found.type == Type("Date"):
        found = of("Timestamp")
    elif found.type is None or found.type.name not in ("Int32", "Int64", "Decimal", "Timestamp", "TimestampNtz"):
        found = unknown("the bounds of generate_series are not known", *found.reasons)
    return Source(alias or "generate_series", (Named(name, found),))


def _explode(call: exp.Explode, scope: Scope, alias: str, listed: list[str]) -> Source:
    """Databricks' explode and posexplode."""
    found = type_of(call.this, scope)
    names = ["pos"] if isinstance(call, exp.Posexplode) else []
    types = [of("Int32")] * len(names)
    if found.type is not None and found.type.name == "Map" and found.type.args:
        names += ["key", "value"]
        types += [Typed(arg) for arg in found.type.args]
    elif found.type is None and len(listed) == len(names) + 2:
        names += ["key", "value"]
        types += [unknown("what is exploded is not known", *found.reasons)] * 2
    else:
        names.append("col")
        types.append(element_of(found))
    names = listed if len(listed) == len(names) else names
    return Source(alias, tuple(Named(name, one) for name, one in zip(names, types, strict=True)))


def _flatten(call: exp.Expr, scope: Scope, alias: str) -> Source:
    """Snowflake's FLATTEN."""
    for column in call.find_all(exp.Column):
        type_of(column, scope)
    number = some_decimal(_SNOWFLAKE_DIGITS)
    types = {"SEQ": number, "KEY": of("String"), "PATH": of("String"), "INDEX": number}
    types |= {"VALUE": of("Variant"), "THIS": of("Variant")}
    return Source(alias, tuple(Named(name, one) for name, one in types.items()))
