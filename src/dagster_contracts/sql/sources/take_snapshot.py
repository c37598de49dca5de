"""The tables of a live DuckDB file, written down as sources."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import duckdb
import tomlkit

from dagster_contracts.errors import InvalidSettingError

if TYPE_CHECKING:
    from pathlib import Path

_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, is_nullable
FROM duckdb_columns()
WHERE database_name = current_database() AND NOT internal
ORDER BY schema_name, table_name, column_index
"""


def take_snapshot(database: Path) -> str:
    """Write down the tables and views of a DuckDB file: names, types and what can be NULL.

    Args:
        database: The file. It is opened to be read, and no row is.

    Returns:
        TOML, the same for the same tables.

    Raises:
        InvalidSettingError: There is no such file, it is no DuckDB file, or another process is writing to it.
    """
    if not database.is_file():
        raise InvalidSettingError(f"There is no file {str(database)!r}.")
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            rows = connection.execute(_COLUMNS).fetchall()
    except duckdb.Error as error:
        raise InvalidSettingError(f"DuckDB cannot read {database}: {error}") from error
    document = tomlkit.document()
    document.add(tomlkit.comment("Written by `dagster-contracts snapshot`."))
    document["dialect"] = "duckdb"
    tables = tomlkit.aot()
    for (schema, name), columns in groupby(rows, key=lambda row: row[:2]):
        table = tomlkit.table()
        table["name"] = name if schema == "main" else f"{schema}.{name}"
        entries = tomlkit.aot()
        for *_, column, kind, nullable in columns:
            entry = tomlkit.table()
            entry["name"], entry["type"], entry["nullable"] = column, kind, nullable
            entries.append(entry)
        table["columns"] = entries
        tables.append(table)
    if rows:
        document["tables"] = tables
    return tomlkit.dumps(document)
