"""What a decorated function returned, taken apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dagster as dg
import polars as pl

from dagster_contracts import errors
from dagster_contracts.orchestration.failures import raise_as_failure


def unwrap(asset: str, returned: object) -> tuple[pl.DataFrame | pl.LazyFrame | None, dg.MaterializeResult[Any]]:
    """The frame in a returned value, and the result that carries metadata, tags and a data version with it.

    Args:
        asset: The asset as messages call it.
        returned: Whatever the decorated function returned.

    Raises:
        ReturnTypeError: It is no frame, no result and not `None`.
        MaterializeResultFieldError: A result sets a field that the package sets.
        MaterializeResultValueError: A result carries no frame.
    """
    if returned is None or isinstance(returned, (pl.DataFrame, pl.LazyFrame)):
        return returned, dg.MaterializeResult()
    if not isinstance(returned, dg.MaterializeResult):
        hint = " Return the frame instead of yielding it." if isinstance(returned, Iterator) else ""
        raise_as_failure(
            errors.ReturnTypeError(
                f"{asset} returned {type(returned).__name__}; a contract asset returns a pl.DataFrame, a "
                f"pl.LazyFrame, a dg.MaterializeResult whose value is one, or None when there is no data.{hint}"
            )
        )
    for name in ("asset_key", "check_results"):
        if getattr(returned, name):
            raise_as_failure(
                errors.MaterializeResultFieldError(
                    f"{asset} returned a dg.MaterializeResult with {name}=, which dc.asset sets itself: the "
                    f"key from the declaration, the check results from the contract. Leave {name} out."
                )
            )
    if not isinstance(returned.value, (pl.DataFrame, pl.LazyFrame)):
        kind = "no value" if isinstance(returned.value, type) else f"value={type(returned.value).__name__}"
        raise_as_failure(
            errors.MaterializeResultValueError(
                f"{asset} returned a dg.MaterializeResult with {kind}; value= must be a pl.DataFrame or a "
                "pl.LazyFrame. A run without data returns None, not a result."
            )
        )
    return returned.value, returned
