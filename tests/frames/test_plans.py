"""What runs once and what may run twice, and what happens to a source that changes while it is read."""

import io
import os
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from polars.io.plugins import register_io_source

from dagster_contracts.contract.fields import Contract, RuleSpec
from dagster_contracts.errors import RuleError
from dagster_contracts.frames.plans import bytes_a_row, can_run_twice, files_state, free_name, steps
from dagster_contracts.frames.split import SplitOptions, split

FRAME = pl.DataFrame({"a": [1, 2, 3, 0], "b": [3, 1, 0, 2], "s": ["x", "y", "z", "x"]})


def contract_of(**rules: pl.Expr) -> Contract:
    specs = (RuleSpec(name, f"dy_rule__{name}", None, expr, str(expr), name) for name, expr in rules.items())
    return Contract("Planned", None, (), tuple(specs), "")


KEYED = contract_of(unique=pl.col("a").is_unique(), few=pl.len().over("s") < 2, small=pl.col("b") < 3)


def scan(folder: Path, kind: str = "parquet") -> pl.LazyFrame:
    path = folder / f"in.{kind}"
    if kind == "parquet":
        FRAME.write_parquet(path)
        return pl.scan_parquet(path)
    if kind == "ipc":
        FRAME.write_ipc(path)
        return pl.scan_ipc(path)
    if kind == "csv":
        FRAME.write_csv(path)
        return pl.scan_csv(path)
    FRAME.write_ndjson(path)
    return pl.scan_ndjson(path)


# ------------------------------------------------------------------------------------------------------- kinds of plan

FROM_SCAN = {
    # rows read from files, each looked at alone
    "scan": (lambda f: f, True),
    "filter": (lambda f: f.filter(pl.col("a") > 1), True),
    "with_columns": (lambda f: f.with_columns(c=pl.col("a") + 1), True),
    "with_columns of a literal": (lambda f: f.with_columns(c=pl.lit(1)), True),
    "select": (lambda f: f.select("a"), True),
    "rename": (lambda f: f.rename({"a": "z"}), True),
    "renamed by Python, once": (lambda f: f.select(pl.all().name.map(str.upper)), True),
    "drop": (lambda f: f.drop("a"), True),
    "cast": (lambda f: f.cast({"a": pl.String}), True),
    "head": (lambda f: f.head(2), True),
    "slice": (lambda f: f.slice(1, 2), True),
    "tail": (lambda f: f.tail(2), True),
    "cache": (lambda f: f.cache(), True),
    "format": (lambda f: f.with_columns(c=pl.format("{}-{}", "a", "b")), True),
    "text like a step": (lambda f: f.filter(pl.col("s") != '[label="sort",label="python"]'), False),
    # the same work twice
    "join": (lambda f: f.join(f, on="a"), False),
    "cross join": (lambda f: f.join(f, how="cross"), False),
    "join_asof": (lambda f: f.sort("a").join_asof(f.sort("a"), on="a"), False),
    "sort": (lambda f: f.sort("a"), False),
    "unique": (lambda f: f.unique("a"), False),
    "group_by": (lambda f: f.group_by("a").len(), False),
    "concat across": (lambda f: pl.concat([f, f.select(c="a")], how="horizontal"), False),
    "concat of filtered": (lambda f: pl.concat([f.filter(pl.col("a") > 1), f.filter(pl.col("a") < 1)]), False),
    "window": (lambda f: f.with_columns(c=pl.col("a").sum().over("s")), False),
    "aggregate": (lambda f: f.filter(pl.col("a") > pl.col("a").mean()), False),
    "cum_sum": (lambda f: f.with_columns(pl.col("a").cum_sum()), False),
    "shift": (lambda f: f.with_columns(pl.col("a").shift()), False),
    "explode": (lambda f: f.select(pl.col("a").implode()).explode("a"), False),
    "unpivot": (lambda f: f.select("a", "b").unpivot(), False),
    "merge_sorted": (lambda f: f.sort("a").merge_sorted(f.sort("a"), "a"), False),
    # other rows each time
    "shuffle": (lambda f: f.with_columns(pl.col("a").shuffle()), False),
    "filter of shuffled": (lambda f: f.filter(pl.col("a").shuffle() > 1), False),
    "sample": (lambda f: f.select(pl.all().sample(2)), False),
    "random numbers": (lambda f: f.with_columns(r=pl.int_range(pl.len()).shuffle()), False),
    # somebody's code
    "map_elements": (lambda f: f.with_columns(pl.col("s").map_elements(len, return_dtype=pl.Int64)), False),
    "map_elements in a filter": (lambda f: f.filter(pl.col("a").map_elements(bool, return_dtype=pl.Boolean)), False),
    "map_batches of a column": (lambda f: f.with_columns(pl.col("a").map_batches(lambda s: s, return_dtype=pl.Int64)), False),
    "map_batches of single rows": (
        lambda f: f.with_columns(pl.col("a").map_batches(lambda s: s, return_dtype=pl.Int64, is_elementwise=True)),
        False,
    ),
    "map_batches in a filter": (
        lambda f: f.filter(pl.col("a").map_batches(lambda s: s > 1, return_dtype=pl.Boolean, is_elementwise=True)),
        False,
    ),
    "map_batches": (lambda f: f.map_batches(lambda rows: rows, schema=FRAME.schema), False),
    "fold": (lambda f: f.with_columns(c=pl.fold(pl.lit(0), lambda x, y: x + y, ["a", "b"])), False),
    "inspect": (lambda f: f.inspect(), False),
}  # fmt: skip


@pytest.mark.parametrize("name", FROM_SCAN)
@pytest.mark.parametrize("kind", ["parquet", "ipc"])
def test_which_plans_over_files_can_run_twice(name: str, kind: str, tmp_path: Path):
    change, twice = FROM_SCAN[name]
    assert can_run_twice(change(scan(tmp_path, kind))) is twice, steps(change(scan(tmp_path, kind)))


@pytest.mark.parametrize("name", FROM_SCAN)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_whatever_the_plan_the_split_is_of_its_rows(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The halves are of one run: together they are a set of rows in an order that the plan can give."""
    change, _ = FROM_SCAN[name]
    frame = change(scan(tmp_path)).with_columns(dagster_contracts_first=pl.first())
    (tmp_path / "out").mkdir()
    contract = contract_of(unique=pl.col("dagster_contracts_first").is_unique())
    found = split(contract, frame, into=tmp_path / "out")
    valid, invalid = (half.collect()["dagster_contracts_first"].to_list() for half in (found.valid, found.invalid))
    counts = Counter([*valid, *invalid])
    assert all(counts[value] == 1 for value in valid)
    assert all(counts[value] > 1 for value in invalid)
    assert found.row_count == len(valid) + len(invalid) == found.valid_count + found.invalid_count
    assert len(valid) + len(invalid) == len(change(scan(tmp_path)).collect())


def test_text_and_plans_without_files(tmp_path: Path):
    assert not can_run_twice(scan(tmp_path, "csv"))
    assert not can_run_twice(scan(tmp_path, "ndjson"))
    assert can_run_twice(FRAME.lazy())
    assert not can_run_twice(FRAME.lazy().with_row_index())
    assert can_run_twice(pl.SQLContext(t=scan(tmp_path)).execute("select * from t where a > 1"))
    assert not can_run_twice(pl.SQLContext(t=scan(tmp_path)).execute("select * from t order by a"))


def test_open_files_can_be_read_twice(tmp_path: Path):
    scan(tmp_path)
    with (tmp_path / "in.parquet").open("rb") as handle:
        frame = pl.scan_parquet(handle)
    assert can_run_twice(frame)
    assert files_state(frame) == frozenset()
    in_memory = pl.scan_parquet(io.BytesIO((tmp_path / "in.parquet").read_bytes()))
    assert can_run_twice(in_memory)
    for form in (frame, in_memory):
        split_it(form, tmp_path / str(id(form)))


def split_it(frame: pl.LazyFrame, into: Path) -> None:
    """Split the four rows by three rules that are easy to do by hand."""
    into.mkdir()
    found = split(KEYED, frame, into=into)
    assert found.valid.collect().rows() == [(2, 1, "y"), (3, 0, "z")]
    assert found.invalid.collect().rows() == [
        (1, 3, "x", "valid", "invalid", "invalid"),
        (0, 2, "x", "valid", "invalid", "valid"),
    ]
    assert sorted(path.name for path in into.iterdir()) == ["invalid.parquet", "valid.parquet"]


# ---------------------------------------------------------------------------------------------------------- run once


def test_a_source_that_counts_is_read_once(tmp_path: Path):
    reads = []

    def read(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        reads.append(with_columns)
        rows = FRAME if predicate is None else FRAME.filter(predicate)
        rows = rows if n_rows is None else rows.head(n_rows)
        yield rows if with_columns is None else rows.select(with_columns)

    split_it(register_io_source(read, schema=FRAME.schema), tmp_path / "out")
    assert len(reads) == 1


@pytest.mark.parametrize(
    "counting",
    [
        lambda frame, count: frame.map_batches(count, schema=FRAME.schema),
        lambda frame, count: frame.with_columns(pl.col("a").map_batches(count, return_dtype=pl.Int64)),
        lambda frame, count: frame.map_batches(count, schema=FRAME.schema).filter(pl.col("a") >= 0).cache(),
        lambda frame, count: pl.concat([frame.head(2), frame.tail(2)]).map_batches(count, schema=FRAME.schema),
        lambda frame, count: pl.defer(lambda: count(frame.collect()), schema=FRAME.schema),
    ],
    ids=["of frames", "of a column", "and more", "of parts", "deferred"],
)
@pytest.mark.parametrize("into", ["files", "memory"])
def test_a_function_that_counts_is_called_once(counting, into: str, tmp_path: Path):
    calls = []

    def count(rows):
        calls.append(len(rows))
        return rows

    frame = counting(scan(tmp_path), count)
    if into == "files":
        split_it(frame, tmp_path / "out")
    else:
        assert split(KEYED, frame).valid.rows() == [(2, 1, "y"), (3, 0, "z")]
    assert calls == [4]


@pytest.mark.parametrize("rules", [0, 1, 3])
def test_a_function_of_each_value_is_called_once_a_value(rules: int, tmp_path: Path):
    calls = []
    frame = scan(tmp_path).with_columns(
        pl.col("a").map_elements(lambda value: calls.append(value) or value, return_dtype=pl.Int64)
    )
    contract = Contract("Counted", None, (), KEYED.rules[:rules], "")
    (tmp_path / "out").mkdir()
    found = split(contract, frame, into=tmp_path / "out")
    assert found.row_count == 4
    assert sorted(calls) == [0, 1, 2, 3]


@pytest.mark.parametrize("seeded", [True, False])
def test_rows_drawn_at_random_are_drawn_once(seeded: bool, tmp_path: Path):
    """Drawn again for the second pass, rows that were found to be duplicates would be others."""
    pl.DataFrame({"a": range(3000)}).write_parquet(tmp_path / "in.parquet")
    drawn = pl.scan_parquet(tmp_path / "in.parquet").select(
        (pl.col("a").shuffle(seed=1 if seeded else None) // 2).head(1500)
    )
    (tmp_path / "out").mkdir()
    found = split(contract_of(unique=pl.col("a").is_unique()), drawn, into=tmp_path / "out")
    valid, invalid = found.valid.collect()["a"].to_list(), found.invalid.collect()["a"].to_list()
    counts = Counter([*valid, *invalid])
    assert len(valid) + len(invalid) == 1500
    assert set(valid) == {value for value, count in counts.items() if count == 1}
    assert set(invalid) == {value for value, count in counts.items() if count == 2}


# ----------------------------------------------------------------------------------------------- a source that changes


def test_the_state_of_files_tells_a_change(tmp_path: Path):
    (tmp_path / "in").mkdir()
    for name in ("0", "1"):
        FRAME.write_parquet(tmp_path / "in" / f"{name}.parquet")
    frame = pl.scan_parquet(tmp_path / "in" / "*.parquet").filter(pl.col("a") > 0).with_columns(c=1)
    before = files_state(frame)
    assert {Path(entry[0]).name for entry in before} == {"0.parquet", "1.parquet"}
    assert files_state(frame) == before
    assert files_state(pl.concat([frame, frame])) == before
    FRAME.write_parquet(tmp_path / "new.parquet")
    (tmp_path / "new.parquet").replace(tmp_path / "in" / "1.parquet")
    replaced = files_state(frame)
    assert replaced != before
    os.utime(tmp_path / "in" / "0.parquet", ns=(1, 1))
    assert files_state(frame) != replaced
    assert files_state(FRAME.lazy()) == frozenset()


def variants(folder: Path, rows: int) -> list[Path]:
    """Two tables with as many rows, the same bytes' worth of columns, and duplicates in other places."""
    found = []
    for at in range(2):
        keys = list(range(rows))
        for place in range(0, rows - 10, 10):
            keys[place + at] = keys[place + 5 + at]
        path = folder / f"variant{at}.parquet"
        pl.DataFrame({"row": range(rows), "key": keys}).write_parquet(path, row_group_size=rows // 8)
        found.append(path)
    return found


@pytest.mark.parametrize("rule", ["unique", "window", "held until then"])
def test_a_file_replaced_between_the_passes_is_refused(rule: str, tmp_path: Path):
    """The replacement has as many rows, so that nothing but the file itself tells."""
    rows = 4000
    variants(tmp_path, rows)
    if rule == "held until then":
        pl.DataFrame({"row": range(rows), "key": range(rows)}).write_parquet(tmp_path / "variant0.parquet")
    (tmp_path / "variant0.parquet").rename(tmp_path / "in.parquet")
    rules = {
        "unique": {"unique": pl.col("key").is_unique()},
        "held until then": {"unique": pl.col("key").is_unique()},
        "window": {"few": pl.len().over("key") < 2},
    }[rule]

    def replace(column: pl.Series) -> pl.Series:
        """Something that runs while the keys are decided."""
        if (tmp_path / "variant1.parquet").exists():
            (tmp_path / "variant1.parquet").replace(tmp_path / "in.parquet")
        return column > -1

    last = {"z_last": pl.col("row").map_batches(replace, return_dtype=pl.Boolean)}
    (tmp_path / "out").mkdir()
    with pytest.raises(RuleError, match="Planned: a file of the source was replaced or written to"):
        split(contract_of(**rules, **last), pl.scan_parquet(tmp_path / "in.parquet"), into=tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_rows_added_between_the_passes_are_refused(tmp_path: Path):
    pl.DataFrame({"row": range(10)}).write_parquet(tmp_path / "in.parquet")

    def replace(column: pl.Series) -> pl.Series:
        pl.DataFrame({"row": range(12)}).write_parquet(tmp_path / "new.parquet")
        (tmp_path / "new.parquet").replace(tmp_path / "in.parquet")
        return column < 3

    (tmp_path / "out").mkdir()
    contract = contract_of(some=pl.col("row").map_batches(replace, return_dtype=pl.Boolean))
    with pytest.raises(RuleError, match=r"Planned: (a file of )?the source"):
        split(contract, pl.scan_parquet(tmp_path / "in.parquet"), into=tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_a_file_that_is_held_open_may_be_replaced(tmp_path: Path):
    rows = 4000
    variants(tmp_path, rows)
    (tmp_path / "variant0.parquet").rename(tmp_path / "in.parquet")
    with (tmp_path / "in.parquet").open("rb") as handle:
        frame = pl.scan_parquet(handle)

    def replace(column: pl.Series) -> pl.Series:
        if (tmp_path / "variant1.parquet").exists():
            (tmp_path / "variant1.parquet").replace(tmp_path / "in.parquet")
        return column > -1

    last = pl.col("row").map_batches(replace, return_dtype=pl.Boolean)
    (tmp_path / "out").mkdir()
    found = split(contract_of(unique=pl.col("key").is_unique(), z=last), frame, into=tmp_path / "out")
    assert found.invalid.collect()["row"].to_list()[:4] == [0, 5, 10, 15]
    assert (found.valid_count, found.invalid_count) == (rows - 2 * 399, 2 * 399)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_file_that_a_thread_replaces_all_the_time_is_split_rightly_or_not_at_all(tmp_path: Path):
    rows = 20_000
    found = [path.read_bytes() for path in variants(tmp_path, rows)]
    path = tmp_path / "in.parquet"
    path.write_bytes(found[0])
    done = threading.Event()

    def replace() -> None:
        turn = 0
        while not done.wait(0.002):
            turn += 1
            (tmp_path / "new.parquet").write_bytes(found[turn % 2])
            (tmp_path / "new.parquet").replace(path)

    thread = threading.Thread(target=replace)
    thread.start()
    contract = contract_of(unique=pl.col("key").is_unique(), few=pl.len().over("key") < 2)
    ends = Counter()
    try:
        for at in range(25):
            into = tmp_path / f"out {at}"
            into.mkdir()
            try:
                halves = split(contract, pl.scan_parquet(path), SplitOptions(statistics=False), into=into)
            except (RuleError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
                # Replaced before we look at it first, a file is what Polars finds damaged.
                assert not list(into.iterdir())
                ends["refused"] += 1
                continue
            valid, invalid = halves.valid.collect(), halves.invalid.collect()
            keys = Counter([*valid["key"].to_list(), *invalid["key"].to_list()])
            assert all(keys[key] == 1 for key in valid["key"].to_list())
            assert all(keys[key] == 2 for key in invalid["key"].to_list())
            assert valid.height + invalid.height == rows
            ends["split"] += 1
    finally:
        done.set()
        thread.join()
    assert ends["refused"] > 0


# --------------------------------------------------------------------------------------------------------------- names


def test_a_name_that_no_column_has():
    assert free_name([]) == "__dagster_contracts"
    assert free_name(["__dagster_contracts", "__dagster_contracts_"]) == "__dagster_contracts__"


def test_a_row_is_weighed_by_the_columns_that_are_read():
    frame = pl.LazyFrame({"a": [1] * 100, "^a$": ["x" * 100] * 100}, schema={"a": pl.Int64, "^a$": pl.String})
    assert bytes_a_row(frame, ["a"]) == 8
    assert bytes_a_row(frame, ["^a$"]) >= 100
