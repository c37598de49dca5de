"""Every private or undocumented part of Dagster, Dataframely and Polars that this package relies on, one test a fact.

When one of these fails after an upgrade, the named fact moved: look for its use in `contract/dataframely.py`,
`contract/expressions.py`, `orchestration/internals.py` or the module the test names.
"""

import inspect
import json

import dagster as dg
import dataframely as dy
import polars as pl
import polars.selectors as cs
import pytest
from dagster._core.decorator_utils import get_valid_name_permutations
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.definitions.resource_annotation import get_resource_args
from dagster._core.event_api import PartitionKeyFilter
from dagster._core.execution.api import execute_run
from dagster._core.execution.context.compute import current_execution_context
from dagster._core.execution.context.invocation import BaseDirectExecutionContext
from dagster._core.execution.plan.outputs import StepOutputHandle
from dagster._core.storage.mem_io_manager import InMemoryIOManager
from dataframely._filter import Filter
from dataframely._rule import Rule, RuleFactory

from dagster_contracts.orchestration.signature import CONTEXT_NAMES


class Orders(dy.Schema):
    order_id = dy.String(primary_key=True)
    amount = dy.Float64(min=0.0)

    @dy.rule()
    def small(cls) -> pl.Expr:
        """Orders are small."""
        return cls.amount.col < 10


class Shop(dy.Collection):
    orders: dy.LazyFrame[Orders]

    @dy.filter()
    def first(self) -> pl.LazyFrame:
        """Only the first."""
        return self.orders.head(1)


# Dataframely


def test_dataframely_lists_rules_custom_ones_first_then_the_key_then_columns():
    rules = Orders._validation_rules(with_cast=False)
    assert list(rules) == [
        "small",
        "primary_key",
        "order_id|nullability",
        "amount|nullability",
        "amount|min",
        "amount|inf",
        "amount|nan",
    ]
    assert all(isinstance(rule, Rule) and isinstance(rule.expr, pl.Expr) for rule in rules.values())


def test_dataframely_names_a_columns_rules_by_column_and_rule():
    assert list(Orders.columns()["amount"].validation_rules(pl.col("amount"))) == ["nullability", "min", "inf", "nan"]


def test_dataframely_keeps_a_rules_function_on_the_class():
    factory = Orders.__dict__["small"]
    assert isinstance(factory, RuleFactory)
    assert inspect.getdoc(factory.validation_fn) == "Orders are small."


def test_dataframely_builds_a_rules_expression_when_asked():
    class Late(dy.Schema):
        a = dy.Int64()

        @dy.rule()
        def broken(cls) -> pl.Expr:
            raise LookupError("later")

    with pytest.raises(LookupError, match="later"):
        _ = Late._validation_rules(with_cast=False)["broken"].expr


def test_dataframely_takes_null_for_kept():
    class Nullable(dy.Schema):
        a = dy.Int64(nullable=True, min=1)

    valid, failure = Nullable.filter(pl.DataFrame({"a": [None, 1, 0]}, schema={"a": pl.Int64}))
    assert valid["a"].to_list() == [None, 1]
    assert failure.details()["a|min"].to_list() == ["invalid"]


def test_dataframely_takes_two_nulls_for_duplicates():
    class Unique(dy.Schema):
        a = dy.String(nullable=True, unique=True)

    assert Unique.filter(pl.DataFrame({"a": ["x", None, None]})).failure.counts() == {"a|unique": 2}


def test_dataframely_binds_columns_to_the_schema_that_asks():
    """A copy of a column keeps its own name and schema when another schema binds the shared one."""
    assert Orders.columns()["amount"].name == "amount"


def test_dataframely_keeps_a_collections_filters_by_name():
    filters = Shop._filters()
    assert list(filters) == ["first"]
    assert isinstance(filters["first"], Filter)
    assert inspect.getdoc(filters["first"].logic) == "Only the first."


def test_dataframely_casts_a_collection_from_a_dict_of_frames():
    shop = Shop.cast({"orders": pl.LazyFrame({"order_id": ["a"], "amount": [1.0]})})
    assert shop.orders.collect().height == 1
    assert Shop.common_primary_key() == ["order_id"]
    assert Shop.member_schemas() == {"orders": Orders}
    assert Shop.required_members() == {"orders"}


# Polars


def test_polars_serializes_an_expression_as_a_json_tree():
    tree = json.loads((pl.col("a") > 1).meta.serialize(format="json"))
    assert tree["BinaryExpr"]["left"] == {"Column": "a"}


def test_polars_prints_a_python_function_by_its_place():
    expr = pl.col("a").map_batches(lambda s: s, return_dtype=pl.Boolean)
    assert "python_udf" in str(expr).lower()


def test_polars_reads_a_caret_and_dollar_name_as_a_pattern_but_not_by_name():
    frame = pl.DataFrame({"a": [1], "^a$": [2]})
    assert frame.select(pl.col("^a$")).columns == ["a"]
    assert frame.select(cs.by_name("^a$")).columns == ["^a$"]


def test_polars_selects_by_name_in_the_order_given():
    assert pl.DataFrame({"a": [1], "b": [2]}).select(cs.by_name("b", "a")).columns == ["b", "a"]


def test_polars_broadcasts_a_rule_over_the_whole_table_to_every_row():
    plan = pl.LazyFrame({"a": [1, 2, 3]}).with_columns(r=pl.col("a").sum() > 5).select("r")
    assert plan.collect()["r"].to_list() == [True, True, True]


def test_polars_keeps_a_height_of_zero_for_a_rule_over_the_whole_table():
    plan = pl.LazyFrame({"a": []}, schema={"a": pl.Int64}).with_columns(r=pl.col("a").sum() == 0).select("r")
    assert plan.collect().height == 0


# Dagster


def test_dagster_takes_these_names_for_the_context():
    assert get_valid_name_permutations("context") == set(CONTEXT_NAMES)


def test_dagster_knows_the_context_of_what_it_is_computing():
    seen = []

    @dg.asset
    def probe() -> None:
        seen.append(current_execution_context.get())

    assert current_execution_context.get() is None
    dg.materialize([probe])
    assert isinstance(seen[0], dg.AssetExecutionContext)


def test_dagster_calls_with_a_context_of_its_own_kind():
    assert isinstance(dg.build_asset_context(), BaseDirectExecutionContext)
    assert not issubclass(dg.AssetExecutionContext, BaseDirectExecutionContext)


def test_dagster_tells_resources_by_their_annotation():
    class Api(dg.ConfigurableResource):
        url: str

    def takes(api: Api, table: int, other: dg.ResourceParam[object]) -> None: ...

    assert [parameter.name for parameter in get_resource_args(takes)] == ["api", "other"]


def test_dagster_gives_a_steps_output_context_whose_key_can_be_exchanged():
    seen = {}

    @dg.asset(metadata={"partition_expr": "day"})
    def probe(context: dg.AssetExecutionContext) -> int:
        step = context.get_step_execution_context()
        output = step.get_output_context(StepOutputHandle(step.step.key, "result"))
        output._asset_key = dg.AssetKey("aside")
        output._definition_metadata = {**output.definition_metadata, "more": 1}
        seen["key"], seen["metadata"] = output.asset_key, output.definition_metadata
        seen["spec"] = output._asset_spec
        seen["manager"] = step.get_io_manager(StepOutputHandle(step.step.key, "result"))
        seen["outputs"] = [
            (item.name, item.properties.asset_key, item.properties.asset_check_key) for item in step.step.step_outputs
        ]
        seen["location"] = step._execution_data.repository_def
        seen["nodes"] = [node.key for node in step.job_def.asset_layer.asset_graph.asset_nodes]
        return 1

    dg.materialize([probe], resources={"io_manager": dg.mem_io_manager})
    assert seen["key"] == dg.AssetKey("aside")
    assert (seen["metadata"]["partition_expr"], seen["metadata"]["more"]) == ("day", 1)
    assert isinstance(seen["spec"], dg.AssetSpec)
    assert isinstance(seen["manager"], InMemoryIOManager)
    assert seen["outputs"] == [("result", dg.AssetKey("probe"), None)]
    assert seen["location"] is None
    assert seen["nodes"] == [dg.AssetKey("probe")]


def test_dagster_keeps_what_a_step_returned_for_results_in_process_and_for_hooks():
    seen = {}

    @dg.success_hook
    def hook(context): ...

    def probed(name, hooks):
        @dg.asset(name=name, hooks=hooks)
        def probe(context: dg.AssetExecutionContext) -> int:
            step = context.get_step_execution_context()
            seen[name] = (step.output_capture is None, step.step_output_capture is None)
            return 1

        return probe

    assets = [probed("plain", set()), probed("hooked", {hook})]
    with dg.DagsterInstance.ephemeral() as instance:
        assert dg.materialize(assets, instance=instance).success
        assert seen == {"plain": (False, True), "hooked": (False, False)}
        job = dg.Definitions(assets, executor=dg.in_process_executor).resolve_implicit_global_asset_job_def()
        assert execute_run(InMemoryJob(job), instance.create_run_for_job(job), instance).success
    assert seen == {"plain": (True, True), "hooked": (True, False)}


def test_dagster_lets_added_metadata_win_over_the_io_manager_and_the_io_manager_over_the_result():
    class Loud(dg.IOManager):
        def handle_output(self, context: dg.OutputContext, obj: object) -> None:
            context.add_output_metadata({"a": "manager", "b": "manager"})

        def load_input(self, context: dg.InputContext) -> None: ...

    @dg.asset
    def probe(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
        context.add_asset_metadata({"a": "added"})
        return dg.MaterializeResult(value=1, metadata={"a": "result", "b": "result", "c": "result"})

    result = dg.materialize([probe], resources={"io_manager": Loud()})
    metadata = result.asset_materializations_for_node("probe")[0].metadata
    assert {key: metadata[key].value for key in "abc"} == {"a": "added", "b": "manager", "c": "result"}


@pytest.mark.filterwarnings("ignore:Specifying a partitions_def on an AssetCheckSpec")
def test_dagster_keeps_a_checks_evaluations_newest_first_by_partition():
    days = dg.StaticPartitionsDefinition(["mon", "tue"])

    @dg.asset(partitions_def=days, check_specs=[dg.AssetCheckSpec("c", asset="probe", partitions_def=days)])
    def probe(context: dg.AssetExecutionContext):
        yield dg.MaterializeResult()
        yield dg.AssetCheckResult(check_name="c", passed=True, metadata={"n": context.run.tags["n"]})

    with dg.DagsterInstance.ephemeral() as instance:
        for number, day in enumerate(["mon", "tue", "mon"]):
            dg.materialize([probe], partition_key=day, instance=instance, tags={"n": str(number)})
        key = dg.AssetCheckKey(dg.AssetKey("probe"), "c")
        records = instance.event_log_storage.get_asset_check_execution_history(
            key, limit=5, partition_filter=PartitionKeyFilter(key="mon")
        )
        evaluations = [record.event.dagster_event.event_specific_data for record in records]
        assert all(isinstance(evaluation, dg.AssetCheckEvaluation) for evaluation in evaluations)
        assert [evaluation.metadata["n"].value for evaluation in evaluations] == ["2", "0"]
        assert [record.id for record in records] == sorted((record.id for record in records), reverse=True)


def test_dagster_does_not_retry_a_failure_that_forbids_it():
    tries = []

    @dg.asset(retry_policy=dg.RetryPolicy(max_retries=2))
    def probe() -> None:
        tries.append(1)
        raise dg.Failure("no", allow_retries=False)

    assert not dg.materialize([probe], raise_on_error=False).success
    assert len(tries) == 1
