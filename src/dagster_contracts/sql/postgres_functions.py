"""Which of the functions that the parser knows PostgreSQL has: the parser takes those of every product.

From PostgreSQL's documentation, versions 12 to 18, with the extension `fuzzystrmatch`; and the words that stand before
a bracket without being a function: types, conditions, and the syntax of XMLTABLE and JSON_TABLE.
"""

from __future__ import annotations

from functools import cache

from sqlglot import Dialect
from sqlglot.expressions import FUNCTION_BY_NAME

_HAS = (
    "abs acos acosh asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh cot degrees div exp factorial floor ln "
    "log log10 mod pi pow power radians random round sign sin sinh sqrt tan tanh trunc width_bucket greatest "
    "least "
    "any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp grouping "
    "jsonb_object_agg json_agg json_objectagg json_object_agg max min mode percentile_cont percentile_disc "
    "regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev "
    "stddev_pop stddev_samp string_agg sum variance var_pop var_samp "
    "cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number "
    "ascii bit_length btrim character_length char_length chr concat concat_ws convert decode encode format "
    "get_bit initcap left length levenshtein levenshtein_less_equal lower lpad ltrim md5 normalize overlay "
    "position regexp_count regexp_instr regexp_like regexp_replace regexp_substr repeat replace reverse right "
    "rpad rtrim sha256 sha384 sha512 soundex split_part starts_with strpos substr substring to_char to_hex "
    "to_number translate trim upper "
    "current_date current_time current_timestamp date date_add date_bin date_part date_trunc extract justify_days "
    "justify_hours justify_interval localtime localtimestamp make_interval make_time make_timestamp now to_date "
    "to_timestamp "
    "array array_append array_cat array_length array_position array_prepend array_remove array_reverse array_sort "
    "array_to_string string_to_array unnest generate_series gen_random_uuid jsonb_contains jsonb_exists "
    "json_extract_path json_extract_path_text json_object json_strip_nulls json_table json_value xmlelement "
    "xmltable "
    "coalesce nullif cast current_catalog current_database current_role current_schema current_schemas "
    "current_user session_user version "
    "and any case char collate collation columns exists filter like or time timestamp uuid variadic "
)


@cache
def foreign_functions() -> frozenset[str]:
    """The names of functions that the parser knows and PostgreSQL does not have, in small letters."""
    parser = Dialect.get_or_raise("postgres").parser_class
    known = {*FUNCTION_BY_NAME, *parser.FUNCTIONS, *parser.FUNCTION_PARSERS}
    return frozenset(name.lower() for name in known) - frozenset(_HAS.split())
