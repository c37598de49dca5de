"""Fields and values to try the fast path with: one field of each kind, and pools of values that look alike."""

import datetime as dt
import enum
import random
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, Field, NaiveDatetime
from tests.rows.coercion_table import TABLE

from dagster_contracts.contract.schema import exact
from dagster_contracts.rows.schema import Schema


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    BIG = 2


class Point(BaseModel):
    x: int
    y: float | None = None


class Place(BaseModel):
    name: str = Field(min_length=2)
    points: list[Point] = []
    extra: Any = None


def schema(**fields: Any) -> type[Schema]:
    """A schema with some fields; a tuple is an annotation with its default."""
    hints = {name: one[0] if isinstance(one, tuple) else one for name, one in fields.items()}
    values = {name: one[1] for name, one in fields.items() if isinstance(one, tuple)}
    return type("Tried", (Schema,), {"__annotations__": hints, "__module__": __name__, **values})


ANNOTATIONS: dict[str, Any] = {
    "bool": bool,
    "int": int,
    "int8": Annotated[int, exact.Int8],
    "uint64": Annotated[int, exact.UInt64],
    "int128": Annotated[int, exact.Int128],
    "float": float,
    "float32": Annotated[float, exact.Float32],
    "decimal": Annotated[Decimal, Field(max_digits=6, decimal_places=2)],
    "decimal_wide": Decimal,
    "str": str,
    "bytes": bytes,
    "date": dt.date,
    "naive": NaiveDatetime,
    "aware": AwareDatetime,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "uuid": UUID,
    "enum": Colour,
    "int_enum": Size,
    "literal": Literal["a", "b"],
    "int_literal": Literal[1, 2],
    "json": dict,
    "any": Any,
    "ints": list[int],
    "texts": list[str | None],
    "nested": list[list[float]],
    "point": Point,
    "places": list[Place],
    "ge": Annotated[int, Field(ge=0, le=10)],
    "positive": Annotated[float, Field(gt=0)],
    "even": Annotated[int, Field(multiple_of=2)],
    "short": Annotated[str, Field(min_length=1, max_length=3)],
    "pattern": Annotated[str, Field(pattern="^[a-z]+$")],
    "since": Annotated[dt.date, Field(ge=dt.date(2024, 1, 1))],
    "few": Annotated[list[int], Field(max_length=2)],
    "epoch": (NaiveDatetime, Field(json_schema_extra={"epoch": "s"})),
    "epoch_date": (dt.date, Field(json_schema_extra={"epoch": "ms"})),
    "epoch_aware": (AwareDatetime, Field(json_schema_extra={"epoch": "us"})),
    "lax_date": (dt.date, Field(json_schema_extra={"lax": True})),
    "lax_str": (str, Field(json_schema_extra={"lax": True})),
    "lax_timedelta": (dt.timedelta, Field(json_schema_extra={"lax": True})),
    "lax_float": (float, Field(json_schema_extra={"lax": True})),
    "after": Annotated[int, AfterValidator(lambda value: value + 1 if value < 5 else value)],
    "before": Annotated[int, BeforeValidator(lambda value: value.strip("$") if isinstance(value, str) else value)],
}

_DAY = dt.datetime(2024, 1, 2, 3, 4, 5)  # noqa: DTZ001
_ZONE = dt.timezone(dt.timedelta(hours=-5))


def pools(random_: random.Random) -> list[list[Any]]:
    """Values that look alike, so that a column of them meets one cast."""
    whole = [random_.randrange(-12, 13), random_.randrange(-(2**65), 2**65), random_.randrange(10**9), 2**53, 1, 2]
    floats = [
        random_.uniform(-9, 9),
        float(random_.randrange(-300, 300)),
        1e300,
        float("nan"),
        float("inf"),
        -0.0,
        2.0**60,
    ]
    days = [dt.date(2024, 1, 2), dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1969, 12, 31)]
    moments = [
        _DAY,
        _DAY.replace(hour=0, minute=0, second=0),
        dt.datetime.max,  # noqa: DTZ901
        dt.datetime.min,  # noqa: DTZ901
        _DAY.replace(microsecond=7),
    ]
    aware = [one.replace(tzinfo=random_.choice([dt.UTC, _ZONE])) for one in moments]
    texts = [
        str(random_.choice(whole)),
        repr(random_.choice(floats)),
        "red",
        "a",
        "abcd",
        "",
        "é",
        "true",
        "No",
        " 5 ",
        "+5",
        "$3",
        "007",
        "1_0",
        "1.50",
        "1.505",
        "12345.6",
        ".5",
        "5.",
        "1e3",
        "-0",
        "0x1",
        "١٢",
        "\ud800",
        "a\n",
        "5\n",
    ]
    written = [
        random_.choice(days).isoformat(),
        random_.choice(moments).isoformat(random_.choice("T ")),
        random_.choice(aware).isoformat(),
        "2024-01-02T00:00:00Z",
        "2024-1-2",
        "2024-01-02T24:00:00",
        "2024-01-02T23:59:60",
        "2024-01-02T03:04:05.1234567",
        "2024-01-02T03:04",
        "0000-01-01",
        "2024-02-30",
        "12:30:00",
        "12:30",
        "23:59:59.5",
        "24:00:00",
        "P1D",
        "P1M",
        "P1Y",
        "P0Y",
        "+P2Y3DT4M",
        "P0.5M",
        "P3WT5M",
        "1 day",
        str(UUID(int=5)),
        str(UUID(int=5)).upper(),
        "2024-01-02T03:04:05+24:00",
        "2024-01-02t03:04:05z",
        "2024-01-02\n",
        "0001-01-01T00:00:00",
        "9999-12-31T23:59:59.999999",
        "0001-01-01T00:00:00+05:00",
        "20240102",
        "2024-01-02T03:04:05-00:00",
    ]
    records = [
        {"x": 1},
        {"x": "2", "y": 3},
        {"x": None},
        {"y": 1},
        {"x": 1, "z": 2},
        {"name": "ab", "points": [{"x": 1}]},
        {"name": "a"},
        {"name": "abc", "points": [{"x": 1}, {"x": 2.5}], "extra": {"k": [1]}},
        {},
        {1: 2},
        {"k": float("nan")},
        Point(x=1),
        Place(name="abc"),
    ]
    lists = [
        [],
        [1, 2],
        ["1", 2.0],
        [1, 2, 3],
        [None],
        ["a", None],
        (1, 2),
        [[1.5], [2]],
        [[]],
        [{"x": 1}],
        {1},
        records[:3],
        [records[5]],
        [records[5], records[7]],
    ]
    decimals = [
        Decimal("1.5"),
        Decimal("1.505"),
        Decimal("NaN"),
        Decimal("1E+3"),
        Decimal("-0"),
        Decimal("12345.6"),
        Decimal("sNaN"),
        Decimal("0.10"),
    ]
    spans = [dt.timedelta(days=1, microseconds=3), dt.timedelta.max, -dt.timedelta(seconds=5), dt.timedelta(0)]
    other = [
        object(),
        UUID(int=7),
        b"abc",
        b"\xff",
        bytearray(b"1"),
        dt.time(1, 2, 3, 4),
        dt.time(1, tzinfo=dt.UTC),
        Colour.RED,
        Size.BIG,
        True,
        False,
    ]
    numbers = [
        *(random_.uniform(-9, 9) for _ in range(12)),
        *(random_.randrange(-9, 9) for _ in range(3)),
        *(f"{random_.uniform(-9, 9)}", f"{random_.randrange(99)}", "0.00", "7.0", True),
        *random_.choices(
            [
                "9007199254740993",
                "1e400",
                "1e-400",
                "9007199254740993.0",
                "1e-320",
                2**53 + 1,
                2**63,
                "inf",
                "-0",
                "1e22",
            ],
            k=random_.choice([0, 1]),
        ),
    ]
    epochs = [1700000000, 1704153600000, 1704153600000000, -1, 1.5, 1700000000.25, 2**62]
    everything = [line[0] for line in TABLE]
    return [
        whole,
        floats,
        days,
        moments,
        aware,
        texts,
        written,
        records,
        lists,
        decimals,
        spans,
        other,
        epochs,
        [True, False],
        numbers,
        everything,
    ]


def column(random_: random.Random, size: int) -> list[Any]:
    """Values of one column: mostly from one pool, some from others, some missing."""
    all_pools = pools(random_)
    chosen = random_.choices(all_pools, k=random_.choice([1, 1, 2, 3]))
    share = random_.choice([0, 0, 0.2])
    narrow = [random_.choice(pool) for pool in chosen for _ in range(random_.choice([1, 2, 9]))]
    return [None if random_.random() < share else random_.choice(narrow) for _ in range(size)]
