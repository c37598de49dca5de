"""Which tables are measured, and where they are kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """One table of orders.

    Args:
        schema: The schema whose columns it has.
        rows: How many rows it has.
        invalid: About how many per cent of them break a rule.
    """

    schema: str
    rows: int
    invalid: int = 0

    @property
    def file_name(self) -> str:
        """The name that the table is kept under."""
        return f"{self.schema}-{self.rows}-{self.invalid}.parquet"
