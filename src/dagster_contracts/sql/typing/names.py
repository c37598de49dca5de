"""How each dialect folds names, compares them, and calls what has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.sql.relation import Relation

# What Postgres calls a function whose own name the parser has replaced.
_POSTGRES = {
    "Coalesce": "coalesce",
    "Greatest": "greatest",
    "Least": "least",
    "Nullif": "nullif",
    "Exists": "exists",
    "Array": "array",
    "CurrentDate": "current_date",
    "Extract": "extract",
    "GroupConcat": "string_agg",
    "ArrayAgg": "array_agg",
}


def fold(identifier: exp.Expr | None, dialect: str) -> str:
    """A name as the dialect stores it."""
    if identifier is None:
        return ""
    name = identifier.name
    if isinstance(identifier, exp.Identifier) and identifier.args.get("quoted"):
        return name
    return {"snowflake": name.upper(), "postgres": name.lower()}.get(dialect, name)


def key(name: str, dialect: str) -> str:
    """A folded name as the dialect compares it."""
    return name if dialect in ("snowflake", "postgres") else name.lower()


def table_key(table: exp.Table, dialect: str) -> str:
    """A table's dotted name, folded."""
    return ".".join(fold(part, dialect) for part in table.parts)


def find_table(tables: Mapping[str, Relation], table: exp.Table, dialect: str) -> Relation | None:
    """The relation that a mapping holds under a table's name, as folded or as written."""
    folded = table_key(table, dialect)
    for name in (folded, ".".join(part.name for part in table.parts), folded.lower()):
        if name in tables:
            return tables[name]
    return None


def unnamed(item: exp.Expr, position: int, dialect: str, sql: str | None) -> str:
    """What a dialect calls a SELECT item without a name.

    Args:
        item: The item.
        position: How many items without a name stand before it.
        dialect: The dialect.
        sql: The query's text, if it is at hand: the parser keeps few functions' names.

    Returns:
        The name.
    """
    if dialect == "bigquery":
        return f"f{position}_"
    if dialect == "postgres":
        return _postgres_name(item, sql) or "?column?"
    if dialect == "databricks" and isinstance(item, exp.Count) and isinstance(item.this, exp.Star):
        return "count(1)"
    text = item.sql(dialect)
    return text.upper() if dialect == "snowflake" and not item.find(exp.Literal) else text


def _postgres_name(item: exp.Expr, sql: str | None) -> str:  # noqa: PLR0911
    """Postgres's name for a column: the innermost column or function that gives the value, or nothing."""
    if isinstance(item, exp.Column):
        return fold(item.this, "postgres")
    if isinstance(item, exp.Dot):
        return fold(item.expression, "postgres")
    if isinstance(item, exp.Paren | exp.Window | exp.Filter | exp.WithinGroup | exp.Collate | exp.Bracket):
        return _postgres_name(item.this, sql)
    if isinstance(item, exp.Cast):
        return _postgres_name(item.this, sql) or _POSTGRES_TYPES.get(item.to.this.name, "")
    if isinstance(item, exp.Case):
        default = item.args.get("default")
        return (_postgres_name(default, sql) if default else "") or "case"
    if isinstance(item, exp.Subquery):
        inner = item.this.selects if isinstance(item.this, exp.Query) else []
        return (inner[0].output_name or _postgres_name(inner[0], sql)) if len(inner) == 1 else ""
    if isinstance(item, exp.Anonymous):
        return item.name.lower()
    if isinstance(item, exp.Func) and not isinstance(item, exp.Binary | exp.Connector):
        start, end = item.meta.get("start"), item.meta.get("end")
        if sql is not None and start is not None and end is not None:
            return sql[start : end + 1].lower()
        return _POSTGRES.get(type(item).__name__, item.sql_name().lower())
    return ""


_POSTGRES_TYPES = {
    "INT": "int4",
    "BIGINT": "int8",
    "SMALLINT": "int2",
    "TEXT": "text",
    "VARCHAR": "varchar",
    "DECIMAL": "numeric",
    "DOUBLE": "float8",
    "FLOAT": "float4",
    "BOOLEAN": "bool",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMPTZ": "timestamptz",
    "UUID": "uuid",
    "JSON": "json",
    "JSONB": "jsonb",
}
