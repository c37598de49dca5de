"""What a decorated function returned, taken apart."""

from __future__ import annotations

import datetime as dt
import inspect
import io
import numbers
from collections.abc import AsyncIterable, Generator, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, NoReturn

import dagster as dg

from dagster_contracts import errors
from dagster_contracts.orchestration.failures import raise_as_failure
from dagster_contracts.orchestration.row_batches import is_page, is_row, is_series, is_table
from dagster_contracts.rows.foreign import no_if_it_raises

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

_VALUES = (str, bytes, bytearray, numbers.Number, dt.date, dt.time, dt.timedelta)


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
        return refuse_result(asset, returned), dg.MaterializeResult()
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
    return refuse_result(asset, returned.value), returned


def is_tabular(value: object) -> bool:
    """Whether a value is a table, or gives rows one after another."""
    return is_table(value) or is_page(value)


@no_if_it_raises
def is_value(value: object) -> bool:
    """Whether something is a value as rows hold them, and so no row."""
    return isinstance(value, _VALUES)


@no_if_it_raises
def is_unread(value: object) -> bool:
    """Whether something is no row, but may stand for many of them, which would be lost if it were refused as one."""
    return (
        isinstance(value, (AsyncIterable, AbstractSet, io.IOBase)) or inspect.isawaitable(value) or is_series(value)
    ) and not is_row(value)


def refuse_result(asset: str, value: Any) -> Any:
    """What a function gave; of a generator, the elements alone.

    Args:
        asset: The asset as messages call it.
        value: Whatever was given. A generator raises a `ReturnTypeError` at its end if it returns something.
    """
    return _without_result(asset, value) if inspect.isgenerator(value) else value


def _without_result(asset: str, generator: Generator[object, Any, object]) -> Iterator[object]:
    """The elements of a generator; what it returns is in none of them, and would be lost."""
    result = yield from generator
    if result is not None:
        raise_as_failure(
            errors.ReturnTypeError(
                f"{asset} returned {type(result).__name__} in a function that has a yield. Such a function is a "
                "generator: what it yields are its rows, and what it returns is lost. Write `yield from rows` and "
                "`return` in place of `return rows`, or return rows from a function without a yield."
            )
        )


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


def refuse_nothing(asset: str, value: object) -> NoReturn:
    """Refuse what a normalizer made of what a function gave, as it is nothing.

    Raises:
        ReturnTypeError: Always.
    """
    raise_as_failure(
        errors.ReturnTypeError(
            f"the normalizer of {asset} was given {type(value).__name__} and returned None. Return the rows from it, "
            "or [] if none are left. A run without data is for the asset's function to tell, by returning None."
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
    raise_as_failure(
        errors.ReturnTypeError(
            f"{asset} returned {within}{kind}; a contract asset returns a pl.DataFrame, a pl.LazyFrame, an Arrow or "
            "pandas table, rows (dicts, dataclass or pydantic objects) in a list or one by one, a dg.MaterializeResult "
            f"whose value is one of these, or None when there is no data.{_hint(value, within)}"
        )
    )


def _hint(value: object, within: str) -> str:
    """What to do about something that is no table, behind a space; empty where nothing better is known."""
    kind = type(value).__name__
    if issubclass(type(value), (dg.Failure, dg.RetryRequested)):
        return f" Raise it: raise dg.{kind}(…)."
    if issubclass(type(value), EVENTS):
        return " Yield the rows alone: dc.asset makes the events. context.log_event(…) takes one of your own."
    if is_row(value):
        return " Return [row]." if isinstance(value, dict) else f" One row is a list of one: return [{kind}(…)]."
    if within and is_value(value):
        return " A row has names: dict(zip(columns, values))."
    if is_unread(value):
        return _how_to_read(value)
    return ""


def _how_to_read(value: object) -> str:
    """How rows are had of what may stand for many of them."""
    if isinstance(value, AsyncIterable):
        return " Read it with `async for`, in an asset's function that is async itself."
    if inspect.isawaitable(value):
        return " Await it."
    if isinstance(value, AbstractSet):
        return " A set has no order: give a list."
    if isinstance(value, io.IOBase):
        return " Read the file: json.load(file), csv.DictReader(file) or pl.read_csv(file) give rows or a table."
    return " A series is one column: give a frame, or what is in it by .to_list()."
