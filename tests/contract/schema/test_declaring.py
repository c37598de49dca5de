"""What a typed class may declare, and that its columns may be called anything."""

import dataclasses
import datetime as dt
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, ClassVar, Literal, NewType, Optional
from uuid import UUID

import annotated_types
import polars as pl
import pydantic
import pytest
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, Field, NaiveDatetime

import dagster_contracts as dc
from dagster_contracts.contract.row_fields import MISSING, DefaultFactory, row_schema
from dagster_contracts.contract.types import parse_type


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Point(BaseModel):
    x: int
    y: float | None = None


@dataclasses.dataclass
class Size:
    width: int
    tags: list[str] = dataclasses.field(default_factory=list)


class Address(dc.Schema):
    street: str
    city: str | None


Meters = NewType("Meters", int)


@pytest.mark.parametrize(
    ("annotation", "type_", "dtype"),
    [
        (bool, "Boolean", pl.Boolean()),
        (int, "Int64", pl.Int64()),
        (float, "Float64", pl.Float64()),
        (Decimal, "Decimal(38,9)", pl.Decimal(38, 9)),
        (Annotated[Decimal, Field(max_digits=10, decimal_places=2)], "Decimal(10,2)", pl.Decimal(10, 2)),
        (Annotated[Decimal, Field(decimal_places=2)], "Decimal(38,2)", pl.Decimal(38, 2)),
        (str, "String", pl.String()),
        (bytes, "Binary", pl.Binary()),
        (dt.date, "Date", pl.Date()),
        (pydantic.PastDate, "Date", pl.Date()),
        (dt.datetime, "TimestampNtz", pl.Datetime("us")),
        (NaiveDatetime, "TimestampNtz", pl.Datetime("us")),
        (AwareDatetime, "Timestamp", pl.Datetime("us", "UTC")),
        (dt.time, "Time", pl.Time()),
        (dt.timedelta, "Interval", pl.Duration("us")),
        (UUID, "Uuid", pl.String()),
        (pydantic.UUID4, "Uuid", pl.String()),
        (Color, "String", pl.String()),
        (Level, "Int64", pl.Int64()),
        (Literal["a", "b"], "String", pl.String()),
        (Literal[1, 2], "Int64", pl.Int64()),
        (Literal[True], "Boolean", pl.Boolean()),
        (dict, "Json", pl.String()),
        (dict[str, int], "Json", pl.String()),
        (list[int], "Array<Int64>", pl.List(pl.Int64())),
        (list[list[str | None]], "Array<Array<String>>", pl.List(pl.List(pl.String()))),
        (Point, "Struct<x: Int64, y: Float64>", pl.Struct({"x": pl.Int64(), "y": pl.Float64()})),
        (
            list[Size],
            "Array<Struct<width: Int64, tags: Array<String>>>",
            pl.List(pl.Struct({"width": pl.Int64(), "tags": pl.List(pl.String())})),
        ),
        (Address, "Struct<street: String, city: String>", pl.Struct({"street": pl.String(), "city": pl.String()})),
        (Annotated[int, dc.Int8], "Int8", pl.Int8()),
        (Annotated[int, dc.UInt64], "UInt64", pl.UInt64()),
        (Annotated[int, dc.Int128], "Int128", pl.Int128()),
        (Annotated[float, dc.Float32], "Float32", pl.Float32()),
        (Annotated[int, pl.Int16], "Int16", pl.Int16()),
        (Annotated[str, pl.Categorical()], "String", pl.Categorical()),
        (Annotated[Literal["a"], pl.Enum(["a"])], "String", pl.Enum(["a"])),
        (Annotated[AwareDatetime, pl.Datetime("ms", "Europe/Berlin")], "Timestamp", pl.Datetime("ms", "Europe/Berlin")),
        (Annotated[list[int], Field(min_length=2, max_length=2), pl.Array(pl.Int64, 2)], "Array<Int64>", pl.Array(pl.Int64(), 2)),
        (Meters, "Int64", pl.Int64()),
        (pydantic.PositiveInt, "Int64", pl.Int64()),
        (pydantic.conlist(int, min_length=1), "Array<Int64>", pl.List(pl.Int64())),
    ],
)  # fmt: skip
def test_each_python_type_has_its_type_and_its_dtype(annotation: Any, type_: str, dtype: pl.DataType):
    class Table(dc.Schema):
        plain: annotation  # type: ignore[valid-type]
        nullable: Optional[annotation]  # type: ignore[valid-type]  # noqa: UP045

    plain, nullable = row_schema(Table).fields
    assert (str(plain.type), plain.dtype, plain.nullable, plain.default) == (type_, dtype, False, MISSING)
    assert (str(nullable.type), nullable.dtype, nullable.nullable, nullable.default) == (type_, dtype, True, None)
    assert str(parse_type(str(plain.type))) == type_
    spec = Table.field_specs()[0]
    assert (str(spec.column_type), spec.dtype) == (type_, dtype)
    assert spec.repeated == type_.startswith("Array")
    assert hash(spec) == hash(Table.field_specs()[0])


@pytest.mark.parametrize("annotation", [Any, object, pydantic.JsonValue, Any | None])
def test_any_value_is_nullable_json(annotation: Any):
    class Table(dc.Schema):
        value: annotation  # type: ignore[valid-type]

    (field,) = row_schema(Table).fields
    assert (str(field.type), field.dtype, field.nullable) == ("Variant", pl.String(), True)


def test_a_column_may_have_any_name_of_the_class_or_of_pydantic_and_keeps_its_place():
    class Odd(dc.Schema):
        name: str
        key: int
        schema: str
        json: str = "{}"
        fields: list[str]
        copy: int | None
        validate: bool
        infer: str = "x"
        reconcile: str = dc.field(default="y", min_length=1)
        to_frame: float = Field(ge=0)
        field_specs: int
        json_schema: int
        losses: int
        model_config: str
        model_fields: str
        columns: str
        filter: int
        _id: str
        mro: int = 3

    names = ["name", "key", "schema", "json", "fields", "copy", "validate", "infer", "reconcile", "to_frame", "field_specs",
             "json_schema", "losses", "model_config", "model_fields", "columns", "filter", "_id", "mro"]  # fmt: skip
    assert [spec.name for spec in Odd.field_specs()] == names
    assert Odd.to_dataframely().column_names() == names
    assert Odd.losses("json_schema") == ()
    assert list(Odd.polars_schema()) == names
    assert list(Odd.json_schema()["properties"]) == names


def test_inheritance_adds_in_order_and_may_override_in_place():
    class Base(dc.Schema):
        """A row."""

        id: int = dc.field(primary_key=True)
        note: str | None = None

        @dc.rule
        def short(cls) -> pl.Expr:
            return pl.col("note").str.len_chars() < 5

    class Mixin:
        source: str = "api"

    class More(Base, Mixin):
        extra: float
        note: str

    fields = row_schema(More).fields
    assert [(field.name, field.nullable, field.default) for field in fields] == [
        ("source", False, "api"),
        ("id", False, MISSING),
        ("note", False, MISSING),
        ("extra", False, MISSING),
    ]
    frame = pl.DataFrame({"source": ["a", "a"], "id": [1, 2], "note": ["abc", "abcdef"], "extra": [0.0, 0.0]})
    assert dc.validate(More, frame).invalid_count == 1
    assert [field.name for field in row_schema(Base).fields] == ["id", "note"]


def test_what_a_field_says_is_kept():
    class Table(dc.Schema):
        id: int = dc.field(primary_key=True, unique=True, description="The id", alias="ID", tags={"team": "a"})
        mail: Annotated[str, Field(json_schema_extra={"sensitive": True})]
        born: dt.date | None = dc.field(default=None, epoch="ms", lax=True)
        seen: list[AwareDatetime] = dc.field(default_factory=list, epoch="s")
        labels: list[str] = []  # noqa: RUF012
        made: list[int] = Field(default_factory=lambda: [1])
        score: float = 0

    id_, mail, born, seen, labels, made, score = row_schema(Table).fields
    assert (id_.key, id_.primary_key, id_.unique, id_.description, id_.tags) == (
        "ID",
        True,
        True,
        "The id",
        (("team", "a"),),
    )
    assert mail.sensitive
    assert (born.epoch, born.lax) == ("ms", True)
    assert seen.epoch == "s"
    assert isinstance(labels.default, DefaultFactory)
    assert labels.make_default() == []
    assert labels.make_default() is not labels.make_default()
    assert made.make_default() == [1]
    assert (score.default, type(score.default)) == (0.0, float)
    specs = {spec.name: spec for spec in Table.field_specs()}
    assert (specs["id"].primary_key, specs["id"].unique, specs["mail"].sensitive) == (True, True, True)
    assert specs["id"].tags == {"team": "a"}
    assert specs["id"].description == "The id"


def test_a_record_with_a_sensitive_field_is_sensitive():
    class Person(dc.Schema):
        mail: str = dc.field(sensitive=True)

    class Table(dc.Schema):
        who: list[Person]

    assert [spec.sensitive for spec in Table.field_specs()] == [True]


def test_a_validator_outside_of_the_optional_sees_and_may_give_none():
    def emptied(value: object) -> object:
        return value or None

    class Table(dc.Schema):
        count: Annotated[int | None, BeforeValidator(emptied), Field(ge=2)]
        double: Annotated[int, AfterValidator(lambda value: value * 2)]

    count, double = row_schema(Table).fields
    read = pydantic.TypeAdapter(count.annotation).validate_python
    assert [read(""), read(None), read(3)] == [None, None, 3]
    with pytest.raises(pydantic.ValidationError):
        read(1)
    assert pydantic.TypeAdapter(double.annotation).validate_python(4) == 8


def test_class_variables_constants_and_methods_are_no_columns():
    class Table(dc.Schema):
        id: int
        LIMIT: ClassVar[int] = 5
        other = 7

        @classmethod
        def twice(cls) -> int:
            return cls.LIMIT * 2

    assert Table.to_dataframely().column_names() == ["id"]
    assert (Table.twice(), Table.other) == (10, 7)


def test_a_plain_class_a_slotted_one_and_a_dataclass_can_be_decorated():
    @dc.schema
    class Plain:
        """What a row is."""

        id: int
        name: str = dc.field(default="x", alias="Name")
        when: "dt.date"

        @dc.rule(group_by=["name"])
        def few(cls) -> pl.Expr:
            """At most two of a name."""
            return pl.len() <= 2

    @dc.schema
    class Slotted:
        __slots__ = ("id",)
        id: int

    @dc.schema
    @dataclasses.dataclass(slots=True)
    class Data:
        id: int
        tags: list[str] = dataclasses.field(default_factory=list)
        note: str = "n"

    assert issubclass(Plain, dc.Schema)
    assert (Plain.__name__, Plain.__qualname__.rpartition(".")[2], Plain.__module__) == ("Plain", "Plain", __name__)
    assert [field.key for field in row_schema(Plain).fields] == ["id", "Name", "when"]
    frame = pl.DataFrame({"id": [1, 2, 3, 4], "name": ["a", "a", "a", "b"], "when": [dt.date(2024, 1, 1)] * 4})
    assert dc.validate(Plain, frame).invalid_count == 3
    assert row_schema(Slotted).fields[0].name == "id"
    assert [field.make_default() for field in row_schema(Data).fields] == [MISSING, [], "n"]


def test_a_class_that_is_named_before_it_is_defined_is_found_at_first_use():
    source = """
from __future__ import annotations
import dagster_contracts as dc

class Order(dc.Schema):
    id: int
    lines: list[Line]

class Line(dc.Schema):
    product: str
"""
    module: dict[str, Any] = {"__name__": "shop"}
    exec(source, module)
    assert str(module["Order"].field_specs()[1].column_type) == "Array<Struct<product: String>>"


def test_annotations_as_text_see_what_the_function_around_them_sees():
    class Inner(dc.Schema):
        x: int

    class Outer(dc.Schema):
        inner: "list[Inner]"

    assert str(Outer.field_specs()[0].column_type) == "Array<Struct<x: Int64>>"


def test_annotations_as_text_see_classes_inside_the_class():
    class Outer(dc.Schema):
        class Inner(BaseModel):
            x: int

        inner: "list[Inner]"

    assert str(Outer.field_specs()[0].column_type) == "Array<Struct<x: Int64>>"


def test_a_schema_is_never_an_instance():
    with pytest.raises(dc.errors.UsageError, match="Address says what rows are and is none itself"):
        Address(street="a")  # type: ignore[call-arg]


def test_inside_pydantic_a_schema_reads_by_key_and_gives_columns():
    class Table(dc.Schema):
        id: int = dc.field(alias="ID")
        note: str | None

    class Holder(BaseModel):
        table: Table

    assert Holder(table={"ID": "3"}).table == {"id": 3, "note": None}  # type: ignore[arg-type]


def test_field_specs_print_on_one_line():
    class Table(dc.Schema):
        id: UUID = dc.field(primary_key=True)
        labels: list[str] | None = dc.field(default=None, min_length=1, sensitive=True)

    assert [str(spec) for spec in Table.field_specs()] == [
        "id: Uuid · primary key · a UUID",
        "labels: Array<String> · nullable · sensitive · length >= 1 element · elements not null",
    ]


def test_a_grouped_constraint_is_read():
    class Table(dc.Schema):
        share: Annotated[float, annotated_types.Interval(ge=0, le=1)]

    assert Table.field_specs()[0].constraints == (">= 0.0", "<= 1.0", "no NaN")
