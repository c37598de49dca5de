"""What an asset's function yields between rows: pages in every form, and what is none of its business."""

import inspect

import dagster as dg
import pytest
from dagster import AssetKey

import dagster_contracts as dc
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
@pytest.mark.parametrize("place", ["first", "later"])
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
