"""Rows as an API gives them, and the schemas they are for; the same for every competitor."""

from __future__ import annotations

import datetime as dt
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SEVEN: dict[str, Any] = {
    "ad_id": str,
    "date": dt.date,
    "clicks": int,
    "impressions": int,
    "spend": float,
    "note": str | None,
    "labels": list[str] | None,
}
"""The ads table of the spec, with a note."""

_CYCLE = [float, str, int, float, str, int, float, str, int, dt.date]
TWENTY_SIX: dict[str, Any] = {f"column_{at:02}": _CYCLE[at % 10] | None for at in range(26)}
"""A wide table as most are: nullable, nine fields in ten a float, a text or an integer."""


def messy_seven(count: int) -> list[dict[str, Any]]:
    """Every row needs repair: text for dates and numbers, numbers for text, missing and unknown keys."""
    return [_ad(at, random.Random(at)) for at in range(count)]  # noqa: S311


def _ad(at: int, random_: random.Random) -> dict[str, Any]:
    row: dict[str, Any] = {
        "date": (dt.date(2024, 1, 1) + dt.timedelta(days=at % 365)).isoformat(),
        "ad_id": at,
        "impressions": str(random_.randrange(1_000_000)),
        "clicks": float(at % 1000) if random_.random() < 0.05 else at % 1000,  # noqa: PLR2004
        "spend": f"{random_.random() * 100:.2f}",
        "campaign": "unknown to the schema",
    }
    if at % 4:
        row["note"] = None if at % 7 == 0 else "seen"
    if at % 3:
        row["labels"] = ["summer", "sale"]
    return row


def messy_twenty_six(count: int) -> list[dict[str, Any]]:
    """A third of the columns of numbers arrive as text; of the others, one value in fifty is of another type."""
    random_ = random.Random(26)  # noqa: S311
    return [
        {name: _cell(at, annotation, random_) for at, (name, annotation) in enumerate(TWENTY_SIX.items())}
        for _ in range(count)
    ]


def _cell(at: int, annotation: Any, random_: random.Random) -> Any:
    """One value of a wide row; one in ten is missing."""
    share = random_.random()
    if share < 0.1:  # noqa: PLR2004
        return None
    odd = share < 0.12  # noqa: PLR2004
    if annotation == dt.date | None:
        return f"2024-{random_.randrange(1, 13):02}-{random_.randrange(1, 29):02}"
    if annotation == str | None:
        return random_.randrange(1000) if odd else f"text {random_.randrange(1000)}"
    number = random_.randrange(1_000_000) if annotation == int | None else round(random_.random() * 1000, 3)
    return str(number) if odd or at % 3 == 0 else number


def with_bad_rows(rows: list[dict[str, Any]], every: int) -> list[dict[str, Any]]:
    """The same with one row in so many that cannot be repaired."""
    name = next(iter(rows[0]))
    return [{**row, name: "no such value"} if at % every == every // 2 else row for at, row in enumerate(rows)]


def generated(count: int) -> Iterator[dict[str, Any]]:
    """Rows one by one, as a paging API gives them."""
    for at in range(count):
        yield {
            "date": "2024-01-02",
            "ad_id": at,
            "impressions": str(at),
            "clicks": at,
            "spend": "1.5",
            "note": None,
            "labels": None,
        }
