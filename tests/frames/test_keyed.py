"""Rules that see all rows with a key, decided apart from the rest, against dicts and loops in plain Python."""

import math
import random
import struct
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from dagster_contracts.contract.fields import Contract, RuleSpec
from dagster_contracts.frames.arrays import repeated
from dagster_contracts.frames.classify import Scope, classify
from dagster_contracts.frames.keyed import decide
from dagster_contracts.frames.split import SplitOptions, split

BUDGETS = [1, 2_000, 10**9]


def contract_of(rules: dict[str, pl.Expr]) -> Contract:
    specs = (RuleSpec(name, f"dy_rule__{name}", None, expr, str(expr), name) for name, expr in rules.items())
    return Contract("Keyed", None, (), tuple(specs), "")


def hold(
    rules: dict[str, tuple[pl.Expr, list[bool]]], frame: pl.LazyFrame, rows: list[int], budget: int | None, into: Path
) -> None:
    """Split a plan that gives some rows, each with its number, and hold it to what each rule says of each of them."""
    into.mkdir()
    contract = contract_of({name: expr for name, (expr, _) in rules.items()})
    found = split(contract, frame, SplitOptions(memory_budget=budget, max_failure_samples=3), into=into)
    assert found.rule_counts == {name: kept.count(False) for name, (_, kept) in rules.items()}
    ok = [all(kept[at] for _, kept in rules.values()) for at in range(len(rows))]
    valid, invalid = found.valid.collect(), found.invalid.collect()
    assert valid["row"].to_list() == [row for row, kept in zip(rows, ok, strict=True) if kept]
    assert invalid["row"].to_list() == [row for row, kept in zip(rows, ok, strict=True) if not kept]
    for name, (_, kept) in rules.items():
        words = ["valid" if kept[at] else "invalid" for at in range(len(rows)) if not ok[at]]
        assert invalid[f"dy_rule__{name}"].to_list() == words, name
        first = [row for row, keeps in zip(rows, kept, strict=True) if not keeps][:3]
        assert (found.rule_samples[name]["row"].to_list() if first else []) == first, name
    assert sorted(path.name for path in into.iterdir()) == ["invalid.parquet", "valid.parquet"]


# ---------------------------------------------------------------------------------------------------------- what a key is


def payload(bits: int) -> float:
    """A NaN with other bits than Python's."""
    return struct.unpack("d", struct.pack("Q", bits))[0]


def same(value: Any) -> Any:
    """What keys are compared by: NaN is one key whatever its bits, and -0.0 is 0.0; at any depth."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, list):
        return tuple(same(item) for item in value)
    if isinstance(value, dict):
        return tuple((name, same(item)) for name, item in value.items())
    return value


def once(values: Sequence[Any]) -> list[bool]:
    count = Counter(same(value) for value in values)
    return [count[same(value)] == 1 for value in values]


LONG = "the same first thirty-two letters:"
NANS = [math.nan, payload(0x7FF8000000000001), payload(0xFFF8000000000000), payload(0x7FF4000000000000)]
FLOATS = [0.0, -0.0, *NANS, math.inf, -math.inf, 5e-324, 1.0, 2.0, 3.0]
BERLIN = pl.Datetime("us", "Europe/Berlin")
# The hour that Berlin's clocks show twice, both times of it.
TWICE = [datetime(2024, 10, 27, hour, 30, tzinfo=UTC) for hour in (0, 1)]
KEYS: dict[str, tuple[pl.DataType, list[Any]]] = {
    "Int8": (pl.Int8(), list(range(-15, 20))),
    "Int64": (pl.Int64(), [2**63 - 1, -(2**63), *range(30)]),
    "UInt64": (pl.UInt64(), [2**64 - 1, 2**63, *range(30)]),
    "Int128": (pl.Int128(), [2**100, 2**64, -(2**64), 2**64 + 1, *range(20)]),
    "Float64": (pl.Float64(), FLOATS),
    "Float32": (pl.Float32(), [0.0, -0.0, math.nan, -math.nan, math.inf, 1.0, 2.0]),
    "Boolean": (pl.Boolean(), [True, False]),
    "String": (pl.String(), ["", "a", "A", "\0", "a\0", LONG, f"{LONG}1", f"{LONG}2", "ß", "ss", "é", "e\u0301"]),
    "Binary": (pl.Binary(), [b"", b"\0", b"\0\0", b"\xff", LONG.encode(), LONG.encode() + b"\0"]),
    "Categorical": (pl.Categorical(), ["u", "v", "w", ""]),
    "Categorical of its own": (pl.Categorical(pl.Categories("keys", "tests")), ["w", "v", "u", ""]),
    "Enum": (pl.Enum(["w", "v", "u", ""]), ["u", "v", "w", ""]),
    "Decimal": (pl.Decimal(38, 4), [Decimal(text) for text in ("1.10", "1.1", "1.1001", "-1.1", "0", "-0", "99999999999.9999")]),
    "Date": (pl.Date(), [date(1970, 1, 1), date(1, 1, 1), date(9999, 12, 31), *(date(2024, 1, day) for day in range(1, 20))]),
    "Datetime": (pl.Datetime("ms"), [datetime(2024, 1, 1, hour) for hour in range(20)]),  # noqa: DTZ001
    "Datetime in a zone": (BERLIN, [*TWICE, *(datetime(2024, 1, 1, hour, tzinfo=UTC) for hour in range(10))]),
    "Duration": (pl.Duration("us"), [timedelta(microseconds=count) for count in (-1, 0, 1, 2, 10**12)]),
    "Time": (pl.Time(), [time(0), time(0, 0, 0, 1), time(23, 59, 59, 999999), time(12)]),
    "List": (pl.List(pl.Float64()), [[], [None], [0.0], [-0.0], [math.nan], [NANS[2]], [1.0, 2.0], [2.0, 1.0]]),
    "Array": (pl.Array(pl.Float64(), 2), [[0.0, 1.0], [-0.0, 1.0], [math.nan, 1.0], [NANS[1], 1.0], [1.0, None]]),
    "Struct": (
        pl.Struct({"x": pl.Float64(), "y": pl.String()}),
        [{"x": x, "y": y} for x in (0.0, -0.0, math.nan, NANS[3], 1.0, None) for y in ("a", "b")],
    ),
    "Struct of lists": (
        pl.Struct({"x": pl.List(pl.Float32())}),
        [{"x": [0.0]}, {"x": [-0.0]}, {"x": []}, {"x": [1.0, -0.0]}, {"x": [1.0, 0.0]}],
    ),
}  # fmt: skip


def drawn(kind: str, rows: int, nulls: float) -> list[Any]:
    chance = random.Random(f"{kind} {rows}")
    pool = KEYS[kind][1]
    return [None if chance.random() < nulls else chance.choice(pool) for _ in range(rows)]


def key_rules(keys: list[Any], others: list[Any]) -> dict[str, tuple[pl.Expr, list[bool]]]:
    together = list(zip(map(same, keys), others, strict=True))
    groups = Counter(map(same, keys))
    return {
        "unique": (pl.col("key").is_unique(), once(keys)),
        "together": (pl.struct("key", "other").is_unique(), [Counter(together)[pair] == 1 for pair in together]),
        "duplicated": (~pl.col("key").is_duplicated(), once(keys)),
        "few": (pl.len().over("key") <= 2, [groups[same(key)] <= 2 for key in keys]),
        "few_together": (pl.len().over("key", "other") <= 1, [Counter(together)[pair] <= 1 for pair in together]),
    }


def hold_in_memory(rules: dict[str, tuple[pl.Expr, list[bool]]], frame: pl.DataFrame, budget: int | None) -> None:
    """A frame of several chunks, split as one in memory."""
    assert frame.n_chunks() > 1 or frame.height <= 5
    contract = contract_of({name: expr for name, (expr, _) in rules.items()})
    found = split(contract, frame, SplitOptions(memory_budget=budget))
    assert found.rule_counts == {name: kept.count(False) for name, (_, kept) in rules.items()}
    invalid = [at for at in range(frame.height) if not all(kept[at] for _, kept in rules.values())]
    assert found.invalid["row"].to_list() == invalid
    for rule in contract.rules:
        words = ["valid" if rules[rule.name][1][at] else "invalid" for at in invalid]
        assert found.invalid[rule.check_name].to_list() == words


@pytest.mark.parametrize("budget", BUDGETS[:2])
@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_every_kind_are_compared_by_their_values(kind: str, budget: int, tmp_path: Path):
    dtype, pool = KEYS[kind]
    for rows in (len(pool), 40):
        keys = drawn(kind, rows, 0.0 if kind.startswith("Struct") else 0.1)
        if rows == len(pool):
            keys = list(pool)  # each value once, so that only equal spellings meet
        others = [random.Random(rows + at).choice([1, 2, None]) for at in range(rows)]
        frame = pl.DataFrame(
            {
                "row": pl.Series(range(rows), dtype=pl.Int64),
                "key": pl.Series(keys, dtype=dtype),
                "other": pl.Series(others, dtype=pl.Int64),
            }
        )
        path = tmp_path / f"{rows}.parquet"
        frame.write_parquet(path, row_group_size=7)
        rules = key_rules(keys, others)
        assert all(classify(expr).scope is Scope.KEYED for expr, _ in rules.values())
        hold(rules, pl.scan_parquet(path), list(range(rows)), budget, tmp_path / f"file {rows}")
        chunks = pl.concat([frame[at : at + 5] for at in range(0, rows, 5)], rechunk=False)
        hold(rules, chunks.lazy(), list(range(rows)), budget, tmp_path / f"memory {rows}")
        hold_in_memory(rules, chunks, budget)
        assert rows == len(pool) or any(not all(kept) for _, kept in rules.values())


def test_a_null_struct_is_one_key(tmp_path: Path):
    keys = [None, {"x": 1}, None, {"x": 2}, {"x": 1}]
    frame = pl.LazyFrame({"row": range(5), "key": pl.Series(keys, dtype=pl.Struct({"x": pl.Int64}))})
    rules = {"unique": (pl.col("key").is_unique(), [False, False, False, True, False])}
    hold(rules, frame, list(range(5)), None, tmp_path / "out")


def test_a_column_of_nothing_but_nulls_is_one_key(tmp_path: Path):
    frame = pl.DataFrame({"row": [0, 1, 2], "key": pl.Series([None] * 3, dtype=pl.Null)})
    frame.write_parquet(tmp_path / "in.parquet")
    for at, form in enumerate((frame.lazy(), pl.scan_parquet(tmp_path / "in.parquet"))):
        rules = {"unique": (pl.col("key").is_unique(), [False] * 3)}
        hold(rules, form, [0, 1, 2], None, tmp_path / f"many {at}")
        hold({"unique": (pl.col("key").is_unique(), [True])}, form.head(1), [0], None, tmp_path / f"one {at}")


# ------------------------------------------------------------------------------------------------------------- sources


def numbered(keys: Sequence[Any], first: int = 0) -> pl.DataFrame:
    return pl.DataFrame(
        {"row": pl.Series(range(first, first + len(keys)), dtype=pl.Int64), "key": pl.Series(keys, dtype=pl.Int64)}
    )


def sources(folder: Path, keys: list[int | None]) -> Iterator[tuple[str, pl.LazyFrame, list[int]]]:
    """Plans that give some rows of a table in their order, and which."""
    rows = list(range(len(keys)))
    frame = numbered(keys)
    frame.write_parquet(folder / "one.parquet", row_group_size=10)
    one = pl.scan_parquet(folder / "one.parquet")
    (folder / "many").mkdir()
    third = -(-len(keys) // 3)
    for at in range(3):
        frame[at * third : (at + 1) * third].write_parquet(folder / "many" / f"{at}.parquet", row_group_size=4)
    many = pl.scan_parquet(folder / "many")
    frame.write_ipc(folder / "one.arrow", record_batch_size=8)
    yield "one", one, rows
    yield "many", many, rows
    yield (
        "listed",
        pl.scan_parquet([folder / "many" / f"{at}.parquet" for at in (2, 0, 1)]),
        (rows[2 * third :] + rows[:third] + rows[third : 2 * third]),
    )
    yield "ipc", pl.scan_ipc(folder / "one.arrow"), rows
    yield "csv", pl.scan_csv(write(folder / "one.csv", frame.write_csv), schema=frame.schema), rows
    yield "pruned", one.filter(pl.col("row") >= 25), rows[25:]
    yield "pruned everywhere", one.filter(pl.col("row") < 0), []
    yield "filtered", many.filter(pl.col("row") % 3 != 1), [row for row in rows if row % 3 != 1]
    yield "sliced", many.slice(5, 30), rows[5:35]
    yield "head", one.head(17), rows[:17]
    yield "tail", many.tail(13), rows[-13:]
    yield "filtered by key", one.filter(pl.col("key").is_not_null()), [row for row in rows if keys[row] is not None]
    yield "renamed", one.rename({"key": "old"}).with_columns(key=pl.col("old")).drop("old"), rows
    yield "twice", pl.concat([one, one]), rows * 2
    yield (
        "sorted",
        many.sort("key", "row", nulls_last=True),
        sorted(rows, key=lambda row: (keys[row] is None, keys[row] or 0, row)),
    )
    yield "in memory", frame.lazy(), rows
    yield "empty", frame.clear().lazy(), []


def write(path: Path, how: Callable[[Path], object]) -> Path:
    how(path)
    return path


@pytest.mark.parametrize("budget", [1, None])
@pytest.mark.parametrize("pool", [3, 40, 10**9], ids=["few keys", "some keys", "unique keys"])
def test_keys_repeat_across_row_groups_files_and_chunks(budget: int | None, pool: int, tmp_path: Path):
    chance = random.Random(pool)
    keys = [chance.choice([None, *range(pool)]) if pool < 10**9 else at for at in range(50)]
    for name, frame, rows in sources(tmp_path, keys):
        given_keys = [keys[row] for row in rows]
        counts = Counter(given_keys)
        rules = {
            "unique": (pl.col("key").is_unique(), once(given_keys)),
            "few": (pl.len().over("key") <= 2, [counts[key] <= 2 for key in given_keys]),
        }
        hold(rules, frame, rows, budget, tmp_path / f"split {name}")


def test_every_row_is_a_duplicate(tmp_path: Path):
    rules = {"unique": (pl.col("key").is_unique(), [False] * 5000)}
    hold(rules, numbered([7] * 5000).lazy(), list(range(5000)), 1, tmp_path / "out")


def test_a_key_in_the_folders_name_counts(tmp_path: Path):
    for day in ("mon", "tue"):
        folder = tmp_path / "in" / f"day={day}"
        folder.mkdir(parents=True)
        numbered([1, 2, 2] if day == "mon" else [1, 3, 4], first=0 if day == "mon" else 3).write_parquet(
            folder / "0.parquet"
        )
    scan = pl.scan_parquet(tmp_path / "in")
    rules = {
        "unique": (pl.struct("day", "key").is_unique(), [True, False, False, True, True, True]),
        "key": (pl.col("key").is_unique(), [False, False, False, False, True, True]),
    }
    hold(rules, scan, list(range(6)), 1, tmp_path / "out")


def test_two_hundred_thousand_keys_in_four_files(tmp_path: Path):
    chance = random.Random(0)
    keys = [chance.randrange(2_000_000) for _ in range(200_000)]
    for at in range(4):
        numbered(keys[at * 50_000 : (at + 1) * 50_000], at * 50_000).write_parquet(tmp_path / f"{at}.parquet")
    rules = {"unique": (pl.col("key").is_unique(), once(keys))}
    hold(rules, pl.scan_parquet(tmp_path / "*.parquet"), list(range(200_000)), None, tmp_path / "out")


# ------------------------------------------------------------------------------------------------------------- windows

Rows = list[tuple[int, int | None, int | None, int | None]]
"""The row's number, its key, a second key, a value."""


def by_key(rows: Rows, *columns: int) -> Iterator[Rows]:
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[at] for at in columns)].append(row)
    yield from groups.values()


def in_groups(rule: Callable[[list[Any]], list[bool]], *columns: int) -> Callable[[Rows], list[bool]]:
    """A rule that says of a group's values, in their order, which rows keep it."""

    def of_all(rows: Rows) -> list[bool]:
        kept = {}
        for group in by_key(rows, *columns):
            kept |= dict(zip((row[0] for row in group), rule([row[3] for row in group]), strict=True))
        return [kept[row[0]] for row in rows]

    return of_all


def never_falls(values: list[Any]) -> list[bool]:
    before = [None, *values[:-1]]
    return [old is None or new is None or new >= old for old, new in zip(before, values, strict=True)]


def sums_up_to(limit: int) -> Callable[[list[Any]], list[bool]]:
    def rule(values: list[Any]) -> list[bool]:
        total, kept = 0, []
        for value in values:
            total += value or 0
            kept.append(value is None or total <= limit)
        return kept

    return rule


def among_the_least(values: list[Any]) -> list[bool]:
    order = sorted({value for value in values if value is not None})
    return [value is None or order.index(value) < 2 for value in values]


def as_the_first(values: list[Any]) -> list[bool]:
    return [value is None or values[0] is None or value == values[0] for value in values]


def for_the_first_time(values: list[Any]) -> list[bool]:
    return [value not in values[:at] for at, value in enumerate(values)]


def falling_by_row(rows: Rows) -> list[bool]:
    """Each value against the one of the next row of its group."""
    kept = {}
    for group in by_key(rows, 1):
        kept |= dict(zip((row[0] for row in group), never_falls([row[3] for row in group][::-1])[::-1], strict=True))
    return [kept[row[0]] for row in rows]


V = pl.col("value")
WINDOWS: dict[str, tuple[pl.Expr, Callable[[Rows], list[bool]]]] = {
    "shift": (V.shift().over("key") <= V, in_groups(never_falls, 1)),
    "rank": (V.rank("dense").over("key") <= 2, in_groups(among_the_least, 1)),
    "cum_sum": (V.cum_sum().over("key") <= 3, in_groups(sums_up_to(3), 1)),
    "first": (V.first().over("key") == V, in_groups(as_the_first, 1)),
    "last": (V.last().over("key") == V, in_groups(lambda values: as_the_first(values[::-1])[::-1], 1)),
    "first_time": (V.is_first_distinct().over("key"), in_groups(for_the_first_time, 1)),
    "unique": (V.is_unique().over("key"), in_groups(once, 1)),
    "length": (pl.len().over("key", "second") <= 2, in_groups(lambda values: [len(values) <= 2] * len(values), 1, 2)),
    "ordered": (V.shift().over("key", order_by="row", descending=True) <= V, falling_by_row),
    "two": (
        (V.sum().over("key") < 6) & (V.count().over("key", "second") < 4),
        lambda rows: [
            a and b
            for a, b in zip(
                in_groups(lambda values: [sum(value or 0 for value in values) < 6] * len(values), 1)(rows),
                in_groups(lambda values: [len(values) - values.count(None) < 4] * len(values), 1, 2)(rows),
                strict=True,
            )
        ],
    ),
}  # fmt: skip


def window_frame(rows: Rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(["row", "key", "second", "value"], pl.Int64), orient="row")


def test_windows_are_keyed():
    assert {name: classify(expr).keys for name, (expr, _) in WINDOWS.items()} == {
        **dict.fromkeys(WINDOWS, ("key",)),
        "length": ("key", "second"),
    }


@pytest.mark.parametrize("budget", BUDGETS)
def test_windows_are_decided_in_parts_as_at_once(budget: int, tmp_path: Path):
    chance = random.Random(1)
    rows: Rows = [
        (at, chance.choice([None, *range(12)]), chance.choice([None, 1, 2]), chance.choice([None, -1, 0, 1, 2]))
        for at in range(90)
    ]
    window_frame(rows).write_parquet(tmp_path / "in.parquet", row_group_size=11)
    rules = {name: (expr, keeps(rows)) for name, (expr, keeps) in WINDOWS.items()}
    assert all(0 < kept.count(False) < len(rows) for _, kept in rules.values())
    hold(rules, pl.scan_parquet(tmp_path / "in.parquet"), list(range(90)), budget, tmp_path / "out")


@settings(max_examples=25)
@given(
    st.lists(st.tuples(*[st.sampled_from([None, 1, 2, 3])] * 2, st.sampled_from([None, -1, 0, 1, 2])), max_size=14),
    st.sampled_from([1, 300, 10**9]),
)
def test_windows_of_any_rows_are_what_loops_say(
    drawn_rows: list[tuple[int | None, int | None, int | None]], budget: int
):
    rows: Rows = [(at, *row) for at, row in enumerate(drawn_rows)]
    decided = decide(
        window_frame(rows).lazy(),
        [
            (rule, classify(rule.expr))
            for rule in contract_of({name: expr for name, (expr, _) in WINDOWS.items()}).rules
        ],
        budget,
    )
    assert decided.row_count == len(rows)
    expected = {f"dy_rule__{name}": keeps(rows) for name, (_, keeps) in WINDOWS.items()}
    assert {name: bits.to_list() for name, bits in decided.bits.items()} == {
        name: kept for name, kept in expected.items() if not all(kept)
    }


def test_a_budget_of_one_byte_reads_the_source_a_bounded_number_of_times(tmp_path: Path):
    keys = [at % 999 for at in range(20_000)]
    rules = {"few": (pl.len().over("key") <= 20, [20_000 // 999 + (key < 20_000 % 999) <= 20 for key in keys])}
    assert rules["few"][1].count(False) == 20 * 21
    hold(rules, numbered(keys).lazy(), list(range(20_000)), 1, tmp_path / "out")


# -------------------------------------------------------------------------------------------------------- whole tables


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_rule_over_columns_it_does_not_name_sees_all_of_them(budget: int, tmp_path: Path):
    """Of a selector Polars names no roots: narrowed to those, the rule would look at other columns."""
    frame = pl.DataFrame({"row": [0, 1, 2, 3], "a": [1, 1, 0, 1], "b": [1, 0, 1, 1]})
    frame.write_parquet(tmp_path / "in.parquet")
    positive = [True, False, False, True]
    rules = {
        "all": (pl.all_horizontal(pl.all() >= 0) & pl.all_horizontal(pl.exclude("row") > 0), positive),
        "names": (pl.all_horizontal(pl.col("a", "b") > 0), positive),
        "pattern": (pl.all_horizontal(pl.col("^[ab]$") > 0), positive),
        "dtype": (pl.sum_horizontal(pl.col(pl.Int64)) != 2, [False, False, True, True]),
        "last": (pl.last() > 0, [True, False, True, True]),
        "number": (pl.nth(1) > 0, [True, True, False, True]),
        "mixed": (pl.col("a").sum() + pl.nth(2) > 3, [True, False, True, True]),
        "unique": (pl.struct(pl.exclude("row")).is_unique(), [False, True, True, False]),
        "length": (pl.len() + pl.col("a") > 4, [True, True, False, True]),
    }
    for at, form in enumerate((frame.lazy(), pl.scan_parquet(tmp_path / "in.parquet"), frame.lazy().sort("row"))):
        hold(rules, form, [0, 1, 2, 3], budget, tmp_path / f"out {at}")


@pytest.mark.parametrize("broken", [True, False])
def test_a_rule_over_no_column_holds_for_all_rows_or_none(broken: bool, tmp_path: Path):
    rules = {"length": (pl.len() < 3 if broken else pl.len() == 3, [not broken] * 3)}
    numbered([1, 2, 3]).write_parquet(tmp_path / "in.parquet")
    hold(rules, pl.scan_parquet(tmp_path / "in.parquet"), [0, 1, 2], None, tmp_path / "out")
    none = {"length": (pl.len() > 0, [])}
    hold(none, numbered([]).lazy(), [], None, tmp_path / "none")


# -------------------------------------------------------------------------------------------------------------- hashes


@settings(max_examples=200)
@given(st.lists(st.sampled_from([0, 1, 7, 8, 9, 16, 2**64 - 1, 2**64 - 8, 2**63]) | st.integers(0, 2**64 - 1)))
def test_the_hashes_found_are_those_that_occur_more_than_once(hashes: list[int]):
    found = repeated(np.array(hashes, dtype=np.uint64))
    assert sorted(found) == sorted(value for value, count in Counter(hashes).items() if count > 1)


@pytest.mark.parametrize("budget", [1, 2_500_000, 10**9], ids=["three parts", "one part", "plenty"])
def test_keys_are_unique_or_not_however_many_parts_their_hashes_are_read_in(tmp_path: Path, budget: int):
    # Rows 7 and 299_999, and rows 1_000 to 1_999 with rows 201_000 to 201_999, have one key each.
    keys = np.arange(300_000)
    keys[299_999], keys[201_000:202_000] = keys[7], keys[1_000:2_000]
    pl.DataFrame({"key": keys}).write_parquet(tmp_path / "in.parquet", row_group_size=40_000)
    (rule,) = contract_of({"unique": pl.col("key").is_unique()}).rules
    decided = decide(pl.scan_parquet(tmp_path / "in.parquet"), [(rule, classify(rule.expr))], budget)
    broken = (~decided.bits["dy_rule__unique"]).arg_true().to_list()
    assert broken == [7, *range(1_000, 2_000), *range(201_000, 202_000), 299_999]


def test_a_rule_that_no_row_breaks_leaves_no_bits():
    rules = contract_of({"unique": pl.col("key").is_unique(), "few": pl.len().over("key") < 2}).rules
    decided = decide(numbered([1, 2, None]).lazy(), [(rule, classify(rule.expr)) for rule in rules], 10**9)
    assert (decided.row_count, decided.bits) == (3, {})


def test_columns_of_any_name_are_keys(tmp_path: Path):
    names = [
        "__dagster_contracts",
        "__dagster_contracts_row",
        "hash",
        "row_nr",
        "literal",
        "len",
        "",
        "^a$",
        "*",
        "index",
    ]
    for at, name in enumerate(names):
        frame = pl.DataFrame({"row": [0, 1, 2, 3], name: [5, 6, 5, 7], "__dagster_contracts_": [1, 1, 1, 2]})
        key = pl.struct(cs.by_name(name)) if name in {"^a$", "*"} else pl.struct(pl.col(name))
        rules = {
            "unique": (key.is_unique(), [False, True, False, True]),
            "few": (pl.len().over("__dagster_contracts_") < 3, [False, False, False, True]),
        }
        hold(rules, frame.lazy(), [0, 1, 2, 3], 1, tmp_path / f"{at}")
        assert_frame_equal(pl.read_parquet(tmp_path / f"{at}" / "valid.parquet"), frame[3:])
