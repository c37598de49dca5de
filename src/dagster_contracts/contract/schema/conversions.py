"""What a typed class is turned into and read from, and what is lost on the way."""

from __future__ import annotations

import inspect
from functools import lru_cache
from types import new_class
from typing import TYPE_CHECKING, Any, TypeVar

import dataframely as dy
import polars as pl

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.contract.schema import dataframely_reading, json_reading
from dagster_contracts.contract.schema.base import FRAME, LOSSES, SchemaBase
from dagster_contracts.contract.schema.json_form import object_schema
from dagster_contracts.contract.schema.losses import FORMS, losses_to
from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.contract.type_sql import DIALECTS, Dialect, SqlColumn, sql_column
from dagster_contracts.errors import ContractsError, InvalidSettingError, SchemaDefinitionError

if TYPE_CHECKING:
    from collections.abc import Mapping

S = TypeVar("S", bound=SchemaBase)


def json_schema(schema: type[SchemaBase]) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a row, by the columns' names."""
    found = row_schema(schema)
    doc = inspect.getdoc(schema) if schema.__doc__ else None
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **object_schema(found, doc)}


def polars_schema(schema: type[SchemaBase]) -> pl.Schema:
    """The columns' names and dtypes."""
    return pl.Schema({field.name: field.dtype for field in row_schema(schema).fields})


def sql_columns(schema: type[SchemaBase], dialect: Dialect) -> list[SqlColumn]:
    """The columns as a dialect spells them."""
    return [
        sql_column(field.name, field.type, nullable=field.nullable, dialect=dialect)
        for field in row_schema(schema).fields
    ]


def losses(schema: type[SchemaBase], to: str | None) -> tuple[str, ...]:
    """What another form cannot hold, or what was lost when the schema was read from one.

    Raises:
        InvalidSettingError: There is no such form.
    """
    if to is None:
        owners = reversed(schema.__mro__)
        return tuple(loss for owner in owners for loss in owner.__dict__.get(LOSSES, ()))
    if to not in (*FORMS, *DIALECTS):
        known = (*FORMS, *DIALECTS)
        raise InvalidSettingError(f"A schema is not turned into {to!r}.{did_you_mean(to, known)}")
    return losses_to(row_schema(schema), to, rules=tuple(schema.__declared_rules__()))


def from_dataframely(schema: type[S], frame: type[dy.Schema]) -> type[S]:
    """A schema for the rows of a Dataframely schema."""
    if not (isinstance(frame, type) and issubclass(frame, dy.Schema)):
        raise SchemaDefinitionError(f"A dy.Schema class is read; got {frame!r:.80}.")
    made: type[S] = _read_frame(_root(schema), frame)  # type: ignore[arg-type]  # mypy takes no class for hashable
    return made


@lru_cache(maxsize=1024)
def _read_frame(root: type[Any], frame: type[dy.Schema]) -> type[Any]:
    """One class for one Dataframely schema, however often it is asked for."""
    members, lost = dataframely_reading.members(root, frame)
    return _made(root, frame.__name__, {**members, FRAME: frame, LOSSES: lost, "__doc__": frame.__doc__})


def from_json_schema(schema: type[S], source: Mapping[str, Any], name: str | None) -> type[S]:
    """A schema of a JSON Schema of an object."""
    root = _root(schema)
    try:
        name, members, lost = json_reading.members(root, source, name)
        return _made(root, name, {**members, LOSSES: lost})
    except ContractsError:
        raise
    except Exception as error:
        raise SchemaDefinitionError(f"The JSON Schema is not one: {error!r:.200}") from error


def _root(schema: type[S]) -> type[S]:
    """`dc.Schema` itself: what is read from another form has no columns beside that form's."""
    return next(owner for owner in schema.__mro__ if "__schema_root__" in owner.__dict__)


def _made(root: type[S], name: str, members: dict[str, Any]) -> type[S]:
    return new_class(name, (root,), {}, lambda namespace: namespace.update(members))
