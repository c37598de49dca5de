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
import pydantic
import pytest
from dagster._core.decorator_utils import get_valid_name_permutations
from dagster._core.definitions.decorators.op_decorator import DecoratedOpFunction
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

from dagster_contracts.orchestration.dry_run.plan import _SCAN
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


def written_plan(frame: pl.LazyFrame):
    """A frame's plan as engines outside of Polars are shown it, not optimized."""
    return frame._ldf.with_optimizations(pl.QueryOptFlags.none()._pyoptflags).visit()


def test_polars_shows_a_plan_as_nodes_and_expressions():
    plan = written_plan(pl.LazyFrame({"a": [1]}).filter(pl.col("a") > 0).select(b=pl.col("a").cast(pl.String)))
    node = plan.view_current_node()
    assert (type(node).__name__, plan.get_schema(), plan.get_inputs()) == ("Select", {"b": pl.String}, [1])
    (expr,) = node.expr
    assert expr.output_name == "b"
    view = plan.view_expression(expr.node)
    assert (type(view).__name__, view.options) == ("Cast", 0)
    plan.set_node(1)
    predicate = plan.view_expression(plan.view_current_node().predicate.node)
    assert (type(predicate).__name__, str(predicate.op)) == ("BinaryExpr", "Operator.Gt")
    plan.set_node(plan.get_inputs()[0])
    assert type(plan.view_current_node()).__name__ == "DataFrameScan"
    assert pl.DataFrame._from_pydf(plan.view_current_node().df).height == 1


def test_polars_tells_dtypes_of_expressions_for_the_columns_of_the_node_it_stands_at():
    plan = written_plan(pl.LazyFrame({"a": [1]}).select(a=pl.col("a").cast(pl.String)))
    column = plan.view_expression(plan.view_current_node().expr[0].node).expr
    assert plan.get_dtype(column) == pl.String  # those that come out
    plan.set_node(plan.get_inputs()[0])
    assert plan.get_dtype(column) == pl.Int64


def test_polars_names_functions_and_aggregations():
    frame = pl.LazyFrame({"a": [1], "b": ["x"]})
    plan = written_plan(frame.select(pl.col("a").fill_null(0), pl.col("b").str.len_bytes(), c=pl.col("a").max()))
    views = [plan.view_expression(one.node) for one in plan.view_current_node().expr]
    assert views[0].function_data == ("fill_null",)
    assert [str(part) for part in views[1].function_data] == ["StringFunction.LenBytes"]
    assert (views[2].name, len(views[2].arguments)) == ("max", 1)


def test_polars_tells_of_a_join_how_nulls_slice_suffix_coalesce_order():
    left, right = pl.LazyFrame({"a": [1]}), pl.LazyFrame({"a": [1], "b": [2]})
    how, nulls_equal, _, suffix, coalesce, _ = (
        written_plan(left.join(right, on="a", how="left")).view_current_node().options
    )
    assert (how, nulls_equal, suffix, coalesce) == ("Left", False, "_right", True)


def test_polars_does_not_show_python_functions():
    plan = written_plan(pl.LazyFrame({"a": [1]}).select(pl.col("a").map_batches(lambda s: s, return_dtype=pl.Int64)))
    with pytest.raises(NotImplementedError, match="anonymousfunction"):
        plan.view_expression(plan.view_current_node().expr[0].node)


def test_polars_spells_a_scan_in_a_serialized_plan_without_opening_it():
    scan = pl.scan_parquet("/nowhere/*.parquet", schema={"a": pl.Int64})
    assert _SCAN.search(scan.select("a").serialize())
    assert not _SCAN.search(pl.LazyFrame({"Scan": ["Scan"]}).select("Scan", sources="Scan").serialize())


def test_polars_has_the_methods_that_are_taken_for_harmless():
    from dagster_contracts.orchestration.dry_run import harmless

    newer_or_older = {"first", "last", "melt", "remove", "with_row_count"}
    for kind in (pl.DataFrame, pl.LazyFrame):
        assert {
            name for name in harmless.SHAPING - {"_from_pydf", "_from_pyldf"} if not hasattr(kind, name)
        } <= newer_or_older
        assert kind.__module__.startswith(harmless.HOMES)
    assert all(hasattr(pl.DataFrame, name) for name in harmless.EAGER_ONLY)
    assert all(hasattr(pl.LazyFrame, name) for name in harmless.LAZY_ONLY)


def test_polars_runs_what_eager_frames_do_as_plans():
    """The watch finds the plan among the variables of a function of this name."""
    import sys

    seen = []

    def profile(frame, event, arg):
        if event == "call" and frame.f_code.co_name in ("collect", "_collect_eager"):
            seen.extend(value for value in frame.f_locals.values() if isinstance(value, pl.LazyFrame))

    frame = pl.DataFrame({"a": [1]})
    for call in (
        lambda: frame.select("a"),
        lambda: frame.with_columns(b="a"),
        lambda: frame.filter(a=1),
        lambda: frame.group_by("a").agg(pl.len()),
        lambda: frame.join(frame, on="a"),
    ):
        seen.clear()
        sys.setprofile(profile)
        try:
            call()
        finally:
            sys.setprofile(None)
        assert seen


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


def test_dagster_keeps_the_function_that_an_asset_was_made_of():
    def probe() -> None: ...

    made = dg.asset(probe)
    assert isinstance(made.node_def, dg.OpDefinition)
    assert isinstance(made.node_def.compute_fn, DecoratedOpFunction)
    assert made.node_def.compute_fn.decorated_fn is probe


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


def test_pydantic_keeps_constraints_and_decorators_where_a_typed_class_looks_for_them():
    """`contract/schema/` reads them from a field's metadata, and knows a decorated method by its `decorator_info`."""
    assert [vars(item) for item in pydantic.Field(pattern="a").metadata] == [{"pattern": "a"}]
    assert [vars(item) for item in pydantic.Field(max_digits=5, decimal_places=2).metadata] == [
        {"max_digits": 5, "decimal_places": 2}
    ]

    class Model(pydantic.BaseModel):
        x: int

        @pydantic.field_validator("x")
        @classmethod
        def check(cls, value: int) -> int:
            return value

    assert Model.__pydantic_complete__ is True
    assert list(Model.__pydantic_decorators__.field_validators) == ["check"]
    assert hasattr(pydantic.field_validator("x")(lambda value: value), "decorator_info")


def test_a_rule_of_dataframely_is_an_object_of_one_class():
    """`contract/schema/rules.py` tells rules from methods by it."""
    assert type(dy.rule()(lambda cls: pl.lit(value=True))) is type(dy.rule()(lambda cls: pl.lit(value=False)))
    assert not isinstance(lambda cls: None, type(dy.rule()(lambda cls: pl.lit(value=True))))
