"""The example's SQL models keep their contracts; those of the broken project beside them break, each in its own way."""

import sys
from pathlib import Path

import pytest

import dagster_contracts as dc
from dagster_contracts.cli import main
from dagster_contracts.diagnostics.finding import Report

SQL = Path(__file__).parents[2] / "examples" / "flights" / "sql"
GOLDEN = Path(__file__).with_name("flights_sql_broken.txt")

# Worked out from the files by hand: code, model, column, and the lines and columns in the model and in the contract.
BROKEN = [
    ("E012", "airport_traffic", "name", (10, 5), (12, 12)),
    ("E011", "calendar", "month", (10, 5), (13, 8)),
    ("E008", "carriers", None, None, (7, 1)),
    ("W011", "daily_flight", None, None, (1, 1)),
    ("W010", "daily_flights", "mean_dep_delay", (7, 5), (29, 8)),
    ("E013", "daily_flights", "mean_dep_delay", (7, 5), (3, 14)),
    ("E014", "daily_trend", "flights_a_week_before", (18, 5), (3, 19)),
    ("E010", "delays_by_carrier_month", "airline", (14, 8), (2, 33)),
    ("E003", "fleet", None, (2, 19), None),
    ("E001", "flights_with_planes", None, (18, 5), None),
    ("E015", "late_flights", None, (4, 7), None),
    ("I003", "warm_hours", "time_hour", (2, 8), (3, 12)),
    ("I003", "warm_hours", "temperature", (2, 19), (7, 8)),
    ("E002", "worst_day_by_airport", None, (8, 7), None),
]
# airport_traffic, calendar, daily_flights, daily_trend, delays_by_carrier_month.
HELD = 9 + 9 + 12 + 10 + 10
# A protected column that [[columns]] names, too, and a required one with its type and its NULLs; one of each other.
FAILED = 1 + 1 + 2 + 1 + 3
# carriers 2, daily_flight 1, fleet 1, flights_with_planes 13, late_flights 1, warm_hours 2, worst_day_by_airport 6.
NOT_VERIFIED = 2 + 1 + 1 + 13 + 1 + 2 + 6


@pytest.fixture(scope="module")
def report() -> Report:
    return dc.sql.check(SQL / "broken", cache=False)


def place(span) -> tuple[int, int] | None:
    return None if span is None else (span.line, span.column)


def test_the_example_keeps_its_promises():
    found = dc.sql.check(SQL, cache=False)
    assert (found.diagnostics, found.summary.broken, found.summary.not_verified) == ((), 0, 0)
    # The seven contracts' promises, counted by hand in their order by name.
    assert found.summary.held == 10 + 10 + 14 + 11 + 13 + 13 + 6
    assert {model.name for model in found.models} == {file.stem for file in (SQL / "models").glob("*.sql")}


def test_each_breaks_in_its_own_way(report: Report):
    found = [(one.code, one.model, one.column, place(one.source), place(one.contract)) for one in report.diagnostics]
    assert found == BROKEN
    summary = report.summary
    assert (summary.held, summary.broken, summary.not_verified) == (HELD, FAILED, NOT_VERIFIED)


def test_a_witness_is_an_airport_that_the_registry_lacks(report: Report):
    (witness,) = (one.witness for one in report.diagnostics if one.witness is not None)
    assert witness.output["name"] is None
    assert witness.output["faa"] in {row[column] for row in witness.inputs["flights"] for column in ("origin", "dest")}
    assert witness.output["faa"] not in {row["faa"] for row in witness.inputs["airports"]}


def test_every_model_and_contract_is_named():
    files = [*(SQL / "broken").glob("models/*.sql"), *(SQL / "broken").glob("contracts/*.toml")]
    assert {file.name.split(".")[0] for file in files} == {model for _, model, *_ in BROKEN}


def test_as_a_person_reads_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(SQL / "broken")
    monkeypatch.setattr(sys, "argv", ["dagster-contracts", "check", "--no-cache"])
    with pytest.raises(SystemExit) as exited:
        main()
    assert exited.value.code == 1
    assert capsys.readouterr().out == GOLDEN.read_text()
