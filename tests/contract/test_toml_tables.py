"""Contract files on the frames of a table."""

import datetime as dt
from decimal import Decimal

import polars as pl
import pytest

from dagster_contracts.contract.toml import parse_contract
from dagster_contracts.contract.toml_tables import table_contract
from dagster_contracts.contract.types import parse_type
from dagster_contracts.errors import ContractParseError, ReservedColumnError
from dagster_contracts.frames.column_schema import compare_columns
from dagster_contracts.frames.split import split


def contract(text: str):
    file, problems = parse_contract(text, parse_type)
    assert problems == ()
    return table_contract("orders", file)


def column(type_: str) -> str:
    return f'[[columns]]\nname = "x"\ntype = "{type_}"\n'


ORDERS = """
[rules]
required = ["note", "id"]
protected = ["old"]

[[columns]]
name = "id"
type = "Int64"
nullable = false
description = "The order's number."

[[columns]]
name = "amount"
nullable = false
"""


def test_the_columns_are_those_that_it_names_and_each_once():
    fields = contract(ORDERS).fields
    assert [(spec.name, spec.type_text, spec.nullable) for spec in fields] == [
        ("id", "Int64", False),
        ("amount", "any", False),
        ("note", "any", True),
        ("old", "any", True),
    ]
    assert fields[0].description == "The order's number."


def test_nulls_break_what_was_promised_not_to_have_any():
    frame = pl.DataFrame({"id": [1, None, 3], "amount": [1.5, 2.5, None], "note": [None] * 3, "old": ["a", "b", "c"]})
    found = split(contract(ORDERS), frame)
    assert found.rule_counts == {"id|nullability": 1, "amount|nullability": 1}
    assert found.valid.lazy().collect()["id"].to_list() == [1]


@pytest.mark.parametrize("missing", ["id", "amount", "note", "old"])
def test_every_column_must_be_there(missing: str):
    schema = pl.Schema({"id": pl.Int64, "amount": pl.Float64, "note": pl.String, "old": pl.Date})
    assert compare_columns(contract(ORDERS), schema).mismatches == ()
    rest = pl.Schema({name: dtype for name, dtype in schema.items() if name != missing})
    assert [one.column for one in compare_columns(contract(ORDERS), rest).mismatches] == [missing]


@pytest.mark.parametrize(
    ("type_", "dtype", "accepted"),
    [
        ("Int64", pl.Int64, True),
        ("Int64", pl.Int32, False),
        ("String", pl.String, True),
        ("String", pl.Categorical(), True),
        ("Decimal", pl.Decimal(10, 2), True),
        ("Decimal(10,2)", pl.Decimal(10, 2), True),
        ("Decimal(10)", pl.Decimal(10, 2), False),
        ("Timestamp", pl.Datetime("ns", "Europe/Berlin"), True),
        ("Timestamp", pl.Datetime("us"), False),
        ("TimestampNtz", pl.Datetime("ms"), True),
        ("Array<Int64>", pl.List(pl.Int64), True),
        ("Array<Int64>", pl.List(pl.Int8), False),
        ("Array", pl.List(pl.Int8), True),
        ("Struct<a: Date>", pl.Struct({"a": pl.Date}), True),
        ("Struct<a: Date>", pl.Struct({"b": pl.Date}), False),
        ("Uuid", pl.String, True),
        ("Json", pl.String, True),
        ("Int64", pl.Null, False),
    ],
)
def test_the_dtypes_of_each_type(type_: str, dtype: pl.DataType, accepted: bool):
    found = compare_columns(contract(column(type_)), pl.Schema({"x": dtype}))
    assert (found.mismatches == ()) is accepted


def test_an_empty_frame_keeps_it():
    for type_ in ("Int8", "Decimal", "Array", "Struct", "Map<String, Int8>", "Time", "Interval"):
        promised = contract(column(type_))
        if promised.fields[0].dtype != pl.Null():
            assert compare_columns(promised, promised.empty_frame().schema).mismatches == ()


@pytest.mark.parametrize("text", ["", "[rules]\n", "[rules]\nrequired = []\n"])
def test_a_contract_without_a_column_is_refused(text: str):
    with pytest.raises(ContractParseError, match="orders: the contract names no column"):
        contract(text)


def test_what_a_table_cannot_be_asked_is_refused():
    with pytest.raises(ContractParseError, match=r"orders: no_new_nullable, on line 2, speaks of the columns"):
        contract("[rules]\nno_new_nullable = true\n" + column("Int8"))


def test_reserved_columns_are_refused():
    with pytest.raises(ReservedColumnError):
        contract('[rules]\nrequired = ["dy_x"]')


def test_the_fingerprint_tells_contracts_apart_and_is_stable():
    assert contract(column("Int8")).fingerprint == contract(column("Int8")).fingerprint
    other = [column("Int16"), column("Int8") + "nullable = false\n", '[rules]\nrequired = ["x"]']
    assert len({contract(text).fingerprint for text in [column("Int8"), *other]}) == 4


def test_values_are_not_looked_at_where_only_the_type_is_promised():
    frame = pl.DataFrame({"x": [Decimal("1.10"), None]}, schema={"x": pl.Decimal(10, 2)})
    assert split(contract(column("Decimal(10,2)")), frame).invalid_count == 0
    days = pl.DataFrame({"x": [dt.date(2013, 1, 1)]})
    assert split(contract(column("Date")), days).valid_count == 1
