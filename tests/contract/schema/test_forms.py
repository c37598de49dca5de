"""A typed class turned into Dataframely, JSON Schema, Polars and SQL, and back from the first two."""

import datetime as dt
import json
import re
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, get_origin
from uuid import UUID, uuid4

import dataframely as dy
import duckdb
import hypothesis.strategies as st
import polars as pl
import pytest
from hypothesis import given, settings
from pydantic import AwareDatetime, BaseModel, BeforeValidator, Field, field_validator

import dagster_contracts as dc
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.contract.row_fields import RowField, row_schema
from dagster_contracts.contract.type_sql import DIALECTS


class Line(BaseModel):
    product: str = Field(min_length=2)
    count: int | None = None


class Order(dc.Schema):
    """One order."""

    id: UUID = dc.field(primary_key=True, alias="ID", description="Its id")
    day: dt.date = Field(ge=dt.date(2020, 1, 1))
    at: AwareDatetime | None
    local: dt.datetime
    amount: Decimal = Field(max_digits=10, decimal_places=2, ge=0)
    share: float | None = dc.field(default=0.5, ge=0, le=1)
    state: Literal["open", "paid"] = "open"
    lines: list[Line]
    extra: dict[str, Any] | None
    anything: Any
    count: Annotated[int, dc.Int32, Field(multiple_of=2)]

    @dc.rule
    def early(cls) -> pl.Expr:
        """Orders are early."""
        return pl.col("local") < dt.datetime(2030, 1, 1)  # noqa: DTZ001


def said(field: RowField) -> tuple[Any, ...]:
    """Everything that a field says but the annotation itself."""
    return (
        field.name,
        field.key,
        field.nullable,
        field.make_default(),
        field.dtype,
        field.type,
        field.lax,
        field.epoch,
        field.sensitive,
        field.constraints.given if field.constraints else {},
        field.primary_key,
        field.unique,
        field.description,
        None if field.element is None else said(field.element)[2:],
        None if field.nested is None else [said(one) for one in field.nested.fields],
    )


LEAVES: list[Any] = [
    bool, int, float, str, bytes, dt.date, dt.time, dt.datetime, AwareDatetime, dt.timedelta, UUID, dict[str, Any], Any,
    Annotated[int, dc.Int8], Annotated[int, dc.UInt64], Annotated[int, dc.Int128], Annotated[float, dc.Float32],
    Annotated[int, Field(ge=1, lt=9)], Annotated[int, Field(multiple_of=3, gt=-2)], Annotated[float, Field(le=1.5)],
    Annotated[float, Field(allow_inf_nan=False)], Annotated[str, Field(min_length=1, max_length=5, pattern="^a")],
    Annotated[bytes, Field(max_length=5)], Annotated[Decimal, Field(max_digits=9, decimal_places=3)],
    Annotated[Decimal, Field(max_digits=9, decimal_places=3, gt=Decimal("0.5"), multiple_of=Decimal("0.25"))],
    Annotated[dt.date, Field(gt=dt.date(2020, 1, 1))], Annotated[dt.timedelta, Field(ge=dt.timedelta(hours=1))],
    Annotated[AwareDatetime, Field(le=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))], Literal["a", "b"], Literal[1, 2],
    Annotated[Literal[1, 2], dc.UInt8], Line, list[Line],
]  # fmt: skip


def annotations() -> st.SearchStrategy[Any]:
    """Leaves, lists of them, and any of these as nullable."""
    inner = st.recursive(
        st.sampled_from(LEAVES),
        lambda of: st.tuples(of, st.booleans()).map(lambda pair: list[pair[0] | None if pair[1] else pair[0]]),  # type: ignore[misc]
        max_leaves=3,
    )
    return inner | inner.map(lambda of: of | None)


def fields() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "unique": st.booleans(),
            "sensitive": st.booleans(),
            "description": st.none()
            | st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4),
        }
    )


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=4)


@st.composite
def schemas(draw: st.DrawFn) -> type[dc.Schema]:
    named = draw(
        st.dictionaries(
            NAMES.filter(lambda name: not re.match(r"dy_|\*$|\^.*\$$", name)), annotations(), min_size=1, max_size=4
        )
    )
    values = {name: dc.field(**draw(fields())) for name in named}
    return type("Table", (dc.Schema,), {"__annotations__": named, "__module__": __name__, **values})


class Point(dc.Schema):
    x: int = dc.field(alias="X")
    path: list[Decimal] = Field([])


class Spot(BaseModel):
    x: int = Field(alias="X")
    seen: dt.date | None = None


@dataclass
class Pixel:
    x: int
    tags: list[str] = dataclass_field(default_factory=list)


SPANS = st.timedeltas(dt.timedelta(days=-(10**8)), dt.timedelta(days=10**8))  # what microseconds of 64 bits reach

DEFAULTS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (bool, st.booleans()),
    (int, st.integers(-(2**63), 2**63 - 1)),
    (Annotated[int, dc.Int128], st.integers(-(2**127), 2**127 - 1)),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (str, st.text(st.characters(codec="utf-8"))),
    (bytes, st.binary()),
    (Annotated[bytes, Field(max_length=3)], st.binary(max_size=3)),
    (Decimal, st.decimals(-(10**9), 10**9, places=9)),
    (dt.date, st.dates()),
    (dt.time, st.times()),
    (dt.datetime, st.datetimes()),
    (AwareDatetime, st.datetimes(timezones=st.just(dt.UTC))),
    (dt.timedelta, SPANS),
    (UUID, st.uuids()),
    (Literal["a", "b"], st.sampled_from(["a", "b"])),
    (dict[str, Any], st.dictionaries(st.text(st.characters(codec="utf-8")), st.integers() | st.none() | st.lists(st.text(st.characters(codec="utf-8"))))),
    (Any, st.integers() | st.text(st.characters(codec="utf-8")) | st.lists(st.booleans())),
    (list[int], st.lists(st.integers(-(2**63), 2**63 - 1))),
    (list[dt.timedelta | None], st.lists(SPANS | st.none())),
    (list[list[UUID]], st.lists(st.lists(st.uuids(), max_size=2), max_size=2)),
    (Point, st.builds(lambda x: {"X": x}, st.integers(-9, 9))),
    (list[Point], st.lists(st.builds(lambda x: {"X": x, "path": ["1.5"]}, st.integers(-9, 9)), max_size=2)),
    (Spot, st.builds(lambda x, seen: Spot(X=x, seen=seen), st.integers(-9, 9), st.none() | st.dates())),
    (Pixel, st.builds(Pixel, st.integers(-9, 9), st.lists(st.sampled_from("ab")))),
]  # fmt: skip


@st.composite
def defaults(draw: st.DrawFn) -> tuple[Any, Any]:
    """The annotation of a field and its default: a value, `None` or what a list's or dict's own class makes."""
    annotation, values = draw(st.sampled_from(DEFAULTS))
    given = draw(fields())
    nullable = draw(st.booleans())
    made = {list: list, dict: dict}.get(get_origin(annotation))
    if made and draw(st.booleans()):
        return annotation | None if nullable else annotation, dc.field(default_factory=made, **given)
    default = draw(values | st.none() if nullable else values)
    return annotation | None if nullable and annotation is not Any else annotation, dc.field(default, **given)


@given(st.lists(defaults(), min_size=1, max_size=5))
@settings(max_examples=100)
def test_a_default_comes_back_from_a_json_schema_and_null_stays_what_it_was(declared: list[tuple[Any, Any]]):
    named = {f"f{at}": one for at, (one, _) in enumerate(declared)}
    values = {f"f{at}": one for at, (_, one) in enumerate(declared)}
    schema = type("Table", (dc.Schema,), {"__annotations__": named, "__module__": __name__, **values})
    assert schema.losses("json_schema") == ()
    back = dc.Schema.from_json_schema(json.loads(json.dumps(schema.json_schema(), allow_nan=False)))
    assert back.losses() == ()
    assert back.field_specs() == schema.field_specs()
    [found], [wanted] = back.reconcile([{}]), schema.reconcile([{}])
    assert (found, [*map(type, found.values())]) == (wanted, [*map(type, wanted.values())])
    assert [(one.nullable, one.required) for one in row_schema(back).fields] == [
        (one.nullable, False) for one in row_schema(schema).fields
    ]


class Unheld(dc.Schema):
    made: UUID = dc.field(default_factory=uuid4)
    never: float = float("inf")
    raws: list[bytes] = Field([b"a"])
    odd: Any = dt.date(2024, 1, 1)
    short: list[int] = dc.field(default_factory=list, min_length=1)
    fine: list[int] = Field([])


def test_a_default_that_json_cannot_hold_is_listed_and_its_field_stays_what_it_was():
    assert Unheld.losses("json_schema") == (
        "made: the default, which is made anew for each row",
        "never: the default, which JSON cannot hold",
        "raws: the default, which JSON cannot hold",
        "odd: the default, which JSON cannot hold",
        "short: the default, which is made anew for each row",
    )
    assert Unheld.json_schema()["required"] == ["made", "never", "raws", "odd", "short"]
    back = dc.Schema.from_json_schema(json.loads(json.dumps(Unheld.json_schema(), allow_nan=False)))
    assert back.losses() == ()
    assert back.field_specs() == Unheld.field_specs()
    assert [one.name for one in row_schema(back).fields if one.required] == ["made", "never", "raws", "short"]


def test_a_property_of_elsewhere_that_may_be_missing_becomes_nullable_and_that_is_listed():
    class Page(BaseModel):
        tags: list[str] = Field(default_factory=list)
        size: int = 3
        note: str | None = None

    class Book(BaseModel):
        pages: list[Page]

    schema = dc.Schema.from_json_schema(Book.model_json_schema())
    assert schema.losses() == ("pages.item.tags: that null is no value of it, which a missing key reads as",)
    assert schema.reconcile([{"pages": [{}]}]) == [{"pages": [{"tags": None, "size": 3, "note": None}]}]


def test_a_year_is_no_word_for_days_in_a_json_schema():
    class Stay(dc.Schema):
        long: dt.timedelta = Field(dt.timedelta(days=400), ge=dt.timedelta(days=-365, microseconds=-1))

    assert Stay.json_schema()["properties"]["long"] == {
        "type": "string", "format": "duration", "default": "P400DT0.000000S", "formatMinimum": "-P365DT0.000001S",
    }  # fmt: skip


def test_a_default_that_is_no_base64_is_refused():
    given = {"type": "string", "contentEncoding": "base64", "default": "a!"}
    with pytest.raises(dc.errors.SchemaDefinitionError, match="the default 'a!' is no value of it"):
        dc.Schema.from_json_schema({"title": "T", "properties": {"a": given}})


@given(schemas())
@settings(max_examples=60)
def test_json_schema_and_back_keeps_everything_it_does_not_list(schema: type[dc.Schema]):
    assert schema.losses("json_schema") == ()
    text = json.dumps(schema.json_schema())
    back = dc.Schema.from_json_schema(json.loads(text))
    assert back.losses() == ()
    assert [said(field) for field in row_schema(back).fields] == [said(field) for field in row_schema(schema).fields]
    assert back.field_specs() == schema.field_specs()


@given(schemas())
@settings(max_examples=60)
def test_dataframely_and_back_keeps_everything_it_does_not_list(schema: type[dc.Schema]):
    assert schema.losses("dataframely") == ()
    frame = schema.to_dataframely()
    back = dc.Schema.from_dataframely(frame)
    assert back.to_dataframely() is frame
    assert back.field_specs() == schema.field_specs()
    assert [said(field)[:6] for field in row_schema(back).fields] == [
        said(field)[:6] for field in row_schema(schema).fields
    ]


@given(schemas())
@settings(max_examples=40)
def test_every_schema_has_an_empty_frame_and_a_table_in_duckdb(schema: type[dc.Schema]):
    frame = pl.DataFrame(schema=schema.polars_schema())
    assert dc.validate(schema, frame).invalid_count == 0
    columns = {name.lower(): name for name in schema.polars_schema()}  # DuckDB tells names apart only beyond case
    wanted = [column for column in schema.sql_columns("duckdb") if columns[column.name.lower()] == column.name]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(map(str, wanted))})")
        found = connection.execute("DESCRIBE t").fetchall()
    assert [row[0] for row in found] == [column.name for column in wanted]
    assert [row[2] == "YES" for row in found] == [column.nullable for column in wanted]


def test_the_json_schema_of_an_order():
    assert Order.json_schema() == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Order",
        "description": "One order.",
        "type": "object",
        "properties": {
            "id": {"type": "string", "format": "uuid", "description": "Its id", "primary_key": True, "alias": "ID"},
            "day": {"type": "string", "format": "date", "formatMinimum": "2020-01-01"},
            "at": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}], "default": None},
            "local": {"type": "string", "format": "date-time-local"},
            "amount": {
                "type": "string", "format": "decimal", "maxDigits": 10, "decimalPlaces": 2, "formatMinimum": 0,
            },
            "share": {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "null"}], "default": 0.5},
            "state": {"type": "string", "enum": ["open", "paid"], "default": "open"},
            "lines": {
                "type": "array",
                "items": {
                    "title": "Line",
                    "type": "object",
                    "properties": {
                        "product": {"type": "string", "minLength": 2},
                        "count": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
                    },
                    "required": ["product"],
                },
            },
            "extra": {"anyOf": [{"type": "object"}, {"type": "null"}], "default": None},
            "anything": {"default": None},
            "count": {"type": "integer", "format": "int32", "multipleOf": 2},
        },
        "required": ["id", "day", "local", "amount", "lines", "count"],
    }  # fmt: skip


def test_rows_that_keep_the_json_schema_are_told_from_those_that_do_not():
    jsonschema = pytest.importorskip("jsonschema")
    row = {"id": "6f9619ff-8b86-d011-b42d-00c04fc964ff", "day": "2024-01-01", "local": "2024-01-01T00:00:00", "amount": "1.00",
           "lines": [{"product": "ab"}], "count": 2}  # fmt: skip
    validator = jsonschema.Draft202012Validator(Order.json_schema())
    jsonschema.Draft202012Validator.check_schema(Order.json_schema())
    assert validator.is_valid(row)
    assert not validator.is_valid({**row, "count": 3})
    assert not validator.is_valid({**row, "state": "lost"})
    assert not validator.is_valid({**row, "lines": [{"product": "a"}]})


class Color(Enum):
    RED = "red"


class Part(BaseModel):
    color: Color = Field(Color.RED, alias="Color")
    tags: list[str] = []


class Whole(dc.Schema):
    colors: list[Color | None]
    parts: list[Part]
    raw: bytes = b"\xff"


def test_names_of_an_enum_and_what_records_declare_are_listed():
    assert Whole.losses("dataframely") == (
        "colors: the names of Color",
        "parts: color: the incoming key 'Color'",
        "parts: color: the default",
        "parts: color: the names of Color",
        "parts: tags: the default",
        "raw: the default",
    )
    assert Whole.losses("json_schema") == (
        "colors: the names of Color",
        "parts: color: the names of Color",
    )


def test_an_order_comes_back_from_its_json_schema():
    back = dc.Schema.from_json_schema(json.loads(json.dumps(Order.json_schema())))
    assert Order.losses("json_schema") == ("the rule 'early'",)
    assert [said(field) for field in row_schema(back).fields] == [said(field) for field in row_schema(Order).fields]
    assert back.__doc__ == "One order."


def test_what_dataframely_cannot_hold_is_listed():
    class Table(dc.Schema):
        id: int = dc.field(alias="ID")
        born: dt.date = dc.field(epoch="s", lax=True)
        note: str = "none"
        count: Annotated[int | None, BeforeValidator(str.strip)]
        extra: dict[str, int] = Field(min_length=1)

    assert Table.losses("dataframely") == (
        "id: the incoming key 'ID'",
        "born: epoch='s'",
        "born: lax",
        "note: the default",
        "count: asked of rows only: BeforeValidator(strip)",
        "extra: asked of rows only: min_length=1",
    )


def test_the_validators_of_a_nested_model_are_asked_of_rows_only():
    class Checked(BaseModel):
        x: int

        @field_validator("x")
        @classmethod
        def odd(cls, value: int) -> int:
            return value

    class Table(dc.Schema):
        one: Checked
        many: list[Checked]

    assert Table.losses("dataframely") == (
        "one: asked of rows only: the validators of Checked",
        "many: asked of rows only: the validators of Checked",
    )


def test_what_the_other_forms_cannot_hold_is_listed():
    class Table(dc.Schema):
        id: UUID = dc.field(primary_key=True)
        size: Annotated[int, dc.UInt8] = 5
        lines: list[Line]
        kind: Annotated[str, pl.Categorical()]

        @dc.rule
        def positive(cls) -> pl.Expr:
            return pl.col("size") > 0

    assert Table.losses("json_schema") == ("kind: the dtype Categorical", "the rule 'positive'")
    assert Table.losses("polars") == (
        "id: primary_key, not null",
        "id: Uuid is text",
        "size: the default",
        "size: not null",
        "lines: not null",
        "kind: not null",
        "the rule 'positive'",
    )
    assert Table.losses("postgres") == (
        "id: primary_key",
        "size: the default",
        "size: UInt8 is stored wider, the range unchecked",
        "lines: Array<Struct<product: String, count: Int64>> is stored as JSON, its types unchecked",
        "the rule 'positive'",
    )
    assert Table.losses("duckdb") == ("id: primary_key", "size: the default", "the rule 'positive'")
    with pytest.raises(dc.errors.InvalidSettingError, match="Did you mean 'postgres'"):
        Table.losses("postgre")


class Sales(dy.Schema):
    """What was sold."""

    id = dy.Int64(primary_key=True)
    region = dy.Enum(["n", "s"], nullable=True)
    code = dy.String(min_length=2, regex="^a", metadata={"pii": True, "team": "x"}, description="The code")
    price = dy.Float64(min=0.0)
    loose = dy.Float64(allow_inf=True)
    kind = dy.Categorical()
    at = dy.Datetime(time_zone="Europe/Berlin", time_unit="ms")
    pair = dy.Array(dy.Int32(), 2)
    items = dy.List(dy.Struct({"n": dy.UInt8(max=9), "note": dy.String(nullable=True)}))
    whole = dy.Integer(is_in=[1, 2])
    anything = dy.Any()
    odd = dy.Int8(check=lambda column: column % 2 == 1)
    total = dy.Decimal(10, 2, min=0, alias="the total")

    @dy.rule()
    def cheap(cls) -> pl.Expr:
        return cls.price.col < 5


def test_a_dataframely_schema_reads_rows_and_stays_the_contract_of_the_frame():
    schema = dc.Schema.from_dataframely(Sales)
    assert schema.to_dataframely() is Sales
    assert dc.Schema.from_dataframely(Sales) is schema
    assert schema.field_specs() == [spec for spec in schema.field_specs() if spec.name in Sales.column_names()]
    fields = row_schema(schema).by_name
    assert {name: (str(field.type), field.dtype, field.nullable) for name, field in fields.items()} == {
        "id": ("Int64", pl.Int64(), False),
        "region": ("String", pl.Enum(["n", "s"]), True),
        "code": ("String", pl.String(), False),
        "price": ("Float64", pl.Float64(), False),
        "loose": ("Float64", pl.Float64(), False),
        "kind": ("String", pl.Categorical(), False),
        "at": ("Timestamp", pl.Datetime("ms", "Europe/Berlin"), False),
        "pair": ("Array<Int32>", pl.Array(pl.Int32(), 2), False),
        "items": ("Array<Struct<n: UInt8, note: String>>", pl.List(pl.Struct({"n": pl.UInt8(), "note": pl.String()})), False),
        "whole": ("Int64", pl.Int64(), False),
        "anything": ("Variant", pl.String(), True),
        "odd": ("Int8", pl.Int8(), False),
        "the total": ("Decimal(10,2)", pl.Decimal(10, 2), False),
    }  # fmt: skip
    given_ = {
        name: field.constraints.given for name, field in fields.items() if field.constraints and field.constraints.given
    }
    assert given_ == {
        "region": {"is_in": ("n", "s")},
        "code": {"pattern": "^a"},
        "price": {"ge": 0.0, "allow_inf_nan": False},
        "pair": {"min_length": 2, "max_length": 2},
        "whole": {"is_in": (1, 2)},
        "the total": {"max_digits": 10, "decimal_places": 2, "ge": 0},
    }
    assert (fields["id"].primary_key, fields["code"].sensitive, fields["code"].description) == (True, True, "The code")
    assert fields["code"].tags == (("team", "x"),)
    assert schema.losses() == (
        "code: min_length=2, which counts bytes, is asked of the frame only",
        "loose: NaN is refused of the frame only",
        "odd: the check '<lambda>' is asked of the frame only",
    )


def test_the_fields_of_a_dataframely_schema_say_their_types():
    fields = {field.name: field for field in read_contract(Sales).fields}
    assert {name: (str(field.type), field.repeated) for name, field in fields.items()} == {
        "id": ("Int64", False),
        "region": ("String", False),
        "code": ("String", False),
        "price": ("Float64", False),
        "loose": ("Float64", False),
        "kind": ("String", False),
        "at": ("Timestamp", False),
        "pair": ("Int32", True),
        "items": ("Struct<n: UInt8, note: String>", True),
        "whole": ("Int64", False),
        "anything": ("Variant", False),
        "odd": ("Int8", False),
        "the total": ("Decimal(10,2)", False),
    }
    assert [str(field) for field in fields["items"].fields] == ["n: UInt8 · <= 9", "note: String · nullable"]
    assert len({*fields.values(), *read_contract(Sales).fields}) == len(fields)


def test_a_class_made_from_dataframely_can_be_added_to():
    class More(dc.Schema.from_dataframely(Sales)):  # type: ignore[misc]
        extra: str = Field(min_length=1)

        @dc.rule
        def dear(cls) -> pl.Expr:
            return pl.col("price") > 1

    frame = More.to_dataframely()
    assert frame.column_names() == [*Sales.column_names(), "extra"]
    rules = {
        rule.partition("|")[0]
        for rule in dc.validate(More, pl.DataFrame(schema=More.polars_schema() | {"anything": pl.Int8})).rule_counts
    }
    assert {"cheap", "dear", "extra", "primary_key"} <= rules


def test_a_column_of_dataframely_is_changed_there():
    with pytest.raises(dc.errors.SchemaDefinitionError, match=r"More\.price is a Dataframely schema's column"):

        class More(dc.Schema.from_dataframely(Sales)):  # type: ignore[misc]
            price: int


def test_objects_cannot_come_from_rows():
    class Objects(dy.Schema):
        x = dy.Object()

    with pytest.raises(dc.errors.SchemaDefinitionError, match="rows cannot fill a column of Python objects"):
        dc.Schema.from_dataframely(Objects)
    with pytest.raises(dc.errors.SchemaDefinitionError, match=r"A dy.Schema class is read; got <class 'int'>"):
        dc.Schema.from_dataframely(int)  # type: ignore[arg-type]


def test_a_json_schema_from_elsewhere_is_read_and_what_is_left_out_is_listed():
    schema = dc.Schema.from_json_schema(
        {
            "title": "Event",
            "type": "object",
            "$defs": {
                "user": {"type": "object", "title": "User", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
                "email": {"type": "string", "format": "email"},
            },
            "properties": {
                "user": {"$ref": "#/$defs/user", "description": "Who"},
                "mail": {"$ref": "#/$defs/email"},
                "when": {"type": ["string", "null"], "format": "date-time"},
                "ratio": {"type": ["integer", "number"]},
                "mixed": {"type": ["integer", "string"]},
                "either": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
                "state": {"enum": ["a", "b", None]},
                "fixed": {"const": 3},
                "strange": {"enum": ["a", 1]},
                "lookahead": {"type": "string", "pattern": "(?=a)"},
                "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 1},
                "map": {"type": "object", "additionalProperties": {"type": "integer"}},
                "wrapped": {"allOf": [{"$ref": "#/$defs/user"}], "default": None, "type": ["object", "null"]},
                "free": True,
                "order id": {"type": "integer", "default": 7},
            },
            "required": ["user", "ratio", "tags", "state", "fixed"],
        }
    )  # fmt: skip
    assert schema.__name__ == "Event"
    fields = row_schema(schema).by_name
    assert {name: f"{field.type}{'?' * field.nullable}" for name, field in fields.items()} == {
        "user": "Struct<id: Int64>",
        "mail": "String?",
        "when": "Timestamp?",
        "ratio": "Float64",
        "mixed": "Variant?",
        "either": "Variant?",
        "state": "String?",
        "fixed": "Int64",
        "strange": "Variant?",
        "lookahead": "String?",
        "tags": "Array<String>",
        "map": "Json?",
        "wrapped": "Struct<id: Int64>?",
        "free": "Variant?",
        "order id": "Int64",
    }
    assert (fields["user"].description, fields["order id"].default) == ("Who", 7)
    assert schema.losses() == (
        "mail: the format 'email'",
        "mail: that null is no value of it, which a missing key reads as",
        "mixed: which of several types a value has",
        "either: which of several types a value has",
        "strange: the values of its enum, which are not of one type",
        "lookahead: the pattern '(?=a)'",
        "lookahead: that null is no value of it, which a missing key reads as",
        "tags: `uniqueItems`",
        "map: what the values of an object of any keys are",
        "map: that null is no value of it, which a missing key reads as",
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (5, "A JSON Schema is a dict; got int."),
        ({}, "Row: the JSON Schema is of no object with `properties`."),
        ({"title": "T", "type": "array"}, "T: the JSON Schema is of no object with `properties`."),
        ({"properties": {"a": {"type": "int"}}}, "Row_a: 'int' is no type of JSON."),
        ({"properties": {"a": {"$ref": "other.json"}}}, "refers outside of the schema"),
        ({"properties": {"a": {"$ref": "#/$defs/a"}}}, "'#/$defs/a' refers to nothing"),
        ({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}, "refers to itself"),
        (
            {
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"type": "object", "properties": {"b": {"type": "array", "items": {"$ref": "#/$defs/a"}}}}},
            },
            "refers to itself",
        ),
        ({"properties": {"dy_a": {"type": "string"}}}, "reserved"),
        ({"properties": {"a": {"type": "integer", "default": "x"}}}, "Row.a: the default 'x' is no value of the field"),
        ({"properties": {"a": {"type": "integer", "minimum": 5, "maximum": 3}}}, "no value keeps ge=5 and le=3."),
        ({"properties": {"a": {"type": "string", "format": "date", "formatMinimum": "soon"}}}, "Row_a: a bound is no Date."),
        ({"properties": {"a": {"type": "integer", "minimum": "x"}}}, "Row.a: pydantic cannot read"),
    ],
)  # fmt: skip
def test_a_json_schema_that_is_no_tables_is_refused(source: Any, message: str):
    with pytest.raises(dc.errors.SchemaDefinitionError, match=re.escape(message)):
        dc.Schema.from_json_schema(source)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3)
    | st.sampled_from(["string", "integer", "array", "object", "#/$defs/a", "date", "null"]),
    lambda of: st.lists(of, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "properties", "items", "anyOf", "allOf", "$ref", "$defs", "a", "enum", "const", "default", "format",
                         "minimum", "multipleOf", "minLength", "pattern", "required", "title", "description", "alias", "primary_key",
                         "maxDigits", "additionalProperties", "epoch"]), of, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(
    JSON
    | st.fixed_dictionaries(
        {
            "properties": st.dictionaries(st.text(max_size=2), JSON, max_size=3),
            "$defs": st.fixed_dictionaries({"a": JSON}),
        }
    )
)
@settings(max_examples=300)
def test_no_json_makes_anything_but_a_schema_or_our_own_error(source: Any):
    try:
        schema = dc.Schema.from_json_schema(source)
    except dc.errors.SchemaDefinitionError:
        return
    schema.json_schema()
    assert schema.polars_schema() is not None


@pytest.mark.parametrize(
    ("annotation", "spellings"),
    [
        (int, ("BIGINT", "BIGINT", "NUMBER(19,0)", "INT64", "BIGINT")),
        (Annotated[int, dc.Int8], ("TINYINT", "SMALLINT", "NUMBER(3,0)", "INT64", "TINYINT")),
        (Annotated[int, dc.UInt64], ("UBIGINT", "NUMERIC(20,0)", "NUMBER(20,0)", "NUMERIC(20,0)", "DECIMAL(20,0)")),
        (float, ("DOUBLE", "DOUBLE PRECISION", "FLOAT", "FLOAT64", "DOUBLE")),
        (str, ("VARCHAR", "TEXT", "VARCHAR", "STRING", "STRING")),
        (Decimal, ("DECIMAL(38,9)", "NUMERIC(38,9)", "NUMBER(38,9)", "NUMERIC(38,9)", "DECIMAL(38,9)")),
        (
            Annotated[Decimal, Field(max_digits=38, decimal_places=2)],
            ("DECIMAL(38,2)", "NUMERIC(38,2)", "NUMBER(38,2)", "BIGNUMERIC(38,2)", "DECIMAL(38,2)"),
        ),
        (dt.datetime, ("TIMESTAMP", "TIMESTAMP", "TIMESTAMP_NTZ", "DATETIME", "TIMESTAMP_NTZ")),
        (AwareDatetime, ("TIMESTAMPTZ", "TIMESTAMPTZ", "TIMESTAMP_TZ", "TIMESTAMP", "TIMESTAMP")),
        (dt.timedelta, ("INTERVAL", "INTERVAL", "VARCHAR", "INTERVAL", "INTERVAL DAY TO SECOND")),
        (UUID, ("UUID", "UUID", "VARCHAR", "STRING", "STRING")),
        (dict, ("JSON", "JSONB", "VARIANT", "JSON", "VARIANT")),
        (list[str], ("VARCHAR[]", "TEXT[]", "ARRAY", "ARRAY<STRING>", "ARRAY<STRING>")),
        (list[list[int]], ("BIGINT[][]", "JSONB", "ARRAY", "JSON", "ARRAY<ARRAY<BIGINT>>")),
        (
            Line,
            (
                'STRUCT("product" VARCHAR, "count" BIGINT)',
                "JSONB",
                "OBJECT",
                "STRUCT<`product` STRING, `count` INT64>",
                "STRUCT<`product`: STRING, `count`: BIGINT>",
            ),
        ),
    ],
)
def test_each_dialect_spells_each_type(annotation: Any, spellings: tuple[str, ...]):
    class Table(dc.Schema):
        x: annotation  # type: ignore[valid-type]

    assert tuple(Table.sql_columns(dialect)[0].type for dialect in DIALECTS) == spellings


def test_names_are_quoted_as_each_dialect_quotes():
    table = type("Table", (dc.Schema,), {"__annotations__": {'a"b`c\\': int | None, "list": list[int]}})
    assert [[str(column) for column in table.sql_columns(dialect)] for dialect in DIALECTS] == [
        ['"a""b`c\\" BIGINT', '"list" BIGINT[] NOT NULL'],
        ['"a""b`c\\" BIGINT', '"list" BIGINT[] NOT NULL'],
        ['"a""b`c\\" NUMBER(19,0)', '"list" ARRAY NOT NULL'],
        ['`a"b\\`c\\\\` INT64', "`list` ARRAY<INT64>"],
        ['`a"b``c\\` BIGINT', "`list` ARRAY<BIGINT> NOT NULL"],
    ]
    with pytest.raises(dc.errors.InvalidSettingError, match=r"No SQL dialect 'duck' is known. Did you mean 'duckdb'"):
        table.sql_columns("duck")  # type: ignore[arg-type]
