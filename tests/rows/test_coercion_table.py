"""The coercion table: every kind of value into every kind of field."""

import datetime as dt
import sys
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from pydantic import AwareDatetime, Field
from tests.rows.coercion_table import FIELDS, TABLE, Code, Word

import dagster_contracts as dc
from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.errors import SchemaError
from dagster_contracts.rows.reference import How, conform_row, same
from dagster_contracts.rows.schema import Schema
from dagster_contracts.rows.shapes import record_shape
from dagster_contracts.rows.strategy import MaterializationStrategy


class Kinds(Schema):
    bool: bool
    int: int
    float: float
    decimal: Decimal = Field(max_digits=6, decimal_places=2)
    str: str
    bytes: bytes
    date: dt.date
    naive: dt.datetime
    aware: AwareDatetime
    time: dt.time
    timedelta: dt.timedelta
    uuid: UUID


RECORD = record_shape(row_schema(Kinds))
CELLS = [(line[0], name, answer) for line in TABLE for name, answer in zip(FIELDS, line[1:], strict=True)]


def test_the_table_has_sixty_inputs_and_twelve_fields():
    assert len(TABLE) >= 60
    assert len(FIELDS) == 12
    assert [field.name for field in RECORD.fields] == list(FIELDS)


@pytest.mark.parametrize("line", TABLE, ids=[f"{at}-{ascii(line[0])[:30]}" for at, line in enumerate(TABLE)])
def test_every_value_becomes_what_the_table_says(line):
    how = How(MaterializationStrategy.RECONCILE)
    values, failures = conform_row(RECORD, dict.fromkeys(FIELDS, line[0]), 0, how)
    codes = {failure.field: Code(failure.code) for failure in failures}
    found = {name: values.get(name, codes.get(name)) for name in FIELDS}
    wrong = {
        name: (found[name], answer)
        for name, answer in zip(FIELDS, line[1:], strict=True)
        if not same(found[name], answer)
    }
    assert wrong == {}


@pytest.mark.parametrize("line", TABLE, ids=[f"{at}-{ascii(line[0])[:30]}" for at, line in enumerate(TABLE)])
def test_strict_takes_a_value_exactly_where_reconcile_leaves_it_as_it_is(line):
    values, _ = conform_row(RECORD, dict.fromkeys(FIELDS, line[0]), 0, How(MaterializationStrategy.STRICT))
    untouched = {
        name
        for name, answer in zip(FIELDS, line[1:], strict=True)
        if type(answer) is type(line[0]) and same(answer, line[0])
    }
    assert set(values) == untouched


class Stays(Schema):
    exact: dt.timedelta | None = None
    several: list[dt.timedelta] = Field(default_factory=list)
    loose: dt.timedelta | None = dc.field(default=None, lax=True)


def test_years_and_months_are_no_length_unless_the_field_is_lax():
    assert Stays.reconcile([{"loose": "P1M"}, {"loose": "-P1Y2M"}]) == [
        {"exact": None, "several": [], "loose": dt.timedelta(days=30)},
        {"exact": None, "several": [], "loose": dt.timedelta(days=-425)},
    ]
    rows = [{"exact": "P1M"}, {"exact": b"P2Y"}, {"several": ["PT1M", "P1DT1M", "P0.5M"]}]
    with pytest.raises(SchemaError) as caught:
        Stays.to_frame(rows)
    assert [(one.row, one.field, one.place, one.code) for one in caught.value.failures] == [
        (0, "exact", "", "calendar"),
        (1, "exact", "", "calendar"),
        (2, "several", "[2]", "calendar"),
    ]


class Dicts(Schema):
    moments: dict[str, dt.datetime] = Field(default_factory=dict)
    days: dict[str, list[dt.date]] = Field(default_factory=dict)
    lengths: dict[str, dict[str, dt.timedelta]] = Field(default_factory=dict)
    shares: dict[str, float | None] = Field(default_factory=dict)
    words: dict[str, str] = Field(default_factory=dict)
    loose: dict[str, dt.timedelta] = dc.field(default_factory=dict, lax=True)


@pytest.mark.parametrize(
    ("field", "given", "place", "code"),
    [
        ("moments", {"a": "2024-01-02", "b": 1700000000}, ".b", "bare_digits"),
        ("moments", {"a": "2024-01-02T03:04:05.123456789"}, ".a", "inexact"),
        ("days", {"a": ["2024-01-02", "1704153600"]}, ".a[1]", "bare_digits"),
        ("lengths", {"a": {"b": "P1M"}}, ".a.b", "calendar"),
        ("lengths", {"a": {"b": Decimal("0.0000001")}}, ".a.b", "inexact"),
        ("shares", {"a": None, "b": 2**53 + 1}, ".b", "inexact"),
        ("shares", {"a": "1e999"}, ".a", "out_of_range"),
        ("words", {"a": Word.FIVE}, ".a", "enum_member"),
        ("words", {b"a": "1", "a": "2"}, "", "type"),
    ],
)
def test_a_value_inside_of_a_dict_is_refused_where_a_column_would_refuse_its_loss(field, given, place, code):
    with pytest.raises(SchemaError) as caught:
        Dicts.reconcile([{field: given}])
    [failure] = caught.value.failures
    assert (failure.field, failure.place, failure.code) == (field, place, code)


def test_a_value_inside_of_a_dict_that_loses_nothing_is_read():
    given = {
        "moments": {"a": "2024-01-02T03:04:05.123456000", "b": "2024-01-02T03:04:05+02:00"},
        "days": {"a": ["2024-01-02"]},
        "lengths": {"a": {"b": "PT1M", "c": 1.5}},
        "shares": {"a": "0.5", "b": 2**53, "c": None},
        "words": {"a": b"x"},
        "loose": {"a": "P1M"},
    }
    [found] = Dicts.reconcile([given])
    assert found["moments"]["a"] == dt.datetime(2024, 1, 2, 3, 4, 5, 123456)  # noqa: DTZ001
    assert found["moments"]["b"].utcoffset() == dt.timedelta(hours=2)
    assert found["lengths"] == {"a": {"b": dt.timedelta(minutes=1), "c": dt.timedelta(seconds=1.5)}}
    assert found["shares"] == {"a": 0.5, "b": 2.0**53, "c": None}
    assert (found["words"], found["loose"]) == ({"a": "x"}, {"a": dt.timedelta(days=30)})


class Documents(Schema):
    one: Any
    several: dict[str, Any] | None


@pytest.mark.parametrize("value", [10**308, -(10**400), [1, {"a": 10**5000}]], ids=["just", "far", "inside"])
@pytest.mark.parametrize("field", ["one", "several"])
def test_json_holds_no_integer_that_the_contract_would_refuse_in_the_frame(field, value):
    row = {"one": 1, "several": None} | {field: value if field == "one" else {"x": value}}
    with pytest.raises(SchemaError) as caught:
        Documents.to_frame([row])
    assert [(one.field, one.code) for one in caught.value.failures] == [(field, "out_of_range")]


def test_what_json_holds_keeps_the_contract_in_the_frame():
    most = 10**308 - 1
    values = [most, -most, 2**70, sys.float_info.max, 5e-324, [[[1]]], "x", None]
    frame = Documents.to_frame([{"one": value, "several": {"x": value}} for value in values])
    assert dc.validate(Documents, frame).invalid_count == 0


def test_messages_name_types_with_their_article():
    with pytest.raises(SchemaError) as caught:
        Documents.validate_rows([{"one": 1, "several": 5}, {"one": 1, "several": "x"}, 5])
    causes = [one.cause for one in caught.value.failures]
    assert [cause.split(" is ")[0] for cause in causes] == ["an int", "a str", "an int"]
