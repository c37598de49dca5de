"""Functions whose result does not depend on their arguments, by dialect; facts of each product's documentation."""

from __future__ import annotations


def _everywhere(name: str, *, but: str = "", **others: str) -> dict[str, str]:
    """One type in all dialects, with exceptions."""
    dialects = ("duckdb", "postgres", "snowflake", "bigquery", "databricks")
    return {dialect: others.get(dialect, name) for dialect in dialects if dialect not in but.split()}


_COUNT = _everywhere("Int64", snowflake="Decimal")
_RANK = _everywhere("Int64", snowflake="Decimal", databricks="Int32")
_DATE_PART = {"databricks": "Int32", "snowflake": "Decimal"}
_LENGTH = {"postgres": "Int32", "bigquery": "Int64", "databricks": "Int32", "snowflake": "Decimal"}
_TRUTH = _everywhere("Boolean", but="duckdb")

_BIGQUERY_INTEGER = {"bigquery": "Int64"}
_PLAIN_TEXT = {"postgres": "String", "databricks": "String", "bigquery": "String"}
_PLAIN_INTEGER = {"postgres": "Int32", "databricks": "Int32", "bigquery": "Int64"}
_BIGQUERY_DATETIME, _BIGQUERY_BINARY = {"bigquery": "TimestampNtz"}, {"bigquery": "Binary"}
_POSTGRES_JSON = {"postgres": "Json"}
_SPARK_TEXT, _SPARK_DOUBLE = {"databricks": "String"}, {"databricks": "Float64"}

# By the parser's class.
FIXED: dict[str, dict[str, str]] = {
    **dict.fromkeys(["Count", "CountIf", "ApproxDistinct"], _COUNT),
    **dict.fromkeys(["RowNumber", "Rank", "DenseRank"], _RANK),
    "Ntile": _RANK | {"postgres": "Int32"},
    **dict.fromkeys(["PercentRank", "CumeDist"], _everywhere("Float64")),
    **dict.fromkeys(["LogicalOr", "LogicalAnd"], _TRUTH),
    **dict.fromkeys(
        ["Contains", "StartsWith", "EndsWith", "RegexpLike", "EqualNull", "ArrayContains", "IsNan"], _TRUTH
    ),
    "CurrentDate": _everywhere("Date"),
    "CurrentTimestamp": _everywhere("Timestamp"),
    "CurrentDatetime": {"bigquery": "TimestampNtz"},
    "Localtimestamp": {"postgres": "TimestampNtz", "databricks": "TimestampNtz"},
    **dict.fromkeys(["Year", "Quarter", "Month", "Week", "WeekOfYear", "Day", "DayOfMonth"], _DATE_PART),
    **dict.fromkeys(["DayOfWeek", "DayOfYear", "Hour", "Minute", "Second"], _DATE_PART),
    **dict.fromkeys(["DatetimeDiff", "TimestampDiff"], _BIGQUERY_INTEGER),
    "LastDay": {"bigquery": "Date", "databricks": "Date", "snowflake": "Date"},
    "MonthsBetween": {"databricks": "Float64"},
    "Length": _LENGTH,
    **dict.fromkeys(["ArraySize", "StrPosition"], _LENGTH),
    **dict.fromkeys(["TimeToStr", "ToChar", "UnixToStr"], _everywhere("String", but="duckdb")),
    "JSONExtractScalar": {"postgres": "String", "bigquery": "String", "databricks": "String"},
    "ParseJSON": {"snowflake": "Variant", "bigquery": "Json", "databricks": "Variant"},
    "GenerateDateArray": {"bigquery": "Array<Date>"},
    "Uuid": {"postgres": "Uuid", "bigquery": "String", "databricks": "String", "snowflake": "String"},
    "MD5": _everywhere("String", but="duckdb"),
    "UnixToTime": {"postgres": "Timestamp"},
    "StrToUnix": {"databricks": "Int64"},
    "StrToTime": {"postgres": "Timestamp", "databricks": "Timestamp", "bigquery": "Timestamp"},
    **dict.fromkeys(["ParseDatetime", "TsOrDsToDatetime"], _BIGQUERY_DATETIME),
    "DateFromParts": {"bigquery": "Date", "snowflake": "Date"},
    **dict.fromkeys(["UnixSeconds", "UnixMillis", "UnixMicros", "UnixDate", "FarmFingerprint"], _BIGQUERY_INTEGER),
    **dict.fromkeys(["MD5Digest", "SHA2Digest", "FromBase64"], _BIGQUERY_BINARY),
    "CurrentTime": {"bigquery": "Time"},
    "SessionUser": {"bigquery": "String"},
    "Grouping": {"postgres": "Int32", "bigquery": "Int64"},
    "NextDay": {"databricks": "Date"},
    "Corr": {"postgres": "Float64", "databricks": "Float64", "bigquery": "Float64"},
    **dict.fromkeys(["ArrayToString", "Format", "Chr"], _PLAIN_TEXT),
    **dict.fromkeys(["Ascii", "Levenshtein"], _PLAIN_INTEGER),
    "StringToArray": {"postgres": "Array<String>"},
    "Overlay": {"postgres": "String"},
    **dict.fromkeys(["JSONBExtract", "JSONArrayAgg", "JSONObjectAgg"], _POSTGRES_JSON),
    "JSONBExtractScalar": {"postgres": "String"},
    **dict.fromkeys(["SHA2", "JSONFormat", "Soundex", "ToBase64", "CurrentUser", "Typeof"], _SPARK_TEXT),
    **dict.fromkeys(["Sign", "Median", "Skewness"], _SPARK_DOUBLE),
    "ConcatWs": _everywhere("String", but="duckdb bigquery"),
    "SplitPart": _everywhere("String", but="duckdb bigquery"),
    "Dayname": {"snowflake": "String"},
    "Rand": {"bigquery": "Float64", "databricks": "Float64"},
}

# Of text, text; of binary, binary.
TEXTUAL = frozenset(
    [
        *("Upper", "Lower", "Initcap", "Trim", "Substring", "Left", "Right", "Replace", "Reverse", "Repeat", "Pad"),
        *("RegexpReplace", "RegexpExtract", "Translate"),
    ]
)

# By the name in the text, for what the parser has no class of its own for.
BY_NAME: dict[str, dict[str, str]] = {
    "postgres": {
        "cardinality": "Int32",
        "age": "Interval",
        "make_date": "Date",
        "make_timestamp": "TimestampNtz",
        "make_interval": "Interval",
        "jsonb_build_object": "Json",
        "json_build_object": "Json",
        "to_json": "Json",
        "to_jsonb": "Json",
        "row_to_json": "Json",
        "jsonb_array_length": "Int32",
        "json_array_length": "Int32",
        "jsonb_typeof": "String",
        "octet_length": "Int32",
        "clock_timestamp": "Timestamp",
        "statement_timestamp": "Timestamp",
        "quote_literal": "String",
        "quote_ident": "String",
        "every": "Boolean",
        "isfinite": "Boolean",
        "jsonb_agg": "Json",
        "json_agg": "Json",
        "regexp_matches": "Array<String>",
        "jsonb_extract_path_text": "String",
        "json_extract_path_text": "String",
    },
    "snowflake": {
        "to_timestamp_ntz": "TimestampNtz",
        "to_timestamp_ltz": "Timestamp",
        "to_timestamp_tz": "Timestamp",
        "try_to_timestamp_ntz": "TimestampNtz",
        "to_variant": "Variant",
    },
    "bigquery": {},
    "databricks": {"isnull": "Boolean", "isnotnull": "Boolean", "map_contains_key": "Boolean", "every": "Boolean"}
    | {"make_date": "Date", "hash": "Int32", "xxhash64": "Int64", "format_number": "String", "weekday": "Int32"}
    | {"timestamp_millis": "Timestamp", "timestamp_seconds": "Timestamp", "cardinality": "Int32"},
}
