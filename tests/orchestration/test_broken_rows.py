"""A row that raises when it is read goes to the quarantine, and the run goes on."""

import json

import pytest
from tests.rows.broken_rows import BROKEN_ROWS, UNREADABLE

import dagster_contracts as dc


class Notes(dc.Schema):
    id: int
    note: str | None = None


GOOD = {"id": 7, "note": "g"}
NO_ROWS_TO_LOOK_AT = ("Plain.__getattribute__", "dict.__getattribute__", "class")


def given(form):
    broken = [make() for make in BROKEN_ROWS.values()]
    return [[GOOD, *broken], [GOOD]] if form == "paged" else [GOOD, *broken, GOOD]


@pytest.mark.parametrize("change", ["drop", "raise", "keep"])
@pytest.mark.parametrize("form", ["yielded", "paged", "returned"])
def test_it_is_in_the_quarantine_and_the_others_in_the_table(form, change):
    @dc.asset(Notes, name="notes", quarantine=True, on_schema_change=change)
    def yielded():
        yield from given(form)

    @dc.asset(Notes, name="notes", quarantine=True, on_schema_change=change)
    def returned():
        return given(form)

    run = dc.testing.run_asset(returned if form == "returned" else yielded)
    assert run.error is None
    readable = len(BROKEN_ROWS) - len(UNREADABLE)
    assert run.table.rows() == [(7, "g"), *[(1, "a")] * readable, (7, "g")]
    assert run.quarantine.height == len(UNREADABLE)
    for refused in run.quarantine.to_dicts():
        assert refused["dy_row__conform"].startswith("[not_a_row] a ")
        assert json.loads(refused["raw"])


@pytest.mark.parametrize("name", [*NO_ROWS_TO_LOOK_AT, "Plain.items", "Plain.values", "dict.items", "dataclass"])
def test_in_the_first_place_it_ends_the_run_only_where_nobody_can_tell_that_it_is_meant_as_a_row(name):
    @dc.asset(Notes, quarantine=True)
    def notes():
        yield BROKEN_ROWS[name]()
        yield GOOD

    run = dc.testing.run_asset(notes)
    if name in NO_ROWS_TO_LOOK_AT:
        assert isinstance(run.error, dc.errors.ReturnTypeError)
    elif name in UNREADABLE:
        assert (run.table.height, run.quarantine.height) == (1, 1)
    else:
        assert run.table.height == 2


def test_without_a_quarantine_the_run_fails_and_says_which_row():
    @dc.asset(Notes)
    def notes():
        yield from (GOOD, BROKEN_ROWS["Plain.__getitem__"](), GOOD)

    run = dc.testing.run_asset(notes)
    assert isinstance(run.error, dc.errors.SchemaError)
    assert "row 1" in str(run.error)
    assert "not_a_row" in str(run.error)


def test_an_undeclared_key_that_is_no_text_does_not_end_a_run_that_keeps_keys():
    @dc.asset(Notes, on_schema_change="keep")
    def notes():
        yield {"id": 1, 5: "x"}
        yield {"id": 2, "more": 3, (1,): "y"}

    run = dc.testing.run_asset(notes)
    assert run.error is None
    assert run.table.rows(named=True) == [
        {"id": 1, "note": None, "more": None},
        {"id": 2, "note": None, "more": 3},
    ]
