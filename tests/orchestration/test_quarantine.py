"""Where invalid rows go, when they are cleared, and what is refused before any row could be lost."""

import os
import signal
import subprocess
import sys
import textwrap
import warnings
from datetime import date
from pathlib import Path

import dagster as dg
import dataframely as dy
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import dagster_contracts as dc

QUARANTINE_DIR = "DAGSTER_CONTRACTS_QUARANTINE_DIR"
RANGE_START = "dagster/asset_partition_range_start"
RANGE_END = "dagster/asset_partition_range_end"


class Orders(dy.Schema):
    id = dy.String(primary_key=True)
    amount = dy.Int64(nullable=False, min=0)


RULES = ["primary_key", "id__nullability", "amount__nullability", "amount__min"]
GOOD = pl.DataFrame({"id": ["a", "b"], "amount": [1, 2]})
BAD = pl.DataFrame({"id": ["a", "b", "c"], "amount": [1, -2, None]})
HOPELESS = pl.DataFrame({"id": ["x", "y"], "amount": [-1, -2]})
DRIFTED = pl.DataFrame({"id": ["a"], "amount": ["1"]})


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def orders_of(returned: dict, contract=Orders, **arguments) -> dg.AssetsDefinition:
    """An asset `orders` that returns `returned["frame"]`, or the frame of its partition."""
    arguments = {"quarantine": True, "name": "orders", **arguments}

    @dc.asset(contract, **arguments)
    def orders(context: dg.AssetExecutionContext):
        frame = returned["frame"]
        if isinstance(frame, dict):
            frames = [frame[key] for key in context.partition_keys]
            return frames[0] if len(frames) == 1 else pl.concat(frames)
        return frame

    return orders


def run(asset, base: Path, instance, *, resources=None, **arguments) -> dg.ExecuteInProcessResult:
    resources = resources or {"io_manager": dc.ParquetIOManager(base_dir=str(base))}
    return dg.materialize([asset], resources=resources, instance=instance, raise_on_error=False, **arguments)


def files(base: Path) -> list[str]:
    return sorted(path.relative_to(base).as_posix() for path in base.rglob("*") if path.is_file())


def message_of(result: dg.ExecuteInProcessResult) -> str:
    [failure] = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
    error, text = failure.step_failure_data.error, ""
    while error is not None:
        text += f"{error.cls_name}: {error.message}\n"
        error = error.cause
    return text


def metadata_of(result: dg.ExecuteInProcessResult) -> dict:
    [materialization] = result.asset_materializations_for_node("orders")
    return {name: value.value for name, value in materialization.metadata.items()}


def quarantined_ids(path: Path) -> list[str]:
    return pl.read_parquet(path)["id"].to_list()


class TestRows:
    def test_holds_the_original_columns_then_one_string_column_a_rule(self, tmp_path, instance):
        run(orders_of({"frame": BAD}), tmp_path, instance)
        assert_frame_equal(
            pl.read_parquet(tmp_path / "orders_quarantine.parquet"),
            pl.DataFrame(
                {
                    "id": ["b", "c"],
                    "amount": [-2, None],
                    "dy_rule__primary_key": ["valid", "valid"],
                    "dy_rule__id__nullability": ["valid", "valid"],
                    "dy_rule__amount__nullability": ["valid", "invalid"],
                    "dy_rule__amount__min": ["invalid", "valid"],
                }
            ),
        )
        assert_frame_equal(pl.read_parquet(tmp_path / "orders.parquet"), pl.DataFrame({"id": ["a"], "amount": [1]}))

    def test_keeps_the_inputs_order_with_valid_rows_in_between(self, tmp_path, instance):
        frame = pl.DataFrame({"id": list("zyxwv"), "amount": [-1, 1, -2, 2, -3]})
        run(orders_of({"frame": frame}), tmp_path, instance)
        assert quarantined_ids(tmp_path / "orders_quarantine.parquet") == ["z", "x", "v"]
        assert quarantined_ids(tmp_path / "orders.parquet") == ["y", "w"]

    def test_a_second_run_with_invalid_rows_replaces_the_first_ones(self, tmp_path, instance):
        returned = {"frame": BAD}
        asset = orders_of(returned)
        run(asset, tmp_path, instance)
        returned["frame"] = pl.DataFrame({"id": ["k", "l"], "amount": [5, -5]})
        run(asset, tmp_path, instance)
        assert quarantined_ids(tmp_path / "orders_quarantine.parquet") == ["l"]

    def test_every_row_is_kept_when_no_row_is_valid_and_the_old_table_stays(self, tmp_path, instance):
        returned = {"frame": GOOD}
        asset = orders_of(returned)
        run(asset, tmp_path, instance)
        returned["frame"] = HOPELESS
        result = run(asset, tmp_path, instance)
        assert not result.success
        assert quarantined_ids(tmp_path / "orders_quarantine.parquet") == ["x", "y"]
        assert_frame_equal(pl.read_parquet(tmp_path / "orders.parquet"), GOOD)

    def test_a_lazy_frame_is_split_alike(self, tmp_path, instance):
        run(orders_of({"frame": BAD.lazy()}), tmp_path, instance)
        assert quarantined_ids(tmp_path / "orders_quarantine.parquet") == ["b", "c"]

    def test_kept_undeclared_columns_stand_before_the_rules(self, tmp_path, instance):
        frame = BAD.with_columns(note=pl.Series(["n1", "n2", "n3"]))
        run(orders_of({"frame": frame}, on_extra_columns="keep"), tmp_path, instance)
        found = pl.read_parquet(tmp_path / "orders_quarantine.parquet")
        assert found.columns == ["id", "amount", "note", *[f"dy_rule__{rule}" for rule in RULES]]
        assert found["note"].to_list() == ["n2", "n3"]


class TableManager(dg.IOManager):
    """Addresses by asset key in a dict, as a database does, and logs the table's name."""

    def __init__(self, tables: dict) -> None:
        self.tables = tables
        self.seen: list[dict] = []

    def handle_output(self, context: dg.OutputContext, obj: pl.DataFrame) -> None:
        table = ".".join(context.asset_key.path)
        self.seen.append(
            {
                "table": table,
                "expr": context.definition_metadata.get("partition_expr"),
                "partition": context.asset_partition_key if context.has_asset_partitions else None,
                "team": context.definition_metadata.get("team"),
            }
        )
        self.tables[table, self.seen[-1]["partition"]] = obj
        context.add_output_metadata({"dagster/table_name": table, "column_count": obj.width})

    def load_input(self, context: dg.InputContext) -> pl.DataFrame:
        return self.tables[".".join(context.asset_key.path), None]


class SilentManager(TableManager):
    """Says nothing about where it wrote."""

    def handle_output(self, context: dg.OutputContext, obj: pl.DataFrame) -> None:
        self.tables[".".join(context.asset_key.path), None] = obj


class LoggingManager(TableManager):
    """Yields its metadata and logs an event of its own on every write."""

    def handle_output(self, context: dg.OutputContext, obj: pl.DataFrame):
        self.tables[".".join(context.asset_key.path), None] = obj
        context.log_event(dg.AssetObservation(asset_key=context.asset_key))
        yield {"uri": f"db://{context.asset_key.path[-1]}"}


class TestAddress:
    def test_is_the_file_that_holds_the_rows(self, tmp_path, instance):
        result = run(orders_of({"frame": BAD}, key_prefix=["shop", "eu"]), tmp_path, instance)
        [materialization] = result.get_asset_materialization_events()
        metadata = materialization.materialization.metadata
        address = metadata["dataframely/quarantine_address"].value
        assert address == str(tmp_path / "shop" / "eu" / "orders_quarantine.parquet")
        assert quarantined_ids(Path(address)) == ["b", "c"]
        assert metadata["dataframely/invalid_count"].value == 2
        assert materialization.materialization.asset_key == dg.AssetKey(["shop", "eu", "orders"])

    def test_is_the_partitions_file(self, tmp_path, instance):
        days = dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-04")
        asset = orders_of({"frame": {"2024-01-02": BAD}}, partitions_def=days)
        result = run(asset, tmp_path, instance, partition_key="2024-01-02")
        assert metadata_of(result)["dataframely/quarantine_address"] == str(
            tmp_path / "orders_quarantine" / "2024-01-02.parquet"
        )
        assert files(tmp_path) == ["orders/2024-01-02.parquet", "orders_quarantine/2024-01-02.parquet"]

    def test_of_several_dimensions_has_a_folder_a_dimension_by_name(self, tmp_path, instance):
        days = dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-04")
        regions = dg.StaticPartitionsDefinition(["eu", "us"])
        both = dg.MultiPartitionsDefinition({"region": regions, "day": days})
        key = dg.MultiPartitionKey({"region": "eu", "day": "2024-01-02"})
        result = run(orders_of({"frame": {key: BAD}}, partitions_def=both), tmp_path, instance, partition_key=key)
        assert metadata_of(result)["dataframely/quarantine_address"] == str(
            tmp_path / "orders_quarantine" / "2024-01-02" / "eu.parquet"
        )
        assert quarantined_ids(tmp_path / "orders_quarantine" / "2024-01-02" / "eu.parquet") == ["b", "c"]

    def test_of_a_database_is_the_table(self, tmp_path, instance):
        manager = TableManager({})
        asset = orders_of({"frame": BAD}, key_prefix="shop")
        result = run(asset, tmp_path, instance, resources={"io_manager": manager})
        [event] = result.get_asset_materialization_events()
        metadata = event.materialization.metadata
        assert metadata["dataframely/quarantine_address"].value == "shop.orders_quarantine"
        # What the manager says about the table itself is the table's, not the quarantine's.
        assert metadata["dagster/table_name"].value == "shop.orders"
        assert metadata["column_count"].value == 2
        assert manager.tables["shop.orders_quarantine", None]["id"].to_list() == ["b", "c"]
        assert manager.tables["shop.orders", None]["id"].to_list() == ["a"]

    def test_is_the_key_where_the_manager_says_nothing(self, tmp_path, instance):
        manager = SilentManager({})
        asset = orders_of({"frame": BAD}, key_prefix="shop")
        result = run(asset, tmp_path, instance, resources={"io_manager": manager})
        [event] = result.get_asset_materialization_events()
        assert event.materialization.metadata["dataframely/quarantine_address"].value == "shop/orders_quarantine"

    def test_may_be_yielded_and_the_managers_events_are_not_the_runs(self, tmp_path, instance):
        manager = LoggingManager({})
        result = run(orders_of({"frame": BAD}), tmp_path, instance, resources={"io_manager": manager})
        assert result.success
        assert manager.tables["orders_quarantine", None]["id"].to_list() == ["b", "c"]
        assert metadata_of(result)["dataframely/quarantine_address"] in ("db://orders_quarantine", "orders_quarantine")
        observed = [event.asset_observation_data for event in result.get_asset_observation_events()]
        assert [data.asset_observation.asset_key for data in observed] == [dg.AssetKey("orders")]
        assert {record.asset_key.to_user_string() for record in result.get_asset_materialization_events()} == {"orders"}

    def test_the_steps_own_context_reaches_the_manager(self, tmp_path, instance):
        days = dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-04")
        manager = TableManager({})
        asset = orders_of(
            {"frame": {"2024-01-03": BAD}}, partitions_def=days, metadata={"partition_expr": "day", "team": "shop"}
        )
        run(asset, tmp_path, instance, resources={"io_manager": manager}, partition_key="2024-01-03")
        first, second = manager.seen
        assert first == {"table": "orders_quarantine", "expr": "day", "partition": "2024-01-03", "team": "shop"}
        assert second == {"table": "orders", "expr": "day", "partition": "2024-01-03", "team": "shop"}

    def test_is_on_every_check_of_a_run_that_fails(self, tmp_path, instance):
        result = run(orders_of({"frame": HOPELESS}), tmp_path, instance)
        rules = [e for e in result.get_asset_check_evaluations() if e.check_name.startswith("dy_rule__")]
        assert [e.check_name for e in rules] == [f"dy_rule__{rule}" for rule in RULES]
        address = str(tmp_path / "orders_quarantine.parquet")
        assert {e.metadata["dataframely/quarantine_address"].value for e in rules} == {address}
        assert address in message_of(result)

    def test_and_all_other_evidence_is_absent_on_a_clean_run(self, tmp_path, instance):
        result = run(orders_of({"frame": GOOD}), tmp_path, instance)
        evidence = {"quarantine_address", "invalid_count", "invalid_sample", "invalid_by_rules"}
        assert not {f"dataframely/{name}" for name in evidence} & set(metadata_of(result))
        assert files(tmp_path) == ["orders.parquet"]


class TestClearing:
    @pytest.fixture
    def scenario(self, tmp_path, instance):
        """Run `orders` once for each returned value, and say which ids are in the quarantine after each run."""

        def play(*frames, **arguments) -> list[list[str] | None]:
            returned: dict = {}
            asset = orders_of(returned, **arguments)
            after = []
            for frame in frames:
                returned["frame"] = frame
                run(asset, tmp_path, instance)
                path = tmp_path / "orders_quarantine.parquet"
                after.append(quarantined_ids(path) if path.exists() else None)
            return after

        return play

    def test_a_clean_run_alone_creates_nothing(self, scenario):
        assert scenario(GOOD, GOOD) == [None, None]

    def test_a_clean_run_empties_what_the_run_before_left(self, scenario, tmp_path):
        assert scenario(BAD, GOOD) == [["b", "c"], []]
        found = pl.read_parquet(tmp_path / "orders_quarantine.parquet")
        assert dict(found.schema) == {
            "id": pl.String,
            "amount": pl.Int64,
            **{f"dy_rule__{rule}": pl.String for rule in RULES},
        }

    def test_a_skip_keeps_it_and_the_clean_run_after_it_empties_it(self, scenario):
        assert scenario(BAD, None, GOOD) == [["b", "c"], ["b", "c"], []]

    def test_many_skips_do_not_hide_it(self, scenario):
        assert scenario(BAD, *[None] * 22, GOOD)[-2:] == [["b", "c"], []]

    def test_a_broken_column_schema_keeps_it_and_the_clean_run_after_it_empties_it(self, scenario):
        assert scenario(BAD, DRIFTED, GOOD) == [["b", "c"], ["b", "c"], []]

    def test_a_run_without_valid_rows_leaves_rows_that_a_clean_run_empties(self, scenario):
        assert scenario(HOPELESS, GOOD) == [["x", "y"], []]

    def test_an_empty_frame_is_a_clean_run(self, scenario):
        assert scenario(BAD, GOOD.clear()) == [["b", "c"], []]

    def test_a_refused_clean_run_of_too_few_rows_also_mirrors_the_last_run(self, scenario):
        assert scenario(BAD, GOOD, min_rows=3) == [["b", "c"], []]

    def test_keep_leaves_it(self, scenario):
        kept = dc.Quarantine(on_clean_run="keep")
        assert scenario(BAD, GOOD, GOOD, quarantine=kept) == [["b", "c"], ["b", "c"], ["b", "c"]]

    def test_what_was_kept_is_emptied_once_the_author_no_longer_keeps_it(self, scenario):
        scenario(BAD, GOOD, quarantine=dc.Quarantine(on_clean_run="keep"))
        assert scenario(GOOD) == [[]]

    def test_keep_is_replaced_by_new_invalid_rows(self, scenario):
        assert scenario(BAD, HOPELESS, quarantine=dc.Quarantine(on_clean_run="keep")) == [["b", "c"], ["x", "y"]]

    def test_a_cleared_quarantine_is_not_written_again(self, scenario, tmp_path):
        scenario(BAD, GOOD)
        path = tmp_path / "orders_quarantine.parquet"
        path.unlink()
        assert scenario(GOOD) == [None]

    def test_the_instance_decides_and_not_the_file(self, tmp_path, instance):
        """Somebody else's file under the name of the quarantine is not touched by a clean run."""
        path = tmp_path / "orders_quarantine.parquet"
        pl.DataFrame({"id": ["theirs"]}).write_parquet(path)
        run(orders_of({"frame": GOOD}), tmp_path, instance)
        assert quarantined_ids(path) == ["theirs"]

    def test_a_clean_runs_metadata_names_no_quarantine_even_if_it_emptied_one(self, tmp_path, instance):
        returned = {"frame": BAD}
        asset = orders_of(returned)
        run(asset, tmp_path, instance)
        returned["frame"] = GOOD
        metadata = metadata_of(run(asset, tmp_path, instance))
        assert "dataframely/quarantine_address" not in metadata
        assert "dataframely/invalid_count" not in metadata

    def test_works_for_every_granularity(self, scenario):
        assert scenario(BAD, GOOD, check_granularity="schema") == [["b", "c"], []]

    def test_a_clearing_that_fails_is_made_up_for_by_the_next_clean_run(self, tmp_path, instance):
        returned = {"frame": BAD}
        manager = FailingManager(tmp_path)
        asset = orders_of(returned)
        resources = {"io_manager": manager}
        assert run(asset, tmp_path, instance, resources=resources).success
        returned["frame"], manager.fails_for = GOOD, {"orders_quarantine"}
        assert not run(asset, tmp_path, instance, resources=resources).success
        assert quarantined_ids(tmp_path / "orders_quarantine.parquet") == ["b", "c"]
        manager.fails_for = set()
        assert run(asset, tmp_path, instance, resources=resources).success
        assert quarantined_ids(tmp_path / "orders_quarantine.parquet") == []


class TestClearingByPartition:
    PARTS = dg.StaticPartitionsDefinition(["p", "q", "r", "s"])

    @staticmethod
    def rows(**amounts: list[int]) -> dict[str, pl.DataFrame]:
        return {
            part: pl.DataFrame(
                {"part": [part] * len(values), "amount": values}, schema={"part": pl.String, "amount": pl.Int64}
            )
            for part, values in amounts.items()
        }

    @pytest.fixture
    def play(self, tmp_path, instance):
        class Parts(dy.Schema):
            part = dy.String(nullable=False)
            amount = dy.Int64(nullable=False, min=0)

        returned: dict = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dg.BetaWarning)
            asset = orders_of(
                returned,
                contract=Parts,
                partitions_def=self.PARTS,
                backfill_policy=dg.BackfillPolicy.single_run(),
                metadata={"partition_expr": "part"},
            )

        def once(keys: str, **amounts: list[int]) -> dict[str, list[int]]:
            """Run the partitions `keys[0]` to `keys[-1]`; the amounts in each quarantine afterwards."""
            returned["frame"] = self.rows(**amounts)
            one = {"partition_key": keys}
            several = {"tags": {RANGE_START: keys[0], RANGE_END: keys[-1]}}
            result = run(asset, tmp_path, instance, **(one if len(keys) == 1 else several))
            assert result.success
            folder = tmp_path / "orders_quarantine"
            return {path.stem: pl.read_parquet(path)["amount"].to_list() for path in sorted(folder.glob("*"))}

        return once

    def test_a_clean_partition_empties_its_own_and_no_other(self, play):
        play("p", p=[1, -1])
        assert play("q", q=[2, -2]) == {"p": [-1], "q": [-2]}
        assert play("p", p=[1]) == {"p": [], "q": [-2]}
        assert play("q", q=[2]) == {"p": [], "q": []}

    def test_a_clean_partition_creates_none_beside_anothers(self, play):
        play("p", p=[1, -1])
        assert play("q", q=[2]) == {"p": [-1]}

    def test_a_clean_range_empties_what_runs_of_its_partitions_left(self, play):
        play("q", q=[1, -1])
        assert play("pqr", p=[1], q=[1], r=[1])["q"] == []

    def test_a_clean_range_leaves_the_partitions_outside(self, play):
        play("p", p=[1, -1])
        play("r", r=[1, -1])
        found = play("qrs", q=[1], r=[1], s=[1])
        assert found["p"] == [-1]
        assert found["r"] == []

    def test_single_runs_empty_what_a_range_left(self, play):
        found = play("pq", p=[1, -1], q=[2, -2])
        assert found == {"p": [-1], "q": [-2]}
        assert play("p", p=[1]) == {"p": [], "q": [-2]}
        assert play("q", q=[2]) == {"p": [], "q": []}

    def test_a_clean_range_elsewhere_does_not_hide_what_a_range_left(self, play):
        play("pq", p=[1, -1], q=[2, -2])
        assert play("rs", r=[3], s=[4]) == {"p": [-1], "q": [-2]}
        assert play("p", p=[1]) == {"p": [], "q": [-2]}
        assert play("pq", p=[1], q=[2]) == {"p": [], "q": []}

    def test_a_clean_single_run_does_not_hide_the_rest_of_a_range(self, play):
        play("pq", p=[1, -1], q=[2, -2])
        play("p", p=[1])
        assert play("pq", p=[1], q=[2]) == {"p": [], "q": []}

    def test_a_hand_wired_assets_checks_without_partitions_keep_partitions_apart(self, tmp_path, instance):
        returned: dict = {}

        @dg.asset(
            check_specs=dc.wiring.check_specs(Orders, asset="orders"),
            output_required=False,
            partitions_def=self.PARTS,
        )
        def orders(context: dg.AssetExecutionContext):
            frame = returned["frame"]
            yield from dc.wiring.validation_results(
                Orders, frame, valid_key="orders", quarantine_writer=dc.wiring.delegating_writer(context)
            )

        def once(part: str, frame: pl.DataFrame) -> dict[str, list[str]]:
            returned["frame"] = frame
            run(orders, tmp_path, instance, partition_key=part)
            folder = tmp_path / "orders_quarantine"
            return {path.stem: quarantined_ids(path) for path in sorted(folder.glob("*"))}

        once("p", BAD)
        assert once("q", GOOD) == {"p": ["b", "c"]}
        assert once("p", GOOD) == {"p": []}


KILLED = textwrap.dedent(
    """
    import os, signal, sys
    import dagster as dg, dataframely as dy, polars as pl
    import dagster_contracts as dc
    from dagster_contracts.orchestration.storage.parquet import ParquetUPathIOManager

    base, home, when, *amounts = sys.argv[1:]

    class Orders(dy.Schema):
        id = dy.String(primary_key=True)
        amount = dy.Int64(nullable=False, min=0)

    class Killer(ParquetUPathIOManager):
        def handle_output(self, context, obj):
            name = context.asset_key.path[-1]
            if when == f"before {name}":
                os.kill(os.getpid(), signal.SIGKILL)
            super().handle_output(context, obj)
            if when == f"after {name}":
                os.kill(os.getpid(), signal.SIGKILL)

    @dc.asset(Orders, quarantine=True)
    def orders():
        return pl.DataFrame({"id": ["a", "b"], "amount": list(map(int, amounts))})

    with dg.DagsterInstance.local_temp(home) as instance:
        dg.materialize([orders], resources={"io_manager": Killer(base)}, instance=instance)
    """
)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
class TestKilled:
    @pytest.fixture
    def home(self, tmp_path):
        (tmp_path / "home").mkdir()
        with dg.DagsterInstance.local_temp(str(tmp_path / "home")) as instance:
            yield instance

    @staticmethod
    def kill(tmp_path: Path, when: str, *amounts: int) -> None:
        (tmp_path / "killed.py").write_text(KILLED)
        arguments = [str(tmp_path / "data"), str(tmp_path / "home"), when, *map(str, amounts)]
        done = subprocess.run(
            [sys.executable, str(tmp_path / "killed.py"), *arguments], capture_output=True, check=False, timeout=120
        )
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()[-2000:]

    def test_after_the_quarantine_was_written_a_clean_rerun_empties_it(self, tmp_path, home):
        path = tmp_path / "data" / "orders_quarantine.parquet"
        self.kill(tmp_path, "after orders_quarantine", 1, -2)
        assert quarantined_ids(path) == ["b"]
        assert run(orders_of({"frame": GOOD}), tmp_path / "data", home).success
        assert quarantined_ids(path) == []
        assert_frame_equal(pl.read_parquet(tmp_path / "data" / "orders.parquet"), GOOD)

    @pytest.mark.parametrize(
        "when",
        [
            "before orders_quarantine",
            pytest.param("after orders_quarantine", marks=pytest.mark.slow),
            pytest.param("after orders", marks=pytest.mark.slow),
        ],
    )
    def test_while_clearing_a_clean_rerun_empties_it(self, tmp_path, home, when):
        path = tmp_path / "data" / "orders_quarantine.parquet"
        run(orders_of({"frame": BAD}), tmp_path / "data", home)
        assert quarantined_ids(path) == ["b", "c"]
        self.kill(tmp_path, when, 1, 2)
        assert run(orders_of({"frame": GOOD}), tmp_path / "data", home).success
        assert quarantined_ids(path) == []

    @pytest.mark.slow
    def test_before_the_quarantine_was_written_a_clean_rerun_leaves_no_rows(self, tmp_path, home):
        path = tmp_path / "data" / "orders_quarantine.parquet"
        self.kill(tmp_path, "before orders_quarantine", 1, -2)
        assert not path.exists()
        assert run(orders_of({"frame": GOOD}), tmp_path / "data", home).success
        assert not path.exists() or quarantined_ids(path) == []


class FailingManager(dg.IOManager):
    """Writes Parquet by asset key, and fails for some keys after it has begun."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.fails_for: set[str] = set()

    def handle_output(self, context: dg.OutputContext, obj: pl.DataFrame) -> None:
        name = context.asset_key.path[-1]
        if name in self.fails_for:
            raise OSError(28, "No space left on device")
        obj.write_parquet(self.base / f"{name}.parquet")

    def load_input(self, context: dg.InputContext) -> pl.DataFrame:
        return pl.read_parquet(self.base / f"{context.asset_key.path[-1]}.parquet")


class TestFaults:
    def test_a_quarantine_that_cannot_be_written_leaves_the_old_table_and_quarantine(self, tmp_path, instance):
        returned = {"frame": BAD}
        manager = FailingManager(tmp_path)
        asset = orders_of(returned)
        run(asset, tmp_path, instance, resources={"io_manager": manager})
        before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
        assert list(before) == ["orders.parquet", "orders_quarantine.parquet"]
        returned["frame"], manager.fails_for = (
            pl.DataFrame({"id": ["k", "l"], "amount": [5, -5]}),
            {"orders_quarantine"},
        )
        result = run(asset, tmp_path, instance, resources={"io_manager": manager})
        assert not result.success
        assert result.asset_materializations_for_node("orders") == []
        assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before
        [failure] = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
        shown = failure.step_failure_data.error.to_string()
        assert "No space left on device" in shown
        assert "orders: writing 1 invalid rows to its quarantine orders_quarantine failed" in shown
        assert "nothing was written to the table" in shown

    def test_a_table_that_cannot_be_written_leaves_the_evidence(self, tmp_path, instance):
        manager = FailingManager(tmp_path)
        manager.fails_for = {"orders"}
        result = run(orders_of({"frame": BAD}), tmp_path, instance, resources={"io_manager": manager})
        assert not result.success
        assert files(tmp_path) == ["orders_quarantine.parquet"]

    def test_an_in_memory_manager_is_refused_before_the_function_is_called(self, instance, tmp_path):
        calls = []

        @dc.asset(Orders, quarantine=True)
        def orders():
            calls.append(1)
            return BAD

        result = run(orders, tmp_path, instance, resources={"io_manager": dg.mem_io_manager})
        assert not result.success
        assert calls == []
        message = message_of(result)
        assert "QuarantineStorageError" in message
        assert "orders has a quarantine, but its IO manager (InMemoryIOManager)" in message
        assert "dc.ParquetIOManager(base_dir=…)" in message
        assert list(result.get_asset_check_evaluations()) == []

    def test_an_in_memory_manager_is_refused_even_if_the_run_would_be_clean(self, instance, tmp_path):
        result = run(orders_of({"frame": GOOD}), tmp_path, instance, resources={"io_manager": dg.InMemoryIOManager()})
        assert "QuarantineStorageError" in message_of(result)

    def test_an_in_memory_manager_does_for_the_table_if_the_quarantine_has_its_own(self, instance, tmp_path):
        resources = {"io_manager": dg.mem_io_manager, "aside": dc.ParquetIOManager(base_dir=str(tmp_path))}
        asset = orders_of({"frame": BAD}, quarantine=dc.Quarantine(io_manager_key="aside"))
        assert run(asset, tmp_path, instance, resources=resources).success
        assert files(tmp_path) == ["orders_quarantine.parquet"]

    def test_an_in_memory_manager_of_the_quarantine_is_refused_too(self, instance, tmp_path):
        resources = {"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path)), "aside": dg.mem_io_manager}
        asset = orders_of({"frame": BAD}, quarantine=dc.Quarantine(io_manager_key="aside"))
        assert "QuarantineStorageError" in message_of(run(asset, tmp_path, instance, resources=resources))
        assert files(tmp_path) == []


class TestOwnKeyAndManager:
    @pytest.mark.parametrize(
        ("key", "file"),
        [
            ("rejected", "rejected.parquet"),
            (["audit", "orders"], "audit/orders.parquet"),
            (dg.AssetKey(["audit", "x"]), "audit/x.parquet"),
        ],
    )
    def test_the_rows_go_to_the_key(self, tmp_path, instance, key, file):
        asset = orders_of({"frame": BAD}, quarantine=dc.Quarantine(key=key))
        result = run(asset, tmp_path, instance)
        assert metadata_of(result)["dataframely/quarantine_address"] == str(tmp_path / file)
        assert quarantined_ids(tmp_path / file) == ["b", "c"]
        assert files(tmp_path) == sorted([file, "orders.parquet"])

    def test_the_manager_writes_the_quarantine_only(self, tmp_path, instance):
        resources = {
            "io_manager": dc.ParquetIOManager(base_dir=str(tmp_path / "tables")),
            "aside": dc.ParquetIOManager(base_dir=str(tmp_path / "aside")),
        }
        asset = orders_of({"frame": BAD}, quarantine=dc.Quarantine(key="rejected", io_manager_key="aside"))
        result = run(asset, tmp_path, instance, resources=resources)
        assert files(tmp_path) == ["aside/rejected.parquet", "tables/orders.parquet"]
        assert metadata_of(result)["dataframely/quarantine_address"] == str(tmp_path / "aside" / "rejected.parquet")

    def test_a_manager_that_is_not_bound_is_named_when_the_definitions_are_loaded(self):
        asset = orders_of({"frame": BAD}, quarantine=dc.Quarantine(io_manager_key="aside"))
        with pytest.raises(dg.DagsterInvalidDefinitionError, match="aside"):
            dg.Definitions.validate_loadable(dg.Definitions(assets=[asset]))

    @pytest.mark.parametrize("value", ["yes", 1, None, "orders_quarantine"])
    def test_anything_else_is_refused(self, value):
        with pytest.raises(dc.errors.InvalidSettingError, match=r"quarantine is .*; allowed is True, False or a dc"):
            dc.asset(Orders, quarantine=value)

    @pytest.mark.parametrize("value", ["Clear", "", None, "empty"])
    def test_on_clean_run_is_checked(self, value):
        with pytest.raises(dc.errors.InvalidSettingError, match=r"on_clean_run is .*; allowed is 'clear' or 'keep'"):
            dc.Quarantine(on_clean_run=value)


FAILED = "dagster_contracts.errors.QuarantineKeyCollisionError: "


class TestCollisions:
    @pytest.fixture
    def calls(self) -> list[str]:
        return []

    def materialize(self, assets, tmp_path, instance, selection=None):
        return dg.materialize(
            assets,
            resources={"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path))},
            instance=instance,
            raise_on_error=False,
            selection=selection,
        )

    def asset_called(self, name: str, calls: list[str], **arguments) -> dg.AssetsDefinition:
        def fn():
            calls.append(name)
            return BAD

        return dc.asset(Orders, name=name, **{"quarantine": True, **arguments})(fn)

    def test_with_an_asset_that_materializes_the_key(self, tmp_path, instance, calls):
        @dg.asset
        def orders_quarantine():
            return pl.DataFrame({"precious": [1]})

        result = self.materialize([self.asset_called("orders", calls), orders_quarantine], tmp_path, instance)
        message = message_of(result)
        assert "QuarantineKeyCollisionError" in message
        assert (
            "The quarantine of orders would be written to orders_quarantine, which the asset orders_quarantine "
            "materializes" in message
        )
        assert "dc.Quarantine(key=…)" in message
        assert calls == []
        assert files(tmp_path) == ["orders_quarantine.parquet"]
        assert pl.read_parquet(tmp_path / "orders_quarantine.parquet").columns == ["precious"]

    def test_of_two_assets_with_one_key(self, tmp_path, instance, calls):
        shared = dc.Quarantine(key=["audit", "rejected"])
        assets = [self.asset_called(name, calls, quarantine=shared) for name in ("orders", "returns")]
        result = self.materialize(assets, tmp_path, instance)
        failures = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
        assert len(failures) == 2
        for failure in failures:
            message = failure.step_failure_data.error.message
            assert "orders" in message
            assert "returns" in message
            assert "audit/rejected" in message
        assert calls == []
        assert files(tmp_path) == []

    def test_of_a_default_key_with_anothers_own_key(self, tmp_path, instance, calls):
        assets = [
            self.asset_called("orders", calls),
            self.asset_called("returns", calls, quarantine=dc.Quarantine(key="orders_quarantine")),
        ]
        result = self.materialize(assets, tmp_path, instance)
        failures = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
        assert {failure.step_key: failure.step_failure_data.error.message.split(". ")[0] for failure in failures} == {
            "orders": f"{FAILED}orders and returns would both keep their quarantine in orders_quarantine",
            "returns": f"{FAILED}returns and orders would both keep their quarantine in orders_quarantine",
        }
        assert calls == []

    def test_with_the_asset_itself(self, tmp_path, instance, calls):
        asset = self.asset_called("orders", calls, quarantine=dc.Quarantine(key="orders"))
        assert "which the asset orders materializes" in message_of(self.materialize([asset], tmp_path, instance))
        assert calls == []
        assert files(tmp_path) == []

    @pytest.mark.slow
    def test_is_seen_where_only_the_code_location_knows_the_other_asset(self, tmp_path):
        (tmp_path / "home").mkdir()
        (tmp_path / "location.py").write_text(
            textwrap.dedent(
                f"""
                import dagster as dg, dataframely as dy, polars as pl
                import dagster_contracts as dc

                class Orders(dy.Schema):
                    id = dy.String(nullable=False)

                @dc.asset(Orders, quarantine=True)
                def orders():
                    return pl.DataFrame({{"id": ["a", None]}})

                @dg.asset
                def orders_quarantine():
                    return pl.DataFrame({{"precious": [1]}})

                defs = dg.Definitions(
                    [orders, orders_quarantine],
                    resources={{"io_manager": dc.ParquetIOManager(base_dir={str(tmp_path / "data")!r})}},
                )
                """
            )
        )
        done = subprocess.run(
            [sys.executable, "-m", "dagster", "asset", "materialize", "--select", "orders", "-f", "location.py"],
            cwd=tmp_path,
            env={**os.environ, "DAGSTER_HOME": str(tmp_path / "home")},
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert done.returncode != 0
        assert "which the asset orders_quarantine materializes" in done.stdout.decode() + done.stderr.decode()
        assert not (tmp_path / "data").exists()

    def test_a_quarantine_spec_is_no_collision(self, tmp_path, instance, calls):
        orders = self.asset_called("orders", calls)
        spec = dc.build_quarantine_spec(Orders, orders)
        assert self.materialize([orders, spec], tmp_path, instance, selection=["orders"]).success
        assert calls == ["orders"]
        assert files(tmp_path) == ["orders.parquet", "orders_quarantine.parquet"]

    def test_validate_quarantine_key_says_the_same_for_an_asset_wired_by_hand(self, tmp_path, instance):
        @dg.asset
        def orders_quarantine():
            return pl.DataFrame({"precious": [1]})

        @dg.asset
        def orders(context: dg.AssetExecutionContext) -> None:
            dc.wiring.validate_quarantine_key(context)

        result = self.materialize([orders, orders_quarantine], tmp_path, instance)
        assert "which the asset orders_quarantine materializes" in message_of(result)

    def test_validate_quarantine_key_lets_a_direct_call_pass(self):
        @dg.asset
        def orders(context: dg.AssetExecutionContext):
            dc.wiring.validate_quarantine_key(context)
            return "passed"

        assert orders(dg.build_asset_context()) == "passed"


class TestSpec:
    DAYS = dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-04")

    def test_depends_on_the_asset_and_takes_its_partitions_and_group(self):
        asset = orders_of({}, key_prefix="shop", partitions_def=self.DAYS, group_name="sales")
        spec = dc.build_quarantine_spec(Orders, asset)
        assert spec.key == dg.AssetKey(["shop", "orders_quarantine"])
        assert [dep.asset_key for dep in spec.deps] == [dg.AssetKey(["shop", "orders"])]
        assert spec.partitions_def == self.DAYS
        assert spec.group_name == "sales"
        assert spec.kinds == {"polars"}

    def test_has_its_own_columns_without_constraints(self):
        columns = dc.build_quarantine_spec(Orders, "orders").metadata["dagster/column_schema"].columns
        assert [(column.name, column.type) for column in columns] == [
            ("id", "String"),
            ("amount", "Int64"),
            *[(f"dy_rule__{rule}", "String") for rule in RULES],
        ]
        unconstrained = dg.TableColumnConstraints(nullable=True, unique=False, other=[])
        assert {repr(column.constraints) for column in columns} == {repr(unconstrained)}

    def test_has_no_table_constraint(self):
        schema = dc.build_quarantine_spec(Orders, "orders").metadata["dagster/column_schema"]
        assert schema.constraints is None or not schema.constraints.other

    def test_of_a_quarantine_with_its_own_key(self):
        asset = orders_of({}, quarantine=dc.Quarantine(key=["audit", "rejected"]))
        assert dc.build_quarantine_spec(Orders, asset).key == dg.AssetKey(["audit", "rejected"])

    def test_of_a_key_with_a_slash_in_a_part(self):
        asset = orders_of({}, quarantine=dc.Quarantine(key=dg.AssetKey(["audit", "a/b"])))
        assert dc.build_quarantine_spec(Orders, asset).key == dg.AssetKey(["audit", "a/b"])

    def test_of_a_key_takes_partitions(self):
        spec = dc.build_quarantine_spec(Orders, ["shop", "orders"], partitions_def=self.DAYS)
        assert spec.key == dg.AssetKey(["shop", "orders_quarantine"])
        assert spec.partitions_def == self.DAYS

    def test_an_asset_and_partitions_are_too_much(self):
        with pytest.raises(dg.DagsterInvariantViolationError, match=r"asset orders, which brings its own partitions"):
            dc.build_quarantine_spec(Orders, orders_of({}), partitions_def=self.DAYS)

    def test_what_is_passed_is_used(self):
        spec = dc.build_quarantine_spec(
            Orders,
            orders_of({}, group_name="sales"),
            description="Look here.",
            group_name="audit",
            owners=["team:shop"],
            tags={"tier": "2"},
            kinds={"parquet"},
        )
        assert spec.description == "Look here."
        assert spec.group_name == "audit"
        assert list(spec.owners) == ["team:shop"]
        assert spec.tags["tier"] == "2"
        assert spec.kinds == {"parquet"}

    def test_says_by_default_whose_rows_they_are(self):
        assert "orders" in dc.build_quarantine_spec(Orders, "orders").description

    def test_a_downstream_asset_reads_it_through_the_io_manager(self, tmp_path, instance):
        orders = orders_of({"frame": BAD})
        seen = []

        @dg.asset
        def triage(orders_quarantine: pl.DataFrame) -> pl.DataFrame:
            seen.append(orders_quarantine)
            return orders_quarantine.filter(pl.col("dy_rule__amount__min") == "invalid")

        defs = dg.Definitions(
            assets=[orders, dc.build_quarantine_spec(Orders, orders), triage],
            resources={"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path))},
        )
        job = defs.resolve_implicit_global_asset_job_def()
        assert job.execute_in_process(instance=instance).success
        assert seen[0]["id"].to_list() == ["b", "c"]
        assert quarantined_ids(tmp_path / "triage.parquet") == ["b"]

    def test_a_partitioned_downstream_asset_reads_its_partition(self, tmp_path, instance):
        orders = orders_of({"frame": {"2024-01-02": BAD}}, partitions_def=self.DAYS)
        seen = []

        @dg.asset(partitions_def=self.DAYS)
        def triage(orders_quarantine: pl.DataFrame) -> None:
            seen.append(orders_quarantine["id"].to_list())

        result = dg.materialize(
            [orders, dc.build_quarantine_spec(Orders, orders), triage],
            selection=["orders", "triage"],
            resources={"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path))},
            instance=instance,
            partition_key="2024-01-02",
        )
        assert result.success
        assert seen == [["b", "c"]]

    def test_no_event_is_made_for_it(self, tmp_path, instance):
        orders = orders_of({"frame": BAD})
        result = dg.materialize(
            [orders, dc.build_quarantine_spec(Orders, orders)],
            resources={"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path))},
            instance=instance,
        )
        assert {event.asset_key for event in result.get_asset_materialization_events()} == {dg.AssetKey("orders")}
        assert instance.get_latest_materialization_event(dg.AssetKey("orders_quarantine")) is None


def called(asset, partition: str | None = None) -> list:
    return list(asset(dg.build_asset_context(partition_key=partition)))


class TestCalledDirectly:
    def test_writes_below_the_directory_that_is_set_when_called(self, tmp_path, monkeypatch):
        monkeypatch.delenv(QUARANTINE_DIR, raising=False)
        asset = orders_of({"frame": BAD}, key_prefix=["shop", "eu"])
        monkeypatch.setenv(QUARANTINE_DIR, str(tmp_path / "one"))
        called(asset)
        monkeypatch.setenv(QUARANTINE_DIR, str(tmp_path / "two"))
        called(asset)
        assert files(tmp_path) == [
            "one/shop/eu/orders_quarantine.parquet",
            "two/shop/eu/orders_quarantine.parquet",
        ]
        assert quarantined_ids(tmp_path / "two/shop/eu/orders_quarantine.parquet") == ["b", "c"]

    def test_the_address_is_the_file(self, tmp_path, monkeypatch):
        monkeypatch.setenv(QUARANTINE_DIR, str(tmp_path))
        [result] = [e for e in called(orders_of({"frame": BAD})) if isinstance(e, dg.MaterializeResult)]
        assert result.metadata["dataframely/quarantine_address"].value == str(tmp_path / "orders_quarantine.parquet")
        assert result.value["id"].to_list() == ["a"]

    @pytest.mark.parametrize("value", [None, "", "  "])
    def test_an_unset_or_empty_directory_raises_before_the_function_body_runs(self, monkeypatch, value):
        calls = []

        @dc.asset(Orders, quarantine=True)
        def orders():
            calls.append(1)
            return BAD

        monkeypatch.delenv(QUARANTINE_DIR, raising=False)
        if value is not None:
            monkeypatch.setenv(QUARANTINE_DIR, value)
        with pytest.raises(dc.errors.QuarantineDirError, match=r"orders has a quarantine and was called directly"):
            list(orders(dg.build_asset_context()))
        assert calls == []

    def test_a_partition_has_its_own_file(self, tmp_path, monkeypatch):
        monkeypatch.setenv(QUARANTINE_DIR, str(tmp_path))
        days = dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-04")
        asset = orders_of({"frame": {"2024-01-01": BAD, "2024-01-02": HOPELESS}}, partitions_def=days)
        called(asset, "2024-01-01")
        with pytest.raises(dc.errors.NoValidRowsError):
            called(asset, "2024-01-02")
        assert files(tmp_path) == ["orders_quarantine/2024-01-01.parquet", "orders_quarantine/2024-01-02.parquet"]
        assert quarantined_ids(tmp_path / "orders_quarantine/2024-01-02.parquet") == ["x", "y"]

    def test_several_dimensions_are_folders_by_dimension_name(self, tmp_path, monkeypatch):
        monkeypatch.setenv(QUARANTINE_DIR, str(tmp_path))
        both = dg.MultiPartitionsDefinition(
            {
                "region": dg.StaticPartitionsDefinition(["eu"]),
                "day": dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-04"),
            }
        )
        key = dg.MultiPartitionKey({"region": "eu", "day": "2024-01-02"})
        called(orders_of({"frame": {key: BAD}}, partitions_def=both), key)
        assert files(tmp_path) == ["orders_quarantine/2024-01-02/eu.parquet"]

    def test_a_clean_call_empties_what_an_earlier_one_left(self, tmp_path, monkeypatch):
        monkeypatch.setenv(QUARANTINE_DIR, str(tmp_path))
        returned = {"frame": GOOD}
        asset = orders_of(returned)
        called(asset)
        assert files(tmp_path) == []
        returned["frame"] = BAD
        called(asset)
        returned["frame"] = GOOD
        called(asset)
        assert pl.read_parquet(tmp_path / "orders_quarantine.parquet").shape == (0, 6)

    def test_keep_leaves_it(self, tmp_path, monkeypatch):
        monkeypatch.setenv(QUARANTINE_DIR, str(tmp_path))
        returned = {"frame": BAD}
        asset = orders_of(returned, quarantine=dc.Quarantine(key=["audit", "x"], on_clean_run="keep"))
        called(asset)
        returned["frame"] = GOOD
        called(asset)
        assert quarantined_ids(tmp_path / "audit/x.parquet") == ["b", "c"]


EVIL = [
    "..",
    ".",
    "...",
    "/abs",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "..\\..",
    "nul\0nul",
    "",
    " ",
    "~",
    "%2E%2E",
    "C:\\x",
    "x" * 400,
    "é" * 200,
]


class TestPath:
    def test_layout(self):
        path = dc.wiring.quarantine_path
        assert path(["shop", "orders"], "q") == Path("q/shop/orders_quarantine.parquet")
        assert path("orders", Path("q"), "2024-01-02") == Path("q/orders_quarantine/2024-01-02.parquet")
        multi = dg.MultiPartitionKey({"b": "two", "a": "one"})
        assert path("orders", "q", multi) == Path("q/orders_quarantine/one/two.parquet")

    def test_ordinary_text_is_kept_as_it_is(self):
        path = dc.wiring.quarantine_path(["Größe", "a-b.c d"], "q", "v1.2")
        assert path == Path("q/Größe/a-b.c d_quarantine/v1.2.parquet")

    def test_writes_nothing(self, tmp_path):
        dc.wiring.quarantine_path("orders", tmp_path / "new", "p")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("evil", EVIL, ids=lambda text: ascii(text[:8]))
    @pytest.mark.parametrize("place", ["first", "middle", "last", "partition", "dimension"])
    def test_no_text_leads_out_of_the_directory(self, tmp_path, evil, place):
        base = tmp_path / "base"
        key = {"first": [evil, "k"], "middle": ["a", evil, "k"], "last": ["a", evil]}.get(place, ["a", "k"])
        partition = None
        if place == "partition":
            partition = evil
        elif place == "dimension" and "|" not in evil:
            partition = dg.MultiPartitionKey({"x": evil, "y": evil})
        path = dc.wiring.quarantine_path(key, base, partition)
        assert Path(os.path.normpath(path)).is_relative_to(base)
        assert ".." not in path.parts
        # One folder a part, so that nothing is folded into something else.
        depth = len(key) + {"partition": 1, "dimension": 2}.get(place, 0)
        assert len(path.relative_to(base).parts) == depth
        writer = dc.wiring.file_writer(key, base, partition)
        assert writer(BAD) == str(path)
        assert [p for p in tmp_path.rglob("*") if p.is_file()] == [path]

    def test_the_partition_of_a_call_cannot_leave_either(self, tmp_path, monkeypatch):
        monkeypatch.setenv(QUARANTINE_DIR, str(tmp_path / "base"))
        parts = dg.StaticPartitionsDefinition(["../../up"])
        asset = orders_of({"frame": {"../../up": BAD}}, partitions_def=parts)
        called(asset, "../../up")
        assert files(tmp_path) == ["base/orders_quarantine/%2E.%2F..%2Fup.parquet"]

    parts = st.lists(st.text(max_size=8) | st.sampled_from(EVIL), min_size=1, max_size=3)

    @given(parts, parts)
    def test_two_different_keys_are_never_one_file(self, one, other):
        same = dc.wiring.quarantine_path(one, "q") == dc.wiring.quarantine_path(other, "q")
        assert same == (one == other)

    texts = st.text(max_size=8) | st.sampled_from(EVIL)

    @given(texts, texts)
    def test_two_different_partitions_are_never_one_file(self, one, other):
        same = dc.wiring.quarantine_path("k", "q", one) == dc.wiring.quarantine_path("k", "q", other)
        assert same == (one == other)

    @given(st.text(alphabet="./%2EFf\\\0ab", max_size=6), st.text(alphabet="./%2EFf\\\0ab", max_size=6))
    def test_two_texts_of_dangerous_letters_are_never_one_file(self, one, other):
        same = dc.wiring.quarantine_path([one, "k"], "q") == dc.wiring.quarantine_path([other, "k"], "q")
        assert same == (one == other)

    def test_very_long_texts_that_differ_at_the_end_stay_apart(self):
        one, other = (dc.wiring.quarantine_path("x" * 5000 + end, "q") for end in "ab")
        assert one != other
        assert len(one.name.encode()) <= 255


def test_rows_of_no_partition_stay_in_a_quarantine_with_a_key_of_its_own(tmp_path):
    """A row without its day belongs to no partition of a range, and is the very row that a quarantine is for."""

    class Visits(dy.Schema):
        id = dy.Int64(primary_key=True)
        day = dy.Date()

    days = dg.DailyPartitionsDefinition("2026-01-01", end_date="2026-01-03")

    @dc.asset(Visits, quarantine=dc.Quarantine(key="triage"), partitions_def=days, metadata={"partition_expr": "day"})
    def visits():
        return pl.DataFrame({"id": [1, 2, 3], "day": [date(2026, 1, 1), None, date(2026, 1, 2)]})

    result = dg.materialize(
        [visits],
        resources={"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path))},
        tags={
            RANGE_START: "2026-01-01",
            RANGE_END: "2026-01-02",
        },
    )
    assert result.success
    assert pl.read_parquet(tmp_path / "triage" / "2026-01-01.parquet")["id"].to_list() == [2]
    assert pl.read_parquet(tmp_path / "triage" / "2026-01-02.parquet")["id"].to_list() == []
