"""The files that a streamed split writes, and what it leaves behind when it cannot."""

import math
import os
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from dagster_contracts.contract.fields import Contract, RuleSpec
from dagster_contracts.errors import RuleError
from dagster_contracts.frames.split import Split, SplitOptions, split

PREFETCH = "POLARS_ROW_GROUP_PREFETCH_SIZE"


def contract_of(**rules: pl.Expr) -> Contract:
    specs = (RuleSpec(name, f"dy_rule__{name}", None, expr, str(expr), name) for name, expr in rules.items())
    return Contract("Streamed", None, (), tuple(specs), "")


def twice(frame: pl.DataFrame, folder: Path) -> list[pl.LazyFrame]:
    """Plans that give a frame: one that is read twice, and one that is staged first."""
    frame.write_parquet(folder / "in.parquet", row_group_size=3)
    scan = pl.scan_parquet(folder / "in.parquet")
    return [scan, scan.map_batches(lambda rows: rows, schema=frame.schema)]


def split_into(contract: Contract, frame: pl.LazyFrame, into: Path, **options: Any) -> Split:
    into.mkdir(exist_ok=True)
    return split(contract, frame, SplitOptions(**options), into=into)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# -------------------------------------------------------------------------------------------------------------- values

VALUES: dict[str, tuple[pl.DataType, list[Any]]] = {
    "Null": (pl.Null(), [None, None, None, None]),
    "Boolean": (pl.Boolean(), [True, None, False, True]),
    "Int8": (pl.Int8(), [-128, 127, None, 0]),
    "UInt64": (pl.UInt64(), [2**64 - 1, 0, None, 1]),
    "Int128": (pl.Int128(), [2**126, -(2**126), None, 0]),
    "UInt128": (pl.UInt128(), [2**127, 0, None, 1]),
    "Float32": (pl.Float32(), [0.5, math.inf, math.nan, None]),
    "Float64": (pl.Float64(), [-0.0, 5e-324, math.nan, None]),
    "String": (pl.String(), ["", "\0", "ß" * 40, None]),
    "Binary": (pl.Binary(), [b"", b"\xff\0", b"x" * 40, None]),
    "Categorical": (pl.Categorical(), ["b", "a", None, "b"]),
    "Categorical of its own": (pl.Categorical(pl.Categories("streamed", "tests", pl.UInt8)), ["b", "a", None, "b"]),
    "Enum": (pl.Enum(["z", "a", "unused"]), ["a", "z", None, "a"]),
    "Decimal": (pl.Decimal(38, 10), [Decimal("1E-10"), Decimal("-9999999999999999999999999999.9999999999"), None, Decimal(0)]),
    "Date": (pl.Date(), [date(1, 1, 1), date(9999, 12, 31), None, date(1970, 1, 1)]),
    "Datetime ms": (pl.Datetime("ms"), [datetime(2024, 1, 1, 1, 1, 1, 5000), None, datetime(1, 1, 1), datetime(2024, 1, 2)]),  # noqa: DTZ001
    "Datetime ns": (pl.Datetime("ns"), [1, -1, None, 2**62]),
    "Datetime in a zone": (pl.Datetime("us", "Asia/Kathmandu"), [1, -1, None, 2**50]),
    "Duration ms": (pl.Duration("ms"), [1, -1, None, 2**50]),
    "Duration ns": (pl.Duration("ns"), [1, -1, None, 2**62]),
    "Duration us": (pl.Duration("us"), [timedelta(microseconds=1), timedelta(days=-1), None, timedelta(0)]),
    "Time": (pl.Time(), [time(0), time(23, 59, 59, 999999), None, time(12)]),
    "List": (pl.List(pl.Int8()), [[], [1, None], None, [2]]),
    "List of categories": (pl.List(pl.Categorical()), [["x"], ["y", None], None, []]),
    "Array": (pl.Array(pl.Float32(), 2), [[1.0, None], [math.nan, 0.0], None, [0.5, 0.5]]),
    "Array of arrays": (pl.Array(pl.Int64(), (2, 1)), [[[1], [2]], [[3], [None]], None, [[5], [6]]]),
    "Struct": (pl.Struct({"x": pl.Int64(), "y": pl.Enum(["e"])}), [{"x": 1, "y": None}, {"x": None, "y": "e"}, None, {"x": 2, "y": "e"}]),
    "Struct of all": (
        pl.Struct({"l": pl.List(pl.Struct({"d": pl.Date(), "n": pl.Null()}))}),
        [{"l": []}, {"l": [{"d": date(2024, 1, 1), "n": None}]}, None, {"l": None}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", VALUES)
def test_values_of_every_dtype_arrive_as_they_were(kind: str, tmp_path: Path):
    dtype, values = VALUES[kind]
    frame = pl.DataFrame({"row": range(4), "c": pl.Series(values, dtype=dtype)}, schema_overrides={"row": pl.Int64})
    contract = contract_of(odd=pl.col("row") % 2 == 1, few=pl.len().over("row") == 1)
    for at, form in enumerate([*twice(frame, tmp_path), frame.lazy()]):
        into = tmp_path / f"out {at}"
        found = split_into(contract, form, into)
        for half, rows in (("valid", frame[1::2]), ("invalid", frame[::2])):
            read = pl.read_parquet(into / f"{half}.parquet").select("row", "c")
            assert read.schema == frame.schema
            assert_frame_equal(read, rows)
            assert_frame_equal(getattr(found, half).collect().select("row", "c"), rows)
        assert names(into) == ["invalid.parquet", "valid.parquet"]
        eager = split(contract, frame)
        assert str(found.statistics) == str(eager.statistics)


ODD_NAMES = [
    *("len", "literal", "", " ", "*", "^a$", "^.*$", "a.b", "a\nb", 'a"b', "ä", "x" * 300, "index", "row_nr", "rows", "invalid"),
    *("count", "element", "predicate", "values", "__dagster_contracts", "__dagster_contracts_valid"),
    *("__dagster_contracts_row", "__dagster_contracts_hash", "hash", "row", "_POLARS_0", "__POLARS_CSER_0", "statistic:0:mean"),
]  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("budget", [None, 1])
def test_columns_of_odd_names_are_kept(name: str, budget: int | None, tmp_path: Path):
    frame = pl.DataFrame({"a": [1, 1, 2, 3, 4], name: [5, 6, 7, 8, 9], f"{name}_": ["u", "v", "w", "x", "y"]})
    contract = contract_of(unique=pl.col("a").is_unique(), small=pl.col("a") < 4, few=pl.len().over("a") < 2)
    none = contract_of()
    for at, form in enumerate(twice(frame, tmp_path)):
        into = tmp_path / f"out {at}"
        found = split_into(contract, form, into, memory_budget=budget)
        assert_frame_equal(pl.read_parquet(into / "valid.parquet", glob=False), frame[2:4])
        assert_frame_equal(
            pl.read_parquet(into / "invalid.parquet", glob=False).select(pl.nth(0, 1, 2)), frame[[0, 1, 4]]
        )
        assert_frame_equal(found.rule_samples["small"], frame[4:])
        assert_frame_equal(found.rule_samples["few"], frame[:2])
        assert [summary.max for summary in found.statistics.numeric] == [3, 8]
        assert_frame_equal(split_into(none, form, into, memory_budget=budget).valid.collect(), frame)


@pytest.mark.parametrize("folder", ["a[1]", "a*", "a?", "day=2024-01-01", "{}", "%41", "ä b", "a,b", "^$"])
def test_a_folder_may_have_any_name(folder: str, tmp_path: Path):
    frame = pl.DataFrame({"a": [1, 1, 2]})
    for form in twice(frame, tmp_path):
        found = split_into(contract_of(unique=pl.col("a").is_unique()), form, tmp_path / folder)
        assert_frame_equal(found.valid.collect(), frame[2:])
        assert found.invalid.collect()["a"].to_list() == [1, 1]
        assert names(tmp_path / folder) == ["invalid.parquet", "valid.parquet"]


# --------------------------------------------------------------------------------------------------------------- edges


@pytest.mark.parametrize("rows", [0, 1, 5])
@pytest.mark.parametrize("wide", [False, True])
def test_all_rows_hold_all_fail_or_there_are_no_rules(rows: int, wide: bool, tmp_path: Path):
    frame = pl.DataFrame({"a": pl.Series(range(rows), dtype=pl.Int64)})
    good = pl.len().over("a") == 1 if wide else pl.col("a") >= 0
    for at, form in enumerate((frame.lazy(), frame.lazy().sort("a"))):
        for name, contract, valid in (
            ("all", contract_of(good=good), rows),
            ("none", contract_of(good=good, bad=~good), 0),
            ("no rules", contract_of(), rows),
        ):
            into = tmp_path / f"{name} {at}"
            found = split_into(contract, form, into)
            assert (found.valid_count, found.invalid_count) == (valid, rows - valid)
            assert_frame_equal(pl.read_parquet(into / "valid.parquet"), frame.head(valid))
            columns = ["a", *(rule.check_name for rule in contract.rules)]
            assert pl.read_parquet(into / "invalid.parquet").columns == columns
            assert pl.read_parquet(into / "invalid.parquet")["a"].to_list() == list(range(valid, rows))
            assert len(found.co_failures) == bool(rows - valid)


def test_a_frame_without_columns_has_no_rows(tmp_path: Path):
    for contract in (contract_of(), contract_of(length=pl.len() > 0, literal=pl.lit(value=False))):
        found = split_into(contract, pl.LazyFrame(), tmp_path / "out")
        assert (found.valid_count, found.invalid_count) == (0, 0)
        assert set(found.rule_counts.values()) <= {0}
        assert found.valid.lazy().collect().shape == (0, 0)


def test_columns_of_no_family_have_statistics_of_none(tmp_path: Path):
    frame = pl.LazyFrame({"a": [[1], []]})
    assert (
        split_into(contract_of(), frame, tmp_path / "out").statistics
        == split(contract_of(), frame.collect()).statistics
    )
    assert split_into(contract_of(), frame, tmp_path / "out", statistics=False).statistics is None


def test_a_rule_that_is_not_boolean_is_named_whatever_it_sees(tmp_path: Path):
    frame = pl.LazyFrame({"a": [1, 2]})
    for expr, dtype in ((pl.col("a"), "Int64"), (pl.col("a").sum(), "Int64"), (pl.len().over("a"), "UInt32")):
        contract = contract_of(good=pl.col("a").is_unique(), bad=expr)
        for form in (frame, frame.collect()):
            with pytest.raises(RuleError, match=f"Streamed: the rule 'bad' is {dtype}, not Boolean"):
                split(contract, form, into=tmp_path)


def test_no_more_statistics_than_the_budget_allows(tmp_path: Path):
    frame = pl.LazyFrame({"a": range(1000), "s": [f"{at % 7}" for at in range(1000)]})
    # Two columns of a thousand rows, eight bytes each, may take a sixteenth of the budget.
    for budget, approximate in ((16 * 16_000, False), (16 * 16_000 - 16, True), (1, True)):
        found = split_into(contract_of(), frame, tmp_path / "out", memory_budget=budget).statistics
        assert found.approximate is approximate
        assert (found.numeric[0].min, found.numeric[0].max, found.numeric[0].mean) == (0, 999, 499.5)
        assert found.numeric[0].p50 == 499.5
        assert abs(found.string[0].n_unique - 7) <= (1 if approximate else 0)


def test_long_texts_weigh_what_they_are_when_it_is_decided_whether_statistics_are_exact(tmp_path: Path):
    for characters, approximate in ((8, False), (1_000, True)):
        frame = pl.DataFrame({"note": [f"{at:0{characters}}" for at in range(1_000)]})
        frame.write_parquet(tmp_path / "in.parquet")
        found = split_into(
            contract_of(), pl.scan_parquet(tmp_path / "in.parquet"), tmp_path / "out", memory_budget=16 * 100_000
        )
        assert found.statistics.approximate is approximate


# ------------------------------------------------------------------------------------------------------------ many rows

MILLION = 1_000_000


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A million rows, of which by construction every tenth key occurs twice."""
    path = tmp_path_factory.mktemp("million") / "in.parquet"
    row = pl.int_range(MILLION)
    pl.select(
        row=row,
        tenth=row % 10,
        key=pl.when(row % 20 == 10).then(row - 10).otherwise(row),
        group=row // 4,
        text=(row % 1000).cast(pl.String),
        share=row / 7,
    ).write_parquet(path, row_group_size=70_000)
    return path


def test_a_million_rows_of_which_a_third_is_invalid(million: Path, tmp_path: Path):
    contract = contract_of(
        tenth=pl.col("tenth") >= 3, key=pl.col("key").is_unique(), group=pl.col("row").max().over("group") % 40 != 39
    )
    eager = split(contract, pl.read_parquet(million))
    # Rows 0, 10, 20, … repeat a key; of 40 rows the last four are a group that ends in 39.
    bad = [at for at in range(40) if at % 10 < 3 or at % 20 in (0, 10) or at >= 36]
    assert len(bad) == 16
    assert eager.rule_counts == {"tenth": 300_000, "key": 100_000, "group": 100_000}
    assert eager.invalid_count == 16 * MILLION // 40
    for at, form in enumerate(
        (pl.scan_parquet(million), pl.scan_parquet(million).filter(pl.col("row") >= 0).sort("row"))
    ):
        found = split_into(contract, form, tmp_path / f"{at}", memory_budget=30_000_000)
        assert found.rule_counts == eager.rule_counts
        assert found.statistics.approximate
        for half in ("valid", "invalid"):
            assert_frame_equal(pl.read_parquet(tmp_path / f"{at}" / f"{half}.parquet"), getattr(eager, half))
        assert found.invalid.select("row").head(16).collect()["row"].to_list() == bad
        assert found.broken_together.equals(eager.broken_together)
        for rule, sample in found.rule_samples.items():
            assert_frame_equal(sample, eager.rule_samples[rule])
        assert abs(found.statistics.numeric[0].p50 / eager.statistics.numeric[0].p50 - 1) < 0.02


# -------------------------------------------------------------------------------------------------------------- errors


def fails_late(path: Path) -> pl.LazyFrame:
    text = pl.when(pl.col("row") == 900_000).then(pl.lit("nine hundred thousand")).otherwise(pl.lit("1"))
    return pl.scan_parquet(path).with_columns(number=text.cast(pl.Int64))


@pytest.mark.parametrize(
    "change",
    [lambda frame: frame, lambda frame: frame.sort("row"), lambda frame: frame.map_batches(lambda rows: rows)],
    ids=["read twice", "sorted", "staged"],
)
@pytest.mark.parametrize("wide", [True, False])
def test_a_plan_that_fails_late_says_what_polars_says_and_leaves_nothing(
    change: Callable[[pl.LazyFrame], pl.LazyFrame], wide: bool, million: Path, tmp_path: Path
):
    rules = {"key": pl.col("key").is_unique()} if wide else {"tenth": pl.col("tenth") > 3}
    with pytest.raises(pl.exceptions.InvalidOperationError, match="nine hundred thousand"):
        split_into(contract_of(**rules), change(fails_late(million)), tmp_path / "out")
    assert names(tmp_path / "out") == []
    assert PREFETCH not in os.environ


def test_a_rule_that_fails_late_is_named_and_leaves_nothing(million: Path, tmp_path: Path):
    text = pl.when(pl.col("row") == 900_000).then(pl.lit("oops")).otherwise(pl.lit("1"))
    for expr in (text.cast(pl.Int64) > 0, text.cast(pl.Int64).sum().over("group") > 0):
        with pytest.raises(RuleError, match=r"Streamed: the rule 'bad' does not evaluate: .*oops"):
            split_into(contract_of(good=pl.col("tenth") > 3, bad=expr), pl.scan_parquet(million), tmp_path / "out")
        assert names(tmp_path / "out") == []


def test_a_function_that_raises_is_what_comes_out(tmp_path: Path):
    def fail(rows: pl.DataFrame) -> pl.DataFrame:
        raise LookupError("no such thing")

    frame = pl.LazyFrame({"a": [1]}).map_batches(fail, schema={"a": pl.Int64})
    with pytest.raises((LookupError, pl.exceptions.ComputeError), match="no such thing"):
        split_into(contract_of(unique=pl.col("a").is_unique()), frame, tmp_path / "out")
    assert names(tmp_path / "out") == []


def test_other_files_in_the_folder_stay(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(RuleError):
        split(contract_of(bad=pl.col("nowhere")), pl.LazyFrame({"a": [1]}), into=tmp_path)
    assert names(tmp_path) == ["mine.txt"]


@pytest.mark.parametrize("value", [None, "7"])
@pytest.mark.parametrize("fails", [True, False])
def test_the_environment_is_as_it_was(value: str | None, fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(PREFETCH, raising=False)
    if value is not None:
        monkeypatch.setenv(PREFETCH, value)
    during = []

    def look(rows: pl.DataFrame) -> pl.DataFrame:
        during.append(os.environ.get(PREFETCH))
        if fails:
            raise LookupError
        return rows

    frame = pl.LazyFrame({"a": [1]}).map_batches(look, schema={"a": pl.Int64})
    if fails:
        with pytest.raises((LookupError, pl.exceptions.ComputeError)):
            split_into(contract_of(), frame, tmp_path / "out")
    else:
        split_into(contract_of(), frame, tmp_path / "out")
    assert during == [value or "1"]
    assert os.environ.get(PREFETCH) == value
