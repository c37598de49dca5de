"""A folder of SQL models as assets, loaded from YAML and run for real."""

from pathlib import Path

import dagster as dg
import polars as pl
import pytest
from dagster.components.core.component_tree import ComponentTreeException
from dagster.components.testing.utils import create_defs_folder_sandbox
from tests.orchestration.sql_project.shop import QUIET, SOURCES, Shop, failure

import dagster_contracts as dc
from dagster_contracts import errors

CHECKS = ["contract_required_columns", "contract_protected_columns", "contract_column_constraints"]


@pytest.fixture
def shop(tmp_path) -> Shop:
    return Shop(tmp_path)


def outcomes(result) -> dict[str, tuple[bool, str]]:
    return {one.check_name: (one.passed, one.severity.value) for one in result.get_asset_check_evaluations()}


HELD = dict.fromkeys(CHECKS, (True, "ERROR"))


class TestBeforeARun:
    def spec(self, shop: Shop, name: str) -> dg.AssetSpec:
        return shop.load().resolve_asset_graph().get(dg.AssetKey(name)).to_asset_spec()

    def test_what_depends_on_what(self, shop):
        graph = shop.load().resolve_asset_graph()
        assert graph.get(dg.AssetKey("totals")).parent_keys == {dg.AssetKey("orders")}
        assert graph.get(dg.AssetKey("orders")).parent_keys == {dg.AssetKey("raw_orders")}

    def test_columns_and_their_lineage(self, shop):
        metadata = self.spec(shop, "totals").metadata
        columns = metadata["dagster/column_schema"].columns
        assert [(one.name, one.type, one.constraints.nullable, one.description) for one in columns] == [
            ("customer", "String", False, "Who ordered."),
            ("amount", "Float64", False, None),
        ]
        assert metadata["dagster/column_lineage"].deps_by_column == {
            "customer": [dg.TableColumnDep(dg.AssetKey("orders"), "customer")],
            "amount": [dg.TableColumnDep(dg.AssetKey("orders"), "amount")],
        }

    def test_what_the_files_say(self, shop):
        shop.write(**{"models/orders.toml": 'owner = "sales"\n[tags]\ndomain = "shop"\n'})
        spec = self.spec(shop, "orders")
        assert spec.description == "Orders as they came."
        assert spec.owners == ["team:sales"]
        assert spec.tags["domain"] == "shop"
        assert spec.kinds == {"duckdb", "sql", "table"}
        references = spec.metadata["dagster/code_references"].code_references
        assert [Path(one.file_path).name for one in references] == ["orders.sql", "defs.yaml"]

    def test_the_checks_are_those_that_the_contract_declares(self, shop):
        keys = {
            f"{key.asset_key.to_user_string()}:{key.name}" for key in shop.load().resolve_asset_graph().asset_check_keys
        }
        assert keys == {f"totals:{check}" for check in CHECKS}

    def test_the_translation_has_the_last_word(self, shop):
        shop.attributes["translation"] = {"key_prefix": ["marts"], "group_name": "{{ model.dialect }}"}
        graph = shop.load().resolve_asset_graph()
        totals = graph.get(dg.AssetKey(["marts", "totals"]))
        assert totals.parent_keys == {dg.AssetKey(["marts", "orders"])}
        assert totals.group_name == "duckdb"
        assert {key.asset_key for key in graph.asset_check_keys} == {dg.AssetKey(["marts", "totals"])}

    def test_a_project_that_is_not_there(self, shop):
        shop.attributes["config_path"] = "gone/contracts.toml"
        with pytest.raises(ComponentTreeException) as caught:
            shop.load()
        assert isinstance(caught.value.__cause__, errors.ContractParseError)


class TestARun:
    def test_writes_the_tables_and_reports_the_checks(self, shop):
        result = shop.run()
        assert result.success
        assert outcomes(result) == HELD
        assert shop.query("SELECT * FROM totals") == [("Ada", 4.5)]

    def test_says_what_was_written(self, shop):
        result = shop.run("orders")
        (event,) = result.get_asset_materialization_events()
        metadata = event.materialization.metadata
        assert metadata["dagster/row_count"].value == 3
        assert metadata["dagster/table_name"].value == "orders"
        assert [one.type for one in metadata["dagster/column_schema"].value.columns] == ["Int64", "String", "Float64"]

    @pytest.mark.parametrize(
        ("model", "code", "check"),
        [
            ("SELECT sum(amount) AS amount FROM orders GROUP BY customer", "E010", CHECKS[0]),
            ("SELECT customer FROM orders WHERE customer IS NOT NULL", "E013", CHECKS[1]),
            ("SELECT customer, sum(amount) AS amount FROM orders GROUP BY ALL", "E012", CHECKS[2]),
            ("SELECT customer, 1 AS amount FROM orders WHERE customer IS NOT NULL", "E011", CHECKS[2]),
        ],
    )
    def test_a_broken_contract_runs_nothing(self, shop, model, code, check):
        assert shop.run().success
        shop.write(**{"models/totals.sql": model})
        shop.query("DELETE FROM raw_orders")
        result = shop.run()
        assert not result.success
        assert failure(result).cls_name == "ContractViolationError"
        assert f"error[{code}]" in failure(result).message
        assert outcomes(result)[check] == (False, "ERROR")
        assert shop.query("SELECT * FROM totals") == [("Ada", 4.5)]

    def test_where_it_breaks_is_shown(self, shop):
        shop.write(**{"models/totals.sql": "SELECT customer, sum(amount) AS amount FROM orders GROUP BY ALL"})
        found = {one.check_name: one.metadata for one in shop.run().get_asset_check_evaluations()}[CHECKS[2]]
        assert found["contract/violation_count"].value == 1
        assert "models/totals.sql:1:8" in found["contract/report"].value
        assert "contracts/totals.contract.toml:9" in found["contract/report"].value

    def test_a_model_that_does_not_parse_runs_nothing_and_passes_nothing(self, shop):
        assert shop.run().success
        shop.write(**{"models/totals.sql": "SELEC customer"})
        result = shop.run()
        assert failure(result).cls_name == "SqlModelError"
        assert outcomes(result) == dict.fromkeys(CHECKS, (False, "WARN"))
        assert shop.query("SELECT * FROM totals") == [("Ada", 4.5)]

    def test_a_contract_that_cannot_be_read_runs_nothing_and_passes_nothing(self, shop):
        assert shop.run().success
        shop.write(**{"contracts/totals.contract.toml": "[rule]\nrequired = ['customer']\n"})
        result = shop.run()
        assert failure(result).cls_name == "ContractParseError"
        assert outcomes(result) == dict.fromkeys(CHECKS, (False, "WARN"))
        assert shop.query("SELECT * FROM totals") == [("Ada", 4.5)]

    def test_the_model_of_a_broken_one_passes_nothing(self, shop):
        shop.write(**{"models/orders.sql": "SELECT nope FROM raw_orders"})
        result = shop.run("totals")
        assert not result.success
        assert not any(passed for passed, _ in outcomes(result).values())

    def checks(self, shop: Shop):
        job = dg.define_asset_job("checks", selection=dg.AssetSelection.all_asset_checks())
        defs = dg.Definitions.merge(shop.load(), dg.Definitions(jobs=[job]))
        result = defs.resolve_job_def("checks").execute_in_process(run_config=QUIET)
        assert result.get_asset_materialization_events() == []
        return result

    def test_only_checks_can_be_run(self, shop):
        assert outcomes(self.checks(shop)) == HELD  # there is no table yet: the model's text is checked
        shop.run()
        shop.query("UPDATE totals SET amount = 99")
        assert outcomes(self.checks(shop)) == HELD
        assert shop.query("SELECT amount FROM totals") == [(99.0,)]

    def test_a_table_that_another_text_wrote_is_not_verified(self, shop):
        shop.run()
        shop.write(**{"models/orders.sql": "SELECT id, customer, amount + 1 AS amount, 1 AS more FROM raw_orders"})
        result = self.checks(shop)
        assert outcomes(result) == dict.fromkeys(CHECKS, (False, "WARN"))
        assert all(one.metadata["contract/stale"].value for one in result.get_asset_check_evaluations())
        assert shop.run().success
        assert outcomes(self.checks(shop)) == HELD


class TestWhatTheRowsShow:
    """The sources said something that is not so: it is found before the table is replaced."""

    def test_a_source_with_nulls_that_it_ruled_out(self, shop):
        shop.write(**{"models/totals.sql": "SELECT customer, amount FROM orders"})
        shop.write(**{"sources.sql": SOURCES.replace("customer VARCHAR", "customer VARCHAR NOT NULL")})
        result = shop.run()
        assert failure(result).cls_name == "ContractViolationError"
        assert "the rows that the model returned have 1 NULL" in failure(result).message
        assert outcomes(result)[CHECKS[2]] == (False, "ERROR")
        assert shop.query("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'totals'") == [(0,)]

    def test_a_source_of_another_type(self, shop):
        shop.write(**{"sources.sql": SOURCES.replace("amount DOUBLE", "amount DECIMAL(10,2)")})
        shop.write(**{"models/totals.sql": "SELECT 'x' AS customer, amount FROM orders"})
        shop.write(**{"contracts/totals.contract.toml": '[[columns]]\nname = "amount"\ntype = "Decimal(10,2)"\n'})
        result = shop.run()
        assert "error[E011]" in failure(result).message

    def test_what_no_source_declares_is_verified_by_its_rows(self, shop):
        shop.write(**{"contracts.toml": ""})
        result = shop.run()
        assert result.success
        assert outcomes(result) == HELD

    def test_and_broken_by_them(self, shop):
        shop.write(**{"contracts.toml": "", "models/totals.sql": "SELECT customer, amount FROM orders"})
        result = shop.run()
        assert "error[E012]" in failure(result).message

    def test_under_strict_it_is_not_run(self, shop):
        shop.write(**{"contracts.toml": "strict = true\n"})
        result = shop.run()
        assert failure(result).cls_name == "ContractViolationError"
        assert "E059" in failure(result).message


class TestTheLock:
    def test_what_it_says_of_nulls_holds_for_the_rows_too(self, shop):
        """The lock has `customer` as nullable, so it is no new one: not before the run, and not in its rows."""
        shop.write(
            **{
                "contracts/totals.contract.toml": "[rules]\nno_new_nullable = true\n",
                "models/totals.sql": "SELECT customer, amount FROM orders",
                "contracts.lock": """
                version = "1"
                [[models]]
                name = "totals"
                sql = "sha256:1"
                [[models.columns]]
                name = "customer"
                nullable = true
                [[models.columns]]
                name = "amount"
                nullable = false
                """,
            }
        )
        result = shop.run()
        assert result.success
        assert outcomes(result) == {CHECKS[2]: (True, "ERROR")}
        (shop.folder / "project" / "contracts.lock").unlink()
        assert "error[E014]" in failure(shop.run()).message


class TestAcrossTheBorder:
    def test_a_frame_is_read_by_a_model_and_a_model_by_a_frame(self, shop, tmp_path):
        frames = dc.ParquetIOManager(base_dir=str(tmp_path / "frames"))
        shop.attributes["sources"] = {"raw_orders": {"key": "raw/orders", "load": True}}

        @dg.asset(key=["raw", "orders"], io_manager_key="frames")
        def raw() -> pl.DataFrame:
            return pl.DataFrame({"id": [7, 8], "customer": ["Bea", "Bea"], "amount": [0.5, 0.25]})

        @dg.asset(io_manager_key="frames")
        def report(totals: pl.DataFrame) -> pl.DataFrame:
            return totals.with_columns(doubled=pl.col("amount") * 2)

        result = shop.run(others=[raw, report], resources={"frames": frames})
        assert result.success, result.get_step_failure_events()
        assert pl.read_parquet(tmp_path / "frames" / "report.parquet").to_dicts() == [
            {"customer": "Bea", "amount": 0.75, "doubled": 1.5}
        ]


class TestPartitions:
    MODEL = "SELECT seen::DATE AS day, count(*) AS n FROM raw_at WHERE seen >= @partition_start AND seen < @partition_end GROUP BY ALL"

    def partitioned(self, shop: Shop, sidecar: str = 'partition_by = "day"') -> None:
        shop.query(
            "CREATE TABLE raw_at AS SELECT unnest([TIMESTAMP '2024-01-01 05:00', '2024-01-02 06:00', '2024-01-02 07:00']) AS seen"
        )
        shop.write(**{"models/daily.sql": self.MODEL, "models/daily.toml": sidecar})
        shop.write(**{"sources.sql": SOURCES + "CREATE TABLE raw_at (seen TIMESTAMP NOT NULL);"})
        shop.attributes["translation"] = {"partitions_def": {"type": "daily", "start_date": "2024-01-01"}}

    def test_each_run_replaces_its_own(self, shop):
        self.partitioned(shop)
        for day in ("2024-01-01", "2024-01-02", "2024-01-02"):
            assert shop.run("daily", partition=day).success
        assert shop.query("SELECT day::VARCHAR, n FROM daily ORDER BY day") == [("2024-01-01", 1), ("2024-01-02", 2)]

    def test_a_table_that_is_not_cut_is_refused(self, shop):
        self.partitioned(shop, sidecar="")
        result = shop.run("daily", partition="2024-01-01")
        assert 'Add partition_by = "<column>"' in failure(result).message

    def test_a_run_of_several_days_replaces_theirs(self, shop):
        self.partitioned(shop)
        for day in ("2024-01-01", "2024-01-03"):
            assert shop.run("daily", partition=day).success
        shop.query("INSERT INTO daily VALUES ('2023-12-31', 9)")
        span = {"dagster/asset_partition_range_start": "2024-01-01", "dagster/asset_partition_range_end": "2024-01-02"}
        assert shop.run("daily", tags=span).success
        found = shop.query("SELECT day::VARCHAR, n FROM daily ORDER BY day")
        assert found == [("2023-12-31", 9), ("2024-01-01", 1), ("2024-01-02", 2)]

    def test_a_run_without_a_partition_does_not_replace_them_all(self, shop):
        self.partitioned(shop)
        assert shop.run("daily", partition="2024-01-01").success
        shop.write(**{"models/daily.sql": "SELECT seen::DATE AS day, count(*) AS n FROM raw_at GROUP BY ALL"})
        result = shop.run("daily")
        assert "daily has partitions, and the run has none" in failure(result).message
        assert shop.query("SELECT n FROM daily") == [(1,)]

    def test_bounds_without_partitions_are_refused(self, shop):
        self.partitioned(shop)
        del shop.attributes["translation"]
        assert "asks for @partition_end, @partition_start" in failure(shop.run("daily")).message


def test_what_the_scaffolder_writes_runs(tmp_path):
    with create_defs_folder_sandbox() as sandbox:
        folder = sandbox.scaffold_component(component_cls=dc.SqlProjectComponent)
        with sandbox.load_component_and_build_defs(defs_path=folder) as (_, defs):
            result = defs.resolve_implicit_global_asset_job_def().execute_in_process()
            assert result.success
            assert set(outcomes(result)) == {"contract_required_columns", "contract_column_constraints"}
            assert all(passed for passed, _ in outcomes(result).values())
