"""What a contract is, whichever form it was written in: its fields and its rules, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.contract.types import Type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SENSITIVE_KEYS = ("sensitive", "pii")


@dataclass(frozen=True, kw_only=True)
class FieldSpec:
    """One column of a contract.

    Args:
        name: The column's name in the frame.
        type: The column's type, or of a repeated one its elements'.
        repeated: Whether the column holds lists.
        fields: What a record, or each record of a list, consists of.
        dtype: The dtype an empty frame of this contract has.
        type_text: The dtype as a reader is shown it; differs from `dtype` where a family of dtypes is accepted.
        accepts: Whether a frame's dtype keeps the promise.
        nullable: Whether the column may hold nulls.
        unique: Whether the column alone is declared unique (a primary key does not set this).
        primary_key: Whether the column is part of the table's primary key.
        description: What the column means, if the contract says so.
        constraints: Every further promise on the column, each as a short text.
        tags: The column's metadata as strings.
        sensitive: Whether values of this column must stay out of samples, messages and statistics.
    """

    name: str
    type: Type
    dtype: pl.DataType
    type_text: str
    accepts: Callable[[pl.DataType], bool] = field(compare=False, repr=False)
    nullable: bool = True
    repeated: bool = False
    fields: tuple[FieldSpec, ...] = ()
    unique: bool = False
    primary_key: bool = False
    description: str | None = None
    constraints: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    sensitive: bool = False

    @property
    def column_type(self) -> Type:
        """The type of the whole column: of a repeated one, an array."""
        return Type("Array", args=(self.type,)) if self.repeated else self.type

    def __str__(self) -> str:
        flags = ("nullable", "primary_key", "unique", "sensitive")
        said = [flag.replace("_", " ") for flag in flags if getattr(self, flag)]
        return " · ".join([f"{self.name}: {self.column_type}", *said, *self.constraints])


@dataclass(frozen=True, eq=False)
class RuleSpec:
    """One named Boolean condition on rows.

    Args:
        name: The rule's name where it was written, such as `amount|min`.
        check_name: The name of its asset check and of its quarantine column.
        column: The one column that owns the rule, or `None`.
        expr: True or null for a row that keeps the rule, false for one that breaks it.
        expr_text: The expression as text, rendered once.
        description: What the rule asks for, in words.
        warning: Whether breaking it removes no row and fails no run.
    """

    name: str
    check_name: str
    column: str | None
    expr: pl.Expr
    expr_text: str
    description: str
    warning: bool = False


@dataclass(frozen=True, eq=False)
class Contract:
    """What one table promises.

    Args:
        name: The contract's name, as its author wrote it.
        description: What a row of the table is, if the contract says so.
        fields: The columns, in order.
        rules: The rules, in the order their checks are reported.
        fingerprint: A hash of names, dtypes and rules that is equal in every process.
    """

    name: str
    description: str | None
    fields: tuple[FieldSpec, ...]
    rules: tuple[RuleSpec, ...]
    fingerprint: str

    @cached_property
    def column_names(self) -> list[str]:
        """The declared columns, in order."""
        return [spec.name for spec in self.fields]

    @cached_property
    def primary_key(self) -> list[str]:
        """The columns of the primary key, in order; empty without one."""
        return [spec.name for spec in self.fields if spec.primary_key]

    @cached_property
    def sensitive_columns(self) -> frozenset[str]:
        """The columns whose values must not leave the data."""
        return frozenset(spec.name for spec in self.fields if spec.sensitive)

    @cached_property
    def enforced_rules(self) -> tuple[RuleSpec, ...]:
        """The rules that decide whether a row is valid: all but the warnings."""
        return tuple(rule for rule in self.rules if not rule.warning)

    @cached_property
    def warning_rules(self) -> frozenset[str]:
        """The names of the rules that only warn."""
        return frozenset(rule.name for rule in self.rules if rule.warning)

    def empty_frame(self) -> pl.DataFrame:
        """A frame of zero rows that keeps every promise of this contract about columns."""
        return pl.DataFrame(schema={spec.name: spec.dtype for spec in self.fields})


def is_sensitive(metadata: Mapping[str, object] | None) -> bool:
    """Whether a column's metadata marks it as one whose values must stay private."""
    return bool(metadata) and any(bool((metadata or {}).get(key)) for key in SENSITIVE_KEYS)


def as_tags(metadata: Mapping[str, object] | None) -> dict[str, str]:
    """A column's metadata with keys and values as strings, the way Dagster's column tags want them."""
    return {str(key): str(value) for key, value in (metadata or {}).items()}
