"""`dc.Schema`: a typed class that says what rows are, with what it can be turned into and what it does with rows.

The classmethods are short ways to functions: what is declared lives in `contract/schema/`, what is done to rows here.
"""

from __future__ import annotations

import dataclasses
import inspect
from types import GetSetDescriptorType, MemberDescriptorType, new_class
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from dagster_contracts.contract.schema import conversions
from dagster_contracts.contract.schema.base import SchemaBase
from dagster_contracts.contract.schema.contract_form import to_contract
from dagster_contracts.contract.schema.dataframely_form import to_dataframely
from dagster_contracts.errors import SchemaDefinitionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import dataframely as dy
    import polars as pl

    from dagster_contracts.contract.fields import FieldSpec
    from dagster_contracts.contract.type_sql import Dialect, SqlColumn
    from dagster_contracts.rows.strategy import MaterializationStrategy


_SLOTS = (GetSetDescriptorType, MemberDescriptorType)


class Schema(SchemaBase):
    """What the rows of a table are: an annotation is a column, `T | None` makes it nullable, `list[T]` repeats it.

    A class is a contract as it stands; it is never an instance. Columns may be called anything: whatever is declared is
    moved out of the class, and its methods are always the ones below.
    """

    __schema_root__ = True

    @classmethod
    def field_specs(cls) -> list[FieldSpec]:
        """The columns, in order, in words that no engine owns."""
        return list(to_contract(cls).fields)  # type: ignore[arg-type]  # mypy takes no class for hashable

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """The JSON Schema of a row of the table, by the columns' names."""
        return conversions.json_schema(cls)

    @classmethod
    def to_dataframely(cls) -> type[dy.Schema]:
        """The same columns and rules as a Dataframely schema."""
        return to_dataframely(cls)  # type: ignore[arg-type]  # mypy takes no class for hashable

    @classmethod
    def polars_schema(cls) -> pl.Schema:
        """The columns' names and dtypes."""
        return conversions.polars_schema(cls)

    @classmethod
    def sql_columns(cls, dialect: Dialect) -> list[SqlColumn]:
        """The columns as a table's definition spells them.

        Args:
            dialect: Whose spelling: `duckdb`, `postgres`, `snowflake`, `bigquery` or `databricks`.

        Raises:
            InvalidSettingError: It is none of them.
            SchemaDefinitionError: The dialect has no such type.
        """
        return conversions.sql_columns(cls, dialect)

    @classmethod
    def losses(cls, to: str | None = None) -> tuple[str, ...]:
        """What another form cannot hold of this schema, each in a sentence.

        Args:
            to: `dataframely`, `json_schema`, `polars` or a SQL dialect; nothing for what was lost when the schema was
                read from another form.

        Raises:
            InvalidSettingError: There is no such form.
        """
        return conversions.losses(cls, to)

    @classmethod
    def from_dataframely(cls, schema: type[dy.Schema]) -> type[Schema]:
        """A schema for rows of a Dataframely schema; its columns and rules stay those of the frame.

        Raises:
            SchemaDefinitionError: Rows cannot fill one of its columns.
        """
        return conversions.from_dataframely(cls, schema)

    @classmethod
    def from_json_schema(cls, schema: Mapping[str, Any], *, name: str | None = None) -> type[Schema]:
        """A schema of a JSON Schema of an object.

        Args:
            schema: The JSON Schema, as a dict.
            name: The class's name; its `title` otherwise.

        Raises:
            SchemaDefinitionError: It is no object's, or a property is no column's.
        """
        return conversions.from_json_schema(cls, schema, name=name)

    @classmethod
    def infer(cls, rows: object, *, name: str = "Inferred") -> type[Schema]:
        """The schema that rows have, every column nullable. An iterable is read once.

        Args:
            rows: Rows or a table.
            name: The new class's name.

        Raises:
            SchemaError: What was given is neither, or no schema fits.
        """
        from dagster_contracts.rows.infer import infer  # noqa: PLC0415  (it makes schemas)

        return infer(rows, name)

    @classmethod
    def validate_rows(cls, rows: object, *, strict: bool = True) -> None:
        """Check rows, and keep nothing.

        Args:
            rows: Rows or a table; an iterable is read once.
            strict: Whether values must be of their field's own type already; otherwise what `reconcile` repairs passes.

        Raises:
            SchemaError: A row is refused. The first one stands first, the others are counted.
        """
        from dagster_contracts.rows import operations  # noqa: PLC0415  (declaring needs none of it)

        operations.validate_rows(cls, rows, strict=strict)

    @classmethod
    def reconcile(cls, rows: Any) -> Any:
        """Repair rows: columns aligned, values in their fields' types.

        Args:
            rows: Rows or a table; an iterable is read once.

        Returns:
            New rows as a list of dicts by the column's name; for a table, a table of its own kind.

        Raises:
            SchemaError: A row cannot be repaired. All failures are in it, up to a bound.
        """
        from dagster_contracts.rows import operations  # noqa: PLC0415  (declaring needs none of it)

        return operations.reconcile(cls, rows)

    @classmethod
    def to_frame(cls, rows: object, *, strategy: MaterializationStrategy | str = "reconcile") -> pl.DataFrame:
        """Rows as a frame in the schema's columns and dtypes.

        Args:
            rows: Rows or a table; an iterable is read once.
            strategy: Whether values are repaired.

        Raises:
            SchemaError: A row is refused. All failures are in it, up to a bound.
            InvalidSettingError: There is no such strategy.
        """
        from dagster_contracts.rows import operations  # noqa: PLC0415  (declaring needs none of it)

        return operations.to_frame(cls, rows, strategy)


def schema(cls: type) -> type[Schema]:
    """Make a `dc.Schema` of a plain class or of a dataclass, as if it derived from it.

    Raises:
        SchemaDefinitionError: The class is a pydantic model, or declares what cannot be a table.
    """
    if not isinstance(cls, type) or issubclass(cls, BaseModel | SchemaBase):
        kind = getattr(cls, "__name__", repr(cls))
        raise SchemaDefinitionError(
            f"@dc.schema stands on a plain class; {kind} is none. Derive from dc.Schema instead."
        )
    frame = inspect.currentframe()
    members = {
        name: value for name, value in vars(cls).items() if not isinstance(value, _SLOTS) and name != "__slots__"
    }
    if dataclasses.is_dataclass(cls):
        members = {name: value for name, value in members.items() if not name.startswith("__dataclass_")}
        members |= _dataclass_defaults(cls)
    bases = tuple(base for base in cls.__bases__ if base is not object)
    outside = {"defined_in": frame.f_back if frame else None}
    return new_class(cls.__name__, (*bases, Schema), outside, lambda namespace: namespace.update(members))


def _dataclass_defaults(cls: type) -> dict[str, Any]:
    """The defaults that a dataclass takes out of its namespace."""
    defaults: dict[str, Any] = {}
    for one in dataclasses.fields(cls):
        if one.default_factory is not dataclasses.MISSING:
            defaults[one.name] = Field(default_factory=one.default_factory)
        elif one.default is not dataclasses.MISSING:
            defaults[one.name] = one.default
    return defaults
