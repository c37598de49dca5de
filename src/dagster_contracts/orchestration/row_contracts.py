"""What rows are conformed to, from whatever a contract was written as.

Both forms of contract take long to import: each is looked for only where it is imported, as it is if there is one.
"""

# ruff: noqa: PLC0415
from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    import dataframely as dy

    from dagster_contracts.rows.schema import Schema


def is_row_contract(contract: object) -> TypeGuard[type[Schema]]:
    """Whether a contract is a typed class on rows."""
    if not isinstance(contract, type) or "dagster_contracts.rows.schema" not in sys.modules:
        return False
    from dagster_contracts.rows.schema import Schema

    return issubclass(contract, Schema)


def row_contract(contract: object) -> type[Schema] | None:
    """What rows under a contract are conformed to; `None` if nothing is known but a frame's columns."""
    if is_row_contract(contract):
        return contract
    if not isinstance(contract, type) or "dataframely" not in sys.modules:
        return None
    import dataframely as dy

    return _of_dataframely(contract) if issubclass(contract, dy.Schema) else None


@lru_cache(maxsize=256)
def _of_dataframely(schema: type[dy.Schema]) -> type[Schema]:
    from dagster_contracts.rows.schema import Schema

    return Schema.from_dataframely(schema)
