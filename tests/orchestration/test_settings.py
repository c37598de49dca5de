"""Settings: package default < environment < argument, checked whatever the source, read when they are needed."""

import os
import subprocess
import sys
from pathlib import Path

import dagster as dg
import dataframely as dy
import polars as pl
import pytest

import dagster_contracts as dc
from dagster_contracts.orchestration.settings import SettingArguments, Settings, quarantine_dir, resolve_settings
from dagster_contracts.rows.strategy import MaterializationStrategy

NAMES = [
    "check_granularity",
    "schema_rules",
    "statistics",
    "max_failure_samples",
    "row_sample",
    "temp_dir",
    "memory_budget",
    "materialization_strategy",
]


class Orders(dy.Schema):
    id = dy.String(primary_key=True)
    amount = dy.Int64(nullable=False, min=0)


GOOD = pl.DataFrame({"id": [str(at) for at in range(9)], "amount": list(range(9))})
BAD = GOOD.with_columns(amount=pl.lit(-1, pl.Int64))


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def run(tmp_path, instance):
    def once(asset, **arguments) -> dg.ExecuteInProcessResult:
        resources = {"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path / "data"))}
        return dg.materialize([asset], resources=resources, instance=instance, raise_on_error=False, **arguments)

    return once


def orders_of(frame, **arguments) -> dg.AssetsDefinition:
    def orders():
        return frame

    return dc.asset(Orders, **arguments)(orders)


def variable(name: str) -> str:
    return f"DAGSTER_CONTRACTS_{name.upper()}"


DEFAULTS = {
    "check_granularity": "rule",
    "schema_rules": "collapsed",
    "statistics": True,
    "max_failure_samples": 5,
    "row_sample": 5,
    "memory_budget": None,
    "temp_dir": None,
    "materialization_strategy": MaterializationStrategy.RECONCILE,
}


class TestPrecedence:
    @pytest.mark.parametrize("name", NAMES)
    def test_the_default(self, name):
        assert getattr(resolve_settings(SettingArguments()), name) == DEFAULTS[name]

    @pytest.mark.parametrize(
        ("name", "text", "value"),
        [
            ("check_granularity", "column", "column"),
            ("check_granularity", "schema", "schema"),
            ("schema_rules", "per_rule", "per_rule"),
            *[("statistics", text, False) for text in ("false", "0", "no", "off", "FALSE", " Off ")],
            *[("statistics", text, True) for text in ("true", "1", "yes", "on", "True")],
            ("max_failure_samples", "0", 0),
            ("max_failure_samples", " 12 ", 12),
            ("row_sample", "7", 7),
            ("memory_budget", " 1000000 ", 1_000_000),
            ("temp_dir", "/somewhere", Path("/somewhere")),
            *[("materialization_strategy", text, MaterializationStrategy.STRICT) for text in ("strict", " STRICT ")],
            *[("materialization_strategy", text, MaterializationStrategy.RECONCILE) for text in ("auto", "reconcile")],
        ],
    )
    def test_the_environment_beats_the_default(self, monkeypatch, name, text, value):
        monkeypatch.setenv(variable(name), text)
        assert getattr(resolve_settings(SettingArguments()), name) == value

    @pytest.mark.parametrize(
        ("name", "text", "argument", "value"),
        [
            ("check_granularity", "column", "schema", "schema"),
            ("check_granularity", "column", "rule", "rule"),
            ("schema_rules", "per_rule", "collapsed", "collapsed"),
            ("statistics", "true", False, False),
            ("statistics", "false", True, True),
            ("max_failure_samples", "9", 0, 0),
            ("row_sample", "9", 2, 2),
            ("memory_budget", "9", 2, 2),
            ("temp_dir", "/one", "/two", Path("/two")),
            ("temp_dir", "/one", Path("/two"), Path("/two")),
            ("materialization_strategy", "strict", "auto", MaterializationStrategy.RECONCILE),
            ("materialization_strategy", "auto", MaterializationStrategy.STRICT, MaterializationStrategy.STRICT),
        ],
    )
    def test_the_argument_beats_the_environment(self, monkeypatch, name, text, argument, value):
        monkeypatch.setenv(variable(name), text)
        assert getattr(resolve_settings(SettingArguments(**{name: argument})), name) == value

    def test_a_bad_value_in_the_environment_does_not_matter_where_an_argument_is_given(self, monkeypatch):
        monkeypatch.setenv(variable("row_sample"), "many")
        assert resolve_settings(SettingArguments(row_sample=1)).row_sample == 1

    def test_every_setting_is_tested_here(self):
        assert set(NAMES) == set(Settings.__dataclass_fields__) == set(SettingArguments.__dataclass_fields__)


TWO_COUNTS = "a whole number from 0"
BYTES = "a number of bytes from 1"
DIRECTORY = "the path of a directory that exists, not empty"
GRANULARITIES = "'rule' or 'column' or 'schema'"
STRATEGIES = "'reconcile' or 'strict'"
BAD_TEXTS = [
    ("check_granularity", "rules", GRANULARITIES),
    ("check_granularity", "", GRANULARITIES),
    ("check_granularity", "Column", GRANULARITIES),
    ("schema_rules", "collapse", "'collapsed' or 'per_rule'"),
    ("statistics", "maybe", "true or false"),
    ("statistics", "", "true or false"),
    ("statistics", "2", "true or false"),
    ("max_failure_samples", "-1", TWO_COUNTS),
    ("max_failure_samples", "5.0", TWO_COUNTS),
    ("max_failure_samples", "", TWO_COUNTS),
    ("max_failure_samples", "٣", TWO_COUNTS),
    ("row_sample", "all", TWO_COUNTS),
    ("memory_budget", "0", BYTES),
    ("memory_budget", "2 GiB", BYTES),
    ("temp_dir", "", DIRECTORY),
    ("temp_dir", "  ", DIRECTORY),
    ("materialization_strategy", "", STRATEGIES),
    ("materialization_strategy", "repair", STRATEGIES),
]
BAD_ARGUMENTS = [
    ("check_granularity", 3, GRANULARITIES),
    ("check_granularity", ["rule"], GRANULARITIES),
    ("schema_rules", True, "'collapsed' or 'per_rule'"),
    ("statistics", 1, "true or false"),
    ("statistics", "sometimes", "true or false"),
    ("max_failure_samples", -3, TWO_COUNTS),
    ("max_failure_samples", True, TWO_COUNTS),
    ("max_failure_samples", 2.0, TWO_COUNTS),
    ("row_sample", "x", TWO_COUNTS),
    ("memory_budget", 0, BYTES),
    ("memory_budget", True, BYTES),
    ("memory_budget", 1e9, BYTES),
    ("row_sample", float("inf"), TWO_COUNTS),
    ("temp_dir", "", DIRECTORY),
    ("temp_dir", 5, DIRECTORY),
    ("materialization_strategy", "repair", STRATEGIES),
    ("materialization_strategy", True, STRATEGIES),
]


class TestBadValues:
    @pytest.mark.parametrize(("name", "value", "allowed"), BAD_TEXTS)
    def test_of_the_environment_are_named_with_their_source_and_what_is_allowed(
        self, monkeypatch, name, value, allowed
    ):
        monkeypatch.setenv(variable(name), value)
        with pytest.raises(dc.errors.InvalidSettingError) as caught:
            orders_of(GOOD)
        assert str(caught.value) == (
            f"{name} is {value!r} (from the environment variable {variable(name)}); allowed is {allowed}."
        )

    @pytest.mark.parametrize(("name", "value", "allowed"), BAD_ARGUMENTS)
    def test_of_an_argument_are_named_with_their_source_and_what_is_allowed(self, name, value, allowed):
        with pytest.raises(dc.errors.InvalidSettingError) as caught:
            orders_of(GOOD, **{name: value})
        assert str(caught.value) == f"{name} is {value!r} (from the argument {name}=); allowed is {allowed}."

    @pytest.mark.parametrize(("name", "value", "allowed"), BAD_ARGUMENTS)
    def test_are_refused_by_the_parts_alike(self, name, value, allowed):
        with pytest.raises(dc.errors.InvalidSettingError, match=f"from the argument {name}="):
            list(dc.wiring.validation_results(Orders, GOOD, valid_key="orders", **{name: value}))

    @pytest.mark.parametrize(
        ("name", "value"),
        [("min_rows", -1), ("min_rows", True), ("min_rows", 1.5), ("min_rows", "3")]
        + [("max_invalid", value) for value in (-1, 1.5, -0.1, True, "3", float("nan"))],
    )
    def test_of_a_limit_are_refused_when_the_asset_is_declared(self, name, value):
        with pytest.raises(dc.errors.InvalidSettingError) as caught:
            dc.asset(Orders, quarantine=True, **{name: value})
        assert str(caught.value).startswith(f"{name} is {value!r}; allowed is a ")

    def test_of_on_extra_columns_are_refused(self):
        with pytest.raises(dc.errors.InvalidSettingError) as caught:
            dc.asset(Orders, on_extra_columns="ignore")
        assert str(caught.value) == "on_extra_columns is 'ignore'; allowed is 'drop' or 'raise' or 'keep'."

    def test_max_invalid_without_a_quarantine_is_refused(self):
        with pytest.raises(dc.errors.InvalidSettingError, match="max_invalid needs a quarantine"):
            dc.asset(Orders, max_invalid=3)

    def test_that_reach_a_run_fail_it_before_the_function_is_called_and_are_not_retried(self, monkeypatch, run):
        calls = []

        @dc.asset(Orders, retry_policy=dg.RetryPolicy(max_retries=2))
        def orders():
            calls.append(1)
            return GOOD

        monkeypatch.setenv(variable("row_sample"), "many")
        result = run(orders)
        assert not result.success
        assert calls == []
        [failure] = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
        assert (
            "InvalidSettingError: row_sample is 'many' (from the environment" in failure.step_failure_data.error.message
        )
        assert not [event for event in result.all_events if event.event_type_value == "STEP_UP_FOR_RETRY"]


class TestWhenTheyAreRead:
    def test_not_at_import(self):
        """A package imported with nonsense in every variable works once the nonsense is gone."""
        nonsense = {variable(name): "nonsense" for name in [*NAMES, "quarantine_dir"]}
        program = (
            "import os, dagster_contracts as dc\n"
            "for name in dc.__all__: getattr(dc, name)\n"
            "for name in list(os.environ):\n"
            "    if name.startswith('DAGSTER_CONTRACTS_'): del os.environ[name]\n"
            "from dagster_contracts.orchestration.settings import SettingArguments, Settings, resolve_settings\n"
            "assert resolve_settings(SettingArguments()) == Settings()\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], env=os.environ | nonsense, capture_output=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr.decode()

    def test_what_decides_the_names_of_checks_is_read_at_declaration(self, monkeypatch, run):
        monkeypatch.setenv(variable("check_granularity"), "schema")
        asset = orders_of(GOOD)
        monkeypatch.setenv(variable("check_granularity"), "column")
        assert sorted(spec.name for spec in asset.check_specs) == ["dy_schema__columns", "dy_schema__rules"]
        result = run(asset)
        assert result.success
        assert sorted(e.check_name for e in result.get_asset_check_evaluations()) == [
            "dy_schema__columns",
            "dy_schema__rules",
        ]

    def test_schema_rules_of_the_environment(self, monkeypatch):
        monkeypatch.setenv(variable("check_granularity"), "column")
        monkeypatch.setenv(variable("schema_rules"), "per_rule")
        assert sorted(spec.name for spec in orders_of(GOOD).check_specs) == [
            "dy_col__amount",
            "dy_col__id",
            "dy_rule__primary_key",
            "dy_schema__columns",
        ]

    def test_statistics_are_read_by_every_run(self, monkeypatch, run):
        asset = orders_of(GOOD)

        def has_statistics() -> bool:
            [materialization] = run(asset).asset_materializations_for_node("orders")
            return any(name.startswith("dataframely/valid_stats/") for name in materialization.metadata)

        assert has_statistics()
        monkeypatch.setenv(variable("statistics"), "off")
        assert not has_statistics()
        monkeypatch.setenv(variable("statistics"), "on")
        assert has_statistics()

    def test_the_row_sample_is_read_by_every_run(self, monkeypatch, run):
        asset = orders_of(GOOD)

        def sampled() -> int | None:
            [materialization] = run(asset).asset_materializations_for_node("orders")
            sample = materialization.metadata.get("dataframely/valid_sample")
            return None if sample is None else len(sample.records)

        assert sampled() == 5
        monkeypatch.setenv(variable("row_sample"), "2")
        assert sampled() == 2
        monkeypatch.setenv(variable("row_sample"), "0")
        assert sampled() is None

    def test_the_failure_samples_are_read_by_every_run(self, monkeypatch, run):
        asset = orders_of(BAD)

        def sampled() -> int | None:
            [check] = [e for e in run(asset).get_asset_check_evaluations() if e.check_name == "dy_rule__amount__min"]
            sample = check.metadata.get("dy_failed_sample")
            return None if sample is None else len(sample.records)

        assert sampled() == 5
        monkeypatch.setenv(variable("max_failure_samples"), "8")
        assert sampled() == 8
        monkeypatch.setenv(variable("max_failure_samples"), "0")
        assert sampled() is None

    def test_arguments_hold_whatever_the_environment_says_later(self, monkeypatch, run):
        asset = orders_of(GOOD, row_sample=3, statistics=False)
        monkeypatch.setenv(variable("row_sample"), "1")
        monkeypatch.setenv(variable("statistics"), "true")
        [materialization] = run(asset).asset_materializations_for_node("orders")
        assert len(materialization.metadata["dataframely/valid_sample"].records) == 3
        assert not [name for name in materialization.metadata if "valid_stats" in name]

    def test_the_quarantine_directory_is_the_environments_alone(self, monkeypatch, tmp_path):
        monkeypatch.setenv(variable("quarantine_dir"), str(tmp_path))
        assert quarantine_dir("orders") == tmp_path
        monkeypatch.delenv(variable("quarantine_dir"))
        with pytest.raises(dc.errors.QuarantineDirError, match="Set DAGSTER_CONTRACTS_QUARANTINE_DIR to a directory"):
            quarantine_dir("orders")


class Watched:
    """A lazy frame that notes what is below a folder while it is computed."""

    def __init__(self, folder: Path, *, fails: bool = False) -> None:
        self.folder, self.fails, self.seen = folder, fails, []

    def frame(self) -> pl.LazyFrame:
        def look(batch: pl.DataFrame) -> pl.DataFrame:
            self.seen = list(self.folder.rglob("*"))
            if self.fails:
                raise RuntimeError("the source went away")
            return batch

        return GOOD.lazy().map_batches(look, schema=GOOD.schema)


class TestTempDir:
    @pytest.fixture
    def folder(self, tmp_path) -> Path:
        folder = tmp_path / "staging"
        folder.mkdir()
        return folder

    @pytest.mark.parametrize("source", ["argument", "environment"])
    def test_a_lazy_frame_is_staged_there_and_nothing_stays(self, folder, run, monkeypatch, source):
        watched = Watched(folder)
        arguments = {"temp_dir": folder} if source == "argument" else {}
        asset = orders_of(watched.frame(), **arguments)
        if source == "environment":
            monkeypatch.setenv(variable("temp_dir"), str(folder))
        assert run(asset).success
        assert watched.seen, "the plan ran without a staging folder"
        assert list(folder.iterdir()) == []

    def test_nothing_stays_of_a_plan_that_fails(self, folder, run):
        watched = Watched(folder, fails=True)
        assert not run(orders_of(watched.frame(), temp_dir=folder)).success
        assert watched.seen, "the plan ran without a staging folder"
        assert list(folder.iterdir()) == []

    def test_nothing_stays_of_a_run_whose_rows_fail(self, folder, run):
        assert not run(orders_of(BAD.lazy(), temp_dir=folder)).success
        assert list(folder.iterdir()) == []

    @pytest.mark.parametrize("source", ["argument", "environment"])
    def test_one_that_is_missing_fails_the_run_with_a_text_that_helps(self, tmp_path, run, monkeypatch, source):
        missing = tmp_path / "nowhere"
        asset = orders_of(GOOD.lazy(), **({"temp_dir": missing} if source == "argument" else {}))
        if source == "environment":
            monkeypatch.setenv(variable("temp_dir"), str(missing))
        result = run(asset)
        assert not result.success
        [failure] = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
        message = failure.step_failure_data.error.message
        assert "InvalidSettingError: orders: temp_dir is" in message
        assert f"{str(missing)!r}, which is not a directory on this machine" in message
        assert "Create it, or set temp_dir= or DAGSTER_CONTRACTS_TEMP_DIR to one that exists." in message
        assert not (tmp_path / "data").exists()
        assert not missing.exists()

    def test_one_that_is_a_file_fails_the_run_too(self, tmp_path, run):
        file = tmp_path / "file"
        file.write_text("")
        assert not run(orders_of(GOOD.lazy(), temp_dir=file)).success

    def test_one_that_is_made_after_the_declaration_will_do(self, tmp_path, run):
        late = tmp_path / "late"
        asset = orders_of(GOOD.lazy(), temp_dir=late)
        late.mkdir()
        assert run(asset).success
