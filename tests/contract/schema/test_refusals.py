"""What a typed class may not declare: each refused where it stands, in words that say what to do."""

import collections.abc
import dataclasses
import datetime as dt
import re
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Callable, Dict, Generic, List, Literal, NamedTuple, TypedDict, TypeVar  # noqa: UP035

import annotated_types
import dataframely as dy
import polars as pl
import pydantic
import pytest
from pydantic import AliasPath, BaseModel, Field, RootModel

import dagster_contracts as dc
from dagster_contracts.errors import SchemaDefinitionError

T = TypeVar("T")


class Mixed(Enum):
    ONE = 1
    TWO = "two"


class Nothing(BaseModel):
    pass


class Root(RootModel[list[int]]):
    pass


class Tree(BaseModel):
    children: list["Tree"]


class Typed(TypedDict):
    a: int


class Named(NamedTuple):
    a: int


class Incomplete(BaseModel):
    a: "Nowhere"  # type: ignore[name-defined]  # noqa: F821


class Bad(BaseModel):
    inner: set[int]


def declare(annotation: Any, value: Any = ..., name: str = "x") -> type[dc.Schema]:
    members = {"__annotations__": {name: annotation}, "__module__": __name__}
    return type("Table", (dc.Schema,), members if value is ... else {**members, name: value})


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (list, "Table.x: `list` is no type of a column. A list must say what it holds: `list[str]`."),
        (List, "A list must say what it holds"),  # noqa: UP006
        (tuple[int, ...], "Several values in one column are a `list[…]`."),
        (set[str], "Several values in one column are a `list[…]`."),
        (collections.abc.Sequence[int], "Several values in one column are a `list[…]`."),
        (int | str, "Table.x: a column holds one type, and `int` | `str` are 2. Use `Any` for mixed values"),
        (int | float | None, "and `int` | `float` are 2"),
        (None, "A column of nothing but None: use `Any`."),
        (complex, "use two floats"),
        (Callable[[], int], "`Callable[[], int]` is no type of a column"),
        (T, "A column's type must be known."),
        (list[T], "A column's type must be known."),  # type: ignore[valid-type]
        (pl.Int32, "`Annotated[int, dc.Int32]`"),
        (dc.Int32, "`Annotated[int, dc.Int32]`"),
        (Typed, "A record is a pydantic model, a dataclass or a `dc.Schema`."),
        (Named, "A record is a pydantic model, a dataclass or a `dc.Schema`."),
        (Root, "Table.x: Root is a RootModel, which has no columns."),
        (Nothing, "Table.x: Nothing declares no field"),
        (Tree, "Table.x: Tree.children: Tree holds itself (Tree → Tree)"),
        (Bad, "Table.x: Bad.inner: `set[int]` is no type of a column."),
        (list[Bad], "Table.x: Bad.inner: `set[int]` is no type of a column."),
        (Mixed, "`Mixed` must list values that are all text"),
        (Literal["a", 1], "must list values that are all text"),
        (Literal[None], "must list values that are all text"),  # noqa: PYI061
        (Literal[b"a"], "must list values that are all text"),
        (dict[int, str], "`dict[int, str]` becomes JSON, whose keys are `str`."),
        (5, "`5` is no type of a column"),
        (pydantic.SecretStr, "dc.field(sensitive=True)"),
        (pydantic.EmailStr, "Use `str` with a pattern."),
        (pydantic.Json[int], "`Annotated[dict, BeforeValidator(json.loads)]`"),
        (pydantic.PastDatetime, "`NaiveDatetime` or `AwareDatetime`"),
        (Annotated[Decimal, Field(max_digits=5)], "Say decimal_places as well."),
        (Annotated[Decimal, Field(max_digits=50, decimal_places=2)], "at most 38 digits"),
        (Annotated[Decimal, Field(max_digits=2, decimal_places=3)], "more digits after the point than digits"),
        (Annotated[int, dc.Float32], "the dtype Float32 is of another kind than the Python type, which is Int64."),
        (Annotated[dt.datetime, pl.Datetime("us", "UTC")], "of another kind than the Python type, which is TimestampNtz"),
        (Annotated[list[int], pl.List(pl.Int32)], "of another kind"),
        (Annotated[int, dc.Int32, dc.Int8], "two dtypes stand beside the type: Int32 and Int8"),
        (Annotated[bool, Field(ge=1)], "ge=1 cannot be asked of a column of Boolean"),
        (Annotated[int, Field(pattern="a")], "pattern='a' cannot be asked of a column of Int64"),
        (Annotated[dict, Field(ge=1)], "ge=1 cannot be asked of a column of Json"),
        (Annotated[str, Field(pattern="(?=a)")], "the pattern '(?=a)' cannot be a rule: regex error"),
        (list[Annotated[str, Field(pattern="(")]], "the pattern '(' cannot be a rule"),
        (Annotated[str, Field(pattern=re.compile("a"))], "Give it as text: 'a'."),
        (Annotated[int, Field(ge=5, le=3)], "no value keeps ge=5 and le=3."),
        (Annotated[int, Field(gt=1, lt=2)], "no value keeps gt=1 and lt=2."),
        (Annotated[int, Field(ge=1, gt=1, le=1)], "no value keeps gt=1 and le=1."),
        (Annotated[float, Field(ge=0.5, lt=0.5)], "no value keeps ge=0.5 and lt=0.5."),
        (Annotated[str, Field(ge="b", le="a")], "no value keeps ge='b' and le='a'."),
        (Annotated[Decimal, Field(gt=Decimal(2), lt=Decimal(1))], "no value keeps gt=Decimal('2') and lt=Decimal('1')."),
        (list[Annotated[dt.date, Field(gt=dt.date(2020, 1, 1), lt=dt.date(2020, 1, 2))]], "no value keeps gt=datetime"),
        (Annotated[float, Field(ge=1, lt=0.5)], "no value keeps ge=1 and lt=0.5."),
        (Annotated[int, Field(ge="a", le=3)], "pydantic cannot read"),
        (Annotated[str, Field(min_length=5, max_length=3)], "at least 5 and at most 3"),
        (Annotated[int, annotated_types.MultipleOf(2), annotated_types.MultipleOf(3)], "multiple_of is given twice"),
        (Annotated[dt.datetime, Field(ge=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))], "is no bound of TimestampNtz"),
        (Annotated[float, Field(ge=float("nan"))], "ge=nan is no bound of Float64"),
        (Annotated[float, Field(lt=float("inf"))], "lt=inf is no bound of Float64"),
        (Annotated[int, dc.UInt8, Field(ge=500)], "no UInt8 is within the bounds"),
        (Annotated[int, Field(multiple_of=0)], "multiple_of=0 is no number above 0"),
        (Annotated[int, Field(ge="a")], "pydantic cannot read"),
        ("int |", "'int |' is no type"),
        ("1 / 0", "'1 / 0' is no type"),
    ],
)  # fmt: skip
def test_what_no_column_holds_is_refused_at_the_class(annotation: Any, message: str):
    with pytest.raises(SchemaDefinitionError) as caught:
        declare(annotation)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("Nowhere", "Table.x: the annotation 'Nowhere' names 'Nowhere', which is not defined."),
        (list["Nowhere"], "names 'Nowhere', which is not defined."),  # type: ignore[name-defined]  # noqa: F821
        (Incomplete, "The model Incomplete is not complete: name 'Nowhere' is not defined"),
    ],
)
def test_a_name_that_is_never_defined_is_refused_at_first_use(annotation: Any, message: str):
    table = declare(annotation)
    for use in (table.field_specs, table.json_schema, table.to_dataframely, lambda: dc.validate(table, pl.DataFrame())):
        with pytest.raises(SchemaDefinitionError) as caught:
            use()
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("annotation", "value", "message"),
    [
        (int, "five", "Table.x: the default 'five' is no value of the field"),
        (int, None, "the default is None, and the type does not take it. Add `| None`."),
        (int, Field(5, ge=6), "the default 5 is no value of the field"),
        (int | None, dc.field(primary_key=True), "a primary key is never null"),
        (int, dc.field(epoch="s"), "epoch= is for dates and datetimes, and this is Int64."),
        (dt.date, Field(json_schema_extra={"epoch": "m"}), "epoch is one of 's', 'ms', 'us'; got 'm'."),
        (int, Field(json_schema_extra={"primary_key": "yes"}), "primary_key is True or False; got 'yes'."),
        (int, Field(json_schema_extra={"primay_key": True}), "'primay_key' is not known. Did you mean 'primary_key'?"),
        (int, Field(validation_alias=AliasPath("a", 0)), "a column has one incoming key"),
        (list[int], Field(default_factory=lambda data: data), "a default_factory takes no argument here"),
        (int, dy.Int64(), "x is a Dataframely column. Annotate instead: `x: <type>`."),
    ],
)
def test_what_a_field_cannot_say_is_refused(annotation: Any, value: Any, message: str):
    with pytest.raises(SchemaDefinitionError) as caught:
        declare(annotation, value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dy_rule", "names that begin with 'dy_' are reserved"),
        ("dy_a", "Rename the column; rows may keep the key, as its `alias=`."),
        ("*", "Polars reads such a name as a pattern"),
        ("^a.*$", "Polars reads such a name as a pattern"),
        ("", "Table: a column has no name."),
        (5, "Table: 5 is no name of a column."),
        ("_Table__x", "Python turns a name with two underscores in front into '_Table__x'."),
        ("\ud800", "Table"),
        ("__doc__", "'__doc__' is Python's own name and cannot be a column's."),
    ],
)
def test_names_that_others_need_are_refused(name: str, message: str):
    with pytest.raises(SchemaDefinitionError, match=re.escape(message)):
        declare(int, name=name)


def test_two_fields_cannot_be_filled_from_one_key():
    with pytest.raises(SchemaDefinitionError, match=r"Table: 'a' and 'b' are both filled from the key 'a'"):

        class Table(dc.Schema):
            a: int
            b: int = dc.field(alias="a")


def test_two_fields_may_swap_their_keys():
    class Table(dc.Schema):
        a: int = dc.field(alias="b")
        b: int = dc.field(alias="a")

    assert Table.to_dataframely().column_names() == ["a", "b"]


def test_a_schema_cannot_hold_itself_directly_or_through_another():
    with pytest.raises(SchemaDefinitionError, match=r"Node holds itself \(Node → Node\)"):

        class Node(dc.Schema):
            children: "list[Node]"

    class A(BaseModel):
        b: "B"

    class B(BaseModel):
        a: A | None

    A.model_rebuild()
    with pytest.raises(SchemaDefinitionError, match=r"A holds itself \(A → B → A\)"):
        declare(A)


def test_one_record_may_stand_in_many_places():
    class Inner(BaseModel):
        x: int

    class Table(dc.Schema):
        a: Inner
        b: list[Inner]

    assert len(Table.field_specs()) == 2


def test_lists_end_somewhere():
    annotation: Any = int
    for _ in range(200):
        annotation = list[annotation]
    with pytest.raises(SchemaDefinitionError, match="nested more than 20 deep"):
        declare(annotation)


def test_members_that_are_no_fields_are_refused():
    with pytest.raises(SchemaDefinitionError, match=r"Table\.x has no annotation"):
        type("Table", (dc.Schema,), {"x": Field(ge=0)})
    with pytest.raises(SchemaDefinitionError, match="pydantic's decorators need a model"):

        class Validated(dc.Schema):
            x: int

            @pydantic.field_validator("x")
            def check(cls, value: int) -> int:
                return value

    with pytest.raises(SchemaDefinitionError, match="pydantic's decorators need a model"):

        class Whole(dc.Schema):
            x: int

            @pydantic.model_validator(mode="after")
            def check(self) -> Any:
                return self


def test_a_configuration_of_pydantic_is_refused_and_a_column_of_its_name_is_not():
    with pytest.raises(SchemaDefinitionError, match=r"a dc\.Schema has no pydantic configuration"):

        class Configured(dc.Schema):
            x: int
            model_config = pydantic.ConfigDict(extra="forbid")

    assert declare(str, "x", name="model_config").to_dataframely().column_names() == ["model_config"]


def test_rules_are_refused_where_no_table_holds_them():
    with pytest.raises(SchemaDefinitionError, match="the rule 'few' groups by 'nmae', which is no column"):

        class Grouped(dc.Schema):
            name: str

            @dc.rule(group_by=["nmae"])
            def few(cls) -> pl.Expr:
                return pl.len() < 3

    with pytest.raises(SchemaDefinitionError, match="the rule 'primary_key' is called like a column"):

        class Key(dc.Schema):
            name: str

            @dc.rule
            def primary_key(cls) -> pl.Expr:
                return pl.len() < 3

    with pytest.raises(SchemaDefinitionError, match="stands on a plain function"):

        class Static(dc.Schema):
            name: str

            @dc.rule
            @classmethod
            def few(cls) -> pl.Expr:
                return pl.len() < 3


def test_a_mixin_cannot_hide_an_operation():
    class Mixin:
        infer: str = "x"

    with pytest.raises(
        SchemaDefinitionError, match=r"the default of 'infer' in Mixin would hide the schema's own infer"
    ):

        class Other(Mixin, dc.Schema):
            pass

    class Behind(dc.Schema, Mixin):
        pass

    assert Behind.to_dataframely().column_names() == ["infer"]
    assert callable(Behind.infer)


def test_an_inherited_column_is_not_changed_by_a_bare_value():
    class Base(dc.Schema):
        note: str = "a"

    with pytest.raises(SchemaDefinitionError, match=r"More\.note is a column that it inherits"):

        class More(Base):
            note = "b"


def test_only_plain_classes_are_decorated():
    for decorated in (Tree, declare(int), 5):
        with pytest.raises(SchemaDefinitionError, match=r"@dc\.schema stands on a plain class"):
            dc.schema(decorated)  # type: ignore[arg-type]


def test_what_the_field_function_cannot_take_is_ours():
    with pytest.raises(
        SchemaDefinitionError, match=r"dc\.field does not know 'primry_key'. Did you mean 'primary_key'?"
    ):
        dc.field(primry_key=True)
    with pytest.raises(SchemaDefinitionError, match="tags is a mapping; got list"):
        dc.field(tags=["a"])  # type: ignore[call-overload]
    with pytest.raises(SchemaDefinitionError, match=r"dc.field: .*"):
        dc.field(default=1, default_factory=int)  # type: ignore[call-overload]


def test_a_schema_without_columns_is_a_base_and_no_contract():
    class Base(dc.Schema):
        pass

    with pytest.raises(dc.errors.NotAContractError, match="Base declares no column"):
        dc.validate(Base, pl.DataFrame())


def test_metadata_and_types_that_raise_make_our_own_errors():
    class Raising:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    class Building:
        def __get_pydantic_core_schema__(self, *_: Any) -> Any:
            raise ZeroDivisionError

    with pytest.raises(SchemaDefinitionError, match=r"Table.x cannot be read: RuntimeError"):
        declare(Annotated[int, Raising()])
    with pytest.raises(SchemaDefinitionError, match=r"Table.x: pydantic cannot read"):
        declare(Annotated[int, Building()])
    with pytest.raises(SchemaDefinitionError, match=r"the default 3 makes a validator fail: ZeroDivisionError"):
        declare(Annotated[int, pydantic.AfterValidator(lambda value: value / 0)], 3)


def test_a_generic_model_with_a_type_and_a_dict_without_are_fine():
    class Box(BaseModel, Generic[T]):
        content: T

    class Table(dc.Schema):
        box: Box[int]
        anything: Dict  # noqa: UP006

    assert [str(spec.type) for spec in Table.field_specs()] == ["Struct<content: Int64>", "Json"]


def test_a_record_may_be_a_dataclass_with_a_field_that_is_no_column():
    @dataclasses.dataclass
    class Part:
        x: set[int]

    with pytest.raises(SchemaDefinitionError, match=re.escape("Table.x: Part.x: `set[int]` is no type of a column")):
        declare(Part)
