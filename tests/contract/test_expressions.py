"""Expressions as text for people."""

import re
from datetime import date

import polars as pl
import pytest

from dagster_contracts.contract.expressions import build, readable_text


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (pl.col("a") >= 0, 'col("a") >= 0'),
        (pl.col("a b") > pl.col("c") * 2, 'col("a b") > (col("c") * 2)'),
        ((pl.col("x") < -60) | (pl.col("x") > 170), '(col("x") < -60) | (col("x") > 170)'),
        (pl.struct("a", "b").is_unique(), 'as_struct("a", "b").is_unique()'),
        (pl.col("s").str.contains("^a[(b)]"), 'col("s").str.contains(["^a[(b)]"])'),
        (pl.len().over("k") < 4, '(len().over([col("k")])) < 4'),
        (pl.col("[(odd)]") > 1, 'col("[(odd)]") > 1'),
        (pl.col("x)) >= (1") >= 0, 'col("x)) >= (1") >= 0'),
    ],
    ids=str,
)
def test_an_expression_reads_without_the_marks_of_its_printing(expr: pl.Expr, text: str):
    assert readable_text(expr) == text


@pytest.mark.parametrize("name", ["a", "a b", "", "é", "a\\", "[(a)]", "a\nb"])
@pytest.mark.parametrize("literal", [0, -5, 10**12, 0.5, -1.25e-7, float("inf"), "text", True, date(2026, 1, 1)])
def test_a_comparison_reads_the_same_on_the_short_way_and_on_the_long_one(name: str, literal: object):
    for expr in (pl.col(name) >= literal, pl.col(name) == literal, pl.lit(literal) < pl.col(name)):
        short = readable_text(expr)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("dagster_contracts.contract.expressions._COMPARISON", re.compile("(?!)"))
            assert short == readable_text(expr)


def test_what_builds_a_rule_must_give_an_expression():
    with pytest.raises(TypeError, match=r"it returned bool, not a pl\.Expr"):
        build(lambda: True)
