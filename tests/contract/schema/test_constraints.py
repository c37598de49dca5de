"""A constraint means on a frame what it means to pydantic on a value."""

import datetime as dt
import json
import math
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import example, given, settings
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

import dagster_contracts as dc
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.contract.row_fields import row_schema


class Size(Enum):
    S = "s"
    M = "m"


def valid_on_frame(annotation: Any, values: list[Any]) -> list[bool]:
    """Which of the values pass every rule of a column of the annotation, each in a frame of its own."""

    class Table(dc.Schema):
        x: annotation  # type: ignore[valid-type]

    frames = [pl.DataFrame({"x": [value]}, schema=Table.polars_schema()) for value in values]
    return [dc.validate(Table, frame).invalid_count == 0 for frame in frames]


def valid_to_pydantic(annotation: Any, value: Any) -> bool:
    try:
        TypeAdapter(annotation).validate_python(value)
    except ValidationError:
        return False
    return True


INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-20, 20)
FLOATS = st.floats() | st.floats(-20, 20) | st.integers(-200, 200).map(lambda n: n / 10)
SMALL_FLOATS = (
    st.sampled_from([math.nan, math.inf, -math.inf]) | st.floats(-20, 20) | st.integers(-200, 200).map(lambda n: n / 10)
)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=6) | st.text("aßé0\n", max_size=6)
DECIMALS = st.decimals(-100, 100, places=2) | st.decimals(-100, 100, places=1)
DATES = st.dates(dt.date(2019, 12, 30), dt.date(2020, 1, 3))
NEW_YEAR = dt.datetime(2020, 1, 1)  # noqa: DTZ001  (naive, as the column is)
MOMENTS = st.datetimes(NEW_YEAR - dt.timedelta(seconds=1), NEW_YEAR + dt.timedelta(seconds=1))
SPANS = st.timedeltas(dt.timedelta(-1), dt.timedelta(1)) | st.just(dt.timedelta(0))
AS_WRITTEN = pytest.mark.skipif(
    not valid_to_pydantic(Annotated[Decimal, Field(multiple_of=0.1)], Decimal(1)),
    reason="this pydantic takes the 0.1 of a Decimal field for the binary fraction next to it",
)


@pytest.mark.parametrize(
    ("annotation", "values"),
    [
        (Annotated[int, Field(ge=-3, lt=7)], INTEGERS),
        (Annotated[int, Field(gt=-3, ge=-5, le=7, lt=7)], INTEGERS),
        (Annotated[int, Field(multiple_of=3)], INTEGERS),
        (Annotated[int, dc.Int128, Field(ge=-(2**100), multiple_of=7)], st.integers(-(2**126), 2**126)),
        (Annotated[int, dc.UInt8, Field(ge=-5, le=300)], st.integers(0, 255)),
        (Annotated[float, Field(ge=0)], FLOATS),
        (Annotated[float, Field(gt=0)], FLOATS),
        (Annotated[float, Field(le=0)], FLOATS),
        (Annotated[float, Field(lt=0)], FLOATS),
        (Annotated[float, Field(multiple_of=0.1)], SMALL_FLOATS),
        (Annotated[float, Field(multiple_of=3)], SMALL_FLOATS),
        (Annotated[float, Field(allow_inf_nan=False)], FLOATS),
        (Annotated[float, Field()], FLOATS),
        (Annotated[Decimal, Field(max_digits=6, decimal_places=2, ge=Decimal("0.005"), lt=9.5)], DECIMALS),
        (Annotated[Decimal, Field(max_digits=6, decimal_places=2, multiple_of=Decimal("0.5"))], DECIMALS),
        pytest.param(Annotated[Decimal, Field(max_digits=6, decimal_places=2, multiple_of=0.1)], DECIMALS, marks=AS_WRITTEN),
        (Annotated[Decimal, Field(max_digits=6, decimal_places=2, multiple_of=Decimal("0.125"))], DECIMALS),
        (Annotated[Decimal, Field(max_digits=6, decimal_places=2, multiple_of=3)], DECIMALS),
        (Annotated[Decimal, Field(max_digits=38, decimal_places=2, multiple_of=10**37)], DECIMALS),
        (Annotated[Decimal, Field(max_digits=38, decimal_places=2, multiple_of=3)], DECIMALS),
        (Annotated[str, Field(min_length=2, max_length=3)], TEXTS),
        (Annotated[str, Field(pattern="^[aß]+$")], TEXTS),
        (Annotated[str, Field(pattern="é|0$")], TEXTS),
        (Annotated[str, Field(ge="a", lt="é")], TEXTS),
        (Literal["a", "", "ß"], TEXTS),
        (Annotated[Literal["a", "b"], Field(min_length=1)], st.sampled_from(["a", "b", "c", ""])),
        (Literal[1, 5], INTEGERS),
        (Annotated[Literal[1, 5], dc.Int8], st.integers(-128, 127)),
        (Size, st.sampled_from(["s", "m", "S", ""])),
        (Annotated[bytes, Field(min_length=1, max_length=2)], st.binary(max_size=4)),
        (Annotated[dt.date, Field(ge=dt.date(2020, 1, 1), lt=dt.date(2020, 1, 2))], DATES),
        (Annotated[dt.datetime, Field(gt=NEW_YEAR)], MOMENTS),
        (Annotated[dt.timedelta, Field(gt=dt.timedelta(0))], SPANS),
        (Annotated[list[int], Field(min_length=1, max_length=2)], st.lists(st.integers(0, 3), max_size=4)),
        (list[Annotated[int, Field(ge=1)]], st.lists(st.integers(0, 3), max_size=3)),
        (list[Annotated[int, Field(ge=1)] | None], st.lists(st.none() | st.integers(0, 3), max_size=3)),
        (list[list[Annotated[str, Field(max_length=1)]]], st.lists(st.lists(TEXTS, max_size=2), max_size=2)),
        (list[int], st.lists(st.none() | st.integers(0, 3), max_size=3)),
    ],
)  # fmt: skip
def test_a_frame_keeps_what_pydantic_takes(annotation: Any, values: st.SearchStrategy[Any]):
    class Table(dc.Schema):
        x: annotation  # type: ignore[valid-type]

    asked = row_schema(Table).fields[0].annotation
    rules = [rule.expr.fill_null(value=True) for rule in read_contract(Table).rules]

    @settings(max_examples=40)
    @given(st.lists(values, min_size=1, max_size=30))
    def agree(drawn: list[Any]) -> None:
        frame = pl.DataFrame({"x": drawn}, schema=Table.polars_schema())
        held = frame.select(held=pl.all_horizontal(rules))["held"].to_list()
        assert held == [valid_to_pydantic(asked, value) for value in drawn]

    agree()


def test_a_null_is_held_to_no_constraint_but_nullability():
    class Table(dc.Schema):
        a: Annotated[int, Field(ge=1)] | None
        b: Annotated[str, Field(min_length=2, pattern="x")] | None
        c: UUID | None
        d: dict[str, Any] | None
        e: list[Annotated[int, Field(ge=1)]] | None
        f: int

    frame = pl.DataFrame({name: [None] for name in "abcdef"}, schema=Table.polars_schema())
    names = [rule.name for rule in read_contract(Table).rules]
    assert len(names) == 8
    assert dc.validate(Table, frame).rule_counts == {name: int(name == "f|nullability") for name in names}


@pytest.mark.parametrize(
    ("text", "is_json", "is_object"),
    [
        ('{"a": [1, null]}', True, True),
        (' {"a": 1}\n', True, True),
        ("{}", True, True),
        ("[1]", True, False),
        ("null", True, False),
        (" null ", True, False),
        ('"null"', True, False),
        ("1.5e3", True, False),
        ("true", True, False),
        ("", False, False),
        ("NaN", False, False),
        ("{'a': 1}", False, False),
        ('{"a": 1,}', False, False),
        ('{"a": 1} x', False, False),
        ("nul", False, False),
    ],
)
def test_text_in_a_column_of_json_is_json(text: str, is_json: bool, is_object: bool):
    if is_json:
        json.loads(text)
    assert valid_on_frame(Any, [text]) == [is_json]
    assert valid_on_frame(dict[str, Any], [text]) == [is_object]


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("6f9619ff-8b86-d011-b42d-00c04fc964ff", True),
        ("6F9619FF-8B86-D011-B42D-00C04FC964FF", False),
        ("6f9619ff8b86d011b42d00c04fc964ff", False),
        ("6f9619ff-8b86-d011-b42d-00c04fc964f", False),
        ("x6f9619ff-8b86-d011-b42d-00c04fc964ff", False),
        ("6f9619ff-8b86-d011-b42d-00c04fc964ff\n", False),
        ("", False),
    ],
)
def test_text_in_a_column_of_uuids_is_a_canonical_uuid(text: str, held: bool):
    assert valid_on_frame(UUID, [text]) == [held]


@given(st.uuids())
@example(UUID(int=0))
def test_every_uuid_as_python_prints_it_is_held(value: UUID):
    assert valid_on_frame(UUID, [str(value)]) == [True]


def test_constraints_inside_a_record_are_rules_that_name_their_place():
    class Line(BaseModel):
        product: str = Field(min_length=2)
        count: int = Field(ge=1)

    class Order(dc.Schema):
        first: Line | None
        lines: list[Line]

    good = {"product": "ab", "count": 1}
    frame = pl.DataFrame(
        {
            "first": [good, None, {"product": "a", "count": 1}, good],
            "lines": [[good], [], [good], [{"product": "ab", "count": 0}, good]],
        },
        schema=Order.polars_schema(),
    )
    result = dc.validate(Order, frame)
    assert {name: count for name, count in result.rule_counts.items() if count} == {
        "first|inner_product_check__min_length": 1,
        "lines|inner_inner_count_min": 1,
    }
    contract = {rule.name: rule.description for rule in read_contract(Order).rules}
    assert contract["first|inner_product_check__min_length"] == "`product` of `first` has length >= 2 characters"
    assert contract["lines|inner_inner_count_min"] == "`count` of every element of `lines` >= 1"


def test_each_check_says_in_words_what_it_asks():
    class Table(dc.Schema):
        name: str = Field(min_length=1, max_length=80, ge="a")
        raw: bytes = Field(max_length=1)
        amount: Decimal = Field(max_digits=5, decimal_places=2, multiple_of=Decimal("0.5"))
        color: Literal["red", "a, b"]
        id: UUID
        extra: dict[str, Any] | None

    assert [spec.constraints for spec in Table.field_specs()] == [
        (">= a", "length >= 1 character", "length <= 80 characters"),
        ("length <= 1 byte",),
        ("multiple of 0.5",),
        ('in (red, "a, b")',),
        ("a UUID",),
        ("a JSON object",),
    ]
    described = {rule.name: rule.description for rule in read_contract(Table).rules if "check" in rule.name}
    assert described == {
        "name|check__ge": "`name` >= a",
        "name|check__min_length": "`name` has length >= 1 character",
        "name|check__max_length": "`name` has length <= 80 characters",
        "raw|check__max_length": "`raw` has length <= 1 byte",
        "amount|check__multiple_of": "`amount` is a multiple of 0.5",
        "color|check__is_in": '`color` is in (red, "a, b")',
        "id|check__uuid": "`id` is a UUID in lower case",
        "extra|check__json": "`extra` is a JSON object",
    }
