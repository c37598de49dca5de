"""What a change means for those who read a model, by cases that a person can judge."""

import pytest

from dagster_contracts.contract.types import parse_type
from dagster_contracts.sql.changes import Grade, find_changes
from dagster_contracts.sql.relation import Column, Relation


def orders(*columns: tuple[str, str | None, bool | None]) -> dict[str, Relation | None]:
    made = [Column(name, parse_type(of) if of else None, nullable) for name, of, nullable in columns]
    return {"orders": Relation("orders", tuple(made))}


ID = ("id", "Int64", False)
CASES = {
    "nothing": (orders(ID), orders(ID), []),
    "dropped": (orders(ID, ("a", "Date", True)), orders(ID), [("a", "breaking", "`a` was dropped")]),
    "added": (orders(ID), orders(ID, ("a", "Date", True)), [("a", "compatible", "`a` was added")]),
    "renamed": (
        orders(ID, ("a", "Date", True)),
        orders(ID, ("b", "Date", True)),
        [("a", "breaking", "`a` was renamed to `b`")],
    ),
    "replaced by another": (
        orders(ID, ("a", "Date", True)),
        orders(ID, ("b", "String", True)),
        [("a", "breaking", "`a` was dropped"), ("b", "compatible", "`b` was added")],
    ),
    "narrowed": (
        orders(ID),
        orders(("id", "Int32", False)),
        [("id", "breaking", "`id` was narrowed from Int64 to Int32")],
    ),
    "widened": (
        orders(("id", "Int32", False)),
        orders(ID),
        [("id", "compatible", "`id` was widened from Int32 to Int64")],
    ),
    "another type": (
        orders(ID),
        orders(("id", "String", False)),
        [("id", "breaking", "`id` changed its type from Int64 to String")],
    ),
    "decimals": (
        orders(("x", "Decimal(10,2)", False)),
        orders(("x", "Decimal(12,2)", False)),
        [("x", "compatible", "`x` was widened from Decimal(10,2) to Decimal(12,2)")],
    ),
    "became nullable": (orders(ID), orders(("id", "Int64", True)), [("id", "breaking", "`id` became nullable")]),
    "became not null": (orders(("id", "Int64", True)), orders(ID), [("id", "compatible", "`id` became not null")]),
    "two at once": (
        orders(ID),
        orders(("id", "Int32", True)),
        [("id", "breaking", "`id` was narrowed from Int64 to Int32"), ("id", "breaking", "`id` became nullable")],
    ),
    "a type that is not known now": (
        orders(ID),
        orders(("id", None, False)),
        [("id", "not verified", "the type of `id` is not known now")],
    ),
    "nulls that were not known before": (
        orders(("id", "Int64", None)),
        orders(ID),
        [("id", "not verified", "whether `id` can be NULL is not known before")],
    ),
    "a model that is not known now": (
        orders(ID),
        {"orders": None},
        [(None, "not verified", "its columns are not known now")],
    ),
    "never known": ({"orders": None}, {"orders": None}, []),
    "the model was dropped": (orders(ID), {}, [(None, "breaking", "the model was dropped")]),
    "a model that was not known before and is not now": (
        {},
        {"orders": None},
        [
            (
                None,
                "not verified",
                "it is not known what the model returned before, and its columns are not known now",
            )
        ],
    ),
    "the model was added": ({}, orders(ID), [(None, "compatible", "the model was added")]),
    "another spelling": (
        orders(ID),
        orders(("ID", "Int64", False)),
        [("id", "not verified", "`id` is spelled `ID` now; whether that is the same is up to the engine")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_change_and_its_grade(case: str):
    before, after, expected = CASES[case]
    found = find_changes(before, after)
    assert [(one.column, one.grade.value, one.message) for one in found] == expected


def test_a_state_is_no_change_against_itself():
    for before, after, _ in CASES.values():
        assert find_changes(before, before) == []
        assert find_changes(after, after) == []


def test_what_breaks_one_way_is_never_breaking_both_ways_unless_something_went():
    widened = CASES["widened"]
    assert {one.grade for one in find_changes(widened[1], widened[0])} == {Grade.BREAKING}
