"""What needs a whole column at once: exact medians, distinct counts and repeated hashes, on NumPy's arrays.

NumPy sorts and selects 64-bit numbers in place and several times as fast as Polars. It is imported when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Hashes = npt.NDArray[np.uint64]

_BLOCK = 1 << 22
_SELECTABLE = frozenset(
    [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Float32, pl.Float64]
)


def median(values: pl.Series) -> float | None:
    """The exact median of a column of numbers, as Polars has it: NaN counts as greater than infinity."""
    if values.dtype not in _SELECTABLE:
        return _as_float((values.cast(pl.Float64) if values.dtype == pl.Float16 else values).median())
    # Of two 32-bit floats Polars would round the mean to 32 bits.
    known = values.drop_nulls().cast(pl.Float64 if values.dtype == pl.Float32 else values.dtype)
    if not len(known):
        return None
    import numpy as np  # noqa: PLC0415  (heavy)

    middle = len(known) // 2
    halves: npt.NDArray[Any] = np.partition(known.to_numpy(), middle)
    both = [halves[middle]] if len(known) % 2 else [halves[:middle].max(), halves[middle]]
    return _as_float(pl.Series(both, dtype=known.dtype).median())


def distinct(values: pl.Series) -> int:
    """How many different values a column has, null being one, by their 64-bit hashes.

    Two values of one hash would be counted as one, which among a million values happens once in thirty million columns.
    """
    import numpy as np  # noqa: PLC0415  (heavy)

    hashes: Hashes = np.sort(values.hash().to_numpy())
    return min(len(hashes), 1) + sum(
        int(np.count_nonzero(block[1:] != block[:-1])) for block in _overlapping_blocks(hashes)
    )


def repeated(hashes: Hashes) -> pl.Series:
    """The hashes that occur more than once, each once; the array is left sorted."""
    hashes.sort()
    found = [pl.Series(block[1:][block[1:] == block[:-1]]) for block in _overlapping_blocks(hashes)]
    return pl.concat([pl.Series(dtype=pl.UInt64), *found]).unique(maintain_order=True)


def _overlapping_blocks(ordered: Hashes) -> list[Hashes]:
    """An array in views that share their last and first element, so that comparing neighbours needs little memory."""
    return [ordered[at : at + _BLOCK + 1] for at in range(0, len(ordered), _BLOCK)]


def _as_float(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]  # a number, whatever its class
