"""The small inputs on rows that failed somewhere for somebody, each by its name in the list of cases."""

import json
import math
import tracemalloc
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.errors import SchemaError
from dagster_contracts.rows import operations
from dagster_contracts.rows.schema import Schema


class Numbers(Schema):
    whole: int | None
    real: float | None


class Text(Schema):
    text: str


def refused(schema: type[Schema], *rows: dict[str, Any]) -> list[Any]:
    with pytest.raises(SchemaError) as caught:
        schema.reconcile(rows)
    return [(one.row, one.field, one.code, one.value) for one in caught.value.failures]


def test_r1_int_and_float_infer_to_float():
    (field,) = row_schema(Schema.infer([{"a": 1}, {"a": 1.5}])).fields
    assert (field.name, field.annotation, field.nullable, field.dtype) == ("a", float, True, pl.Float64())


def test_r2_a_bool_is_no_int():
    (field,) = row_schema(Schema.infer([{"a": 1}, {"a": True}])).fields
    assert (field.name, field.annotation, field.nullable) == ("a", Any, True)


def test_r3_text_in_number_fields_gives_pydantics_answers():
    texts = ["1,234.50", " 12 ", "", "NaN"]
    assert refused(Numbers, *({"whole": text} for text in texts)) == [
        (0, "whole", "value", "'1,234.50' (str)"),
        (2, "whole", "value", "'' (str)"),
        (3, "whole", "value", "'NaN' (str)"),
    ]
    assert refused(Numbers, *({"real": text} for text in texts)) == [
        (0, "real", "value", "'1,234.50' (str)"),
        (2, "real", "value", "'' (str)"),
    ]
    assert Numbers.reconcile([{"whole": " 12 ", "real": " 12 "}]) == [{"whole": 12, "real": 12.0}]
    assert math.isnan(Numbers.reconcile([{"real": "NaN"}])[0]["real"])


def test_r4_a_fraction_is_no_int():
    assert refused(Numbers, {"whole": 1.9}) == [(0, "whole", "inexact", "1.9 (float)")]
    assert refused(Numbers, {"whole": 1}, {"whole": 1.5})[0][:3] == (1, "whole", "inexact")


def test_r5_numbers_that_do_not_fit_name_the_range():
    with pytest.raises(SchemaError, match=r"Int64 holds -9223372036854775808 to 9223372036854775807") as caught:
        Numbers.reconcile([{"whole": 2**70}])
    assert caught.value.failures[0].code == "out_of_range"
    assert Numbers.reconcile([{"real": Decimal("0.1")}]) == [{"whole": None, "real": 0.1}]
    assert refused(Numbers, {"whole": float("nan")}) == [(0, "whole", "not_a_number", "nan (float)")]


def test_r6_lists_and_dicts_become_json_text():
    nested = {"a": [1, 2.5, None, True], "b": {"c": "é"}}
    found = Text.reconcile([{"text": nested}, {"text": [1, [2]]}])
    assert found == [{"text": '{"a": [1, 2.5, null, true], "b": {"c": "é"}}'}, {"text": "[1, [2]]"}]
    assert json.loads(found[0]["text"]) == nested


def generated(count: int):
    return ({"whole": str(at), "real": at / 2} for at in range(count))


def peak_of_checking(count: int) -> int:
    tracemalloc.start()
    try:
        Numbers.validate_rows(generated(count), strict=False)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_r7_checking_a_generator_takes_constant_memory(monkeypatch):
    monkeypatch.setattr(operations, "PART_ROWS", 1_000)
    peak_of_checking(1_000)  # what is loaded once
    assert peak_of_checking(20_000) < 1.2 * peak_of_checking(4_000)


@pytest.mark.slow
def test_r7_checking_ten_million_generated_rows_takes_constant_memory():
    assert peak_of_checking(10_000_000) < 100 << 20
