"""What an asset's function yields between rows: pages in every form, and what is none of its business."""

import collections
import inspect
import io
import itertools

import dagster as dg
import numpy as np
import pandas as pd
import polars as pl
import pytest
from dagster import AssetKey

import dagster_contracts as dc
from dagster_contracts.orchestration import conform
from dagster_contracts.orchestration.returned import EVENTS


class Order(dc.Schema):
    id: int | None = None


def call(rows, **kwargs):
    @dc.asset(Order, name="orders", **kwargs)
    def orders():
        yield from rows

    return dc.testing.run_asset(orders)


EXAMPLES = {
    dg.Output: lambda: dg.Output(1),
    dg.MaterializeResult: dg.MaterializeResult,
    dg.ObserveResult: dg.ObserveResult,
    dg.AssetMaterialization: lambda: dg.AssetMaterialization("x"),
    dg.AssetObservation: lambda: dg.AssetObservation("x"),
    dg.AssetCheckResult: lambda: dg.AssetCheckResult(passed=False),
    dg.AssetCheckEvaluation: lambda: dg.AssetCheckEvaluation(AssetKey("x"), "check", False, {}),
    dg.ExpectationResult: lambda: dg.ExpectationResult(success=False),
    dg.RunRequest: dg.RunRequest,
    dg.SkipReason: lambda: dg.SkipReason("nothing new"),
    dg.Failure: lambda: dg.Failure("no"),
    dg.RetryRequested: dg.RetryRequested,
}


@pytest.mark.filterwarnings("ignore:Class .ExpectationResult.:DeprecationWarning")
@pytest.mark.parametrize("make", EXAMPLES.values(), ids=lambda make: getattr(make, "__name__", ""))
@pytest.mark.parametrize("place", ["first", "later", "in a page", "in a page of a page"])
def test_no_event_of_dagster_becomes_a_row(make, place):
    given = {
        "first": lambda: [make()],
        "later": lambda: [{"id": 1}, make()],
        "in a page": lambda: [[{"id": 1}], [{"id": 2}, make()]],
        "in a page of a page": lambda: [{"id": 1}, [[{"id": 2}, make()]]],
    }[place]()
    run = call(given, quarantine=True)
    assert isinstance(run.error, dc.errors.ReturnTypeError)
    assert type(make()).__name__ in str(run.error)
    assert ("Raise it" if isinstance(make(), Exception) else "Yield the rows alone") in str(run.error)
    assert (run.table, run.quarantine) == (None, None)


def test_the_list_of_events_is_that_of_dagster():
    """What Dagster names like a result, and that a function may yield; the others are answers of its own calls."""
    names = (
        "Result",
        "Materialization",
        "Observation",
        "Output",
        "Request",
        "Evaluation",
        "Reason",
        "Requested",
        "Event",
    )
    answers = {
        *("AutomationResult", "EvaluateAutomationConditionsResult", "EventRecordsResult", "ExecuteInProcessResult"),
        *("JobExecutionResult", "MigrateIOStorageResult", "ScaffoldRequest"),
    }
    found = {name for name, one in vars(dg).items() if inspect.isclass(one) and name.endswith(names)}
    assert found - answers <= {one.__name__ for one in EVENTS}


FORMS = {
    "list": lambda rows: rows,
    "tuple": tuple,
    "generator": lambda rows: (row for row in rows),
    "map": lambda rows: map(dict, rows),
    "chain": itertools.chain,
    "deque": collections.deque,
    "view": lambda rows: dict(enumerate(rows)).values(),
    "array": np.array,
    "pages": lambda rows: [iter(rows[:1]), collections.deque(rows[1:])],
    "frame": pl.DataFrame,
    "reader": lambda rows: pl.DataFrame(rows).to_arrow().to_reader(),
    "frames in chunks": lambda rows: (pd.DataFrame(rows[at : at + 1]) for at in range(len(rows))),
}


@pytest.mark.parametrize("batch", [1, 7, 20_000])
@pytest.mark.parametrize("form", FORMS)
def test_a_page_is_read_row_by_row_whatever_it_is_and_wherever_it_stands(monkeypatch, form, batch):
    monkeypatch.setattr(conform, "BATCH_ROWS", batch)
    pages = [[{"id": at} for at in range(first, first + 5)] for first in (0, 5, 10)]
    pages[1][2] = {"id": "x"}
    make = FORMS[form]
    if form in {"frame", "reader"}:
        pages = [[{"id": str(row["id"])} for row in page] for page in pages]
    for given in (
        [make(page) for page in pages],
        [[], *(make(page) for page in pages)],
        [*pages[0], *map(make, pages[1:])],
        [make(pages[0]), *pages[1], make(pages[2])],
    ):
        run = call(given, quarantine=True)
        assert run.error is None
        assert run.table["id"].to_list() == [at for at in range(15) if at != 7]
        assert run.quarantine["raw"].to_list() == ['{"id": "x"}']
        assert run.quarantine["dy_row__conform"].to_list()[0].startswith("id: [value]")


def test_a_page_is_read_batch_by_batch_and_closed(monkeypatch):
    monkeypatch.setattr(conform, "BATCH_ROWS", 10)
    landed, closed = [], []
    monkeypatch.setattr(conform.Conformer, "_land_rows", lambda self, batch: landed.append(len(batch)))

    def page():
        try:
            for at in range(100):
                assert at - sum(landed) <= 10  # no more is read than a batch holds
                yield {"id": at}
        finally:
            closed.append(True)

    call([{"id": 1}, page()])
    assert (sum(landed), closed) == (101, [True])


def test_a_page_that_raises_ends_the_run_with_its_own_error_and_says_how_many_had_come():
    def page():
        yield {"id": 2}
        yield {"id": 3}
        raise OSError("the API went away")

    with pytest.raises(OSError, match="the API went away") as caught:
        call([{"id": 1}, [page()]])
    assert [note for note in caught.value.__notes__ if "given" in note] == [
        "Raised by the function of orders after it had given 3 rows or tables. Nothing was written."
    ]


async def coroutine():
    return [{"id": 1}]


async def async_rows():
    yield {"id": 1}


UNREAD = {
    "coroutine": (coroutine, "Await it"),
    "async generator": (async_rows, "async for"),
    "file": (lambda: io.StringIO('{"id": 1}'), "Read the file"),
    "set": (lambda: {("id", 1)}, "give a list"),
    "keys": ({"id": 1}.keys, "give a list"),
    "pandas series": (lambda: pd.Series([{"id": 1}]), "A series is one column"),
    "Polars series": (lambda: pl.Series([{"id": 1}]), "A series is one column"),
    "index": (lambda: pd.Index([1]), "A series is one column"),
    "list of a row": (lambda: ["a", 2], "A row has names"),
    "tuple of a row": (lambda: ("a", 2), "A row has names"),
    "lists": (lambda: [["a", 2], ["b", 3]], "A row has names"),
    "rows of a frame": (lambda: pl.DataFrame({"id": [1]}).iter_rows(), "A row has names"),
    "numbers": (lambda: range(9), "A row has names"),
    "array of numbers": (lambda: np.array([1, 2]), "A row has names"),
}


@pytest.mark.parametrize("place", ["first", "later", "in a page", "in a generator"])
@pytest.mark.parametrize("kind", UNREAD)
def test_what_may_stand_for_many_rows_ends_the_run_and_is_never_one_refused_row(kind, place):
    make, hint = UNREAD[kind]
    made = make()
    given = {
        "first": [made],
        "later": [{"id": 1}, made],
        "in a page": [{"id": 1}, [{"id": 2}, made]],
        "in a generator": [{"id": 1}, iter([made])],
    }[place]
    run = call(given, quarantine=True)
    if inspect.iscoroutine(made):
        made.close()
    assert isinstance(run.error, dc.errors.ReturnTypeError)
    assert hint in str(run.error)
    assert (run.table, run.quarantine) == (None, None)


def test_a_page_that_holds_itself_ends_the_run():
    page = [{"id": 1}]
    page.append(page)
    assert "pages in pages" in str(call([page]).error)


@pytest.mark.parametrize("contract", [Order, None])
@pytest.mark.parametrize("yields", [0, 2])
@pytest.mark.parametrize("result", [[{"id": 9}], [], 3, dg.MaterializeResult()], ids=repr)
def test_what_a_generator_returns_beside_its_rows_is_never_lost(contract, yields, result):
    @dc.asset(contract, name="orders")
    def orders():
        for at in range(yields):
            yield {"id": at}
        return result

    run = dc.testing.run_asset(orders)
    assert isinstance(run.error, dc.errors.ReturnTypeError)
    assert f"orders returned {type(result).__name__} in a function that has a yield" in str(run.error)
    assert run.table is None


@pytest.mark.parametrize("where", ["page", "result", "normalizer's input", "normalizer"])
def test_nor_what_such_a_generator_returns_elsewhere(where):
    def rows(given=()):
        yield {"id": 1}
        return [*given]

    kwargs = {"normalizer": rows if where == "normalizer" else list} if "norm" in where else {}

    @dc.asset(Order, name="orders", **kwargs)
    def orders():
        if where == "page":
            return [rows()]
        return dg.MaterializeResult(value=rows()) if where == "result" else [] if where == "normalizer" else rows()

    run = dc.testing.run_asset(orders)
    assert isinstance(run.error, dc.errors.ReturnTypeError)
    assert run.table is None


def test_a_generator_that_returns_nothing_or_by_another_is_as_ever():
    def inner():
        yield {"id": 1}
        return 5

    def rows():
        assert (yield from inner()) == 5

    assert call(rows()).table.height == 1
