"""Frames and facts as the table metadata that Dagster shows."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import dagster as dg

from dagster_contracts.contract.names import CONFORM_CHECK, raw_column
from dagster_contracts.frames.cells import showable, showable_rows
from dagster_contracts.frames.rules import INVALID, UNKNOWN, VALID

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import polars as pl

    from dagster_contracts.contract.fields import Contract, FieldSpec
    from dagster_contracts.frames.column_schema import ColumnMismatch
    from dagster_contracts.frames.split import Split
    from dagster_contracts.frames.statistics import Statistics

FAMILIES = ("numeric", "temporal", "string", "boolean")
ESTIMATES = frozenset(["p50", "n_unique"])
ROUNDED = frozenset(["mean", "std", "p50", "true_rate"])
MOST_SETS = 50
MOST_RULES = 100

Row = dict[str, "str | int | float | bool | None"]


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> dg.TableMetadataValue:
    """Rows as a table; the columns are given so that an empty table has them, too."""
    return dg.MetadataValue.table(
        records=[dg.TableRecord({column: row.get(column) for column in columns}) for row in rows],
        schema=dg.TableSchema(
            [dg.TableColumn(column, _column_type([row.get(column) for row in rows])) for column in columns]
        ),
    )


def sample_table(frame: pl.DataFrame, *, limit: int, sensitive: Collection[str]) -> dg.TableMetadataValue:
    """The first rows of a frame, with the values of sensitive columns masked."""
    rows = showable_rows(frame, sensitive=sensitive, limit=limit)
    return table(rows, list(rows[0]) if rows else frame.columns)


def invalid_sample_table(split: Split, limit: int) -> dg.TableMetadataValue:
    """The first invalid rows, each behind the rules that it breaks; the quarantine has a column a rule instead."""
    rows = split.first_invalid(limit)
    checks = {rule.check_name: rule.name for rule in split.contract.rules}
    broken = [
        ", ".join(_told(name, row[check]) for check, name in checks.items() if row[check] not in {VALID, UNKNOWN})
        for row in rows.select(list(checks)).iter_rows(named=True)
    ]
    shown = showable_rows(rows.drop(list(checks)), sensitive=split.contract.sensitive_columns, limit=limit)
    records = [{"dy_rules": showable(rules), **row} for rules, row in zip(broken, shown, strict=True)]
    return table(records, list(records[0]) if records else ["dy_rules", *split.contract.column_names])


def mismatch_table(mismatches: Sequence[ColumnMismatch]) -> dg.TableMetadataValue:
    """What a column-schema check found: one row a column."""
    rows = [
        {"column": m.column, "expected": m.expected or "not declared", "actual": m.actual or "missing"}
        for m in mismatches
    ]
    return table([_shown(row) for row in rows], ["column", "expected", "actual"])


def co_failure_table(split: Split) -> dg.TableMetadataValue:
    """The sets of rules that rows broke together: at most 50, then one row for the rest, so that the counts add up."""
    top = split.top_co_failures(MOST_SETS)
    rows: list[Row] = [{"rules": showable(", ".join(entry.rules)), "rows": entry.count} for entry in top]
    rest = split.invalid_count - sum(entry.count for entry in top)
    if rest:
        rows.append({"rules": "every other set", "rows": rest})
    return table(rows, ["rules", "rows"])


def statistics_tables(statistics: Statistics) -> dict[str, dg.TableMetadataValue]:
    """One table a dtype family that has columns; an estimate's column says that it is one."""
    tables = {}
    for family in FAMILIES:
        rows = [_summary(asdict(row), approximate=statistics.approximate) for row in getattr(statistics, family)]
        if rows:
            tables[family] = table(rows, list(rows[0]))
    return tables


def _summary(row: Mapping[str, Any], *, approximate: bool) -> Row:
    return {
        f"{key} (approximate)" if approximate and key in ESTIMATES else key: showable(
            float(f"{value:.6g}") if key in ROUNDED and isinstance(value, float) else value
        )
        for key, value in row.items()
    }


def declared_columns(contract: Contract) -> dg.TableSchema:
    """A contract as the Columns tab shows it before any run."""
    return dg.TableSchema(
        [_declared_column(contract, spec, spec.type_text) for spec in contract.fields], _table_constraints(contract)
    )


def observed_columns(contract: Contract, schema: pl.Schema) -> dg.TableSchema:
    """The columns that were written, in order and with their dtypes, each with what the contract says about it."""
    declared = {spec.name: spec for spec in contract.fields}
    return dg.TableSchema(
        [
            _declared_column(contract, declared[name], str(dtype))
            if name in declared
            else dg.TableColumn(name, str(dtype))
            for name, dtype in schema.items()
        ],
        _table_constraints(contract),
    )


def quarantine_columns(contract: Contract, *, of_rows: bool = False) -> dg.TableSchema:
    """A quarantine as the Columns tab shows it: the contract's columns without constraints, then one a rule.

    Args:
        contract: The contract.
        of_rows: Whether rows that could not be conformed are in it, too.
    """
    columns = [
        dg.TableColumn(spec.name, spec.type_text, spec.description, tags=dict(spec.tags)) for spec in contract.fields
    ]
    arrival = [
        dg.TableColumn(
            raw_column(contract.column_names), "String", "The row as it arrived, in JSON, if it was refused."
        ),
        dg.TableColumn(CONFORM_CHECK, "String", "Why it cannot be brought to the contract's types, or `valid`."),
    ]
    rules = [dg.TableColumn(rule.check_name, "String", rule.description) for rule in contract.rules]
    return dg.TableSchema([*columns, *(arrival if of_rows else ()), *rules])


def _declared_column(contract: Contract, spec: FieldSpec, dtype: str) -> dg.TableColumn:
    # A column whose nulls are only warned of may hold some, so the Columns tab must not call it free of them.
    only_warned = f"{spec.name}|nullability" in contract.warning_rules
    other = [*spec.constraints, *(["warns of nulls"] * only_warned)]
    return dg.TableColumn(
        name=spec.name,
        type=dtype,
        description=spec.description,
        constraints=dg.TableColumnConstraints(nullable=spec.nullable or only_warned, unique=spec.unique, other=other),
        tags=dict(spec.tags),
    )


def _table_constraints(contract: Contract) -> dg.TableConstraints | None:
    key = contract.primary_key
    return dg.TableConstraints(other=[f"primary key ({', '.join(key)})"]) if key else None


def _told(rule: str, text: str) -> str:
    """A broken rule; one that is told with a reason has that behind it."""
    return rule if text == INVALID else f"{rule}: {text}"


def _shown(row: Mapping[str, object]) -> Row:
    return {key: showable(value) for key, value in row.items()}


def _column_type(values: Sequence[object]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return "bool"
    if kinds == {int}:
        return "int"
    return "float" if kinds and kinds <= {int, float} else "string"
