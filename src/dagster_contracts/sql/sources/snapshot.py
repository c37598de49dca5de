"""Sources as a snapshot of a live database wrote them down: TOML, made to be committed.

::

    [[tables]]
    name = "raw.orders"

    [[tables.columns]]
    name = "id"
    type = "BIGINT"
    nullable = false
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts.contract.toml_reader import Reader, read_toml
from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import read_type
from dagster_contracts.sql.positions import span_at
from dagster_contracts.sql.relation import Column, Relation
from dagster_contracts.sql.sources.declared import SourceError, declared_column

if TYPE_CHECKING:
    from dagster_contracts.contract.types import Type


def read_snapshot(text: str, file: str, dialect: str) -> list[Relation]:
    """Read a snapshot.

    Args:
        text: The file's text.
        file: Its path, for places.
        dialect: The dialect whose spellings its types have.

    Raises:
        SourceError: It cannot be read.
    """
    reader = read_toml(text)
    reader.keys(("dialect", "tables"), what="A snapshot")
    spelled_in = reader.text("dialect") or dialect
    tables = [_table(reader, index, file, spelled_in) for index in reader.tables("tables")]
    if reader.problems:
        problem = reader.problems[0]
        raise SourceError(f"{file}: {problem.message} {problem.hint or ''}".strip(), span_at(file, problem.place))
    return tables


def _table(reader: Reader, index: int, file: str, dialect: str) -> Relation:
    reader.keys(("name", "columns"), "tables", index, what="`[[tables]]`")
    name = reader.text("tables", index, "name") or ""
    if not name and "name" not in reader.table("tables", index):
        reader.report("This table has no `name`.", "tables", index)
    columns = [_column(reader, name, (index, at), file, dialect) for at in reader.tables("tables", index, "columns")]
    return Relation(name, tuple(columns))


def _column(reader: Reader, table: str, at: tuple[int, int], file: str, dialect: str) -> Column:
    path = ("tables", at[0], "columns", at[1])
    reader.keys(("name", "type", "nullable"), *path, what="`[[tables.columns]]`")
    name, spelled = reader.text(*path, "name") or "", reader.text(*path, "type")
    if not name and "name" not in reader.table(*path):
        reader.report("This column has no `name`.", *path)
    of: Type | None = None
    if spelled:
        try:
            of = read_type(spelled, dialect)
        except UnknownTypeError as error:
            if "cannot be checked" not in str(error):
                reader.report(str(error), *path, "type")
    span = span_at(file, reader.place(*path, "name"))
    return declared_column(table, name, of, nullable=reader.flag(*path, "nullable"), span=span)
