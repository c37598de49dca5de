"""In which form the halves of a frame in memory go to storage."""

from __future__ import annotations

import dagster as dg

from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.storage.parquet import ParquetUPathIOManager


def may_be_plans(asset: dg.AssetKey) -> bool:
    """Whether the halves may go to storage as plans over the frame, which are no second copy of it.

    Only where our own IO manager sinks them before it returns, and nobody else sees what the asset returns.
    """
    context = internals.current_context()
    if not isinstance(context, dg.AssetExecutionContext) or asset not in context.assets_def.keys:
        return False
    is_ours = isinstance(internals.bound_io_manager(context, asset), ParquetUPathIOManager)
    return is_ours and not internals.is_value_watched(context)
