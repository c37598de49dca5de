"""`dc.testing.run_asset`: what users' own tests see of an asset."""

import os
import tempfile
from pathlib import Path

import dagster as dg
import dataframely as dy
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import dagster_contracts as dc

QUARANTINE_DIR = "DAGSTER_CONTRACTS_QUARANTINE_DIR"


class Orders(dy.Schema):
    id = dy.String(primary_key=True)
    amount = dy.Int64(nullable=False, min=0)


CHECKS = [
    "dy_schema__columns",
    "dy_rule__primary_key",
    "dy_rule__id__nullability",
    "dy_rule__amount__nullability",
    "dy_rule__amount__min",
]
GOOD = pl.DataFrame({"id": ["a", "b"], "amount": [1, 2]})
BAD = pl.DataFrame({"id": ["a", "b", "c"], "amount": [1, -2, None]})
HOPELESS = pl.DataFrame({"id": ["x", "y"], "amount": [-1, -2]})
DRIFTED = pl.DataFrame({"id": ["a"], "amount": ["1"]})


def orders_of(returned, **arguments) -> dg.AssetsDefinition:
    def orders():
        return returned

    return dc.asset(Orders, **arguments)(orders)


@pytest.fixture(params=[pl.DataFrame.clone, pl.DataFrame.lazy], ids=["eager", "lazy"])
def form(request):
    return request.param


class TestOutcomes:
    def test_columns_broken(self, form):
        found = dc.testing.run_asset(orders_of(form(DRIFTED), quarantine=True))
        assert found.table is None
        assert found.quarantine is None
        assert found.materialization is None
        assert isinstance(found.error, dc.errors.ColumnSchemaError)
        assert found.failed_checks == list(found.checks) == ["dy_schema__columns"]

    def test_every_row_valid(self, form):
        found = dc.testing.run_asset(orders_of(form(GOOD), quarantine=True))
        assert_frame_equal(found.table, GOOD)
        assert found.quarantine is None
        assert found.error is None
        assert list(found.checks) == CHECKS
        assert found.failed_checks == []
        assert found.materialization.metadata["dagster/row_count"] == 2
        assert found.materialization.asset_key == dg.AssetKey("orders")

    def test_aborted(self, form):
        found = dc.testing.run_asset(orders_of(form(BAD)))
        assert found.table is None
        assert found.quarantine is None
        assert isinstance(found.error, dc.errors.ValidationAbortError)
        assert list(found.checks) == CHECKS
        assert found.failed_checks == ["dy_rule__amount__nullability", "dy_rule__amount__min"]
        assert {found.checks[name].severity for name in found.failed_checks} == {dg.AssetCheckSeverity.ERROR}

    def test_quarantined(self, form):
        found = dc.testing.run_asset(orders_of(form(BAD), quarantine=True))
        assert found.table["id"].to_list() == ["a"]
        assert found.quarantine.select("id", "dy_rule__amount__nullability", "dy_rule__amount__min").rows() == [
            ("b", "valid", "invalid"),
            ("c", "invalid", "valid"),
        ]
        assert found.error is None
        assert found.failed_checks == ["dy_rule__amount__nullability", "dy_rule__amount__min"]
        assert {found.checks[name].severity for name in found.failed_checks} == {dg.AssetCheckSeverity.WARN}
        assert found.materialization.metadata["dataframely/invalid_count"] == 2

    def test_no_valid_row(self, form):
        found = dc.testing.run_asset(orders_of(form(HOPELESS), quarantine=True))
        assert found.table is None
        assert found.quarantine["id"].to_list() == ["x", "y"]
        assert isinstance(found.error, dc.errors.NoValidRowsError)
        assert found.failed_checks == ["dy_rule__amount__min"]

    def test_skipped(self):
        found = dc.testing.run_asset(orders_of(None, quarantine=True))
        assert (found.table, found.quarantine, found.error, found.materialization) == (None, None, None, None)
        assert list(found.checks) == CHECKS
        assert found.failed_checks == []

    def test_an_empty_frame_is_a_table_of_no_rows(self):
        found = dc.testing.run_asset(orders_of(GOOD.clear()))
        assert found.table.shape == (0, 2)

    def test_a_result_keeps_its_own_metadata(self):
        found = dc.testing.run_asset(orders_of(dg.MaterializeResult(value=GOOD, metadata={"source": "crm"})))
        assert found.materialization.metadata["source"] == "crm"
        assert_frame_equal(found.table, GOOD)

    def test_an_error_that_is_not_ours_is_raised(self):
        @dc.asset(Orders, quarantine=True)
        def orders():
            raise ConnectionError("the source is away")

        with pytest.raises(ConnectionError, match="the source is away"):
            dc.testing.run_asset(orders)

    def test_a_returned_list_is_an_error_of_ours(self):
        assert isinstance(dc.testing.run_asset(orders_of([1])).error, dc.errors.ReturnTypeError)


@pytest.mark.parametrize("quarantine", [False, True])
class TestInputs:
    def test_frames_by_position_and_by_name(self, quarantine):
        @dc.asset(Orders, quarantine=quarantine)
        def orders(raw: pl.DataFrame, more: pl.LazyFrame) -> pl.LazyFrame:
            return pl.concat([raw.lazy(), more])

        both = pl.DataFrame({"id": ["a", "b", "z"], "amount": [1, 2, 3]})
        more = pl.LazyFrame({"id": ["z"], "amount": [3]})
        assert_frame_equal(dc.testing.run_asset(orders, GOOD, more).table, both)
        assert_frame_equal(dc.testing.run_asset(orders, GOOD, more=more).table, both)
        assert_frame_equal(dc.testing.run_asset(orders, raw=GOOD, more=more).table, both)

    def test_a_context_beside_frames(self, quarantine):
        @dc.asset(Orders, quarantine=quarantine)
        def orders(context: dg.AssetExecutionContext, raw: pl.DataFrame):
            context.log.info("called")
            return raw

        assert_frame_equal(dc.testing.run_asset(orders, GOOD).table, GOOD)
        assert_frame_equal(dc.testing.run_asset(orders, raw=GOOD).table, GOOD)

    def test_an_async_function(self, quarantine):
        @dc.asset(Orders, quarantine=quarantine)
        async def orders(raw: pl.DataFrame):
            return raw

        assert_frame_equal(dc.testing.run_asset(orders, GOOD).table, GOOD)
        found = dc.testing.run_asset(orders, HOPELESS)
        expected = dc.errors.NoValidRowsError if quarantine else dc.errors.ValidationAbortError
        assert isinstance(found.error, expected)
        assert (found.quarantine is not None) is quarantine

    def test_config_and_resources_by_name(self, quarantine):
        class Limits(dg.Config):
            most: int

        class Shop(dg.ConfigurableResource):
            name: str

        @dc.asset(Orders, quarantine=quarantine)
        def orders(raw: pl.DataFrame, config: Limits, shop: Shop):
            return raw.head(config.most).with_columns(id=pl.lit(shop.name))

        found = dc.testing.run_asset(orders, GOOD, config=Limits(most=1), shop=Shop(name="corner"))
        assert found.table.rows() == [("corner", 1)]

    def test_resources_of_the_context(self, quarantine):
        @dc.asset(Orders, quarantine=quarantine, required_resource_keys={"shop"})
        def orders(context: dg.AssetExecutionContext):
            return GOOD.with_columns(id=pl.Series(context.resources.shop))

        assert dc.testing.run_asset(orders, resources={"shop": ["x", "y"]}).table["id"].to_list() == ["x", "y"]

    def test_a_partition(self, quarantine):
        days = dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-04")

        @dc.asset(Orders, quarantine=quarantine, partitions_def=days)
        def orders(context: dg.AssetExecutionContext):
            return GOOD.with_columns(id=context.partition_key + pl.col("id"))

        found = dc.testing.run_asset(orders, partition_key="2024-01-02")
        assert found.table["id"].to_list() == ["2024-01-02a", "2024-01-02b"]
        assert found.materialization.metadata["dagster/partition_row_count"] == 2


def test_the_quarantine_of_a_partition_of_several_dimensions():
    both = dg.MultiPartitionsDefinition(
        {"region": dg.StaticPartitionsDefinition(["eu"]), "size": dg.StaticPartitionsDefinition(["s"])}
    )
    asset = orders_of(BAD, quarantine=True, partitions_def=both, key_prefix=["shop"])
    found = dc.testing.run_asset(asset, partition_key=dg.MultiPartitionKey({"region": "eu", "size": "s"}))
    assert found.quarantine["id"].to_list() == ["b", "c"]


class TestWhatIsLeft:
    @pytest.fixture
    def temporary(self, tmp_path, monkeypatch) -> Path:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        return tmp_path

    @pytest.mark.parametrize("before", [None, "", "/somewhere/of/mine"])
    @pytest.mark.parametrize("frame", [GOOD, BAD, HOPELESS], ids=["good", "bad", "hopeless"])
    def test_the_environment_is_as_it_was(self, monkeypatch, before, frame):
        if before is not None:
            monkeypatch.setenv(QUARANTINE_DIR, before)
        environment = dict(os.environ)
        dc.testing.run_asset(orders_of(frame, quarantine=True))
        assert dict(os.environ) == environment

    def test_the_environment_is_as_it_was_after_an_error_of_the_function(self, monkeypatch):
        @dc.asset(Orders, quarantine=True)
        def orders():
            raise ConnectionError

        environment = dict(os.environ)
        with pytest.raises(ConnectionError):
            dc.testing.run_asset(orders)
        assert dict(os.environ) == environment

    @pytest.mark.parametrize("frame", [GOOD, BAD, HOPELESS.lazy()], ids=["good", "bad", "hopeless"])
    def test_nothing_stays_on_disk(self, temporary, frame):
        dc.testing.run_asset(orders_of(frame, quarantine=True))
        assert list(temporary.rglob("*.parquet")) == []
        assert [path for path in temporary.iterdir() if path.name.startswith("dagster-contracts-")] == []

    def test_a_quarantine_of_an_earlier_call_is_not_seen(self, tmp_path, monkeypatch):
        monkeypatch.setenv(QUARANTINE_DIR, str(tmp_path))
        assert dc.testing.run_asset(orders_of(BAD, quarantine=True)).quarantine is not None
        assert dc.testing.run_asset(orders_of(GOOD, quarantine=True)).quarantine is None
        assert list(tmp_path.iterdir()) == []

    def test_two_runs_are_two_objects(self):
        asset = orders_of(BAD, quarantine=True)
        one, other = dc.testing.run_asset(asset), dc.testing.run_asset(asset)
        assert one.checks is not other.checks
        assert_frame_equal(one.quarantine, other.quarantine)
