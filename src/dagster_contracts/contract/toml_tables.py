"""A contract file as a contract on the frames of a table."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.contract import expressions, names
from dagster_contracts.contract.fields import Contract, FieldSpec, RuleSpec
from dagster_contracts.contract.type_polars import from_polars, to_polars
from dagster_contracts.contract.types import Type, matches
from dagster_contracts.errors import ContractParseError, UnknownTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dagster_contracts.contract.toml import ContractColumn, ContractFile

ANY = Type("Variant")
"""The type of a column that a contract names without a type."""


def table_contract(name: str, file: ContractFile) -> Contract:
    """Hold a table to a contract file: its columns are there, of their types, and not NULL where that was promised.

    Args:
        name: The contract's name.
        file: What was read. Columns that only `required` or `protected` name may be of any type.

    Raises:
        ContractParseError: The file promises nothing about columns, or asks for `no_new_nullable`, which speaks of
            columns that it does not name: a check on a table cannot know them.
        ReservedColumnError: A column's name begins with `dy_`.
    """
    if file.no_new_nullable is not None:
        raise ContractParseError(
            f"{name}: no_new_nullable, on line {file.no_new_nullable.line}, speaks of the columns that a SQL model "
            "returns and the contract does not name. On a table it cannot be checked: name the columns instead, with "
            "nullable = false."
        )
    declared = {column.name: column for column in file.columns}
    others = [named.name for named in (*file.required, *file.protected) if named.name not in declared]
    fields = (*map(_field, declared.values()), *(_any_field(other) for other in dict.fromkeys(others)))
    if not fields:
        raise ContractParseError(f"{name}: the contract names no column, so there is nothing to check.")
    names.refuse_reserved_columns(name, [spec.name for spec in fields])
    rules = tuple(_not_null(spec) for spec in fields if not spec.nullable)
    return Contract(name, None, fields, rules, _fingerprint(fields, rules))


def _field(column: ContractColumn) -> FieldSpec:
    """A declared column."""
    type_ = column.type or ANY
    return FieldSpec(
        name=column.name,
        type=type_,
        dtype=_dtype(column.type),
        type_text=str(type_) if column.type else "any",
        accepts=_accepts(column.type),
        nullable=column.nullable is not False,
        description=column.description,
    )


def _any_field(name: str) -> FieldSpec:
    """A column that has only to be there."""
    return FieldSpec(name=name, type=ANY, dtype=pl.Null(), type_text="any", accepts=_accepts(None))


def _dtype(declared: Type | None) -> pl.DataType:
    """The dtype of an empty frame; of a type that leaves open what is inside, none."""
    try:
        return to_polars(declared) if declared else pl.Null()
    except UnknownTypeError:
        return pl.Null()


def _accepts(declared: Type | None) -> Callable[[pl.DataType], bool]:
    """Whether a dtype is of the declared type, in any of the ways that Polars writes it."""

    def accepts(dtype: pl.DataType) -> bool:
        if declared is None or dtype == _dtype(declared):
            return True
        try:
            return matches(declared, from_polars(dtype)) is True
        except UnknownTypeError:
            return False

    return accepts


def _not_null(spec: FieldSpec) -> RuleSpec:
    """The rule that a column has no nulls, under the name that a Dataframely schema gives it."""
    rule = f"{spec.name}|nullability"
    expr = pl.col(spec.name).is_not_null()
    return RuleSpec(
        name=rule,
        check_name=names.check_name(rule),
        column=spec.name,
        expr=expr,
        expr_text=expressions.readable_text(expr),
        description=f"{spec.name} is never null.",
    )


def _fingerprint(fields: tuple[FieldSpec, ...], rules: tuple[RuleSpec, ...]) -> str:
    parts = [*(f"{spec.name}\0{spec.type_text}" for spec in fields), *(rule.name for rule in rules)]
    return hashlib.sha256("\0\0".join(parts).encode()).hexdigest()
