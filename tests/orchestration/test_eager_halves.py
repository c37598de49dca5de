"""Frames in memory on their way to storage: as plans where nobody but our IO manager sees them, else as frames."""

from pathlib import Path
from typing import Any

import dagster as dg
import dataframely as dy
import polars as pl
import pytest
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import execute_run
from polars.testing import assert_frame_equal

import dagster_contracts as dc
from dagster_contracts.orchestration.storage.parquet import ParquetUPathIOManager


class Orders(dy.Schema):
    id = dy.Int64(primary_key=True)
    a = dy.Int64(nullable=True, min=0)


ROWS = pl.DataFrame({"id": [1, 2, 3, 3, 4], "a": [1, -1, 1, 2, None]})
VALID, INVALID = ROWS[[0, 4]], ROWS[[1, 2, 3]]


class Spy(ParquetUPathIOManager):
    """Our own IO manager, which writes down what it is given."""

    def __init__(self, base: Path) -> None:
        super().__init__(str(base))
        self.seen: dict[str, Any] = {}

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        self.seen[context.asset_key.to_user_string()] = type(obj)
        super().handle_output(context, obj)


def orders_of(rows: pl.DataFrame, **arguments: Any) -> dg.AssetsDefinition:
    return dc.asset(Orders, name="orders", quarantine=True, **arguments)(lambda: rows)


def run_apart(asset: dg.AssetsDefinition, manager: Any) -> bool:
    """Materialize as a run worker does, where the result of the run is not what the asset returned."""
    definitions = dg.Definitions([asset], resources={"io_manager": manager}, executor=dg.in_process_executor)
    job = definitions.resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:
        return execute_run(InMemoryJob(job), instance.create_run_for_job(job), instance).success


def hold_files(base: Path) -> None:
    assert_frame_equal(pl.read_parquet(base / "orders.parquet"), VALID)
    quarantine = pl.read_parquet(base / "orders_quarantine.parquet")
    assert_frame_equal(quarantine.select("id", "a"), INVALID)
    assert quarantine["dy_rule__primary_key"].to_list() == ["valid", "invalid", "invalid"]
    assert quarantine["dy_rule__a__min"].to_list() == ["invalid", "valid", "valid"]
    assert quarantine["dy_rule__id__nullability"].to_list() == ["valid"] * 3


def test_in_a_run_worker_our_io_manager_gets_plans_and_no_copies(tmp_path: Path):
    spy = Spy(tmp_path)
    assert run_apart(orders_of(ROWS), spy)
    assert spy.seen == {"orders": pl.LazyFrame, "orders_quarantine": pl.LazyFrame}
    hold_files(tmp_path)


def test_when_every_row_is_valid_the_frame_itself_is_written(tmp_path: Path):
    spy = Spy(tmp_path)
    assert run_apart(orders_of(VALID), spy)
    assert spy.seen == {"orders": pl.DataFrame}
    assert_frame_equal(pl.read_parquet(tmp_path / "orders.parquet"), VALID)


def test_the_result_of_a_run_in_this_process_has_a_frame(tmp_path: Path):
    spy = Spy(tmp_path)
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([orders_of(ROWS)], resources={"io_manager": spy}, instance=instance)
    assert_frame_equal(result.output_for_node("orders"), VALID)
    assert spy.seen == {"orders": pl.DataFrame, "orders_quarantine": pl.DataFrame}
    hold_files(tmp_path)


def test_a_hook_sees_a_frame(tmp_path: Path):
    seen = []

    @dg.success_hook
    def hook(context: dg.HookContext) -> None:
        seen.append(context.op_output_values["result"])

    assert run_apart(orders_of(ROWS, hooks={hook}), Spy(tmp_path))
    assert_frame_equal(seen[0], VALID)
    hold_files(tmp_path)


def test_another_io_manager_gets_frames_whatever_it_takes(tmp_path: Path):
    class Keeps(dg.IOManager):
        takes_lazy_frames = True

        def __init__(self) -> None:
            self.seen: dict[str, Any] = {}

        def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
            self.seen[context.asset_key.to_user_string()] = obj

        def load_input(self, context: dg.InputContext) -> Any:
            raise NotImplementedError

    manager = Keeps()
    assert run_apart(orders_of(ROWS), manager)
    assert_frame_equal(manager.seen["orders"], VALID)
    assert_frame_equal(manager.seen["orders_quarantine"].select("id", "a"), INVALID)


def test_rows_that_cannot_be_conformed_lie_between_those_of_a_plan_as_between_those_of_a_frame(tmp_path: Path):
    given = [{"id": 1, "a": 1}, {"id": "x", "a": 1}, {"id": 2, "a": -2}, {"id": 3, "a": "y"}, {"id": 5, "a": 7}]
    asset = dc.asset(Orders, name="orders", quarantine=True)(lambda: given)
    spy = Spy(tmp_path / "apart")
    assert run_apart(asset, spy)
    assert spy.seen == {"orders": pl.LazyFrame, "orders_quarantine": pl.LazyFrame}
    with dg.DagsterInstance.ephemeral() as instance:
        assert dg.materialize([asset], resources={"io_manager": Spy(tmp_path / "here")}, instance=instance).success
    table = pl.read_parquet(tmp_path / "apart" / "orders.parquet")
    quarantine = pl.read_parquet(tmp_path / "apart" / "orders_quarantine.parquet")
    assert table.rows() == [(1, 1), (5, 7)]
    assert quarantine["id"].to_list() == [None, 2, 3]
    assert quarantine["dy_rule__a__min"].to_list() == ["unknown", "invalid", "unknown"]
    for name in spy.seen:
        apart, here = (pl.read_parquet(tmp_path / folder / f"{name}.parquet") for folder in ("apart", "here"))
        assert_frame_equal(apart, here)


@pytest.mark.parametrize("rows", [ROWS, VALID], ids=["some invalid", "all valid"])
def test_a_direct_call_gives_a_frame(rows: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DAGSTER_CONTRACTS_QUARANTINE_DIR", str(tmp_path))
    events = list(orders_of(rows)(dg.build_asset_context()))
    (result,) = [event for event in events if isinstance(event, dg.MaterializeResult)]
    assert_frame_equal(result.value, VALID)
