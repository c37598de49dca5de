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

# Functions of chapter 9 of the documentation that the parser does not know of any product.
_MORE = (
    "acosd asind atand atan2d cosd cotd sind tand erf erfc gamma lgamma gcd lcm min_scale scale trim_scale "
    "random_normal setseed to_bin to_oct casefold parse_ident pg_client_encoding "
    "quote_ident quote_literal quote_nullable regexp_match "
    "regexp_matches regexp_split_to_array regexp_split_to_table string_to_table to_ascii unicode_assigned unistr "
    "icu_unicode_version unicode_version bit_count crc32 crc32c convert_from convert_to get_byte set_bit set_byte "
    "age clock_timestamp date_subtract isfinite make_date make_timestamptz statement_timestamp timeofday "
    "transaction_timestamp pg_sleep enum_first enum_last enum_range area center diagonal diameter height isclosed "
    "isopen npoints pclose popen radius slope width box bound_box circle line lseg path point polygon abbrev broadcast "
    "family hostmask inet_merge inet_same_family masklen netmask network set_masklen macaddr8_set7bit "
    "array_to_tsvector get_current_ts_config numnode plainto_tsquery phraseto_tsquery websearch_to_tsquery querytree "
    "setweight strip to_tsquery to_tsvector json_to_tsvector jsonb_to_tsvector ts_delete ts_filter ts_headline ts_rank "
    "ts_rank_cd ts_rewrite tsquery_phrase tsvector_to_array ts_debug ts_lexize ts_parse ts_token_type ts_stat "
    "uuidv4 uuidv7 uuid_extract_timestamp uuid_extract_version "
    "xmltext xmlcomment xmlconcat xmlforest xmlpi xmlroot xmlagg xmlexists xml_is_well_formed "
    "xml_is_well_formed_document xml_is_well_formed_content xmlparse xmlserialize xpath xpath_exists query_to_xml "
    "table_to_xml to_json to_jsonb array_to_json row_to_json json_array json_build_array jsonb_build_array "
    "json_build_object jsonb_build_object jsonb_object json_scalar json_serialize json_array_elements "
    "jsonb_array_elements json_array_elements_text jsonb_array_elements_text json_array_length jsonb_array_length "
    "json_each jsonb_each json_each_text jsonb_each_text jsonb_extract_path jsonb_extract_path_text json_object_keys "
    "jsonb_object_keys json_populate_record jsonb_populate_record jsonb_populate_record_valid json_populate_recordset "
    "jsonb_populate_recordset json_to_record jsonb_to_record json_to_recordset jsonb_to_recordset jsonb_set "
    "jsonb_set_lax jsonb_insert jsonb_strip_nulls jsonb_path_exists jsonb_path_match jsonb_path_query "
    "jsonb_path_query_array jsonb_path_query_first jsonb_path_exists_tz jsonb_path_match_tz jsonb_path_query_tz "
    "jsonb_path_query_array_tz jsonb_path_query_first_tz jsonb_pretty json_typeof jsonb_typeof json_exists json_query "
    "currval lastval nextval setval num_nonnulls num_nulls array_dims array_fill array_lower array_ndims "
    "array_positions array_replace array_sample array_shuffle array_upper cardinality trim_array "
    "isempty lower_inc lower_inf upper_inc upper_inf range_merge multirange int4range int8range numrange tsrange "
    "tstzrange daterange int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange "
    "every json_object_agg_strict json_object_agg_unique json_agg_strict jsonb_agg jsonb_agg_strict "
    "jsonb_object_agg_strict jsonb_object_agg_unique json_arrayagg range_agg range_intersect_agg merge_action "
    "generate_subscripts current_query inet_client_addr inet_client_port inet_server_addr inet_server_port "
    "pg_backend_pid pg_typeof pg_column_size pg_current_xact_id txid_current col_description obj_description "
    "format_type to_regclass to_regtype current_setting has_table_privilege pg_relation_size pg_total_relation_size "
    "pg_table_size pg_size_pretty pg_get_expr pg_get_viewdef "
)


def is_postgres_function(name: str) -> bool:
    """Whether PostgreSQL has a function of this name, in small letters."""
    return name in _LISTED


@cache
def foreign_functions() -> frozenset[str]:
    """The names of functions that the parser knows and PostgreSQL does not have, in small letters."""
    parser = Dialect.get_or_raise("postgres").parser_class
    known = {*FUNCTION_BY_NAME, *parser.FUNCTIONS, *parser.FUNCTION_PARSERS}
    return frozenset(name.lower() for name in known) - frozenset(_HAS.split())


_LISTED = frozenset(f"{_HAS}{_MORE}".split())
