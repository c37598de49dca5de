"""What is known about a contract asset before any run."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.errors import InvalidSettingError
from dagster_contracts.orchestration.checks import CheckGroup, group_rules
from dagster_contracts.orchestration.outcome import Policy
from dagster_contracts.orchestration.returned import refuse_nothing, refuse_result
from dagster_contracts.orchestration.row_contracts import is_row_contract, row_contract

if TYPE_CHECKING:
    from collections.abc import Callable

    import dagster as dg

    from dagster_contracts.contract.fields import Contract
    from dagster_contracts.frames.column_schema import ExtraColumns
    from dagster_contracts.orchestration.settings import Settings
    from dagster_contracts.rows.schema import Schema


def extra_columns(on_extra_columns: object, on_schema_change: object) -> ExtraColumns:
    """What becomes of columns and keys that a contract does not declare; a column and a key are one thing here.

    Raises:
        InvalidSettingError: One of them is not allowed, or they differ.
    """
    given = {"on_extra_columns": on_extra_columns, "on_schema_change": on_schema_change}
    asked = {name: value for name, value in given.items() if value is not None}
    for name, value in asked.items():
        if value not in ("drop", "raise", "keep"):
            raise InvalidSettingError(f"{name} is {value!r}; allowed is 'drop' or 'raise' or 'keep'.")
    if len(set(asked.values())) > 1:
        raise InvalidSettingError(
            f"on_extra_columns is {on_extra_columns!r} and on_schema_change is {on_schema_change!r}: both say what "
            "becomes of undeclared columns. Give one of them."
        )
    return cast("ExtraColumns", next(iter(asked.values()), "drop"))


@dataclass(frozen=True)
class Declaration:
    """What is known about an asset before any run: its contract, read and named once.

    Args:
        contract: The contract.
        asset: The asset's key.
        groups: The checks its rules report as.
        policy: Limits beyond the six outcomes.
        on_extra_columns: What becomes of columns and keys that the contract does not declare.
        partitioned: Whether a run writes a partition and not the whole table.
        source: The contract as its author wrote it.
        normalizer: Turns what the function gave into what is conformed.
    """

    contract: Contract
    asset: dg.AssetKey
    groups: tuple[CheckGroup, ...]
    policy: Policy = field(default_factory=Policy)
    on_extra_columns: ExtraColumns = "drop"
    partitioned: bool = False
    source: object = None
    normalizer: Callable[[Any], Any] | None = None

    @classmethod
    def of(cls, contract: Contract, asset: dg.AssetKey, settings: Settings, **rest: Any) -> Declaration:
        """Declare an asset with the checks that its settings ask for."""
        groups = group_rules(contract, settings.check_granularity, settings.schema_rules)
        return cls(contract, asset, groups, **rest)

    @property
    def name(self) -> str:
        """The asset as messages call it."""
        return self.asset.to_user_string()

    @property
    def takes_rows(self) -> bool:
        """Whether the contract is one on rows: then frames are conformed, too, and what arrives has its own checks."""
        return is_row_contract(self.source)

    @property
    def conforms(self) -> bool:
        """Whether even a frame may be another one by the time that it is held against the contract."""
        return self.takes_rows or self.normalizer is not None

    @cached_property
    def rows(self) -> type[Schema] | None:
        """What rows are conformed to; `None` where the contract was given as nothing that says it."""
        return row_contract(self.source)

    def effective_schema(self) -> type[Schema] | None:
        """What is written, as IO managers are told."""
        return self.rows

    @cached_property
    def known_keys(self) -> frozenset[str]:
        """The keys and columns that the contract declares."""
        if self.rows is None:
            return frozenset(self.contract.column_names)
        fields = row_schema(self.rows).fields
        return frozenset(name for one in fields for name in (one.key, one.name))

    def normalized(self, value: Any) -> Any:
        """What the normalizer makes of what the function gave.

        Raises:
            ReturnTypeError: It makes nothing of it.
        """
        if self.normalizer is None:
            return value
        try:
            found = self.normalizer(value)
        except Exception as error:
            error.add_note(f"Raised by the normalizer of {self.name}. Nothing was written.")
            raise
        if found is None:
            refuse_nothing(self.name, value)
        return refuse_result(self.name, found)
