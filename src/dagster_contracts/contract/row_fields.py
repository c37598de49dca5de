"""What a typed class says about rows: one `RowField` a column, read once from the class."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, Optional

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from dagster_contracts.contract.schema.constraints import Constraints
    from dagster_contracts.contract.types import Type

EpochUnit = Literal["s", "ms", "us"]


class Missing:
    """The type of `MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()
"""The default of a field that every row must have."""


@dataclass(frozen=True)
class DefaultFactory:
    """A default that is made anew for each row.

    Args:
        make: Makes it.
        value: What is made each time, if that is known.
    """

    make: Callable[[], Any]
    value: Any = field(default=MISSING, compare=False)


@dataclass(frozen=True, eq=False)
class RowField:
    """One column, as rows are conformed to it.

    Args:
        name: The column's name in the frame.
        key: The key that incoming rows use: the field's alias, or its name.
        annotation: The Python type without `None`; constraints and validators are `Annotated` metadata that pydantic
            reads. A `datetime` is `NaiveDatetime` or `AwareDatetime`, whichever the field is. Where a validator stands
            outside `T | None`, and so may turn a value into `None`, the annotation is that whole.
        nullable: Whether the value may be `None`.
        default: What a missing key reads as: a value, a `DefaultFactory`, or `MISSING`. `None` for a nullable field
            that declares no default.
        dtype: The canonical Polars dtype.
        type: The type in the package's own vocabulary. `Uuid`, `Json` and `Variant` (any value, as JSON) are text in
            the frame.
        lax: Whether pydantic's lax answer is taken where the package is stricter.
        epoch: The unit of bare digits in a temporal field; `None` refuses them.
        sensitive: Whether values must stay out of messages and samples.
        nested: What a record, or each record of a list (of lists), consists of.
        element: What a list holds, as a field of the list's name.
        constraints: What values must keep besides their type, out of the annotation.
        primary_key: Whether the column is part of the table's primary key.
        unique: Whether the column alone is declared unique.
        description: What the column means, if the class says so.
        tags: What else the class says about the column.
    """

    name: str
    key: str
    annotation: Any
    nullable: bool
    default: Any
    dtype: pl.DataType
    type: Type
    lax: bool = False
    epoch: EpochUnit | None = None
    sensitive: bool = False
    nested: RowSchema | None = None
    element: RowField | None = None
    constraints: Constraints | None = None
    primary_key: bool = False
    unique: bool = False
    description: str | None = None
    tags: tuple[tuple[str, object], ...] = ()

    @property
    def required(self) -> bool:
        """Whether a row without the key cannot be repaired."""
        return self.default is MISSING

    @property
    def optional(self) -> Any:
        """The annotation that takes `None` where the field does."""
        return Optional[self.annotation] if self.nullable else self.annotation  # noqa: UP045  (built at run time)

    def make_default(self) -> Any:
        """What a row without the key gets; `MISSING` for a required field."""
        return self.default.make() if isinstance(self.default, DefaultFactory) else self.default


@dataclass(frozen=True, eq=False)
class RowSchema:
    """The fields of a typed class, in order.

    Args:
        name: The class's name.
        fields: The fields, in declaration order.
        source: The class: a `dc.Schema`, or for a nested record a pydantic model or a dataclass.
    """

    name: str
    fields: tuple[RowField, ...]
    source: type

    @cached_property
    def by_name(self) -> dict[str, RowField]:
        """The fields by the column's name."""
        return {field.name: field for field in self.fields}

    @cached_property
    def by_key(self) -> dict[str, RowField]:
        """The fields by the incoming key."""
        return {field.key: field for field in self.fields}


def row_schema(schema: type) -> RowSchema:
    """The fields of a `dc.Schema`, resolved; read once for each class.

    Raises:
        SchemaDefinitionError: The class declares what cannot be a table.
    """
    from dagster_contracts.contract.schema.read import read_rows  # noqa: PLC0415  (it builds on this module)

    return read_rows(schema)
