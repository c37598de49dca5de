"""Which functions return NULL when: what each dialect's documentation says, and for DuckDB what its engine does.

A function that is not here is not known, and what it returns is neither proved nor disproved. The names are sqlglot's
where it has a node of its own for a function, and the dialect's own where it has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families

if TYPE_CHECKING:
    from collections.abc import Iterator

SAME = "same"  # the family of the first argument


class Rule(Enum):
    """When a function returns NULL."""

    STRICT = "exactly where one of its arguments is NULL"
    TEXT = "exactly where one of its arguments is NULL, and it takes any value as text"
    FINITE = "where one of its arguments is NULL or an infinite date"
    TOTAL = "only where one of its arguments is NULL"
    FIRST = "exactly where its first argument is NULL"
    NEVER = "never"
    MAYBE = "where one of its arguments is NULL, and elsewhere"
    LOOSE = "depending on its arguments' values"
    COUNT = "never, over any number of rows"
    AGGREGATE = "where an argument is NULL in every row, or there are no rows"
    SAMPLE = "where there are fewer than two rows, too"


@dataclass(frozen=True, slots=True)
class Function:
    """One function.

    Args:
        rule: When it returns NULL.
        family: The family of what it returns, or `SAME`.
        volatile: Whether it can return different values for the same arguments.
    """

    rule: Rule
    family: str
    volatile: bool = False

    @property
    def propagates(self) -> bool:
        """Whether it is NULL wherever one of its arguments is."""
        return self.rule in {Rule.STRICT, Rule.TEXT, Rule.FINITE, Rule.MAYBE}

    @property
    def aggregates(self) -> bool:
        """Whether it makes one value of many rows."""
        return self.rule in {Rule.COUNT, Rule.AGGREGATE, Rule.SAMPLE}


_SHA2_LENGTHS = {"0", "224", "256", "384", "512"}  # of any other, Spark's `sha2` is NULL
_COMMON = {
    (Rule.STRICT, SAME): "abs ceil floor round trunc sign",
    (Rule.STRICT, families.NUMBER): "sqrt cbrt exp pow degrees radians sin cos tan atan atan2",
    (Rule.TEXT, families.STRING): (
        "upper lower initcap trim reverse repeat replace translate substring left right pad chr md5 sha sha2 "
        "splitpart regexpreplace tobase64"
    ),
    (Rule.TEXT, families.NUMBER): "length ascii unicode strposition levenshtein bitlength bytelength",
    (Rule.TEXT, families.BOOLEAN): "startswith endswith contains",
    (Rule.STRICT, families.BOOLEAN): "isnan isinf",
    (Rule.STRICT, families.TEMPORAL): "timestamptrunc datetrunc datetimetrunc dateadd timestampadd tsordsadd datebin",
    (Rule.FINITE, families.NUMBER): (
        "extract year month day hour minute second quarter week weekofyear dayofweek dayofweekiso dayofyear dayofmonth "
        "datediff timestampdiff datetimediff monthsbetween timetounix"
    ),
    (Rule.FINITE, families.STRING): "dayname monthname",
    (Rule.FINITE, families.TEMPORAL): "lastday",
    (Rule.FINITE, families.OTHER): "unixtotime",
    (Rule.STRICT, families.STRING): "timetostr",
    (Rule.NEVER, families.FINITE): "currentdate currenttimestamp currentdatetime currenttime now",
    (Rule.NEVER, families.NUMBER): "pi",
    (Rule.MAYBE, families.JSON): "jsonextract jsonbextract getextract",
    (Rule.MAYBE, families.STRING): "jsonextractscalar jsonbextractscalar",
    (Rule.COUNT, families.NUMBER): "count countif approxdistinct",
    (
        Rule.AGGREGATE,
        SAME,
    ): "sum avg min max median mode percentilecont percentiledisc anyvalue first last argmax argmin",
    (Rule.AGGREGATE, families.BOOLEAN): "logicaland logicalor",
    (Rule.AGGREGATE, families.STRING): "groupconcat",
    (Rule.AGGREGATE, families.ARRAY): "arrayagg",
    (Rule.SAMPLE, families.NUMBER): "stddev stddevsamp variance corr covarsamp",
}
_VOLATILE = {(Rule.NEVER, families.NUMBER): "rand", (Rule.NEVER, families.STRING): "uuid"}
_OF_DIALECT = {
    "duckdb": {
        (Rule.STRICT, families.NUMBER): (
            "ln log asin acos cot factorial even gcd lcm fmod fdiv bit_count ord strlen octet_length arraysize "
            "cardinality make_interval"
        ),
        (Rule.TEXT, families.NUMBER): "jaro_similarity jarowinklersimilarity damerau_levenshtein hamming",
        (Rule.TEXT, families.BOOLEAN): "prefix suffix regexpfullmatch json_valid",
        (Rule.STRICT, families.BOOLEAN): "isfinite",
        (Rule.TEXT, families.STRING): "hex bin url_encode regexpextract",
        (Rule.STRICT, families.BINARY): "frombase64 unhex encode",
        (Rule.STRICT, families.TEMPORAL): "strtotime datefromparts timestampfromparts",
        (Rule.STRICT, families.TIME): "timefromparts",
        (Rule.STRICT, families.INTERVAL): "todays to_hours to_minutes to_seconds to_months to_years to_weeks",
        (Rule.FINITE, families.NUMBER): "date_part datepart yearweek epoch_us epoch_ns date_sub datesub isoyear",
        (Rule.FINITE, families.INTERVAL): "age",
        (Rule.STRICT, families.ARRAY): (
            "arraysort arraydistinct list_reverse list_slice mapkeys map_values regexpextractall"
        ),
        (Rule.TOTAL, families.ARRAY): "arrayconcat arrayappend arrayprepend",
        (Rule.TOTAL, families.BOOLEAN): "arraycontains contains",
        (Rule.TOTAL, families.STRING): "format printf",
        (Rule.FIRST, families.STRING): "concatws",
        (Rule.FIRST, families.ARRAY): "split regexp_split_to_array regexpsplit",
        (Rule.NEVER, families.STRING): "typeof",
        (Rule.NEVER, families.NUMBER): "hash",
        (Rule.NEVER, families.NESTED): "row",
        (Rule.NEVER, families.ARRAY): "list_pack",
        (Rule.NEVER, families.JSON): "jsonobject jsonarray",
        (Rule.MAYBE, families.NUMBER): "list_position json_array_length",
        (Rule.MAYBE, families.OTHER): "list_sum list_avg try_strptime",
        (Rule.LOOSE, families.STRING): "arraytostring",
        (Rule.AGGREGATE, SAME): "mean quantile product fsum favg geomean mad",
        (Rule.AGGREGATE, families.NUMBER): "bitwiseandagg bitwiseoragg bitwisexoragg",
        (Rule.AGGREGATE, families.NESTED): "histogram",
    },
    "postgres": {
        (Rule.STRICT, families.NUMBER): "ln log asin acos octet_length unixtotime cardinality",
        (Rule.FINITE, families.STRING): "timetostr",
        (Rule.STRICT, families.TEMPORAL): "strtodate strtotime make_date",
        (Rule.STRICT, families.DECIMAL): "tonumber",
        (Rule.FINITE, families.INTERVAL): "age",
        (Rule.FIRST, families.STRING): "concatws format",
        (Rule.NEVER, families.JSON): "json_build_object jsonb_build_object",
        (Rule.MAYBE, families.NUMBER): "arraysize arrayposition",
        (Rule.MAYBE, families.STRING): "regexpsubstr",
        (Rule.AGGREGATE, families.BOOLEAN): "every",
        (Rule.AGGREGATE, families.JSON): "jsonarrayagg jsonb_agg jsonobjectagg",
    },
    "snowflake": {
        (Rule.STRICT, families.NUMBER): "ln log asin acos todouble regexpcount",
        (Rule.STRICT, families.DECIMAL): "tonumber",
        (Rule.STRICT, families.BOOLEAN): "toboolean",
        (Rule.TEXT, families.STRING): "tochar concatws",
        (Rule.STRICT, families.TEMPORAL): (
            "tsordstodate to_timestamp to_timestamp_ntz to_timestamp_ltz to_timestamp_tz addmonths datefromparts "
            "timestampfromparts converttimezone"
        ),
        (Rule.STRICT, families.TIME): "tsordstotime",
        (Rule.STRICT, families.JSON): "tovariant",
        (Rule.NEVER, families.NUMBER): "hash",
        (Rule.MAYBE, families.STRING): "regexpextract",
        (Rule.MAYBE, families.NUMBER): "arraysize",
        (Rule.MAYBE, families.TEMPORAL): "try_to_timestamp try_to_timestamp_ntz",
        (Rule.MAYBE, families.JSON): "parsejson",
        (Rule.COUNT, families.STRING): "groupconcat",
        (Rule.COUNT, families.ARRAY): "arrayagg",
    },
    "bigquery": {
        (Rule.STRICT, families.NUMBER): "ln log unixseconds unixmillis farmfingerprint arraysize",
        (Rule.STRICT, families.TEMPORAL): (
            "date timestamp tsordstodatetime tsordstotime strtodate strtotime datesub timestampsub "
            "tsordstodate datetimeadd datetimesub"
        ),
        (Rule.STRICT, families.BINARY): "md5digest sha2digest",
        (Rule.TEXT, families.STRING): "lowerhex",
        (Rule.STRICT, families.ARRAY): "split",
        (Rule.TOTAL, families.STRING): "format",
        (Rule.MAYBE, families.STRING): "regexpextract",
        (Rule.MAYBE, families.NUMBER): "safedivide",
    },
    "databricks": {
        (Rule.MAYBE, families.NUMBER): "ln log safedivide",
        (Rule.TOTAL, families.NUMBER): "arraysize",
        (Rule.MAYBE, families.BOOLEAN): "arraycontains",
        (Rule.TEXT, families.STRING): "regexpextract",
        (Rule.STRICT, families.TEMPORAL): "tsordstodate addmonths timestrtotime",
        (Rule.STRICT, families.NUMBER): "strtounix",
        (Rule.FIRST, families.STRING): "concatws",
        (Rule.NEVER, families.NUMBER): "hash xxhash64",
        (Rule.NEVER, families.BOOLEAN): "isnull isnotnull",
        (Rule.AGGREGATE, SAME): "mean quantile approxquantile",
        (Rule.AGGREGATE, families.BOOLEAN): "every some any",
        (Rule.COUNT, families.ARRAY): "arrayagg arrayuniqueagg",
    },
}


@cache
def _functions(dialect: str) -> dict[str, Function]:
    """The functions of one dialect, by name."""
    found = {}
    for table in (_COMMON, _OF_DIALECT.get(dialect, {})):
        for (rule, family), names in table.items():
            found.update(dict.fromkeys(names.split(), Function(rule, family)))
    for (rule, family), names in _VOLATILE.items():
        found.update(dict.fromkeys(names.split(), Function(rule, family, volatile=True)))
    return found


def function_of(node: exp.Expr, dialect: str) -> Function | None:
    """What is known about a function where it is called; `None` if it is not known or no function."""
    if not isinstance(node, exp.Func):
        return None
    name = node.name.lower() if isinstance(node, exp.Anonymous) else node.key
    function = _functions(dialect).get(name)
    if function is not None and node.args.get("safe") and function.rule in {Rule.STRICT, Rule.TEXT}:
        return Function(Rule.MAYBE, function.family)
    if function is not None and isinstance(node, exp.SHA2) and dialect == "databricks":
        length = node.args.get("length")
        if length is not None and length.name not in _SHA2_LENGTHS:
            return Function(Rule.MAYBE, function.family)
    return function


def is_known_function(node: exp.Expr, dialect: str) -> bool:
    """Whether a call that the parser has no node of its own for is of a function that is known here."""
    return node.name.lower() in _functions(dialect) or node.name.lower() in _KNOWN.get(dialect, "").split()


# What the products have beside all that, and that nothing is said about here but that it exists.
_KNOWN = {
    "postgres": "num_nulls num_nonnulls pg_typeof txid_current row",
    "bigquery": "ieee_divide error",
    "databricks": "date_part pmod bigint window try_to_timestamp range",
}


def operands(node: exp.Expr) -> Iterator[exp.Expr]:
    """The arguments of a function that have a value: units and types have none."""
    for value in node.args.values():
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, exp.Expr) and not isinstance(
                item, (exp.Var, exp.DataType, exp.Identifier, exp.WeekStart)
            ):
                yield item
