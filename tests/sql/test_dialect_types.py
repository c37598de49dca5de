"""The dialects' spellings of types, by hand from each product's documentation of data types."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_contracts.contract.types import SIMPLE, Type
from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import DIALECTS, read_type, spelled_type, type_sql

SPELLED = [
    ("duckdb", "BIGINT", "Int64"),
    ("duckdb", "INT8", "Int64"),
    ("duckdb", "int1", "Int8"),
    ("duckdb", "HUGEINT", "Int128"),
    ("duckdb", "REAL", "Float32"),
    ("duckdb", "DECIMAL", "Decimal(18,3)"),
    ("duckdb", "NUMERIC(5)", "Decimal(5,0)"),
    ("duckdb", "VARCHAR(50)", "String"),
    ("duckdb", "TIMESTAMP", "TimestampNtz"),
    ("duckdb", "TIMESTAMP WITH TIME ZONE", "Timestamp"),
    ("duckdb", "INTEGER[][]", "Array<Array<Int32>>"),
    ("duckdb", "MAP(VARCHAR, INTEGER[])", "Map<String, Array<Int32>>"),
    ("duckdb", 'STRUCT(a INTEGER, "b c" STRUCT(d DATE))', 'Struct<a: Int32, "b c": Struct<d: Date>>'),
    ("postgres", "double precision", "Float64"),
    ("postgres", "float(24)", "Float32"),
    ("postgres", "FLOAT(25)", "Float64"),
    ("postgres", "int2", "Int16"),
    ("postgres", "bigserial", "Int64"),
    ("postgres", "numeric", "Decimal"),
    ("postgres", "numeric(10,2)", "Decimal(10,2)"),
    ("postgres", "character varying(5)", "String"),
    ("postgres", "timestamp(3) with time zone", "Timestamp"),
    ("postgres", "timestamp without time zone", "TimestampNtz"),
    ("postgres", "jsonb", "Json"),
    ("postgres", "text[]", "Array<String>"),
    ("postgres", "interval day to second", "Interval"),
    ("snowflake", "NUMBER", "Decimal(38,0)"),
    ("snowflake", "NUMBER(38,0)", "Decimal(38,0)"),
    ("snowflake", "BIGINT", "Decimal(38,0)"),
    ("snowflake", "FLOAT4", "Float64"),
    ("snowflake", "TIMESTAMP_LTZ(9)", "Timestamp"),
    ("snowflake", "DATETIME", "TimestampNtz"),
    ("snowflake", "VARIANT", "Variant"),
    ("snowflake", "OBJECT", "Struct"),
    ("snowflake", "ARRAY(NUMBER(3,0) NOT NULL)", "Array<Decimal(3,0)>"),
    ("bigquery", "INT64", "Int64"),
    ("bigquery", "BYTEINT", "Int64"),
    ("bigquery", "NUMERIC", "Decimal(38,9)"),
    ("bigquery", "BIGNUMERIC", "Decimal(76,38)"),
    ("bigquery", "STRING(10)", "String"),
    ("bigquery", "DATETIME", "TimestampNtz"),
    ("bigquery", "TIMESTAMP", "Timestamp"),
    ("bigquery", "ARRAY<STRUCT<a INT64, b ARRAY<STRING>>>", "Array<Struct<a: Int64, b: Array<String>>>"),
    ("databricks", "DECIMAL", "Decimal(10,0)"),
    ("databricks", "TIMESTAMP", "Timestamp"),
    ("databricks", "TIMESTAMP_NTZ", "TimestampNtz"),
    ("databricks", "BYTE", "Int8"),
    ("databricks", "FLOAT", "Float32"),
    ("databricks", "STRUCT<a: INT, `b c`: MAP<STRING, DOUBLE>>", 'Struct<a: Int32, "b c": Map<String, Float64>>'),
]
NAMELESS = [
    ("duckdb", "ENUM('a', 'b')"),
    ("duckdb", "UNION(a INTEGER, b VARCHAR)"),
    ("duckdb", "INTEGER[3]"),
    ("duckdb", "TIMESTAMP_NS"),
    ("duckdb", "BIT"),
    ("postgres", "timetz"),
    ("postgres", "time(3) with time zone"),
    ("postgres", "bit(3)"),
    ("postgres", "tsvector"),
    ("snowflake", "GEOGRAPHY"),
    ("snowflake", "VECTOR(FLOAT, 3)"),
    ("snowflake", "TIMESTAMP"),
    ("bigquery", "RANGE<DATE>"),
    ("databricks", "VOID"),
]


@pytest.mark.parametrize(("dialect", "spelled", "name"), SPELLED, ids=str)
def test_a_spelling_is_the_type_that_its_documentation_says(dialect: str, spelled: str, name: str):
    assert str(spelled_type(spelled, dialect)) == name
    assert read_type(spelled, dialect) == spelled_type(spelled, dialect)


@pytest.mark.parametrize(("dialect", "spelled"), NAMELESS)
def test_a_type_that_contracts_have_no_name_for_is_known_as_such(dialect: str, spelled: str):
    assert spelled_type(spelled, dialect) is None
    with pytest.raises(UnknownTypeError, match="contracts have no name for"):
        read_type(spelled, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_vocabulary_is_read_as_it_is_written_in_every_dialect(dialect: str):
    for name in SIMPLE:
        assert read_type(name, dialect) == Type(name)
    assert read_type("Int8", "duckdb") != read_type("INT8", "duckdb")
    assert read_type("Timestamp", dialect) == Type("Timestamp")
    assert read_type("Decimal", dialect) == Type("Decimal")


@pytest.mark.parametrize(
    ("dialect", "text", "meant"),
    [
        ("duckdb", "BIGINTT", "'BIGINT'"),
        ("postgres", "double precison", "'DOUBLE PRECISION'"),
        ("bigquery", "INT46", "'INT64'"),
        ("snowflake", "NUMBRE", "'NUMBER'"),
        ("databricks", "TIMESTAMP_NZT", "'TIMESTAMP_NTZ'"),
        ("duckdb", "Strin", "'String'"),
    ],
)
def test_a_typo_is_an_error_that_names_what_was_meant(dialect: str, text: str, meant: str):
    with pytest.raises(UnknownTypeError, match=f"Did you mean .*{meant}"):
        read_type(text, dialect)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "(", "INTEGER INTEGER", "INTEGER[", "INTEGER[]]", "STRUCT(a)", "STRUCT()", "MAP(INTEGER)"),
        *("ARRAY<", "'INTEGER'", '"INTEGER"', "INTEGER -- comment", "DECIMAL(10,2", "DECIMAL(,)"),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_no_type_is_an_unknown_type(dialect: str, text: str):
    with pytest.raises(UnknownTypeError):
        spelled_type(text, dialect)


def test_a_dialect_that_nobody_knows_is_told():
    with pytest.raises(UnknownTypeError, match="Did you mean 'postgres'"):
        spelled_type("INTEGER", "postgre")


simple = st.sampled_from([Type(name) for name in SIMPLE]) | st.builds(
    lambda scale, whole: Type("Decimal", scale + whole, scale), st.integers(0, 9), st.integers(1, 29)
)
names = st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs", "Cc"]), min_size=1)
types = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.builds(lambda of: Type("Array", args=(of,)), inner),
        st.builds(lambda of: Type("Map", args=of), st.tuples(inner, inner)),
        st.builds(
            lambda of: Type("Struct", fields=tuple(of)), st.lists(st.tuples(names, inner), min_size=1, max_size=3)
        ),
    ),
    max_leaves=5,
)


@given(types, st.sampled_from(DIALECTS))
def test_what_is_spelled_in_a_dialect_is_read_back_as_the_same_type(of: Type, dialect: str):
    spelled = type_sql(of, dialect)
    if spelled is not None:
        assert spelled_type(spelled, dialect) == of


@pytest.mark.parametrize("name", SIMPLE)
def test_duckdb_has_a_spelling_for_every_simple_type(name: str):
    assert type_sql(Type(name), "duckdb") is not None


@given(st.text(max_size=30), st.sampled_from(DIALECTS))
def test_no_text_gives_anything_but_a_type_or_our_own_error(text: str, dialect: str):
    try:
        spelled_type(text, dialect)
    except UnknownTypeError:
        return
