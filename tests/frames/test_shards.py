"""The seam for many machines: a part of a table is split by a function of its path and of plain data."""

import operator
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import date
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import dataframely as dy
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from dagster_contracts.contract.fields import Contract
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.frames.split import Split, SplitOptions, split


class Sales(dy.Schema):
    day = dy.Date(nullable=False, min=date(2026, 1, 1), description="The day.", metadata={"pii": True})
    amount = dy.Float64(min=0.0, allow_nan=True, metadata={"warn": "min"})
    state = dy.Enum(["open", "paid"])
    items = dy.List(dy.Struct({"sku": dy.String(regex="^[A-Z]+$"), "count": dy.UInt8(min=1)}), max_length=2)
    price = dy.Decimal(10, 2, nullable=True, check={"whole": lambda column: column % 1 == 0})

    @dy.rule()
    def paid_is_more_than_nothing(cls) -> pl.Expr:
        """Nothing is paid for nothing."""
        return (cls.state.col != "paid") | (cls.amount.col > 0)


ROWS = pl.DataFrame(
    {
        "day": [date(2026, 1, 1), date(2025, 1, 1), date(2026, 2, 1), None, date(2026, 3, 1), date(2026, 4, 1)],
        "amount": [1.0, 1.0, -1.0, 1.0, 0.0, 2.0],
        "state": ["open", "paid", "open", "paid", "paid", "open"],
        "items": [[{"sku": "A", "count": 1}], [], [], [], [], [{"sku": "a", "count": 0}]],
        "price": ["1.00", "1.00", None, "1.00", "1.00", "1.00"],
    },
    schema_overrides={"items": pl.List(pl.Struct({"sku": pl.String, "count": pl.UInt8}))},
).cast({"price": pl.Decimal(10, 2), "state": pl.Enum(["open", "paid"])})


def plain(contract: Contract) -> Contract:
    """A contract without the code of its columns, which says whether a frame's dtypes fit and was asked before."""
    fields = tuple(replace(field, accepts=partial(operator.eq, field.dtype)) for field in contract.fields)
    return replace(contract, fields=fields)


def split_shard(contract: bytes, path: str, folder: str) -> tuple[int, int, dict[str, int]]:
    """What a worker does with one file: it knows nothing but what it is given."""
    known: Contract = pickle.loads(contract)
    found = split(known, pl.scan_parquet(path), SplitOptions(statistics=False), into=Path(folder))
    return found.valid_count, found.invalid_count, dict(found.rule_counts)


def whole(folder: Path) -> Split:
    ROWS.write_parquet(folder / "all.parquet")
    (folder / "all").mkdir()
    return split(read_contract(Sales), pl.scan_parquet(folder / "all.parquet"), into=folder / "all")


def test_a_contract_is_the_same_after_it_was_sent_as_bytes(tmp_path: Path):
    contract = read_contract(Sales)
    sent: Contract = pickle.loads(pickle.dumps(plain(contract)))
    assert sent.fingerprint == contract.fingerprint
    assert [rule.warning for rule in sent.rules] == [rule.warning for rule in contract.rules]
    assert [spec.accepts(ROWS.schema[spec.name]) for spec in sent.fields] == [True] * 5
    found, expected = split(sent, ROWS), split(contract, ROWS)
    assert found.rule_counts == expected.rule_counts
    assert_frame_equal(found.invalid, expected.invalid)


@pytest.mark.parametrize("workers", [0, 2], ids=["here", "in other processes"])
def test_shards_split_on_their_own_are_the_table_split_as_one(workers: int, tmp_path: Path):
    expected = whole(tmp_path)
    assert (expected.valid_count, expected.invalid_count) == (2, 4)  # rows 0 and 2: a warning removes none
    jobs = []
    for at in range(3):
        (tmp_path / f"{at}").mkdir()
        ROWS[2 * at : 2 * at + 2].write_parquet(tmp_path / f"{at}.parquet")
        jobs.append(
            (pickle.dumps(plain(read_contract(Sales))), str(tmp_path / f"{at}.parquet"), str(tmp_path / f"{at}"))
        )
    if workers:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            done = list(pool.map(split_shard, *zip(*jobs, strict=True)))
    else:
        done = [split_shard(*job) for job in jobs]
    assert [(valid, invalid) for valid, invalid, _ in done] == [(1, 1), (1, 1), (0, 2)]
    sums = {rule: sum(counts[rule] for _, _, counts in done) for rule in expected.rule_counts}
    assert sums == expected.rule_counts
    for half in ("valid", "invalid"):
        parts = pl.concat([pl.read_parquet(tmp_path / f"{at}" / f"{half}.parquet") for at in range(3)])
        assert_frame_equal(parts, pl.read_parquet(tmp_path / "all" / f"{half}.parquet"))
