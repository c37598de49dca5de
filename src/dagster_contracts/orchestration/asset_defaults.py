"""`dc.asset_defaults`: what a group of assets has in common, said once."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Protocol

from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.errors import InvalidSettingError
from dagster_contracts.orchestration.asset import asset
from dagster_contracts.orchestration.declaration import extra_columns
from dagster_contracts.orchestration.settings import SettingArguments, resolve_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    import dagster as dg

    from dagster_contracts.contract.reading import ContractLike

_EACH_ITS_OWN = ("contract", "name", "key")


class AssetDecorator(Protocol):
    """`dc.asset` with other defaults."""

    def __call__(
        self, contract: ContractLike | None = None, /, **arguments: Any
    ) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
        """Declare an asset; an argument given here wins over the default."""


def asset_defaults(**defaults: Any) -> AssetDecorator:
    """`dc.asset` with other defaults, for a group of assets.

    ```python
    ads_asset = dc.asset_defaults(materialization_strategy="strict", quarantine=True, group_name="ads")


    @ads_asset(AdsStats)
    def ads_stats(): ...
    ```

    Args:
        **defaults: Any argument of `dc.asset` but the contract, `name` and `key`. Each wins over the environment, and
            what an asset says itself wins over it.

    Raises:
        InvalidSettingError: `dc.asset` has no such argument, or each asset needs its own.
        UsageError: A value is not allowed.
    """
    known = [name for name in inspect.signature(asset).parameters if name not in _EACH_ITS_OWN]
    for name in defaults:
        if name in _EACH_ITS_OWN:
            raise InvalidSettingError(f"dc.asset_defaults: {name} belongs to one asset, so it can be no default.")
        if name not in known:
            raise InvalidSettingError(f"dc.asset_defaults: dc.asset has no argument {name}.{did_you_mean(name, known)}")
    settings = {name: value for name, value in defaults.items() if name in SettingArguments.__dataclass_fields__}
    resolve_settings(SettingArguments(**settings))
    extra_columns(defaults.get("on_extra_columns"), defaults.get("on_schema_change"))
    return functools.partial(asset, **defaults)
