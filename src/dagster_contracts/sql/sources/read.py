"""Every source that a configuration declares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.config import SENSITIVE
from dagster_contracts.sql.dialect_types import read_type
from dagster_contracts.sql.files import read_file
from dagster_contracts.sql.findings import DUPLICATE, SOURCE, broken
from dagster_contracts.sql.positions import span_at
from dagster_contracts.sql.relation import Relation
from dagster_contracts.sql.sources.classes import read_class
from dagster_contracts.sql.sources.dbt import read_dbt
from dagster_contracts.sql.sources.ddl import read_ddl
from dagster_contracts.sql.sources.declared import SourceError, declared_column, native_name
from dagster_contracts.sql.sources.parquet import read_parquet
from dagster_contracts.sql.sources.snapshot import read_snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.contract.types import Type
    from dagster_contracts.diagnostics.finding import Diagnostic, Span
    from dagster_contracts.sql.config import Config, SourceColumn, SourceEntry
    from dagster_contracts.sql.relation import Column

_READERS = {"sql": read_ddl, "snapshot": read_snapshot, "dbt": read_dbt}


@dataclass(frozen=True)
class Sources:
    """What the tables look like that a project reads and does not make.

    Args:
        tables: Each by its name, in small letters unless the dialect looks at their case.
        findings: What is wrong with the declarations.
        texts: The text of every file that they were read from.
    """

    tables: Mapping[str, Relation]
    findings: tuple[Diagnostic, ...]
    texts: Mapping[str, str]


def read_sources(config: Config) -> Sources:
    """Read every source that a configuration declares; one that cannot be read is a finding, and the others are read.

    Args:
        config: The configuration.
    """
    tables: dict[str, Relation] = {}
    findings: list[Diagnostic] = []
    texts: dict[str, str] = {}
    for entry in config.sources:
        declared_at = span_at(config.file, entry.place)
        try:
            found = _read(entry, config, texts)
        except SourceError as error:
            message = str(error)
            findings.append(broken(SOURCE, config.file, message, contract=declared_at, source=error.span))
            continue
        own: dict[str, Relation | None] = {}
        for table in found:
            key = table.name if config.dialect in SENSITIVE else table.name.lower()
            if key in tables or (key in own and entry.form != "dbt"):
                message = f"The source {table.name} is declared twice."
                findings.append(broken(DUPLICATE, config.file, message, contract=declared_at))
            # One of dbt's names that two of its tables go by, physically and in dbt, says nothing of either.
            is_clear = key not in own or own[key] == table
            own[key] = table if is_clear else own[key] if entry.form != "dbt" else None
        tables |= {key: table for key, table in own.items() if table is not None and key not in tables}
    return Sources(tables, tuple(findings), texts)


def _read(entry: SourceEntry, config: Config, texts: dict[str, str]) -> list[Relation]:
    """The tables of one entry."""
    span = span_at(config.file, entry.place)
    name = entry.name or ""
    if entry.form == "columns":
        return [_from_columns(entry, config)]
    if entry.form == "class":
        relation = read_class(entry.target, config.root, name, config.dialect, span)
        return [_refine(relation, entry.columns, config)]
    if entry.form == "parquet":
        return [_refine(read_parquet(config.root / entry.target, name, span), entry.columns, config)]
    file = read_file(config.root / entry.target, config.root)
    if file.text is None:
        raise SourceError(f"{entry.target} cannot be read: {file.failure}.", None)
    texts[file.path] = file.text
    return _READERS[entry.form](file.text, file.path, config.dialect)


def _from_columns(entry: SourceEntry, config: Config) -> Relation:
    """A table whose columns stand in the configuration."""
    name = entry.name or ""
    seen: set[str] = set()
    columns: list[Column] = []
    for column in entry.columns:
        span = span_at(config.file, column.place)
        if column.name in seen:
            raise SourceError(f"{name} has two columns {column.name!r}.", span)
        seen.add(column.name)
        of = _type(column, config, span)
        folded = native_name(column.name, config.dialect)
        columns.append(declared_column(name, folded, of, nullable=column.nullable, span=span))
    if not columns:
        raise SourceError(f"{name} is declared without columns.", span_at(config.file, entry.place))
    return Relation(name, tuple(columns))


def _refine(relation: Relation, columns: tuple[SourceColumn, ...], config: Config) -> Relation:
    """A table of which the configuration says more than its file or class does."""
    refined = {column.name.lower(): column for column in relation.columns}
    for said in columns:
        span = span_at(config.file, said.place)
        known = refined.get(said.name.lower())
        if known is None:
            hint = did_you_mean(said.name, relation.column_names)
            raise SourceError(f"{relation.name} has no column {said.name!r}.{hint}", span)
        nullable = known.nullable if said.nullable is None else said.nullable
        of = known.type if said.type_text is None else _type(said, config, span)
        again = declared_column(relation.name, known.name, of, nullable=nullable, span=span)
        known = again if of is not None else replace(again, type_reasons=known.type_reasons)
        refined[said.name.lower()] = known
    return Relation(relation.name, tuple(refined.values()))


def _type(column: SourceColumn, config: Config, span: Span) -> Type | None:
    if column.type_text is None:
        return None
    try:
        return read_type(column.type_text, config.dialect)
    except UnknownTypeError as error:
        raise SourceError(str(error), span) from error
