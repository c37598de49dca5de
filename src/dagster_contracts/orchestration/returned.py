"""What a decorated function returned, taken apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NoReturn

import dagster as dg
import polars as pl
from pydantic import BaseModel

from dagster_contracts import errors
from dagster_contracts.orchestration.failures import raise_as_failure
from dagster_contracts.orchestration.row_batches import is_row, is_table

EVENTS = (
    dg.Output,
    dg.DynamicOutput,
    dg.MaterializeResult,
    dg.ObserveResult,
    dg.AssetMaterialization,
    dg.AssetObservation,
    dg.AssetCheckResult,
    dg.AssetCheckEvaluation,
    dg.ExpectationResult,
    dg.HookExecutionResult,
    dg.TypeCheck,
    dg.DagsterEvent,
    dg.SensorResult,
    dg.RunRequest,
    dg.SkipReason,
    dg.AddDynamicPartitionsRequest,
    dg.DeleteDynamicPartitionsRequest,
    dg.Failure,
    dg.RetryRequested,
)
"""What other functions of Dagster give it, and an asset under a contract does not; some of them look like rows."""

_NO_ROWS_IN_IT = (str, bytes, bytearray, memoryview, Mapping, AbstractSet, BaseModel, pl.Series)


def unwrap(asset: str, returned: object) -> tuple[Any, dg.MaterializeResult[Any]]:
    """The value in what was returned, and the result that carries metadata, tags and a data version with it.

    Args:
        asset: The asset as messages call it.
        returned: Whatever the decorated function returned.

    Raises:
        MaterializeResultFieldError: A result sets a field that the package sets.
        MaterializeResultValueError: A result carries no value.
    """
    if not isinstance(returned, dg.MaterializeResult):
        return returned, dg.MaterializeResult()
    for name in ("asset_key", "check_results"):
        if getattr(returned, name):
            raise_as_failure(
                errors.MaterializeResultFieldError(
                    f"{asset} returned a dg.MaterializeResult with {name}=, which dc.asset sets itself: the "
                    f"key from the declaration, the check results from the contract. Leave {name} out."
                )
            )
    if returned.value is None or isinstance(returned.value, type):
        refuse_value(asset, returned.value)
    return returned.value, returned


def is_tabular(value: object) -> bool:
    """Whether a value is a table, or gives rows one after another."""
    return is_table(value) or (isinstance(value, Iterable) and not isinstance(value, _NO_ROWS_IN_IT))


def refuse_value(asset: str, value: object) -> NoReturn:
    """Refuse what a result carries.

    Raises:
        MaterializeResultValueError: Always.
    """
    kind = "no value" if isinstance(value, type) else f"value={type(value).__name__}"
    raise_as_failure(
        errors.MaterializeResultValueError(
            f"{asset} returned a dg.MaterializeResult with {kind}; value= must be a frame, a table or rows. A run "
            "without data returns None, not a result."
        )
    )


def refuse(asset: str, value: object, *, within: str = "") -> NoReturn:
    """Refuse what is no table.

    Args:
        asset: The asset as messages call it.
        value: What came instead of a table or a row.
        within: What it came in, such as `a list of`.

    Raises:
        ReturnTypeError: Always.
    """
    kind = type(value).__name__
    hint = ""
    if issubclass(type(value), (dg.Failure, dg.RetryRequested)):
        hint = f" Raise it: raise dg.{kind}(…)."
    elif issubclass(type(value), EVENTS):
        hint = " Yield the rows alone: dc.asset makes the events. context.log_event(…) takes one of your own."
    elif is_row(value):
        hint = f" One row is a list of one: return [{kind}(…)]." if not isinstance(value, dict) else " Return [row]."
    raise_as_failure(
        errors.ReturnTypeError(
            f"{asset} returned {within}{kind}; a contract asset returns a pl.DataFrame, a pl.LazyFrame, an Arrow or "
            "pandas table, rows (dicts, dataclass or pydantic objects) in a list or one by one, a dg.MaterializeResult "
            f"whose value is one of these, or None when there is no data.{hint}"
        )
    )
