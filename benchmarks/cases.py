"""What is measured: groups of jobs that take turns, so that whatever else the machine does meets all of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.tables import Table

MILLION = 1_000_000


@dataclass(frozen=True)
class Job:
    """One measurement, to be repeated.

    Args:
        label: What its results are called, a work and a competitor.
        name: The function in `benchmarks.worker`.
        table: The table it reads, if any.
        arguments: Its other arguments.
        once: Whether it takes too long to be repeated.
    """

    label: str
    name: str
    table: Table | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    once: bool = False


@dataclass(frozen=True)
class Scale:
    """How much is measured.

    Args:
        repeats: How often each job is done.
        eager: The rows of a frame in memory.
        lazy: The rows of a lazy frame.
        big: The rows of the table that is larger than memory; none if it is left out.
        quick: Whether what no target needs is left out.
    """

    repeats: int = 5
    eager: int = MILLION
    lazy: int = 10 * MILLION
    big: int | None = None
    quick: bool = False


def groups(scale: Scale, *, has_peer: bool) -> list[list[Job]]:
    """Every job, in groups that take turns."""
    peer = ["peer"] if has_peer else []
    eager = ["plain", "ours", *peer] if scale.quick else ["floor", "plain", "ours", *peer]
    found = [_assets(f"eager-{bad}", Table("Orders", scale.eager, bad), eager) for bad in (0, 1, 30)]
    if not scale.quick:
        found.append(_assets("short-1", Table("ShortOrders", scale.eager, 1), eager))
    few = Table("RowLocalOrders", scale.lazy // 3)
    local = ["floor", "ours"] if scale.quick else ["floor", "plain", "ours"]
    found += [
        _assets("local", Table("RowLocalOrders", scale.lazy), local, lazy=True, statistics=False),
        _assets("local-third", few, ["ours"], lazy=True, statistics=False),
        _assets("keyed", Table("Orders", scale.lazy, 1), ["floor", "plain", "ours", *peer], lazy=True),
    ]
    if scale.big is not None:
        table = Table("ManyOrders", scale.big)
        grouped = _assets("big-grouped", table, ["ours"], lazy=True, schema="GroupedOrders")
        found.append([replace(job, once=True) for job in _assets("big", table, ["floor", "ours"], lazy=True) + grouped])
    return found + _small_things(peer)


def _small_things(peer: list[str]) -> list[list[Job]]:
    wide, many = {"columns": 300, "rules": 5}, {"assets": 100, "columns": 40}
    return [
        [Job("wide/decoration", "wide_decoration", arguments=wide)]
        + [Job(f"wide/{who}", "wide_call", arguments={**wide, "competitor": who, "rows": 1000}) for who in _CALLED],
        [Job(f"small/{who}", "small", arguments={"competitor": who}) for who in ("checks", "plain", "ours", *peer)],
        [Job(f"definitions/{who}", "definitions", arguments={**many, "competitor": who}) for who in ("checks", "ours")],
        [Job(f"import/{what}", "imports", arguments={"what": what}) for what in _IMPORTED],
    ]


_CALLED = ("filter", "ours")
_IMPORTED = ("dagster", "dagster and polars", "dagster_contracts", "dc.asset")


def _assets(
    work: str, table: Table, who: list[str], *, lazy: bool = False, statistics: bool = True, schema: str | None = None
) -> list[Job]:
    arguments = {"schema": schema or table.schema, "lazy": lazy, "statistics": statistics}
    return [
        Job(f"{work}/{each}", "floor" if each == "floor" else "asset", table, {**arguments, "competitor": each})
        for each in who
    ]
