"""`--defs MODULE`: a code location is found, loaded and checked in a process of its own, whatever it does."""

from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

import dagster_contracts as dc
from dagster_contracts.diagnostics.finding import Span
from dagster_contracts.errors import UsageError
from dagster_contracts.orchestration.dry_run.child import load_definitions
from dagster_contracts.orchestration.dry_run.module import as_plain, check_module, report_from

PROJECT = """
import dagster as dg
import dataframely as dy
import polars as pl

import dagster_contracts as dc

print("a code location may print")


class Orders(dy.Schema):
    id = dy.Int64(primary_key=True)


@dc.asset(Orders)
def orders() -> pl.LazyFrame: ...


@dc.asset(Orders)
def copied(orders: pl.LazyFrame) -> pl.LazyFrame:
    return orders.select(key="id")


@dc.asset(Orders)
def endless(orders: pl.LazyFrame) -> pl.LazyFrame:
    while True:
        pass


shop = dg.Definitions(assets=[orders, copied, endless])
nothing = 1


def late() -> dg.Definitions:
    return shop
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop_project.py").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_module_is_checked_in_a_process_of_its_own(project, capfd):
    report = check_module("shop_project", time_limit=0.5)
    found = [(one.code, one.model, one.column, one.source.file, one.source.line) for one in report.diagnostics]
    assert found == [
        ("E010", "copied", "id", "shop_project.py", 21),
        ("I003", "endless", None, "shop_project.py", 25),
        ("I003", "orders", None, "shop_project.py", 16),
    ]
    assert report.diagnostics[1].reasons == ("it took more than 0.5 seconds",)
    assert report.texts == {"shop_project.py": PROJECT}
    assert capfd.readouterr().out == ""  # that is where the report goes
    assert [path.name for path in project.iterdir() if path.suffix != ""] == ["shop_project.py"]


def test_a_process_that_does_not_come_back_is_ended(project):
    (project / "slow.py").write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(UsageError, match=r"slow was not loaded and checked in 1 seconds\."):
        check_module("slow", loading_limit=1)


def test_a_process_that_dies_is_named(project):
    (project / "dies.py").write_text("import os\nos._exit(7)\n")
    with pytest.raises(UsageError, match=r"The process that checks dies\.py ended with code 7 and no report\."):
        check_module("dies.py")


@pytest.mark.parametrize("text", ["shop_project", "shop_project.py", "shop_project:shop", "shop_project.py:late"])
def test_definitions_are_found_by_module_file_or_name(project, monkeypatch, text):
    monkeypatch.syspath_prepend(str(project))
    assert isinstance(load_definitions(text), dg.Definitions)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nowhere_at_all", "There is no module 'nowhere_at_all'. Give a module"),
        ("nowhere.py", "There is no Python file nowhere.py."),
        ("shop_project:nope", "shop_project has nothing called 'nope'."),
        ("shop_project:nothing", "shop_project:nothing is no dg.Definitions, but int."),
        ("broken.py", "broken.py does not load: ZeroDivisionError: division by zero ("),
        ("empty.py", "empty.py has none where one dg.Definitions is looked for. Name it: empty.py:NAME."),
        ("two.py", "two.py has several: one, other where one dg.Definitions is looked for."),
        ("lacks.py", "lacks.py does not load: ModuleNotFoundError: No module named 'lacking' ("),
        ("late.py:defs", "late.py:defs does not load: LookupError: later ("),
    ],
)
def test_what_holds_no_definitions_is_named(project, monkeypatch, text, message):
    monkeypatch.syspath_prepend(str(project))
    (project / "broken.py").write_text("1 / 0\n")
    (project / "empty.py").write_text("")
    (project / "lacks.py").write_text("import lacking\n")
    (project / "two.py").write_text("import dagster as dg\none, other = dg.Definitions(), dg.Definitions()\n")
    (project / "late.py").write_text("def defs():\n    raise LookupError('later')\n")
    with pytest.raises(UsageError) as raised:
        load_definitions(text)
    assert str(raised.value).startswith(message)


def test_a_report_comes_back_as_it_was(project, monkeypatch):
    monkeypatch.syspath_prepend(str(project))
    defs = dg.Definitions(assets=load_definitions("shop_project").assets[:2])
    report = dc.check_definitions(defs)
    found = replace(report.diagnostics[0], contract=Span("a", 1, 2, 3, 4), reasons=("x", "y"))
    report = replace(report, diagnostics=(found, *report.diagnostics[1:]))
    assert report_from(as_plain(report)) == report
