"""A frame split by a contract, with every expectation worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import dataframely as dy
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from dagster_contracts import errors
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.contract.verdict import Verdict
from dagster_contracts.frames.split import CoFailure, Split, SplitOptions, split


class Orders(dy.Schema):
    id = dy.String(primary_key=True)
    amount = dy.Int64(nullable=True, min=0, max=100, metadata={"warn": ["max"]})
    discount = dy.Int64(nullable=True)

    @dy.rule()
    def discount_below_amount(cls) -> pl.Expr:
        return pl.col("discount") < pl.col("amount")


ROWS = pl.DataFrame(
    [
        ("a", 10, 1),
        ("b", -1, -2),  # primary_key, amount|min
        ("c", 200, None),  # amount|max, a warning; discount_below_amount is null and so kept
        ("b", 5, 9),  # primary_key, discount_below_amount
        ("d", -3, -3),  # amount|min, discount_below_amount
        (None, None, 7),  # id|nullability
        ("e", -1, -2),  # amount|min
        ("f", -1, -2),  # amount|min
    ],
    schema={"id": pl.String, "amount": pl.Int64, "discount": pl.Int64},
    orient="row",
)
COUNTS = {
    "discount_below_amount": 2,
    "primary_key": 2,
    "id|nullability": 1,
    "amount|min": 4,
    "amount|max": 1,
}
NAMES = [
    "dy_rule__discount_below_amount",
    "dy_rule__primary_key",
    "dy_rule__id__nullability",
    "dy_rule__amount__min",
    "dy_rule__amount__max",
]

eager_and_lazy = pytest.mark.parametrize("form", [lambda frame: frame, pl.DataFrame.lazy], ids=["eager", "lazy"])
Form = Callable[[pl.DataFrame], "pl.DataFrame | pl.LazyFrame"]


def of(
    schema: type[dy.Schema], frame: pl.DataFrame | pl.LazyFrame, into: Path | None = None, **options: object
) -> Split:
    """A split with its halves in memory, whatever they are plans or scans of."""
    found = split(read_contract(schema), frame, SplitOptions(**options), into=into)
    if isinstance(found.valid, pl.DataFrame):
        return found
    return replace(found, valid=found.valid.collect(), invalid=found.invalid.lazy().collect())


@eager_and_lazy
def test_valid_and_invalid_rows_are_the_input_in_its_order(form: Form):
    found = of(Orders, form(ROWS))
    assert found.valid.rows() == [("a", 10, 1), ("c", 200, None)]
    ok, no = "valid", "invalid"
    assert found.invalid.columns == ["id", "amount", "discount", *NAMES]
    assert found.invalid.rows() == [
        ("b", -1, -2, ok, no, ok, no, ok),
        ("b", 5, 9, no, no, ok, ok, ok),
        ("d", -3, -3, no, ok, ok, no, ok),
        (None, None, 7, ok, ok, no, ok, ok),
        ("e", -1, -2, ok, ok, ok, no, ok),
        ("f", -1, -2, ok, ok, ok, no, ok),
    ]
    assert (found.row_count, found.valid_count, found.invalid_count) == (8, 2, 6)


@eager_and_lazy
def test_every_rule_is_counted_and_has_a_verdict(form: Form):
    found = of(Orders, form(ROWS))
    assert found.rule_counts == COUNTS
    assert found.verdicts == dict.fromkeys(COUNTS, Verdict.BROKEN)
    clean = of(Orders, form(ROWS.head(1)))
    assert clean.rule_counts == dict.fromkeys(COUNTS, 0)
    assert clean.verdicts == dict.fromkeys(COUNTS, Verdict.HELD)


@eager_and_lazy
def test_sets_of_rules_that_rows_broke_together(form: Form):
    found = of(Orders, form(ROWS))
    assert found.co_failures[0] == CoFailure(("amount|min",), 2)
    assert sorted(found.co_failures[1:], key=lambda entry: entry.rules) == [
        CoFailure(("discount_below_amount", "amount|min"), 1),
        CoFailure(("discount_below_amount", "primary_key"), 1),
        CoFailure(("id|nullability",), 1),
        CoFailure(("primary_key", "amount|min"), 1),
    ]
    assert found.top_co_failures(1) == (CoFailure(("amount|min",), 2),)
    assert found.top_co_failures(0) == ()


def test_rows_that_break_some_rules_are_counted_once():
    found = of(Orders, ROWS)
    rules = {rule.name: rule for rule in found.contract.rules}
    assert found.rows_breaking([rules["primary_key"], rules["amount|min"]]) == 5
    assert found.rows_breaking([rules["amount|max"]]) == 1
    assert found.rows_breaking(found.contract.rules) == 7
    assert found.rows_breaking([]) == 0
    assert of(Orders, ROWS.head(1)).rows_breaking(found.contract.rules) == 0


@eager_and_lazy
def test_samples_are_the_first_rows_that_break_a_rule(form: Form):
    found = of(Orders, form(ROWS), max_failure_samples=2)
    assert {rule: sample.rows() for rule, sample in found.rule_samples.items()} == {
        "discount_below_amount": [("b", 5, 9), ("d", -3, -3)],
        "primary_key": [("b", -1, -2), ("b", 5, 9)],
        "id|nullability": [(None, None, 7)],
        "amount|min": [("b", -1, -2), ("d", -3, -3)],
        "amount|max": [("c", 200, None)],
    }
    assert of(Orders, form(ROWS.head(1))).rule_samples == {}
    assert all(sample.height == 0 for sample in of(Orders, form(ROWS), max_failure_samples=0).rule_samples.values())


@eager_and_lazy
def test_statistics_are_of_the_valid_rows(form: Form):
    found = of(Orders, form(ROWS))
    amount, discount = found.statistics.numeric
    assert (amount.column, amount.count, amount.null_count, amount.min, amount.max) == ("amount", 2, 0, 10, 200)
    assert (discount.column, discount.count, discount.null_count, discount.min) == ("discount", 1, 1, 1)
    assert of(Orders, form(ROWS), statistics=False).statistics is None


def test_a_frame_of_valid_rows_goes_out_as_it_came():
    rows = ROWS.head(1)
    assert of(Orders, rows).valid is rows


@eager_and_lazy
def test_no_rows(form: Form):
    found = of(Orders, form(ROWS.clear()))
    assert (found.row_count, found.rule_counts, found.co_failures) == (0, dict.fromkeys(COUNTS, 0), ())
    assert found.invalid.columns == ["id", "amount", "discount", *NAMES]
    assert found.invalid.schema["dy_rule__primary_key"] == pl.String
    assert found.valid.schema == ROWS.schema


@eager_and_lazy
def test_no_valid_row(form: Form):
    found = of(Orders, form(ROWS.tail(2)))
    assert found.valid.rows() == []
    assert found.invalid_count == 2


@eager_and_lazy
def test_no_rules_and_no_columns(form: Form):
    class Free(dy.Schema):
        a = dy.Int64(nullable=True)

    rows = pl.DataFrame({"a": [1, None]})
    found = of(Free, form(rows))
    assert_frame_equal(found.valid, rows)
    assert (found.invalid.columns, found.rule_counts, found.co_failures) == (["a"], {}, ())


@eager_and_lazy
def test_columns_beyond_the_contracts_stay(form: Form):
    found = of(Orders, form(ROWS.with_columns(extra=pl.int_range(pl.len()))))
    assert found.valid["extra"].to_list() == [0, 2]
    assert found.invalid["extra"].to_list() == [1, 3, 4, 5, 6, 7]
    assert found.invalid.columns[3:5] == ["extra", NAMES[0]]


def test_f1_both_rows_of_a_repeated_key_are_invalid():
    class Keyed(dy.Schema):
        id = dy.String(primary_key=True)

    found = of(Keyed, pl.DataFrame({"id": ["a", "b", "b", "c"]}))
    assert found.valid["id"].to_list() == ["a", "c"]
    assert found.rule_counts["primary_key"] == 2


def test_f4_two_nulls_of_a_unique_column_are_duplicates():
    class Unique(dy.Schema):
        x = dy.String(nullable=True, unique=True)

    found = of(Unique, pl.DataFrame({"x": ["x", None, None]}))
    assert found.valid["x"].to_list() == ["x"]
    assert of(Unique, pl.DataFrame({"x": ["x", None]})).invalid_count == 0


def test_f7_floats_at_their_edges():
    class Floats(dy.Schema):
        x = dy.Float64(nullable=True, min=0.0)

    edges = [float("nan"), float("inf"), float("-inf"), -0.0, None, 1.0]
    found = of(Floats, pl.DataFrame({"x": edges}))
    assert str(found.valid["x"].to_list()) == "[-0.0, None, 1.0]"
    assert found.rule_counts == {"x|min": 1, "x|inf": 2, "x|nan": 1}


def test_f14_rows_of_warnings_only_stay_where_they_were():
    found = of(Orders, ROWS)
    assert found.valid["id"].to_list() == ["a", "c"]
    assert found.rule_samples["amount|max"]["id"].to_list() == ["c"]
    assert "amount|max" not in {rule for entry in found.co_failures for rule in entry.rules}
    assert sum(entry.count for entry in found.co_failures) == found.invalid_count


def test_a_row_that_breaks_a_warning_too_is_in_the_set_of_its_other_rules():
    class Both(dy.Schema):
        a = dy.Int64(max=5, metadata={"warn": True})
        b = dy.Int64(max=5)

    rows = pl.DataFrame([(9, 9), (1, 9), (9, 9), (9, 1)], schema=["a", "b"], orient="row")
    found = of(Both, rows)
    assert found.co_failures == (CoFailure(("b|max",), 3),)
    assert found.valid.rows() == [(9, 1)]
    assert found.invalid["dy_rule__a__max"].to_list() == ["invalid", "valid", "invalid"]


def test_rules_over_groups_whole_tables_and_neighbours():
    class Wide(dy.Schema):
        g = dy.String()
        v = dy.Int64()

        @dy.rule()
        def two_a_group(cls) -> pl.Expr:
            return pl.len().over("g") <= 2

        @dy.rule()
        def total(cls) -> pl.Expr:
            return pl.col("v").sum() < 100

        @dy.rule()
        def rising(cls) -> pl.Expr:
            return pl.col("v") > pl.col("v").shift()

    rows = pl.DataFrame([("x", 1), ("y", 3), ("x", 2), ("x", 5)], schema=["g", "v"], orient="row")
    found = of(Wide, rows)
    assert found.rule_counts["two_a_group"] == 3
    assert found.rule_counts["total"] == 0
    assert found.rule_samples["rising"].rows() == [("x", 2)], "the first row has no neighbour: null, and kept"
    assert found.valid.rows() == [("y", 3)]
    assert of(Wide, pl.DataFrame({"g": ["p", "q"], "v": [1, 99]})).rule_counts["total"] == 2


def test_columns_and_rules_with_names_of_every_kind():
    class Odd(dy.Schema):
        a = dy.Int64(min=0, alias="order id")
        b = dy.Int64(min=0, alias="Größe")
        c = dy.Int64(min=0, alias="a|b")
        d = dy.Int64(min=0, alias="a__b")
        e = dy.Int64(min=0, alias="x" * 300)
        f = dy.Int64(min=0, alias="A")
        g = dy.Int64(min=0, alias="a")

    names = ["order id", "Größe", "a|b", "a__b", "x" * 300, "A", "a"]
    rows = pl.DataFrame({name: [-1 if at == row else 1 for row in range(8)] for at, name in enumerate(names)})
    found = of(Odd, rows)
    assert found.valid_count == 1
    assert {rule: count for rule, count in found.rule_counts.items() if count} == {f"{name}|min": 1 for name in names}
    assert len(found.invalid.columns) == 7 + 14


@eager_and_lazy
def test_a_rule_that_does_not_evaluate_is_named(form: Form):
    class Broken(dy.Schema):
        a = dy.Int64()

        @dy.rule()
        def good(cls) -> pl.Expr:
            return pl.col("a") > 0

        @dy.rule()
        def bad(cls) -> pl.Expr:
            return pl.col("nowhere") > 0

    with pytest.raises(errors.RuleError, match=r"Broken: the rule 'bad' does not evaluate: .*nowhere") as caught:
        of(Broken, form(pl.DataFrame({"a": [1]})))
    assert 'It reads col("nowhere") > 0' in str(caught.value)


@pytest.mark.parametrize("expr", [pl.col("a") + 1, pl.col("a").cast(pl.String), pl.lit(1), pl.struct("a")])
def test_a_rule_that_is_not_boolean_is_refused(expr: pl.Expr):
    class Number(dy.Schema):
        a = dy.Int64()

        @dy.rule()
        def number(cls) -> pl.Expr:
            return expr

    with pytest.raises(errors.RuleError, match="Number: the rule 'number' "):
        of(Number, pl.DataFrame({"a": [1, 2]}))


def test_a_rule_that_is_null_for_every_row_is_kept():
    class Null(dy.Schema):
        a = dy.Int64()

        @dy.rule()
        def unknown(cls) -> pl.Expr:
            return pl.lit(None, dtype=pl.Boolean)

    assert of(Null, pl.DataFrame({"a": [1, 2]})).valid_count == 2


@pytest.mark.parametrize("into", [False, True], ids=["in memory", "into a folder"])
def test_a_lazy_plan_with_python_in_it_runs_once(into: bool, tmp_path: Path):
    runs = []

    def counted(frame: pl.DataFrame) -> pl.DataFrame:
        runs.append(frame.height)
        return frame

    plan = ROWS.lazy().map_batches(counted, schema=ROWS.schema)
    found = of(Orders, plan, into=tmp_path if into else None)
    assert sum(runs) == ROWS.height  # once, in however many pieces
    assert found.valid.rows() == [("a", 10, 1), ("c", 200, None)]


@pytest.mark.parametrize("into", [False, True], ids=["in memory", "into a folder"])
def test_a_lazy_plan_that_fails_raises_what_polars_says(into: bool, tmp_path: Path):
    plan = ROWS.lazy().with_columns(pl.col("id").str.to_datetime("%Y", strict=True)).sort("amount")
    with pytest.raises(pl.exceptions.InvalidOperationError):
        of(Orders, plan, into=tmp_path if into else None)


def test_objects_are_split_although_no_file_can_hold_them():
    class Things(dy.Schema):
        a = dy.Object()
        b = dy.Int64(min=0)

    thing = object()
    rows = pl.DataFrame({"a": pl.Series([thing, thing], dtype=pl.Object), "b": [1, -1]})
    for frame in (rows, rows.lazy()):
        found = of(Things, frame)
        assert (found.valid["a"].to_list(), found.invalid["b"].to_list()) == ([thing], [-1])


def test_agrees_with_dataframely_on_a_column_of_every_kind_at_once():
    class Every(dy.Schema):
        s = dy.String(regex="^a", nullable=True)
        t = dy.Date(resolution="1mo", nullable=True)
        u = dy.List(dy.Int64(min=0), min_length=1, nullable=True)

    rows = pl.DataFrame(
        {
            "s": ["a", "b", None, "a"],
            "t": [date(2024, 1, 1), date(2024, 1, 1), None, date(2024, 1, 2)],
            "u": [[1], [1, 2], None, []],
        }
    )
    found = of(Every, rows)
    valid, failure = Every.filter(rows)
    assert_frame_equal(found.valid, valid)
    assert {rule: count for rule, count in found.rule_counts.items() if count} == failure.counts()
    assert failure.counts() == {"s|regex": 1, "t|resolution": 1, "u|min_length": 1}
