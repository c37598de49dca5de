"""Rows in assets: the six outcomes in every form rows come in, run and called, with and without partitions.

Every value of the input is text, so that the same content can come in every form and all of it has to be conformed. The
expectations are written by hand.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import dataframely as dy
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

import dagster_contracts as dc
from dagster_contracts.orchestration import conform

LETTERS = dg.StaticPartitionsDefinition(["a", "b"])
OLD = pl.DataFrame({"order_id": [99], "amount": [99]})


class OrderRows(dc.Schema):
    """Customer orders."""

    order_id: int = dc.field(primary_key=True)
    amount: int = Field(ge=0)


class Orders(dy.Schema):
    """Customer orders."""

    order_id = dy.Int64(primary_key=True)
    amount = dy.Int64(min=0)


@dataclasses.dataclass
class DataclassOrder:
    order_id: str
    amount: str


class PydanticOrder(BaseModel):
    order_id: str
    amount: str


COLUMNS, CONFORM, KEY, ID_NULL, AMOUNT_NULL, MIN, CHANGE = CHECKS = [
    "dy_schema__columns",
    "dy_row__conform",
    "dy_rule__primary_key",
    "dy_rule__order_id__nullability",
    "dy_rule__amount__nullability",
    "dy_rule__amount__min",
    "contract__schema_change",
]
NAMES = ["order_id", "amount"]


@pytest.fixture(scope="module")
def one_instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def instance(one_instance: dg.DagsterInstance) -> Iterator[dg.DagsterInstance]:
    yield one_instance
    one_instance.wipe()


# ------------------------------------------------------------------------------------------------- running and looking


@dataclasses.dataclass
class Seen:
    """What one run or call did, as somebody outside sees it."""

    table: list[tuple] | None = None
    quarantine: list[dict] | None = None
    checks: dict[str, str] = dataclasses.field(default_factory=dict)
    told: dict[str, dg.AssetCheckResult] = dataclasses.field(default_factory=dict)
    error: str | None = None
    message: str = ""
    metadata: dict[str, Any] | None = None

    def check(self, result: Any) -> None:
        assert result.check_name not in self.checks, "reported twice"
        self.checks[result.check_name] = "passed" if result.passed else result.severity.value
        self.told[result.check_name] = result


def plain(value: Any) -> Any:
    if isinstance(value, dg.TableMetadataValue):
        return [dict(record.data) for record in value.records]
    return value.value if isinstance(value, dg.MetadataValue) else value


def file_of(base: Path, name: str, partition: str | None) -> Path:
    return base / name / f"{partition}.parquet" if partition else base / f"{name}.parquet"


def run(asset: dg.AssetsDefinition, base: Path, instance: dg.DagsterInstance, partition: str | None = None) -> Seen:
    result = dg.materialize(
        [asset],
        instance=instance,
        partition_key=partition,
        raise_on_error=False,
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        resources={"io_manager": dc.ParquetIOManager(base_dir=str(base))},
    )
    seen = Seen()
    for event in result.all_events:
        if event.event_type is dg.DagsterEventType.ASSET_CHECK_EVALUATION:
            seen.check(event.event_specific_data)
        elif event.event_type is dg.DagsterEventType.ASSET_MATERIALIZATION:
            found = event.step_materialization_data.materialization.metadata
            seen.metadata = {key: plain(value) for key, value in found.items()}
        elif event.event_type is dg.DagsterEventType.STEP_FAILURE:
            error = event.step_failure_data.error
            seen.error, seen.message = error.cls_name, str(error)
    name = asset.key.path[-1]
    table, quarantine = (file_of(base, one, partition) for one in (name, f"{name}_quarantine"))
    seen.table = pl.read_parquet(table).rows() if table.exists() else None
    seen.quarantine = pl.read_parquet(quarantine).to_dicts() if quarantine.exists() else None
    assert not list(base.rglob(".*")), "something was left behind"
    return seen


def call(asset: dg.AssetsDefinition, partition: str | None = None) -> Seen:
    done = dc.testing.run_asset(asset, partition_key=partition)
    seen = Seen()
    for result in done.checks.values():
        seen.check(result)
    seen.table = None if done.table is None else done.table.rows()
    seen.quarantine = None if done.quarantine is None else done.quarantine.to_dicts()
    if done.materialization is not None:
        seen.metadata = {key: plain(value) for key, value in done.materialization.metadata.items()}
    if done.error is not None:
        seen.error, seen.message = type(done.error).__name__, str(done.error)
    return seen


def returning(value: Any, contract: Any = OrderRows, **kwargs: Any) -> dg.AssetsDefinition:
    @dc.asset(contract, **kwargs)
    def orders():
        return value() if callable(value) else value

    return orders


# -------------------------------------------------------------------------------------------------------- the outcomes

OK, NO, UNKNOWN = "valid", "invalid", "unknown"
VALID = [("3", "30"), ("1", "10"), ("2", "0")]
MIXED = [("2", "6"), ("1", "5"), ("4", "x"), ("2", "7"), ("3", "-1"), ("5", "0"), ("y", "8")]
REFUSED = [("1", "x"), ("y", "2")]
BROKEN = [("1", "-1"), ("1", "-2")]
EXTRA = [("1", "5")]

# rows, quarantine | table, order_id of the quarantine's rows and what their columns read, check results, error
TABLE: dict[str, tuple] = {
    "valid, none": (VALID, False, [(3, 30), (1, 10), (2, 0)], None, {}, None),
    "valid, quarantine": (VALID, True, [(3, 30), (1, 10), (2, 0)], None, {}, None),
    "empty, none": ([], False, [], None, {}, None),
    "empty, quarantine": ([], True, [], None, {}, None),
    "mixed, none": (MIXED, False, "old", None, dict.fromkeys([CONFORM, KEY, MIN], "ERROR"), "SchemaError"),
    "refused, none": (REFUSED, False, "old", None, {CONFORM: "ERROR"}, "SchemaError"),
    "broken, none": (BROKEN, False, "old", None, dict.fromkeys([KEY, MIN], "ERROR"), "ValidationAbortError"),
    "mixed, quarantine": (
        MIXED,
        True,
        [(1, 5), (5, 0)],
        [(2, 6, OK, NO, OK), (4, None, "amount", UNKNOWN, UNKNOWN), (2, 7, OK, NO, OK), (3, -1, OK, OK, NO), (None, 8, "order_id", UNKNOWN, UNKNOWN)],
        dict.fromkeys([CONFORM, KEY, MIN], "WARN"),
        None,
    ),
    "refused, quarantine": (
        REFUSED,
        True,
        "old",
        [(1, None, "amount", UNKNOWN, UNKNOWN), (None, 2, "order_id", UNKNOWN, UNKNOWN)],
        {CONFORM: "ERROR"},
        "NoValidRowsError",
    ),
    "broken, quarantine": (
        BROKEN,
        True,
        "old",
        [(1, -1, OK, NO, NO), (1, -2, OK, NO, NO)],
        dict.fromkeys([KEY, MIN], "ERROR"),
        "NoValidRowsError",
    ),
    "nothing, none": (None, False, "old", None, {}, None),
    "nothing, quarantine": (None, True, "old", None, {}, None),
}  # fmt: skip


def dicts(rows: list[tuple]) -> list[dict]:
    return [dict(zip(NAMES, row, strict=True)) for row in rows]


def frame(rows: list[tuple]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(NAMES, pl.String), orient="row")


FORMS = {
    "list of dicts": dicts,
    "generator of dicts": lambda rows: iter(dicts(rows)),
    "pages": lambda rows: (page for page in (dicts(rows[:2]), [], dicts(rows[2:]))),
    "dataclasses": lambda rows: [DataclassOrder(*row) for row in rows],
    "pydantic objects": lambda rows: tuple(PydanticOrder(**row) for row in dicts(rows)),
    "Arrow": lambda rows: frame(rows).to_arrow(),
    "record batches": lambda rows: frame(rows).to_arrow().to_reader(max_chunksize=2),
    "pandas": lambda rows: pd.DataFrame(dicts(rows), columns=NAMES),
    "result of rows": lambda rows: dg.MaterializeResult(value=dicts(rows)),
}
FRAMES = {
    "DataFrame": frame,
    "LazyFrame": lambda rows: frame(rows).lazy(),
    "generator of frames": lambda rows: iter([frame(rows[:3]), frame(rows[3:])]),
    "rows and frames": lambda rows: iter([*dicts(rows[:2]), frame(rows[2:4]), dicts(rows[4:])]),
}
WAYS = list(itertools.product([False, True], [None, "a"]))
SOONER = ("valid, quarantine", "mixed, none", "mixed, quarantine", "refused, quarantine")
"""In the short form: one form in every case and way, every form in these cases in one way."""
CASES = [
    pytest.param(case, form, way, marks=[] if sooner else [pytest.mark.slow])
    for at, (case, form) in enumerate(itertools.product(TABLE, FORMS | FRAMES))
    for way in WAYS
    if TABLE[case][0] is not None or form == "list of dicts"
    for sooner in [form == "list of dicts" or (case in SOONER and way == WAYS[at % 4])]
]


def lands(seen: Seen, expected: tuple, contract: Any) -> None:
    _, _, table, quarantine, failing, error = expected
    assert seen.error == error, seen.message
    assert seen.table == table
    checks = dict.fromkeys(CHECKS, "passed") | failing
    if contract is Orders:  # the contract of a frame has no check of its own for rows
        assert checks.pop(CHANGE) == "passed"
        checks[COLUMNS] = checks.pop(CONFORM)
    assert seen.checks == checks
    if quarantine is None:
        assert seen.quarantine is None
        return
    found = [(row["order_id"], row["amount"], row[CONFORM], row[KEY], row[MIN]) for row in seen.quarantine]
    assert [(*row[:2], *row[3:]) for row in found] == [(*row[:2], *row[3:]) for row in quarantine]
    for row, (_, _, told, _, _), whole in zip(found, quarantine, seen.quarantine, strict=True):
        if told == OK:
            assert (row[2], whole["raw"]) == (OK, None)
        else:
            assert row[2].startswith(told), row[2]
            assert isinstance(whole["raw"], str)


@pytest.mark.parametrize(("case", "form", "way"), CASES)
def test_the_outcomes_of_rows(tmp_path, instance, case, form, way):
    expected, (called, partition) = TABLE[case], way
    value = None if expected[0] is None else (lambda: (FORMS | FRAMES)[form](expected[0]))
    asset = returning(value, quarantine=expected[1], partitions_def=LETTERS if partition else None)
    old = None
    if called:
        seen = call(asset, partition)
    else:
        file_of(tmp_path, "orders", partition).parent.mkdir(exist_ok=True)
        OLD.write_parquet(file_of(tmp_path, "orders", partition))
        seen, old = run(asset, tmp_path, instance, partition), [(99, 99)]
    lands(seen, (*expected[:2], old if expected[2] == "old" else expected[2], *expected[3:]), OrderRows)


@pytest.mark.parametrize("form", ["list of dicts", "Arrow", "pandas"])
@pytest.mark.parametrize("case", TABLE)
def test_the_outcomes_of_rows_under_a_contract_on_frames(case, form):
    expected = TABLE[case]
    value = None if expected[0] is None else FORMS[form](expected[0])
    seen = call(returning(value, Orders, quarantine=expected[1]))
    lands(seen, (*expected[:2], None if expected[2] == "old" else expected[2], *expected[3:]), Orders)


def test_the_checks_are_declared_before_any_run_and_the_columns_and_json_schema_too():
    asset = returning(None, quarantine=True, min_rows=1)
    assert [spec.name for spec in asset.check_specs] == [*CHECKS[:-1], "contract__min_rows", CHANGE]
    assert [spec.name for spec in asset.check_specs if spec.blocking] == [COLUMNS]
    metadata = asset.get_asset_spec().metadata
    assert [(column.name, column.type) for column in metadata["dagster/column_schema"].columns] == [
        ("order_id", "Int64"),
        ("amount", "Int64"),
    ]
    assert set(metadata["contract/json_schema"].value["properties"]) == set(NAMES)
    assert asset.get_asset_spec().description == "Customer orders."


# ------------------------------------------------------------------------------------------------ large, and in the order


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch):
    """As if every batch and every held frame were too large."""
    monkeypatch.setattr(conform, "BATCH_ROWS", 7)
    monkeypatch.setattr(conform, "HELD_BYTES", 200)


def many(count: int) -> list[dict]:
    amounts = [1, "2", "x", -1, None, 3]
    return [{"order_id": at, "amount": amounts[at * 7 % 11 % 6]} for at in range(count)]


@pytest.mark.parametrize("contract", [OrderRows, Orders])
def test_what_is_too_large_to_hold_is_whole_in_order_and_leaves_nothing_behind(
    tmp_path, instance, small_batches, contract
):
    rows = many(500)
    seen = run(returning(lambda: iter(rows), contract, quarantine=True), tmp_path, instance)
    good = [row["order_id"] for row in rows if row["amount"] in (1, "2", 3)]
    assert seen.error is None, seen.message
    assert [row[0] for row in seen.table] == good
    assert [row["order_id"] for row in seen.quarantine] == [at for at in range(500) if at not in good]
    assert seen.metadata["dagster/row_count"] == len(good)
    assert seen.metadata["dataframely/invalid_count"] == 500 - len(good)
    refused = [row for row in rows if row["amount"] in ("x", None)]
    assert {row["rules"]: row["rows"] for row in seen.metadata["dataframely/invalid_by_rules"]} == {
        "conform": len(refused),
        "amount|min": 500 - len(good) - len(refused),
    }
    assert [row["column"] for row in seen.metadata["dataframely/valid_stats/numeric"]] == NAMES
    assert list(seen.metadata["dataframely/valid_sample"][0]) == NAMES


def test_clean_rows_that_are_too_large_to_hold(tmp_path, instance, small_batches):
    rows = [{"order_id": str(at), "amount": "1"} for at in range(100)]
    seen = run(returning(lambda: iter(rows), quarantine=True), tmp_path, instance)
    assert (seen.error, seen.quarantine) == (None, None)
    assert seen.table == [(at, 1) for at in range(100)]


def test_a_contract_with_a_rule_over_every_column_keeps_its_meaning(tmp_path, instance):
    """The row's number, which no other row has, must not make equal rows differ."""

    class Distinct(dy.Schema):
        x = dy.Int64()

        @dy.rule()
        def no_row_twice(cls) -> pl.Expr:
            return pl.struct(pl.all()).is_unique()

    seen = run(returning([{"x": 1}, {"x": "no"}, {"x": 1}, {"x": 2}], Distinct, quarantine=True), tmp_path, instance)
    assert seen.table == [(2,)]
    assert sorted(row["x"] or 0 for row in seen.quarantine) == [0, 1, 1]


VALUES = st.sampled_from([1, 2, "3", " 4 ", "x", -1, None, 2.5, True, [], "5.0", 2**70])
ROWS = st.lists(
    st.one_of(
        st.fixed_dictionaries({"amount": VALUES}, optional={"note": st.sampled_from(["n", 1, None, {"a": 1}])}),
        st.sampled_from([{}, None, 5, {"amount": 1, "more": 2}]),
    ),
    max_size=30,
)


class Amounts(dc.Schema):
    at: int
    amount: int = Field(ge=0)
    note: str | None = None


@given(rows=ROWS, batch=st.integers(1, 9), held=st.sampled_from([1, 300, 1 << 20]))
@settings(max_examples=10)
def test_whatever_comes_is_in_the_table_or_in_the_quarantine_once_and_in_its_order(rows, batch, held):
    """The law by another way: each row alone, in an asset of its own, and all together in batches of any size."""
    numbered = [{"at": at, **row} if isinstance(row, dict) else row for at, row in enumerate(rows)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conform, "BATCH_ROWS", batch)
        patch.setattr(conform, "HELD_BYTES", held)
        together = call(returning(lambda: iter([{"at": -1, "amount": 0}, *numbered]), Amounts, quarantine=True))
    valid, invalid = [(-1, 0, None)], []
    for row in numbered:
        alone = call(returning([{"at": -1, "amount": 0}, row], Amounts, quarantine=True))
        valid += alone.table[1:]
        invalid += alone.quarantine or []
    assert len(valid) + len(invalid) == len(numbered) + 1
    assert together.table == valid
    # Only the number of the row in a message is another one.
    assert [{**row, CONFORM: ""} for row in together.quarantine or []] == [{**row, CONFORM: ""} for row in invalid]


def test_a_generator_may_fill_one_dict_again_and_again():
    def rows():
        row: dict[str, int] = {}
        for at in range(5):
            row["order_id"], row["amount"] = at, at
            yield row

    assert call(returning(rows)).table == [(at, at) for at in range(5)]


# ------------------------------------------------------------------------------------------------------- what is reported


def test_what_is_said_of_rows_that_could_not_be_conformed(tmp_path, instance):
    seen = run(returning(dicts(MIXED), quarantine=True), tmp_path, instance)
    found = seen.told[CONFORM]
    metadata = {key: plain(value) for key, value in found.metadata.items()}
    assert (metadata["dy_failed_count"], metadata["dy_checked_count"]) == (2, 7)
    assert [row["order_id"] for row in metadata["dy_failed_sample"]] == [4, None]
    assert seen.metadata["dataframely/invalid_count"] == 5
    assert seen.metadata["dataframely/invalid_by_rules"] == [
        {"rules": "conform", "rows": 2},
        {"rules": "primary_key", "rows": 2},
        {"rules": "amount|min", "rows": 1},
    ]
    sample = seen.metadata["dataframely/invalid_sample"]
    assert [row["dy_rules"].split(":")[0] for row in sample] == [
        "primary_key",
        "conform",
        "primary_key",
        "amount|min",
        "conform",
    ]
    assert sample[1]["raw"] == '{"order_id": "4", "amount": "x"}'
    assert {key: plain(value) for key, value in seen.told[KEY].metadata.items()}["dy_checked_count"] == 5


def test_without_a_quarantine_the_error_names_rows_fields_and_reasons():
    seen = call(returning(dicts(MIXED)))
    assert seen.message.startswith("orders: 2 of 7 rows cannot be brought to the types of OrderRows")
    assert "row 2, field 'amount'" in seen.message
    assert "row 6, field 'order_id'" in seen.message
    assert "quarantine=True" in seen.message
    error = dc.testing.run_asset(returning(dicts(MIXED))).error
    assert [(failure.row, failure.field, failure.code) for failure in error.failures] == [
        (2, "amount", "value"),
        (6, "order_id", "value"),
    ]


def test_many_undeclared_keys_are_named_up_to_a_bound(tmp_path, instance):
    row = {"order_id": 1, "amount": 1, **{f"k{at:03}": 1 for at in range(300)}}
    seen = run(returning([row]), tmp_path, instance)
    told = plain(seen.told[COLUMNS].metadata["contract/dropped_columns"])
    assert told == ", ".join(f"k{at:03}" for at in range(20)) + " and 280 more"
    assert seen.metadata["contract/dropped_columns"] == 300


@pytest.mark.parametrize(
    ("limit", "error"), [(5, None), (4, "TooManyInvalidRowsError"), (0.72, None), (0.71, "TooManyInvalidRowsError")]
)
def test_refused_rows_count_in_max_invalid(limit, error):
    assert call(returning(dicts(MIXED), quarantine=True, max_invalid=limit)).error == error


@pytest.mark.parametrize(("least", "error"), [(2, None), (3, "TooFewRowsError")])
def test_refused_rows_do_not_count_in_min_rows(least, error):
    seen = call(returning(dicts(MIXED), quarantine=True, min_rows=least))
    assert seen.error == error
    assert seen.checks["contract__min_rows"] == ("ERROR" if error else "passed")


def test_a_clean_run_empties_what_refused_rows_left(tmp_path, instance):
    run(returning(dicts(REFUSED[:1] + VALID), quarantine=True), tmp_path, instance)
    before = pl.read_parquet_schema(tmp_path / "orders_quarantine.parquet")
    seen = run(returning(dicts(VALID), quarantine=True), tmp_path, instance)
    assert seen.quarantine == []
    assert pl.read_parquet_schema(tmp_path / "orders_quarantine.parquet") == before


def test_sensitive_values_are_nowhere_but_in_the_quarantine(tmp_path, instance):
    class Members(dc.Schema):
        id: int = dc.field(primary_key=True)
        pin: int = dc.field(sensitive=True)
        note: str | None = None

    rows = [{"id": 1, "pin": "SECRET-1"}, {"id": "x", "pin": 424242}, {"id": 3, "pin": 515151}]
    for kwargs in ({"quarantine": True}, {}):
        asset = returning(rows, Members, **kwargs)
        seen = run(asset, tmp_path, instance)
        logs = "\n".join(str(entry) for entry in instance.all_logs(instance.get_runs()[0].run_id))
        for secret in ("SECRET-1", "424242", "515151"):
            assert secret not in logs
            assert secret not in str(seen.metadata)
            assert secret not in seen.message
    assert "SECRET-1" in pl.read_parquet(tmp_path / "orders_quarantine.parquet")["raw"][0]


@pytest.mark.parametrize("granularity", ["column", "schema"])
def test_conforming_has_its_own_check_at_every_granularity(granularity):
    seen = call(returning(dicts(REFUSED[:1] + VALID), quarantine=True, check_granularity=granularity))
    assert {name for name, found in seen.checks.items() if found != "passed"} == {CONFORM}


def test_a_contract_with_a_column_called_raw():
    class Raw(dc.Schema):
        raw: int

    seen = call(returning([{"raw": "x"}, {"raw": 1}], Raw, quarantine=True))
    assert seen.quarantine[0]["dy_row__raw"] == '{"raw": "x"}'
    assert seen.quarantine[0]["raw"] is None


def test_the_quarantine_in_the_graph_has_the_columns_that_are_written(tmp_path, instance):
    asset = returning(dicts(MIXED), quarantine=True)
    spec = dc.build_quarantine_spec(OrderRows, asset)
    run(asset, tmp_path, instance)
    written = pl.read_parquet_schema(tmp_path / "orders_quarantine.parquet")
    shown = spec.metadata["dagster/column_schema"].columns
    assert {column.name: column.type for column in shown} == {name: str(dtype) for name, dtype in written.items()}
    assert [column.name for column in shown] == list(written)


# -------------------------------------------------------------------------------------- strategies, normalizer, defaults


@pytest.mark.parametrize("strategy", ["strict", dc.MaterializationStrategy.STRICT])
def test_strict_refuses_what_reconcile_repairs(strategy):
    rows = [{"order_id": 1, "amount": 1}, {"order_id": "2", "amount": 1}, {"order_id": 3, "amount": 1, "more": 1}]
    assert len(call(returning(rows, quarantine=True)).table) == 3
    seen = call(returning(rows, quarantine=True, materialization_strategy=strategy))
    assert seen.table == [(1, 1)]
    assert len(seen.quarantine) == 2


def test_the_strategy_of_the_environment_and_of_a_group(monkeypatch):
    rows = [{"order_id": "1", "amount": 1}]
    strict = dc.asset_defaults(materialization_strategy="strict", group_name="shop")

    def orders():
        return rows

    assert call(strict(OrderRows)(orders)).error == "SchemaError"
    assert strict(OrderRows)(orders).get_asset_spec().group_name == "shop"
    assert call(strict(OrderRows, materialization_strategy="auto")(orders)).error is None
    monkeypatch.setenv("DAGSTER_CONTRACTS_MATERIALIZATION_STRATEGY", "strict")
    assert call(returning(rows)).error == "SchemaError"
    assert call(returning(rows, materialization_strategy="reconcile")).error is None
    assert call(dc.asset_defaults(materialization_strategy="reconcile")(OrderRows)(orders)).error is None


def test_defaults_that_cannot_work_are_refused_where_they_are_given():
    for arguments, text in (
        ({"materialisation_strategy": "strict"}, "Did you mean 'materialization_strategy'?"),
        ({"materialization_strategy": "repair"}, "allowed is 'reconcile' or 'strict'"),
        ({"name": "orders"}, "belongs to one asset"),
        ({"on_schema_change": "ignore"}, "on_schema_change is 'ignore'"),
    ):
        with pytest.raises(dc.errors.InvalidSettingError) as caught:
            dc.asset_defaults(**arguments)
        assert text in str(caught.value)


def test_the_normalizer_is_given_what_the_function_gave():
    def unwrap(pages):
        for page in pages:
            for row in page["data"]:
                yield {name.lower(): value for name, value in row.items()}

    pages = [{"data": [{"ORDER_ID": 1, "Amount": "2"}]}, {"data": []}, {"data": [{"order_id": 2, "amount": 3}]}]
    assert call(returning(lambda: iter(pages), normalizer=unwrap)).table == [(1, 2), (2, 3)]
    assert (
        call(
            returning(
                dg.MaterializeResult(value=pages),
                normalizer=lambda given: [row for page in given for row in page["data"]],
            )
        ).error
        == "SchemaError"
    )
    assert call(returning(None, normalizer=unwrap)).error is None


@pytest.mark.parametrize("contract", [OrderRows, Orders, None])
@pytest.mark.parametrize(
    "value", [[], dicts(VALID), iter(dicts(VALID)), frame(VALID)], ids=lambda value: type(value).__name__
)
def test_a_normalizer_that_forgets_to_return_is_no_run_without_data(contract, value):
    seen = call(returning(lambda: value, contract, normalizer=lambda _: None))
    assert (seen.error, seen.table) == ("ReturnTypeError", None)
    assert f"the normalizer of orders was given {type(value).__name__} and returned None" in seen.message


def test_an_error_of_the_normalizer_says_whose_it_is():
    with pytest.raises(ZeroDivisionError) as caught:
        call(returning([], normalizer=lambda _: 1 / 0))
    assert caught.value.__notes__ == ["Raised by the normalizer of orders. Nothing was written."]


# -------------------------------------------------------------------------------------------------- changes of the schema

NEW = [
    {"order_id": 1, "amount": 1},
    {"order_id": 2, "amount": 2, "note": "n", "count": 3},
    {"order_id": 3, "amount": 3, "count": 2.5},
]


def test_new_keys_are_dropped_with_one_line_and_counted(tmp_path, instance):
    seen = run(returning(NEW), tmp_path, instance)
    assert seen.table == [(1, 1), (2, 2), (3, 3)]
    assert seen.metadata["contract/dropped_columns"] == 2
    logs = [entry.user_message for entry in instance.all_logs(instance.get_runs()[0].run_id)]
    assert [line for line in logs if "undeclared" in line] == ["orders: dropped 2 undeclared columns: note, count"]


@pytest.mark.parametrize("argument", ["on_schema_change", "on_extra_columns"])
def test_new_keys_can_be_refused(tmp_path, instance, argument):
    seen = run(returning(NEW, quarantine=True, **{argument: "raise"}), tmp_path, instance)
    assert (seen.error, seen.table, seen.quarantine) == ("ColumnSchemaError", None, None)
    assert seen.checks == {COLUMNS: "ERROR"}
    assert "'note' is not declared (found str)" in seen.message


class Line(BaseModel):
    sku: str


class Basket(dc.Schema):
    order_id: int = dc.field(alias="orderId")
    lines: list[Line]


LEFT_OUT = [
    ({"orderId": 1, "lines": [{"sku": "a", "gift": True}]}, "Line.gift"),
    ({"orderId": 1, "order_id": 2, "lines": []}, "order_id (beside its key)"),
]


@pytest.mark.parametrize(("row", "key"), LEFT_OUT)
@pytest.mark.parametrize("bad", [False, True])
def test_no_key_is_left_out_unseen_wherever_it_stands(tmp_path, instance, row, key, bad):
    @dc.asset(Basket, quarantine=True)
    def baskets():
        return [row, {"orderId": 3, "lines": []}, *([{"orderId": "x", "lines": []}] if bad else [])]

    seen = run(baskets, tmp_path, instance)
    assert seen.metadata["contract/dropped_columns"] == 1
    logs = [entry.user_message for entry in instance.all_logs(instance.get_runs()[0].run_id)]
    assert [line for line in logs if "undeclared" in line] == [f"baskets: dropped 1 undeclared columns: {key}"]


@pytest.mark.parametrize(("row", "key"), LEFT_OUT)
def test_where_none_may_come_such_a_key_is_refused_too(row, key):
    @dc.asset(Basket, quarantine=True, on_schema_change="raise")
    def baskets():
        return [{"orderId": 3, "lines": []}, row]

    error = dc.testing.run_asset(baskets).error
    assert isinstance(error, dc.errors.ColumnSchemaError)
    assert f"'{key}' is not declared" in str(error)


@pytest.mark.parametrize("small", [False, True])
def test_new_keys_can_be_kept(tmp_path, instance, monkeypatch, small):
    if small:
        monkeypatch.setattr(conform, "BATCH_ROWS", 1)
        monkeypatch.setattr(conform, "HELD_BYTES", 1)
    seen = run(
        returning([*NEW, {"order_id": "x", "amount": 1, "note": "lost?"}], quarantine=True, on_schema_change="keep"),
        tmp_path,
        instance,
    )
    table = pl.read_parquet(tmp_path / "orders.parquet")
    assert table.to_dict(as_series=False) == {
        "order_id": [1, 2, 3],
        "amount": [1, 2, 3],
        "note": [None, "n", None],
        "count": [None, 3.0, 2.5],
    }
    assert "lost?" in seen.quarantine[0]["raw"]
    assert "contract/dropped_columns" not in seen.metadata


@pytest.mark.parametrize(
    ("new", "told"),
    [
        (pl.Series([1, 2], dtype=pl.Datetime("ns")), '"1970-01-01T00:00:00.000000001"'),
        (
            pl.Series([2_147_483_647, 2], dtype=pl.Int32).cast(pl.Date),
            '"<2147483647 days, counted from 1970 if it is a',
        ),
    ],
)
def test_a_kept_key_stands_whole_in_the_refused_row(new, told):
    table = pl.DataFrame({"order_id": ["x", "2"], "amount": [1, 1], "new": new})
    quarantine = dc.testing.run_asset(returning(table, quarantine=True, on_schema_change="keep")).quarantine
    assert quarantine is not None
    (raw,) = quarantine["raw"]
    assert raw.startswith(f'{{"order_id": "x", "amount": 1, "new": {told}')


def test_both_ways_to_say_it_must_agree():
    with pytest.raises(dc.errors.InvalidSettingError, match="both say what becomes of undeclared columns"):
        dc.asset(OrderRows, on_extra_columns="keep", on_schema_change="drop")


def test_a_missing_nullable_column_is_filled_and_a_changed_type_is_refused():
    class Notes(dc.Schema):
        id: int
        note: str | None = None

    assert call(returning([{"id": 1}, {"id": 2, "note": "n"}], Notes)).table == [(1, None), (2, "n")]
    assert call(returning([{"id": [1]}], Notes)).error == "SchemaError"


def test_what_changed_since_the_last_materialization_is_a_warning_with_a_table(tmp_path, instance):
    first = run(returning([{"order_id": 1, "amount": 2, "gone": 1}]), tmp_path, instance)
    assert first.checks[CHANGE] == "passed"
    assert first.told[CHANGE].description.startswith("Nothing to compare with")
    same = run(returning([{"order_id": 1, "amount": 2, "gone": 7}]), tmp_path, instance)
    assert same.checks[CHANGE] == "passed"
    assert same.told[CHANGE].description == "The same 3 columns as last time."
    failed = run(returning([{"order_id": "x", "amount": 2}]), tmp_path, instance)
    assert failed.error == "SchemaError"
    changed = run(returning([{"order_id": 1, "amount": "2", "new": 1.5}]), tmp_path, instance)
    assert (changed.error, changed.checks[CHANGE]) == (None, "WARN")
    assert plain(changed.told[CHANGE].metadata["contract/schema_changes"]) == [
        {"column": "new", "change": "added", "before": None, "now": "float"},
        {"column": "gone", "change": "removed", "before": "int", "now": None},
        {"column": "amount", "change": "retyped", "before": "int", "now": "str"},
    ]
    skipped = run(returning(None), tmp_path, instance)
    assert skipped.told[CHANGE].description == "There was no data."


# ------------------------------------------------------------------------------------------- functions, and what fails


def test_functions_that_yield_and_async_ones():
    @dc.asset(OrderRows)
    def orders(raw: list[dict]):
        yield from raw

    @dc.asset(OrderRows, quarantine=True)
    async def yielded():
        for row in dicts(MIXED):
            await asyncio.sleep(0)
            yield row

    @dc.asset(OrderRows)
    async def returned():
        return dicts(VALID)

    assert dc.testing.run_asset(orders, dicts(VALID)).table.height == 3
    assert call(yielded).table == [(1, 5), (5, 0)]
    assert call(returned).table == [(3, 30), (1, 10), (2, 0)]


def test_an_async_generator_in_a_run(tmp_path, instance):
    @dc.asset(OrderRows, quarantine=True)
    async def orders():
        yield dicts(MIXED)

    assert run(orders, tmp_path, instance).table == [(1, 5), (5, 0)]


def test_what_an_async_generator_cannot_be_is_refused_at_definition():
    async def orders():
        yield {}

    with pytest.raises(dc.errors.InvalidSettingError, match="a normalizer cannot be given"):
        dc.asset(OrderRows, normalizer=list)(orders)
    with pytest.raises(dc.errors.UsageError, match="needs a contract"):
        dc.asset()(orders)


def broken_after(count: int, error: Exception) -> Iterator[dict]:
    for at in range(count):
        yield {"order_id": at, "amount": 1}
    raise error


@pytest.mark.parametrize("spill", [False, True])
def test_a_generator_that_raises_loses_nothing_and_leaves_nothing(tmp_path, instance, monkeypatch, spill):
    if spill:
        monkeypatch.setattr(conform, "BATCH_ROWS", 7)
        monkeypatch.setattr(conform, "HELD_BYTES", 200)
    OLD.write_parquet(tmp_path / "orders.parquet")
    seen = run(returning(lambda: broken_after(100, OSError("the API went away")), quarantine=True), tmp_path, instance)
    assert "the API went away" in seen.message
    assert seen.table == [(99, 99)]
    assert (seen.quarantine, seen.checks) == (None, {})


def test_an_error_of_the_function_is_its_own_and_says_how_far_it_came():
    with pytest.raises(OSError, match="the API went away") as caught:
        call(returning(lambda: broken_after(100, OSError("the API went away"))))
    assert "after it had given 100 rows" in caught.value.__notes__[0]


def test_a_generator_that_raises_is_retried_as_the_policy_says(tmp_path, instance):
    tries = []

    @dc.asset(OrderRows, retry_policy=dg.RetryPolicy(max_retries=1))
    def orders():
        tries.append(1)
        yield from broken_after(3, OSError()) if len(tries) == 1 else dicts(VALID)

    assert run(orders, tmp_path, instance).error is None
    assert len(tries) == 2


def test_rows_that_cannot_be_conformed_are_not_retried(tmp_path, instance):
    tries = []

    @dc.asset(OrderRows, retry_policy=dg.RetryPolicy(max_retries=2))
    def orders():
        tries.append(1)
        yield from dicts(REFUSED)

    assert run(orders, tmp_path, instance).error == "SchemaError"
    assert len(tries) == 1


def test_a_generator_is_closed_when_nothing_more_is_wanted():
    closed = []

    def rows():
        try:
            while True:
                yield [{"order_id": 1, "amount": 1, "new": 1}] * 50_000
        finally:
            closed.append(True)

    assert call(returning(rows, on_schema_change="raise")).error == "ColumnSchemaError"
    assert closed == [True]


@pytest.mark.parametrize("contract", [OrderRows, Orders])
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "orders returned int; a contract asset returns"),
        ("rows", "orders returned str;"),
        (b"rows", "orders returned bytes;"),
        ({"order_id": 1}, "Return [row]."),
        (DataclassOrder("1", "2"), "return [DataclassOrder(…)]"),
        ({1, 2}, "orders returned set;"),
        (pl.Series([1]), "orders returned Series;"),
        ([1, 2], "orders returned rows that begin with int;"),
        (lambda: iter(["a"]), "rows that begin with str;"),
        ([None], "rows that begin with NoneType;"),
        (lambda: iter([dg.MaterializeResult()]), "Yield the rows alone"),
        (lambda: iter([{"order_id": 1, "amount": 1}, dg.Output(1)]), "Yield the rows alone"),
        (pl.DataFrame, "orders returned"),
        (object(), "orders returned object;"),
        (lambda: print, "orders returned builtin_function_or_method;"),
    ],
    ids=repr,
)
def test_what_is_no_table_is_an_asset_error_that_names_the_type(contract, value, text):
    seen = call(returning(value if callable(value) and not isinstance(value, type) else lambda: value, contract))
    assert (seen.error, seen.table) == ("ReturnTypeError", None)
    assert text in seen.message
    assert issubclass(dc.errors.ReturnTypeError, dc.errors.AssetError)


def test_something_else_between_rows_is_a_row_that_cannot_be_conformed():
    seen = call(
        returning(iter([{"order_id": 1, "amount": 1}, None, "x", {"order_id": 2, "amount": 2}]), quarantine=True)
    )
    assert seen.table == [(1, 1), (2, 2)]
    assert [row[CONFORM].split("]")[0] for row in seen.quarantine] == ["[not_a_row"] * 2


def test_a_frame_of_other_dtypes_is_never_cast_under_a_contract_on_frames():
    wrong = pl.DataFrame({"order_id": ["1"], "amount": [1]})
    for value in (wrong, iter([wrong]), iter([{"order_id": 1, "amount": 1}, wrong])):
        seen = call(returning(value, Orders, quarantine=True))
        assert (seen.error, seen.checks) == ("ColumnSchemaError", {COLUMNS: "ERROR"})
    good = pl.DataFrame({"order_id": [1], "amount": [1], "more": [2]})
    seen = call(returning(iter([good, {"order_id": "2", "amount": 2}]), Orders))
    assert (seen.error, seen.table) == (None, [(1, 1), (2, 2)])
    assert seen.metadata["contract/dropped_columns"] == 1


# ----------------------------------------------------------------------------------------------------- without a contract


@pytest.mark.parametrize("form", FORMS | FRAMES)
def test_a_table_without_a_contract_is_written_in_the_types_it_has(tmp_path, instance, form):
    if form == "rows and frames":
        return
    seen = run(returning((FORMS | FRAMES)[form](VALID), None), tmp_path, instance)
    assert seen.table == VALID
    assert seen.checks == {}
    assert seen.metadata["dagster/row_count"] == 3


def test_rows_without_a_contract_get_the_types_that_fit_all_of_them(tmp_path, instance):
    rows = [{"a": 1, "b": "x"}, {"a": 1.5, "c": True}]
    run(returning(iter(rows), None), tmp_path, instance)
    table = pl.read_parquet(tmp_path / "orders.parquet")
    assert dict(table.schema) == {"a": pl.Float64, "b": pl.String, "c": pl.Boolean}
    assert table.rows() == [(1.0, "x", None), (1.5, None, True)]


class Keeper(dg.IOManager):
    def __init__(self):
        self.kept, self.schema = None, "never asked"

    def handle_output(self, context, obj):
        self.kept, self.schema = obj, dc.effective_schema(context)

    def load_input(self, context):
        raise NotImplementedError


@pytest.mark.parametrize("value", [5, "text", {"a": 1}, [1, 2], [], {1, 2}], ids=repr)
def test_what_is_no_table_passes_untouched_without_a_contract(instance, value):
    keeper = Keeper()
    result = dg.materialize([returning(value, None)], resources={"io_manager": keeper}, instance=instance)
    assert result.success
    assert keeper.kept is value
    assert keeper.schema is None


def test_a_bare_decorator_is_refused_with_both_ways_to_write_it():
    with pytest.raises(dc.errors.NotAContractError, match=r"given the function orders .*@dc\.asset\(\) for an asset"):

        @dc.asset
        def orders(): ...


def test_rows_that_no_frame_can_hold_pass_as_they_are_and_the_log_says_why(instance):
    keeper, rows = Keeper(), [{"a": object()}]
    assert dg.materialize([returning(rows, None)], resources={"io_manager": keeper}, instance=instance).success
    assert (keeper.kept, keeper.schema) == (rows, None)
    logs = [entry.user_message for entry in instance.all_logs(instance.get_runs()[0].run_id)]
    assert [line for line in logs if "so it passes as it is" in line]


def test_min_rows_of_what_has_no_rows_is_an_error():
    assert call(returning(5, None, min_rows=1)).error == "ReturnTypeError"


# ----------------------------------------------------------------------------------------------------- effective schema


def fields_of(schema: Any) -> list[tuple[str, str, bool]]:
    return [(spec.name, str(spec.type), spec.nullable) for spec in schema.field_specs()]


def test_an_io_manager_is_told_what_it_writes(instance):
    def schema_of(value: Any, contract: Any) -> Any:
        keeper = Keeper()
        assert dg.materialize([returning(value, contract)], resources={"io_manager": keeper}, instance=instance).success
        return keeper.schema

    assert schema_of(dicts(VALID), OrderRows) is OrderRows
    declared = [("order_id", "Int64", False), ("amount", "Int64", False)]
    assert fields_of(schema_of(dicts(VALID), Orders)) == declared
    assert fields_of(schema_of(pl.DataFrame({"order_id": [1], "amount": [1]}), Orders)) == declared
    assert fields_of(schema_of([{"a": 1}, {"a": 1.5}], None)) == [("a", "Float64", True)]
    assert fields_of(schema_of(pl.DataFrame({"a": ["x"]}), None)) == [("a", "String", True)]


def test_a_quarantine_and_a_plain_asset_have_no_effective_schema(tmp_path, instance):
    seen: dict[str, Any] = {}

    class Manager(dg.IOManager):
        def handle_output(self, context, obj):
            seen[context.asset_key.to_user_string()] = dc.effective_schema(context)

        def load_input(self, context):
            raise NotImplementedError

    @dg.asset
    def plain_asset():
        return 1

    asset = returning(dicts(MIXED), quarantine=True)
    assert dg.materialize([asset, plain_asset], resources={"io_manager": Manager()}, instance=instance).success
    assert seen == {"orders": OrderRows, "orders_quarantine": None, "plain_asset": None}
    with dg.build_output_context(asset_key="orders") as context:
        assert dc.effective_schema(context) is None


# ----------------------------------------------------------------------------------------------------- wired by hand


def test_an_asset_wired_by_hand_does_the_same(tmp_path, instance):
    @dg.asset(check_specs=dc.wiring.check_specs(OrderRows, asset="orders"), output_required=False)
    def orders(context):
        yield from dc.wiring.validation_results(
            OrderRows,
            dicts(MIXED),
            valid_key=context.asset_key,
            quarantine_writer=dc.wiring.delegating_writer(context),
        )

    by_hand = run(orders, tmp_path / "a", instance)
    decorated = run(returning(dicts(MIXED), quarantine=True), tmp_path / "b", instance)
    assert (by_hand.table, by_hand.quarantine) == (decorated.table, decorated.quarantine)
    assert by_hand.checks == decorated.checks
    assert [spec.name for spec in dc.wiring.check_specs(OrderRows, asset="orders", arrival=False)] == CHECKS[
        :1
    ] + CHECKS[2:-1]
