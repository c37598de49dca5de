"""What each dialect calls a SELECT item without a name."""

from __future__ import annotations

from sqlglot import exp

from dagster_contracts.sql.typing.names import fold

# What Postgres calls a function whose own name the parser does not keep.
_POSTGRES = {
    "Array": "array",
    "ArrayAgg": "array_agg",
    "AtTimeZone": "timezone",
    "Coalesce": "coalesce",
    "CurrentDate": "current_date",
    "Exists": "exists",
    "Extract": "extract",
    "Greatest": "greatest",
    "GroupConcat": "string_agg",
    "Least": "least",
    "Nullif": "nullif",
    "StrPosition": "position",
}
_POSTGRES_TYPES = {
    "BIGINT": "int8",
    "BOOLEAN": "bool",
    "DATE": "date",
    "DECIMAL": "numeric",
    "DOUBLE": "float8",
    "FLOAT": "float4",
    "INT": "int4",
    "INTERVAL": "interval",
    "JSON": "json",
    "JSONB": "jsonb",
    "SMALLINT": "int2",
    "TEXT": "text",
    "TIMESTAMP": "timestamp",
    "TIMESTAMPTZ": "timestamptz",
    "UUID": "uuid",
    "VARCHAR": "varchar",
}
_TRIMS = {"LEADING": "ltrim", "TRAILING": "rtrim"}
_THROUGH = (exp.Paren, exp.Window, exp.Filter, exp.WithinGroup, exp.Collate, exp.Bracket)
_OWN_NAMES: dict[type[exp.Expr], str] = {exp.Column: "this", exp.Dot: "expression", exp.Alias: "alias"}
_SPARK_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.EQ: "=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.And: "AND",
    exp.Or: "OR",
}


def unnamed(item: exp.Expr, position: int, dialect: str, sql: str | None) -> str:
    """What a dialect calls a SELECT item without a name.

    Args:
        item: The item.
        position: How many items without a name stand before it.
        dialect: The dialect.
        sql: The query's text, if it is at hand: the parser keeps few functions' names.

    Returns:
        The name; the item's text where the dialect's rule for it is not known.
    """
    if dialect == "bigquery":
        return f"f{position}_"
    if dialect == "postgres":
        return _postgres(item, sql) or "?column?"
    if dialect == "databricks":
        name = fold(item.this.this, dialect) if _is_cast_column(item) else _spark(item, sql)
        return name or item.sql(dialect)
    text = item.sql(dialect)
    return text.upper() if dialect == "snowflake" and not item.find(exp.Literal) else text


def _called(item: exp.Expr, sql: str | None) -> str:
    """A function's name as it stands in the text, in lower case; nothing where that is not at hand."""
    start, end = item.meta.get("start"), item.meta.get("end")
    return "" if sql is None or start is None or end is None else sql[start : end + 1].lower()


def _postgres(item: exp.Expr, sql: str | None) -> str:
    """Postgres's name for a column: the innermost column or function that gives the value, or nothing."""
    if type(item) in _OWN_NAMES:
        return fold(item.args[_OWN_NAMES[type(item)]], "postgres")
    if isinstance(item, _THROUGH):
        return _postgres(item.this, sql)
    if isinstance(item, exp.Cast):
        return _postgres(item.this, sql) or _POSTGRES_TYPES.get(item.args["to"].this.name, "")
    if isinstance(item, exp.Case):
        default = item.args.get("default")
        return (_postgres(default, sql) if default else "") or "case"
    if isinstance(item, exp.Subquery):
        inner = item.this.selects if isinstance(item.this, exp.Query) else []
        return _postgres(inner[0], sql) if len(inner) == 1 else ""
    return "interval" if isinstance(item, exp.Interval) else _postgres_function(item, sql)


def _postgres_function(item: exp.Expr, sql: str | None) -> str:
    """Postgres's name for a call."""
    text = "" if sql is None else sql.lower()
    if isinstance(item, exp.Anonymous):
        return item.name.lower()
    if isinstance(item, exp.Trim):
        return _TRIMS.get((item.args.get("position") or "").upper(), "btrim")
    if isinstance(item, exp.Extract) and "date_part" in text:
        return "date_part"
    if isinstance(item, exp.Mod) and "mod" in text and "%" not in text:
        return "mod"
    kept = _called(item, sql) if isinstance(item, exp.Func) else ""
    own = kept or _POSTGRES.get(type(item).__name__, "")
    if own or not isinstance(item, exp.Func) or isinstance(item, exp.Binary | exp.Connector):
        return own
    return item.sql_name().lower()


def _is_cast_column(item: exp.Expr) -> bool:
    """Whether an item is a CAST of a column, which Spark calls by the column's name."""
    return isinstance(item, exp.Cast) and isinstance(item.this, exp.Column)


def _spark(item: exp.Expr, sql: str | None) -> str:
    """Spark's text of an expression; nothing where it is not known."""
    if isinstance(item, exp.Column | exp.Literal):
        return item.name
    if isinstance(item, exp.Boolean | exp.Null):
        return {True: "true", False: "false"}.get(item.args.get("this", ""), "NULL")
    if isinstance(item, exp.Paren):
        return _spark(item.this, sql)
    if type(item) in _SPARK_OPERATORS:
        left, right = _spark(item.this, sql), _spark(item.expression, sql)
        return f"({left} {_SPARK_OPERATORS[type(item)]} {right})" if left and right else ""
    return _spark_call(item, sql)


def _spark_call(item: exp.Expr, sql: str | None) -> str:
    """Spark's text of a call."""
    if isinstance(item, exp.Count) and isinstance(item.this, exp.Star):
        return "count(1)"
    own = item.name if isinstance(item, exp.Anonymous) else _called(item, sql)
    args = list(item.iter_expressions())
    texts = [_spark(one, sql) for one in args]
    if not own or not args or not all(texts) or isinstance(item, exp.If | exp.Case | exp.Cast):
        return ""
    return f"{own}({', '.join(texts)})"
