"""What is known about a contract asset before any run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dagster_contracts.orchestration.checks import CheckGroup, group_rules
from dagster_contracts.orchestration.outcome import Policy

if TYPE_CHECKING:
    import dagster as dg

    from dagster_contracts.contract.fields import Contract
    from dagster_contracts.frames.column_schema import ExtraColumns
    from dagster_contracts.orchestration.settings import Settings


@dataclass(frozen=True)
class Declaration:
    """What is known about an asset before any run: its contract, read and named once.

    Args:
        contract: The contract.
        asset: The asset's key.
        groups: The checks its rules report as.
        policy: Limits beyond the six outcomes.
        on_extra_columns: What becomes of columns that the contract does not declare.
        partitioned: Whether a run writes a partition and not the whole table.
    """

    contract: Contract
    asset: dg.AssetKey
    groups: tuple[CheckGroup, ...]
    policy: Policy = field(default_factory=Policy)
    on_extra_columns: ExtraColumns = "drop"
    partitioned: bool = False

    @classmethod
    def of(cls, contract: Contract, asset: dg.AssetKey, settings: Settings, **rest: Any) -> Declaration:
        """Declare an asset with the checks that its settings ask for."""
        groups = group_rules(contract, settings.check_granularity, settings.schema_rules)
        return cls(contract, asset, groups, **rest)

    @property
    def name(self) -> str:
        """The asset as messages call it."""
        return self.asset.to_user_string()
