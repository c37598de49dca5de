"""Write the table of types in docs/types.md from the code: uv run python -m scripts.type_table."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

import polars as pl
from pydantic import AwareDatetime, BaseModel, Field

import dagster_contracts as dc
from dagster_contracts.contract.type_sql import DIALECTS

if TYPE_CHECKING:
    import dataframely as dy

PAGE = Path(__file__).parent.parent / "docs" / "types.md"
DIALECT_NAMES = ("DuckDB", "Postgres", "Snowflake", "BigQuery", "Databricks")
BEGIN, END = "<!-- types: begin -->", "<!-- types: end -->"


class Point(BaseModel):
    """The record of the table."""

    x: int
    y: float | None = None


TYPES: list[tuple[str, Any]] = [
    ("bool", bool),
    ("int", int),
    ("Annotated[int, dc.Int8]", Annotated[int, dc.Int8]),
    ("Annotated[int, dc.Int16]", Annotated[int, dc.Int16]),
    ("Annotated[int, dc.Int32]", Annotated[int, dc.Int32]),
    ("Annotated[int, dc.Int128]", Annotated[int, dc.Int128]),
    ("Annotated[int, dc.UInt8]", Annotated[int, dc.UInt8]),
    ("Annotated[int, dc.UInt16]", Annotated[int, dc.UInt16]),
    ("Annotated[int, dc.UInt32]", Annotated[int, dc.UInt32]),
    ("Annotated[int, dc.UInt64]", Annotated[int, dc.UInt64]),
    ("float", float),
    ("Annotated[float, dc.Float32]", Annotated[float, dc.Float32]),
    ("Decimal", Decimal),
    (
        "Annotated[Decimal, Field(max_digits=10, decimal_places=2)]",
        Annotated[Decimal, Field(max_digits=10, decimal_places=2)],
    ),
    ("str", str),
    ("Annotated[str, pl.Categorical]", Annotated[str, pl.Categorical]),
    ("Literal['a', 'b'], an Enum of text", Literal["a", "b"]),
    ("Literal[1, 2], an Enum of whole numbers", Literal[1, 2]),
    ("bytes", bytes),
    ("date", dt.date),
    ("datetime, NaiveDatetime", dt.datetime),
    ("AwareDatetime", AwareDatetime),
    (
        "Annotated[AwareDatetime, pl.Datetime('ms', 'Europe/Berlin')]",
        Annotated[AwareDatetime, pl.Datetime("ms", "Europe/Berlin")],
    ),
    ("time", dt.time),
    ("timedelta", dt.timedelta),
    ("UUID", UUID),
    ("dict, dict[str, Any]", dict[str, Any]),
    ("dict[str, int]", dict[str, int]),
    ("Any, JsonValue", Any),
    ("list[str]", list[str]),
    ("list[list[int]]", list[list[int]]),
    ("a model, a dataclass or a dc.Schema", Point),
    ("list[Point]", list[Point]),
]
"""Every kind of annotation, with the words for it."""


def row(words: str, annotation: Any) -> list[str]:
    """What one annotation becomes everywhere."""
    table = type("Table", (dc.Schema,), {"__annotations__": {"x": annotation}})
    spec = table.field_specs()[0]
    column = table.to_dataframely().columns()["x"]
    twin = {name: value for name, value in table.json_schema()["properties"]["x"].items() if name != "default"}
    spelled = [table.sql_columns(dialect)[0] for dialect in DIALECTS]
    cells = [words, str(spec.column_type), str(spec.dtype), dataframely_name(column)]
    cells += [column.type + "*" * bool(column.loss) for column in spelled]
    return [f"`{cell}`" if cell else "" for cell in (*cells, json.dumps(twin))]


def dataframely_name(column: dy.Column) -> str:
    """The kind of column; one of ours where Dataframely has none."""
    own = type(column).__module__.startswith("dataframely.")
    return f"{'dy.' * own}{type(column).__name__}"


def type_table() -> str:
    """The table, as Markdown."""
    header = ["Python", "type", "Polars", "Dataframely", *DIALECT_NAMES, "JSON Schema"]
    rows = [header, ["---"] * len(header), *(row(*entry) for entry in TYPES)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in rows)


def page_with(table: str, text: str) -> str:
    """The page with the table in its place."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with(type_table(), PAGE.read_text()))
