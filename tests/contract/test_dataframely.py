"""Dataframely schemas read as contracts: fields, rules and their owners, texts, warnings, fingerprints, refusals."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from datetime import timedelta

import dataframely as dy
import polars as pl
import pytest

from dagster_contracts import errors
from dagster_contracts.contract.reading import read_contract


class Base(dy.Schema):
    """What every table has.

    Indented as its author likes.
    """

    id = dy.Int64(primary_key=True, description="The row's number.")
    region = dy.String(primary_key=True, min_length=2, metadata={"unit": None, "level": 3})

    @dy.rule()
    def id_is_even(cls) -> pl.Expr:
        """Ids are even."""
        return cls.id.col % 2 == 0


class Sales(Base):
    price = dy.Float64(nullable=True, min=0.0, alias="net|price", check={"is round": lambda e: e.round() == e})
    mail = dy.String(nullable=True, unique=True, metadata={"pii": 1})
    span = dy.Duration(nullable=True, resolution="1h", max=timedelta(days=1))
    anything = dy.Any()

    @dy.rule()
    def price_of_the_region(cls) -> pl.Expr:
        return cls.price.col.max().over("region") < 100


SALES = read_contract(Sales)


def rules_of(schema: type[dy.Schema]) -> dict[str, object]:
    return {rule.name: rule for rule in read_contract(schema).rules}


# --------------------------------------------------------------------------------------------------------------- fields


def test_fields_in_order_with_inherited_ones_first():
    assert SALES.name == "Sales"
    assert SALES.column_names == ["id", "region", "net|price", "mail", "span", "anything"]
    assert SALES.primary_key == ["id", "region"]
    assert {field.name: field.type_text for field in SALES.fields} == {
        "id": "Int64",
        "region": "String",
        "net|price": "Float64",
        "mail": "String",
        "span": "Duration(time_unit='us')",
        "anything": "any",
    }
    assert [field.name for field in SALES.fields if field.nullable] == ["net|price", "mail", "span", "anything"]
    assert [field.name for field in SALES.fields if field.unique] == ["mail"]
    assert [field.name for field in SALES.fields if field.primary_key] == ["id", "region"]
    assert [field.description for field in SALES.fields] == ["The row's number.", *[None] * 5]


def test_constraints_are_those_beside_nullability_uniqueness_and_key():
    assert {field.name: field.constraints for field in SALES.fields} == {
        "id": (),
        "region": ("length >= 2 bytes",),
        "net|price": ("is round", ">= 0.0", "no infinity", "no NaN"),
        "mail": (),
        "span": ("<= 1d", "aligned to 1h"),
        "anything": (),
    }  # fmt: skip


def test_tags_are_strings():
    tags = {field.name: field.tags for field in SALES.fields}
    assert tags == {
        "id": {},
        "region": {"unit": "None", "level": "3"},
        "net|price": {},
        "mail": {"pii": "1"},
        "span": {},
        "anything": {},
    }


@pytest.mark.parametrize(
    ("metadata", "sensitive"),
    [
        (None, False),
        ({}, False),
        ({"sensitive": True}, True),
        ({"pii": True}, True),
        ({"pii": "email"}, True),
        ({"sensitive": False}, False),
        ({"sensitive": False, "pii": True}, True),
        ({"secret": True}, False),
    ],
)
def test_sensitive_columns(metadata, sensitive):
    class Schema(dy.Schema):
        a = dy.Int64(metadata=metadata)
        b = dy.Int64()

    contract = read_contract(Schema)
    assert contract.sensitive_columns == ({"a"} if sensitive else frozenset())
    assert [field.sensitive for field in contract.fields] == [sensitive, False]


@pytest.mark.parametrize(
    ("column", "accepted", "refused"),
    [
        (dy.Int64(), [pl.Int64()], [pl.Int32(), pl.Float64()]),
        (dy.Integer(), [pl.Int8(), pl.UInt64()], [pl.Float32(), pl.String()]),
        (dy.Float(), [pl.Float32(), pl.Float64()], [pl.Int64()]),
        (dy.Any(), [pl.Int64(), pl.List(pl.String())], []),
        (dy.Datetime(time_zone="UTC"), [pl.Datetime("us", "UTC")], [pl.Datetime("us"), pl.Datetime("ms", "UTC")]),
        (dy.Enum(["a", "b"]), [pl.Enum(["a", "b"])], [pl.Enum(["b", "a"]), pl.String()]),
        (dy.List(dy.Int64()), [pl.List(pl.Int64())], [pl.List(pl.Int32()), pl.Int64()]),
    ],
)
def test_a_field_accepts_the_dtypes_its_column_does(column, accepted, refused):
    [field] = read_contract(type("Schema", (dy.Schema,), {"a": column})).fields
    assert [field.accepts(dtype) for dtype in accepted] == [True] * len(accepted)
    assert [field.accepts(dtype) for dtype in refused] == [False] * len(refused)


def test_the_empty_frame_has_every_column_and_no_row():
    empty = SALES.empty_frame()
    assert empty.height == 0
    assert list(empty.schema.items())[:4] == [
        ("id", pl.Int64()),
        ("region", pl.String()),
        ("net|price", pl.Float64()),
        ("mail", pl.String()),
    ]


def test_a_column_redefined_in_a_child_is_the_childs():
    class Child(Base):
        region = dy.String(nullable=True)

    contract = read_contract(Child)
    assert contract.primary_key == ["id"]
    assert [rule.name for rule in contract.rules] == ["id_is_even", "primary_key", "id|nullability"]


def test_one_column_in_two_schemas_keeps_each_ones_name():
    shared = dy.Int64(min=1)
    one, other = type("One", (dy.Schema,), {"a": shared}), type("Other", (dy.Schema,), {"b": shared})
    contracts = [read_contract(schema) for schema in (one, other, one)]
    assert [contract.column_names for contract in contracts] == [["a"], ["b"], ["a"]]
    assert [contract.rules[1].description for contract in contracts] == ["`a` >= 1", "`b` >= 1", "`a` >= 1"]


# ---------------------------------------------------------------------------------------------------------------- rules


def test_rules_their_owners_and_check_names():
    assert [(rule.name, rule.column) for rule in SALES.rules] == [
        ("id_is_even", None),
        ("price_of_the_region", None),
        ("primary_key", None),
        ("id|nullability", "id"),
        ("region|nullability", "region"),
        ("region|min_length", "region"),
        ("net|price|check__is round", "net|price"),
        ("net|price|min", "net|price"),
        ("net|price|inf", "net|price"),
        ("net|price|nan", "net|price"),
        ("mail|unique", "mail"),
        ("span|max", "span"),
        ("span|resolution", "span"),
    ]
    names = {rule.name: rule.check_name for rule in SALES.rules}
    assert names["id_is_even"] == "dy_rule__id_is_even"
    assert names["region|min_length"] == "dy_rule__region__min_length"
    assert names["net|price|min"].startswith("dy_rule__net__price__min_")
    assert len(set(names.values())) == len(names)


def test_a_rule_belongs_to_the_column_that_makes_it_and_not_to_one_whose_name_it_begins_with():
    class Pipes(dy.Schema):
        a = dy.Int64(nullable=True, min=0)
        ab = dy.Int64(nullable=True, min=0, alias="a|b")
        abc = dy.Int64(nullable=True, min=0, alias="a|b|c")

        @dy.rule()
        def a_b(cls) -> pl.Expr:
            return pl.lit(value=True)

    assert {name: rule.column for name, rule in rules_of(Pipes).items()} == {
        "a_b": None,
        "a|min": "a",
        "a|b|min": "a|b",
        "a|b|c|min": "a|b|c",
    }


def test_expressions_are_those_of_the_columns():
    rules = rules_of(Sales)
    assert rules["net|price|min"].expr.meta.eq(pl.col("net|price") >= 0.0)
    assert rules["net|price|min"].expr_text == 'col("net|price") >= 0'
    assert rules["primary_key"].expr.meta.eq(pl.struct("id", "region").is_unique())
    assert rules["id_is_even"].expr.meta.eq(pl.col("id") % 2 == 0)


def test_descriptions():
    assert {rule.name: rule.description for rule in SALES.rules} == {
        "id_is_even": "Ids are even.",
        "price_of_the_region": "price of the region",
        "primary_key": "No two rows have the same `id` and `region` together",
        "id|nullability": "`id` is never null",
        "region|nullability": "`region` is never null",
        "region|min_length": "`region` has length >= 2 bytes",
        "net|price|check__is round": "`net|price` passes the check `is round`",
        "net|price|min": "`net|price` >= 0.0",
        "net|price|inf": "`net|price` is never infinite",
        "net|price|nan": "`net|price` is never NaN",
        "mail|unique": "`mail` is unique (two nulls are duplicates of each other)",
        "span|max": "`span` <= 1d",
        "span|resolution": "`span` is aligned to 1h",
    }


def test_a_rule_overridden_in_a_child_is_described_by_the_childs_docstring():
    class Child(Base):
        @dy.rule()
        def id_is_even(cls) -> pl.Expr:
            """Ids are odd here."""
            return pl.col("id") % 2 == 1

    assert rules_of(Child)["id_is_even"].description == "Ids are odd here."
    assert rules_of(Child)["id_is_even"].expr.meta.eq(pl.col("id") % 2 == 1)


def test_a_contracts_description_is_its_docstring_own_or_inherited():
    assert read_contract(Base).description == "What every table has.\n\nIndented as its author likes."
    assert SALES.description == "What every table has.\n\nIndented as its author likes."

    class Own(Base):
        """Its own."""

    class Undescribed(dy.Schema):
        a = dy.Int64()

    assert read_contract(Own).description == "Its own."
    assert read_contract(Undescribed).description is None


def test_a_schema_without_rules():
    class Free(dy.Schema):
        a = dy.Int64(nullable=True)

    assert read_contract(Free).rules == ()


# ------------------------------------------------------------------------------------------------------------- warnings


def test_warnings_by_metadata():
    class Warned(dy.Schema):
        all = dy.Int64(min=0, max=9, metadata={"warn": True})
        some = dy.Int64(min=0, max=9, metadata={"warn": ["max"]})
        none = dy.Int64(min=0, max=9, metadata={"warn": False})

        @dy.rule()
        def own(cls) -> pl.Expr:
            return pl.lit(value=True)

    contract = read_contract(Warned)
    warnings = ["all|nullability", "all|min", "all|max", "some|max"]
    assert [rule.name for rule in contract.rules if rule.warning] == warnings
    assert [rule.name for rule in contract.enforced_rules] == [
        *("own", "some|nullability", "some|min", "none|nullability", "none|min", "none|max")
    ]
    marked = read_contract(Warned, warnings=["own", "none|max"])
    assert [rule.name for rule in marked.rules if rule.warning] == ["own", *warnings, "none|max"]
    assert [rule.name for rule in contract.rules if rule.warning] == warnings, "the contract itself is as it was"


def test_unknown_rules_to_warn_about_are_refused_with_the_nearest_known():
    with pytest.raises(errors.UnknownRuleError) as caught:
        read_contract(Base, warnings=["region|min_lenght"])
    assert str(caught.value) == "Base has no rule 'region|min_lenght' to warn about. Did you mean 'region|min_length'?"
    with pytest.raises(errors.UnknownRuleError) as caught:
        read_contract(Base, warnings=["xyz"])
    assert str(caught.value) == (
        "Base has no rule 'xyz' to warn about. Known: 'id_is_even', 'primary_key', 'id|nullability', "
        "'region|nullability', 'region|min_length'."
    )
    assert isinstance(caught.value, LookupError)


def test_a_warning_that_names_a_rule_the_column_does_not_have_is_refused():
    class Typo(dy.Schema):
        amount = dy.Int64(max=9, metadata={"warn": ["maxx"]})

    with pytest.raises(errors.UnknownRuleError) as caught:
        read_contract(Typo)
    assert str(caught.value) == ("Typo: the column 'amount' has no rule 'maxx' to warn about. Did you mean 'max'?")


def test_one_rule_can_be_named_without_a_list():
    class One(dy.Schema):
        amount = dy.String(
            max_length=9, min_length=1, check={"max": lambda e: e > "a"}, metadata={"warn": "max_length"}
        )

    assert [rule.name for rule in read_contract(One).rules if rule.warning] == ["amount|max_length"]


# ---------------------------------------------------------------------------------------------------------- fingerprint

SOURCE = """
import enum
from datetime import date, datetime, timedelta
from decimal import Decimal
import dataframely as dy
import polars as pl
from dagster_contracts.contract.reading import read_contract

class Everything(dy.Schema):
    a = dy.Int64(primary_key=True, is_in=[3, 1, 2])
    b = dy.String(regex="^x", nullable=True, unique=True, metadata={"z": 1, "a": 2})
    c = dy.Datetime(min=datetime(2024, 1, 1), time_zone="UTC", resolution="1d")
    d = dy.Decimal(10, 2, max=Decimal("9.99"))
    e = dy.Enum(["u", "v"])
    f = dy.List(dy.Struct({"x": dy.Float32(min=0), "y": dy.Array(dy.Bool(), 2)}), min_length=1)
    g = dy.Int64(check=[lambda e: e > 1, lambda e: e < 9])
    h = dy.Duration(max=timedelta(hours=3))
    i = dy.Categorical()

    @dy.rule()
    def over(cls):
        return pl.len().over("a") < 3

    @dy.rule()
    def python(cls):
        return pl.col("a").map_elements(lambda v: v > 0, return_dtype=pl.Boolean)

print(read_contract(Everything).fingerprint)
"""


def test_the_fingerprint_is_equal_in_every_process():
    def fingerprint(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-c", SOURCE], env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    first, second = fingerprint("1"), fingerprint("4242")
    assert first == second
    assert len(first) == 64


def fingerprint_of(name: str = "Schema", /, **members: object) -> str:
    return read_contract(type(name, (dy.Schema,), members)).fingerprint


def true_rule(cls: object) -> pl.Expr:
    return pl.col("a") > 0


SAME = fingerprint_of(a=dy.Int64(min=1))


@pytest.mark.parametrize(
    "members",
    [
        {"a": dy.Int64(min=2)},
        {"a": dy.Int64(max=1)},
        {"a": dy.Int64(min_exclusive=1)},
        {"a": dy.Int64(min=1, nullable=True)},
        {"a": dy.Int64(min=1, primary_key=True)},
        {"a": dy.Int64(min=1, unique=True)},
        {"a": dy.Int64(min=1, metadata={"warn": True})},
        {"a": dy.Int64(min=1, metadata={"warn": ["min"]})},
        {"a": dy.Int32(min=1)},
        {"a": dy.Integer(min=1)},
        {"b": dy.Int64(min=1)},
        {"a": dy.Int64(min=1), "b": dy.Int64(nullable=True)},
        {"a": dy.Int64(min=1, check=lambda e: e < 2)},
        {"a": dy.Int64(min=1), "rule": dy.rule()(true_rule)},
        {"a": dy.Int64(min=1), "renamed": dy.rule()(true_rule)},
    ],
)
def test_the_fingerprint_differs_where_the_promise_does(members):
    assert fingerprint_of(**members) != SAME


def test_the_fingerprint_differs_by_the_name_of_a_rule_and_the_order_of_columns():
    assert fingerprint_of(a=dy.Int64(), one=dy.rule()(true_rule)) != fingerprint_of(
        a=dy.Int64(), two=dy.rule()(true_rule)
    )
    assert fingerprint_of(a=dy.Int64(), b=dy.Int64()) != fingerprint_of(b=dy.Int64(), a=dy.Int64())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (dy.Enum(["a", "b"]), dy.Enum(["b", "a"])),
        (dy.Datetime(time_unit="ms"), dy.Datetime(time_unit="us")),
        (dy.Datetime(time_zone="UTC"), dy.Datetime(time_zone="Europe/Berlin")),
        (dy.Decimal(10, 2), dy.Decimal(10, 3)),
        (dy.List(dy.Int64()), dy.List(dy.Int32())),
        (dy.Array(dy.Int64(), 2), dy.Array(dy.Int64(), 3)),
        (dy.Struct({"x": dy.Int64()}), dy.Struct({"y": dy.Int64()})),
        (dy.String(regex="a"), dy.String(regex="b")),
        (dy.Enum([f"c{at}" for at in range(99)]), dy.Enum([f"c{at}" for at in range(98)] + ["other"])),
    ],
)  # fmt: skip
def test_the_fingerprint_differs_by_what_is_inside_a_dtype(one, other):
    assert fingerprint_of(a=one) != fingerprint_of(a=other)


def test_the_fingerprint_is_of_the_promise_and_not_of_the_words():
    assert fingerprint_of("Other", a=dy.Int64(min=1)) == SAME
    assert fingerprint_of(a=dy.Int64(min=1, description="words", metadata={"x": 1})) == SAME
    assert fingerprint_of(attribute=dy.Int64(min=1, alias="a")) == SAME


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("name", ["dy_x", "dy_", "dy_rule__a"])
def test_columns_in_the_reserved_namespace_are_refused(name):
    schema = type("Reserved", (dy.Schema,), {"a": dy.Int64(alias=name), "dyx": dy.Int64()})
    with pytest.raises(errors.ReservedColumnError) as caught:
        read_contract(schema)
    assert str(caught.value) == (
        f"Reserved declares '{name}': names that begin with 'dy_' are reserved for check names and quarantine columns. "
        "Rename the column; `alias=` sets its name in the frame."
    )


@pytest.mark.parametrize("name", ["*", "^a$", "^.*$"])
def test_columns_that_polars_reads_as_patterns_are_refused(name):
    schema = type("Patterns", (dy.Schema,), {"a": dy.Int64(alias=name)})
    with pytest.raises(errors.ReservedColumnError) as caught:
        read_contract(schema)
    assert str(caught.value) == (
        f"Patterns declares '{name}': Polars reads such a name as a pattern for other columns, so its rules would look "
        "at those. Rename the column."
    )


@pytest.mark.parametrize("name", ["^a", "a$", "a*", "dyx", "order id", "Größe"])
def test_columns_that_only_look_a_little_like_it_work(name):
    schema = type("Fine", (dy.Schema,), {"a": dy.Int64(alias=name)})
    assert read_contract(schema).column_names == [name]


def test_two_rules_with_one_check_name_are_refused():
    class Colliding(dy.Schema):
        a = dy.Int64(min=0)

        @dy.rule()
        def a__min(cls) -> pl.Expr:
            return pl.lit(value=True)

    with pytest.raises(errors.CheckNameCollisionError) as caught:
        read_contract(Colliding)
    assert str(caught.value) == (
        "Colliding: 'a__min' and 'a|min' would both report as the check 'dy_rule__a__min'. Rename one."
    )


def test_a_rule_without_cls_is_refused_with_a_hint():
    class Bare(dy.Schema):
        a = dy.Int64()

        @dy.rule()
        def positive() -> pl.Expr:
            return pl.col("a") > 0

    with pytest.raises(errors.RuleError) as caught:
        read_contract(Bare)
    assert str(caught.value).startswith("Bare: the rule 'positive' cannot be built: TypeError(")
    assert str(caught.value).endswith("A @dy.rule() function takes the schema class: `def rule(cls) -> pl.Expr`.")


@pytest.mark.parametrize(
    ("value", "kind"), [(True, "bool"), (None, "NoneType"), ("a > 0", "str"), (pl.Series([True]), "Series")]
)
def test_a_rule_that_returns_something_else_than_an_expression_is_refused(value, kind):
    class Wrong(dy.Schema):
        a = dy.Int64()

        @dy.rule()
        def always(cls) -> object:
            return value

    with pytest.raises(errors.RuleError) as caught:
        read_contract(Wrong)
    assert f"Wrong: the rule 'always' cannot be built: TypeError('it returned {kind}, not a pl.Expr')." in str(
        caught.value
    )
    assert "takes the schema class" not in str(caught.value), "it does take it"


def test_a_rule_that_raises_is_refused_with_its_cause():
    class Raising(dy.Schema):
        a = dy.Int64()

        @dy.rule()
        def broken(cls) -> pl.Expr:
            raise ZeroDivisionError("oh")

    with pytest.raises(errors.RuleError) as caught:
        read_contract(Raising)
    assert str(caught.value) == "Raising: the rule 'broken' cannot be built: ZeroDivisionError('oh')."
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_check_that_returns_a_bool_is_refused():
    schema = type("Checked", (dy.Schema,), {"a": dy.Int64(check=lambda e: True)})
    with pytest.raises(errors.RuleError, match=r"Checked: the rule 'a\|check' cannot be built: TypeError"):
        read_contract(schema)


def test_a_collection_is_refused_with_the_way_out():
    members = {"__annotations__": {"sales": dy.LazyFrame[Base]}}
    shop = types.new_class("Shop", (dy.Collection,), exec_body=lambda namespace: namespace.update(members))
    with pytest.raises(errors.CollectionNotSupportedError) as caught:
        read_contract(shop)
    assert str(caught.value) == (
        "Shop is a dy.Collection, which describes several tables. Give each asset its own member's schema, and put the "
        "collection's filters on the assets with dc.build_collection_checks()."
    )


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (dy.Schema, "Schema"),
        (int, "int"),
        (pl.DataFrame, "DataFrame"),
        ("Orders", "str 'Orders'"),
        ({"a": 1}, "dict {'a': 1}"),
        (None, "NoneType None"),
    ],
)
def test_what_is_no_contract_is_refused(value, named):
    with pytest.raises(errors.NotAContractError) as caught:
        read_contract(value)
    assert str(caught.value) == f"A contract is a subclass of dy.Schema or dc.Schema; got {named}."
    assert isinstance(caught.value, TypeError)


def test_a_contract_is_read_once_and_taken_as_it_is():
    assert read_contract(Sales) is read_contract(Sales)
    assert read_contract(SALES) is SALES
