"""The six ways a run of a contract asset ends: run and called, with and without partitions, in every returned form.

The table of expectations is written by hand, from the specification's, and shares nothing with the implementation.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import dagster as dg
import dataframely as dy
import polars as pl
import pytest

import dagster_contracts as dc

OLD = pl.DataFrame({"order_id": [99], "amount": [99]})
LETTERS = dg.StaticPartitionsDefinition(["a", "b"])
ADDRESS = "dataframely/quarantine_address"


class Orders(dy.Schema):
    """Customer orders."""

    order_id = dy.Int64(primary_key=True)
    amount = dy.Int64(min=0)


COLUMNS, KEY, ID_NULL, AMOUNT_NULL, MIN = CHECKS = [
    "dy_schema__columns",
    "dy_rule__primary_key",
    "dy_rule__order_id__nullability",
    "dy_rule__amount__nullability",
    "dy_rule__amount__min",
]


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch):
    for name in ("CHECK_GRANULARITY", "SCHEMA_RULES", "STATISTICS", "ROW_SAMPLE", "QUARANTINE_DIR", "TEMP_DIR"):
        monkeypatch.delenv(f"DAGSTER_CONTRACTS_{name}", raising=False)


@pytest.fixture(scope="module")
def one_instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def instance(one_instance: dg.DagsterInstance) -> Iterator[dg.DagsterInstance]:
    """An instance without history; making a new one takes longer than most runs."""
    yield one_instance
    one_instance.wipe()


# ------------------------------------------------------------------------------------------------- running and looking


@dataclass
class Seen:
    """What one run or call did, as somebody outside sees it."""

    table: list[tuple] | None = None
    quarantine: list[tuple] | None = None
    checks: dict[str, str] = field(default_factory=dict)
    check_metadata: dict[str, dict[str, Any]] = field(default_factory=dict)
    error: BaseException | str | None = None
    message: str = ""
    metadata: dict[str, Any] | None = None
    tags: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def check(self, result: dg.AssetCheckResult | dg.AssetCheckEvaluation) -> None:
        assert result.check_name not in self.checks, "reported twice"
        self.checks[str(result.check_name)] = "passed" if result.passed else result.severity.value
        self.check_metadata[str(result.check_name)] = {key: plain(value) for key, value in result.metadata.items()}
        self.order.append("check")


def plain(value: Any) -> Any:
    if isinstance(value, dg.TableMetadataValue):
        return [dict(record.data) for record in value.records]
    return value.value if isinstance(value, dg.MetadataValue) else value


def rows_of(path: Path) -> list[tuple] | None:
    return pl.read_parquet(path).rows() if path.exists() else None


def file_of(base: Path, name: str, partition: str | None) -> Path:
    if isinstance(partition, dg.MultiPartitionKey):
        parts = [value for _, value in sorted(partition.keys_by_dimension.items())]
        return base.joinpath(name, *parts[:-1], f"{parts[-1]}.parquet")
    return base / name / f"{partition}.parquet" if partition else base / f"{name}.parquet"


def run(
    asset: dg.AssetsDefinition, base: Path, instance: dg.DagsterInstance, partition: str | None = None, **kwargs: Any
) -> Seen:
    """Materialize one asset of the last key part `name` below `base`."""
    manager = kwargs.pop("io_manager", None) or dc.ParquetIOManager(base_dir=str(base))
    config = {**kwargs.pop("run_config", {}), "loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    result = dg.materialize(
        [asset, *kwargs.pop("others", [])],
        selection=[asset],
        instance=instance,
        partition_key=partition,
        raise_on_error=False,
        run_config=config,
        resources={"io_manager": manager, **kwargs.pop("resources", {})},
        **kwargs,
    )
    seen = Seen()
    for event in result.all_events:
        if event.event_type is dg.DagsterEventType.ASSET_CHECK_EVALUATION:
            seen.check(event.event_specific_data)
        elif event.event_type is dg.DagsterEventType.ASSET_MATERIALIZATION:
            materialization = event.step_materialization_data.materialization
            assert seen.metadata is None or materialization.partition, "materialized twice"
            seen.metadata = {key: plain(value) for key, value in materialization.metadata.items()}
            seen.tags = dict(materialization.tags or {})
            seen.order.append("materialization")
        elif event.event_type is dg.DagsterEventType.STEP_FAILURE:
            error = event.step_failure_data.error
            seen.error, seen.message = error.cls_name, error.message
            seen.order.append("failure")
    assert result.success is (seen.error is None)
    name = asset.key.path[-1]
    folder = base.joinpath(*asset.key.path[:-1])
    seen.table = rows_of(file_of(folder, name, partition))
    seen.quarantine = rows_of(file_of(folder, f"{name}_quarantine", partition))
    return seen


def call(asset: dg.AssetsDefinition, base: Path, partition: str | None = None, *inputs: Any) -> Seen:
    """Call one asset directly; `DAGSTER_CONTRACTS_QUARANTINE_DIR` is `base`."""
    context = dg.build_asset_context(partition_key=partition)
    seen = Seen()
    try:
        for event in asset(*([context] if takes_context(asset) else []), *inputs):
            if isinstance(event, dg.AssetCheckResult):
                assert event.asset_key == asset.key
                seen.check(event)
            else:
                assert isinstance(event, dg.MaterializeResult)
                assert event.asset_key == asset.key
                assert seen.metadata is None, "materialized twice"
                seen.metadata = {key: plain(value) for key, value in (event.metadata or {}).items()}
                seen.tags = dict(event.tags or {})
                seen.table = event.value.lazy().collect().rows()
                seen.order.append("materialization")
    except dc.errors.ContractsError as error:
        seen.message = str(error)
        # What leaves the call is both the documented class and one that no policy retries.
        documented = getattr(dc.errors, type(error).__name__)
        seen.error = documented.__name__ if isinstance(error, documented) and isinstance(error, dg.Failure) else error
        seen.order.append("failure")
    seen.quarantine = rows_of(file_of(base, f"{asset.key.path[-1]}_quarantine", partition))
    return seen


def takes_context(asset: dg.AssetsDefinition) -> bool:
    return asset.op.compute_fn.has_context_arg()


def returning(value: Any, contract: Any = Orders, **kwargs: Any) -> dg.AssetsDefinition:
    @dc.asset(contract, **kwargs)
    def orders():
        return value() if callable(value) else value

    return orders


def frame(*rows: tuple[int | None, int | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"order_id": pl.Int64, "amount": pl.Int64}, orient="row")


# ------------------------------------------------------------------------------------------------------- the six outcomes

WRONG_DTYPE = pl.DataFrame({"order_id": [1], "amount": [1.0]})
ALL_VALID = frame((3, 30), (1, 10), (2, 0))
SOME_INVALID = frame((2, 6), (1, 5), (2, 7), (3, -1), (4, 0))
ALL_INVALID = frame((1, -1), (1, -2))
EMPTY = frame()

OK, NO = "valid", "invalid"
SOME_QUARANTINED = [(2, 6, NO, OK, OK, OK), (2, 7, NO, OK, OK, OK), (3, -1, OK, OK, OK, NO)]
ALL_QUARANTINED = [(1, -1, NO, OK, OK, NO), (1, -2, NO, OK, OK, NO)]
WRITTEN = {"dagster/column_schema", "dataframely/valid_sample", "dataframely/valid_stats/numeric"}
EVIDENCE = {
    "dataframely/quarantine_address",
    "dataframely/invalid_count",
    "dataframely/invalid_sample",
    "dataframely/invalid_by_rules",
}
OLD_TABLE = [(99, 99)]

# returned, quarantine | table, quarantine, checks in order, error, metadata keys beside the row count (None: no event)
TABLE = {
    "columns, none": (WRONG_DTYPE, False, OLD_TABLE, None, ["ERROR"], "ColumnSchemaError", None),
    "columns, quarantine": (WRONG_DTYPE, True, OLD_TABLE, None, ["ERROR"], "ColumnSchemaError", None),
    "valid, none": (ALL_VALID, False, [(3, 30), (1, 10), (2, 0)], None, ["passed"] * 5, None, WRITTEN),
    "valid, quarantine": (ALL_VALID, True, [(3, 30), (1, 10), (2, 0)], None, ["passed"] * 5, None, WRITTEN),
    "empty, none": (EMPTY, False, [], None, ["passed"] * 5, None, WRITTEN),
    "empty, quarantine": (EMPTY, True, [], None, ["passed"] * 5, None, WRITTEN),
    "some invalid, none": (
        *(SOME_INVALID, False, OLD_TABLE, None),
        *(["passed", "ERROR", "passed", "passed", "ERROR"], "ValidationAbortError", None),
    ),
    "all invalid, none": (
        *(ALL_INVALID, False, OLD_TABLE, None),
        *(["passed", "ERROR", "passed", "passed", "ERROR"], "ValidationAbortError", None),
    ),
    "some invalid, quarantine": (
        *(SOME_INVALID, True, [(1, 5), (4, 0)], SOME_QUARANTINED),
        *(["passed", "WARN", "passed", "passed", "WARN"], None, WRITTEN | EVIDENCE),
    ),
    "all invalid, quarantine": (
        *(ALL_INVALID, True, OLD_TABLE, ALL_QUARANTINED),
        *(["passed", "ERROR", "passed", "passed", "ERROR"], "NoValidRowsError", None),
    ),
    "nothing, none": (None, False, OLD_TABLE, None, ["passed"] * 5, None, None),
    "nothing, quarantine": (None, True, OLD_TABLE, None, ["passed"] * 5, None, None),
}
FORMS = {
    "DataFrame": lambda value: value,
    "LazyFrame": lambda value: value.lazy(),
    "MaterializeResult of DataFrame": lambda value: dg.MaterializeResult(value=value),
    "MaterializeResult of LazyFrame": lambda value: dg.MaterializeResult(value=value.lazy()),
}
CASES = [
    pytest.param(expected, form, id=f"{name}, {form if expected[0] is not None else 'None'}")
    for name, expected in TABLE.items()
    for form in FORMS
    if expected[0] is not None or form == "DataFrame"
]


@pytest.mark.parametrize("partition", [None, "a"], ids=["unpartitioned", "partitioned"])
@pytest.mark.parametrize("called", [False, True], ids=["run", "called"])
@pytest.mark.parametrize(("expected", "form"), CASES)
def test_six_outcomes(tmp_path, instance, monkeypatch, called, partition, expected, form):  # noqa: PLR0917
    returned, quarantine, table, quarantined, checks, error, metadata = expected
    value = None if returned is None else FORMS[form](returned)
    asset = returning(value, quarantine=quarantine, partitions_def=LETTERS if partition else None)
    row_count = {"dagster/partition_row_count" if partition else "dagster/row_count"}
    if called:
        monkeypatch.setenv("DAGSTER_CONTRACTS_QUARANTINE_DIR", str(tmp_path))
        seen = call(asset, tmp_path, partition)
        assert seen.table == (None if metadata is None else table)
    else:
        old = file_of(tmp_path, "orders", partition)
        old.parent.mkdir(exist_ok=True)
        OLD.write_parquet(old)
        seen = run(asset, tmp_path, instance, partition)
        assert seen.table == table
        row_count.add("path")

    assert seen.quarantine == quarantined
    assert seen.checks == dict(zip(CHECKS, checks, strict=False))
    assert seen.error == error
    assert (None if seen.metadata is None else set(seen.metadata)) == (metadata and metadata | row_count)
    if error:
        assert seen.order == ["check"] * len(checks) + ["failure"]
    address = str(file_of(tmp_path, "orders_quarantine", partition)) if quarantined else None
    assert (seen.metadata or {}).get(ADDRESS) == (address if not error else None)
    # The column-schema check is stored before the rows are, when only the quarantine's key is known in a run.
    early = address and (address if called else "orders_quarantine")
    for name, found in seen.check_metadata.items():
        assert found.get(ADDRESS) == ((early if name == COLUMNS else address) if error else None), name


def test_a_quarantining_run_says_how_many_rows_broke_what(tmp_path, instance):
    seen = run(returning(SOME_INVALID, quarantine=True), tmp_path, instance)
    assert seen.metadata["dagster/row_count"] == 2
    assert seen.metadata["dataframely/invalid_count"] == 3
    assert seen.metadata["dataframely/invalid_by_rules"] == [
        {"rules": "primary_key", "rows": 2},
        {"rules": "amount|min", "rows": 1},
    ]
    assert seen.metadata["dataframely/valid_sample"] == [{"order_id": 1, "amount": 5}, {"order_id": 4, "amount": 0}]
    assert seen.metadata["dataframely/invalid_sample"] == [
        {"dy_rules": "primary_key", "order_id": 2, "amount": 6},
        {"dy_rules": "primary_key", "order_id": 2, "amount": 7},
        {"dy_rules": "amount|min", "order_id": 3, "amount": -1},
    ]


def test_the_quarantine_has_the_original_columns_then_one_text_column_a_rule(tmp_path, instance):
    run(returning(SOME_INVALID, quarantine=True), tmp_path, instance)
    assert pl.read_parquet_schema(tmp_path / "orders_quarantine.parquet") == {
        "order_id": pl.Int64,
        "amount": pl.Int64,
        **dict.fromkeys([KEY, ID_NULL, AMOUNT_NULL, MIN], pl.String),
    }


def test_errors_say_which_asset_how_many_rows_and_where_they_are(tmp_path, instance):
    aborted = run(returning(SOME_INVALID), tmp_path, instance)
    assert "orders: 3 of 5 rows are invalid (primary_key: 2, amount|min: 1)" in aborted.message
    broken = run(returning(ALL_INVALID, quarantine=True), tmp_path, instance)
    assert "orders: 2 of 2 rows are invalid" in broken.message
    assert str(tmp_path / "orders_quarantine.parquet") in broken.message
    columns = run(returning(WRONG_DTYPE), tmp_path, instance)
    assert "'amount' is Float64 (expected Int64)" in columns.message
    assert columns.check_metadata[COLUMNS]["dy_schema__errors"] == [
        {"column": "amount", "expected": "Int64", "actual": "Float64"}
    ]


def test_a_missing_column_and_another_order_of_columns(tmp_path, instance):
    missing = run(returning(ALL_VALID.drop("amount")), tmp_path, instance)
    assert missing.error == "ColumnSchemaError"
    assert missing.check_metadata[COLUMNS]["dy_schema__errors"] == [
        {"column": "amount", "expected": "Int64", "actual": "missing"}
    ]
    assert run(returning(ALL_VALID.select("amount", "order_id")), tmp_path, instance).error is None
    assert pl.read_parquet(tmp_path / "orders.parquet").columns == ["order_id", "amount"]


def test_a_lazy_plan_that_fails_names_the_asset_and_is_not_ours(tmp_path, instance):
    broken = ALL_VALID.lazy().with_columns(pl.col("nowhere"))
    seen = run(returning(broken), tmp_path, instance)
    assert seen.error == "DagsterExecutionStepExecutionError"
    assert seen.table is None
    assert seen.checks == {}


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        ([1, 2], "ReturnTypeError", "orders returned rows that begin with int; a contract asset returns a pl.DataFrame"),
        (pl.Series([1]), "ReturnTypeError", "orders returned Series;"),
        ([dg.Output(ALL_VALID)], "ReturnTypeError", "Yield the rows alone: dc.asset makes the events."),
        (dg.MaterializeResult(), "MaterializeResultValueError", "with no value"),
        (dg.MaterializeResult(value=None), "MaterializeResultValueError", "with value=NoneType"),
        (dg.MaterializeResult(value=7), "MaterializeResultValueError", "with value=int"),
        (dg.MaterializeResult(asset_key="orders", value=ALL_VALID), "MaterializeResultFieldError", "with asset_key="),
        (
            dg.MaterializeResult(value=ALL_VALID, check_results=[dg.AssetCheckResult(passed=True, check_name=COLUMNS)]),
            "MaterializeResultFieldError",
            "with check_results=",
        ),
    ],
)  # fmt: skip
def test_whatever_else_is_returned_fails_before_anything_is_written(tmp_path, instance, value, error, text):
    seen = run(returning(lambda: value), tmp_path, instance)
    assert (seen.error, seen.table, seen.checks) == (error, None, {})
    assert text in seen.message
    if error == "ReturnTypeError":
        with pytest.raises(dg.DagsterInvariantViolationError, match="orders returned"):
            list(returning(lambda: value)())


# -------------------------------------------------------------------------------------------- metadata, tags, data version


class LoudIOManager(dg.IOManager):
    """Logs facts of its own under the keys that the contract's columns need."""

    def handle_output(self, context, obj):
        columns = dg.TableSchema([dg.TableColumn("order_id", "BIGINT")])
        context.add_output_metadata({"dagster/column_schema": columns, "dagster/row_count": 999, "storage": "loud"})

    def load_input(self, context):
        raise NotImplementedError


def test_a_results_metadata_tags_and_data_version_are_carried_and_our_keys_win(tmp_path, instance):
    result = dg.MaterializeResult(
        value=ALL_VALID,
        metadata={"source": "api", "dagster/row_count": 999, "dataframely/valid_sample": "mine"},
        tags={"team": "shop"},
        data_version=dg.DataVersion("v7"),
    )
    seen = run(returning(result), tmp_path, instance)
    assert seen.metadata["source"] == "api"
    assert seen.metadata["dagster/row_count"] == 3
    assert seen.metadata["dataframely/valid_sample"][0] == {"order_id": 3, "amount": 30}
    assert seen.tags["team"] == "shop"
    assert seen.tags["dagster/data_version"] == "v7"
    called = call(returning(result), tmp_path)
    assert (called.metadata["source"], called.metadata["dagster/row_count"]) == ("api", 3)
    assert called.tags == {"team": "shop"}


def test_our_keys_win_over_metadata_added_in_the_body(tmp_path, instance):
    @dc.asset(Orders)
    def orders(context: dg.AssetExecutionContext):
        context.add_asset_metadata({"dagster/row_count": 999, "mine": 1})
        return ALL_VALID

    seen = run(orders, tmp_path, instance)
    assert seen.metadata["dagster/row_count"] == 3
    assert seen.metadata["mine"] == 1


@pytest.mark.parametrize("partition", [None, "a"])
def test_our_keys_win_over_an_io_manager_that_logs_its_own(tmp_path, instance, partition):
    asset = returning(ALL_VALID, partitions_def=LETTERS if partition else None)
    seen = run(asset, tmp_path, instance, partition, io_manager=LoudIOManager())
    assert seen.metadata["storage"] == "loud"
    assert seen.metadata["dagster/row_count"] == (999 if partition else 3)
    assert seen.metadata.get("dagster/partition_row_count") == (3 if partition else None)
    columns = {column.name: column for column in seen.metadata["dagster/column_schema"].columns}
    assert {name: column.type for name, column in columns.items()} == {"order_id": "Int64", "amount": "Int64"}
    assert columns["amount"].constraints.other == [">= 0"]
    assert not columns["amount"].constraints.nullable


def test_without_a_data_version_of_its_own_every_run_has_another(tmp_path, instance):
    asset = returning(ALL_VALID)
    assert asset.get_asset_spec().code_version is None
    versions = [run(asset, tmp_path, instance).tags["dagster/data_version"] for _ in range(2)]
    assert versions[0] != versions[1]


def test_a_code_version_is_the_authors_alone():
    assert returning(ALL_VALID, code_version="3").get_asset_spec().code_version == "3"


# ------------------------------------------------------------------------------------------------------------- policies


@pytest.mark.parametrize(
    ("rows", "min_rows", "written"),
    [(ALL_VALID, 3, True), (ALL_VALID, 4, False), (EMPTY, 0, True), (EMPTY, 1, False), (SOME_INVALID, 2, True), (SOME_INVALID, 3, False)],
)  # fmt: skip
def test_min_rows_counts_valid_rows_and_keeps_the_old_table(tmp_path, instance, rows, min_rows, written):
    OLD.write_parquet(tmp_path / "orders.parquet")
    seen = run(returning(rows, quarantine=True, min_rows=min_rows), tmp_path, instance)
    valid = {id(ALL_VALID): 3, id(EMPTY): 0, id(SOME_INVALID): 2}[id(rows)]
    assert seen.checks["contract__min_rows"] == ("passed" if written else "ERROR")
    assert seen.check_metadata["contract__min_rows"]["contract/min_rows"] == min_rows
    assert seen.check_metadata["contract__min_rows"]["contract/valid_rows"] == valid
    assert seen.error == (None if written else "TooFewRowsError")
    assert (seen.table == OLD_TABLE) is not written
    assert (seen.quarantine == SOME_QUARANTINED) is (rows is SOME_INVALID)
    if rows is SOME_INVALID:
        assert seen.checks[MIN] == ("WARN" if written else "ERROR")
    if not written:
        assert f"{valid} valid rows, fewer than min_rows={min_rows}" in seen.message


def test_every_check_of_a_run_with_too_few_rows_has_the_quarantines_address(tmp_path, instance):
    seen = run(returning(SOME_INVALID, quarantine=True, min_rows=3), tmp_path, instance)
    addresses = {name: found.get(ADDRESS) for name, found in seen.check_metadata.items()}
    path = str(tmp_path / "orders_quarantine.parquet")
    assert addresses == {**dict.fromkeys([*CHECKS, "contract__min_rows"], path), COLUMNS: "orders_quarantine"}


def test_too_few_rows_after_a_run_that_left_invalid_ones_point_to_none(tmp_path, instance):
    run(returning(SOME_INVALID, quarantine=True), tmp_path, instance)
    seen = run(returning(EMPTY, quarantine=True, min_rows=1), tmp_path, instance)
    assert (seen.error, seen.quarantine) == ("TooFewRowsError", [])
    assert "They are in" not in seen.message
    assert not [name for name, found in seen.check_metadata.items() if ADDRESS in found]


def test_a_skipped_run_is_not_one_of_too_few_rows(tmp_path, instance):
    seen = run(returning(None, min_rows=5), tmp_path, instance)
    assert seen.error is None
    assert seen.checks == dict.fromkeys([*CHECKS, "contract__min_rows"], "passed")


def with_invalid(invalid: int, total: int) -> pl.DataFrame:
    return frame(*((at, -1 if at < invalid else 1) for at in range(total)))


@pytest.mark.parametrize(
    ("rows", "limit", "fails"),
    [
        ((1, 4), 1, False),
        ((2, 4), 1, True),
        ((1, 4), 0, True),
        ((0, 4), 0, False),
        ((1, 4), 0.25, False),
        ((1, 4), 0.24, True),
        ((1, 4), 0.0, True),
        ((3, 4), 1.0, False),
        ((29, 100), 0.29, False),  # 0.29 * 100 is 28.999999999999996 in floating point
        ((30, 100), 0.29, True),
    ],
)
def test_max_invalid_is_a_count_or_a_share_and_the_limit_itself_is_allowed(tmp_path, instance, rows, limit, fails):
    invalid, total = rows
    OLD.write_parquet(tmp_path / "orders.parquet")
    seen = run(returning(with_invalid(invalid, total), quarantine=True, max_invalid=limit), tmp_path, instance)
    assert seen.error == ("TooManyInvalidRowsError" if fails else None)
    assert (seen.table == OLD_TABLE) is fails
    assert len(seen.quarantine or []) == invalid
    if invalid:
        assert seen.checks[MIN] == ("ERROR" if fails else "WARN")
        assert seen.check_metadata[MIN].get(ADDRESS) == (str(tmp_path / "orders_quarantine.parquet") if fails else None)
    if fails:
        assert f"{invalid} of {total} rows are invalid" in seen.message
        assert f"max_invalid={limit}" in seen.message


def test_limits_that_mean_nothing_are_refused_at_definition():
    for arguments, text in (
        ({"max_invalid": 1}, "max_invalid needs a quarantine"),
        ({"quarantine": True, "max_invalid": 1.5}, "max_invalid is 1.5; allowed is a count"),
        ({"quarantine": True, "max_invalid": -1}, "max_invalid is -1;"),
        ({"quarantine": True, "max_invalid": True}, "max_invalid is True;"),
        ({"min_rows": -1}, "min_rows is -1; allowed is a whole number from 0."),
        ({"min_rows": 1.0}, "min_rows is 1.0;"),
        ({"on_extra_columns": "ignore"}, "on_extra_columns is 'ignore'; allowed is 'drop' or 'raise' or 'keep'."),
        ({"quarantine": "yes"}, "quarantine is 'yes'; allowed is True, False or a dc.Quarantine."),
    ):
        with pytest.raises(dc.errors.InvalidSettingError) as caught:
            dc.asset(Orders, **arguments)
        assert text in str(caught.value)


EXTRA = SOME_INVALID.with_columns(note=pl.lit("n"), more=pl.lit(1))


def test_extra_columns_are_dropped_with_one_log_line_and_counted(tmp_path, instance):
    seen = run(returning(EXTRA, quarantine=True), tmp_path, instance)
    assert seen.table == [(1, 5), (4, 0)]
    assert seen.quarantine == SOME_QUARANTINED
    assert seen.metadata["contract/dropped_columns"] == 2
    assert seen.check_metadata[COLUMNS]["contract/dropped_columns"] == "note, more"
    lines = [
        entry.user_message
        for entry in instance.all_logs(instance.get_runs()[0].run_id)
        if "undeclared" in entry.user_message
    ]
    assert lines == ["orders: dropped 2 undeclared columns: note, more"]


def test_extra_columns_can_be_refused(tmp_path, instance):
    seen = run(returning(EXTRA, quarantine=True, on_extra_columns="raise"), tmp_path, instance)
    assert (seen.error, seen.table, seen.quarantine) == ("ColumnSchemaError", None, None)
    assert seen.checks == {COLUMNS: "ERROR"}
    assert seen.check_metadata[COLUMNS]["dy_schema__errors"] == [
        {"column": "note", "expected": "not declared", "actual": "String"},
        {"column": "more", "expected": "not declared", "actual": "Int32"},
    ]


def test_extra_columns_can_be_kept_behind_the_declared_ones(tmp_path, instance):
    kept = EXTRA.select("note", "amount", "order_id", "more")
    seen = run(returning(kept, quarantine=True, on_extra_columns="keep"), tmp_path, instance)
    assert pl.read_parquet(tmp_path / "orders.parquet").columns == ["order_id", "amount", "note", "more"]
    assert seen.table == [(1, 5, "n", 1), (4, 0, "n", 1)]
    assert seen.quarantine[0] == (2, 6, "n", 1, NO, OK, OK, OK)
    assert "contract/dropped_columns" not in seen.metadata


def test_an_extra_column_that_a_quarantines_own_could_meet_cannot_be_kept(tmp_path, instance):
    clash = ALL_VALID.with_columns(dy_rule__amount__min=pl.lit("x"))
    seen = run(returning(clash, on_extra_columns="keep"), tmp_path, instance)
    assert seen.error == "ColumnSchemaError"
    assert run(returning(clash), tmp_path, instance).error is None


# ------------------------------------------------------------------------------------------------------------- warnings


class Limited(dy.Schema):
    id = dy.Int64(primary_key=True)
    low = dy.Int64(max=10, min=0, metadata={"warn": ["max"]})
    any_of_it = dy.Int64(max=10, min=0, metadata={"warn": True})


def test_rows_that_break_only_warnings_stay_in_the_table_in_order(tmp_path, instance):
    rows = pl.DataFrame(
        [(1, 99, 1), (2, -1, 1), (3, 1, 99), (4, 1, None), (5, -1, -1), (6, 1, 1)],
        schema=["id", "low", "any_of_it"],
        orient="row",
    )
    seen = run(returning(rows, Limited, quarantine=True), tmp_path, instance)
    assert [row[0] for row in seen.table] == [1, 3, 4, 6]
    assert [row[0] for row in seen.quarantine] == [2, 5]
    by_name = dict(
        zip(pl.read_parquet(tmp_path / "orders_quarantine.parquet").columns, seen.quarantine[1], strict=True)
    )
    assert by_name["dy_rule__any_of_it__min"] == NO
    assert seen.error is None
    failing = {name: result for name, result in seen.checks.items() if result != "passed"}
    assert failing == {
        "dy_rule__low__max": "WARN",
        "dy_rule__low__min": "WARN",
        "dy_rule__any_of_it__max": "WARN",
        "dy_rule__any_of_it__min": "WARN",
        "dy_rule__any_of_it__nullability": "WARN",
    }
    assert seen.metadata["dataframely/invalid_by_rules"] == [{"rules": "low|min", "rows": 2}]


def test_a_run_of_warnings_only_is_a_clean_run(tmp_path, instance):
    rows = pl.DataFrame([(1, 99, 99)], schema=["id", "low", "any_of_it"], orient="row")
    for quarantine in (False, True):
        seen = run(returning(rows, Limited, quarantine=quarantine), tmp_path, instance)
        assert (seen.table, seen.quarantine, seen.error) == ([(1, 99, 99)], None, None)
        assert seen.checks["dy_rule__low__max"] == seen.checks["dy_rule__any_of_it__max"] == "WARN"
        assert not EVIDENCE & set(seen.metadata)


def test_a_warning_stays_one_where_the_run_fails(tmp_path, instance):
    rows = pl.DataFrame([(1, 99, 1), (2, -1, 99)], schema=["id", "low", "any_of_it"], orient="row")
    seen = run(returning(rows, Limited), tmp_path, instance)
    assert seen.error == "ValidationAbortError"
    assert (seen.checks["dy_rule__low__min"], seen.checks["dy_rule__low__max"]) == ("ERROR", "WARN")
    assert "1 of 2 rows are invalid" in seen.message


def test_rules_named_below_the_decorator_only_warn(tmp_path, instance):
    @dc.asset(Orders)
    @dc.warn("amount|min")
    @dc.warn("primary_key")
    def orders():
        return SOME_INVALID

    seen = run(orders, tmp_path, instance)
    assert seen.table == SOME_INVALID.rows()
    assert seen.error is None
    assert (seen.checks[KEY], seen.checks[MIN], seen.checks[ID_NULL]) == ("WARN", "WARN", "passed")


def test_warnings_about_unknown_rules_and_in_the_wrong_place_are_refused():
    with pytest.raises(dc.errors.UnknownRuleError, match=r"Did you mean 'amount\|min'\?"):
        dc.asset(Orders)(dc.warn("amount|mim")(lambda: None))
    with pytest.raises(dc.errors.UsageError, match=r"@dc\.warn goes below @dc\.asset"):
        dc.warn("amount|min")(returning(None))
    with pytest.raises(dc.errors.UsageError, match="takes the names of rules"):
        dc.warn()


# ----------------------------------------------------------------------------------- functions, partitions, definitions


@pytest.mark.parametrize("quarantine", [False, True])
def test_async_functions(tmp_path, instance, monkeypatch, quarantine):
    @dc.asset(Orders, quarantine=quarantine)
    async def orders():
        await asyncio.sleep(0)
        return SOME_INVALID if quarantine else ALL_VALID

    seen = run(orders, tmp_path, instance)
    assert seen.table == ([(1, 5), (4, 0)] if quarantine else ALL_VALID.rows())
    assert seen.quarantine == (SOME_QUARANTINED if quarantine else None)
    called = dc.testing.run_asset(orders)
    assert called.table.rows() == seen.table
    assert (called.quarantine is None) is not quarantine


@pytest.mark.filterwarnings("ignore:Parameter `backfill_policy`")
def test_a_single_run_over_a_range_validates_all_its_partitions_together(tmp_path, instance):
    class Daily(dy.Schema):
        order_id = dy.Int64(primary_key=True)
        day = dy.Date()

    @dc.asset(
        Daily,
        quarantine=True,
        partitions_def=dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-10"),
        backfill_policy=dg.BackfillPolicy.single_run(),
        metadata={"partition_expr": "day"},
    )
    def orders(context: dg.AssetExecutionContext):
        assert context.partition_keys == ["2024-01-02", "2024-01-03", "2024-01-04"]
        rows = [(1, "2024-01-02"), (2, "2024-01-02"), (1, "2024-01-03"), (4, "2024-01-03"), (3, "2024-01-04")]
        return pl.DataFrame(rows, schema=["order_id", "day"], orient="row").with_columns(pl.col("day").str.to_date())

    tags = {"dagster/asset_partition_range_start": "2024-01-02", "dagster/asset_partition_range_end": "2024-01-04"}
    seen = run(orders, tmp_path, instance, tags=tags)
    assert seen.error is None
    assert seen.order.count("materialization") == 3
    assert seen.metadata["dagster/partition_row_count"] == 1
    assert seen.checks["dy_rule__primary_key"] == "WARN"
    ids = {
        path.relative_to(tmp_path).as_posix(): pl.read_parquet(path)["order_id"].to_list()
        for path in tmp_path.rglob("*.parquet")
    }
    assert ids == {
        "orders/2024-01-02.parquet": [2],
        "orders/2024-01-03.parquet": [4],
        "orders/2024-01-04.parquet": [3],
        "orders_quarantine/2024-01-02.parquet": [1],
        "orders_quarantine/2024-01-03.parquet": [1],
        "orders_quarantine/2024-01-04.parquet": [],
    }


@pytest.mark.parametrize("called", [False, True])
def test_multi_dimensional_partitions(tmp_path, instance, monkeypatch, called):
    monkeypatch.setenv("DAGSTER_CONTRACTS_QUARANTINE_DIR", str(tmp_path))
    both = dg.MultiPartitionsDefinition(
        {"region": dg.StaticPartitionsDefinition(["eu", "us"]), "letter": dg.StaticPartitionsDefinition(["a", "b"])}
    )
    key = dg.MultiPartitionKey({"region": "eu", "letter": "a"})
    asset = returning(SOME_INVALID, quarantine=True, partitions_def=both)
    seen = call(asset, tmp_path, key) if called else run(asset, tmp_path, instance, key)
    assert seen.table == [(1, 5), (4, 0)]
    assert seen.metadata["dagster/partition_row_count"] == 2
    assert rows_of(tmp_path / "orders_quarantine" / "a" / "eu.parquet") == SOME_QUARANTINED
    assert seen.metadata[ADDRESS] == str(tmp_path / "orders_quarantine" / "a" / "eu.parquet")


def test_one_partition_leaves_the_others_alone(tmp_path, instance):
    asset = returning(SOME_INVALID, quarantine=True, partitions_def=LETTERS)
    run(asset, tmp_path, instance, "a")
    seen = run(returning(ALL_INVALID, quarantine=True, partitions_def=LETTERS), tmp_path, instance, "b")
    assert (seen.error, seen.table) == ("NoValidRowsError", None)
    assert rows_of(tmp_path / "orders" / "a.parquet") == [(1, 5), (4, 0)]
    assert rows_of(tmp_path / "orders_quarantine" / "a.parquet") == SOME_QUARANTINED


@pytest.mark.parametrize("lazy", [False, True])
def test_without_a_contract_the_frame_is_taken_as_it_comes(tmp_path, instance, lazy):
    value = pl.DataFrame({"dy_x": [1], "b": ["x"]})
    asset = returning(value.lazy() if lazy else value, None)
    assert list(asset.check_specs) == []
    seen = run(asset, tmp_path, instance)
    assert (seen.table, seen.checks, seen.error) == ([(1, "x")], {}, None)
    assert seen.metadata["dagster/row_count"] == 1
    assert [(c.name, c.type) for c in seen.metadata["dagster/column_schema"].columns] == [
        ("dy_x", "Int64"),
        ("b", "String"),
    ]
    skipped = run(returning(None, None), tmp_path, instance)
    assert (skipped.metadata, skipped.checks, skipped.error) == (None, {}, None)


def test_the_same_data_is_not_tried_again_and_the_checks_report_once(tmp_path, instance):
    tries = tmp_path / "tries"

    def counting() -> Any:
        with tries.open("a") as file:
            file.write("x")
        return SOME_INVALID

    seen = run(returning(counting, retry_policy=dg.RetryPolicy(max_retries=2)), tmp_path, instance)
    assert tries.read_text() == "x"
    assert seen.error == "ValidationAbortError"
    assert list(seen.checks) == CHECKS  # `Seen.check` refuses a second report


def test_other_errors_are_tried_again_as_the_policy_says(tmp_path, instance):
    tries = tmp_path / "tries"

    def failing_once() -> Any:
        with tries.open("a") as file:
            file.write("x")
        if len(tries.read_text()) == 1:
            raise OSError("the network is down")
        return ALL_VALID

    seen = run(returning(failing_once, retry_policy=dg.RetryPolicy(max_retries=2)), tmp_path, instance)
    assert (tries.read_text(), seen.table) == ("xx", ALL_VALID.rows())


def test_the_op_of_a_prefixed_key_is_named_as_dagster_names_it(tmp_path, instance):
    ours = returning(SOME_INVALID, quarantine=True, key_prefix=["shop", "eu"])
    plain_asset = dg.asset(key_prefix=["shop", "eu"], name="orders")(lambda: None)
    assert ours.op.name == plain_asset.op.name == "shop__eu__orders"
    assert ours.key == dg.AssetKey(["shop", "eu", "orders"])
    assert all(spec.asset_key == ours.key for spec in ours.check_specs)
    seen = run(ours, tmp_path, instance)
    assert (seen.table, seen.quarantine) == ([(1, 5), (4, 0)], SOME_QUARANTINED)


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({}, ["orders"]),
        ({"name": "sales"}, ["sales"]),
        ({"key": ["a", "b"]}, ["a", "b"]),
        ({"key_prefix": "p"}, ["p", "orders"]),
    ],
)
def test_keys_are_what_dagster_makes_of_the_same_arguments(arguments, key):
    asset = returning(None, **arguments)
    assert asset.key.path == key
    assert {tuple(spec.asset_key.path) for spec in asset.check_specs} == {tuple(key)}


def test_kinds_gain_polars():
    assert returning(None).get_asset_spec().kinds == {"polars"}
    assert returning(None, kinds={"s3"}).get_asset_spec().kinds == {"s3", "polars"}
    assert returning(None, kinds={"a", "b", "c"}).get_asset_spec().kinds == {"a", "b", "c", "polars"}


def test_a_description_is_the_argument_else_the_contracts_else_the_functions():
    class Undescribed(dy.Schema):
        id = dy.Int64()

    def described_fn():
        """What the function says."""

    def description(contract: Any, **kwargs: Any) -> str | None:
        return dc.asset(contract, **kwargs)(described_fn).get_asset_spec().description

    assert description(Orders, description="Given.") == "Given."
    assert description(Orders) == "Customer orders."
    assert description(Undescribed) == "What the function says."
    assert description(None) == "What the function says."


def test_the_fingerprint_and_the_columns_are_on_the_definition():
    metadata = returning(None).get_asset_spec().metadata
    assert len(metadata["contract/fingerprint"]) == 64
    assert [column.name for column in metadata["dagster/column_schema"].columns] == ["order_id", "amount"]
    assert returning(None, metadata={"mine": 1}).get_asset_spec().metadata["mine"] == 1


# ----------------------------------------------------------------------------------------------- annotations as strings


@pytest.fixture(scope="module")
def future() -> Iterator[Any]:
    path = Path(__file__).with_name("future_annotations_assets.py")
    spec = importlib.util.spec_from_file_location("future_annotations_assets", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["future_annotations_assets"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["future_annotations_assets"]


@pytest.mark.parametrize(
    "name", ["everything", "everything_quarantined", "without_context", "without_context_quarantined"]
)
def test_annotations_as_strings_work_with_context_config_resource_and_frames(tmp_path, instance, future, name):
    asset = getattr(future, name)
    raw = pl.DataFrame({"id": [1, 2], "value": [1, 2]})
    more = pl.DataFrame({"id": [3, 4], "value": [-1 if "quarantined" in name else 3, 9]})
    raw.write_parquet(tmp_path / "raw.parquet")
    more.write_parquet(tmp_path / "more.parquet")
    seen = run(
        asset,
        tmp_path,
        instance,
        resources={"factor": future.Factor(by=2)},
        run_config={"ops": {name: {"config": {"rows": 3}}}},
        others=[dg.AssetSpec("raw"), dg.AssetSpec("more")],
    )
    assert seen.error is None, seen.message
    if "quarantined" in name:
        assert seen.table == [(1, 2), (2, 4)]
        assert [row[:2] for row in seen.quarantine] == [(3, -2)]
    else:
        assert (seen.table, seen.quarantine) == ([(1, 2), (2, 4), (3, 6)], None)


def test_a_direct_call_needs_a_directory_only_where_there_is_a_quarantine(tmp_path):
    computed = []
    with pytest.raises(dc.errors.QuarantineDirError, match="Set DAGSTER_CONTRACTS_QUARANTINE_DIR"):
        call_raising(returning(lambda: computed.append(1), quarantine=True))
    assert computed == []
    assert call(returning(ALL_VALID), tmp_path).table == ALL_VALID.rows()


def call_raising(asset: dg.AssetsDefinition) -> None:
    list(asset(dg.build_asset_context()))


def test_a_called_asset_has_its_resources_open_until_the_call_is_over():
    steps = []

    @dg.resource
    def connection(_):
        steps.append("open")
        yield "rows"
        steps.append("closed")

    @dc.asset(Orders, required_resource_keys={"connection"})
    def orders(context: dg.AssetExecutionContext):
        steps.append(context.resources.connection)
        return ALL_VALID

    assert dc.testing.run_asset(orders, resources={"connection": connection}).error is None
    assert steps == ["open", "rows", "closed"]


def test_a_range_never_empties_a_partition_whose_rows_are_all_invalid(tmp_path, instance):
    """The rows of a range are validated together, yet the last good table of each partition is worth as much as one."""

    class Daily(dy.Schema):
        id = dy.Int64(primary_key=True)
        day = dy.Date()
        amount = dy.Int64(min=0)

    days = dg.DailyPartitionsDefinition("2026-01-01", end_date="2026-01-03")
    first, second = date(2026, 1, 1), date(2026, 1, 2)
    frames = [
        pl.DataFrame({"id": [1, 2], "day": [first, second], "amount": [5, 6]}),
        pl.DataFrame({"id": [1, 2], "day": [first, second], "amount": [7, -6]}),
        pl.DataFrame({"id": [1, 2, 3], "day": [first, second, second], "amount": [8, -6, 9]}),
    ]

    @dc.asset(Daily, quarantine=True, partitions_def=days, metadata={"partition_expr": "day"})
    def daily():
        return frames.pop(0)

    def materialize() -> tuple[bool, list[list[int]]]:
        result = dg.materialize(
            [daily],
            resources={"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path))},
            instance=instance,
            raise_on_error=False,
            tags={
                "dagster/asset_partition_range_start": "2026-01-01",
                "dagster/asset_partition_range_end": "2026-01-02",
            },
        )
        tables = [pl.read_parquet(tmp_path / "daily" / f"{day}.parquet")["amount"].to_list() for day in (first, second)]
        return result.success, tables

    assert materialize() == (True, [[5], [6]])
    assert materialize() == (False, [[5], [6]])
    assert pl.read_parquet(tmp_path / "daily_quarantine" / "2026-01-02.parquet")["amount"].to_list() == [-6]
    assert materialize() == (True, [[8], [9]])
