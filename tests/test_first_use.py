"""What somebody met who used the package with nothing but the README at hand."""

import dagster as dg
import dataframely as dy
import polars as pl
import pytest

import dagster_contracts as dc


class Orders(dy.Schema):
    order_id = dy.String(primary_key=True)
    amount = dy.Float64(min=0.0)


ROWS = pl.DataFrame({"order_id": ["a", "b"], "amount": [1.0, -1.0]})


def test_the_decorator_without_brackets_is_refused_and_gives_no_plain_function():
    with pytest.raises(
        dc.errors.NotAContractError, match=r"dc\.asset was given the function orders where a contract stands"
    ):

        @dc.asset
        def orders():
            return ROWS


@pytest.mark.parametrize("thing", [dg.asset(lambda: None, name="orders"), Orders], ids=["an asset", "a class"])
def test_only_a_function_can_be_decorated(thing):
    with pytest.raises(
        dc.errors.UsageError, match=r"takes the contract and decorates a function: @dc\.asset\(Orders\)"
    ):
        dc.asset(Orders)(thing)


def test_a_contract_without_columns_is_refused_since_it_would_lose_them_all():
    class Empty(dy.Schema):
        pass

    with pytest.raises(dc.errors.NotAContractError, match="Empty declares no column"):
        dc.asset(Empty)


def test_a_column_that_holds_a_private_field_is_masked_whole():
    class People(dy.Schema):
        id = dy.Int64(min=1)
        who = dy.Struct({"name": dy.String(), "ssn": dy.String(metadata={"sensitive": True})}, nullable=True)
        many = dy.List(dy.Struct({"ssn": dy.String(metadata={"pii": True})}), nullable=True)

    @dc.asset(People, quarantine=True)
    def people():
        return pl.DataFrame(
            {"id": [0, 1], "who": [{"name": "n", "ssn": "SECRET"}] * 2, "many": [[{"ssn": "SECRET"}]] * 2},
        )

    run = dc.testing.run_asset(people)
    shown = repr([*run.checks.values(), run.materialization.metadata])
    assert "•••" in shown
    assert "SECRET" not in shown


@pytest.mark.parametrize("lazy", [False, True], ids=["eager", "lazy"])
def test_a_rule_whose_python_function_raises_is_named_and_quotes_nothing_private(lazy: bool):
    def numbers(column: pl.Series) -> pl.Series:
        return pl.Series([int(text) > 0 for text in column])

    class People(dy.Schema):
        ssn = dy.String(metadata={"sensitive": True})

        @dy.rule()
        def is_a_number(cls) -> pl.Expr:
            return cls.ssn.col.map_batches(numbers, return_dtype=pl.Boolean)

    @dc.asset(People)
    def people():
        frame = pl.DataFrame({"ssn": ["123-SECRET"]})
        return frame.lazy() if lazy else frame

    run = dc.testing.run_asset(people)
    assert isinstance(run.error, dc.errors.RuleError)
    assert "people: People: the rule 'is_a_number' does not evaluate" in str(run.error)
    assert "SECRET" not in str(run.error)


def test_a_lazy_rule_over_an_unknown_column_is_named():
    class Broken(dy.Schema):
        a = dy.Int64()

        @dy.rule()
        def by_nowhere(cls) -> pl.Expr:
            return pl.col("a").sum().over("nowhere") > 3

    @dc.asset(Broken)
    def broken():
        return pl.LazyFrame({"a": [1]})

    run = dc.testing.run_asset(broken)
    assert isinstance(run.error, dc.errors.RuleError)
    assert "the rule 'by_nowhere' does not evaluate" in str(run.error)


def test_names_that_are_the_packages_to_give_cannot_be_given_by_a_result():
    @dc.asset(Orders)
    def orders():
        return dg.MaterializeResult(value=ROWS.head(1), metadata={"dataframely/invalid_count": 99, "mine": 1})

    metadata = dc.testing.run_asset(orders).materialization.metadata
    assert "dataframely/invalid_count" not in metadata
    assert metadata["mine"] == 1


def test_a_run_without_data_says_of_min_rows_that_there_was_none():
    @dc.asset(Orders, min_rows=1)
    def orders():
        return None

    check = dc.testing.run_asset(orders).checks["contract__min_rows"]
    assert (check.passed, check.description) == (True, "There was no data; nothing was written.")


def test_validate_takes_frames_only_and_one_warning_as_a_text():
    with pytest.raises(dc.errors.UsageError, match=r"takes a pl\.DataFrame or a pl\.LazyFrame; got list"):
        dc.validate(Orders, [1])
    assert dc.validate(Orders, ROWS, warnings="amount|min").valid_count == 2


def test_checks_can_be_put_on_one_asset_without_a_list():
    assert len(dc.build_contract_checks(Orders, assets="orders")) == 1


def test_a_partition_without_a_file_is_explained_with_the_way_out(tmp_path):
    days = dg.StaticPartitionsDefinition(["a", "b"])

    @dc.asset(Orders, partitions_def=days)
    def daily():
        return ROWS.head(1)

    @dc.asset(Orders)
    def every(daily: dict[str, pl.LazyFrame]) -> pl.LazyFrame:
        return pl.concat(daily.values())

    with dg.DagsterInstance.ephemeral() as instance:
        storage = {"io_manager": dc.ParquetIOManager(base_dir=str(tmp_path))}
        dg.materialize([daily], partition_key="a", resources=storage, instance=instance)
        result = dg.materialize(
            [daily, every], selection=[every], resources=storage, instance=instance, raise_on_error=False
        )
    [failure] = [event for event in result.all_events if event.is_step_failure]
    text = failure.event_specific_data.error.to_string()
    assert "partition `b`: there is no file" in text
    assert 'dg.AssetIn(metadata={"allow_missing_partitions": True})' in text
