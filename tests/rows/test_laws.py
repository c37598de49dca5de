"""Laws that hold for every schema and all rows."""

import random

import hypothesis.strategies as st
from hypothesis import given, settings
from tests.rows.values import ANNOTATIONS, column, schema

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.rows.conform import conform, conform_part
from dagster_contracts.rows.infer import infer
from dagster_contracts.rows.reference import same
from dagster_contracts.rows.shapes import record_shape
from dagster_contracts.rows.strategy import MaterializationStrategy as Strategy

# A validator that changes what it gave itself has no fixed point, and a table cannot say what stood inside of JSON.
STEADY = sorted(set(ANNOTATIONS) - {"after"})
INFERRED = [
    "bool",
    "int",
    "float",
    "str",
    "bytes",
    "date",
    "naive",
    "aware",
    "time",
    "timedelta",
    "uuid",
    "ints",
    "point",
]


def content(names, seed, size):
    """A schema of some fields and rows for it, of which some may be wrong."""
    random_ = random.Random(seed)
    fields = {f"f{at}": ANNOTATIONS[name] for at, name in enumerate(names)}
    columns = {name: column(random_, size) for name in fields}
    rows = [{name: values[at] for name, values in columns.items()} for at in range(size)]
    for row in rows:
        if random_.random() < 0.1:
            row.pop(random_.choice(list(fields)), None)
        if random_.random() < 0.05:
            row["unknown"] = 1
    return schema(**fields), [
        row for row in rows if not any(type(value).__name__ == "list_iterator" for value in row.values())
    ]


few = settings(max_examples=settings().max_examples // 4)
names = st.lists(st.sampled_from(STEADY), min_size=1, max_size=3)
seeds = st.integers(0, 2**32)
sizes = st.sampled_from([1, 2, 7])


def as_rows(schema_, rows, strategy):
    return conform_part(record_shape(row_schema(schema_)), list(rows), strategy, first_row=0, want="rows")


@few
@given(names, seeds, sizes)
def test_every_row_is_conformed_or_refused(names, seed, size):
    made, rows = content(names, seed, size)
    for strategy in Strategy:
        found = conform(made, rows, strategy)
        assert sorted([*found.numbers, *found.refused_numbers]) == list(range(len(rows)))
        assert found.frame.height == len(found.numbers)
        assert {one.row for one in found.failures} == set(found.refused_numbers)


@few
@given(names, seeds, sizes)
def test_what_was_reconciled_passes_strict_unchanged(names, seed, size):
    made, rows = content(names, seed, size)
    repaired = as_rows(made, rows, Strategy.RECONCILE).rows
    again = as_rows(made, repaired, Strategy.STRICT)
    assert [str(one) for one in again.failures] == []
    assert all(same(one, other) for one, other in zip(repaired, again.rows, strict=True))


@few
@given(names, seeds, sizes)
def test_strict_takes_exactly_the_rows_that_reconcile_leaves_alone(names, seed, size):
    made, rows = content(names, seed, size)
    repaired = as_rows(made, rows, Strategy.RECONCILE)
    untouched = {
        number
        for number, row in zip(repaired.numbers, repaired.rows, strict=True)
        if row.keys() == rows[number].keys() and all(same(row[key], rows[number][key]) for key in row)
    }
    assert set(as_rows(made, rows, Strategy.STRICT).numbers) == untouched


@few
@given(names, seeds, sizes)
def test_a_conformed_frame_is_its_own_canonical_form(names, seed, size):
    made, rows = content(names, seed, size)
    frame = conform(made, rows).frame
    for strategy in Strategy:
        again = conform(made, frame, strategy)
        assert [str(one) for one in again.failures] == []
        assert again.frame.equals(frame)


@few
@given(names, seeds, sizes)
def test_rows_conform_to_the_frame_of_their_own_columns(names, seed, size):
    """Dict rows and a frame of what they conform to give the same."""
    made, rows = content(names, seed, size)
    first = conform(made, rows)
    if "int128" not in names:  # Arrow has no such integers
        assert conform(made, first.frame.to_arrow()).frame.equals(first.frame)


@given(st.lists(st.sampled_from(INFERRED), min_size=1, max_size=3), seeds, sizes)
@few
def test_rows_of_the_declared_types_conform_to_what_they_infer(names, seed, size):
    made, rows = content(names, seed, size)
    repaired = as_rows(made, rows, Strategy.RECONCILE).rows
    if not repaired:
        return
    inferred = infer(repaired)
    assert [field.name for field in row_schema(inferred).fields] == list(repaired[0])
    assert all(field.nullable for field in row_schema(inferred).fields)
    found = conform(inferred, repaired)
    assert [str(one) for one in found.failures if one.code != "not_a_number"] == []
