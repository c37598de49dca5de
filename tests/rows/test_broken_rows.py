"""A row that raises when it is read is one refused row, and never the end of what reads it."""

import pytest
from tests.rows.broken_rows import BROKEN_ROWS, UNREADABLE, VALUES

import dagster_contracts as dc
from dagster_contracts.errors import SchemaError
from dagster_contracts.rows.conform import conform
from dagster_contracts.rows.strategy import MaterializationStrategy


class Notes(dc.Schema):
    id: int
    note: str | None


OPERATIONS = {
    "reconcile": lambda rows: [tuple(row.values()) for row in Notes.reconcile(rows)],
    "to_frame": lambda rows: Notes.to_frame(rows).rows(),
    "strict": lambda rows: Notes.to_frame(rows, strategy="strict").rows(),
    "validate": Notes.validate_rows,
    "validate lax": lambda rows: Notes.validate_rows(rows, strict=False),
    "infer": dc.Schema.infer,
}
GOOD = {"id": 7, "note": "g"}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", BROKEN_ROWS)
def test_it_is_one_refused_row_in_every_operation(name, operation):
    rows = [GOOD, BROKEN_ROWS[name](), GOOD]
    readable = {"validate": None, "validate lax": None}.get(operation, [(7, "g"), tuple(VALUES.values()), (7, "g")])
    if name in UNREADABLE:
        with pytest.raises(SchemaError) as caught:
            OPERATIONS[operation](rows)
        refused = [(one.row, one.field, one.code) for one in getattr(caught.value, "failures", ())]
        assert refused == ([] if operation == "infer" else [(1, "", "not_a_row")])
    elif operation == "infer":
        assert [str(one) for one in dc.Schema.infer(rows).field_specs()] == ["id: Int64 · nullable", "note: String · nullable"]  # fmt: skip
    else:
        assert OPERATIONS[operation](rows) == readable


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", BROKEN_ROWS)
def test_given_in_the_place_of_rows_it_raises_nothing_but_our_own_error(name, operation):
    try:
        OPERATIONS[operation](BROKEN_ROWS[name]())
    except SchemaError:
        assert name in UNREADABLE
    else:
        assert name not in UNREADABLE


@pytest.mark.parametrize("strategy", MaterializationStrategy)
@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_every_row_is_kept_or_refused_and_the_refused_one_is_shown(name, strategy):
    found = conform(Notes, [GOOD, BROKEN_ROWS[name](), GOOD], strategy)
    assert (found.numbers.to_list(), found.refused_numbers.to_list()) == ([0, 2], [1])
    assert found.reasons[0].startswith("[not_a_row] ")
    assert found.raw[0]
