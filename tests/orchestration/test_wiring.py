"""The parts of `dc.asset`, wired by hand, and contracts as checks on assets that someone else declares."""

import inspect
import warnings
from pathlib import Path
from typing import Any

import dagster as dg
import dataframely as dy
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import dagster_contracts as dc

WARN, ERROR = dg.AssetCheckSeverity.WARN, dg.AssetCheckSeverity.ERROR
RANGE = {"dagster/asset_partition_range_start": "p", "dagster/asset_partition_range_end": "q"}


class Orders(dy.Schema):
    """One row an order."""

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


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


def run(assets, base: Path, instance, **arguments) -> dg.ExecuteInProcessResult:
    resources = {"io_manager": dc.ParquetIOManager(base_dir=str(base))}
    return dg.materialize(assets, resources=resources, instance=instance, raise_on_error=False, **arguments)


def decorated(returned: Any, *, quarantine: bool, settings: dict, **arguments) -> dg.AssetsDefinition:
    @dc.asset(Orders, quarantine=quarantine, **settings, **arguments)
    def orders():
        return returned

    return orders


def by_hand(returned: Any, *, quarantine: bool, settings: dict, **arguments) -> dg.AssetsDefinition:
    naming = {name: settings[name] for name in ("check_granularity", "schema_rules", "min_rows") if name in settings}

    @dg.asset(
        description=inspect.getdoc(Orders),
        metadata=dc.wiring.schema_metadata(Orders),
        check_specs=dc.wiring.check_specs(
            Orders, asset="orders", partitions_def=arguments.get("partitions_def"), **naming
        ),
        output_required=False,
        kinds={"polars"},
        **arguments,
    )
    def orders(context: dg.AssetExecutionContext) -> dc.wiring.AssetYield:
        writer = None
        if quarantine:
            dc.wiring.validate_quarantine_key(context)
            writer = dc.wiring.delegating_writer(context)
        yield from dc.wiring.validation_results(
            Orders, returned, valid_key="orders", quarantine_writer=writer, **settings
        )

    return orders


def shown(metadata, base: Path) -> dict[str, str]:
    return {name: repr(value).replace(str(base), "<base>") for name, value in metadata.items()}


def everything(result: dg.ExecuteInProcessResult, base: Path) -> dict[str, Any]:
    """All that a run did, without ids and times."""
    failures = [event.step_failure_data for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
    return {
        "success": result.success,
        "materializations": [
            (m.asset_key, m.partition, shown(m.metadata, base), {k: v for k, v in (m.tags or {}).items() if "version" not in k})
            for m in result.asset_materializations_for_node("orders")
        ],
        "checks": [
            (check.check_name, check.passed, check.severity, check.partition, shown(check.metadata, base))
            for check in result.get_asset_check_evaluations()
        ],
        "order": [
            event.event_type_value
            for event in result.all_events
            if event.event_type_value in ("ASSET_MATERIALIZATION", "ASSET_CHECK_EVALUATION", "STEP_FAILURE")
        ],
        "error": [(data.error.cls_name, data.error.message.replace(str(base), "<base>")) for data in failures],
        "files": {
            path.relative_to(base).as_posix(): pl.read_parquet(path).to_dict(as_series=False)
            for path in sorted(base.rglob("*.parquet"))
        },
    }  # fmt: skip


OUTCOMES = {
    "columns broken": (DRIFTED, True, False, []),
    "every row valid": (GOOD, True, True, ["orders.parquet"]),
    "aborted": (BAD, False, False, []),
    "quarantined": (BAD, True, True, ["orders.parquet", "orders_quarantine.parquet"]),
    "no valid row": (HOPELESS, True, False, ["orders_quarantine.parquet"]),
    "skipped": (None, True, True, []),
    "lazy": (BAD.lazy(), True, True, ["orders.parquet", "orders_quarantine.parquet"]),
    "a result": (dg.MaterializeResult(value=BAD, metadata={"mine": 1}, tags={"t": "1"}), True, True, ["orders.parquet", "orders_quarantine.parquet"]),
}  # fmt: skip


class TestSideBySide:
    @pytest.mark.parametrize("outcome", OUTCOMES)
    @pytest.mark.parametrize(
        "settings",
        [
            {},
            {"check_granularity": "column", "schema_rules": "per_rule", "row_sample": 1, "max_failure_samples": 1},
            {"check_granularity": "schema", "statistics": False, "min_rows": 1},
        ],
        ids=["default", "column", "schema"],
    )
    def test_a_hand_wired_asset_does_what_a_decorated_one_does(self, tmp_path, outcome, settings):
        returned, quarantine, succeeds, files = OUTCOMES[outcome]
        done = []
        for make in (decorated, by_hand):
            base = tmp_path / make.__name__
            base.mkdir()
            with dg.DagsterInstance.ephemeral() as instance:
                asset = make(returned, quarantine=quarantine, settings=settings)
                done.append(everything(run([asset], base, instance), base))
        assert done[0] == done[1]
        assert done[0]["success"] is succeeds
        assert list(done[0]["files"]) == files

    def test_declares_the_same(self):
        one, other = (make(GOOD, quarantine=False, settings={}) for make in (decorated, by_hand))
        mine, theirs = one.get_asset_spec(), other.get_asset_spec()
        assert mine.metadata["dagster/column_schema"] == theirs.metadata["dagster/column_schema"]
        assert mine.description == theirs.description == "One row an order."
        assert mine.kinds == theirs.kinds
        assert list(one.check_specs) == list(other.check_specs)
        assert [spec.name for spec in one.check_specs] == CHECKS

    @pytest.mark.parametrize("how", [{"partition_key": "p"}, {"tags": RANGE}], ids=["one", "range"])
    def test_with_partitions(self, tmp_path, how):
        frame = pl.DataFrame({"id": ["p", "q"], "amount": [1, 2]}).head(1 if "partition_key" in how else 2)
        done = []
        for make in (decorated_by_partition, by_hand_by_partition):
            base = tmp_path / make.__name__
            base.mkdir()
            with dg.DagsterInstance.ephemeral() as instance, warnings.catch_warnings():
                warnings.simplefilter("ignore", dg.BetaWarning)
                done.append(everything(run([make(frame)], base, instance, **how), base))
        assert done[0] == done[1]
        counts = [metadata["dagster/partition_row_count"] for _, _, metadata, _ in done[0]["materializations"]]
        assert counts == [repr(dg.MetadataValue.int(1))] * frame.height  # each partition has its one row

    def test_an_unpartitioned_asset_in_a_run_of_a_partition_counts_the_table(self, tmp_path, instance):
        parts = dg.StaticPartitionsDefinition(["p"])

        @dg.asset(partitions_def=parts)
        def other() -> pl.DataFrame:
            return GOOD

        result = run([by_hand(GOOD, quarantine=True, settings={}), other], tmp_path, instance, partition_key="p")
        [materialization] = result.asset_materializations_for_node("orders")
        assert materialization.metadata["dagster/row_count"].value == 2
        assert "dagster/partition_row_count" not in materialization.metadata

    def test_called_directly(self, tmp_path):
        @dg.asset(check_specs=dc.wiring.check_specs(Orders, asset="orders"), output_required=False)
        def orders():
            writer = dc.wiring.file_writer("orders", tmp_path)
            yield from dc.wiring.validation_results(Orders, BAD, valid_key="orders", quarantine_writer=writer)

        events = list(orders())
        [result] = [event for event in events if isinstance(event, dg.MaterializeResult)]
        assert result.value["id"].to_list() == ["a"]
        assert [event.check_name for event in events if isinstance(event, dg.AssetCheckResult)] == CHECKS
        assert pl.read_parquet(dc.wiring.quarantine_path("orders", tmp_path))["id"].to_list() == ["b", "c"]


PARTS = {"partitions_def": dg.StaticPartitionsDefinition(["p", "q", "r"])}
BY_PARTITION = {**PARTS, "backfill_policy": dg.BackfillPolicy.single_run()}


def decorated_by_partition(returned: pl.DataFrame) -> dg.AssetsDefinition:
    @dc.asset(Orders, quarantine=True, metadata={"partition_expr": "id"}, **BY_PARTITION)
    def orders():
        return returned

    return orders


def by_hand_by_partition(returned: pl.DataFrame) -> dg.AssetsDefinition:
    @dg.asset(
        metadata=dc.wiring.schema_metadata(Orders) | {"partition_expr": "id"},
        check_specs=dc.wiring.check_specs(Orders, asset="orders", **PARTS),
        output_required=False,
        **BY_PARTITION,
    )
    def orders(context: dg.AssetExecutionContext) -> dc.wiring.AssetYield:
        yield from dc.wiring.validation_results(
            Orders, returned, valid_key="orders", quarantine_writer=dc.wiring.delegating_writer(context)
        )

    return orders


class TestParts:
    @pytest.mark.parametrize(
        ("specs", "results"),
        [
            ({}, {"check_granularity": "column"}),
            ({"check_granularity": "schema"}, {}),
            ({"check_granularity": "column"}, {"check_granularity": "column", "schema_rules": "per_rule"}),
            ({"min_rows": 1}, {}),
            ({}, {"min_rows": 1}),
        ],
    )
    def test_other_settings_in_specs_and_results_are_refused_before_anything_is_written(
        self, tmp_path, instance, specs, results
    ):
        @dg.asset(check_specs=dc.wiring.check_specs(Orders, asset="orders", **specs), output_required=False)
        def orders(context: dg.AssetExecutionContext):
            writer = dc.wiring.delegating_writer(context)
            yield from dc.wiring.validation_results(
                Orders, BAD, valid_key="orders", quarantine_writer=writer, **results
            )

        result = run([orders], tmp_path, instance)
        [failure] = [event.step_failure_data for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
        assert failure.error.cls_name == "GranularityMismatchError"
        assert list(tmp_path.iterdir()) == []

    def test_other_checks_of_the_asset_do_not_matter(self, tmp_path, instance):
        own = dg.AssetCheckSpec("fresh", asset="orders")

        @dg.asset(check_specs=[*dc.wiring.check_specs(Orders, asset="orders"), own], output_required=False)
        def orders():
            yield from dc.wiring.validation_results(Orders, GOOD, valid_key="orders")
            yield dg.AssetCheckResult(check_name="fresh", passed=True)

        result = run([orders], tmp_path, instance)
        assert result.success
        assert [check.check_name for check in result.get_asset_check_evaluations()] == [*CHECKS, "fresh"]

    def test_check_results_report_on_a_stored_table_and_write_nothing(self, tmp_path, instance):
        @dg.asset
        def orders():
            return BAD

        @dg.multi_asset_check(specs=dc.wiring.check_specs(Orders, asset="orders"), ins={"table": dg.AssetIn("orders")})
        def held(table: pl.LazyFrame):
            yield from dc.wiring.check_results(Orders, table, asset_key="orders", severity=WARN)

        result = run([orders, held], tmp_path, instance)
        assert result.success
        checks = {check.check_name: check for check in result.get_asset_check_evaluations()}
        assert list(checks) == CHECKS
        assert [name for name, check in checks.items() if not check.passed] == [
            "dy_rule__amount__nullability",
            "dy_rule__amount__min",
        ]
        assert checks["dy_rule__amount__min"].severity is WARN
        assert checks["dy_rule__amount__min"].metadata["dy_failed_count"].value == 1
        assert checks["dy_rule__amount__min"].metadata["dy_checked_count"].value == 3
        assert sorted(path.name for path in tmp_path.iterdir()) == ["orders.parquet"]

    def test_check_results_report_what_the_run_selected(self, tmp_path, instance):
        @dg.asset
        def orders():
            return BAD

        @dg.multi_asset_check(
            specs=dc.wiring.check_specs(Orders, asset="orders"), ins={"table": dg.AssetIn("orders")}, can_subset=True
        )
        def held(table: pl.LazyFrame):
            yield from dc.wiring.check_results(Orders, table, asset_key="orders", severity=WARN)

        run([orders], tmp_path, instance)
        wanted = dg.AssetCheckKey(dg.AssetKey("orders"), "dy_rule__amount__min")
        result = run([orders, held], tmp_path, instance, selection=dg.AssetSelection.checks(wanted))
        assert result.success
        [check] = result.get_asset_check_evaluations()
        assert (check.check_name, check.passed) == ("dy_rule__amount__min", False)

    def test_check_results_raise_only_for_the_columns(self):
        results = dc.wiring.check_results(Orders, DRIFTED, asset_key="orders", severity=ERROR)
        assert next(results).passed is False
        with pytest.raises(dc.errors.ColumnSchemaError, match="'amount' is String"):
            next(results)

    def test_the_quarantine_frame_is_what_dataframely_found_in_our_words(self, tmp_path):
        frame = pl.DataFrame({"id": ["b", "a", "b", "d"], "amount": [1, 2, -3, None]})
        _, failure = Orders.filter(frame)
        expected = pl.DataFrame(
            {
                "id": ["b", "b", "d"],
                "amount": [1, -3, None],
                "dy_rule__primary_key": ["invalid", "invalid", "valid"],
                "dy_rule__id__nullability": ["valid", "valid", "valid"],
                "dy_rule__amount__nullability": ["valid", "valid", "invalid"],
                "dy_rule__amount__min": ["valid", "invalid", "valid"],
            }
        )
        found = dc.wiring.quarantine_frame(Orders, failure)
        assert found.schema == expected.schema
        assert found.columns[:2] == ["id", "amount"]
        assert_frame_equal(found, expected)
        dc.wiring.file_writer("orders", tmp_path)(found)
        assert_frame_equal(pl.read_parquet(dc.wiring.quarantine_path("orders", tmp_path)), expected)

    def test_a_file_writer_replaces_and_knows_what_is_left(self, tmp_path):
        writer = dc.wiring.file_writer(["shop", "orders"], tmp_path, "2024-01-01")
        assert isinstance(writer, dc.wiring.ClearableWriter)
        assert writer.left_over() is False
        assert writer(BAD) == str(tmp_path / "shop" / "orders_quarantine" / "2024-01-01.parquet")
        assert writer.left_over() is True
        writer(GOOD.clear())
        assert writer.left_over() is False
        assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["2024-01-01.parquet"]

    def test_any_callable_will_do_as_a_writer(self, tmp_path, instance):
        written = []

        def writer(rows: pl.DataFrame) -> str:
            written.append(rows["id"].to_list())
            return "s3://elsewhere"

        @dg.asset(check_specs=dc.wiring.check_specs(Orders, asset="orders"), output_required=False)
        def orders():
            yield from dc.wiring.validation_results(Orders, BAD, valid_key="orders", quarantine_writer=writer)

        [materialization] = run([orders], tmp_path, instance).asset_materializations_for_node("orders")
        assert materialization.metadata["dataframely/quarantine_address"].value == "s3://elsewhere"
        assert written == [["b", "c"]]

    def test_warnings_of_the_results(self, tmp_path, instance):
        @dg.asset(check_specs=dc.wiring.check_specs(Orders, asset="orders"), output_required=False)
        def orders():
            yield from dc.wiring.validation_results(Orders, BAD.head(2), valid_key="orders", warnings=["amount|min"])

        result = run([orders], tmp_path, instance)
        assert result.success
        assert pl.read_parquet(tmp_path / "orders.parquet").height == 2

    def test_the_name_of_a_check(self):
        assert dc.wiring.check_name("amount|min") == "dy_rule__amount__min"


class TestContractChecks:
    @pytest.fixture
    def orders(self):
        @dg.asset
        def orders():
            return BAD

        return orders

    def test_report_every_check_of_the_contract_on_the_stored_table(self, tmp_path, instance, orders):
        [checks] = dc.build_contract_checks(Orders, assets=[orders])
        result = run([orders, checks], tmp_path, instance)
        found = {check.check_name: check for check in result.get_asset_check_evaluations()}
        assert list(found) == CHECKS
        assert {check.severity for name, check in found.items() if not check.passed} == {ERROR}
        assert [name for name, check in found.items() if not check.passed] == CHECKS[3:]
        assert {check.asset_key for check in found.values()} == {dg.AssetKey("orders")}

    def test_of_several_assets_are_one_definition_each(self):
        definitions = dc.build_contract_checks(Orders, assets=["a", ["shop", "b"]], check_granularity="schema")
        assert [sorted(key.to_user_string() for key in one.check_keys) for one in definitions] == [
            ["a:dy_schema__columns", "a:dy_schema__rules"],
            ["shop/b:dy_schema__columns", "shop/b:dy_schema__rules"],
        ]

    def test_can_be_run_in_part(self, tmp_path, instance, orders):
        [checks] = dc.build_contract_checks(Orders, assets=[orders], severity=WARN)
        run([orders], tmp_path, instance)
        wanted = dg.AssetCheckKey(dg.AssetKey("orders"), "dy_rule__amount__min")
        result = run([orders, checks], tmp_path, instance, selection=dg.AssetSelection.checks(wanted))
        assert result.success
        [check] = result.get_asset_check_evaluations()
        assert (check.check_name, check.passed, check.severity) == ("dy_rule__amount__min", False, WARN)

    def test_of_a_table_with_other_columns_fail_with_the_column_schema(self, tmp_path, instance):
        @dg.asset
        def orders():
            return DRIFTED

        [checks] = dc.build_contract_checks(Orders, assets=[orders])
        result = run([orders, checks], tmp_path, instance)
        assert not result.success
        [check] = result.get_asset_check_evaluations()
        assert (check.check_name, check.passed) == ("dy_schema__columns", False)
        [failure] = [event.step_failure_data for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
        assert failure.error.cls_name == "ColumnSchemaError"

    def test_of_a_partitioned_asset_look_at_all_its_partitions(self, tmp_path, instance):
        parts = dg.StaticPartitionsDefinition(["p", "q"])

        @dg.asset(partitions_def=parts)
        def orders(context: dg.AssetExecutionContext) -> pl.DataFrame:
            return {"p": GOOD, "q": BAD}[context.partition_key]

        [checks] = dc.build_contract_checks(Orders, assets=[orders])
        for part in ("p", "q"):
            run([orders], tmp_path, instance, partition_key=part)
        result = run([orders, checks], tmp_path, instance, selection=dg.AssetSelection.all_asset_checks())
        counts = {
            check.check_name: (check.metadata["dy_failed_count"].value, check.metadata["dy_checked_count"].value)
            for check in result.get_asset_check_evaluations()
            if check.check_name != "dy_schema__columns"
        }
        assert counts == {
            "dy_rule__primary_key": (4, 5),
            "dy_rule__id__nullability": (0, 5),
            "dy_rule__amount__nullability": (1, 5),
            "dy_rule__amount__min": (1, 5),
        }

    def test_warn_whatever_the_severity(self, tmp_path, instance, orders):
        [checks] = dc.build_contract_checks(Orders, assets=[orders], warnings=["amount|min"])
        result = run([orders, checks], tmp_path, instance)
        severities = {c.check_name: c.severity for c in result.get_asset_check_evaluations() if not c.passed}
        assert severities == {"dy_rule__amount__nullability": ERROR, "dy_rule__amount__min": WARN}

    def test_block_only_if_asked_to(self):
        for blocking in (False, True):
            [checks] = dc.build_contract_checks(Orders, assets=["orders"], blocking=blocking)
            blocked = {spec.name for spec in checks.check_specs if spec.blocking}
            assert blocked == ({"dy_schema__columns"} if blocking else set())


class Customers(dy.Schema):
    customer = dy.String(primary_key=True)
    secret = dy.String(nullable=False, metadata={"sensitive": True})


class Invoices(dy.Schema):
    customer = dy.String(primary_key=True)
    nr = dy.Int64(primary_key=True)


class Letters(dy.Schema):
    customer = dy.String(primary_key=True)


class Shop(dy.Collection):
    customers: dy.LazyFrame[Customers]
    invoices: dy.LazyFrame[Invoices]
    letters: dy.LazyFrame[Letters] | None

    @dy.filter()
    def billed(self) -> pl.LazyFrame:
        """Every customer has an invoice, every invoice its customer."""
        return self.customers.join(self.invoices, on="customer").select("customer").unique()

    @dy.filter()
    def short(self) -> pl.LazyFrame:
        return self.customers.filter(pl.col("customer").str.len_bytes() == 1).select("customer")


FRAMES = {
    "customers": pl.DataFrame({"customer": ["a", "b", "cc"], "secret": ["s1", "s2", "s3"]}),
    "invoices": pl.DataFrame({"customer": ["a", "a", "cc", "x"], "nr": [1, 2, 3, 4]}),
}


def members(frames: dict[str, pl.DataFrame], prefix: str = "") -> dict[str, dg.AssetsDefinition]:
    def one(name: str, frame: pl.DataFrame) -> dg.AssetsDefinition:
        @dg.asset(name=f"{prefix}{name}")
        def table():
            return frame

        return table

    return {name: one(name, frame) for name, frame in frames.items()}


class TestCollectionChecks:
    def counts(self, result) -> dict[tuple[str, str], tuple[int, int]]:
        return {
            (check.asset_key.to_user_string(), check.check_name): (
                check.metadata["dy_failed_count"].value,
                check.metadata["dy_checked_count"].value,
            )
            for check in result.get_asset_check_evaluations()
        }

    def test_each_filter_is_a_check_on_each_member(self, tmp_path, instance):
        assets = members(FRAMES)
        checks = dc.build_collection_checks(Shop, members=assets)
        result = run([*assets.values(), checks], tmp_path, instance)
        assert result.success
        # b has no invoice, x is no customer; the name of cc, who has one invoice, is too long, and x is in no list.
        assert self.counts(result) == {
            ("customers", "dy_filter__billed"): (1, 3),
            ("customers", "dy_filter__short"): (1, 3),
            ("invoices", "dy_filter__billed"): (1, 4),
            ("invoices", "dy_filter__short"): (2, 4),
        }
        assert {check.passed for check in result.get_asset_check_evaluations()} == {False}
        assert {check.severity for check in result.get_asset_check_evaluations()} == {ERROR}

    def test_shows_the_rows_that_are_lost_with_private_columns_masked(self, tmp_path, instance):
        assets = members(FRAMES)
        checks = dc.build_collection_checks(Shop, members=assets, max_failure_samples=1)
        result = run([*assets.values(), checks], tmp_path, instance)
        samples = {
            (check.asset_key.to_user_string(), check.check_name): [
                record.data for record in check.metadata["dy_failed_sample"].records
            ]
            for check in result.get_asset_check_evaluations()
        }
        assert samples == {
            ("customers", "dy_filter__billed"): [{"customer": "b", "secret": "•••"}],
            ("customers", "dy_filter__short"): [{"customer": "cc", "secret": "•••"}],
            ("invoices", "dy_filter__billed"): [{"customer": "x", "nr": 4}],
            ("invoices", "dy_filter__short"): [{"customer": "cc", "nr": 3}],
        }

    def test_agree_with_dataframelys_own_filter(self, tmp_path, instance):
        assets = members(FRAMES)
        result = run([*assets.values(), dc.build_collection_checks(Shop, members=assets)], tmp_path, instance)
        _, failures = Shop.filter(FRAMES)
        for member, failure in failures.items():
            theirs = {name: count for name, count in failure.counts().items() if name in ("billed", "short")}
            ours = {
                name.removeprefix("dy_filter__"): lost
                for (key, name), (lost, _) in self.counts(result).items()
                if key == member and lost
            }
            assert ours == theirs  # fmt: skip

    def test_pass_where_no_row_is_lost(self, tmp_path, instance):
        assets = members({name: frame.head(1) for name, frame in FRAMES.items()})
        result = run([*assets.values(), dc.build_collection_checks(Shop, members=assets)], tmp_path, instance)
        assert {check.passed for check in result.get_asset_check_evaluations()} == {True}
        assert {check.metadata["dy_failed_count"].value for check in result.get_asset_check_evaluations()} == {0}
        assert not [c for c in result.get_asset_check_evaluations() if "dy_failed_sample" in c.metadata]

    def test_take_keys_definitions_and_the_optional_member(self):
        checks = dc.build_collection_checks(
            Shop, members={"customers": ["shop", "people"], "invoices": members(FRAMES)["invoices"], "letters": "post"}
        )
        assert {key.asset_key.to_user_string() for key in checks.check_keys} == {"shop/people", "invoices", "post"}

    def test_describe_themselves_by_the_filters_docstring(self):
        specs = dc.build_collection_checks(Shop, members={"customers": "c", "invoices": "i"}).check_specs
        described = {spec.name: spec.description for spec in specs}
        assert described["dy_filter__billed"] == "Every customer has an invoice, every invoice its customer."
        assert "short" in described["dy_filter__short"]
        assert "Shop" in described["dy_filter__short"]

    def test_can_be_run_in_part(self, tmp_path, instance):
        assets = members(FRAMES)
        checks = dc.build_collection_checks(Shop, members=assets, severity=WARN)
        run(list(assets.values()), tmp_path, instance)
        wanted = dg.AssetCheckKey(dg.AssetKey("invoices"), "dy_filter__short")
        result = run([*assets.values(), checks], tmp_path, instance, selection=dg.AssetSelection.checks(wanted))
        assert self.counts(result) == {("invoices", "dy_filter__short"): (2, 4)}
        assert [check.severity for check in result.get_asset_check_evaluations()] == [WARN]

    def test_a_missing_member_is_named(self):
        with pytest.raises(dc.errors.UsageError, match=r"Shop: members=.* names no asset for 'invoices'"):
            dc.build_collection_checks(Shop, members={"customers": "c"})

    def test_an_unknown_member_is_named_with_the_known_ones(self):
        with pytest.raises(dc.errors.UnknownRuleError, match=r"no member 'customer'. Known: .*'customers'.*'letters'"):
            dc.build_collection_checks(Shop, members={"customer": "c", "invoices": "i"})
