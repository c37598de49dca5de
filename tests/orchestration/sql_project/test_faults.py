"""A run that is killed leaves the table whole, the old one or the new; two runs at once take turns."""

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import duckdb
import pytest
from tests.orchestration.forked_runs import Runner
from tests.orchestration.sql_project.shop import Shop

ROWS = 400_000
MODEL = f"SELECT i AS id, version, repeat('x', 20) || i AS text FROM raw_version, range({ROWS}) AS r (i)"
CONTRACT = '[[columns]]\nname = "version"\nnullable = false\n'


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = Shop(tmp_path)
    shop.query("CREATE TABLE raw_version AS SELECT 0 AS version")
    sources = "CREATE TABLE raw_version (version INTEGER NOT NULL);"
    shop.write(**{"models/big.sql": MODEL, "contracts/big.contract.toml": CONTRACT, "sources.sql": sources})
    return shop


@pytest.fixture
def runner(shop: Shop) -> Iterator[Runner]:
    config = shop.folder / "project" / "contracts.toml"
    runner = Runner("tests.orchestration.sql_project.killed_run", str(config), shop.attributes["database"])
    yield runner
    runner.close()


@pytest.mark.parametrize("kills", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_a_killed_run_leaves_the_table_whole(shop: Shop, runner: Runner, kills: int):
    chance = random.Random(2013)
    code, seconds = runner.run("big")
    assert code == 0
    have, ended = 0, {0: 0, -signal.SIGKILL: 0}
    for version in range(1, kills + 1):
        shop.query(f"UPDATE raw_version SET version = {version}")
        code, _ = runner.run("big", kill_after=chance.uniform(0.1, 1.1) * seconds)
        ended[code] += 1
        ((rows, least, most, ids),) = shop.query("SELECT count(*), min(version), max(version), sum(id) FROM big")
        assert (rows, ids) == (ROWS, ROWS * (ROWS - 1) // 2)
        assert least == most
        assert most in ({version} if code == 0 else {have, version})
        have = most
    assert ended[-signal.SIGKILL] > kills / 2
    shop.query("UPDATE raw_version SET version = -1")
    assert runner.run("big")[0] == 0
    assert shop.query("SELECT DISTINCT version FROM big") == [(-1,)]
    assert sorted(file.name for file in shop.folder.iterdir()) == ["project", "shop.duckdb"]


def two_models() -> dg.JobDefinition:
    """The job of a project whose folder an environment variable names, for processes that are started anew."""
    shop = object.__new__(Shop)
    shop.folder = Path(os.environ["TWO_MODELS"])
    shop.attributes = {"database": str(shop.folder / "shop.duckdb"), "wait_seconds": 120}
    job = dg.define_asset_job(
        "both", selection=["first", "second"], executor_def=dg.multiprocess_executor.configured({"max_concurrent": 2})
    )
    return dg.Definitions.merge(shop.load(), dg.Definitions(jobs=[job])).resolve_job_def("both")


@pytest.mark.slow
def test_two_models_that_run_at_once_take_turns(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    for name in ("first", "second"):
        shop.write(**{f"models/{name}.sql": MODEL})
    monkeypatch.setenv("TWO_MODELS", str(shop.folder))
    with dg.DagsterInstance.local_temp() as instance:
        started: list[str] = []

        def hold() -> None:
            """Keep the database until both steps run, so that both find it taken."""
            with duckdb.connect(shop.attributes["database"]):
                while len(started) < 2 and not ended.is_set():
                    time.sleep(0.2)
                    for run in instance.get_runs():
                        logs = instance.all_logs(run.run_id, of_type=dg.DagsterEventType.STEP_START)
                        started[:] = [str(one.step_key) for one in logs]

        ended, holder = threading.Event(), threading.Thread(target=hold)
        holder.start()
        try:
            with dg.execute_job(dg.reconstructable(two_models), instance=instance) as result:
                assert result.success
        finally:
            ended.set()
            holder.join()
    assert sorted(started) == ["first", "second"]
    assert shop.query("SELECT (SELECT count(*) FROM first), (SELECT count(*) FROM second)") == [(ROWS, ROWS)]
