"""How each dialect spells the vocabulary's types; the facts are those of each product's documentation of data types."""

from __future__ import annotations

from dagster_contracts.contract.types import Type

DIALECTS = ("duckdb", "postgres", "snowflake", "bigquery", "databricks")


def _spellings(**names: str) -> dict[str, Type]:
    """A table from spelling to type, from each type's spellings; `~` stands for a blank in a spelling."""
    return {
        spelling.replace("~", " "): Type(name) for name, spellings in names.items() for spelling in spellings.split()
    }


def _names(text: str) -> frozenset[str]:
    """Names in a text; `~` stands for a blank in a name."""
    return frozenset(name.replace("~", " ") for name in text.split())


_SNOWFLAKE_INTEGER = Type("Decimal", 38, 0)

# Spellings in upper case. The first of each type is the one that is written.
SPELLINGS: dict[str, dict[str, Type]] = {
    "duckdb": _spellings(
        Boolean="BOOLEAN BOOL LOGICAL",
        Int8="TINYINT INT1",
        Int16="SMALLINT INT2 INT16 SHORT",
        Int32="INTEGER INT INT4 INT32 SIGNED INTEGRAL",
        Int64="BIGINT INT8 INT64 LONG OID",
        Int128="HUGEINT INT128",
        UInt8="UTINYINT UINT8",
        UInt16="USMALLINT UINT16",
        UInt32="UINTEGER UINT32",
        UInt64="UBIGINT UINT64",
        Float32="FLOAT REAL FLOAT4",
        Float64="DOUBLE FLOAT8 DOUBLE~PRECISION",
        String="VARCHAR TEXT STRING CHAR BPCHAR NVARCHAR CHARACTER~VARYING",
        Binary="BLOB BYTEA BINARY VARBINARY",
        Date="DATE",
        Time="TIME TIME~WITHOUT~TIME~ZONE",
        Timestamp="TIMESTAMPTZ TIMESTAMP~WITH~TIME~ZONE",
        TimestampNtz="TIMESTAMP DATETIME TIMESTAMP_US TIMESTAMP~WITHOUT~TIME~ZONE",
        Interval="INTERVAL",
        Uuid="UUID GUID",
        Json="JSON",
        Variant="VARIANT",
    ),
    "postgres": _spellings(
        Boolean="BOOLEAN BOOL",
        Int16="SMALLINT INT2 SMALLSERIAL SERIAL2",
        Int32="INTEGER INT INT4 SERIAL SERIAL4",
        Int64="BIGINT INT8 BIGSERIAL SERIAL8",
        Float32="REAL FLOAT4",
        Float64="DOUBLE~PRECISION FLOAT8 FLOAT",
        String="TEXT VARCHAR CHAR CHARACTER CHARACTER~VARYING BPCHAR",
        Binary="BYTEA",
        Date="DATE",
        Time="TIME TIME~WITHOUT~TIME~ZONE",
        Timestamp="TIMESTAMPTZ TIMESTAMP~WITH~TIME~ZONE",
        TimestampNtz="TIMESTAMP TIMESTAMP~WITHOUT~TIME~ZONE",
        Interval="INTERVAL",
        Uuid="UUID",
        Json="JSON JSONB",
    ),
    "snowflake": _spellings(
        Boolean="BOOLEAN",
        Float64="FLOAT FLOAT4 FLOAT8 DOUBLE DOUBLE~PRECISION REAL",
        String="VARCHAR STRING TEXT CHAR CHARACTER NCHAR NVARCHAR NVARCHAR2 CHAR~VARYING NCHAR~VARYING",
        Binary="BINARY VARBINARY",
        Date="DATE",
        Time="TIME",
        Timestamp="TIMESTAMP_TZ TIMESTAMPTZ TIMESTAMP_LTZ TIMESTAMPLTZ TIMESTAMP~WITH~LOCAL~TIME~ZONE",
        TimestampNtz="TIMESTAMP_NTZ TIMESTAMPNTZ DATETIME TIMESTAMP~WITHOUT~TIME~ZONE",
        Variant="VARIANT",
        Struct="OBJECT",
        Array="ARRAY",
    )
    | dict.fromkeys(["NUMBER", "INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "BYTEINT"], _SNOWFLAKE_INTEGER),
    "bigquery": _spellings(
        Boolean="BOOL BOOLEAN",
        Int64="INT64 INT SMALLINT INTEGER BIGINT TINYINT BYTEINT",
        Float64="FLOAT64",
        String="STRING",
        Binary="BYTES",
        Date="DATE",
        Time="TIME",
        Timestamp="TIMESTAMP",
        TimestampNtz="DATETIME",
        Interval="INTERVAL",
        Json="JSON",
    ),
    "databricks": _spellings(
        Boolean="BOOLEAN",
        Int8="TINYINT BYTE",
        Int16="SMALLINT SHORT",
        Int32="INT INTEGER",
        Int64="BIGINT LONG",
        Float32="FLOAT REAL",
        Float64="DOUBLE",
        String="STRING VARCHAR CHAR",
        Binary="BINARY",
        Date="DATE",
        Timestamp="TIMESTAMP TIMESTAMP_LTZ",
        TimestampNtz="TIMESTAMP_NTZ",
        Interval="INTERVAL",
        Variant="VARIANT",
    ),
}

# What a decimal is called, what it is without digits, and what it is with a precision alone: (p,0).
DECIMALS: dict[str, dict[str, Type]] = {
    "duckdb": dict.fromkeys(["DECIMAL", "NUMERIC", "DEC"], Type("Decimal", 18, 3)),
    "postgres": dict.fromkeys(["NUMERIC", "DECIMAL", "DEC"], Type("Decimal")),
    "snowflake": dict.fromkeys(["NUMBER", "DECIMAL", "NUMERIC", "DEC"], Type("Decimal", 38, 0)),
    "bigquery": dict.fromkeys(["NUMERIC", "DECIMAL"], Type("Decimal", 38, 9))
    | dict.fromkeys(["BIGNUMERIC", "BIGDECIMAL"], Type("Decimal", 76, 38)),
    "databricks": dict.fromkeys(["DECIMAL", "DEC", "NUMERIC"], Type("Decimal", 10, 0)),
}

# Real types that the vocabulary has no name for: what has one of them is not verified.
NAMELESS: dict[str, frozenset[str]] = {
    "duckdb": _names(
        "BIT BITSTRING UHUGEINT UINT128 BIGNUM ENUM UNION TUPLE GEOMETRY NULL TIMETZ TIME~WITH~TIME~ZONE "
        "TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS TIMESTAMPTZ_NS TIME_NS"
    ),
    "postgres": _names(
        "TIMETZ TIME~WITH~TIME~ZONE BIT BIT~VARYING VARBIT MONEY INET CIDR MACADDR XML POINT LINE LSEG BOX PATH "
        "POLYGON CIRCLE TSVECTOR TSQUERY OID NAME CITEXT HSTORE LTREE VECTOR INT4RANGE INT8RANGE NUMRANGE TSRANGE "
        "TSTZRANGE DATERANGE"
    ),
    # What TIMESTAMP is depends on the session's TIMESTAMP_TYPE_MAPPING.
    "snowflake": _names("GEOGRAPHY GEOMETRY VECTOR FILE DECFLOAT TIMESTAMP"),
    "bigquery": _names("GEOGRAPHY RANGE"),
    "databricks": _names("VOID OBJECT GEOGRAPHY GEOMETRY"),
}
