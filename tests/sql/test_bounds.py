"""The bounds of a partition in a model's text."""

import pytest

from dagster_contracts.sql.bounds import STAND_INS, find_bounds, put_bounds


def test_a_check_leaves_every_place_where_it_is():
    assert {name: len(value) for name, value in STAND_INS.items()} == {name: len(name) for name in STAND_INS}


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("a >= @partition_start AND a < @PARTITION_END", {"@partition_start", "@partition_end"}),
        ("k = @partition_key", {"@partition_key"}),
        ("'@partition_key' AS \"@partition_end\" -- @partition_start\n/* @partition_key */", set()),
        ("'it''s @partition_key'", set()),
        ("@partition_keys, x@partition", set()),
    ],
)
def test_bounds_are_found_outside_of_texts_and_comments(sql: str, found: set[str]):
    assert find_bounds(sql) == found


def test_values_are_put_in_their_places_alone():
    sql = "SELECT '@partition_key', x FROM t WHERE k = @partition_key -- @partition_key"
    assert put_bounds(sql, {"@partition_key": "'a'"}) == (
        "SELECT '@partition_key', x FROM t WHERE k = 'a' -- @partition_key"
    )
