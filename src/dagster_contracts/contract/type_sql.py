"""Types of the vocabulary as SQL dialects spell them in a table's definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.errors import InvalidSettingError

if TYPE_CHECKING:
    from dagster_contracts.contract.types import Type

Dialect = Literal["duckdb", "postgres", "snowflake", "bigquery", "databricks"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

_AS_TEXT = "is stored as text"
_AS_JSON = "is stored as JSON, its types unchecked"
_NARROWER = "has 38 digits, too few for the largest values"
_WIDER = "is stored wider, the range unchecked"

SPELLINGS: dict[str, tuple[str, str, str, str, str]] = {
    # in the order of DIALECTS
    "Boolean": ("BOOLEAN", "BOOLEAN", "BOOLEAN", "BOOL", "BOOLEAN"),
    "Int8": ("TINYINT", "SMALLINT", "NUMBER(3,0)", "INT64", "TINYINT"),
    "Int16": ("SMALLINT", "SMALLINT", "NUMBER(5,0)", "INT64", "SMALLINT"),
    "Int32": ("INTEGER", "INTEGER", "NUMBER(10,0)", "INT64", "INT"),
    "Int64": ("BIGINT", "BIGINT", "NUMBER(19,0)", "INT64", "BIGINT"),
    "Int128": ("HUGEINT", "NUMERIC(39,0)", "NUMBER(38,0)", "BIGNUMERIC", "DECIMAL(38,0)"),
    "UInt8": ("UTINYINT", "SMALLINT", "NUMBER(3,0)", "INT64", "SMALLINT"),
    "UInt16": ("USMALLINT", "INTEGER", "NUMBER(5,0)", "INT64", "INT"),
    "UInt32": ("UINTEGER", "BIGINT", "NUMBER(10,0)", "INT64", "BIGINT"),
    "UInt64": ("UBIGINT", "NUMERIC(20,0)", "NUMBER(20,0)", "NUMERIC(20,0)", "DECIMAL(20,0)"),
    "Float32": ("REAL", "REAL", "FLOAT", "FLOAT64", "FLOAT"),
    "Float64": ("DOUBLE", "DOUBLE PRECISION", "FLOAT", "FLOAT64", "DOUBLE"),
    "Decimal": ("DECIMAL", "NUMERIC", "NUMBER", "NUMERIC", "DECIMAL"),
    "String": ("VARCHAR", "TEXT", "VARCHAR", "STRING", "STRING"),
    "Binary": ("BLOB", "BYTEA", "BINARY", "BYTES", "BINARY"),
    "Date": ("DATE", "DATE", "DATE", "DATE", "DATE"),
    "Time": ("TIME", "TIME", "TIME", "TIME", "STRING"),
    "Timestamp": ("TIMESTAMPTZ", "TIMESTAMPTZ", "TIMESTAMP_TZ", "TIMESTAMP", "TIMESTAMP"),
    "TimestampNtz": ("TIMESTAMP", "TIMESTAMP", "TIMESTAMP_NTZ", "DATETIME", "TIMESTAMP_NTZ"),
    "Interval": ("INTERVAL", "INTERVAL", "VARCHAR", "INTERVAL", "INTERVAL DAY TO SECOND"),
    "Uuid": ("UUID", "UUID", "VARCHAR", "STRING", "STRING"),
    "Json": ("JSON", "JSONB", "VARIANT", "JSON", "VARIANT"),
    "Variant": ("JSON", "JSONB", "VARIANT", "JSON", "VARIANT"),
}
"""Every type without parts. A decimal's digits follow its name."""

_LOSSES: dict[tuple[str, str], str] = {
    ("Int128", "snowflake"): _NARROWER,
    ("Int128", "databricks"): _NARROWER,
    ("Time", "databricks"): _AS_TEXT,
    ("Interval", "snowflake"): _AS_TEXT,
    ("Uuid", "snowflake"): _AS_TEXT,
    ("Uuid", "bigquery"): _AS_TEXT,
    ("Uuid", "databricks"): _AS_TEXT,
    **{(name, "postgres"): _WIDER for name in ("Int8", "UInt8", "UInt16", "UInt32", "UInt64")},
    **{(name, "databricks"): _WIDER for name in ("UInt8", "UInt16", "UInt32", "UInt64")},
    **{
        (name, "bigquery"): _WIDER
        for name in ("Int8", "Int16", "Int32", "UInt8", "UInt16", "UInt32", "UInt64", "Float32")
    },
    **{(name, "snowflake"): _WIDER for name in ("Int8", "Int16", "Int32", "UInt8", "UInt16", "UInt32", "Float32")},
}


@dataclass(frozen=True)
class SqlColumn:
    """One column of a table's definition; as text, its name quoted.

    Args:
        name: The column's name.
        type: The type as the dialect spells it.
        nullable: Whether it may hold NULL.
        dialect: Whose spelling it is.
        loss: What the dialect cannot hold of the type, if anything.
    """

    name: str
    type: str
    nullable: bool
    dialect: Dialect
    loss: str | None = None

    def __str__(self) -> str:
        takes_null = self.nullable or (self.dialect == "bigquery" and self.type.startswith("ARRAY<"))
        return f"{_quoted(self.name, self.dialect)} {self.type}" + " NOT NULL" * (not takes_null)


def sql_column(name: str, type_: Type, *, nullable: bool, dialect: Dialect) -> SqlColumn:
    """A column in a dialect's words.

    Raises:
        InvalidSettingError: The dialect is none of `DIALECTS`.
    """
    if dialect not in DIALECTS:
        raise InvalidSettingError(f"No SQL dialect {dialect!r} is known.{did_you_mean(str(dialect), DIALECTS)}")
    losses: list[str] = []
    text = _spelled(type_, dialect, losses)
    if dialect == "bigquery" and text.startswith("ARRAY<") and not nullable:
        losses.append("takes NULL, which BigQuery reads as an empty list")
    return SqlColumn(name, text, nullable, dialect, "; ".join(dict.fromkeys(losses)) or None)


def _spelled(type_: Type, dialect: Dialect, losses: list[str]) -> str:
    """The spelling; what it loses is added to `losses`."""
    if loss := _LOSSES.get((type_.name, dialect)):
        losses.append(f"{type_} {loss}")
    if type_.name == "Decimal":
        return _decimal(type_, dialect)
    if type_.name in SPELLINGS:
        return SPELLINGS[type_.name][DIALECTS.index(dialect)]
    if type_.name == "Array" and type_.args:
        return _array(type_, type_.args[0], dialect, losses)
    if type_.name == "Struct" and type_.fields:
        return _struct(type_, dialect, losses)
    if type_.name == "Map" and type_.args:
        return _map(type_, dialect, losses)
    losses.append(f"{type_} {_AS_JSON}")
    return SPELLINGS["Json"][DIALECTS.index(dialect)]


def _decimal(type_: Type, dialect: Dialect) -> str:
    name = SPELLINGS["Decimal"][DIALECTS.index(dialect)]
    if type_.precision is None:
        return name
    scale = type_.scale or 0
    if dialect == "bigquery" and (scale > 9 or type_.precision - scale > 29):  # noqa: PLR2004  (NUMERIC's own limits)
        name = "BIGNUMERIC"
    return f"{name}({type_.precision},{scale})"


def _array(type_: Type, element: Type, dialect: Dialect, losses: list[str]) -> str:
    if dialect == "snowflake":
        losses.append(f"{type_} is an ARRAY of anything")
        return "ARRAY"
    if (dialect == "bigquery" and element.name == "Array") or (
        dialect == "postgres" and element.name in ("Array", "Struct", "Map")
    ):
        losses.append(f"{type_} {_AS_JSON}")
        return SPELLINGS["Json"][DIALECTS.index(dialect)]
    inner = _spelled(element, dialect, losses)
    return f"{inner}[]" if dialect in ("duckdb", "postgres") else f"ARRAY<{inner}>"


def _struct(type_: Type, dialect: Dialect, losses: list[str]) -> str:
    if dialect in ("postgres", "snowflake"):
        losses.append(f"{type_} {_AS_JSON}")
        return "JSONB" if dialect == "postgres" else "OBJECT"
    parts = [(_quoted(name, dialect), _spelled(of, dialect, losses)) for name, of in type_.fields]
    colon = ":" if dialect == "databricks" else ""
    inside = ", ".join(f"{name}{colon} {of}" for name, of in parts)
    return f"STRUCT({inside})" if dialect == "duckdb" else f"STRUCT<{inside}>"


def _map(type_: Type, dialect: Dialect, losses: list[str]) -> str:
    if dialect in ("postgres", "snowflake"):
        losses.append(f"{type_} {_AS_JSON}")
        return "JSONB" if dialect == "postgres" else "OBJECT"
    key, value = (_spelled(of, dialect, losses) for of in type_.args)
    if dialect == "bigquery":
        return f"ARRAY<STRUCT<`key` {key}, `value` {value}>>"
    return f"MAP({key}, {value})" if dialect == "duckdb" else f"MAP<{key}, {value}>"


def _quoted(name: str, dialect: Dialect) -> str:
    if dialect == "bigquery":
        return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"
    return "`" + name.replace("`", "``") + "`" if dialect == "databricks" else '"' + name.replace('"', '""') + '"'
