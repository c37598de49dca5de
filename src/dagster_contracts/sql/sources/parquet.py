"""Sources that are Parquet files: the schema in the file's footer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from dagster_contracts.errors import UnknownTypeError
from dagster_contracts.sql.dialect_types import spelled_type
from dagster_contracts.sql.relation import Relation
from dagster_contracts.sql.sources.declared import SourceError, declared_column

if TYPE_CHECKING:
    from pathlib import Path

    from dagster_contracts.contract.types import Type
    from dagster_contracts.diagnostics.finding import Span


def read_parquet(path: Path, name: str, span: Span | None) -> Relation:
    """Read the columns of a Parquet file from its footer.

    Args:
        path: The file.
        name: The table that it stands for.
        span: Where the project says so.

    Raises:
        SourceError: The file is not there, or is no Parquet file.
    """
    if not path.is_file():
        raise SourceError(f"There is no file {str(path)!r}.", span)
    config: dict[str, str | bool | int | float | list[str]] = {"autoinstall_known_extensions": "false"}
    try:
        with duckdb.connect(":memory:", config=config) as connection:
            # The file's letters are no pattern.
            exact = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path))
            described = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [exact]).fetchall()
            fields = connection.execute("SELECT * FROM parquet_schema(?)", [exact])
            names = [column[0] for column in fields.description or ()]
            schema = [dict(zip(names, row, strict=True)) for row in fields.fetchall()]
    except duckdb.Error as error:
        words = " ".join(str(error).split())
        raise SourceError(f"{str(path)!r} cannot be read as Parquet: {words}", span) from error
    required = _required(schema)
    columns = [
        declared_column(
            name, column[0], _type(column[1]), nullable=column[0] not in required, span=span, why=f"it is {column[1]}"
        )
        for column in described
    ]
    return Relation(name, tuple(columns))


def _required(schema: list[dict[str, object]]) -> set[object]:
    """The columns of the first level that the file declares never to be NULL."""
    required = set()
    skip = 0
    for field in schema[1:]:
        children = field["num_children"]
        if skip:
            skip -= 1
        elif field["repetition_type"] == "REQUIRED":
            required.add(field["name"])
        skip += children if isinstance(children, int) else 0
    return required


def _type(spelled: str) -> Type | None:
    try:
        return spelled_type(spelled, "duckdb")
    except UnknownTypeError:
        return None
