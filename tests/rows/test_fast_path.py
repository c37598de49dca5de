"""The fast path against the plain one: the same frames, the same refusals, row by row."""

import datetime as dt
import math
import os
import random
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, Field, NaiveDatetime
from tests.rows.coercion_table import TABLE
from tests.rows.values import ANNOTATIONS, Colour, column, schema

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.contract.schema import exact
from dagster_contracts.rows import by_key
from dagster_contracts.rows.conform import conform_part, row_by_row
from dagster_contracts.rows.reference import How, same
from dagster_contracts.rows.shapes import record_shape
from dagster_contracts.rows.sources import Columns, of_polars
from dagster_contracts.rows.strategy import MaterializationStrategy as Strategy
from dagster_contracts.rows.table import conform_table

SCHEMAS = {
    name + end: schema(value=_optional(annotation) if end else annotation)
    for end in ("", "?")
    for name, annotation in ANNOTATIONS.items()
    for _optional in [lambda one: (one[0] | None, one[1]) if isinstance(one, tuple) else one | None]
    if not (end and name == "any")
}


def assert_same(record, rows, strategy, *, leave_rules=False):
    if not isinstance(rows, Columns) and set(map(type, rows)) <= {dict}:
        conform_table(record, rows, How(strategy, leave_rules))  # by itself it raises nothing that the plain way mends
    fast = conform_part(record, rows, strategy, first_row=5, leave_rules=leave_rules)
    height = rows.height if isinstance(rows, Columns) else len(rows)
    slow = row_by_row(record, rows, How(strategy, leave_rules), range(5, 5 + height))
    assert [str(one) for one in fast.failures] == [str(one) for one in slow.failures]
    assert fast.numbers.to_list() == slow.numbers.to_list()
    assert fast.refused_numbers.to_list() == slow.refused_numbers.to_list()
    assert fast.frame.schema == slow.frame.schema == record.polars_schema
    assert fast.frame.equals(slow.frame), (fast.frame, slow.frame)
    assert fast.refused.equals(slow.refused)
    assert fast.reasons.equals(slow.reasons)
    assert fast.raw.equals(slow.raw)
    assert fast.dropped == slow.dropped
    as_fast = conform_part(record, rows, strategy, first_row=5, leave_rules=leave_rules, want="rows")
    as_slow = row_by_row(record, rows, How(strategy, leave_rules), range(5, 5 + height), as_rows=True)
    assert len(as_fast.rows) == len(as_slow.rows)
    for one, other in zip(as_fast.rows, as_slow.rows, strict=True):
        assert same(one, other), (one, other)
    checked = conform_part(record, rows, strategy, first_row=5, leave_rules=leave_rules, want="nothing")
    assert [str(one) for one in checked.failures] == [str(one) for one in slow.failures]
    assert checked.numbers.to_list() == slow.numbers.to_list()


def fuzz(name: str, seed: int, rounds: int) -> None:
    random_ = random.Random(f"{name}{seed}")
    record = record_shape(row_schema(SCHEMAS[name]))
    for _ in range(rounds):
        values = column(random_, random_.choice([1, 3, 20]))
        rows = [{"value": value} for value in values]
        if random_.random() < 0.3:
            rows = [
                row if random_.random() < 0.8 else random_.choice([{}, {"other": 1, **row}, {1: 2}, 7]) for row in rows
            ]
        for strategy in Strategy:
            try:
                assert_same(record, rows, strategy, leave_rules=random_.random() < 0.2)
            except BaseException:
                print(name, strategy, ascii(rows))  # noqa: T201
                raise


@pytest.mark.parametrize("name", SCHEMAS)
def test_columns_at_once_give_what_rows_one_by_one_give(name):
    fuzz(name, 0, int(os.environ.get("ROUNDS", "6")))


class Pairs(Mapping):
    """A mapping that is false, and may give a key twice, as a header's does."""

    def __init__(self, *pairs):
        self.pairs = pairs

    def __getitem__(self, key):
        return dict(self.pairs)[key]

    def __iter__(self):
        return (key for key, _ in self.pairs)

    def __len__(self):
        return 0

    def items(self):
        return list(self.pairs)


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize(
    "row",
    [Pairs(("a", 1), ("b", "x")), Pairs(("a", 1), ("a", 2), ("b", "x")), Pairs(("a", 1), ("b", "x"), ("b", "y"))],
    ids=["false", "a value twice", "a text twice"],
)
def test_a_mapping_gives_what_its_items_say(row, strategy):
    assert_same(record_shape(row_schema(schema(a=int, b=str))), [row, {"a": 3, "b": "z"}, row], strategy)


FEW_KEYS = [
    [{"a": 1, "b": "x"}, {"b": "y", "a": 2}],  # the same keys in another order
    [{"a": 1, "b": "x"}, {"a": 2, "c": 3}],  # as many keys, but not the same
    [{"a": 1, "c": 3}, {"a": 2, "c": 3}],
    [{"a": 1}, {"b": "x"}],
    [{"a": 1, "b": "x", "c": 3}, {"a": 2, "b": "y", "c": 4}],
    [{}, {"a": 1, "b": "x"}],
    [{"a": at, "b": "x"} if at != 700 else {"a": at, "c": 3} for at in range(1_200)],
]


@pytest.mark.parametrize("rows", FEW_KEYS)
@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("default", [..., None])
@pytest.mark.parametrize("near", [128, 12_000])  # the rows that are read at once: 64, or all of them
def test_rows_whose_keys_differ_give_what_rows_one_by_one_give(rows, strategy, default, near, monkeypatch):
    monkeypatch.setattr(by_key, "_NEAR_VALUES", near)
    assert_same(record_shape(row_schema(schema(a=int, b=(str | None, default)))), rows, strategy)


NUMBERS = {
    "most digits": 10**4_299,
    "most digits, negative": -(10**4_299),
    "65 bits": 2**64,
    "63 bits": -(2**63),
    "bool": True,
}


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_whole_numbers_beside_text_are_what_python_writes_of_them(number):
    rows = [{"value": "text"}, {"value": None}, {"value": number}, {"value": 7}]
    assert_same(record_shape(row_schema(schema(value=str | None))), rows, Strategy.RECONCILE)


BESIDE: dict[str, list[Any]] = {
    "floats": [1.5, 0.0, None, 2.5, 3.5, 4.5],
    "whole numbers": [7, 0, None, 8, 9, 10],
    "texts": ["1.5", "7", "", None],
    "all": [1.5, 7, "8", True, None],
}
DOUBTFUL = [
    *("9007199254740993", "-9007199254740993", "9007199254740993.0", "1e400", "-1e400", "1e-400", "0.0e5", "-0", "0x1"),
    *("inf", "nan", " 1.5 ", "1_0", "٣", "1e5", "16777217", "1e-40", "3.5e38"),
    *(2**53 + 1, -(2**53) - 1, 2**53, 2**63, 10**400, 2**24 + 1, 1e300, 1e-310, float("nan"), float("-inf"), -0.0),
]


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("name", ["float", "float32", "int", "int8", "uint64", "str", "bool", "decimal", "positive"])
def test_a_value_becomes_the_same_whatever_stands_beside_it(name, beside):
    record = record_shape(row_schema(SCHEMAS[name]))
    for one in [*DOUBTFUL, *(case[0] for case in TABLE if beside == "all")]:
        rows = [{"value": value} for value in (*BESIDE[beside], one)]
        for strategy in Strategy:
            assert_same(record, rows, strategy)


class Key:
    """A key that is no text, falls together with one, and raises when it is compared with it."""

    def __init__(self, text: str, error: Exception) -> None:
        self.text, self.error, self.armed = text, error, False

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        if self.armed and isinstance(other, str):
            raise self.error
        return self is other


@pytest.mark.parametrize("error", [KeyError("a"), KeyError("no key"), ValueError("no"), RecursionError()], ids=repr)
@pytest.mark.parametrize("text", ["a", "b"])
def test_a_key_that_raises_when_it_is_compared_is_one_that_no_field_has(text, error):
    rows = [{"a": 1}, {Key(text, error): 2, "a": 3}, {Key(text, error): 2}]
    for key in [key for row in rows for key in row if isinstance(key, Key)]:
        key.armed = True
    record = record_shape(row_schema(schema(a=int, b=(str | None, None))))
    repaired = conform_part(record, rows, Strategy.RECONCILE, first_row=0)
    assert repaired.frame.rows() == [(1, None), (3, None)]
    assert [one.code for one in repaired.failures] == ["missing"]
    checked = conform_part(record, rows, Strategy.STRICT, first_row=0, want="nothing")
    assert [(one.row, one.code) for one in checked.failures if one.row == 1] == [(1, "missing"), (1, "extra_key")]


@pytest.mark.parametrize("text", ["9007199254740993", "1e400", "1e-400"])
def test_a_text_that_no_float_holds_is_refused_among_floats_and_whole_numbers(text):
    rows = [{"value": value} for value in [1.5, 2.5, 3, text]]
    found = conform_part(record_shape(row_schema(schema(value=float))), rows, Strategy.RECONCILE, first_row=0)
    assert found.frame["value"].to_list() == [1.5, 2.5, 3.0]
    assert found.refused_numbers.to_list() == [3]


MANY_ZEROS = ["0E-40", "0." + "0" * 400, "0e400", "-0e-50", "1." + "0" * 60, "1" + "0" * 28, "1.5", "-1E+3"]


@pytest.mark.parametrize("make", [str, Decimal])
@pytest.mark.parametrize("listed", [False, True])
def test_zeros_that_say_nothing_are_left_out_of_a_decimal_column(listed, make):
    record = record_shape(row_schema(schema(value=list[Decimal] if listed else Decimal)))
    rows = [{"value": [make(one)] if listed else make(one)} for one in MANY_ZEROS]
    assert_same(record, rows, Strategy.RECONCILE)
    found = conform_part(record, rows, Strategy.RECONCILE, first_row=0).frame["value"]
    cells = found.explode(empty_as_null=True) if listed else found
    assert cells.to_list() == [0, 0, 0, 0, 1, 10**28, Decimal("1.5"), -1000]


@pytest.mark.parametrize("strategy", Strategy)
def test_a_text_that_is_no_category_of_the_column_is_refused(strategy):
    record = record_shape(row_schema(schema(value=Annotated[str, pl.Enum(["a", "1"])])))
    rows = [{"value": value} for value in ["a", "b", 1, "1", None]]
    assert_same(record, rows, strategy)
    found = conform_part(record, rows, strategy, first_row=0)
    assert found.numbers.to_list() == ([0, 2, 3] if strategy is Strategy.RECONCILE else [0, 3])
    assert found.failures[0].code == "value"


_MOMENT = dt.datetime(2024, 1, 1, 0, 0, 0, 500)  # noqa: DTZ001
NEAR_A_BOUND: dict[str, tuple[Any, Any, list[Any]]] = {
    "Float32": (Annotated[float, exact.Float32], 0.1, [math.nextafter(0.1, at) for at in (-1, 0.1, 1)]),
    "Float32, zero": (Annotated[float, exact.Float32], 0, [-5e-324, -0.0, 0.0, 5e-324]),
    "Float64": (float, 0.1, [math.nextafter(0.1, at) for at in (-1, 0.1, 1)]),
    "Int64, a float": (int, 2.0**53, [2**53 - 1, 2**53, 2**53 + 1]),
    "Int128, a float": (Annotated[int, exact.Int128], -(2.0**60), [-(2**60) - 1, -(2**60), -(2**60) + 1]),
    "Decimal, a float": (Decimal, 2.0**53, [Decimal(2**53) + one for one in (Decimal("-0.1"), 0, Decimal("0.1"))]),
    "Decimal, a fraction": (Decimal, 0.1, [Decimal("0.1"), Decimal("0.100000001"), Decimal("0.099999999")]),
    "milliseconds": (
        Annotated[NaiveDatetime, pl.Datetime("ms")],
        _MOMENT,
        [_MOMENT.replace(microsecond=one) for one in (0, 1_000)],
    ),
}


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("bound", ["ge", "gt", "le", "lt"])
@pytest.mark.parametrize("case", NEAR_A_BOUND)
def test_a_value_next_to_a_bound_is_not_rounded_to_it(case, bound, strategy):
    annotation, asked, values = NEAR_A_BOUND[case]
    record = record_shape(row_schema(schema(value=Annotated[annotation, Field(**{bound: asked})])))
    assert_same(record, [{"value": value} for value in values], strategy)


@pytest.mark.parametrize("annotation", [list[AwareDatetime], list[list[AwareDatetime]]])
@pytest.mark.parametrize("strategy", Strategy)
def test_a_time_that_a_clock_leaves_out_is_a_moment_also_inside_of_a_list(annotation, strategy):
    left_out = dt.datetime(2024, 3, 31, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    record = record_shape(row_schema(schema(value=annotation)))
    listed = [left_out] if annotation == list[AwareDatetime] else [[left_out]]
    rows = [{"value": value} for value in (listed, [None], [*listed, *listed], ["2024-03-31"])]
    assert_same(record, rows, strategy)
    cells = conform_part(record, rows, strategy, first_row=0).frame["value"].explode(empty_as_null=True)
    found = (cells if annotation == list[AwareDatetime] else cells.explode(empty_as_null=True)).to_list()
    assert [one for one in found if one] == [dt.datetime(2024, 3, 31, 1, 30, tzinfo=dt.UTC)] * 3


@pytest.mark.parametrize("scale", [0, 1, 3])
def test_a_zero_of_a_table_fits_a_column_of_fractions_as_it_does_alone(scale):
    record = record_shape(row_schema(schema(value=Annotated[Decimal, Field(max_digits=3, decimal_places=3)])))
    cells = pl.Series([Decimal(0), Decimal("0.1"), None][: 3 if scale else 1], dtype=pl.Decimal(5, scale))
    part = of_polars(pl.DataFrame({"value": cells}))
    for strategy in Strategy:
        assert_same(record, part, strategy)
        rows = [{"value": Decimal(0).scaleb(-scale)}]
        one_by_one = conform_part(record, rows, strategy, first_row=0).numbers
        assert conform_part(record, part, strategy, first_row=0).numbers.head(1).to_list()[:1] == one_by_one.to_list()


class Inside(BaseModel):
    number: int
    anything: Any = None
    colour: Colour | None = None
    id: UUID | None = Field(None, alias="Id")


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("numbers", [[1, 2], ["1", "x"], [1.0, 1.5], [None, 1]])
def test_what_a_cell_inside_of_a_record_stands_for_does_not_depend_on_the_cells_beside_it(numbers, listed, strategy):
    others = {"anything": '{"a": 1}', "colour": "red", "Id": str(UUID(int=5))}
    given = pl.Series([{"number": one, **others} for one in numbers], strict=False)
    record = record_shape(row_schema(schema(value=list[Inside] if listed else Inside)))
    part = of_polars(pl.DataFrame({"value": given.reshape((-1, 1)).arr.to_list() if listed else given}))
    assert_same(record, part, strategy)


_MORE = Annotated[int, AfterValidator(lambda value: value + 1)]
_FILLED = BeforeValidator(lambda value: [] if value is None else value)
VALIDATED: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "a list's own constraint": (Annotated[list[_MORE], Field(max_length=2)], [[1], ["2", 3], [1, 2, 3]], [[2], [3, 4]]),
    "a record by its keys": (Annotated[list[Inside], Field(max_length=1)], [[{"number": 1, "Id": None}]] * 2, ...),
    "a value made of none": (Annotated[list[int], _FILLED], [None, [1], ["2"]], [[], [1], [2]]),
}


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("case", VALIDATED)
def test_validators_run_once_and_see_only_what_a_row_has(case, strategy):
    annotation, values, wanted = VALIDATED[case]
    record = record_shape(row_schema(schema(value=annotation)))
    rows = [*({"value": value} for value in values), {}]
    assert_same(record, rows, strategy)
    found = conform_part(record, rows, strategy, first_row=0)
    assert found.refused["value"].to_list()[-1] is None
    if strategy is Strategy.RECONCILE:
        assert wanted is ... or found.frame["value"].to_list() == wanted


@pytest.mark.parametrize("listed", [False, True])
def test_a_record_by_its_keys_is_strictly_the_same_under_a_constraint(listed):
    whole = {"number": 1, "anything": None, "colour": None, "Id": None}
    annotation = Annotated[list[Inside], Field(max_length=1)] if listed else Annotated[Inside, AfterValidator(dict)]
    record = record_shape(row_schema(schema(value=annotation)))
    rows = [{"value": [whole] if listed else whole}]
    assert_same(record, rows, Strategy.STRICT)
    assert not conform_part(record, rows, Strategy.STRICT, first_row=0).failures


@pytest.mark.parametrize("wrap", [lambda one: [one], lambda one: [[one]]])
def test_a_float_in_a_list_is_the_same_value_in_rows_whatever_its_column_holds(wrap):
    width = Annotated[float, exact.Float32]
    record = record_shape(row_schema(schema(value=list[width] if wrap(1) == [1] else list[list[width]])))
    assert_same(record, [{"value": wrap(one)} for one in (0.1, 5e-324, 1.5, "0.1")], Strategy.RECONCILE)


@pytest.mark.parametrize("lengths", [[], [0], [2], [0, 0], [1, 0, None, 3], [None, None], [None, 2, 0], [0, 1] * 40])
def test_lists_of_any_lengths_give_what_rows_one_by_one_give(lengths):
    rows = [{"value": None if one is None else [str(at) for at in range(one)]} for one in lengths]
    for strategy in Strategy:
        assert_same(record_shape(row_schema(schema(value=list[str] | None))), rows, strategy)
        assert_same(record_shape(row_schema(schema(value=list[int] | None))), rows, strategy)
