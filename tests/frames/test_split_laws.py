"""Laws of the split, on generated contracts and frames, against an evaluation row by row in plain Python.

Nothing here evaluates a Polars expression to know what is right: every kind of column says in Python which of its rules
a value keeps, and whole-column rules are counted with dicts and loops.
"""

from __future__ import annotations

import math
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import dataframely as dy
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from dagster_contracts.contract.fields import Contract
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.frames.split import Split, SplitOptions, split

Values = Sequence[Any]
Kept = Callable[[Values], list[bool]]
"""From the values of a column to whether each of them keeps a rule."""


@dataclass
class Column:
    """A generated column: how Dataframely declares it, which values it draws, and what its rules mean."""

    make: Callable[..., dy.Column]
    dtype: pl.DataType
    values: st.SearchStrategy[Any]
    arguments: dict[str, Any] = field(default_factory=dict)
    identity: Callable[[Any], Any] = lambda value: value
    """What the column's own `unique` compares, beyond `identity`."""
    rules: dict[str, Kept] = field(default_factory=dict)


@dataclass(repr=False)
class Case:
    """A contract, a frame, and what is right."""

    schema: type[dy.Schema]
    contract: Contract
    frame: pl.DataFrame
    kept: dict[str, list[bool]]

    def __repr__(self) -> str:
        return f"{self.schema!r}\n{self.frame.to_dict(as_series=False)}\n{self.kept}"

    @property
    def broken(self) -> list[tuple[str, ...]]:
        """For each row the enforced rules it breaks, in the contract's order."""
        rules = [rule.name for rule in self.contract.rules if not rule.warning]
        return [tuple(rule for rule in rules if not self.kept[rule][at]) for at in range(self.frame.height)]


# ----------------------------------------------------------------------------------------------------- rules in Python


def each(keeps: Callable[[Any], bool]) -> Kept:
    """A rule of single values. A null keeps every rule but the one against nulls."""
    return lambda values: [value is None or keeps(value) for value in values]


def identity(value: Any) -> Any:
    """What two values are compared by: NaN equals NaN, and -0.0 equals 0.0."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, list):
        return tuple(identity(item) for item in value)
    if isinstance(value, dict):
        return tuple((key, identity(item)) for key, item in sorted(value.items()))
    return value


def once(values: Values) -> list[bool]:
    seen = Counter(identity(value) for value in values)
    return [seen[identity(value)] == 1 for value in values]


def not_null(values: Values) -> list[bool]:
    return [value is not None for value in values]


def compared(value: Any, bound: Any) -> int:
    """Minus one, zero or one, with NaN above everything, as Polars orders floats."""
    if isinstance(value, float) and math.isnan(value):
        return 1
    return (value > bound) - (value < bound)


BOUNDS: dict[str, Callable[[int], bool]] = {
    "min": lambda order: order >= 0,
    "min_exclusive": lambda order: order > 0,
    "max": lambda order: order <= 0,
    "max_exclusive": lambda order: order < 0,
}


def bound_rule(name: str, bound: Any) -> Kept:
    return each(lambda value: BOUNDS[name](compared(value, bound)))


# ------------------------------------------------------------------------------------------------------ kinds of column


@st.composite
def bounded(  # noqa: PLR0917
    draw: st.DrawFn, make: Callable[..., dy.Column], dtype: pl.DataType, low: Any, high: Any, pool: Values
) -> Column:
    """A column with at most one lower and one upper bound."""
    column = Column(make, dtype, st.sampled_from(pool))
    for name, bound in (
        (draw(st.sampled_from([None, "min", "min_exclusive"])), low),
        (draw(st.sampled_from([None, "max", "max_exclusive"])), high),
    ):
        if name:
            column.arguments[name] = bound
            column.rules[name] = bound_rule(name, bound)
    return column


def integers(make: Callable[..., dy.Column], dtype: pl.DataType) -> st.SearchStrategy[Column]:
    @st.composite
    def build(draw: st.DrawFn) -> Column:
        column = draw(bounded(make, dtype, 1, 4, range(6)))
        if not column.arguments and draw(st.booleans()):  # Dataframely takes the one or the other
            column.arguments["is_in"] = [5, 0, 2]
            column.rules["is_in"] = each(lambda value: value in (0, 2, 5))
        if draw(st.booleans()):
            column.arguments["check"] = {"odd": lambda e: e % 2 == 1}
            column.rules["check__odd"] = each(lambda value: value % 2 == 1)
        return column

    return build()


def floats(make: Callable[..., dy.Column], dtype: pl.DataType) -> st.SearchStrategy[Column]:
    @st.composite
    def build(draw: st.DrawFn) -> Column:
        column = draw(bounded(make, dtype, 0.0, 1.5, [math.nan, math.inf, -math.inf, -0.0, 0.0, 1.5, 0.5, -2.0]))
        for argument, rule, keeps in (
            ("allow_inf", "inf", lambda value: not math.isinf(value)),
            ("allow_nan", "nan", lambda value: not math.isnan(value)),
        ):
            column.arguments[argument] = draw(st.booleans())
            if not column.arguments[argument]:
                column.rules[rule] = each(keeps)
        return column

    return build()


@st.composite
def strings(draw: st.DrawFn) -> Column:
    column = Column(dy.String, pl.String(), st.sampled_from(["", "a", "ab", "ßß", "cab", "b", "aaaaa"]))
    if draw(st.booleans()):
        column.arguments["min_length"] = 2
        column.rules["min_length"] = each(lambda value: len(value.encode()) >= 2)
    if draw(st.booleans()):
        column.arguments["max_length"] = 3
        column.rules["max_length"] = each(lambda value: len(value.encode()) <= 3)
    if pattern := draw(st.sampled_from([None, "^a", "b$", "ß|c", "^[ab]*$"])):
        column.arguments["regex"] = pattern
        column.rules["regex"] = each(lambda value: re.search(pattern, value) is not None)
    return column


def plain(make: Callable[..., dy.Column], dtype: pl.DataType, pool: Values) -> st.SearchStrategy[Column]:
    return st.builds(Column, st.just(make), st.just(dtype), st.just(st.sampled_from(pool)))


def aligned(
    columns: st.SearchStrategy[Column], resolution: str, keeps: Callable[[Any], bool]
) -> st.SearchStrategy[Column]:
    @st.composite
    def build(draw: st.DrawFn) -> Column:
        column = draw(columns)
        if draw(st.booleans()):
            column.arguments["resolution"] = resolution
            column.rules["resolution"] = each(keeps)
        return column

    return build()


def moment(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2024, 1, day, hour, minute, tzinfo=UTC)


TEMPORAL = [
    aligned(
        bounded(
            dy.Date,
            pl.Date(),
            date(2024, 1, 1),
            date(2024, 2, 1),
            [date(2023, 12, 1), *(date(2024, m, d) for m in (1, 2, 3) for d in (1, 2))],
        ),
        "1mo",
        lambda value: value.day == 1,
    ),
    aligned(
        bounded(
            lambda **kwargs: dy.Datetime(time_zone="UTC", **kwargs),
            pl.Datetime("us", "UTC"),
            moment(1, 5),
            moment(2),
            [moment(1), moment(2), moment(1, 5), moment(1, 5, 30), moment(3), moment(2, 0, 1)],
        ),
        "1h",
        lambda value: value.minute == 0,
    ),
    aligned(
        bounded(dy.Time, pl.Time(), time(2), time(20), [time(1), time(2), time(2, 30), time(20), time(23, 59)]),
        "1h",
        lambda value: value.minute == 0,
    ),
    aligned(
        bounded(
            dy.Duration,
            pl.Duration("us"),
            timedelta(0),
            timedelta(days=1),
            [timedelta(0), timedelta(hours=-1), timedelta(minutes=90), timedelta(days=1), timedelta(days=2)],
        ),
        "1h",
        lambda value: value % timedelta(hours=1) == timedelta(0),
    ),
]


@st.composite
def lists(draw: st.DrawFn) -> Column:
    inner = {"nullable": draw(st.booleans()), "min": 0}
    column = Column(
        lambda **kwargs: dy.List(dy.Int64(**inner), **kwargs),
        pl.List(pl.Int64()),
        st.lists(st.sampled_from([-1, 0, 1, None]), max_size=3),
        rules={"inner_min": each(lambda items: all(item is None or item >= 0 for item in items))},
    )
    if not inner["nullable"]:
        column.rules["inner_nullability"] = each(lambda items: None not in items)
    if draw(st.booleans()):
        column.arguments["min_length"] = 1
        column.rules["min_length"] = each(lambda items: len(items) >= 1)
    if draw(st.booleans()):
        column.arguments["max_length"] = 2
        column.rules["max_length"] = each(lambda items: len(items) <= 2)
    return column


ARRAYS = st.builds(
    Column,
    st.just(lambda **kwargs: dy.Array(dy.Int64(max=3), 2, **kwargs)),
    st.just(pl.Array(pl.Int64(), 2)),
    st.just(st.lists(st.sampled_from([1, 3, 4, None]), min_size=2, max_size=2)),
    rules=st.builds(
        lambda: {
            "inner_nullability": each(lambda items: None not in items),
            "inner_max": each(lambda items: all(item is None or item <= 3 for item in items)),
        }
    ),
)
STRUCTS = st.builds(
    Column,
    st.just(
        lambda **kwargs: dy.Struct({"x": dy.Float64(min=0), "y": dy.String(nullable=True, max_length=1)}, **kwargs)
    ),
    st.just(pl.Struct({"x": pl.Float64(), "y": pl.String()})),
    st.just(
        st.fixed_dictionaries(
            {"x": st.sampled_from([1.0, -1.0, math.nan, math.inf, None]), "y": st.sampled_from(["a", "aa", None])}
        )
    ),
    # To Polars a null struct is a duplicate of one whose fields are all null; inside a primary key it is not.
    identity=st.just(lambda value: {"x": None, "y": None} if value is None else value),
    rules=st.builds(
        lambda: {
            "inner_x_nullability": each(lambda item: item["x"] is not None),
            "inner_x_min": each(lambda item: item["x"] is None or compared(item["x"], 0.0) >= 0),
            "inner_x_inf": each(lambda item: item["x"] is None or not math.isinf(item["x"])),
            "inner_x_nan": each(lambda item: item["x"] is None or not math.isnan(item["x"])),
            "inner_y_max_length": each(lambda item: item["y"] is None or len(item["y"]) <= 1),
        }
    ),
)

KINDS: dict[str, st.SearchStrategy[Column]] = {
    "Int64": integers(dy.Int64, pl.Int64()),
    "UInt8": integers(dy.UInt8, pl.UInt8()),
    "Integer": integers(dy.Integer, pl.Int16()),
    "Float64": floats(dy.Float64, pl.Float64()),
    "Float32": floats(dy.Float32, pl.Float32()),
    "Float": floats(dy.Float, pl.Float32()),
    "String": strings(),
    "Bool": plain(dy.Bool, pl.Boolean(), [True, False]),
    "Binary": plain(dy.Binary, pl.Binary(), [b"", b"a", b"\xff"]),
    "Categorical": plain(dy.Categorical, pl.Categorical(), ["u", "v", "w"]),
    "Enum": plain(lambda **kwargs: dy.Enum(["u", "v", "w"], **kwargs), pl.Enum(["u", "v", "w"]), ["u", "v", "w"]),
    "Decimal": bounded(
        lambda **kwargs: dy.Decimal(10, 2, **kwargs),
        pl.Decimal(10, 2),
        Decimal("0.50"),
        Decimal(2),
        [Decimal(text) for text in ("0.49", "0.50", "2.00", "2.01", "-1.00")],
    ),
    **dict(zip(["Date", "Datetime", "Time", "Duration"], TEMPORAL, strict=True)),
    "List": lists(),
    "Array": ARRAYS,
    "Struct": STRUCTS,
}
COLUMNS = st.lists(st.sampled_from(sorted(KINDS)).flatmap(KINDS.__getitem__), max_size=3)

# -------------------------------------------------------------------------------------- rules that see more than a cell

KEYS, NUMBERS = [1, 2, 3, None], [-2, -1, 0, 1, 2, None]


def groups(keys: Values) -> list[list[int]]:
    """For each row the rows of its group; nulls are one group."""
    return [[at for at, other in enumerate(keys) if other == key] for key in keys]


def total(numbers: Values) -> int:
    return sum(number for number in numbers if number is not None)


WIDE_RULES: dict[str, tuple[Callable[[], pl.Expr], Callable[[Values, Values], list[bool]]]] = {
    "row_local": (
        lambda: pl.col("number") < pl.col("key"),
        lambda keys, numbers: [
            key is None or number is None or number < key for key, number in zip(keys, numbers, strict=True)
        ],
    ),
    "null_unless_positive": (
        lambda: pl.when(pl.col("number") > 0).then(pl.col("key") > 1),
        lambda keys, numbers: [
            number is None or number <= 0 or key is None or key > 1 for key, number in zip(keys, numbers, strict=True)
        ],
    ),
    "small_groups": (
        lambda: pl.len().over("key") <= 2,
        lambda keys, numbers: [len(group) <= 2 for group in groups(keys)],
    ),
    "group_totals": (
        lambda: pl.col("number").sum().over("key") > -2,
        lambda keys, numbers: [total([numbers[at] for at in group]) > -2 for group in groups(keys)],
    ),
    "total": (
        lambda: pl.col("number").sum() < 0,
        lambda keys, numbers: [total(numbers) < 0] * len(numbers),
    ),
    "not_below_the_row_before": (
        lambda: pl.col("number") >= pl.col("number").shift(),
        lambda keys, numbers: [
            at == 0 or number is None or numbers[at - 1] is None or number >= numbers[at - 1]
            for at, number in enumerate(numbers)
        ],
    ),
}


def as_rule(build: Callable[[], pl.Expr]) -> Any:
    return dy.rule()(lambda cls: build())


@st.composite
def cases(
    draw: st.DrawFn, *, rows: tuple[int, int] = (0, 12), columns: st.SearchStrategy[list[Column]] = COLUMNS
) -> Case:
    height = draw(st.integers(*rows))
    members: dict[str, Any] = {
        "row": dy.Int64(nullable=True),
        "key": dy.Int64(nullable=True),
        "number": dy.Int64(nullable=True),
    }
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=height, max_size=height))
    numbers = draw(st.lists(st.sampled_from(NUMBERS), min_size=height, max_size=height))
    series = {
        "row": pl.Series(range(height), dtype=pl.Int64),
        "key": pl.Series(keys, dtype=pl.Int64),
        "number": pl.Series(numbers, dtype=pl.Int64),
    }
    kept: dict[str, list[bool]] = {}
    primary_key: list[Values] = []
    for at, column in enumerate(draw(columns)):
        name = f"c{at}"
        role = draw(st.sampled_from(["nullable", "required", "required", "key"]))
        nulls = st.none() if role == "nullable" or draw(st.booleans()) else st.nothing()
        values = draw(st.lists(column.values | nulls, min_size=height, max_size=height))
        rules = dict(column.rules)
        if role != "nullable":
            rules["nullability"] = not_null
        if role == "key":
            primary_key.append(values)
        if unique := draw(st.booleans()):
            rules["unique"] = lambda values, column=column: once([column.identity(value) for value in values])
        members[name] = column.make(
            nullable=role == "nullable", primary_key=role == "key", unique=unique, **column.arguments
        )
        series[name] = pl.Series(values, dtype=column.dtype)
        kept |= {f"{name}|{rule}": keeps(values) for rule, keeps in rules.items()}
    if primary_key:
        kept["primary_key"] = once([list(row) for row in zip(*primary_key, strict=True)])
    for name in draw(st.lists(st.sampled_from(sorted(WIDE_RULES)), unique=True, max_size=3)):
        build, keeps = WIDE_RULES[name]
        members[name] = as_rule(build)
        kept[name] = keeps(keys, numbers)
    schema = type("Generated", (dy.Schema,), members)
    warnings = draw(st.lists(st.sampled_from(sorted(kept)), unique=True, max_size=2)) if kept else []
    return Case(schema, read_contract(schema, warnings=warnings), pl.DataFrame(series), kept)


# ----------------------------------------------------------------------------------------------------------------- laws

LIMIT = 2


def rounded(found: Split) -> list[Any]:
    """The statistics with nine digits and one zero: an engine may add in another order, and take -0.0 for the least."""
    columns = [
        row for family in ("numeric", "temporal", "string", "boolean") for row in asdict(found.statistics)[family]
    ]
    return [
        [f"{round(value, 9) + 0.0:.9g}" if isinstance(value, float) else value for value in row.values()]
        for row in columns
    ]


def splits(case: Case, folder: Path) -> Iterator[Split]:
    """The case split by every road: in memory, as two plans, and into files, with and without memory to spare."""
    options = SplitOptions(max_failure_samples=LIMIT)
    yield split(case.contract, case.frame, options)
    scan = case.frame.lazy()
    if case.frame.height:
        case.frame.write_parquet(folder / "rows.parquet", row_group_size=3)
        scan = pl.scan_parquet(folder / "rows.parquet")
    must_run_once = scan.map_batches(lambda rows: rows, schema=case.frame.schema)
    for frame, into, more in (
        (case.frame, None, replace(options, halves_as_plans=True)),
        (case.frame.lazy(), None, options),
        (must_run_once, None, options),
        (scan, folder, options),
        (must_run_once, folder, options),
        (scan, folder, replace(options, memory_budget=64)),
    ):
        found = split(case.contract, frame, more, into=into)
        yield replace(found, valid=found.valid.lazy().collect(), invalid=found.invalid.lazy().collect())


def hold(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        eager, *others = splits(case, Path(folder))
    for found in (eager, *others):
        nothing_is_lost(case, found)
        counts_are_right(case, found)
        quarantine_columns_are_right(case, found)
        samples_are_the_first_rows(case, found)
    for lazy in others:
        assert lazy.statistics.approximate or rounded(eager) == rounded(lazy)
        assert_frame_equal(eager.valid, lazy.valid)
        assert_frame_equal(eager.invalid, lazy.invalid)
        assert eager.co_failures == lazy.co_failures
        assert eager.broken_together.equals(lazy.broken_together)
    if case.contract.rules and len(case.contract.enforced_rules) == len(case.contract.rules):
        agrees_with_dataframely(case, eager)


def nothing_is_lost(case: Case, found: Split) -> None:
    valid = [at for at, rules in enumerate(case.broken) if not rules]
    invalid = [at for at, rules in enumerate(case.broken) if rules]
    assert found.valid["row"].to_list() == valid
    assert found.invalid["row"].to_list() == invalid
    assert_frame_equal(found.valid, case.frame[valid])
    assert_frame_equal(found.invalid.select(case.frame.columns), case.frame[invalid])
    assert (found.row_count, found.valid_count, found.invalid_count) == (case.frame.height, len(valid), len(invalid))


def counts_are_right(case: Case, found: Split) -> None:
    assert found.rule_counts == {rule: kept.count(False) for rule, kept in case.kept.items()}
    sets = Counter(frozenset(rules) for rules in case.broken if rules)
    assert {frozenset(entry.rules): entry.count for entry in found.co_failures} == sets
    assert len(found.co_failures) == len(sets)
    assert sum(entry.count for entry in found.co_failures) == found.invalid_count
    assert [entry.count for entry in found.co_failures] == sorted(sets.values(), reverse=True)
    for column in {rule.column for rule in case.contract.rules}:
        rules = [rule for rule in case.contract.rules if rule.column == column]
        breaking = sum(not all(case.kept[rule.name][at] for rule in rules) for at in range(case.frame.height))
        assert found.rows_breaking(rules) == breaking


def quarantine_columns_are_right(case: Case, found: Split) -> None:
    invalid = [at for at, rules in enumerate(case.broken) if rules]
    assert found.invalid.columns == [*case.frame.columns, *(rule.check_name for rule in case.contract.rules)]
    for rule in case.contract.rules:
        reads = ["valid" if case.kept[rule.name][at] else "invalid" for at in invalid]
        assert found.invalid[rule.check_name].to_list() == reads, rule.name


def samples_are_the_first_rows(case: Case, found: Split) -> None:
    first = {rule: [at for at, keeps in enumerate(kept) if not keeps][:LIMIT] for rule, kept in case.kept.items()}
    assert {rule: sample["row"].to_list() for rule, sample in found.rule_samples.items()} == {
        rule: rows for rule, rows in first.items() if rows
    }


def agrees_with_dataframely(case: Case, found: Split) -> None:
    valid, failure = case.schema.filter(case.frame, cast=False)
    assert_frame_equal(found.valid, valid)
    assert_frame_equal(found.invalid.select(case.frame.columns), failure.invalid())
    assert {rule: count for rule, count in found.rule_counts.items() if count} == failure.counts()
    assert {frozenset(entry.rules): entry.count for entry in found.co_failures} == failure.cooccurrence_counts()


UNHURRIED = settings(deadline=None, suppress_health_check=list(HealthCheck))


@settings(UNHURRIED, max_examples=150)
@given(cases())
def test_the_split_is_what_looking_at_every_row_says(case: Case):
    hold(case)


@pytest.mark.parametrize("kind", KINDS)
def test_the_split_is_right_for_every_kind_of_column(kind: str):
    @settings(UNHURRIED, max_examples=20)
    @given(cases(rows=(4, 10), columns=st.lists(KINDS[kind], min_size=2, max_size=2)))
    def law(case: Case) -> None:
        hold(case)

    law()


@pytest.mark.slow
def test_the_split_is_what_looking_at_every_row_says_at_length(request: pytest.FixtureRequest):
    if "slow" not in request.config.getoption("markexpr"):
        pytest.skip("takes minutes; run with -m slow")

    @settings(UNHURRIED, max_examples=3000)
    @given(cases(rows=(0, 30)))
    def law(case: Case) -> None:
        hold(case)

    law()


@settings(UNHURRIED, max_examples=20)
@given(
    st.lists(st.tuples(st.sampled_from(NUMBERS), st.sampled_from(KEYS)), min_size=200, max_size=400), st.integers(0, 3)
)
def test_many_rows_in_many_chunks_are_split_as_one(rows: list[tuple[int | None, int | None]], chunks: int):
    class Chunked(dy.Schema):
        row = dy.Int64()
        number = dy.Int64(nullable=True, min=0)
        key = dy.Int64(nullable=True, max=2)

    frame = pl.DataFrame(rows, schema={"number": pl.Int64, "key": pl.Int64}, orient="row").with_row_index("row")
    frame = frame.with_columns(pl.col("row").cast(pl.Int64))
    parts = [frame[at :: chunks + 1] for at in range(chunks + 1)]
    whole = pl.concat(parts, rechunk=False)
    valid = [
        at for at, number, key in whole.iter_rows() if (number is None or number >= 0) and (key is None or key <= 2)
    ]
    for form in (whole, pl.concat([part.lazy() for part in parts])):
        found = split(read_contract(Chunked), form)
        valid_rows, invalid_rows = found.valid.lazy().collect(), found.invalid.lazy().collect()
        assert valid_rows["row"].to_list() == valid
        assert sorted([*valid, *invalid_rows["row"].to_list()]) == list(range(len(rows)))


WITHOUT_RULES_OF_THEIR_OWN = {"nullability", "unique", "primary_key"}
OWN_RULES = {
    "Int64": {"min", "min_exclusive", "max", "max_exclusive", "is_in", "check__odd"},
    "Float64": {"min", "min_exclusive", "max", "max_exclusive", "inf", "nan"},
    "String": {"min_length", "max_length", "regex"},
    "Decimal": {"min", "min_exclusive", "max", "max_exclusive"},
    "Date": {"min", "min_exclusive", "max", "max_exclusive", "resolution"},
    "Datetime": {"min", "min_exclusive", "max", "max_exclusive", "resolution"},
    "Time": {"min", "min_exclusive", "max", "max_exclusive", "resolution"},
    "Duration": {"min", "min_exclusive", "max", "max_exclusive", "resolution"},
    "List": {"min_length", "max_length", "inner_nullability", "inner_min"},
    "Array": {"inner_nullability", "inner_max"},
    "Struct": {"inner_x_nullability", "inner_x_min", "inner_x_inf", "inner_x_nan", "inner_y_max_length"},
}


@pytest.mark.parametrize("kind", OWN_RULES)
def test_the_generator_breaks_and_keeps_every_rule(kind: str):
    """A law over nothing proves nothing."""
    seen: dict[bool, set[str]] = {True: set(), False: set()}

    @settings(UNHURRIED, max_examples=120, derandomize=True, database=None)
    @given(cases(rows=(6, 10), columns=st.lists(KINDS[kind], min_size=2, max_size=2)))
    def look(case: Case) -> None:
        for rule, kept in case.kept.items():
            for keeps in kept:
                seen[keeps].add(rule.rpartition("|")[2])

    look()
    assert OWN_RULES[kind] | WITHOUT_RULES_OF_THEIR_OWN <= seen[False]
    assert OWN_RULES[kind] | WITHOUT_RULES_OF_THEIR_OWN <= seen[True]


@pytest.mark.parametrize("rule", WIDE_RULES)
def test_the_generators_keys_and_numbers_break_and_keep_every_wide_rule(rule: str):
    _, keeps = WIDE_RULES[rule]
    chance = random.Random(0)
    seen = {
        kept
        for _ in range(50)
        for kept in keeps([chance.choice(KEYS) for _ in range(8)], [chance.choice(NUMBERS) for _ in range(8)])
    }
    assert seen == {True, False}
