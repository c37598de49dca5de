"""What a reader is shown of a column's promises, worked out by hand for every kind of column and every parameter."""

from __future__ import annotations

import datetime as dt
import enum
import functools
import inspect
from decimal import Decimal

import dataframely as dy
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_contracts.contract.rendering import (
    dtype_text,
    primary_key_description,
    rule_description,
    worded,
)


def column_constraints(column: dy.Column) -> tuple[str, ...]:
    return worded(column).constraints


def rule_descriptions(column: dy.Column) -> dict[str, str]:
    return worded(column).descriptions


KINDS = sorted(
    (
        kind
        for kind in vars(dy).values()
        if inspect.isclass(kind) and issubclass(kind, dy.Column) and kind is not dy.Column
    ),
    key=lambda kind: kind.__name__,
)
INTEGERS = [dy.Integer, dy.Int8, dy.Int16, dy.Int32, dy.Int64, dy.UInt8, dy.UInt16, dy.UInt32, dy.UInt64]
FLOATS = [dy.Float, dy.Float32, dy.Float64]
NEW_YEAR = dt.datetime.fromisoformat("2020-01-01")
NOT_PROMISES = {"alias", "metadata", "description", "sqlalchemy_use_enum", "sqlalchemy_enum_name"}
SHOWN_BESIDE_THE_CONSTRAINTS = {"nullable", "unique", "primary_key"}
WITHOUT_CHECK = NOT_PROMISES | SHOWN_BESIDE_THE_CONSTRAINTS | {"check"}


class Size(enum.Enum):
    SMALL = "S"
    LARGE = "L"


def positive(expr: pl.Expr) -> pl.Expr:
    return expr > 0


def even(expr: pl.Expr) -> pl.Expr:
    return expr % 2 == 0


INT_CASES = [
    ({}, ()),
    ({"min": 0}, (">= 0",)),
    ({"min_exclusive": 0}, ("> 0",)),
    ({"max": 9}, ("<= 9",)),
    ({"max_exclusive": 9}, ("< 9",)),
    ({"min": 1, "max": 9}, (">= 1", "<= 9")),
    ({"is_in": [1, 2, 3]}, ("in (1, 2, 3)",)),
    ({"is_in": range(100)}, ("in (0, 1, 2, 3, 4, +95 more)",)),
]
FLOAT_CASES = [
    ({}, ("no infinity", "no NaN")),
    ({"allow_inf": True, "allow_nan": True}, ()),
    ({"allow_inf": True}, ("no NaN",)),
    ({"allow_nan": True}, ("no infinity",)),
    ({"min": 0.0}, (">= 0.0", "no infinity", "no NaN")),
    ({"min_exclusive": 0}, ("> 0", "no infinity", "no NaN")),
    ({"max": 1e30}, ("<= 1e+30", "no infinity", "no NaN")),
    ({"max_exclusive": 0.1}, ("< 0.1", "no infinity", "no NaN")),
]
OTHER_CASES = [
    (dy.Any, {}, (), "any"),
    (dy.Bool, {}, (), "Boolean"),
    (dy.Binary, {}, (), "Binary"),
    (dy.Object, {}, (), "Object"),
    (dy.Categorical, {}, (), "Categorical"),
    (
        dy.Categorical,
        {"categories": pl.Categories("size", "shop", pl.UInt8)},
        (),
        'Categorical(Categories(name="size", namespace="shop", physical=pl.UInt8))',
    ),
    (dy.Enum, {"categories": ["open", "paid"]}, ("in (open, paid)",), "Enum(categories=['open', 'paid'])"),
    (dy.Enum, {"categories": Size}, ("in (S, L)",), "Enum(categories=['S', 'L'])"),
    (dy.Enum, {"categories": ["", "a, b", " c"]}, ('in ("", "a, b", " c")',), "Enum(categories=['', 'a, b', ' c'])"),
    (
        dy.Enum,
        {"categories": ["open", "paid", "shipped", "returned", "lost", "found", "gone", "stuck", "held"]},
        ("in (open, paid, +7 more)",),
        "Enum(categories=['open', 'paid', 'shipped', 'returned', 'lost', 'found', 'gone', 'stuck', 'held'])",
    ),
    (
        dy.Enum,
        {"categories": [f"a category with a long name, number {n}" for n in range(9)]},
        ("in (9 values)",),
        "Enum(categories=['a category with a long name, number 0', +8 more])",
    ),
    (dy.String, {}, (), "String"),
    (dy.String, {"min_length": 3}, ("length >= 3 bytes",), "String"),
    (dy.String, {"max_length": 5}, ("length <= 5 bytes",), "String"),
    (dy.String, {"regex": r"^c\d+$"}, (r"matches ^c\d+$",), "String"),
    (dy.String, {"regex": "a\nb"}, (r"matches a\nb",), "String"),
    (dy.Decimal, {}, (), "Decimal(scale=0)"),
    (dy.Decimal, {"scale": 2}, (), "Decimal(scale=2)"),
    (dy.Decimal, {"precision": 5, "scale": 2}, (), "Decimal(precision=5, scale=2)"),
    (dy.Decimal, {"scale": 2, "min": Decimal("0.10")}, (">= 0.10",), "Decimal(scale=2)"),
    (dy.Decimal, {"max": Decimal("1E+3")}, ("<= 1000",), "Decimal(scale=0)"),
    (dy.Decimal, {"min_exclusive": 0, "max_exclusive": 9}, ("> 0", "< 9"), "Decimal(scale=0)"),
    (dy.Date, {"min": dt.date(2020, 1, 1)}, (">= 2020-01-01",), "Date"),
    (dy.Date, {"min_exclusive": dt.date(2020, 1, 1)}, ("> 2020-01-01",), "Date"),
    (dy.Date, {"max": dt.date(2020, 1, 1)}, ("<= 2020-01-01",), "Date"),
    (dy.Date, {"max_exclusive": dt.date(2020, 1, 1)}, ("< 2020-01-01",), "Date"),
    (dy.Date, {"resolution": "1mo"}, ("aligned to 1mo",), "Date"),
    (dy.Time, {"min": dt.time(9)}, (">= 09:00:00",), "Time"),
    (dy.Time, {"min_exclusive": dt.time(9, 30)}, ("> 09:30:00",), "Time"),
    (dy.Time, {"max": dt.time(23, 59, 59, 999999)}, ("<= 23:59:59.999999",), "Time"),
    (dy.Time, {"max_exclusive": dt.time(17)}, ("< 17:00:00",), "Time"),
    (dy.Time, {"resolution": "1h"}, ("aligned to 1h",), "Time"),
    (dy.Datetime, {"time_unit": "ms"}, (), "Datetime(time_unit='ms', time_zone=None)"),
    (dy.Datetime, {"time_zone": "Europe/Berlin"}, (), "Datetime(time_unit='us', time_zone='Europe/Berlin')"),
    (dy.Datetime, {"time_zone": dt.UTC}, (), "Datetime(time_unit='us', time_zone='UTC')"),
    (
        dy.Datetime,
        {"min": NEW_YEAR, "max": NEW_YEAR + dt.timedelta(days=366, seconds=-1)},
        (">= 2020-01-01 00:00:00", "<= 2020-12-31 23:59:59"),
        "Datetime(time_unit='us', time_zone=None)",
    ),
    (
        dy.Datetime,
        {"min_exclusive": dt.datetime(2020, 1, 1, tzinfo=dt.UTC), "time_zone": "UTC"},
        ("> 2020-01-01 00:00:00Z",),
        "Datetime(time_unit='us', time_zone='UTC')",
    ),
    (
        dy.Datetime,
        {"max_exclusive": dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2)))},
        ("< 2020-01-01 00:00:00+02:00",),
        "Datetime(time_unit='us', time_zone=None)",
    ),
    (dy.Datetime, {"resolution": "1d"}, ("aligned to 1d",), "Datetime(time_unit='us', time_zone=None)"),
    (dy.Duration, {"time_unit": "ns"}, (), "Duration(time_unit='ns')"),
    (dy.Duration, {"min": dt.timedelta()}, (">= 0s",), "Duration(time_unit='us')"),
    (dy.Duration, {"min_exclusive": -dt.timedelta(hours=36)}, ("> -1d12h",), "Duration(time_unit='us')"),
    (dy.Duration, {"max": dt.timedelta(days=1, minutes=90)}, ("<= 1d1h30m",), "Duration(time_unit='us')"),
    (
        dy.Duration,
        {"max_exclusive": dt.timedelta(microseconds=2_500_001)},
        ("< 2s500ms1us",),
        "Duration(time_unit='us')",
    ),
    (dy.Duration, {"resolution": "15m"}, ("aligned to 15m",), "Duration(time_unit='us')"),
    (dy.List, {"inner": dy.Int64(nullable=True)}, (), "List(Int64)"),
    (dy.List, {"inner": dy.Int64(min=0)}, ("elements not null", "elements >= 0"), "List(Int64)"),
    (dy.List, {"inner": dy.Int64(nullable=True), "min_length": 1}, ("length >= 1 element",), "List(Int64)"),
    (dy.List, {"inner": dy.Int64(nullable=True), "max_length": 5}, ("length <= 5 elements",), "List(Int64)"),
    (dy.Array, {"inner": dy.Int64(), "shape": 2}, ("elements not null",), "Array(Int64, shape=(2,))"),
    (dy.Array, {"inner": dy.Int64(nullable=True), "shape": (2, 3)}, (), "Array(Int64, shape=(2, 3))"),
    (
        dy.Struct,
        {"inner": {"city": dy.String(min_length=1), "zip": dy.String(nullable=True)}},
        ("city: not null", "city: length >= 1 byte"),
        "Struct({'city': String, 'zip': String})",
    ),
]
CASES = [
    *(
        (kind, kwargs, texts, kind.__name__.replace("Integer", "integer"))
        for kind in INTEGERS
        for kwargs, texts in INT_CASES
    ),
    *(
        (kind, kwargs, texts, "float" if kind is dy.Float else kind.__name__)
        for kind in FLOATS
        for kwargs, texts in FLOAT_CASES
    ),
    *OTHER_CASES,
]
REQUIRED = {
    dy.Enum: {"categories": ["a"]},
    dy.List: {"inner": dy.Int64(nullable=True)},
    dy.Array: {"inner": dy.Int64(nullable=True), "shape": 2},
    dy.Struct: {"inner": {"a": dy.Int64(nullable=True)}},
}


def schema_column(column: dy.Column, name: str = "x") -> dy.Column:
    """The column as a schema hands it out, with its name."""
    return type("AnySchema", (dy.Schema,), {"x": column.with_alias(name)}).columns()[name]


# ----------------------------------------------------------------------------------------------- every kind, every promise


@pytest.mark.parametrize(("kind", "kwargs", "constraints", "dtype"), CASES)
def test_every_kind_of_column(kind, kwargs, constraints, dtype):
    column = kind(**kwargs)
    assert column_constraints(column) == constraints
    assert dtype_text(column) == dtype


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_has_every_parameter_of_every_kind(kind):
    shown = {name for case, kwargs, _, _ in CASES if case is kind for name in kwargs}
    assert set(inspect.signature(kind).parameters) - WITHOUT_CHECK == shown


@pytest.mark.parametrize("kind", KINDS)
def test_flags_that_have_their_own_place_are_no_constraints(kind):
    required = REQUIRED.get(kind, {})
    plain = column_constraints(kind(**required))
    for flag in SHOWN_BESIDE_THE_CONSTRAINTS & set(inspect.signature(kind).parameters):
        assert column_constraints(kind(**required, **{flag: True})) == plain


@pytest.mark.parametrize("kind", KINDS)
def test_words_about_a_column_are_no_constraints(kind):
    required = REQUIRED.get(kind, {})
    column = kind(**required, alias="other name", metadata={"pii": True}, description="What it means.")
    assert column_constraints(column) == column_constraints(kind(**required))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("check", "names"),
    [
        (positive, ["positive"]),
        (lambda expr: expr.is_not_null(), ["check"]),
        ([positive, even], ["positive", "even"]),
        ((positive, even, positive), ["positive__0", "even", "positive__1"]),
        ([lambda expr: expr.is_not_null(), lambda expr: expr.is_null()], ["check__0", "check__1"]),
        ({"has_a_tail": positive, "0": even}, ["has_a_tail", "0"]),
        ([], []),
    ],
)
def test_checks_are_shown_by_name(kind, check, names):
    required = REQUIRED.get(kind, {})
    plain = column_constraints(kind(**required))
    found = column_constraints(kind(**required, check=check))
    assert sorted(found) == sorted([*plain, *names])


@pytest.mark.parametrize(("kind", "kwargs"), [case[:2] for case in CASES])
def test_no_rule_of_any_column_is_left_without_words(kind, kwargs):
    column = schema_column(kind(**kwargs))
    described = rule_descriptions(column)
    assert list(described) == list(column.validation_rules(pl.col("x")))
    assert not [text for text in described.values() if "keeps the rule" in text]


# ------------------------------------------------------------------------------------------------------------------ nested


@pytest.mark.parametrize(
    ("column", "constraints", "dtype"),
    [
        (
            dy.List(dy.Int64(primary_key=True)),
            ("elements unique", "elements not null"),
            "List(Int64)",
        ),
        (
            dy.List(dy.Int64(nullable=True, unique=True, check=positive)),
            ("elements unique", "elements positive"),
            "List(Int64)",
        ),
        (
            dy.List(dy.Struct({"key": dy.String(primary_key=True, regex="^k"), "n": dy.Int8(nullable=True, max=3)})),
            (
                "elements.key unique",
                "elements not null",
                "elements.key not null",
                "elements.key matches ^k",
                "elements.n <= 3",
            ),
            "List(Struct({'key': String, 'n': Int8}))",
        ),
        (
            dy.Array(dy.Struct({"a": dy.Int8(primary_key=True), "b": dy.Int8(primary_key=True)}, nullable=True), 2),
            ("elements unique by a, b", "elements.a not null", "elements.b not null"),
            "Array(Struct({'a': Int8, 'b': Int8}), shape=(2,))",
        ),
        (
            dy.List(dy.Struct({"a": dy.Int8(primary_key=True)}, primary_key=True)),
            ("elements unique", "elements not null", "elements.a not null"),
            "List(Struct({'a': Int8}))",
        ),
        (
            dy.Struct({"key": dy.Int8(primary_key=True), "code": dy.Int8(nullable=True, unique=True)}),
            ("key: not null", "code: unique"),
            "Struct({'key': Int8, 'code': Int8})",
        ),
        (
            dy.Struct({"at": dy.Struct({"lat": dy.Float64(nullable=True, min=-90, allow_inf=True)})}),
            ("at: not null", "at.lat: >= -90", "at.lat: no NaN"),
            "Struct({'at': Struct({'lat': Float64})})",
        ),
        (
            dy.Struct({"tags": dy.List(dy.Enum(["a", "b"]), nullable=True, min_length=1)}),
            ("tags.elements in (a, b)", "tags: length >= 1 element", "tags.elements not null"),
            "Struct({'tags': List(Enum(categories=['a', 'b']))})",
        ),
        (
            dy.List(dy.List(dy.Integer(min=0)), max_length=3),
            ("length <= 3 elements", "elements not null", "elements.elements not null", "elements.elements >= 0"),
            "List(List(integer))",
        ),
        (
            dy.List(
                dy.Struct({"f": dy.Float(nullable=True, allow_inf=True, allow_nan=True), "x": dy.Any()}, nullable=True)
            ),
            (),
            "List(Struct({'f': float, 'x': any}))",
        ),
        (dy.List(dy.Int8(nullable=True, is_in=range(99))), ("elements in (0, 1, +97 more)",), "List(Int8)"),
        (
            dy.Struct({"elements": dy.Int8(min=0)}),
            ("elements: not null", "elements: >= 0"),
            "Struct({'elements': Int8})",
        ),
    ],
)
def test_nested_columns(column, constraints, dtype):
    assert column_constraints(column) == constraints
    assert dtype_text(column) == dtype


def test_an_array_takes_no_family_of_dtypes_and_says_so():
    column = dy.Array(dy.Integer(), 2)
    assert not column.validate_dtype(pl.Array(pl.Int8, 2))
    assert dtype_text(column) == "Array(Int64, shape=(2,))"
    assert dtype_text(dy.List(column)) == "List(Array(Int64, shape=(2,)))"


def test_fields_whose_names_look_like_other_rules_are_told_apart():
    column = schema_column(dy.Struct({"a": dy.Struct({"b": dy.Int8(min=1)}), "a_inner": dy.Int8(nullable=True, max=2)}))
    assert rule_description(column, "inner_a_inner_b_min") == "`b` of `a` of `x` >= 1"
    assert rule_description(column, "inner_a_inner_max") == "`a_inner` of `x` <= 2"


# ------------------------------------------------------------------------------------------------------------ descriptions


@pytest.mark.parametrize(
    ("column", "rule", "text"),
    [
        (dy.Float64(min=0.0), "min", "`x` >= 0.0"),
        (dy.Float64(), "nullability", "`x` is never null"),
        (dy.Float64(), "nan", "`x` is never NaN"),
        (dy.Float64(), "inf", "`x` is never infinite"),
        (dy.String(unique=True), "unique", "`x` is unique"),
        (dy.String(nullable=True, unique=True), "unique", "`x` is unique (two nulls are duplicates of each other)"),
        (dy.String(min_length=3), "min_length", "`x` has length >= 3 bytes"),
        (dy.String(regex=r"^c\d*$"), "regex", r"`x` matches `^c\d*$`"),
        (dy.Int8(is_in=range(9)), "is_in", "`x` is in (0, 1, 2, 3, 4, 5, 6, 7, 8)"),
        (dy.Date(resolution="1mo"), "resolution", "`x` is aligned to 1mo"),
        (dy.Int8(check=positive), "check__positive", "`x` passes the check `positive`"),
        (dy.Int8(check=[even, even]), "check__even__1", "`x` passes the check `even__1`"),
        (dy.Int8(check={"small": even}), "check__small", "`x` passes the check `small`"),
        (dy.Int8(check=lambda expr: expr > 0), "check", "`x` passes its check"),
        (dy.List(dy.Int8(min=0)), "inner_min", "every element of `x` >= 0"),
        (dy.List(dy.Int8(primary_key=True)), "primary_key", "every element of `x` is unique within its list"),
        (
            dy.Array(dy.Int8(nullable=True, unique=True), 2),
            "inner_unique",
            "every element of `x` is unique within its array (two nulls are duplicates of each other)",
        ),
        (
            dy.List(dy.Struct({"a": dy.Int8(primary_key=True), "b": dy.Int8(primary_key=True)})),
            "primary_key",
            "every element of `x` is unique by a, b within its list",
        ),
        (
            dy.List(dy.Struct({"key": dy.Int8(primary_key=True)})),
            "primary_key",
            "`key` of every element of `x` is unique within its list",
        ),
        (
            dy.Struct({"city": dy.String(), "tags": dy.List(dy.String())}),
            "inner_tags_inner_nullability",
            "every element of `tags` of `x` is never null",
        ),
        (dy.Struct({"city": dy.String()}), "inner_city_nullability", "`city` of `x` is never null"),
        (dy.Int8(), "no_such_rule", '`x` keeps the rule "no such rule"'),
    ],
)
def test_a_columns_rule_is_described(column, rule, text):
    assert rule_description(schema_column(column), rule) == text


def test_a_description_calls_the_column_by_its_alias():
    assert rule_description(schema_column(dy.Int8(), "the a\nmount"), "nullability") == r"`the a\nmount` is never null"
    assert rule_description(dy.Int8(), "nullability") == "the column is never null"


def test_a_schemas_rule_is_described_by_its_docstring_or_its_name():
    doc = """Nobody arrives
        before leaving.

        Second paragraph.
    """
    assert rule_description(None, "arrives_later", doc=doc) == "Nobody arrives before leaving."
    assert rule_description(None, "arrives_later") == "arrives later"
    assert rule_description(None, "arrives_later", doc="  \n ") == "arrives later"


def test_a_primary_key_is_described():
    assert primary_key_description(["id"]) == "No two rows have the same `id`"
    assert (
        primary_key_description(["year", "month", "day"])
        == "No two rows have the same `year`, `month` and `day` together"
    )
    assert primary_key_description([]) == "No two rows have the same primary key"


# ------------------------------------------------------------------------------------------------------- columns of others


class Iban(dy.String):
    """A subclass with a rule of its own, in place of one of its parent's."""

    def validation_rules(self, expr):
        rules = super().validation_rules(expr) | {"mod_97_is_one": expr.str.starts_with("DE")}
        rules.pop("regex", None)
        return rules


class Blob(dy.Column):
    """A column that has nothing to do with Dataframely's, with attributes that mean something else."""

    min_length = "short"
    is_in = None
    regex = object()

    def min(self):
        raise NotImplementedError

    @property
    def dtype(self):
        return pl.Binary()

    def sqlalchemy_dtype(self, dialect):
        raise NotImplementedError

    _python_type = bytes

    def _sample_unchecked(self, generator, n):
        raise NotImplementedError


class Locator(Blob):
    def is_in(self, place):
        raise NotImplementedError


def test_a_subclass_is_shown_with_the_rules_it_really_has():
    column = schema_column(Iban(max_length=34, regex="^DE"))
    assert column_constraints(column) == ("length <= 34 bytes", "mod 97 is one")
    assert rule_description(column, "mod_97_is_one") == '`x` keeps the rule "mod 97 is one"'
    nested = schema_column(dy.List(dy.Struct({"iban": Iban()})))
    assert "elements.iban mod 97 is one" in column_constraints(nested)
    assert (
        rule_description(nested, "inner_inner_iban_mod_97_is_one")
        == '`iban` of every element of `x` keeps the rule "mod 97 is one"'
    )


@pytest.mark.parametrize("kind", [Blob, Locator])
def test_a_column_of_another_make_shows_only_what_it_checks(kind):
    column = schema_column(kind(check=positive))
    assert column_constraints(column) == ("positive",)
    assert rule_descriptions(column) == {
        "nullability": "`x` is never null",
        "check__positive": "`x` passes the check `positive`",
    }
    assert dtype_text(column) == "Binary"


def test_a_check_that_cannot_be_built_is_still_shown():
    def broken(expr):
        raise RuntimeError("not today")

    assert column_constraints(dy.Int8(min=0, check=broken)) == ("broken", ">= 0")
    assert column_constraints(dy.List(dy.Int8(nullable=True, check=broken))) == ("elements broken",)
    assert column_constraints(dy.Int8(check=functools.partial(positive))) == ("check",)


# ------------------------------------------------------------------------------------------------------------------ widths

CENTURY = dt.timedelta(days=36525)
BOUNDED = st.one_of(
    st.builds(dy.Int64, min=st.integers(-(2**63), 2**63 - 1), is_in=st.none()),
    st.builds(dy.Int64, is_in=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2)),
    st.builds(dy.Float64, max=st.floats(allow_nan=False, allow_infinity=False)),
    st.builds(dy.Enum, st.lists(st.text(st.characters(codec="utf-8")), min_size=2, unique=True)),
    st.builds(dy.String, min_length=st.integers(0, 2**40)),
    st.builds(dy.Date, min=st.dates()),
    st.builds(dy.Time, max=st.times()),
    st.builds(dy.Datetime, min=st.datetimes(timezones=st.sampled_from([None, dt.UTC]))),
    st.builds(dy.Duration, max=st.timedeltas(-CENTURY, CENTURY)),
)
NESTED = st.recursive(
    BOUNDED,
    lambda inner: st.one_of(
        st.builds(dy.List, inner, min_length=st.integers(0, 9)),
        st.builds(dy.Array, inner, st.integers(1, 9)),
        st.builds(dy.Struct, st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)),
    ),
)


@given(BOUNDED)
def test_simple_constraints_fit_the_columns_tab(column):
    assert all(0 < len(text) <= 30 for text in column_constraints(column))


@given(NESTED)
def test_any_nesting_has_texts_of_one_bounded_line(column):
    texts = [*column_constraints(column), *rule_descriptions(column).values(), dtype_text(column)]
    assert all(0 < len(text) <= 500 and text.isprintable() for text in texts)
    assert len(dtype_text(column)) <= 100


@given(NESTED)
def test_every_rule_of_any_nesting_is_described(column):
    described = rule_descriptions(column)
    assert list(described) == list(column.validation_rules(pl.col("x")))
    assert not [text for text in described.values() if "keeps the rule" in text]


def test_a_wide_struct_is_shortened():
    column = dy.Struct({f"field_{n}": dy.Enum([f"category {m}" for m in range(n + 2)]) for n in range(300)})
    assert dtype_text(column) == "Struct({'field_0': Enum(categories=['category 0', 'category 1']), +299 more})"
    assert dtype_text(dy.Struct({"n" * 300: dy.Int8(), "m": dy.Int8()})) == "Struct({2 fields})"
    assert dtype_text(dy.Struct({})) == "Struct({})"


def test_a_long_pattern_is_kept_until_it_would_flood_the_page():
    assert column_constraints(dy.String(regex="a" * 100)) == ("matches " + "a" * 100,)
    assert column_constraints(dy.String(regex="a" * 1000)) == ("matches " + "a" * 491 + "…",)
