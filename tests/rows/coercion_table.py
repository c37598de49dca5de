"""What every kind of value becomes in every kind of field: written by hand, from the spec and pydantic's conversion table.

Each line is an input and what RECONCILE makes of it in a field of type: bool, int, float, Decimal(6,2), str, bytes, date,
datetime without a zone, datetime with a zone, time, timedelta, UUID. A code in the place of a value is the reason of its
refusal.
"""

import datetime as dt
import enum
from decimal import Decimal as D
from typing import NamedTuple
from uuid import UUID


class Code(NamedTuple):
    """The reason of a refusal."""

    code: str


class Colour(enum.Enum):
    RED = "red"


class Word(enum.StrEnum):
    FIVE = "5"


class Size(enum.IntEnum):
    BIG = 1


T = Code("type")
V = Code("value")
X = Code("inexact")
N = Code("not_a_number")
G = Code("digits")
B = Code("bare_digits")
C = Code("calendar")
Z = Code("timezone")
O = Code("out_of_range")  # noqa: E741
E = Code("enum_member")
U = Code("encoding")
J = Code("json")

U1 = UUID(int=1)
DAY = dt.date(2024, 1, 2)
MID = dt.datetime(2024, 1, 2)  # noqa: DTZ001
NOON = dt.datetime(2024, 1, 2, 12, 30)  # noqa: DTZ001
PLUS2 = dt.timezone(dt.timedelta(hours=2))
MID_Z = dt.datetime(2024, 1, 2, tzinfo=dt.UTC)
MID_2 = dt.datetime(2024, 1, 2, tzinfo=PLUS2)
NOON_2 = dt.datetime(2024, 1, 2, 12, 30, tzinfo=PLUS2)
HALF = dt.time(12, 30)
SEC = dt.timedelta(seconds=1)
DAYS1 = dt.timedelta(days=1)
nan, inf = float("nan"), float("inf")

FIELDS = ("bool", "int", "float", "decimal", "str", "bytes", "date", "naive", "aware", "time", "timedelta", "uuid")

# fmt: off
TABLE = [
    # input                       bool   int    float  decimal      str                     bytes           date  naive  aware  time  timedelta             uuid
    (True,                        True,  1,     1.0,   T,           "True",                 T,              T,    T,     T,     T,    SEC,                  T),
    (False,                       False, 0,     0.0,   T,           "False",                T,              T,    T,     T,     T,    SEC * 0,              T),
    (0,                           False, 0,     0.0,   D(0),        "0",                    T,              B,    B,     B,     B,    SEC * 0,              T),
    (1,                           True,  1,     1.0,   D(1),        "1",                    T,              B,    B,     B,     B,    SEC,                  T),
    (2,                           V,     2,     2.0,   D(2),        "2",                    T,              B,    B,     B,     B,    SEC * 2,              T),
    (-5,                          V,     -5,    -5.0,  D(-5),       "-5",                   T,              B,    B,     B,     B,    SEC * -5,             T),
    (1700000000,                  V,     1700000000, 1.7e9, G,      "1700000000",           T,              B,    B,     B,     B,    dt.timedelta(19675, 80000), T),
    (2**53 + 1,                   V,     2**53 + 1, X, G,           "9007199254740993",     T,              B,    B,     B,     B,    V,                    T),
    (2**63 - 1,                   V,     2**63 - 1, X, G,           "9223372036854775807",  T,              B,    B,     B,     B,    V,                    T),
    (2**63,                       T,     O,     2.0**63, G,         "9223372036854775808",  T,              B,    B,     B,     B,    V,                    T),
    (2**70,                       T,     O,     2.0**70, G,         "1180591620717411303424", T,            B,    B,     B,     B,    V,                    T),
    (0.0,                         False, 0,     0.0,   D("0.0"),    "0.0",                  T,              B,    B,     B,     B,    SEC * 0,              T),
    (1.0,                         True,  1,     1.0,   D("1.0"),    "1.0",                  T,              B,    B,     B,     B,    SEC,                  T),
    (1.5,                         T,     X,     1.5,   D("1.5"),    "1.5",                  T,              B,    B,     B,     B,    SEC * 1.5,            T),
    (1.9,                         T,     X,     1.9,   D("1.9"),    "1.9",                  T,              B,    B,     B,     B,    SEC * 1.9,            T),
    (0.125,                       T,     X,     0.125, G,           "0.125",                T,              B,    B,     B,     B,    SEC / 8,              T),
    (1e19,                        T,     O,     1e19,  G,           "1e+19",                T,              B,    B,     B,     B,    V,                    T),
    (nan,                         T,     N,     nan,   N,           N,                      T,              B,    B,     B,     B,    V,                    T),
    (inf,                         T,     N,     inf,   N,           "inf",                  T,              B,    B,     B,     B,    V,                    T),
    ("1",                         True,  1,     1.0,   D(1),        "1",                    b"1",           B,    B,     B,     B,    V,                    V),
    (" 12 ",                      V,     12,    12.0,  D(12),       " 12 ",                 b" 12 ",        B,    B,     B,     B,    V,                    V),
    ("1.0",                       V,     1,     1.0,   D("1.0"),    "1.0",                  b"1.0",         B,    B,     B,     B,    V,                    V),
    ("1.5",                       V,     V,     1.5,   D("1.5"),    "1.5",                  b"1.5",         B,    B,     B,     B,    V,                    V),
    ("1.505",                     V,     V,     1.505, G,           "1.505",                b"1.505",       B,    B,     B,     B,    V,                    V),
    ("1.500",                     V,     V,     1.5,   D("1.500"),  "1.500",                b"1.500",       B,    B,     B,     B,    V,                    V),
    ("1_000",                     V,     1000,  1e3,   D(1000),     "1_000",                b"1_000",       B,    B,     B,     B,    V,                    V),
    ("1,234.50",                  V,     V,     V,     V,           "1,234.50",             b"1,234.50",    V,    V,     V,     V,    V,                    V),
    ("1e3",                       V,     V,     1e3,   D("1e3"),    "1e3",                  b"1e3",         B,    B,     B,     B,    V,                    V),
    ("12345.6",                   V,     V,     12345.6, G,         "12345.6",              b"12345.6",     B,    B,     B,     B,    V,                    V),
    ("9223372036854775808",       V,     O,     2.0**63, G,         "9223372036854775808",  b"9223372036854775808", B, B, B,    B,    V,                    V),
    ("",                          V,     V,     V,     V,           "",                     b"",            V,    V,     V,     V,    V,                    V),
    ("NaN",                       V,     V,     nan,   N,           "NaN",                  b"NaN",         V,    V,     V,     V,    V,                    V),
    ("true",                      True,  V,     V,     V,           "true",                 b"true",        V,    V,     V,     V,    V,                    V),
    ("off",                       False, V,     V,     V,           "off",                  b"off",         V,    V,     V,     V,    V,                    V),
    ("é",                         V,     V,     V,     V,           "é",                    b"\xc3\xa9",    V,    V,     V,     V,    V,                    V),
    ("\ud800",                    U,     U,     U,     V,           U,                      U,              U,    U,     U,     U,    U,                    U),
    ("20240102",                  V,     20240102, 20240102.0, G,   "20240102",             b"20240102",    B,    B,     B,     B,    V,                    V),
    ("2024-01-02",                V,     V,     V,     V,           "2024-01-02",           b"2024-01-02",  DAY,  MID,   Z,     V,    V,                    V),
    ("2024-02-30",                V,     V,     V,     V,           "2024-02-30",           b"2024-02-30",  V,    V,     V,     V,    V,                    V),
    ("2024-01-02T00:00:00",       V,     V,     V,     V,           "2024-01-02T00:00:00",  b"2024-01-02T00:00:00", DAY, MID, Z, V,   V,                    V),
    ("2024-01-02 12:30",          V,     V,     V,     V,           "2024-01-02 12:30",     b"2024-01-02 12:30", X, NOON, Z,   V,    V,                    V),
    ("2024-01-02T00:00:00Z",      V,     V,     V,     V,           "2024-01-02T00:00:00Z", b"2024-01-02T00:00:00Z", DAY, Z, MID_Z, V, V,                   V),
    ("2024-01-02T00:00:00+02:00", V,     V,     V,     V,           "2024-01-02T00:00:00+02:00", b"2024-01-02T00:00:00+02:00", DAY, Z, MID_2, V, V,        V),
    ("2024-01-02T12:30:00.0000001", V,   V,     V,     V,           "2024-01-02T12:30:00.0000001", b"2024-01-02T12:30:00.0000001", X, X, X, X, X,          V),
    ("12:30",                     V,     V,     V,     V,           "12:30",                b"12:30",       V,    V,     V,     HALF, dt.timedelta(hours=12, minutes=30), V),
    ("12:30+02:00",               V,     V,     V,     V,           "12:30+02:00",          b"12:30+02:00", V,    V,     V,     Z,    V,                    V),
    ("P1M",                       V,     V,     V,     V,           "P1M",                  b"P1M",         V,    V,     V,     V,    C,                    V),
    ("-P1Y2M3DT4M",               V,     V,     V,     V,           "-P1Y2M3DT4M",          b"-P1Y2M3DT4M", V,    V,     V,     V,    C,                    V),
    ("PT1M",                      V,     V,     V,     V,           "PT1M",                 b"PT1M",        V,    V,     V,     V,    SEC * 60,             V),
    ("P0Y1D",                     V,     V,     V,     V,           "P0Y1D",                b"P0Y1D",       V,    V,     V,     V,    DAYS1,                V),
    ("P1D",                       V,     V,     V,     V,           "P1D",                  b"P1D",         V,    V,     V,     V,    DAYS1,                V),
    (str(U1),                     V,     V,     V,     V,           str(U1),                str(U1).encode(), V,  V,     V,     V,    V,                    U1),
    (b"12",                       V,     12,    12.0,  T,           "12",                   b"12",          B,    B,     B,     B,    V,                    V),
    (b"\xff",                     V,     V,     V,     T,           U,                      b"\xff",        V,    V,     V,     V,    V,                    V),
    (bytearray(b"x"),             T,     T,     T,     T,           "x",                    b"x",           T,    T,     T,     T,    T,                    T),
    (D(1),                        True,  1,     1.0,   D(1),        "1",                    T,              B,    B,     B,     B,    SEC,                  T),
    (D("0.1"),                    T,     X,     0.1,   D("0.1"),    "0.1",                  T,              B,    B,     B,     B,    SEC / 10,             T),
    (D("0.105"),                  T,     X,     0.105, G,           "0.105",                T,              B,    B,     B,     B,    SEC * 0.105,          T),
    (D("NaN"),                    T,     N,     nan,   N,           N,                      T,              B,    B,     B,     B,    V,                    T),
    (DAY,                         T,     T,     T,     T,           "2024-01-02",           T,              DAY,  MID,   Z,     T,    T,                    T),
    (MID,                         T,     T,     T,     T,           "2024-01-02T00:00:00",  T,              DAY,  MID,   Z,     T,    T,                    T),
    (NOON,                        T,     T,     T,     T,           "2024-01-02T12:30:00",  T,              X,    NOON,  Z,     T,    T,                    T),
    (MID_2,                       T,     T,     T,     T,           "2024-01-02T00:00:00+02:00", T,         DAY,  Z,     MID_2, T,    T,                    T),
    (NOON_2,                      T,     T,     T,     T,           "2024-01-02T12:30:00+02:00", T,         X,    Z,     NOON_2, T,   T,                    T),
    (HALF,                        T,     T,     T,     T,           "12:30:00",             T,              T,    T,     T,     HALF, T,                    T),
    (HALF.replace(tzinfo=PLUS2),  T,     T,     T,     T,           "12:30:00+02:00",       T,              T,    T,     T,     Z,    T,                    T),
    (DAYS1,                       T,     T,     T,     T,           "P1D",                  T,              T,    T,     T,     T,    DAYS1,                T),
    (dt.timedelta.max,            T,     T,     T,     T,           "P999999999DT23H59M59.999999S", T,         T,    T,     T,     T,    O,                    T),
    (U1,                          T,     T,     T,     T,           str(U1),                T,              T,    T,     T,     T,    T,                    U1),
    (Colour.RED,                  E,     E,     E,     E,           E,                      E,              E,    E,     E,     E,    E,                    E),
    (Word.FIVE,                   E,     E,     E,     E,           E,                      E,              E,    E,     E,     E,    E,                    E),
    (Size.BIG,                    True,  1,     1.0,   D(1),        E,                      E,              E,    E,     E,     E,    E,                    E),
    ([1, "a"],                    T,     T,     T,     T,           '[1, "a"]',             T,              T,    T,     T,     T,    T,                    T),
    ({"a": DAY},                  T,     T,     T,     T,           '{"a": "2024-01-02"}',  T,              T,    T,     T,     T,    T,                    T),
    ({1: 2},                      T,     T,     T,     T,           J,                      T,              T,    T,     T,     T,    T,                    T),
    ({1, 2},                      T,     T,     T,     T,           T,                      T,              T,    T,     T,     T,    T,                    T),
    ([nan],                       T,     T,     T,     T,           N,                      T,              T,    T,     T,     T,    T,                    T),
    (3 + 0j,                      T,     T,     T,     T,           T,                      T,              T,    T,     T,     T,    T,                    T),
    (object,                      T,     T,     T,     T,           T,                      T,              T,    T,     T,     T,    T,                    T),
]
# fmt: on
