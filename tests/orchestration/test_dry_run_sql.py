"""Between Polars assets and SQL models, before anything runs: one reads the other, both ways."""

from pathlib import Path

import dagster as dg
import dataframely as dy
import polars as pl
import pytest
from dagster.components.core.component_tree import ComponentTree

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Report
from dagster_contracts.orchestration.sql_project.component import SqlProjectComponent, SqlSource

FILES = {
    # The configuration says something else of the frames than their contracts do: the contracts win.
    "contracts.toml": '[[sources]]\nname = "orders"\n[[sources.columns]]\nname = "nothing"\ntype = "Date"\n',
    "models/totals.sql": """
SELECT c.name, sum(o.amount) AS amount, count(*) AS orders
FROM orders AS o
JOIN customers AS c ON c.id = o.customer
GROUP BY c.name
""",
    "contracts/totals.contract.toml": """
[rules]
required = ["name"]

[[columns]]
name = "name"
type = "String"
nullable = false

[[columns]]
name = "amount"
type = "Float64"
nullable = false
""",
}


class Orders(dy.Schema):
    id = dy.Int64(primary_key=True)
    customer = dy.Int32(nullable=False)
    amount = dy.Float64(nullable=False)


class Customers(dy.Schema):
    id = dy.Int32(primary_key=True)
    name = dy.String(nullable=False)


class Report_(dy.Schema):
    name = dy.String(primary_key=True)
    mean = dy.Float64(nullable=False)


def report(totals: pl.LazyFrame) -> pl.LazyFrame:
    return totals.select("name", mean=pl.col("amount") / pl.col("orders"))


def checked(
    folder: Path, *, orders=Orders, customers=Customers, fn=report, warn=(), keep=False, **files: str
) -> Report:
    for name, text in {**FILES, **files}.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    component = SqlProjectComponent(
        config_path=str(folder / "contracts.toml"),
        sources={"orders": SqlSource(key="raw/orders", load=True), "customers": SqlSource(load=True)},
    )
    extra = "keep" if keep else "drop"

    def read_orders() -> pl.LazyFrame:
        raise AssertionError("nothing is run")

    upstream = dc.warn(*warn)(read_orders) if warn else read_orders
    assets = [
        dc.asset(orders, name="orders", key_prefix="raw", on_extra_columns=extra)(upstream),
        dc.asset(customers, name="customers")(read_customers),
        dc.asset(Report_, name="report")(fn),
    ]
    made = component.build_defs(ComponentTree.for_test().load_context)
    return dc.check_definitions(dg.Definitions.merge(made, dg.Definitions(assets=assets)))


def read_customers() -> pl.LazyFrame:
    raise AssertionError("nothing is run")


def errors(found: Report) -> list[tuple[str, str, str | None]]:
    return [(one.code, one.model, one.column) for one in found.diagnostics if one.severity == "error"]


def test_both_ways_hold_as_they_are(tmp_path):
    found = checked(tmp_path)
    assert errors(found) == []
    totals = next(one for one in found.models if one.name == "totals")
    assert [(one.name, one.type, one.nullable) for one in totals.columns] == [
        ("name", "String", False),
        ("amount", "Float64", False),
        ("orders", "Int64", False),
    ]
    # The model: name is required, both columns have a type and no null. The report: two columns.
    unverified = [(one.model, one.column) for one in found.diagnostics if one.code == "I003"]
    assert ("report", None) not in unverified
    assert found.summary.held >= 5 + 2


def test_files_are_named_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = checked(tmp_path, **{"models/totals.sql": "SELECT nope FROM orders"})
    (one,) = [one for one in found.diagnostics if one.code == "E002"]
    assert one.source.file == "models/totals.sql"
    assert found.texts["models/totals.sql"] == "SELECT nope FROM orders"


class Renamed(dy.Schema):
    id = dy.Int64(primary_key=True)
    customer = dy.Int32(nullable=False)
    total = dy.Float64(nullable=False)


class Narrow(dy.Schema):
    id = dy.Int64(primary_key=True)
    customer = dy.Int32(nullable=False)
    amount = dy.Int16(nullable=False)


class Nullable(dy.Schema):
    id = dy.Int32(primary_key=True)
    name = dy.String(nullable=True)


class Family(dy.Schema):
    id = dy.Int64(primary_key=True)
    customer = dy.Int32(nullable=False)
    amount = dy.Float(nullable=False)


TOTALS = FILES["models/totals.sql"]
CHANGES = {
    "a column is renamed in a frame's contract": (
        {"orders": Renamed},
        [("E002", "totals", None)],
        "amount",
    ),
    "a column gets another dtype in a frame's contract": (
        {"orders": Narrow},
        [("E011", "totals", "amount")],
        "`amount` is Int128, and the contract says Float64",
    ),
    "a column may be null in a frame's contract": (
        {"customers": Nullable},
        [("E012", "totals", "name"), ("E012", "report", "name")],
        "`name` can be NULL",
    ),
    "a left join without coalesce": (
        {"models/totals.sql": TOTALS.replace("JOIN customers", "LEFT JOIN customers")},
        [("E012", "totals", "name"), ("E012", "report", "name")],
        "`name` can be NULL",
    ),
    "a column of the model is renamed, and a frame reads it": (
        {"models/totals.sql": TOTALS.replace("AS orders", "AS number")},
        [("E030", "report", None)],
        'unable to find column "orders"',
    ),
    "a cast in the model changes what a frame returns": (
        {"models/totals.sql": TOTALS.replace("c.name, sum", "length(c.name) AS name, sum")},
        [("E011", "report", "name"), ("E011", "totals", "name")],
        "Int64",
    ),
    "the frame's function drops a column": (
        {"fn": lambda totals: totals.select("name")},
        [("E010", "report", "mean")],
        "it is not returned",
    ),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_change_on_one_side_is_found_on_the_other(case: str, tmp_path):
    given, expected, says = CHANGES[case]
    found = checked(tmp_path, **given)
    assert sorted(errors(found), key=str) == sorted(expected, key=str)
    assert any(says in one.message for one in found.diagnostics if one.severity == "error")


def test_a_null_that_is_only_warned_of_stays_in_the_table(tmp_path):
    totals = TOTALS.replace("c.name, sum(o.amount)", "c.name, max(o.amount)")
    assert errors(checked(tmp_path, **{"models/totals.sql": totals})) == []
    found = checked(tmp_path, warn=["amount|nullability"], **{"models/totals.sql": totals})
    assert ("E012", "totals", "amount") in errors(found)


@pytest.mark.parametrize("given", [{"keep": True}, {"orders": Family}])
def test_what_a_frame_leaves_open_is_not_verified(given, tmp_path):
    found = checked(tmp_path, **given)
    assert errors(found) == []
    assert any(one.code == "I003" and one.model == "totals" for one in found.diagnostics)


def test_a_model_whose_columns_are_not_known_verifies_no_reader(tmp_path):
    found = checked(tmp_path, **{"models/totals.sql": "SELECT * FROM who_knows"})
    reasons = [one.reasons for one in found.diagnostics if one.model == "report" and one.code == "I003"]
    assert reasons == [("the columns of its input totals are not known",)]
