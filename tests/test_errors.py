"""Every error of the package: its place in the tree, its text, and how it leaves a step."""

import inspect
import pickle
import re
from pathlib import Path

import dagster as dg
import dataframely as dy
import polars as pl
import pytest

import dagster_contracts as dc
from dagster_contracts import errors
from dagster_contracts.orchestration.failures import as_failure

CLASSES = {
    name: kind
    for name, kind in vars(errors).items()
    if inspect.isclass(kind) and issubclass(kind, Exception) and kind.__module__ == errors.__name__
}
ABSTRACT = {"ContractsError", "DataError"}
# Provoked where their kind is tested.
ELSEWHERE = {
    "StorageError": "orchestration/test_parquet_io_manager.py",
    "SchemaError": "orchestration/test_rows_in_assets.py",
    "SchemaDefinitionError": "contract/schema/test_refusals.py",
    "AssetError": "orchestration/test_rows_in_assets.py",
    "ContractParseError": "sql/test_contract_rules.py",
    "UnknownTypeError": "sql/test_dialect_types.py",
    "ContractViolationError": "orchestration/sql_project/test_component.py",
    "SqlModelError": "orchestration/sql_project/test_execution.py",
}


class Orders(dy.Schema):
    id = dy.String(primary_key=True)
    amount = dy.Int64(nullable=False, min=0)


GOOD = pl.DataFrame({"id": ["a", "b"], "amount": [1, 2]})
BAD = pl.DataFrame({"id": ["a", "b", "c"], "amount": [1, -2, -3]})
HOPELESS = BAD.filter(pl.col("amount") < 0)


def drawn_tree() -> dict[str, str | None]:
    """From each class in the module's docstring to the one it hangs from."""
    parents, above = {}, []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^    ([│├└─ ]*)([A-Z]\w+Error)\b", line)
        if found is None:
            continue
        depth = len(found[1]) // 4
        parents[found[2]] = above[depth - 1] if depth else None
        above[depth:] = [found[2]]
    return parents


class TestTree:
    def test_the_drawing_is_the_classes(self):
        def parent(kind: type) -> str | None:
            ours = [base.__name__ for base in kind.__bases__ if base.__name__ in CLASSES]
            assert len(ours) <= 1, kind
            return ours[0] if ours else None

        assert drawn_tree() == {name: parent(kind) for name, kind in CLASSES.items()}

    def test_the_drawing_is_read_as_it_is_drawn(self):
        tree = drawn_tree()
        assert tree["ContractsError"] is None
        assert tree["NoValidRowsError"] == "DataError"
        assert tree["CollectionNotSupportedError"] == "NotAContractError"
        assert tree["StorageError"] == "UsageError"
        assert len(tree) == 31

    def test_every_class_says_what_it_is_for(self):
        assert [name for name, kind in CLASSES.items() if not kind.__doc__] == []

    @pytest.mark.parametrize(
        ("kind", "builtin"),
        [
            (errors.NotAContractError, TypeError),
            (errors.CollectionNotSupportedError, TypeError),
            (errors.AnnotationError, TypeError),
            (errors.UnknownRuleError, LookupError),
            (errors.ReservedColumnError, ValueError),
            (errors.CheckNameCollisionError, ValueError),
            (errors.InvalidSettingError, ValueError),
            (errors.GranularityMismatchError, ValueError),
        ],
    )
    def test_is_also_what_python_calls_it(self, kind, builtin):
        assert issubclass(kind, builtin)


@pytest.mark.parametrize("kind", CLASSES.values(), ids=CLASSES.keys())
class TestEachClass:
    def test_pickles(self, kind):
        back = pickle.loads(pickle.dumps(kind("two words")))
        assert type(back) is kind
        assert str(back) == "two words"
        assert back.args == ("two words",)

    def test_as_a_step_raises_it_is_a_failure_that_is_not_retried(self, kind):
        raised = as_failure(kind("two words"))
        assert isinstance(raised, kind)
        assert isinstance(raised, dg.Failure)
        assert raised.allow_retries is False
        assert str(raised) == raised.description == "two words"
        assert type(raised).__name__ == kind.__name__

    def test_as_a_step_raises_it_pickles(self, kind):
        back = pickle.loads(pickle.dumps(as_failure(kind("two words"))))
        assert isinstance(back, kind)
        assert isinstance(back, dg.Failure)
        assert back.allow_retries is False
        assert str(back) == back.description == "two words"
        assert type(back).__name__ == kind.__name__

    def test_as_a_step_raises_it_stays_what_it_is(self, kind):
        raised = as_failure(kind("two words"))
        assert as_failure(raised) is raised
        assert type(as_failure(kind("other"))) is type(raised)

    def test_what_was_noted_on_it_stays(self, kind):
        error = kind("two words")
        error.add_note("see there")
        assert as_failure(error).__notes__ == ["see there"]


def test_a_wrong_return_type_is_also_dagsters_own_error():
    assert isinstance(as_failure(errors.ReturnTypeError("x")), dg.DagsterInvariantViolationError)


# ------------------------------------------------------------------------------- raised before any run, or by a call


class Shop(dy.Collection):
    orders: dy.LazyFrame[Orders]


def rule_that_is_no_expression():
    class Broken(dy.Schema):
        a = dy.Int64()

        @dy.rule()
        def wrong(cls):
            return True

    dc.asset(Broken)(lambda: None)


def collision():
    class Colliding(dy.Schema):
        a = dy.Int64(nullable=False)

        @dy.rule()
        def a__nullability(cls) -> pl.Expr:
            return cls.a.col > 0

    dc.asset(Colliding)(lambda: None)


def unknown_annotation():
    def orders(shop: "Nowhere"):  # noqa: F821
        return GOOD

    dc.asset(Orders)(orders)


def unknown_warning():
    @dc.asset(Orders)
    @dc.warn("amount|mn")
    def orders():
        return GOOD


def reserved():
    dc.asset(type("Reserved", (dy.Schema,), {"dy_x": dy.Int64()}))(lambda: None)


def quarantine_without_a_directory():
    @dc.asset(Orders, quarantine=True)
    def orders():
        return BAD

    list(orders(dg.build_asset_context()))


def wrong_member():
    dc.build_collection_checks(Shop, members={"ordres": "orders"})


BEFORE_A_RUN = {
    "not a contract": (lambda: dc.asset(dict), "NotAContractError", ["subclass of dy.Schema", "dict"]),
    "the base class": (lambda: dc.asset(dy.Schema), "NotAContractError", ["subclass of dy.Schema", "Schema"]),
    "an instance": (lambda: dc.asset("Orders"), "NotAContractError", ["subclass of dy.Schema", "str 'Orders'"]),
    "a collection": (
        lambda: dc.asset(Shop),
        "CollectionNotSupportedError",
        ["Shop is a dy.Collection", "dc.build_collection_checks()"],
    ),
    "no collection": (
        lambda: dc.build_collection_checks(Orders, members={}),
        "NotAContractError",
        ["build_collection_checks takes a subclass of dy.Collection"],
    ),
    "rule": (rule_that_is_no_expression, "RuleError", ["Broken: the rule 'wrong'", "bool, not a pl.Expr"]),
    "annotation": (unknown_annotation, "AnnotationError", ["'Nowhere'", "'shop'", "import the name outside"]),
    "unknown rule": (unknown_warning, "UnknownRuleError", ["Orders has no rule 'amount|mn'", "mean 'amount|min'?"]),
    "unknown member": (wrong_member, "UnknownRuleError", ["Shop has no member 'ordres'", "'orders'"]),
    "reserved": (reserved, "ReservedColumnError", ["Reserved declares 'dy_x'", "Rename the column"]),
    "collision": (
        collision,
        "CheckNameCollisionError",
        ["Colliding: ", "'a|nullability'", "'a__nullability'", "dy_rule__a__nullability", "Rename one"],
    ),
    "setting": (
        lambda: dc.asset(Orders, row_sample=-1)(lambda: GOOD),
        "InvalidSettingError",
        ["row_sample is -1", "a whole number from 0"],
    ),
    "quarantine dir": (
        quarantine_without_a_directory,
        "QuarantineDirError",
        ["orders has a quarantine", "DAGSTER_CONTRACTS_QUARANTINE_DIR", "Nothing was written"],
    ),
    "no rule to warn": (dc.warn, "UsageError", ["dc.warn takes the names of rules"]),
    "no filter": (lambda: dc.build_collection_checks(Shop, members={"orders": "o"}), "UsageError", ["Shop declares no filter"]),
    "quarantine of nothing": (lambda: dc.asset(quarantine=True), "UsageError", ["without a contract"]),
}  # fmt: skip


def provoke(how) -> BaseException:
    """The error of a definition, which `dc.asset` may raise when it is made or when it decorates."""
    with pytest.raises(errors.ContractsError) as caught:
        made = how()
        if callable(made):
            made(lambda: GOOD)
    return caught.value


@pytest.mark.parametrize(("how", "kind", "words"), BEFORE_A_RUN.values(), ids=BEFORE_A_RUN.keys())
def test_before_a_run_the_text_says_what_where_and_what_to_do(how, kind, words):
    error = provoke(how)
    assert type(error).__name__ == kind
    assert isinstance(error, CLASSES[kind])
    assert [word for word in words if word not in str(error)] == [], str(error)


# ------------------------------------------------------------------------------- raised by a step


class Unevaluable(Orders):
    @dy.rule()
    def about_nothing(cls) -> pl.Expr:
        return pl.col("nothing") > 0


class NotBoolean(Orders):
    @dy.rule()
    def a_number(cls) -> pl.Expr:
        return cls.amount.col + 1


RETRY = dg.RetryPolicy(max_retries=2)


def asset_of(frame, contract=Orders, **arguments):
    """How to make the asset that provokes an error, given the list in which to count its calls."""

    def make(calls: list) -> list[dg.AssetsDefinition]:
        def orders():
            calls.append(1)
            return frame

        return [dc.asset(contract, retry_policy=RETRY, **arguments)(orders)]

    return make


def taken_key(calls: list) -> list[dg.AssetsDefinition]:
    @dg.asset(name="orders_quarantine")
    def other():
        return GOOD

    return [*asset_of(BAD, quarantine=True)(calls), other]


def other_granularity(calls: list) -> list[dg.AssetsDefinition]:
    @dg.asset(
        check_specs=dc.wiring.check_specs(Orders, asset="orders"),
        output_required=False,
        retry_policy=RETRY,
    )
    def orders():
        calls.append(1)
        yield from dc.wiring.validation_results(Orders, GOOD, valid_key="orders", check_granularity="schema")

    return [orders]


def bad_setting_in_a_hand_wired_step(calls: list) -> list[dg.AssetsDefinition]:
    @dg.asset(check_specs=dc.wiring.check_specs(Orders, asset="orders"), output_required=False, retry_policy=RETRY)
    def orders():
        calls.append(1)
        yield from dc.wiring.validation_results(Orders, GOOD, valid_key="orders", row_sample=-1)

    return [orders]


RESULT = dg.MaterializeResult
IN_A_STEP = {
    "column schema": (
        asset_of(BAD.select("id", pl.col("amount").cast(pl.String))),
        "ColumnSchemaError",
        1,
        ["orders: 1 columns are not as Orders declares them", "'amount' is String (expected Int64)", "nothing was written"],
    ),
    "missing column": (asset_of(BAD.select("id")), "ColumnSchemaError", 1, ["'amount' is missing (expected Int64)"]),
    "undeclared column": (
        asset_of(GOOD.with_columns(x=1), on_extra_columns="raise"),
        "ColumnSchemaError",
        1,
        ["'x' is not declared (found Int32)"],
    ),
    "abort": (
        asset_of(BAD),
        "ValidationAbortError",
        1,
        ["orders: 2 of 3 rows are invalid (amount|min: 2)", "nothing was written", "quarantine=True"],
    ),
    "no valid rows": (
        asset_of(HOPELESS, quarantine=True),
        "NoValidRowsError",
        1,
        ["orders: 2 of 2 rows are invalid (amount|min: 2)", "the table was not written", "orders_quarantine.parquet"],
    ),
    "too many": (
        asset_of(BAD, quarantine=True, max_invalid=1),
        "TooManyInvalidRowsError",
        1,
        ["orders: 2 of 3 rows", "more than max_invalid=1 allows", "orders_quarantine.parquet"],
    ),
    "too few": (
        asset_of(GOOD, min_rows=3),
        "TooFewRowsError",
        1,
        ["orders: 2 valid rows, fewer than min_rows=3", "the table was not written"],
    ),
    "rule that does not evaluate": (
        asset_of(GOOD, Unevaluable),
        "RuleError",
        1,
        ["orders: Unevaluable: the rule 'about_nothing' does not evaluate", "nothing"],
    ),
    "rule that is not Boolean": (
        asset_of(GOOD, NotBoolean),
        "RuleError",
        1,
        ["orders: NotBoolean: the rule 'a_number' is Int64, not Boolean"],
    ),
    "temp_dir": (
        asset_of(GOOD.lazy(), temp_dir="/nowhere/at/all"),
        "InvalidSettingError",
        1,
        ["orders: temp_dir is '/nowhere/at/all', which is not a directory", "Create it"],
    ),
    "hand-wired setting": (bad_setting_in_a_hand_wired_step, "InvalidSettingError", 1, ["row_sample is -1"]),
    "granularity": (
        other_granularity,
        "GranularityMismatchError",
        1,
        ["orders: the step declares other checks", "dy_rule__amount__min", "dy_schema__rules", "Nothing was written"],
    ),
    "list": (asset_of([1]), "ReturnTypeError", 1, ["orders returned rows that begin with int", "a pl.DataFrame, a pl.LazyFrame"]),
    "result with a key": (
        asset_of(RESULT(asset_key="orders", value=GOOD)),
        "MaterializeResultFieldError",
        1,
        ["orders returned a dg.MaterializeResult with asset_key=", "Leave asset_key out"],
    ),
    "result with checks": (
        asset_of(RESULT(value=GOOD, check_results=[dg.AssetCheckResult(passed=True, check_name="x")])),
        "MaterializeResultFieldError",
        1,
        ["with check_results=", "Leave check_results out"],
    ),
    "result without a value": (asset_of(RESULT()), "MaterializeResultValueError", 1, ["orders", "with no value"]),
    "result with None": (asset_of(RESULT(value=None)), "MaterializeResultValueError", 1, ["value=NoneType", "returns None"]),
    "taken key": (
        taken_key,
        "QuarantineKeyCollisionError",
        0,
        ["quarantine of orders", "orders_quarantine materializes", "dc.Quarantine(key=…)", "Nothing was written"],
    ),
    "storage": (
        asset_of(BAD, quarantine=True, io_manager_key="memory"),
        "QuarantineStorageError",
        0,
        ["orders has a quarantine", "InMemoryIOManager", "dc.ParquetIOManager"],
    ),
}  # fmt: skip


def run(assets, tmp_path) -> dg.ExecuteInProcessResult:
    with dg.DagsterInstance.ephemeral() as instance:
        return dg.materialize(
            assets,
            resources={
                "io_manager": dc.ParquetIOManager(base_dir=str(tmp_path)),
                "memory": dg.InMemoryIOManager(),
            },
            instance=instance,
            raise_on_error=False,
        )


@pytest.mark.parametrize(("make", "kind", "calls", "words"), IN_A_STEP.values(), ids=IN_A_STEP.keys())
def test_a_step_fails_once_with_our_own_error_and_its_text(tmp_path, make, kind, calls, words):
    counted: list[int] = []
    result = run(make(counted), tmp_path)
    assert not result.success
    assert len(counted) == calls
    assert [event for event in result.all_events if event.event_type_value == "STEP_UP_FOR_RETRY"] == []
    [failure] = [event.step_failure_data for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
    assert failure.error.cls_name == kind
    text = failure.user_failure_data.description
    assert [word for word in words if word not in text] == [], text


def test_a_storage_error_names_the_asset_and_what_to_do(tmp_path):
    @dg.asset
    def orders():
        return [1, 2]

    result = run([orders], tmp_path)
    [failure] = [event.step_failure_data for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
    # Raised inside the IO manager, so Dagster says so first.
    shown = failure.error.to_string()
    assert "StorageError: Asset `orders`: `list` was returned" in shown
    assert "Return a `pl.DataFrame` or a `pl.LazyFrame`" in shown


def test_every_class_is_provoked_here():
    provoked = {kind for _, kind, *_ in [*BEFORE_A_RUN.values(), *IN_A_STEP.values()]} | set(ELSEWHERE)
    assert provoked == set(CLASSES) - ABSTRACT
    for kind, file in ELSEWHERE.items():
        assert kind in (Path(__file__).parent / file).read_text()


def test_a_caller_catches_the_family_or_the_class():
    asset = asset_of(BAD)([])[0]
    for kind in (errors.ValidationAbortError, errors.DataError, errors.ContractsError, dg.Failure):
        with pytest.raises(kind):
            list(asset(dg.build_asset_context()))


def test_an_error_raised_by_a_run_reaches_the_caller_as_itself(tmp_path):
    with pytest.raises(errors.ValidationAbortError, match="2 of 3 rows"):
        dg.materialize(asset_of(BAD)([]), resources={"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path))})
