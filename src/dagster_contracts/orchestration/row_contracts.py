"""What rows are conformed to, from whatever a contract was written as."""

from __future__ import annotations

from functools import lru_cache

import dataframely as dy

from dagster_contracts.rows.schema import Schema


def is_row_contract(contract: object) -> bool:
    """Whether a contract is a typed class on rows."""
    return isinstance(contract, type) and issubclass(contract, Schema)


def row_contract(contract: object) -> type[Schema] | None:
    """What rows under a contract are conformed to; `None` if nothing is known but a frame's columns."""
    if isinstance(contract, type) and issubclass(contract, Schema):
        return contract
    return _of_dataframely(contract) if isinstance(contract, type) and issubclass(contract, dy.Schema) else None


@lru_cache(maxsize=256)
def _of_dataframely(schema: type[dy.Schema]) -> type[Schema]:
    return Schema.from_dataframely(schema)
