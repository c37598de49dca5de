"""`ParquetIOManager` in real runs, on real files and on a file system in memory."""
# ruff: noqa: DTZ001  (values without a time zone are what is tested)

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from upath import UPath

from dagster_contracts.errors import StorageError
from dagster_contracts.orchestration.storage.layout import safe_name, safe_parts
from dagster_contracts.orchestration.storage.loading import LoadAs, MissingFileError, load_as
from dagster_contracts.orchestration.storage.parquet import ParquetIOManager, ParquetUPathIOManager

RANGE_START = "dagster/asset_partition_range_start"
RANGE_END = "dagster/asset_partition_range_end"

OPEN_FILES = Path("/proc/self/fd")

DAILY = dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-05")
REGIONS = dg.StaticPartitionsDefinition(["us", "eu", "apac"])
MULTI = dg.MultiPartitionsDefinition({"region": REGIONS, "day": DAILY})


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture(params=["local", "memory"])
def base_dir(request, tmp_path: Path) -> str:
    return str(tmp_path / "data") if request.param == "local" else f"memory://{uuid.uuid4()}"


def run(assets, base_dir, instance, **kwargs):
    return dg.materialize(
        assets, resources={"io_manager": ParquetIOManager(base_dir=str(base_dir))}, instance=instance, **kwargs
    )


def files(base_dir) -> list[str]:
    base = UPath(base_dir)
    return sorted(str(path)[len(str(base)) + 1 :] for path in base.rglob("*") if path.is_file())


def read_back(base_dir, name: str) -> pl.DataFrame:
    with UPath(base_dir).joinpath(name).open("rb") as file:
        return pl.read_parquet(file)


def asset_of(value, name="orders", **kwargs):
    @dg.asset(name=name, **kwargs)
    def _asset():
        return value() if callable(value) else value

    return _asset


def consumer(annotation, seen: list, key="orders", **kwargs):
    """An asset that puts what it was given into `seen`."""

    def down(orders):
        seen.append(orders)

    down.__annotations__ = {"orders": annotation, "return": None} if annotation is not None else {"return": None}
    ins = {"orders": dg.AssetIn(key=key, **kwargs.pop("asset_in", {}))}
    return dg.asset(down, ins=ins, **kwargs)


def loaded(annotation, upstream, base_dir, instance, partition_key=None, **kwargs) -> Any:
    seen: list[Any] = []
    down = consumer(annotation, seen, **kwargs)
    run([upstream, down], base_dir, instance, selection=[down], partition_key=partition_key)
    return seen[0]


# ---- one table -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lazy", [False, True])
def test_one_table_there_and_back(base_dir, instance, lazy):
    frame = pl.DataFrame({"id": [1, 2], "name": ["a", None]})
    orders = asset_of(frame.lazy() if lazy else frame, key_prefix=["shop"])

    run([orders], base_dir, instance)

    assert files(base_dir) == ["shop/orders.parquet"]
    assert_frame_equal(read_back(base_dir, "shop/orders.parquet"), frame)
    key = dg.AssetKey(["shop", "orders"])
    eager = loaded(pl.DataFrame, orders, base_dir, instance, key=key)
    assert isinstance(eager, pl.DataFrame)
    assert_frame_equal(eager, frame)
    scanned = loaded(pl.LazyFrame, orders, base_dir, instance, key=key)
    assert isinstance(scanned, pl.LazyFrame)
    assert_frame_equal(scanned.collect(), frame)


def test_the_path_is_logged_and_nothing_else(tmp_path, instance):
    orders = asset_of(pl.DataFrame({"id": [1]}))
    result = run([orders], tmp_path, instance)
    [event] = result.asset_materializations_for_node("orders")
    assert dict(event.metadata) == {"path": dg.MetadataValue.path(f"{tmp_path}/orders.parquet")}


def test_an_asset_that_has_its_own_path_keeps_it(tmp_path, instance):
    orders = asset_of(dg.Output(pl.DataFrame({"id": [1]}), metadata={"path": "mine"}))
    result = run([orders], tmp_path, instance)
    [event] = result.asset_materializations_for_node("orders")
    assert dict(event.metadata) == {"path": dg.MetadataValue.text("mine")}


def test_it_is_a_resource_of_definitions_and_takes_an_environment_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("TABLES", str(tmp_path / "from_env"))
    orders = asset_of(pl.DataFrame({"id": [1]}))
    defs = dg.Definitions(
        assets=[orders], resources={"io_manager": ParquetIOManager(base_dir=dg.EnvVar("TABLES"), storage_options=None)}
    )
    assert defs.resolve_implicit_global_asset_job_def().execute_in_process().success
    assert files(tmp_path / "from_env") == ["orders.parquet"]
    assert defs.load_asset_value("orders")["id"].to_list() == [1]


def test_a_relative_folder_is_below_the_working_directory(tmp_path, monkeypatch, instance):
    monkeypatch.chdir(tmp_path)
    result = run([asset_of(pl.DataFrame({"id": [1]}))], "data", instance)
    [event] = result.asset_materializations_for_node("orders")
    assert event.metadata["path"].value == f"{tmp_path}/data/orders.parquet"


def test_storage_options_reach_the_file_system(instance):
    manager = ParquetIOManager(base_dir="memory://options", storage_options={"skip_instance_cache": True})
    bound = manager.create_io_manager(dg.build_init_resource_context())
    assert bound.storage_options == {"skip_instance_cache": True}


def test_an_empty_folder_name_is_refused():
    with pytest.raises(StorageError, match="`base_dir` is empty"):
        ParquetUPathIOManager("")


def test_outputs_of_ops_have_a_file_a_run(tmp_path, instance):
    seen = []

    @dg.op
    def make():
        return pl.DataFrame({"id": [1]})

    @dg.op
    def use(frame: pl.LazyFrame) -> None:
        seen.append(frame.collect()["id"].to_list())

    @dg.job(resource_defs={"io_manager": ParquetIOManager(base_dir=str(tmp_path))})
    def both():
        use(make())

    result = both.execute_in_process(instance=instance)
    assert seen == [[1]]
    assert files(tmp_path) == [f"{result.run_id}/make/result.parquet"]


def test_an_asset_may_read_its_own_last_version_lazily_while_it_writes_the_next(base_dir, instance):
    @dg.asset(
        partitions_def=DAILY,
        ins={
            "counter": dg.AssetIn(
                partition_mapping=dg.TimeWindowPartitionMapping(start_offset=-1, end_offset=-1),
                metadata={"allow_missing_partitions": True},
            )
        },
    )
    def counter(counter: pl.LazyFrame | None) -> pl.LazyFrame:
        return pl.LazyFrame({"n": [0]}) if counter is None else counter.select(pl.col("n") + 1)

    for day in ("2024-01-01", "2024-01-02", "2024-01-03"):
        run([counter], base_dir, instance, partition_key=day)
    assert read_back(base_dir, "counter/2024-01-03.parquet")["n"].to_list() == [2]


def test_a_lazy_frame_keeps_its_version_when_the_table_is_replaced(base_dir):
    manager = ParquetUPathIOManager(base_dir)
    write(manager, pl.DataFrame({"n": range(100_000)}))
    old = load(manager, pl.LazyFrame)
    write(manager, pl.DataFrame({"n": [7, 7, 7]}))
    new = load(manager, pl.LazyFrame)
    assert old.select(pl.len(), total=pl.col("n").sum()).collect().row(0) == (100_000, 4_999_950_000)
    assert new.collect()["n"].to_list() == [7, 7, 7]


# ---- what it asks for ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (pl.DataFrame, LoadAs(by_partition=False)),
        (pl.LazyFrame, LoadAs(lazy=True, by_partition=False)),
        (pl.LazyFrame | None, LoadAs(lazy=True, by_partition=False, optional=True)),
        (dict[str, pl.DataFrame], LoadAs(by_partition=True)),
        (dict[dg.MultiPartitionKey, pl.LazyFrame], LoadAs(lazy=True, by_partition=True)),
        (Mapping[str, pl.LazyFrame], LoadAs(lazy=True, by_partition=True)),
        (dict[str, pl.LazyFrame] | None, LoadAs(lazy=True, by_partition=True, optional=True)),
        (dict, LoadAs(by_partition=True)),
        (Any, LoadAs(optional=True)),
        (None, LoadAs(optional=True)),
        (int, None),
        (dict[str, int], None),
        (dict[str, dict[str, pl.DataFrame]], None),
        (list[pl.DataFrame], None),
        (int | None, None),
        (pl.Series, None),
    ],
)
def test_annotations(annotation, expected):
    assert load_as(annotation) == expected


def test_no_annotation_gives_a_frame(base_dir, instance):
    orders = asset_of(pl.DataFrame({"id": [1]}))
    run([orders], base_dir, instance)
    assert loaded(None, orders, base_dir, instance)["id"].to_list() == [1]
    assert loaded(pl.DataFrame | None, orders, base_dir, instance)["id"].to_list() == [1]


@pytest.mark.parametrize("annotation", [pl.DataFrame, pl.LazyFrame])
def test_columns_of_an_input(base_dir, instance, annotation):
    orders = asset_of(pl.DataFrame({"a": [1], "b": [2], "^c$": [3]}))
    run([orders], base_dir, instance)
    asset_in = {"metadata": {"columns": ["^c$", "a"]}}
    frame = loaded(annotation, orders, base_dir, instance, asset_in=asset_in).lazy().collect()
    assert frame.to_dict(as_series=False) == {"^c$": [3], "a": [1]}

    with pytest.raises(StorageError, match=r"Asset `orders`: .* asks for the columns z, but .* has only a, b, \^c\$"):
        loaded(annotation, orders, base_dir, instance, asset_in={"metadata": {"columns": ["a", "z"]}})


def test_an_annotation_that_is_no_frame(base_dir, instance):
    orders = asset_of(pl.DataFrame({"id": [1]}))
    run([orders], base_dir, instance)
    with pytest.raises(StorageError, match=r"the input is annotated `<class 'int'>`\. Annotate it `pl.DataFrame`"):
        loaded(int, orders, base_dir, instance)
    with pytest.raises(StorageError, match="Asset `orders` has no partitions, but the input wants a dict of them"):
        loaded(dict[str, pl.DataFrame], orders, base_dir, instance)


@pytest.mark.parametrize("annotation", [pl.DataFrame, pl.LazyFrame])
def test_a_missing_file(tmp_path, instance, annotation):
    orders = asset_of(pl.DataFrame({"id": [1]}))
    with pytest.raises(MissingFileError) as caught:
        loaded(annotation, orders, tmp_path, instance)
    assert str(caught.value) == f"Asset `orders`: there is no file {tmp_path}/orders.parquet. Materialize it first."
    assert isinstance(caught.value, StorageError)
    assert isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("annotation", [pl.DataFrame, pl.LazyFrame])
@pytest.mark.parametrize("content", [b"", b"this is not Parquet at all"])
def test_a_damaged_file(tmp_path, instance, annotation, content):
    (tmp_path / "orders.parquet").write_bytes(content)
    orders = asset_of(pl.DataFrame({"id": [1]}))
    with pytest.raises(StorageError, match=r"Asset `orders`: .*orders\.parquet cannot be read as Parquet") as caught:
        loaded(annotation, orders, tmp_path, instance)
    assert isinstance(caught.value.__cause__, pl.exceptions.PolarsError)


# ---- partitions ------------------------------------------------------------------------------------------------------


def per_partition(partitions_def, **kwargs):
    @dg.asset(name="orders", partitions_def=partitions_def, **kwargs)
    def _orders(context):
        return pl.DataFrame({"key": [context.partition_key]})

    return _orders


PARTITIONS = [
    pytest.param(DAILY, ["2024-01-02", "2024-01-01"], ["2024-01-01", "2024-01-02"], id="daily"),
    pytest.param(REGIONS, ["eu", "apac", "us"], ["us", "eu", "apac"], id="static"),
    pytest.param(dg.DynamicPartitionsDefinition(name="shops"), ["b", "z", "a"], ["z", "b", "a"], id="dynamic"),
    pytest.param(
        MULTI,
        ["2024-01-02|us", "2024-01-01|eu", "2024-01-01|us", "2024-01-02|eu"],
        ["2024-01-01|us", "2024-01-01|eu", "2024-01-02|us", "2024-01-02|eu"],
        id="multi",
    ),
]


@pytest.mark.parametrize(("partitions_def", "written", "in_order"), PARTITIONS)
def test_each_kind_of_partition_and_its_fan_in(base_dir, instance, partitions_def, written, in_order):
    instance.add_dynamic_partitions("shops", ["z", "b", "a"])
    orders = per_partition(partitions_def)
    for key in written:
        run([orders], base_dir, instance, partition_key=key)

    assert files(base_dir) == sorted(f"orders/{key.replace('|', '/')}.parquet" for key in written)
    asset_in = {"metadata": {"allow_missing_partitions": True}}
    for annotation in (pl.DataFrame, pl.LazyFrame):
        one = loaded(annotation, orders, base_dir, instance, asset_in=asset_in)
        assert isinstance(one, annotation)
        assert one.lazy().collect()["key"].to_list() == in_order
    for annotation in (dict[str, pl.DataFrame], Mapping[str, pl.LazyFrame], None):
        many = loaded(annotation, orders, base_dir, instance, asset_in=asset_in)
        assert list(many) == in_order
        assert {key: frame.lazy().collect()["key"].to_list() for key, frame in many.items()} == {
            key: [key] for key in in_order
        }
        assert {type(frame) for frame in many.values()} == {
            pl.LazyFrame if annotation == Mapping[str, pl.LazyFrame] else pl.DataFrame
        }


def test_keys_of_several_dimensions_stay_multi_partition_keys(base_dir, instance):
    orders = per_partition(MULTI)
    run([orders], base_dir, instance, partition_key="2024-01-01|eu")
    many = loaded(
        dict[dg.MultiPartitionKey, pl.DataFrame],
        orders,
        base_dir,
        instance,
        asset_in={"metadata": {"allow_missing_partitions": True}},
    )
    assert list(many) == [dg.MultiPartitionKey({"day": "2024-01-01", "region": "eu"})]


def test_one_partition_of_the_same_definition(base_dir, instance):
    orders = per_partition(DAILY)
    run([orders], base_dir, instance, partition_key="2024-01-02")

    def one(annotation):
        return loaded(annotation, orders, base_dir, instance, partition_key="2024-01-02", partitions_def=DAILY)

    assert one(pl.DataFrame)["key"].to_list() == ["2024-01-02"]
    assert one(None)["key"].to_list() == ["2024-01-02"]
    assert list(one(dict[str, pl.DataFrame])) == ["2024-01-02"]


@pytest.mark.parametrize("annotation", [pl.LazyFrame, dict[str, pl.DataFrame]])
def test_a_missing_partition(tmp_path, instance, annotation):
    orders = per_partition(DAILY)
    run([orders], tmp_path, instance, partition_key="2024-01-01")
    with pytest.raises(StorageError) as caught:
        loaded(annotation, orders, tmp_path, instance)
    assert str(caught.value) == (
        f"Asset `orders`, partition `2024-01-02`: there is no file {tmp_path}/orders/2024-01-02.parquet. "
        "Materialize the partition first. If it may have no data, let the input say so: "
        'dg.AssetIn(metadata={"allow_missing_partitions": True}).'
    )


def test_no_partition_at_all(tmp_path, instance):
    orders = per_partition(dg.DynamicPartitionsDefinition(name="shops"))
    assert loaded(dict[str, pl.DataFrame], orders, tmp_path, instance) == {}
    assert loaded(pl.DataFrame | None, orders, tmp_path, instance) is None
    with pytest.raises(StorageError, match="Asset `orders`: there is no partition to load"):
        loaded(pl.DataFrame, orders, tmp_path, instance)


@pytest.mark.parametrize("annotation", [pl.DataFrame, pl.LazyFrame])
def test_partitions_with_different_columns_are_not_one_frame(tmp_path, instance, annotation):
    for day, frame in {"2024-01-01": {"a": [1]}, "2024-01-02": {"a": ["x"], "b": [1]}}.items():
        orders = asset_of(pl.DataFrame(frame), partitions_def=DAILY)
        run([orders], tmp_path, instance, partition_key=day)
    with pytest.raises(
        StorageError,
        match="`2024-01-01` and `2024-01-02` cannot be one frame, their columns differ: "
        "`a` is Int64 and String, `b` is absent and Int64",
    ):
        loaded(annotation, orders, tmp_path, instance, asset_in={"metadata": {"allow_missing_partitions": True}})


def test_more_lazy_partitions_than_files_may_be_open(tmp_path, instance):
    keys = [f"p{n}" for n in range(300)]
    orders = asset_of(pl.DataFrame({"n": [1]}), partitions_def=dg.StaticPartitionsDefinition(keys))
    (tmp_path / "orders").mkdir()
    for key in keys:
        pl.DataFrame({"n": [1]}).write_parquet(tmp_path / f"orders/{key}.parquet")
    before = len(list(OPEN_FILES.iterdir())) if OPEN_FILES.exists() else 0
    frame = loaded(pl.LazyFrame, orders, tmp_path, instance)
    if OPEN_FILES.exists():
        assert len(list(OPEN_FILES.iterdir())) - before < 50
    assert frame.select(pl.len()).collect().item() == 300


# ---- a run over a range of partitions --------------------------------------------------------------------------------

DAYS = ["2024-01-01", "2024-01-02", "2024-01-03"]
OVER_DAYS = {RANGE_START: DAYS[0], RANGE_END: DAYS[-1]}
UTC_NIGHT = datetime(2024, 1, 1, 23, 30, tzinfo=UTC)


def contents(base_dir, column="id") -> dict[str, list[Any]]:
    return {name: read_back(base_dir, name)[column].to_list() for name in files(base_dir)}


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    "days",
    [
        pytest.param([date(2024, 1, 3), date(2024, 1, 1), date(2024, 1, 3)], id="date"),
        pytest.param(
            [datetime(2024, 1, 3), datetime(2024, 1, 1, 23, 59, 59, 999999), datetime(2024, 1, 3, 12)], id="datetime"
        ),
        pytest.param(["2024-01-03", "2024-01-01", "2024-01-03"], id="text"),
    ],
)
def test_a_range_is_split_by_a_column(base_dir, instance, days, lazy):
    frame = pl.DataFrame({"id": [1, 2, 3], "day": days})
    orders = asset_of(frame.lazy() if lazy else frame, partitions_def=DAILY, metadata={"partition_expr": "day"})
    result = run([orders], base_dir, instance, tags=OVER_DAYS)

    assert contents(base_dir) == {
        "orders/2024-01-01.parquet": [2],
        "orders/2024-01-02.parquet": [],
        "orders/2024-01-03.parquet": [1, 3],
    }
    assert read_back(base_dir, "orders/2024-01-02.parquet").schema == frame.schema
    events = result.asset_materializations_for_node("orders")
    assert {event.metadata["path"].value for event in events} == {f"{UPath(base_dir)}/orders"}


@pytest.mark.parametrize(
    ("time_zone", "values", "expected"),
    [
        pytest.param("UTC", [UTC_NIGHT], [[1], []], id="utc"),
        pytest.param("Europe/Berlin", [UTC_NIGHT], [[], [1]], id="half past midnight in Berlin"),
        pytest.param("Europe/Berlin", [datetime(2024, 1, 1, 23, 30)], [[1], []], id="wall clock"),
        pytest.param("America/New_York", [datetime(2024, 1, 2, 4, 30, tzinfo=UTC)], [[1], []], id="New York"),
    ],
)
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_the_time_zone_of_the_partitions_counts(tmp_path, instance, *, time_zone, values, expected, unit):
    partitions_def = dg.DailyPartitionsDefinition("2024-01-01", timezone=time_zone, end_date="2024-01-05")
    frame = pl.DataFrame({"id": [1], "at": pl.Series(values).dt.cast_time_unit(unit)})
    orders = asset_of(frame, partitions_def=partitions_def, metadata={"partition_expr": "at"})
    run([orders], tmp_path, instance, tags={RANGE_START: DAYS[0], RANGE_END: DAYS[1]})
    assert list(contents(tmp_path).values()) == expected


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["eu", "us", "apac"])])
def test_a_range_of_static_partitions(tmp_path, instance, dtype):
    frame = pl.DataFrame({"id": [1, 2, 3], "region": pl.Series(["eu", "us", "eu"], dtype=dtype)})
    orders = asset_of(frame, partitions_def=REGIONS, metadata={"partition_expr": "region"})
    run([orders], tmp_path, instance, tags={RANGE_START: "us", RANGE_END: "eu"})
    assert contents(tmp_path) == {"orders/eu.parquet": [1, 3], "orders/us.parquet": [2]}


def test_a_range_of_dynamic_partitions(tmp_path, instance):
    instance.add_dynamic_partitions("shops", ["7", "3"])
    frame = pl.DataFrame({"id": [1, 2, 3], "shop": [3, 7, 3]})
    partitions_def = dg.DynamicPartitionsDefinition(name="shops")
    orders = asset_of(frame, partitions_def=partitions_def, metadata={"partition_expr": "shop"})
    run([orders], tmp_path, instance, tags={RANGE_START: "7", RANGE_END: "3"})
    assert contents(tmp_path) == {"orders/3.parquet": [1, 3], "orders/7.parquet": [2]}


def test_a_range_of_two_dimensions(base_dir, instance):
    frame = pl.LazyFrame(
        {"id": [1, 2, 3], "at": [date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 2)], "^r$": ["us", "us", "eu"]}
    )
    orders = asset_of(frame, partitions_def=MULTI, metadata={"partition_expr": {"day": "at", "region": "^r$"}})
    run([orders], base_dir, instance, tags={RANGE_START: "2024-01-01|us", RANGE_END: "2024-01-02|eu"})
    assert contents(base_dir) == {
        "orders/2024-01-01/eu.parquet": [],
        "orders/2024-01-01/us.parquet": [1],
        "orders/2024-01-02/eu.parquet": [3],
        "orders/2024-01-02/us.parquet": [2],
    }


def test_a_range_from_a_dict_of_frames(base_dir, instance):
    value = {
        "2024-01-02": pl.LazyFrame({"id": [2]}),
        "2024-01-01": pl.DataFrame({"id": [1]}),
        "2024-01-03": pl.DataFrame({"id": [3]}),
    }
    orders = asset_of(value, partitions_def=DAILY)
    run([orders], base_dir, instance, tags=OVER_DAYS)
    assert list(contents(base_dir).values()) == [[1], [2], [3]]
    with pytest.raises(
        StorageError,
        match=r"Asset `orders`, 2 partitions: the returned dict of frames does not have the partitions of the run: "
        r"missing 2024-01-04; not of this run 2024-01-02, 2024-01-01\. Nothing was written",
    ):
        run([orders], base_dir, instance, tags={RANGE_START: "2024-01-03", RANGE_END: "2024-01-04"})
    assert list(contents(base_dir).values()) == [[1], [2], [3]]


def test_a_lazy_range_is_computed_once(tmp_path, instance):
    calls = []

    def once(frame):
        calls.append(frame.height)
        return frame

    frame = pl.LazyFrame({"id": [1, 2], "day": DAYS[:2]}).map_batches(once)
    orders = asset_of(frame, partitions_def=DAILY, metadata={"partition_expr": "day"})
    run([orders], tmp_path, instance, tags=OVER_DAYS)
    assert sum(calls) == 2


@pytest.mark.parametrize("lazy", [False, True])
def test_rows_of_no_partition_fail_a_table_and_change_nothing(base_dir, instance, lazy):
    good = asset_of(
        pl.DataFrame({"id": [0], "day": DAYS[:1]}), partitions_def=DAILY, metadata={"partition_expr": "day"}
    )
    run([good], base_dir, instance, tags=OVER_DAYS)
    before = contents(base_dir)
    frame = pl.DataFrame({"id": [1, 2, 3], "day": ["2024-01-01", "2024-01-04", None]})
    bad = asset_of(frame.lazy() if lazy else frame, partitions_def=DAILY, metadata={"partition_expr": "day"})
    with pytest.raises(StorageError) as caught:
        run([bad], base_dir, instance, tags=OVER_DAYS)
    assert str(caught.value) == (
        "Asset `orders`, 3 partitions: 2 rows belong to no partition of the run, by `partition_expr` 'day'. Nothing was "
        "written. Return only rows of the run's partitions, or correct `partition_expr`."
    )
    assert contents(base_dir) == before


def test_rows_of_no_partition_of_a_quarantine_are_kept_in_the_first(tmp_path, instance):
    frame = pl.DataFrame({"id": [1, 2, 3, 4], "day": ["2024-01-02", "2024-01-04", "2024-01-01", None]})
    quarantine = asset_of(frame, name="orders_quarantine", partitions_def=DAILY, metadata={"partition_expr": "day"})
    run([quarantine], tmp_path, instance, tags=OVER_DAYS)
    assert list(contents(tmp_path).values()) == [[2, 3, 4], [1], []]


@pytest.mark.parametrize(
    ("partitions_def", "metadata", "tags", "message"),
    [
        (DAILY, {}, OVER_DAYS, 'the run covers 3 partitions.*Set `metadata={"partition_expr": "<column>"}`'),
        (DAILY, {"partition_expr": "when"}, OVER_DAYS, "is 'when', but must name a column of the frame, which has: id"),
        (
            MULTI,
            {"partition_expr": "id"},
            {RANGE_START: "2024-01-01|us", RANGE_END: "2024-01-02|eu"},
            'dimensions day, region.*Set it to {"day": "<column>", "region": "<column>"}',
        ),
    ],
)
def test_a_range_that_cannot_be_split(tmp_path, instance, *, partitions_def, metadata, tags, message):
    orders = asset_of(pl.DataFrame({"id": [1]}), partitions_def=partitions_def, metadata=metadata)
    with pytest.raises(StorageError, match=f"Asset `orders`, \\d partitions: .*{message}"):
        run([orders], tmp_path, instance, tags=tags)
    assert files(tmp_path) == []


# ---- where a file is -------------------------------------------------------------------------------------------------

NASTY = [
    "",
    ".",
    "..",
    "...",
    "../../etc",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "a\0b",
    "%",
    "%empty",
    "%2E",
    "%2E.",
    ".a",
    "a%2Fb",
    "a\nb",
    "~",
    "a b",
    "é",
    "*",
    "[x]",
    "c:",
    "a.parquet",
]


def test_names_are_different_for_different_texts_and_never_move():
    names = [safe_name(text) for text in NASTY]
    assert names == ["%empty", "%2E", "%2E.", "%2E..", "%2E./../etc".replace("/", "%2F"), "%2Fetc%2Fpasswd", "a%2Fb", "a%5Cb", "a%00b", "%25", "%25empty", "%252E", "%252E.", "%2Ea", "a%252Fb", "a%0Ab", "~", "a b", "é", "*", "[x]", "c:", "a.parquet"]  # fmt: skip
    assert len(set(names)) == len(names)
    assert safe_parts(["a", "b"]) == ("a", "b")
    assert safe_parts(["a/b"]) == ("a%2Fb",)
    key = dg.MultiPartitionKey({"z": "1/2", "a": ".."})
    assert safe_parts(["t"], key) == ("t", "%2E.", "1%2F2")


def output_context(key, partition_key=None):
    partitions_def = None if partition_key is None else dg.StaticPartitionsDefinition([partition_key])
    return dg.build_output_context(
        asset_key=dg.AssetKey(key), partition_key=partition_key, asset_partitions_def=partitions_def
    )


def write(manager, frame, key=("orders",), partition_key=None):
    manager.handle_output(output_context(key, partition_key), frame)


def load(manager, annotation, key=("orders",)):
    context = dg.build_input_context(asset_key=dg.AssetKey(key), dagster_type=dg.PythonObjectDagsterType(annotation))
    return manager.load_input(context)


def test_no_key_leaves_the_folder_or_meets_another(tmp_path):
    base = tmp_path / "in" / "base"
    manager = ParquetUPathIOManager(str(base))
    keys = [("table", text) for text in NASTY] + [(text, "table") for text in NASTY]
    for at, key in enumerate(keys):
        write(manager, pl.DataFrame({"at": [at]}), key)
    assert [load(manager, pl.DataFrame, key)["at"].item() for key in keys] == list(range(len(keys)))
    assert len(files(base)) == len(keys)
    assert files(tmp_path) == sorted(f"in/base/{name}" for name in files(base))


def test_no_partition_leaves_the_folder_or_meets_another(tmp_path):
    base = tmp_path / "in" / "base"
    manager = ParquetUPathIOManager(str(base))
    keys = [text for text in NASTY if text and not {"...", "\0", "\n"} & {text, *text}]  # Dagster takes none of these
    for at, text in enumerate(keys):
        write(manager, pl.DataFrame({"at": [at]}), partition_key=text)
    assert len(files(base / "orders")) == len(keys) == 19
    assert files(tmp_path) == sorted(f"in/base/{name}" for name in files(base))


# ---- what can be stored ----------------------------------------------------------------------------------------------

DTYPES = {
    "Categorical": pl.Series(["b", "a", None], dtype=pl.Categorical),
    "Categories": pl.Series(["b", "a", None], dtype=pl.Categorical(pl.Categories("named", "space", pl.UInt8))),
    "Enum": pl.Series(["b", "a", None], dtype=pl.Enum(["c", "b", "a"])),
    "Enum without values": pl.Series([None], dtype=pl.Enum([])),
    "Decimal": pl.Series([Decimal("1.20"), None], dtype=pl.Decimal(10, 2)),
    "widest Decimal": pl.Series([Decimal("1.20"), None], dtype=pl.Decimal(38, 10)),
    "Array": pl.Series([[1, 2], None], dtype=pl.Array(pl.Int32, 2)),
    "Array of two dimensions": pl.Series([[[1, 2]], None], dtype=pl.Array(pl.Int32, (1, 2))),
    "Array of width zero": pl.Series([[], None], dtype=pl.Array(pl.Int32, 0)),
    "List": pl.Series([[1], [], None], dtype=pl.List(pl.Int16)),
    "List of Struct of Categorical": pl.Series(
        [[{"c": "x"}], [], None], dtype=pl.List(pl.Struct({"c": pl.Categorical}))
    ),
    "Struct": pl.Series([{"a": 1, "b": "x"}, None], dtype=pl.Struct({"a": pl.Int8, "b": pl.String})),
    "Duration ms": pl.Series([timedelta(seconds=1), None], dtype=pl.Duration("ms")),
    "Duration us": pl.Series([timedelta(seconds=1), None], dtype=pl.Duration("us")),
    "Duration ns": pl.Series([timedelta(seconds=1), None], dtype=pl.Duration("ns")),
    "Time": pl.Series([time(1, 2, 3, 4), None], dtype=pl.Time),
    "Date": pl.Series([date(2024, 1, 1), None]),
    "Datetime ms": pl.Series([datetime(2024, 1, 1), None], dtype=pl.Datetime("ms")),
    "Datetime ns with time zone": pl.Series([datetime(2024, 1, 1), None], dtype=pl.Datetime("ns")).dt.replace_time_zone(
        "Europe/Berlin"
    ),
    "Null": pl.Series([None, None], dtype=pl.Null),
    "Binary": pl.Series([b"a\0", None], dtype=pl.Binary),
    "Boolean": pl.Series([True, None]),
    "Int128": pl.Series([2**100, None], dtype=pl.Int128),
    "UInt64": pl.Series([2**64 - 1, None], dtype=pl.UInt64),
    "Float32": pl.Series([float("inf"), None], dtype=pl.Float32),
}


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_comes_back_as_it_was(tmp_path, name, lazy, empty):
    """There is no dtype that is written and comes back as another; the three that are refused are in the next test."""
    frame = DTYPES[name].alias("column").to_frame()
    frame = frame.clear() if empty else frame
    manager = ParquetUPathIOManager(str(tmp_path))
    write(manager, frame.lazy() if lazy else frame)
    eager, scanned = load(manager, pl.DataFrame), load(manager, pl.LazyFrame)
    assert eager.schema == frame.schema
    assert scanned.collect_schema() == frame.schema
    assert_frame_equal(eager, frame)
    assert_frame_equal(scanned.collect(), frame)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    ("series", "dtype"),
    [
        (pl.Series([object()], dtype=pl.Object), "Object"),
        (pl.Series([None], dtype=pl.Struct({})), "Struct\\({}\\)"),
        (pl.Series([None], dtype=pl.List(pl.Struct({"a": pl.Struct({})}))), "List\\(Struct.*"),
    ],
    ids=["Object", "Struct without fields", "nested"],
)
def test_what_parquet_cannot_hold_is_refused_by_name(tmp_path, series, dtype, lazy):
    frame = pl.DataFrame({"fine": [1], "thing": series})
    with pytest.raises(
        StorageError,
        match=f"^Asset `orders`: Parquet cannot hold column `thing` of dtype {dtype}. Nothing was written.",
    ):
        write(ParquetUPathIOManager(str(tmp_path)), frame.lazy() if lazy else frame)
    assert files(tmp_path) == []


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("frame", [pl.DataFrame(), pl.DataFrame(height=3)], ids=["nothing", "three rows"])
def test_no_columns(tmp_path, frame, lazy):
    manager = ParquetUPathIOManager(str(tmp_path))
    write(manager, frame.lazy() if lazy else frame)
    assert load(manager, pl.DataFrame).shape == frame.shape


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "^Asset `orders`: None was returned, so nothing was written.*annotate the function `-> None`"),
        (pl.Series([1]), "^Asset `orders`: `Series` was returned, which is not stored as Parquet"),
        ({"a": pl.DataFrame()}, "^Asset `orders`: a dict of frames was returned, but the asset has no partitions"),
        ({"a": 1}, "^Asset `orders`: `int` was returned"),
    ],
)
def test_what_is_no_frame_is_refused(tmp_path, instance, value, message):
    write(ParquetUPathIOManager(str(tmp_path)), pl.DataFrame({"id": [1]}))
    with pytest.raises(StorageError, match=message):
        run([asset_of(lambda: value)], tmp_path, instance)
    assert contents(tmp_path) == {"orders.parquet": [1]}


def test_an_asset_that_is_annotated_to_return_nothing_is_left_alone(tmp_path, instance):
    @dg.asset
    def orders() -> None: ...

    assert run([orders], tmp_path, instance).success
    assert files(tmp_path) == []
