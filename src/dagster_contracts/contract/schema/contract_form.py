"""A typed class as a contract: what its Dataframely schema is, with the types that Dataframely has no name for."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dagster_contracts.contract.dataframely import read_schema
from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.contract.schema.dataframely_form import to_dataframely

if TYPE_CHECKING:
    from dagster_contracts.contract.fields import Contract, FieldSpec
    from dagster_contracts.contract.row_fields import RowField
    from dagster_contracts.contract.types import Type


@lru_cache(maxsize=1024)
def to_contract(schema: type[Any]) -> Contract:
    """Read a `dc.Schema` as a contract, once.

    Raises:
        SchemaDefinitionError: The class declares what cannot be a table.
        UsageError: Whatever reading the Dataframely schema raises.
    """
    contract = read_schema(to_dataframely(schema))  # type: ignore[arg-type]  # mypy takes no class for hashable
    fields = row_schema(schema).by_name
    specs = tuple(_typed(spec, fields[spec.name]) for spec in contract.fields)
    return replace(contract, fields=specs)


def _typed(spec: FieldSpec, field: RowField) -> FieldSpec:
    inside = field.nested.fields if field.nested else ()
    nested = tuple(_typed(one, of) for one, of in zip(spec.fields, inside, strict=True)) if spec.fields else ()
    return replace(spec, type=_element(field.type) if spec.repeated else field.type, fields=nested)


def _element(type_: Type) -> Type:
    return type_.args[0] if type_.args else type_
