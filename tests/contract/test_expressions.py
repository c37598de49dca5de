"""Expressions as text for people."""

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
    ],
    ids=str,
)
def test_an_expression_reads_without_the_marks_of_its_printing(expr: pl.Expr, text: str):
    assert readable_text(expr) == text


def test_what_builds_a_rule_must_give_an_expression():
    with pytest.raises(TypeError, match=r"it returned bool, not a pl\.Expr"):
        build(lambda: True)
