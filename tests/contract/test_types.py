"""The vocabulary of types: read from text, printed, and compared."""

import contextlib
import subprocess
import sys

import hypothesis.strategies as st
import pytest
from hypothesis import given

from dagster_contracts.contract.types import MAX_DEPTH, SIMPLE, Type, matches, parse_type
from dagster_contracts.errors import UnknownTypeError

NAMES = [
    "Boolean",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Int128",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Float32",
    "Float64",
    "String",
    "Binary",
    "Date",
    "Time",
    "Timestamp",
    "TimestampNtz",
    "Interval",
    "Uuid",
    "Json",
    "Variant",
]


def a_struct(of: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    fields = st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), of, min_size=1, max_size=3)
    return fields.map(lambda named: Type("Struct", fields=tuple(named.items())))


def decimals() -> st.SearchStrategy[Type]:
    digits = st.integers(1, 76).flatmap(lambda p: st.tuples(st.just(p), st.integers(0, p)))
    return digits.map(lambda pair: Type("Decimal", *pair))


TYPES = st.recursive(
    st.sampled_from([Type(name) for name in (*SIMPLE, "Decimal", "Array", "Map", "Struct")]) | decimals(),
    lambda of: (
        of.map(lambda arg: Type("Array", args=(arg,)))
        | st.tuples(of, of).map(lambda pair: Type("Map", args=pair))
        | a_struct(of)
    ),
    max_leaves=6,
)


def test_naming_types_imports_no_engine():
    program = "import sys; from dagster_contracts.contract.types import parse_type, matches; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"polars", "pydantic", "dataframely", "sqlglot", "duckdb"} & set(loaded)


def test_the_simple_names_are_the_documented_ones():
    assert sorted(SIMPLE) == sorted(NAMES)
    for name in NAMES:
        assert parse_type(name) == Type(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Decimal", Type("Decimal")),
        ("Decimal(10)", Type("Decimal", 10, 0)),
        ("Decimal(10,2)", Type("Decimal", 10, 2)),
        ("Decimal( 10 , 2 )", Type("Decimal", 10, 2)),
        ("Array", Type("Array")),
        ("Array<Int64>", Type("Array", args=(Type("Int64"),))),
        ("Map<String, Array<Date>>", Type("Map", args=(Type("String"), Type("Array", args=(Type("Date"),))))),
        ("Struct", Type("Struct")),
        ("Struct<a: Int8, b: Json>", Type("Struct", fields=(("a", Type("Int8")), ("b", Type("Json"))))),
        ('Struct<"a "" b": Int8>', Type("Struct", fields=(('a " b', Type("Int8")),))),
        ("Struct<Größe: Int8>", Type("Struct", fields=(("Größe", Type("Int8")),))),
        (" Int64\n", Type("Int64")),
    ],
)
def test_a_type_is_read_as_it_is_written(text: str, expected: Type):
    assert parse_type(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int64", "Did you mean 'Int64'?"),
        ("Int46", "Did you mean 'Int"),
        ("Sting", "Did you mean 'String'?"),
        ("TIMESTAMPNTZ", "Did you mean 'TimestampNtz'?"),
        ("", "a type is missing"),
        ("Array<>", "'>' is no type"),
        ("Array<Int64", "expected '>', found the end"),
        ("Array<Int64, Int8>", "Array takes one type"),
        ("Map<Int64>", "Map takes two types"),
        ("Decimal(0)", "1 to 76 digits"),
        ("Decimal(77)", "1 to 76 digits"),
        ("Decimal(99999999999)", "1 to 76 digits"),
        ("Decimal(3,4)", "no more of them after the point"),
        ("Decimal(x)", "is written `Decimal("),
        ("Decimal(3.4)", "'.' cannot stand in a type"),
        ("Int64 NOT NULL", "nothing may follow the type, and 'NOT' does"),
        ("Struct<a Int64>", "expected ':', found 'Int64'"),
        ("Struct<a: Int8, a: Int8>", "no two fields of one name"),
        ("Int64()", "nothing may follow the type"),
        ("Array<" * (MAX_DEPTH + 1) + "Int8", f"more than {MAX_DEPTH} deep"),
        ("Array<" * 100_000, f"more than {MAX_DEPTH} deep"),
    ],
)
def test_what_is_no_type_is_refused_with_what_is_wrong(text: str, message: str):
    with pytest.raises(UnknownTypeError) as caught:
        parse_type(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


@given(TYPES)
def test_a_printed_type_reads_as_itself(type_: Type):
    assert parse_type(str(type_)) == type_


@given(st.text() | st.text(alphabet='<>(),: "ADIecimalrytn128', max_size=30))
def test_any_text_is_a_type_or_an_unknown_type(text: str):
    with contextlib.suppress(UnknownTypeError):
        assert parse_type(str(parse_type(text))) == parse_type(text)


@pytest.mark.parametrize(
    ("declared", "found", "exact", "assignable"),
    [
        ("Int64", "Int64", True, True),
        ("Int64", "Int32", False, True),
        ("Int32", "Int64", False, False),
        ("Int64", "UInt32", False, True),
        ("Int64", "UInt64", False, False),
        ("Int128", "UInt64", False, True),
        ("UInt64", "UInt8", False, True),
        ("UInt64", "Int8", False, False),
        ("Float64", "Float32", False, True),
        ("Float32", "Float64", False, False),
        ("Float64", "Int32", False, True),
        ("Float64", "Int64", False, False),
        ("Float32", "Int16", False, True),
        ("Float32", "Int32", False, False),
        ("Int64", "Boolean", False, False),
        ("String", "Uuid", False, False),
        ("Timestamp", "TimestampNtz", False, False),
        ("TimestampNtz", "Date", False, False),
        ("Decimal", "Decimal", True, True),
        ("Decimal", "Decimal(10,2)", True, True),
        ("Decimal(10)", "Decimal(10,0)", True, True),
        ("Decimal(10)", "Decimal(10,2)", False, False),
        ("Decimal(12,2)", "Decimal(10,2)", False, True),
        ("Decimal(12,3)", "Decimal(12,2)", False, False),
        ("Decimal(13,3)", "Decimal(12,2)", False, True),
        ("Decimal(10,2)", "Decimal", None, None),
        ("Decimal", "Int64", False, True),
        ("Decimal(19)", "Int64", False, True),
        ("Decimal(18)", "Int64", False, False),
        ("Decimal(21,2)", "Int64", False, True),
        ("Decimal(20,2)", "Int64", False, False),
        ("Decimal(20)", "Float64", False, False),
        ("Array", "Array<Int8>", True, True),
        ("Array<Int8>", "Array", None, None),
        ("Array<Int64>", "Array<Int32>", False, True),
        ("Array<Int64>", "Int64", False, False),
        ("Map<String, Int64>", "Map<String, Int8>", False, True),
        ("Map<String, Decimal(3)>", "Map<Date, Decimal>", False, False),
        ("Map<String, Decimal(3)>", "Map<String, Decimal>", None, None),
        ("Struct", "Struct<a: Int8>", True, True),
        ("Struct<a: Int8>", "Struct", None, None),
        ("Struct<a: Int64, b: Date>", "Struct<a: Int64, b: Date>", True, True),
        ("Struct<a: Int64, b: Date>", "Struct<b: Date, a: Int64>", False, False),
        ("Struct<a: Int64, b: Date>", "Struct<a: Int64>", False, False),
        ("Struct<a: Int64>", "Struct<a: Int64, b: Date>", False, False),
        ("Struct<a: Int64>", "Struct<a: Int8>", False, True),
    ],
)
def test_a_declared_type_is_matched(declared: str, found: str, exact: bool | None, assignable: bool | None):
    assert matches(parse_type(declared), parse_type(found)) is exact
    assert matches(parse_type(declared), parse_type(found), assignable=True) is assignable


@given(TYPES)
def test_a_type_matches_itself(type_: Type):
    assert matches(type_, type_) is True
    assert matches(type_, type_, assignable=True) is True


@given(TYPES, TYPES)
def test_what_matches_exactly_is_assignable(declared: Type, found: Type):
    if matches(declared, found):
        assert matches(declared, found, assignable=True)
