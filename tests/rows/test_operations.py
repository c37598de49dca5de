"""The operations on rows: what they give, what they say, and when they stop."""

import datetime as dt
import logging
import pickle
from typing import Annotated

import polars as pl
import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from dagster_contracts.errors import InvalidSettingError, SchemaError
from dagster_contracts.rows.conform import conform
from dagster_contracts.rows.failure import MAX_FAILURES
from dagster_contracts.rows.schema import Schema
from dagster_contracts.rows.strategy import MaterializationStrategy as Strategy
from dagster_contracts.rows.strategy import read_strategy


class Ads(Schema):
    day: dt.date
    clicks: int = Field(ge=0)
    note: str | None = Field("none", alias="Note")
    tags: list[str] = Field(default_factory=list)


def failed(call):
    with pytest.raises(SchemaError) as caught:
        call()
    return caught.value


def test_reconcile_aligns_columns_and_fills_defaults():
    assert Ads.reconcile([{"clicks": "3", "extra": 1, "day": "2024-01-02"}]) == [
        {"day": dt.date(2024, 1, 2), "clicks": 3, "note": "none", "tags": []}
    ]


def test_defaults_are_made_for_each_row():
    one, other = Ads.reconcile([{"clicks": 3, "day": "2024-01-02"}] * 2)
    assert one["tags"] is not other["tags"]


def test_rows_that_were_given_are_left_alone():
    row = {"day": "2024-01-02", "clicks": "3", "tags": ("a",)}
    Ads.reconcile([row])
    assert row == {"day": "2024-01-02", "clicks": "3", "tags": ("a",)}


def test_extra_keys_are_logged_once_a_call_with_their_names(caplog):
    rows = [{"day": "2024-01-02", "clicks": 1, "b": 1}, {"day": "2024-01-02", "clicks": 1, "a": 1}]
    with caplog.at_level(logging.WARNING, "dagster_contracts"):
        Ads.reconcile(rows * 20_000)
    assert [record.getMessage() for record in caplog.records] == ["Ads: keys that no field has were left out: 'a', 'b'"]


def test_strict_refuses_missing_and_extra_keys_and_other_types():
    error = failed(lambda: Ads.validate_rows([{"day": dt.date(2024, 1, 2), "clicks": "5", "Note": None, "x": 1}]))
    assert [(one.field, one.code) for one in error.failures] == [
        ("clicks", "type"),
        ("tags", "missing"),
        ("x", "extra_key"),
    ]
    Ads.validate_rows([{"day": dt.date(2024, 1, 2), "clicks": 5, "Note": None, "tags": ["a"]}])


def test_rows_that_can_be_repaired_pass_where_strict_is_off():
    Ads.validate_rows([{"day": "2024-01-02", "clicks": "5"}], strict=False)


@pytest.mark.parametrize("strategy", ["reconcile", "strict", *Strategy])
def test_constraints_hold_in_both_strategies(strategy):
    row = {"day": dt.date(2024, 1, 2), "clicks": -1, "Note": None, "tags": []}
    assert [one.code for one in failed(lambda: Ads.to_frame([row], strategy=strategy)).failures] == ["constraint"]


def test_a_constraint_can_be_left_to_the_rules():
    row = {"day": dt.date(2024, 1, 2), "clicks": -1}
    assert conform(Ads, [row], leave_rules=True).frame["clicks"].to_list() == [-1]
    assert conform(Ads, [row]).frame.height == 0


def test_the_message_names_row_field_reason_type_value_and_counts():
    rows = [{"day": "2024-01-02", "clicks": str(at) if at % 10 else "x"} for at in range(100)]
    error = failed(lambda: Ads.reconcile([*rows, {"clicks": 1}]))
    lines = str(error).splitlines()
    assert lines[0] == "Ads: 11 of 101 rows cannot be conformed (11 failures in 2 fields)."
    assert lines[1] == (
        "  row 0, field 'clicks': [value] Input should be a valid integer, unable to parse string as an integer "
        "(wanted int); got 'x' (str)"
    )
    assert lines[4:] == [
        "  … and 7 more of field 'clicks' [value]",
        "  row 100, field 'day': [missing] the row has no such key, and the field no default (wanted date)",
    ]
    assert pickle.loads(pickle.dumps(error)).failures == error.failures


def test_failures_are_collected_up_to_a_bound():
    given = []

    def endless():
        while True:
            given.append(1)
            yield {"day": 1}

    error = failed(lambda: Ads.reconcile(endless()))
    assert len(error.failures) == MAX_FAILURES
    assert len(given) < 3 * MAX_FAILURES
    assert "stopped at 10,000 failures" in str(error)


class Point(BaseModel):
    x: int


@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (dict[str, int], {"ada@x.org": "many"}),
        (list[dict[str, int]], [{"ada@x.org": "many"}]),
        (Point, {"x": "?", "ada@x.org": 2}),
        (dict, {"ada@x.org": {1}}),
    ],
)
def test_a_key_of_a_sensitive_field_is_in_no_message(kind, value, strategy):
    class Accounts(Schema):
        limits: kind = Field(json_schema_extra={"sensitive": True})

    error = failed(lambda: Accounts.validate_rows([{"limits": value}], strict=strategy is Strategy.STRICT))
    assert "ada" not in f"{error}{error.failures}"
    assert conform(Accounts, [{"limits": value}], strategy).reasons.str.contains("ada").to_list() == [False]


def test_a_sensitive_value_is_in_no_message():
    def no(value):
        raise ValueError(value)

    class Private(Schema):
        iban: str = Field(json_schema_extra={"sensitive": True}, pattern="^DE")
        pin: int = Field(json_schema_extra={"sensitive": True})
        name: Annotated[str, AfterValidator(no)] = Field(json_schema_extra={"sensitive": True})

    row = {"iban": "secret-1", "pin": "secret-2", "name": "secret-3"}
    error = failed(lambda: Private.reconcile([row, "secret-4"]))
    assert len(error.failures) == 4
    assert "secret" not in str(error)
    assert "secret" not in "".join(conform(Private, [row]).reasons)
    assert "<masked>" in str(error)


def test_what_gives_the_rows_may_fail():
    def rows():
        yield {"day": "2024-01-02", "clicks": 1}
        raise ConnectionError("gone")

    error = failed(lambda: Ads.reconcile(rows()))
    assert "raised ConnectionError('gone')" in str(error)
    assert isinstance(error.__cause__, ConnectionError)


def test_the_key_counts_where_a_row_has_the_key_and_the_name():
    row = {"day": "2024-01-02", "clicks": 1, "Note": "key", "note": "name"}
    assert Ads.reconcile([row])[0]["note"] == "key"
    assert Ads.reconcile([dict(reversed(row.items()))])[0]["note"] == "key"
    assert conform(Ads, [row]).dropped == ("note",)


def test_conformed_and_refused_rows_keep_their_numbers():
    rows = [{"day": "2024-01-02", "clicks": at if at != 2 else "x"} for at in range(4)]
    found = conform(Ads, rows, first_row=100)
    assert found.numbers.to_list() == [100, 101, 103]
    assert found.refused_numbers.to_list() == [102]
    assert found.refused["day"].to_list() == [dt.date(2024, 1, 2)]
    assert found.refused["clicks"].to_list() == [None]
    assert found.raw.to_list() == ['{"day": "2024-01-02", "clicks": "x"}']
    assert found.reasons[0].startswith("clicks: [value] ")


def test_validators_run_before_and_after_and_may_repair():
    class Trimmed(Schema):
        code: Annotated[int, BeforeValidator(lambda value: value.strip("#") if isinstance(value, str) else value)]
        low: Annotated[str, AfterValidator(str.lower)]

    assert Trimmed.reconcile([{"code": "#7", "low": "ABC"}]) == [{"code": 7, "low": "abc"}]
    error = failed(lambda: Trimmed.validate_rows([{"code": 7, "low": "ABC"}]))
    assert [(one.field, one.code) for one in error.failures] == [("low", "validator")]


def test_a_nested_models_own_validators_run():
    class Span(BaseModel):
        start: int
        stop: int

        @model_validator(mode="after")
        def in_order(self):
            if self.start > self.stop:
                raise ValueError("the start is behind the stop")
            return self

    class Spans(Schema):
        spans: list[Span]

    assert Spans.reconcile([{"spans": [{"start": "1", "stop": 2}]}]) == [{"spans": [{"start": 1, "stop": 2}]}]
    error = failed(lambda: Spans.reconcile([{"spans": [{"start": 1, "stop": 2}, {"start": 3, "stop": 2}]}]))
    assert [(one.code, one.place) for one in error.failures] == [("validator", "[1]")]


def test_no_rows_are_a_frame_without_rows():
    for rows in ([], iter([]), pl.DataFrame(schema={"day": pl.Date})):
        frame = Ads.to_frame(rows)
        assert frame.schema == {"day": pl.Date, "clicks": pl.Int64, "note": pl.String, "tags": pl.List(pl.String)}


@pytest.mark.parametrize("name", ["auto", "RECONCILE", "reconcile", " Reconcile "])
def test_names_of_the_default_strategy(name):
    assert read_strategy(name) is Strategy.RECONCILE


@pytest.mark.parametrize("name", ["lenient", "", None, 1])
def test_an_unknown_strategy_is_an_invalid_setting(name):
    with pytest.raises(InvalidSettingError, match="'reconcile' or 'strict'"):
        read_strategy(name)
