"""The coercion table: every kind of value into every kind of field."""

import datetime as dt
from decimal import Decimal
from uuid import UUID

import pytest
from pydantic import AwareDatetime, Field
from tests.rows.coercion_table import FIELDS, TABLE, Code

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
