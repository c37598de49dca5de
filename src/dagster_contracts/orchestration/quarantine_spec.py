"""A quarantine as a place in the asset graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dagster as dg

from dagster_contracts.contract.reading import read_contract
from dagster_contracts.orchestration.quarantine import declared_key, default_key
from dagster_contracts.orchestration.row_contracts import is_row_contract
from dagster_contracts.orchestration.tables import quarantine_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def build_quarantine_spec(
    contract: object,
    asset: dg.AssetsDefinition | dg.CoercibleToAssetKey,
    *,
    partitions_def: dg.PartitionsDefinition[str] | None = None,
    description: str | None = None,
    group_name: str | None = None,
    owners: Sequence[str] | None = None,
    tags: Mapping[str, str] | None = None,
    kinds: set[str] | None = None,
) -> dg.AssetSpec:
    """An asset's quarantine as a place in the asset graph, which downstream assets can read.

    Nothing materializes it: the rows are written by the asset's own step, and no event is made for them.

    Args:
        contract: The asset's contract.
        asset: The asset, which also gives its partitions and its quarantine's key; or its key.
        partitions_def: The partitions, where only a key was given.
        description: What it is; says which asset's invalid rows they are by default.
        group_name: As for `dg.AssetSpec`; the asset's own group by default, where the asset was given.
        owners: As for `dg.AssetSpec`.
        tags: As for `dg.AssetSpec`.
        kinds: As for `dg.AssetSpec`; `polars` by default.

    Raises:
        dg.DagsterInvariantViolationError: Both an asset and `partitions_def` were given.
    """
    known = read_contract(contract)
    if isinstance(asset, dg.AssetsDefinition):
        if partitions_def is not None:
            raise dg.DagsterInvariantViolationError(
                f"build_quarantine_spec was given the asset {asset.key.to_user_string()}, which brings its own "
                "partitions, and partitions_def. Leave out partitions_def, or pass the asset's key."
            )
        key, own = asset.key, asset.get_asset_spec()
        partitions_def, group_name = own.partitions_def, group_name or own.group_name
        quarantine_key = declared_key(own.metadata) or default_key(key)
    else:
        key = dg.AssetKey.from_coercible(asset)
        quarantine_key = default_key(key)
    return dg.AssetSpec(
        quarantine_key,
        deps=[key],
        description=description
        or f"The invalid rows of `{key.to_user_string()}`; a column per rule says whether the row broke it. The "
        "asset's runs write them and make no event for it, so it is never shown as materialized.",
        metadata={"dagster/column_schema": quarantine_columns(known, of_rows=is_row_contract(contract))},
        group_name=group_name,
        owners=owners,
        tags=tags,
        kinds=kinds if kinds is not None else {"polars"},
        partitions_def=partitions_def,
    )
