"""Conforming against pydantic's lax mode, value by value: the same answer, or a difference that is listed."""

import os
import random
import warnings

import pytest
from pydantic import TypeAdapter, ValidationError
from tests.rows.coercion_table import TABLE
from tests.rows.values import ANNOTATIONS, pools, schema

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.rows.differences import DIFFERENCES
from dagster_contracts.rows.reference import How, conform_row, same
from dagster_contracts.rows.shapes import record_shape
from dagster_contracts.rows.strategy import MaterializationStrategy

COMPARED = sorted(set(ANNOTATIONS) - {"epoch", "epoch_date", "epoch_aware", "json", "any", "point", "places", "texts"})
REFUSALS = {(kind, one.code) for one in DIFFERENCES if one.code for kind in one.kinds}
ACCEPTED = {kind for one in DIFFERENCES if one.code is None for kind in one.kinds}


def ours(record, value):
    values, failures = conform_row(record, {"value": value}, 0, How(MaterializationStrategy.RECONCILE))
    return (values["value"], None) if not failures else (None, failures[0].code)


def theirs(adapter, value):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return adapter.validate_python(value), None
    except ValidationError as error:
        return None, error
    except Exception as error:  # pydantic lets some through, such as a TypeError from pandas' NaT  # noqa: BLE001
        return None, error


def leaf(shape):
    return leaf(shape.item) if shape.item is not None else shape


def check(name, value, record, adapter):
    shape = leaf(record.shapes[0])
    mine, code = ours(record, value)
    found, error = theirs(adapter, value)
    if code is None and error is None:
        exact = mine == found or same(mine, found) or (mine != mine and found != found)  # noqa: PLR0124
        assert exact or shape.dtype.is_float() or shape.kind == "str", (name, value, mine, found)
    elif code is not None and error is None:
        assert (shape.kind, code) in REFUSALS, (name, value, code, found)
        assert not shape.lax or not next(one.lax for one in DIFFERENCES if one.code == code and shape.kind in one.kinds)
    elif code is None:
        assert shape.kind in ACCEPTED, (name, value, mine, error)


def values_of(seed, rounds):
    random_ = random.Random(seed)
    yield from (line[0] for line in TABLE)
    for _ in range(rounds):
        for pool in pools(random_):
            yield from pool


@pytest.mark.parametrize("name", COMPARED)
def test_every_answer_is_pydantics_or_a_listed_difference(name):
    annotation = ANNOTATIONS[name]
    record = record_shape(row_schema(schema(value=annotation)))
    adapter = TypeAdapter(record.fields[0].annotation)
    for value in values_of(name, int(os.environ.get("ROUNDS", "2"))):
        if type(value).__name__ == "list_iterator":
            continue
        check(name, value, record, adapter)


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda one: one.name)
def test_every_listed_refusal_is_met(difference):
    """A list of differences that nothing differs by would be a lie."""
    if difference.code is None:
        return
    met = set()
    for name in ANNOTATIONS:
        record = record_shape(row_schema(schema(value=ANNOTATIONS[name])))
        shape = record.shapes[0]
        if shape.kind not in difference.kinds or shape.lax:
            continue
        adapter = TypeAdapter(record.fields[0].annotation)
        for value in values_of(0, 3):
            if type(value).__name__ == "list_iterator":
                continue
            if ours(record, value)[1] == difference.code and theirs(adapter, value)[1] is None:
                met.add(shape.kind)
    assert met or difference.name == "NaN to text"
