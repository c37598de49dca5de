"""What conforming does with a row that is not yet as its schema says."""

from __future__ import annotations

from enum import Enum

from dagster_contracts.errors import InvalidSettingError

_LEGACY = {"auto": "reconcile"}


class MaterializationStrategy(Enum):
    """How rows are brought to a schema's types.

    `RECONCILE` repairs what can be repaired without losing anything and refuses the rest; `STRICT` repairs nothing.
    """

    RECONCILE = "reconcile"
    STRICT = "strict"


def read_strategy(value: MaterializationStrategy | str) -> MaterializationStrategy:
    """The strategy that a setting names, in any case; the legacy spelling `"auto"` reads as `RECONCILE`.

    Args:
        value: A strategy or its name.

    Raises:
        InvalidSettingError: It names no strategy.
    """
    if isinstance(value, MaterializationStrategy):
        return value
    if isinstance(value, str):
        name = value.strip().lower()
        name = _LEGACY.get(name, name)
        for strategy in MaterializationStrategy:
            if strategy.value == name:
                return strategy
    raise InvalidSettingError(f"materialization_strategy must be 'reconcile' or 'strict'; got {value!r}.")
