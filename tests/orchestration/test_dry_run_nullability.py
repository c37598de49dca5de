"""What a plan says of nulls is true: proved columns never have one on random data, and each kind of step is known."""

from collections.abc import Callable
from datetime import date, datetime, timedelta

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
    pl.Int64: st.integers(-3, 3),
    pl.Int8: st.sampled_from([-128, -1, 0, 1, 127]),
    pl.String: st.sampled_from(["", "a", "b", "ab", "1"]),
    pl.Float64: st.sampled_from([0.0, -1.5, 2.0, float("nan"), float("inf")]),
    pl.Boolean: st.booleans(),
    pl.Date: st.sampled_from([date(2024, 2, 29), date(1970, 1, 1)]),
    pl.Datetime("us"): st.sampled_from([datetime(2024, 2, 29, 23, 59), datetime(1969, 1, 1)]),  # noqa: DTZ001
    pl.List(pl.Int64): st.lists(st.one_of(st.none(), st.integers(0, 2)), max_size=2),
}


def tables(schema: dict[str, pl.DataType]) -> st.SearchStrategy[pl.DataFrame]:
    def cell(name: str, dtype: pl.DataType) -> st.SearchStrategy:
        return st.one_of(st.none(), VALUES[dtype]) if name.endswith("0") else VALUES[dtype]

    rows = st.lists(st.tuples(*(cell(name, dtype) for name, dtype in schema.items())), max_size=5)
    return rows.map(lambda found: pl.DataFrame(found, schema=schema, orient="row"))


Table = Callable[[pl.LazyFrame, pl.LazyFrame], pl.LazyFrame]


@st.composite
def exprs(draw, schema: dict[str, pl.DataType], depth: int = 2) -> pl.Expr:
    """A random expression over columns of a schema."""
    names = list(schema)
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        literal = draw(st.sampled_from([0, 1, "a", 1.5, True, None, date(2024, 1, 1)]))
        return pl.lit(literal) if draw(st.integers(0, 5)) == 0 else pl.col(draw(st.sampled_from(names)))
    one, two, three = (draw(exprs(schema, depth - 1)) for _ in range(3))
    return draw(
        st.sampled_from(
            [
                one + two,
                one - two,
                one * two,
                one / two,
                one // two,
                one % two,
                one // 2,
                one % 60,
                one == two,
                one > two,
                one.eq_missing(two),
                one & two,
                one | two,
                ~one,
                one.is_null(),
                one.is_not_null(),
                one.fill_null(two),
                one.fill_null(strategy="forward"),
                one.fill_nan(two),
                pl.coalesce(one, two, three),
                pl.when(one).then(two).otherwise(three),
                pl.when(one.is_not_null()).then(one).otherwise(two),
                pl.when(one).then(two),
                one.cast(pl.String),
                one.cast(pl.Float64),
                one.cast(pl.Int8, strict=False),
                one.cast(pl.Int64),
                one.cast(pl.Date),
                one.abs(),
                -one,
                one.round(1),
                one.floor(),
                one.clip(two, three),
                one.is_between(two, three),
                one.is_in([1, 2]),
                one.is_in(["a", None]),
                one.is_nan(),
                one.sum(),
                one.max(),
                one.min(),
                one.mean(),
                one.median(),
                one.std(),
                one.first(),
                one.last(),
                one.count(),
                one.n_unique(),
                one.null_count(),
                one.implode(),
                one.filter(two).max(),
                one.sort().first(),
                one.sum().over(two),
                one.max().over(two),
                one.first().over(two, order_by=three),
                one.mean().over("k"),
                one.shift(1),
                one.diff(),
                one.cum_sum(),
                one.rank(),
                one.is_duplicated(),
                one.is_first_distinct(),
                one.str.len_bytes(),
                one.str.to_uppercase(),
                one.str.contains("a"),
                one.str.contains(two),
                one.str.starts_with(two),
                one.str.slice(0, 1),
                one.str.to_integer(strict=False),
                one.str.strip_chars(),
                pl.concat_str(one, two),
                pl.concat_str(one, two, ignore_nulls=True),
                pl.format("{}-{}", one, two),
                one.dt.year(),
                one.dt.date(),
                one.dt.truncate("1mo"),
                one + pl.duration(days=1),
                one.dt.offset_by("1mo"),
                one.list.len(),
                one.list.first(),
                one.list.sum(),
                pl.struct(one.alias("p"), two.alias("q")),
                pl.max_horizontal(one, two),
                pl.sum_horizontal(one, two),
                pl.sum_horizontal(one, two, ignore_nulls=False),
                pl.all_horizontal(one, two),
                one.replace({1: None}),
                one.replace_strict({1: 2}, default=None),
                one.sqrt(),
                one.log(),
                one.interpolate(),
                pl.len(),
                pl.int_range(pl.len()),
            ]
        )
    )


STEPS: list[str] = [
    *("select", "with_columns", "with_columns", "filter", "filter_not_null", "group_by", "group_by", "join", "join"),
    *("unique", "sort", "head", "drop_nulls", "explode", "index", "union", "diagonal", "fill_null", "rename", "beside"),
    *("self_join", "join_where", "unpivot", "having", "top_k", "update", "reverse", "shift"),
]


@st.composite
def steps(draw, frame: pl.LazyFrame) -> Table:
    """A step that fits a frame's columns, as a function, so that it can be done again with other rows."""
    schema = dict(frame.collect_schema())
    names, step = list(schema), draw(st.sampled_from(STEPS))
    one, two, name = draw(exprs(schema)), draw(exprs(schema)), draw(st.sampled_from(names))
    how = draw(st.sampled_from(["inner", "left", "right", "full", "semi", "anti", "cross"]))
    coalesce = draw(st.sampled_from([None, True, False]))
    nulls_equal = draw(st.booleans())
    key = draw(st.sampled_from(["k", "i", "x0"]))

    def join(lf: pl.LazyFrame, other: pl.LazyFrame) -> pl.LazyFrame:
        if how == "cross":
            return lf.join(other, how="cross")
        options = {"coalesce": coalesce} if how in ("inner", "left", "right", "full") else {}
        return lf.join(other, left_on=name, right_on=key, how=how, nulls_equal=nulls_equal, **options)

    return {
        "select": lambda lf, _: lf.select(pl.col(names[: len(names) // 2 + 1]), p=one, q=two),
        "with_columns": lambda lf, _: lf.with_columns(one.alias(name), w=two),
        "filter": lambda lf, _: lf.filter(one),
        "filter_not_null": lambda lf, _: lf.filter(pl.col(name).is_not_null() & ~pl.col(names[0]).is_null()),
        "group_by": lambda lf, _: lf.group_by(name).agg(g=one, h=two, m=pl.len()),
        "having": lambda lf, _: lf.group_by(one.alias("z")).agg(pl.all().first()),
        "join": join,
        "self_join": lambda lf, _: lf.join(lf.group_by(name).agg(sj=one.max()), on=name, how="left"),
        "join_where": lambda lf, other: lf.join_where(other, pl.col(names[0]) <= pl.col("k_right")),
        "unique": lambda lf, _: lf.unique(name, keep="any"),
        "sort": lambda lf, _: lf.sort(name, nulls_last=nulls_equal),
        "head": lambda lf, _: lf.head(2),
        "top_k": lambda lf, _: lf.top_k(2, by=name),
        "drop_nulls": lambda lf, _: lf.drop_nulls(name) if nulls_equal else lf.drop_nulls(),
        "explode": lambda lf, _: lf.explode("l", empty_as_null=True),
        "index": lambda lf, _: lf.with_row_index("at"),
        "union": lambda lf, _: pl.concat([lf, lf.with_columns(pl.col(name).shift(1))]),
        "diagonal": lambda lf, other: pl.concat([lf, other], how="diagonal"),
        "beside": lambda lf, other: pl.concat([lf, other.select(pl.all().name.suffix("_r"))], how="horizontal_extend"),
        "fill_null": lambda lf, _: lf.fill_null(0),
        "rename": lambda lf, _: lf.rename({name: "renamed"}),
        "unpivot": lambda lf, _: lf.unpivot([name], index=names[:1] if names[0] != name else None),
        "update": lambda lf, other: lf.update(other, on="k", how="left"),
        "reverse": lambda lf, _: lf.reverse(),
        "shift": lambda lf, _: lf.shift(1),
    }[step]


def resolves(frame: pl.LazyFrame) -> bool:
    try:
        frame.collect_schema()
    except (Exception, pl.exceptions.PanicException):  # noqa: BLE001
        return False
    return True


@st.composite
def programs(draw) -> list[Table]:
    """Steps one after the other, each of which fits the columns before it."""
    empty, other = pl.LazyFrame(schema=LEFT), pl.LazyFrame(schema=RIGHT)
    found: list[Table] = []
    for _ in range(draw(st.integers(1, 4))):
        for _ in range(4):
            try:
                step = draw(steps(empty))
                after = step(empty, other)
            except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError, TypeError):
                continue
            if resolves(after):
                found, empty = [*found, step], after
                break
    return found


def run(program: list[Table], left: pl.LazyFrame, right: pl.LazyFrame) -> pl.LazyFrame:
    for step in program:
        left = step(left, right)
    return left


def holds(program: list[Table], left: list[pl.DataFrame], right: pl.DataFrame) -> None:
    """No column that a program's plan proves has a null when the program runs on rows."""
    plan = run(program, pl.LazyFrame(schema=LEFT), pl.LazyFrame(schema=RIGHT))
    try:
        facts = nulls_of(read_plan(plan), SOURCES)
    except HiddenError:
        return
    proved = [name for name, fact in facts.items() if fact.null is False]
    for rows in left:
        try:
            out = run(program, rows.lazy(), right.lazy()).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            continue
        assert {name for name in proved if out[name].null_count()} == set(), plan.explain(optimized=False)


NULLS = {
    name: pl.DataFrame(
        {column: [None if column.endswith("0") else value] * 3 for column, value in zip(schema, values, strict=True)},
        schema=schema,
    )
    for name, schema, values in (
        ("left", LEFT, [1, 2, None, "a", None, 1.5, None, True, None, date(2024, 1, 1), None, [1], None, 3]),
        ("right", RIGHT, [1, 2, "a", None, None]),
    )
}
ENGINES = ("in-memory", "streaming")


def collected(frame: pl.LazyFrame, engine: str) -> dict[str, pl.DataType] | None:
    """A frame's columns once it has run, or nothing if it cannot."""
    try:
        return dict(frame.collect(engine=engine).schema)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None


def keeps_its_schema(program: list[Table], left: list[pl.DataFrame], right: pl.DataFrame) -> None:
    """A program's columns and dtypes on rows, on each engine, are those of its plan and of running it on no rows."""
    empty = run(program, pl.LazyFrame(schema=LEFT), pl.LazyFrame(schema=RIGHT))
    told = dict(empty.collect_schema())
    tried = [empty, run(program, NULLS["left"].lazy(), NULLS["right"].lazy())]
    if any(collected(frame, engine) not in (told, None) for frame in tried for engine in ENGINES):
        return  # then a dry run says so
    for rows in left:
        frame = run(program, rows.lazy(), right.lazy())
        for engine in ENGINES:
            assert collected(frame, engine) in (told, None), (engine, frame.explain(optimized=False))


given_programs = given(program=programs(), left=st.lists(tables(LEFT), min_size=3, max_size=3), right=tables(RIGHT))


@pytest.mark.filterwarnings("ignore")
@given_programs
@settings(max_examples=80)
def test_a_column_that_is_proved_is_never_null_on_random_data(program, left, right):
    holds(program, left, right)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@given_programs
@settings(max_examples=3000, derandomize=False)
def test_a_column_that_is_proved_is_never_null_on_much_random_data(program, left, right):
    holds(program, left, right)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@given_programs
@settings(max_examples=1500, derandomize=False)
def test_a_plan_on_no_rows_tells_the_dtypes_of_any_rows(program, left, right):
    keeps_its_schema(program, left, right)


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
