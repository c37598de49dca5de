"""A contract's checks: their names and order, what they say, how severe they are, and what they keep to themselves."""

from __future__ import annotations

import logging
from datetime import date
from typing import Any

import dagster as dg
import dataframely as dy
import polars as pl
import pytest
from dagster_shared.serdes import serialize_value

import dagster_contracts as dc


class Payments(dy.Schema):
    id = dy.Int64(primary_key=True)
    amount = dy.Int64(nullable=True, min=0, max=100, metadata={"warn": ["max"]})
    note = dy.String(nullable=True, unique=True)
    free = dy.Int64(nullable=True)

    @dy.rule()
    def note_when_big(cls) -> pl.Expr:
        """Big payments have a note.

        This paragraph is for those who read the code.
        """
        return (pl.col("amount") < 50) | pl.col("note").is_not_null()


ROWS = pl.DataFrame(
    [
        (1, 10, "a", 0),
        (2, -1, "b", 0),  # primary_key, amount|min, note|unique
        (2, 60, "c", 0),  # primary_key
        (3, 70, None, 0),  # note_when_big
        (4, 200, "d", 0),  # amount|max, which only warns
        (5, -5, "b", 0),  # amount|min, note|unique
    ],
    schema=["id", "amount", "note", "free"],
    orient="row",
)
CLEAN = ROWS.head(1)

RULE_CHECKS = [
    "dy_schema__columns",
    "dy_rule__note_when_big",
    "dy_rule__primary_key",
    "dy_rule__id__nullability",
    "dy_rule__amount__min",
    "dy_rule__amount__max",
    "dy_rule__note__unique",
]
BY_COLUMN = ["dy_schema__columns", "dy_col__id", "dy_col__amount", "dy_col__note"]
NAMES = {
    ("rule", "collapsed"): RULE_CHECKS,
    ("rule", "per_rule"): RULE_CHECKS,
    ("column", "collapsed"): [*BY_COLUMN, "dy_schema__rules"],
    ("column", "per_rule"): [*BY_COLUMN, "dy_rule__note_when_big", "dy_rule__primary_key"],
    ("schema", "collapsed"): ["dy_schema__columns", "dy_schema__rules"],
    ("schema", "per_rule"): ["dy_schema__columns", "dy_schema__rules"],
}


def asset_of(rows: Any = ROWS, contract: Any = Payments, **kwargs: Any) -> dg.AssetsDefinition:
    kwargs = {"quarantine": True, **kwargs}

    @dc.asset(contract, **kwargs)
    def payments():
        return rows

    return payments


def checks_of(rows: Any = ROWS, contract: Any = Payments, **kwargs: Any) -> dict[str, dg.AssetCheckResult]:
    return dc.testing.run_asset(asset_of(rows, contract, **kwargs)).checks


def records(result: dg.AssetCheckResult, key: str) -> list[dict[str, Any]]:
    value = result.metadata[key]
    assert isinstance(value, dg.TableMetadataValue)
    return [dict(record.data) for record in value.records]


def count(result: dg.AssetCheckResult, key: str) -> int:
    """A number that Dagster can plot."""
    value = result.metadata[key]
    assert isinstance(value, dg.IntMetadataValue)
    return value.value


def row(key: int, amount: int, note: str | None) -> dict[str, Any]:
    return {"id": key, "amount": amount, "note": note, "free": 0}


# ------------------------------------------------------------------------------------------------------ names and specs


@pytest.mark.parametrize(("settings", "names"), NAMES.items(), ids=map("-".join, NAMES))
@pytest.mark.parametrize("rows", [ROWS, CLEAN, None], ids=["broken", "clean", "skipped"])
def test_names_and_their_order_are_the_same_in_specs_and_in_every_run(settings, names, rows):
    granularity, schema_rules = settings
    asset = asset_of(rows, check_granularity=granularity, schema_rules=schema_rules)
    assert [spec.name for spec in asset.check_specs] == names
    assert list(dc.testing.run_asset(asset).checks) == names


def test_only_the_column_schema_check_blocks():
    assert {spec.name: spec.blocking for spec in asset_of().check_specs} == {
        **dict.fromkeys(RULE_CHECKS, False),
        "dy_schema__columns": True,
    }


def test_every_spec_is_described():
    def descriptions(**kwargs: Any) -> dict[str, str | None]:
        return {spec.name: spec.description for spec in asset_of(**kwargs).check_specs}

    columns = "Every column that Payments declares is there, with its dtype."
    pair = "Big payments have a note; No two rows have the same `id`"
    assert descriptions() == {
        "dy_schema__columns": columns,
        "dy_rule__note_when_big": "Big payments have a note.",
        "dy_rule__primary_key": "No two rows have the same `id`",
        "dy_rule__id__nullability": "`id` is never null",
        "dy_rule__amount__min": "`amount` >= 0",
        "dy_rule__amount__max": "`amount` <= 100",
        "dy_rule__note__unique": "`note` is unique (two nulls are duplicates of each other)",
    }
    assert descriptions(check_granularity="column") == {
        "dy_schema__columns": columns,
        "dy_col__id": "Every rule of the column `id`: `id` is never null.",
        "dy_col__amount": "Every rule of the column `amount`: `amount` >= 0; `amount` <= 100.",
        "dy_col__note": ("Every rule of the column `note`: `note` is unique (two nulls are duplicates of each other)."),
        "dy_schema__rules": f"Every rule that no single column owns: {pair}.",
    }
    assert descriptions(check_granularity="schema")["dy_schema__rules"].startswith(
        f"Every rule of the contract: {pair};"
    )
    assert descriptions(min_rows=2)["contract__min_rows"] == "At least 2 valid rows."


def test_a_long_list_of_rules_is_described_by_its_first_ten():
    wide = type("Wide", (dy.Schema,), {f"c{at}": dy.Int64() for at in range(12)})
    [_, spec] = asset_of(None, wide, check_granularity="schema").check_specs
    assert spec.description.count("is never null") == 10
    assert spec.description.endswith("`c9` is never null; 2 more.")


@pytest.mark.parametrize("granularity", ["rule", "column", "schema"])
def test_specs_carry_the_assets_partitions(granularity):
    days = dg.StaticPartitionsDefinition(["a", "b"])
    specs = list(asset_of(check_granularity=granularity, partitions_def=days, min_rows=1).check_specs)
    assert [spec.partitions_def for spec in specs] == [days] * len(specs)
    assert {spec.partitions_def for spec in asset_of(check_granularity=granularity).check_specs} == {None}


def test_a_column_that_dagster_cannot_name_has_its_real_name_in_the_metadata():
    class Odd(dy.Schema):
        x = dy.Int64(min=0, alias="order id")

    checks = checks_of(pl.DataFrame({"order id": [1]}), Odd)
    rules = [result.metadata["dy_rule"].value for name, result in checks.items() if name != "dy_schema__columns"]
    assert rules == ["order id|nullability", "order id|min"]


def many_columns(count: int) -> type[dy.Schema]:
    return type("Many", (dy.Schema,), {f"c{at}": dy.Int64() for at in range(count)})


def test_more_than_fifty_checks_are_mentioned_once_with_the_way_out(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.INFO, logger="dagster_contracts"):
        asset_of(None, many_columns(50))
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().startswith("payments declares 51 checks.")
    assert 'check_granularity="column"' in record.getMessage()


def test_fifty_checks_or_fewer_are_not_mentioned(caplog: pytest.LogCaptureFixture):
    asset_of(None, many_columns(49))
    asset_of(None, many_columns(50), check_granularity="schema")
    assert caplog.records == []


# ------------------------------------------------------------------------------------------------------ what checks say


def test_one_check_a_rule_says_which_and_how_many_broken_or_not():
    checks = checks_of()
    found = {
        result.metadata["dy_rule"].value: (
            result.passed,
            count(result, "dy_failed_count"),
            count(result, "dy_checked_count"),
        )
        for name, result in checks.items()
        if name != "dy_schema__columns"
    }
    assert found == {
        "note_when_big": (False, 1, 6),
        "primary_key": (False, 2, 6),
        "id|nullability": (True, 0, 6),
        "amount|min": (False, 2, 6),
        "amount|max": (False, 1, 6),
        "note|unique": (False, 2, 6),
    }
    assert checks["dy_rule__amount__min"].metadata["dy_rule__expr"].value == 'col("amount") >= 0'
    assert records(checks["dy_rule__amount__min"], "dy_failed_sample") == [row(2, -1, "b"), row(5, -5, "b")]
    assert set(checks["dy_rule__id__nullability"].metadata) == {
        *("dy_rule", "dy_rule__expr", "dy_failed_count", "dy_checked_count")
    }


def test_a_skipped_run_checked_no_rows():
    checks = checks_of(None)
    assert {count(result, "dy_checked_count") for result in list(checks.values())[1:]} == {0}
    assert {count(result, "dy_failed_count") for result in list(checks.values())[1:]} == {0}
    assert all(result.passed for result in checks.values())


def test_one_check_a_column_counts_each_row_once():
    checks = checks_of(check_granularity="column")
    found = {
        name: (result.passed, count(result, "dy_failed_count"), count(result, "dy_checked_count"))
        for name, result in list(checks.items())[1:]
    }
    assert found == {
        "dy_col__id": (True, 0, 6),
        "dy_col__amount": (False, 3, 6),
        "dy_col__note": (False, 2, 6),
        "dy_schema__rules": (False, 3, 6),
    }
    assert records(checks["dy_col__amount"], "dy_rules") == [
        {"dy_rule": "amount|min", "failed_count": 2, "expr": 'col("amount") >= 0'},
        {"dy_rule": "amount|max", "failed_count": 1, "expr": 'col("amount") <= 100'},
    ]
    assert [(each["dy_rule"], each["failed_count"]) for each in records(checks["dy_schema__rules"], "dy_rules")] == [
        ("primary_key", 2),
        ("note_when_big", 1),
    ]
    assert records(checks["dy_schema__rules"], "dy_failed_sample") == [
        {"dy_rule": "primary_key", **row(2, -1, "b")},
        {"dy_rule": "note_when_big", **row(3, 70, None)},
        {"dy_rule": "primary_key", **row(2, 60, "c")},
    ]
    assert "dy_failed_sample" not in checks["dy_col__id"].metadata
    assert records(checks["dy_col__id"], "dy_rules")[0]["failed_count"] == 0


def test_rules_without_a_column_can_keep_checks_of_their_own():
    checks = checks_of(check_granularity="column", schema_rules="per_rule")
    assert checks["dy_rule__primary_key"].metadata["dy_rule"].value == "primary_key"
    assert records(checks["dy_rule__primary_key"], "dy_failed_sample") == [row(2, -1, "b"), row(2, 60, "c")]


def test_one_check_for_all_rules():
    result = checks_of(check_granularity="schema")["dy_schema__rules"]
    assert (result.passed, count(result, "dy_failed_count"), count(result, "dy_checked_count")) == (False, 5, 6)
    assert [(each["dy_rule"], each["failed_count"]) for each in records(result, "dy_rules")] == [
        ("primary_key", 2),
        ("amount|min", 2),
        ("note|unique", 2),
        ("note_when_big", 1),
        ("amount|max", 1),
        ("id|nullability", 0),
    ]
    # Five rows, and every broken rule has one of them.
    assert records(result, "dy_failed_sample") == [
        {"dy_rule": "primary_key", **row(2, -1, "b")},
        {"dy_rule": "amount|min", **row(2, -1, "b")},
        {"dy_rule": "note|unique", **row(2, -1, "b")},
        {"dy_rule": "note_when_big", **row(3, 70, None)},
        {"dy_rule": "amount|max", **row(4, 200, "d")},
    ]


@pytest.mark.parametrize("granularity", ["rule", "column", "schema"])
@pytest.mark.parametrize("limit", [0, 1, 3, 7])
def test_samples_have_at_most_as_many_rows_as_asked_for(granularity, limit):
    rows = pl.DataFrame({"id": range(20), "amount": [-1] * 20, "note": map(str, range(20)), "free": [0] * 20})
    checks = checks_of(rows, check_granularity=granularity, max_failure_samples=limit)
    [broken] = [result for result in checks.values() if not result.passed]
    assert count(broken, "dy_failed_count") == 20
    if limit:
        assert [each["id"] for each in records(broken, "dy_failed_sample")] == list(range(limit))
    else:
        assert "dy_failed_sample" not in broken.metadata


def test_a_check_over_very_many_rules_lists_a_hundred_and_sums_up_the_rest():
    wide = many_columns(103)
    rows = pl.DataFrame(
        {f"c{at}": [None if at >= 101 else 1] for at in range(103)}, schema=dict.fromkeys(wide.column_names(), pl.Int64)
    )
    result = checks_of(rows, wide, check_granularity="schema")["dy_schema__rules"]
    listed = records(result, "dy_rules")
    assert [each["dy_rule"] for each in listed[:3]] == ["c101|nullability", "c102|nullability", "c0|nullability"]
    assert len(listed) == 101
    assert listed[-1] == {"dy_rule": "3 more rules", "failed_count": 0, "expr": None}


def test_the_column_schema_check_lists_every_column_that_differs():
    rows = pl.DataFrame({"id": ["1"], "note": ["a"], "free": [date(2024, 1, 1)]})
    checks = checks_of(rows)
    assert list(checks) == ["dy_schema__columns"]
    assert checks["dy_schema__columns"].severity is dg.AssetCheckSeverity.ERROR
    assert records(checks["dy_schema__columns"], "dy_schema__errors") == [
        {"column": "id", "expected": "Int64", "actual": "String"},
        {"column": "amount", "expected": "Int64", "actual": "missing"},
        {"column": "free", "expected": "Int64", "actual": "Date"},
    ]


# ------------------------------------------------------------------------------------------------------------- severity

WARN, ERROR = dg.AssetCheckSeverity.WARN, dg.AssetCheckSeverity.ERROR


def severities(**kwargs: Any) -> dict[str, dg.AssetCheckSeverity]:
    return {name: result.severity for name, result in checks_of(**kwargs).items() if not result.passed}


def test_rows_that_went_to_a_quarantine_warn_and_rows_with_nowhere_to_go_are_errors():
    broken = [name for name in RULE_CHECKS if name not in ("dy_schema__columns", "dy_rule__id__nullability")]
    assert severities() == dict.fromkeys(broken, WARN)
    assert severities(quarantine=False) == {**dict.fromkeys(broken, ERROR), "dy_rule__amount__max": WARN}


def test_a_check_that_only_warnings_broke_warns_whatever_becomes_of_the_run():
    warned = pl.DataFrame([(1, 200, "x", 0), (2, 1, "y", 0), (2, 1, "z", 0)], schema=ROWS.schema, orient="row")
    assert severities(rows=warned, quarantine=False, check_granularity="column") == {
        "dy_col__amount": WARN,
        "dy_schema__rules": ERROR,
    }
    assert severities(rows=warned, quarantine=False, check_granularity="schema") == {"dy_schema__rules": ERROR}
    assert severities(rows=warned.head(1), quarantine=False, check_granularity="schema") == {"dy_schema__rules": WARN}


# ------------------------------------------------------------------------------------------------------ private columns

SECRETS = ["sesame-1", "sesame-2", "ann@private", "7777777", "8888888", "inner-sesame"]


class People(dy.Schema):
    id = dy.Int64(primary_key=True)
    ssn = dy.String(regex="^[0-9]+$", metadata={"sensitive": True})
    mail = dy.String(unique=True, metadata={"pii": "yes"})
    salary = dy.Int64(max=10, metadata={"sensitive": True})
    answers = dy.List(dy.String(max_length=3), metadata={"sensitive": True})
    born = dy.Date(metadata={"sensitive": False})

    @dy.rule()
    def is_old(cls) -> pl.Expr:
        return pl.col("id") < 3


def people() -> pl.DataFrame:
    return pl.DataFrame(
        [
            (1, "sesame-1", "ann@private", 7777777, ["inner-sesame"], date(2001, 2, 3)),
            (2, "sesame-2", "ann@private", 8888888, ["inner-sesame"], date(2001, 2, 3)),
            (3, "123", "bob", 8888888, ["inner-sesame"], date(2001, 2, 3)),
        ],
        schema=["id", "ssn", "mail", "salary", "answers", "born"],
        orient="row",
    )


def event_log(asset: dg.AssetsDefinition, folder: Any, instance: dg.DagsterInstance) -> str:
    """Everything that the instance keeps of a run, and everything its log says."""
    result = dg.materialize(
        [asset],
        instance=instance,
        raise_on_error=False,
        resources={"io_manager": dc.ParquetIOManager(base_dir=str(folder))},
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
    )
    return "\n".join(f"{record.user_message}\n{serialize_value(record)}" for record in instance.all_logs(result.run_id))


@pytest.fixture(scope="module")
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.mark.parametrize("granularity", ["rule", "column", "schema"])
@pytest.mark.parametrize("quarantine", [False, True])
@pytest.mark.parametrize("all_warn", [False, True])
def test_values_of_private_columns_are_nowhere_in_the_event_log(tmp_path, instance, granularity, quarantine, all_warn):
    @dc.asset(People, quarantine=quarantine, check_granularity=granularity)
    @(dc.warn("ssn|regex", "mail|unique", "salary|max", "answers|inner_max_length") if all_warn else lambda fn: fn)
    def payments():
        return people()

    log = event_log(payments, tmp_path, instance)
    assert "\\u2022\\u2022\\u2022" in log, "the private columns are shown as masked"
    assert "2001-02-03" in log, "the columns that are not private are shown"
    assert [secret for secret in SECRETS if secret in log] == []


def test_the_quarantine_keeps_private_values(tmp_path, instance):
    event_log(asset_of(people(), People, max_invalid=1.0), tmp_path, instance)
    kept = pl.read_parquet(tmp_path / "payments_quarantine.parquet")
    assert kept["ssn"].to_list() == ["sesame-1", "sesame-2", "123"]


def test_a_rule_that_fails_on_a_private_value_does_not_quote_it(tmp_path, instance):
    class Strict(dy.Schema):
        ssn = dy.String(metadata={"sensitive": True})

        @dy.rule()
        def is_number(cls) -> pl.Expr:
            return pl.col("ssn").str.to_integer(strict=True) > 0

    asset = asset_of(people().select("ssn"), Strict)
    run = dc.testing.run_asset(asset)
    assert isinstance(run.error, dc.errors.RuleError)
    assert "the rule 'is_number' does not evaluate" in str(run.error)
    assert [secret for secret in SECRETS if secret in event_log(asset, tmp_path, instance)] == []


def test_a_rule_that_fails_on_other_values_says_what_polars_said():
    class Strict(dy.Schema):
        code = dy.String()

        @dy.rule()
        def is_number(cls) -> pl.Expr:
            return pl.col("code").str.to_integer(strict=True) > 0

    run = dc.testing.run_asset(asset_of(pl.DataFrame({"code": ["abc"]}), Strict))
    assert "payments: Strict: the rule 'is_number' does not evaluate" in str(run.error)
    assert "abc" in str(run.error)
