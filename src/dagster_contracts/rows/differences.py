"""Where conforming differs from pydantic's lax answer on purpose: as data, for the docs and for the fuzzer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dagster_contracts.rows.failure import Code
    from dagster_contracts.rows.shapes import Kind


@dataclass(frozen=True)
class Difference:
    """One place where the answer is not pydantic's.

    Args:
        name: What it is about, as the docs name it.
        kinds: The fields it concerns.
        code: The reason code of a refusal, or `None` where a value is accepted that pydantic refuses.
        ours: What happens here.
        pydantics: What pydantic's lax mode does.
        lax: Whether `dc.field(lax=True)` takes pydantic's answer.
    """

    name: str
    kinds: tuple[Kind, ...]
    code: Code | None
    ours: str
    pydantics: str
    lax: bool = True


TEMPORAL: tuple[Kind, ...] = ("date", "naive_datetime", "aware_datetime", "time", "timedelta")
LEAVES: tuple[Kind, ...] = (
    "bool",
    "int",
    "float",
    "decimal",
    "str",
    "bytes",
    *TEMPORAL,
    "uuid",
    "enum",
    "literal",
)

DIFFERENCES = (
    Difference(
        "text from other types",
        ("str",),
        None,
        "numbers, booleans, UUIDs, dates and times become text (dates and times as ISO 8601), lists and dicts JSON",
        "refuses everything that is neither text nor bytes",
        lax=False,
    ),
    Difference(
        "NaN to text",
        ("str",),
        "not_a_number",
        "refused: NaN is no text",
        "refuses every number; coerce_numbers_to_str makes it 'nan'",
    ),
    Difference(
        "members of another Enum",
        LEAVES,
        "enum_member",
        "refused, except an IntEnum's in a number field: a member is not its value's text by accident",
        "takes the member's value",
    ),
    Difference(
        "bare digits as a date or a time",
        ("date", "naive_datetime", "aware_datetime", "time"),
        "bare_digits",
        "refused unless the field names their unit: dc.field(epoch='s'), 'ms' or 'us'",
        "guesses seconds or milliseconds since 1970 by their size, in UTC",
    ),
    Difference(
        "an epoch as the field names it",
        ("date", "naive_datetime", "aware_datetime"),
        None,
        "digits are read in the named unit, exactly",
        "guesses the unit by the size",
        lax=False,
    ),
    Difference(
        "fractions of a second finer than a microsecond",
        TEMPORAL,
        "inexact",
        "refused unless the further digits are zeros",
        "cuts them off",
    ),
    Difference(
        "years and months as a duration",
        ("timedelta",),
        "calendar",
        "refused: nobody knows how long 'P1M' is (pydantic itself writes 400 days as 'P1Y35D')",
        "takes 365 days for a year and 30 for a month",
    ),
    Difference(
        "a time of day with an offset",
        ("time",),
        "timezone",
        "refused: a column of times has no zone",
        "keeps the offset in the value",
        lax=False,
    ),
    Difference(
        "integers that a float cannot hold",
        ("float",),
        "inexact",
        "refused: 2**53 + 1 is no float, also as text or as a decimal; nor is what reads as zero and is not",
        "rounds to the nearest float",
    ),
    Difference(
        "values outside of the column's range",
        ("int", "float", "naive_datetime", "aware_datetime", "timedelta"),
        "out_of_range",
        "refused, naming the range (Int64 unless the field is declared wider or narrower)",
        "Python's numbers have no range",
        lax=False,
    ),
    Difference(
        "more decimal digits than the column has",
        ("decimal",),
        "digits",
        "refused, also where the digits follow from the column's default precision",
        "refuses only by max_digits and decimal_places",
        lax=False,
    ),
    Difference(
        "pandas' and NumPy's scalars",
        LEAVES,
        None,
        "NA and NaT read as None; NumPy's scalars, Timestamp and Timedelta as their Python value, if that is exact",
        "knows NumPy's only where they look like Python's, and pandas' NaT as a datetime",
        lax=False,
    ),
    Difference(
        "text that is no Unicode",
        ("str", "json", "any"),
        "encoding",
        "refused: a lone surrogate cannot be written in UTF-8",
        "keeps it",
        lax=False,
    ),
    Difference(
        "dicts and values of any type",
        ("json", "any"),
        "json",
        "kept if JSON can hold them without loss: text keys, finite numbers, no sets",
        "keeps any object",
        lax=False,
    ),
    Difference(
        "values inside of a dict[str, T]",
        ("json",),
        None,
        "read by pydantic, refused where a field of T would lose something; inside of models and unions pydantic's",
        "takes what it can read",
    ),
)
"""All of them."""
