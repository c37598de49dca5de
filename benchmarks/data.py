"""The tables that are measured, made from a fixed seed, chunk by chunk, and kept in a folder.

`python -m benchmarks.data SCHEMA ROWS INVALID_PER_CENT FILE` makes one.
"""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.schemas import COUNTRIES, FIRST_MOMENT, SCHEMAS, STATUSES
from benchmarks.tables import Table

SEED = 20_260_101
CHUNK = 1_000_000
_LINES_AN_ORDER = 4
_CHANNELS = ("web", "shop", "phone", "partner")
_WORDS = ("leave at the door", "ring twice", "call before", "fragile", "gift wrap", "no substitutes", "second floor")


def make(table: Table, file: Path) -> None:
    """Write a table to a file; it appears complete or not at all."""
    columns = list(SCHEMAS[table.schema].columns())
    parts = [file.with_name(f"{file.name}.{at}.part") for at in range(-(-table.rows // CHUNK))]
    for at, part in enumerate(parts):
        rows = min(CHUNK, table.rows - at * CHUNK)
        chunk = _valid_chunk(at * CHUNK, rows)
        _broken(chunk, table.invalid / 100, at).select(columns).write_parquet(part)
    whole = file.with_name(f"{file.name}.whole")
    pl.scan_parquet(parts, glob=False).sink_parquet(whole)
    whole.replace(file)
    for part in parts:
        part.unlink()


def _valid_chunk(first: int, rows: int) -> pl.DataFrame:
    """Rows `first` to `first + rows`, in every column that any schema has."""
    rng = np.random.default_rng([SEED, first])
    number = np.arange(first, first + rows)
    order = number // _LINES_AN_ORDER
    quantity, price = rng.integers(1, 20, rows), rng.integers(100, 50_000, rows) / 100
    seconds = rng.integers(0, 5 * 365 * 86_400, rows)
    frame = pl.DataFrame(
        {
            "order": order,
            "line": number % _LINES_AN_ORDER + 1,
            "customer_id": order * 7_919 % 200_003 + 1,
            "letters": rng.integers(0, 26**3, rows),
            "digits": rng.integers(0, 100_000, rows),
            "quantity": quantity.astype(np.int32),
            "unit_price": price,
            "discount": rng.integers(0, 50, rows) / 100,
            "amount": price * quantity,
            "tax": np.round(price * quantity * 0.2, 2),
            "weight": rng.integers(10, 30_000, rows),
            "ordered_at": np.datetime64(FIRST_MOMENT, "us") + seconds * np.timedelta64(1_000_000, "us"),
            "hours": rng.integers(1, 200, rows),
            "is_gift": rng.random(rows) < 0.1,  # noqa: PLR2004
            "is_express": rng.random(rows) < 0.3,  # noqa: PLR2004
            "lot": rng.random(rows),
        }
    )
    picks = [_pick(rng, rows, "status", STATUSES).cast(pl.Enum(STATUSES)), _pick(rng, rows, "country", COUNTRIES)]
    picks += [_pick(rng, rows, "channel", _CHANNELS), _pick(rng, rows, "words", _WORDS)]
    return frame.hstack(picks).with_columns(_derived())


def _pick(rng: np.random.Generator, rows: int, name: str, values: tuple[str, ...]) -> pl.Series:
    return pl.Series(name, values)[rng.integers(0, len(values), rows)]


def _derived() -> list[pl.Expr]:
    text = pl.col("order").cast(pl.String)
    letter = [pl.col("letters") // 26**place % 26 for place in range(3)]
    alphabet = pl.Series([chr(ord("A") + at) for at in range(26)])
    spelled = [each.replace_strict(range(26), alphabet, return_dtype=pl.String) for each in letter]
    digits = pl.col("digits").cast(pl.String).str.zfill(5)
    return [
        pl.concat_str(pl.lit("ORD-"), text.str.zfill(10)).alias("order_id"),
        pl.concat_str(*spelled, pl.lit("-"), digits).alias("product"),
        pl.col("ordered_at").dt.date().alias("ordered_on"),
        (pl.col("ordered_at") + pl.duration(hours="hours")).alias("shipped_at"),
        pl.concat_str(pl.lit("customer"), pl.col("customer_id"), pl.lit("@example.com")).alias("email"),
        pl.when(pl.col("lot") < 0.3).then(pl.concat_str("words", pl.lit(" "), digits)).alias("note"),  # noqa: PLR2004
    ]


def _broken(chunk: pl.DataFrame, share: float, at: int) -> pl.DataFrame:
    """A chunk in which a share of the rows breaks a rule: a null, a number out of bounds, a text, a date or a key."""
    if not share:
        return chunk
    rng = np.random.default_rng([SEED, at, 1])
    kind = pl.Series(np.where(rng.random(chunk.height) < share, rng.integers(0, 6, chunk.height), -1))

    def where(number: int, value: pl.Expr, name: str) -> pl.Expr:
        return pl.when(pl.lit(kind) == number).then(value).otherwise(pl.col(name)).alias(name)

    # A repeated key makes two rows invalid; every second one of them keeps the number near the share.
    again = pl.lit(kind.is_in([5]) & pl.Series(rng.random(chunk.height) < 0.5))  # noqa: PLR2004
    return chunk.with_columns(
        where(0, pl.lit(None, pl.Int64), "customer_id"),
        where(1, pl.lit(0, pl.Int32), "quantity"),
        where(2, pl.lit("?"), "product"),
        where(2, pl.lit("nowhere"), "country"),
        where(3, pl.lit(-1.0), "unit_price"),
        where(4, pl.lit(datetime(2019, 1, 1) + timedelta(hours=at)), "ordered_at"),  # noqa: DTZ001
        pl.when(again).then(pl.col("line").shift(1)).otherwise(pl.col("line")).alias("line"),
        pl.when(again).then(pl.col("order_id").shift(1)).otherwise(pl.col("order_id")).alias("order_id"),
    )


if __name__ == "__main__":
    schema, rows, invalid, path = sys.argv[1:]
    make(Table(schema, int(rows), int(invalid)), Path(path))
