"""What a plan says of nulls is true: proved columns never have one on random data, and each kind of step is known."""

import contextlib
from collections.abc import Callable
from datetime import date, datetime, timedelta
from random import Random

import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given, settings

from dagster_contracts.orchestration.dry_run.facts import Source
from dagster_contracts.orchestration.dry_run.nullability import nulls_of
from dagster_contracts.orchestration.dry_run.plan import HiddenError, read_plan, trouble_with

# Two tables; a name that ends in `0` may hold nulls.
LEFT = {
    "k": pl.Int64,
    "i": pl.Int64,
    "i0": pl.Int64,
    "s": pl.String,
    "s0": pl.String,
    "f": pl.Float64,
    "f0": pl.Float64,
    "b": pl.Boolean,
    "b0": pl.Boolean,
    "d": pl.Date,
    "t0": pl.Datetime("us"),
    "l": pl.List(pl.Int64),
    "l0": pl.List(pl.Int64),
    "n": pl.Int8,
}
RIGHT = {"k": pl.Int64, "i": pl.Int64, "x": pl.String, "x0": pl.String, "y0": pl.Float64}
SOURCES = [
    Source(name, {column: pl.DataFrame(schema={column: dtype}).schema[column] for column, dtype in schema.items()},
           {column: column.endswith("0") for column in schema})
    for name, schema in (("left", LEFT), ("right", RIGHT))
]  # fmt: skip
VALUES = {
    pl.Int64: [-3, -1, 0, 1, 2],
    pl.Int8: [-128, -1, 0, 1, 127],
    pl.String: ["", "a", "b", "ab", "1"],
    pl.Float64: [0.0, -1.5, 2.0, float("nan"), float("inf")],
    pl.Boolean: [True, False],
    pl.Date: [date(2024, 2, 29), date(1970, 1, 1)],
    pl.Datetime("us"): [datetime(2024, 2, 29, 23, 59), datetime(1969, 1, 1)],  # noqa: DTZ001
    pl.List(pl.Int64): [[], [1], [None, 2], [0, 1]],
}
KINDS = {"int": (pl.Int64, pl.Int8), "num": (pl.Int64, pl.Int8, pl.Float64), "str": (pl.String,), "bool": (pl.Boolean,),
         "time": (pl.Date, pl.Datetime("us")), "list": (pl.List(pl.Int64),)}  # fmt: skip


def table(rng: Random, schema: dict[str, pl.DataType]) -> pl.DataFrame:
    """A table of a few random rows."""
    rows = rng.choice([0, 1, 1, 2, 5])
    columns = {
        name: [None if name.endswith("0") and rng.random() < 0.4 else rng.choice(VALUES[dtype]) for _ in range(rows)]
        for name, dtype in schema.items()
    }
    return pl.DataFrame(columns, schema=schema)


def guarded(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    return pl.when(one.is_not_null()).then(one).otherwise(other)


class Writer:
    """Writes random expressions over columns of a schema, each of a kind that can be computed."""

    def __init__(self, rng: Random, schema: dict[str, pl.DataType]) -> None:
        self.rng, self.schema = rng, schema

    def __call__(self, kind: str = "", depth: int = -1) -> pl.Expr:
        kind = kind or self.rng.choice(["int", "num", "num", "str", "bool", "time", "list"])
        depth = self.rng.choice([1, 1, 2]) if depth < 0 else depth
        if depth == 0 or self.rng.random() < 0.15:
            return self.leaf(kind)
        choices = [*getattr(self, kind)(), *self.any(kind)]
        return self.rng.choice(choices)(lambda of="": self(of or kind, depth - 1))

    def leaf(self, kind: str) -> pl.Expr:
        names = [name for name, dtype in self.schema.items() if dtype in KINDS[kind]]
        literals = {"int": 1, "num": 1.5, "str": "a", "bool": True, "time": date(2024, 1, 1), "list": [1]}
        if names and self.rng.random() < 0.85:
            return pl.col(self.rng.choice(names))
        return pl.lit(None if self.rng.random() < 0.3 else literals[kind], dtype=KINDS[kind][0])

    def any(self, kind: str) -> list:
        """What can be done with values of every kind."""
        return [
            lambda x: x().fill_null(x()),
            lambda x: x().fill_null(strategy="forward"),
            lambda x: pl.coalesce(x(), x()),
            lambda x: pl.when(x("bool")).then(x()).otherwise(x()),
            lambda x: pl.when(x("bool")).then(x()),
            lambda x: guarded(x(), x()),
            lambda x: x().first(),
            lambda x: x().last(),
            lambda x: x().first().over(x("int")),
            lambda x: x().shift(1),
            lambda x: x().filter(x("bool")).first(),
            lambda x: x().sort_by(x("int")).last(),
            *([] if kind == "list" else [lambda x: x().max(), lambda x: x().min().over("k"), lambda x: pl.max_horizontal(x(), x())]),
            *([] if kind == "list" else [lambda x: x().replace({"a" if kind == "str" else 1: None}) if kind in ("int", "str") else x()]),
        ]  # fmt: skip

    def int(self) -> list:
        """Whole numbers."""
        return [
            lambda x: x() + x(), lambda x: x() * x(), lambda x: x() // x(), lambda x: x() % x(), lambda x: x() // 2,
            lambda x: x("num").cast(pl.Int8, strict=False), lambda x: x("str").str.len_bytes(), lambda x: x("list").list.len(),
            lambda x: x("str").str.to_integer(strict=False), lambda x: x("time").dt.year(), lambda x: x("num").count(),
            lambda x: x("str").n_unique(), lambda x: x("str").null_count(), lambda x: pl.len(), lambda x: x("list").list.first(),
            lambda x: x("list").list.sum(), lambda x: x().sum(), lambda x: x().cum_sum(), lambda x: x().diff(),
            lambda x: x().abs(), lambda x: -x(), lambda x: x().clip(x(), x()), lambda x: x().cast(pl.Int64),
        ]  # fmt: skip

    def num(self) -> list:
        """Any numbers."""
        return [
            lambda x: x() + x(), lambda x: x() - x(), lambda x: x() * x(), lambda x: x() / x(), lambda x: x() // x(),
            lambda x: x() % 60, lambda x: x().mean(), lambda x: x().median(), lambda x: x().std(), lambda x: x().sum(),
            lambda x: x().mean().over("k"), lambda x: x().rank(), lambda x: x().floor(), lambda x: x().round(1),
            lambda x: x().sqrt(), lambda x: x().cast(pl.Float64), lambda x: x("str").cast(pl.Float64, strict=False),
            lambda x: pl.sum_horizontal(x(), x()), lambda x: pl.sum_horizontal(x(), x(), ignore_nulls=False),
            lambda x: x().interpolate(), lambda x: x().quantile(0.5), lambda x: x().fill_nan(None),
        ]  # fmt: skip

    def str(self) -> list:
        """Texts."""
        return [
            lambda x: x() + x(), lambda x: x().str.to_uppercase(), lambda x: pl.concat_str(x(), x()), lambda x: x().str.slice(0, 1),
            lambda x: pl.concat_str(x(), x(), ignore_nulls=True), lambda x: pl.format("{}-{}", x(), x("int")),
            lambda x: x("int").cast(pl.String), lambda x: x().str.reverse(), lambda x: x().str.extract("(a)"),
            lambda x: x().str.head(1), lambda x: x().str.strip_chars(),
        ]  # fmt: skip

    def bool(self) -> list:
        """Conditions."""
        return [
            lambda x: x("num") > x("num"), lambda x: x("str") == x("str"), lambda x: x("str").eq_missing(x("str")),
            lambda x: x() & x(), lambda x: x() | x(), lambda x: ~x(), lambda x: x("num").is_null(), lambda x: x("str").is_not_null(),
            lambda x: x("int").is_in([1, 2]), lambda x: x("str").is_in(["a", None]), lambda x: x("int").is_in([1, None], nulls_equal=True),
            lambda x: x("num").is_between(x("num"), x("num")), lambda x: x("num").cast(pl.Float64).is_nan(),
            lambda x: x("str").str.contains("a"), lambda x: x("str").str.contains(x("str"), literal=True),
            lambda x: x("str").str.starts_with(x("str")), lambda x: x("int").is_duplicated(), lambda x: x("str").is_first_distinct(),
            lambda x: pl.all_horizontal(x(), x()), lambda x: pl.any_horizontal(x(), x()), lambda x: x().any(), lambda x: x().all(),
        ]  # fmt: skip

    def time(self) -> list:
        """Days and moments."""
        return [
            lambda x: x().dt.date(), lambda x: x() + pl.duration(days=1), lambda x: x() - pl.duration(days=x("int")),
            lambda x: x().dt.truncate("1mo"), lambda x: x().dt.offset_by("1mo"), lambda x: x("str").str.to_date("%Y", strict=False),
        ]  # fmt: skip

    def list(self) -> list:
        """Lists."""
        return [lambda x: x("int").implode(), lambda x: pl.concat_list(x("int"), x("int")), lambda x: x().list.head(1)]


Table = Callable[[pl.LazyFrame, pl.LazyFrame], pl.LazyFrame]


def step(rng: Random, schema: dict[str, pl.DataType]) -> Table:
    """A random step that may fit a frame's columns, as a function, so that it can be done again with other rows."""
    names, write = list(schema), Writer(rng, schema)
    name, key, flag = rng.choice(names), rng.choice(["k", "i", "x0"]), rng.random() < 0.5
    numbers = [one for one, dtype in schema.items() if dtype in KINDS["int"]] or names
    number = rng.choice(numbers)
    how = rng.choice(["inner", "left", "left", "right", "full", "semi", "anti", "cross"])
    coalesce = {"coalesce": rng.choice([None, True, False])} if how in ("inner", "left", "right", "full") else {}
    kept, one, two, test = rng.sample(names, min(3, len(names))), write(), write(), write("bool")

    def join(lf: pl.LazyFrame, other: pl.LazyFrame) -> pl.LazyFrame:
        if how == "cross":
            return lf.join(other, how="cross")
        return lf.join(other, left_on=number, right_on=key, how=how, nulls_equal=flag, **coalesce)

    steps: list[Table] = [
        lambda lf, _: lf.select(*kept, p=one, q=two),
        lambda lf, _: lf.select(p=one, q=two),
        lambda lf, _: lf.with_columns(one.alias(name), w=two),
        lambda lf, _: lf.with_columns(v=one, w=two),
        lambda lf, _: lf.filter(test),
        lambda lf, _: lf.filter(pl.col(name).is_not_null() | test),
        lambda lf, _: lf.filter(pl.col(name).is_not_null(), ~pl.col(names[0]).is_null()),
        lambda lf, _: lf.group_by(name).agg(g=one, h=two, m=pl.len()),
        lambda lf, _: lf.group_by(one.alias("z")).agg(pl.all().first()),
        join,
        join,
        join,
        lambda lf, _: lf.join(lf.group_by(number).agg(sj=one), on=number, how="left"),
        lambda lf, other: lf.join_where(other, pl.col(number) <= pl.col("y0")),
        lambda lf, _: lf.unique(name, keep="any"),
        lambda lf, _: lf.sort(number, nulls_last=flag).head(2),
        lambda lf, _: lf.drop_nulls(name) if flag else lf.drop_nulls(),
        lambda lf, _: lf.explode("l", empty_as_null=True),
        lambda lf, _: lf.with_row_index("at"),
        lambda lf, _: pl.concat([lf, lf.with_columns(pl.col(name).shift(1))]),
        lambda lf, other: pl.concat([lf, other], how="diagonal"),
        lambda lf, other: pl.concat([lf, other.select(pl.all().name.suffix("_r"))], how="horizontal_extend"),
        lambda lf, _: lf.fill_null(0),
        lambda lf, _: lf.rename({name: "renamed"}),
        lambda lf, _: lf.unpivot([name], index=names[:1] if names[0] != name else None),
        lambda lf, other: lf.update(other, on="k", how="left"),
        lambda lf, _: lf.top_k(2, by=number),
        lambda lf, _: lf.shift(1) if flag else lf.reverse(),
    ]
    return rng.choice(steps)


FAILS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError, TypeError)


def program(rng: Random) -> list[Table]:
    """One to three steps, each of which fits the columns that the ones before it leave."""
    frame, other = pl.LazyFrame(schema=LEFT), pl.LazyFrame(schema=RIGHT)
    found: list[Table] = []
    for _ in range(30):
        if len(found) == 3 or (found and rng.random() < 0.2):
            break
        try:
            one = step(rng, dict(frame.collect_schema()))
            after = one(frame, other)
            after.collect_schema()
        except FAILS:
            continue
        found, frame = [*found, one], after
    return found


def run(steps: list[Table], left: pl.LazyFrame, right: pl.LazyFrame) -> pl.LazyFrame:
    for one in steps:
        left = one(left, right)
    return left


def holds(seed: int) -> int:
    """No column that a random program's plan proves has a null when the program runs on rows."""
    rng = Random(seed)
    return proves(rng, program(rng), 5)


def proves(rng: Random, steps: list[Table], tables: int) -> int:
    """How many columns a program's plan proves, each of them without a null when it runs on rows."""
    plan = run(steps, pl.LazyFrame(schema=LEFT), pl.LazyFrame(schema=RIGHT))
    try:
        facts = nulls_of(read_plan(plan), SOURCES)
    except HiddenError:
        return 0
    proved = [name for name, fact in facts.items() if fact.null is False]
    for _ in range(tables):
        try:
            out = run(steps, table(rng, LEFT).lazy(), table(rng, RIGHT).lazy()).collect()
        except FAILS:
            continue
        assert {name for name in proved if out[name].null_count()} == set(), plan.explain(optimized=False)
    return len(proved)


ENGINES = ("in-memory", "streaming")
NULLS = {
    name: pl.DataFrame(
        {column: [None if column.endswith("0") else VALUES[dtype][1]] * 3 for column, dtype in schema.items()}, schema=schema
    )
    for name, schema in (("left", LEFT), ("right", RIGHT))
}  # fmt: skip


def collected(frame: pl.LazyFrame, engine: str) -> dict[str, pl.DataType] | None:
    """A frame's columns once it has run, or nothing if it cannot."""
    try:
        return dict(frame.collect(engine=engine).schema)
    except FAILS:
        return None


def keeps_its_schema(seed: int) -> None:
    """A program's columns and dtypes on rows, on each engine, are those of its plan and of the tables a dry run tries."""
    rng = Random(seed)
    steps = program(rng)
    empty = run(steps, pl.LazyFrame(schema=LEFT), pl.LazyFrame(schema=RIGHT))
    if trouble_with(empty) is not None:
        return
    told = dict(empty.collect_schema())
    tried = [empty, run(steps, NULLS["left"].lazy(), NULLS["right"].lazy())]
    if any(collected(frame, engine) not in (told, None) for frame in tried for engine in ENGINES):
        return  # then a dry run says so
    for _ in range(3):
        frame = run(steps, table(rng, LEFT).lazy(), table(rng, RIGHT).lazy())
        for engine in ENGINES:
            assert collected(frame, engine) in (told, None), (engine, frame.explain(optimized=False))


SEEDS = st.integers(0, 2**40)


@pytest.mark.filterwarnings("ignore")
@given(seeds=st.lists(SEEDS, min_size=20, max_size=20))
@settings(max_examples=20)
def test_a_column_that_is_proved_is_never_null_on_random_data(seeds):
    for seed in seeds:
        holds(seed)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_each_function_alone_is_never_null_where_that_is_proved(kind):
    rng = Random(1)
    write = Writer(rng, LEFT)
    for build in [*getattr(write, kind)(), *write.any(kind)]:
        for _ in range(8):
            expr = build(lambda of="": write(of or kind, 0))
            for frame in (
                lambda lf, _, expr=expr: lf.with_columns(out=expr),
                lambda lf, _, expr=expr: lf.select(out=expr),
                lambda lf, _, expr=expr: lf.group_by("b0").agg(out=expr),
                lambda lf, _, expr=expr: lf.select(out=expr.over("k")),
            ):
                with contextlib.suppress(*FAILS):
                    proves(rng, [frame], 4)


@pytest.mark.filterwarnings("ignore")
def test_random_plans_prove_something():
    assert sum(holds(seed) > 0 for seed in range(100)) > 60


@pytest.mark.filterwarnings("ignore")
@given(seed=SEEDS)
@settings(max_examples=80)
def test_a_plan_on_no_rows_tells_the_dtypes_of_any_rows(seed):
    keeps_its_schema(seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@given(seed=SEEDS)
@settings(max_examples=20_000, derandomize=False)
def test_a_column_that_is_proved_is_never_null_on_much_random_data(seed):
    holds(seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@given(seed=SEEDS)
@settings(max_examples=5_000, derandomize=False)
def test_a_plan_on_no_rows_tells_the_dtypes_of_any_rows_at_length(seed):
    keeps_its_schema(seed)


LEFT_EMPTY, RIGHT_EMPTY = pl.LazyFrame(schema=LEFT), pl.LazyFrame(schema=RIGHT)
c = pl.col
EXPRESSIONS = [
    (c.i, False),
    (c.i0, True),
    (c.i + c.k, False),
    (c.i + c.i0, True),
    (c.i / c.k, False),
    (c.i // c.k, None),
    (c.i % 60, False),
    (c.i0.fill_null(0), False),
    (c.i0.fill_null(c.i0), None),
    (pl.coalesce(c.i0, c.i), False),
    (c.i0.cast(pl.String), True),
    (c.i.cast(pl.Int8), False),
    (c.i.cast(pl.Int8, strict=False), None),
    (pl.when(c.b0).then(1).otherwise(2), False),
    (pl.when(c.b).then(1), None),
    (pl.when(c.i0.is_not_null()).then(c.i0).otherwise(0), False),
    (c.i0.is_null(), False),
    (c.b & (c.i > 1), False),
    (c.s.str.len_bytes(), False),
    (c.s0.str.to_uppercase(), True),
    (c.d.dt.year(), False),
    (c.d + timedelta(days=1), False),
    (c.i.shift(1), None),
    (c.i.max().over("k"), False),
    (c.i0.max().over("k"), None),
    (pl.lit(None), True),
    (pl.lit("x"), False),
    (pl.struct("i0", "s0"), False),
    (pl.concat_str("s", "s0", ignore_nulls=True), False),
    (c.i.sum(), False),
    (c.i.max(), False),  # beside a column: rows that are none have no maximum to show
]


@pytest.mark.parametrize(
    ("expr", "null"), EXPRESSIONS, ids=[str(expr).replace("\n", " ")[:50] for expr, _ in EXPRESSIONS]
)
def test_an_expression_on_rows(expr, null):
    facts = nulls_of(read_plan(LEFT_EMPTY.with_columns(expr.alias("out"))), SOURCES)
    assert facts["out"].null is null


FRAMES = [
    ("a left join", LEFT_EMPTY.join(RIGHT_EMPTY, on="k", how="left"), {"i": False, "x": True, "k": False}),
    ("coalesced after a left join", LEFT_EMPTY.join(RIGHT_EMPTY, on="k", how="left").with_columns(c.x.fill_null("")), {"x": False}),
    ("an inner join", LEFT_EMPTY.join(RIGHT_EMPTY, on="k"), {"x": False, "x0": True}),
    ("an inner join proves its keys", LEFT_EMPTY.join(RIGHT_EMPTY, left_on="i0", right_on="k"), {"i0": False}),
    ("an inner join of nulls", LEFT_EMPTY.join(RIGHT_EMPTY, left_on="i0", right_on="k", nulls_equal=True), {"i0": True}),
    ("a right join", LEFT_EMPTY.join(RIGHT_EMPTY, on="k", how="right"), {"s": True, "x": False, "k": False}),
    ("a full join", LEFT_EMPTY.join(RIGHT_EMPTY, on="k", how="full"), {"k": True, "s": True, "x": True}),
    ("a full join, coalesced", LEFT_EMPTY.join(RIGHT_EMPTY, on="k", how="full", coalesce=True), {"k": False, "s": True}),
    ("a semi join", LEFT_EMPTY.join(RIGHT_EMPTY, left_on="i0", right_on="k", how="semi"), {"i0": False, "s": False}),
    ("an anti join", LEFT_EMPTY.join(RIGHT_EMPTY, left_on="i0", right_on="k", how="anti"), {"i0": True}),
    ("a join with its own aggregate", LEFT_EMPTY.join(LEFT_EMPTY.group_by("k").agg(m=c.i.max()), on="k", how="left"), {"m": None}),
    ("a filter of nulls", LEFT_EMPTY.filter(c.i0.is_not_null()), {"i0": False, "s0": True}),
    ("a filter by a comparison", LEFT_EMPTY.filter((c.i0 > 1) & (c.s0 == "a")), {"i0": False, "s0": False, "f0": True}),
    ("a filter by one of two", LEFT_EMPTY.filter((c.i0 > 1) | (c.s0 == "a")), {"i0": None, "s0": None}),
    ("a filter by both of two", LEFT_EMPTY.filter((c.i0 > 1) | (c.i0 < 0)), {"i0": False}),
    ("a filter by what comes from it", LEFT_EMPTY.with_columns(z=c.i0.is_not_null()).filter("z"), {"i0": None}),
    ("a filter after a left join", LEFT_EMPTY.join(RIGHT_EMPTY, on="k", how="left").filter(c.x.is_not_null()), {"x": False, "y0": None}),
    ("drop_nulls", LEFT_EMPTY.drop_nulls("i0"), {"i0": False, "s0": True}),
    ("drop_nulls of all", LEFT_EMPTY.drop_nulls(), {"i0": False, "s0": False}),
    ("a group", LEFT_EMPTY.group_by("i0").agg(pl.len(), c.i.max(), m=c.f0.mean(), l=c.s0), {"i0": True, "len": False, "i": False, "m": None, "l": False}),
    ("an aggregate of a frame", LEFT_EMPTY.select(c.i.max(), n=pl.len(), s=c.i0.sum()), {"i": None, "n": False, "s": False}),
    ("a union", pl.concat([LEFT_EMPTY, LEFT_EMPTY.with_columns(s=pl.lit(None, dtype=pl.String))]), {"i": False, "s": True}),
    ("an explosion", LEFT_EMPTY.explode("l", empty_as_null=True), {"l": None, "i": False}),
    ("an index", LEFT_EMPTY.with_row_index(), {"index": False, "i": False}),
    ("side by side", pl.concat([LEFT_EMPTY, RIGHT_EMPTY.select(c.x)], how="horizontal_extend"), {"i": None, "x": None}),
    ("a frame of one's own", pl.LazyFrame({"own": [1], "gap": [None]}), {"own": False, "gap": None}),
]  # fmt: skip


@pytest.mark.parametrize(("frame", "nulls"), [case[1:] for case in FRAMES], ids=[case[0] for case in FRAMES])
def test_a_step(frame, nulls):
    facts = nulls_of(read_plan(frame), SOURCES)
    assert {name: facts[name].null for name in nulls} == nulls


def test_reasons_name_the_tables():
    facts = nulls_of(read_plan(LEFT_EMPTY.join(RIGHT_EMPTY, on="k", how="left").rename({"x": "z"})), SOURCES)
    assert facts["z"].reasons == ("a row of left may have no match in right",)
    assert facts["s0"].reasons == ("`s0` of left may be null",)


def test_tables_that_look_alike_are_known_by_what_all_of_them_promise():
    schema = SOURCES[1].schema
    others = [Source(name, schema, dict.fromkeys(schema, null)) for name, null in (("a", False), ("b", True))]
    empty = read_plan(RIGHT_EMPTY)
    assert nulls_of(empty, others)["x"].null is None
    assert nulls_of(empty, others[:1])["x"].null is False
    assert nulls_of(empty, others[1:])["x"].null is True


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (LEFT_EMPTY.select(c.i.map_batches(lambda s: s, return_dtype=pl.Int64)), "a plan with a Python function in it"),
        (LEFT_EMPTY.select(pl.fold(0, lambda a, b: a + b, ["i"])), "a plan with a Python function in it"),
        (LEFT_EMPTY.map_batches(lambda df: df), "a plan with a Python function in it"),
        (pl.scan_csv("/nowhere/x.csv", schema={"a": pl.Int64}), "a plan that reads files"),
        (LEFT_EMPTY.select(c.s.str.to_datetime()), "a plan whose dtypes depend on its rows (Strptime)"),
        (LEFT_EMPTY.select(c.l.list.eval(pl.element() + 1)), "a plan with a part that Polars does not show (list.eval)"),
        (LEFT_EMPTY.select(c.s.str.to_datetime("%Y")), None),
        (LEFT_EMPTY.select("not_there"), None),
    ],
)  # fmt: skip
def test_what_no_plan_can_tell_is_said(frame, why):
    assert trouble_with(frame) == why
