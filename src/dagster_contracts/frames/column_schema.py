"""The columns of a frame against its contract, before any row is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dagster_contracts.contract.names import RESERVED_PREFIX

if TYPE_CHECKING:
    import polars as pl

    from dagster_contracts.contract.fields import Contract, FieldSpec

ExtraColumns = Literal["drop", "raise", "keep"]


@dataclass(frozen=True)
class ColumnMismatch:
    """One column that is not as declared; `expected` or `actual` is `None` where one side lacks it."""

    column: str
    expected: str | None
    actual: str | None

    def __str__(self) -> str:
        if self.actual is None:
            return f"{self.column!r} is missing (expected {self.expected})"
        if self.expected is None:
            return f"{self.column!r} is not declared (found {self.actual})"
        return f"{self.column!r} is {self.actual} (expected {self.expected})"


@dataclass(frozen=True)
class ColumnSchemaReport:
    """What comparing a frame's columns with a contract found.

    Args:
        mismatches: Columns that break the contract; empty when it is kept.
        extra: Columns the contract does not declare.
        kept: The columns that go on, in the contract's order, extra ones last.
    """

    mismatches: tuple[ColumnMismatch, ...]
    extra: tuple[str, ...]
    kept: tuple[str, ...]

    @property
    def dropped(self) -> tuple[str, ...]:
        """The undeclared columns that do not go on."""
        return tuple(column for column in self.extra if column not in self.kept)


def compare_columns(
    contract: Contract, schema: pl.Schema, on_extra_columns: ExtraColumns = "drop"
) -> ColumnSchemaReport:
    """Compare the names and dtypes of a frame with a contract.

    Args:
        contract: What was promised.
        schema: The frame's columns; nothing is read.
        on_extra_columns: Whether a column the contract does not declare is dropped, kept, or a mismatch.
    """
    mismatches = [
        _mismatch(spec, schema.get(spec.name))
        for spec in contract.fields
        if spec.name not in schema or not spec.accepts(schema[spec.name])
    ]
    extra = tuple(name for name in schema if name not in set(contract.column_names))
    # A quarantine's own columns begin like this, so a column of the data cannot be kept beside them.
    keeps_beside_rules = on_extra_columns == "keep" and bool(contract.rules)
    reserved = [name for name in extra if name.startswith(RESERVED_PREFIX)] if keeps_beside_rules else []
    if on_extra_columns == "raise" or reserved:
        mismatches += [ColumnMismatch(name, None, str(schema[name])) for name in reserved or extra]
    declared = tuple(name for name in contract.column_names if name in schema)
    return ColumnSchemaReport(
        mismatches=tuple(mismatches),
        extra=extra,
        kept=declared + (extra if on_extra_columns == "keep" else ()),
    )


def _mismatch(spec: FieldSpec, actual: pl.DataType | None) -> ColumnMismatch:
    """One column's mismatch, in words that differ even where Polars prints two dtypes alike."""
    if actual is None:
        return ColumnMismatch(spec.name, spec.type_text, None)
    if str(actual) == spec.type_text:
        return ColumnMismatch(spec.name, repr(spec.dtype), repr(actual))
    return ColumnMismatch(spec.name, spec.type_text, str(actual))
