"""This package's errors as they leave a Dagster step: also a `dagster.Failure`, so that no retry policy retries them.

The same data and the same code fail again, so a retry would only repeat the work and report the checks twice. Each
class keeps the name of the error it joins, and `except dc.errors.…` catches it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import dagster as dg

from dagster_contracts import errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn


def raise_as_failure(error: errors.ContractsError) -> NoReturn:
    """Raise an error of this package as one that is also a `dg.Failure` with `allow_retries=False`."""
    raise as_failure(error).with_traceback(error.__traceback__) from error.__cause__


@contextmanager
def as_failures() -> Iterator[None]:
    """Let this package's errors leave a block as ones that are also a `dg.Failure`; a disk may have room next time."""
    try:
        yield
    except errors.StorageError:
        raise
    except errors.ContractsError as error:
        raise_as_failure(error)


def as_failure(error: errors.ContractsError) -> errors.ContractsError:
    """The same error as an instance of a class that is also a `dg.Failure`."""
    if isinstance(error, dg.Failure):
        return error
    failure = _failure_class(type(error))(str(error))
    failure.__dict__.update(error.__dict__ | failure.__dict__)
    return failure


_classes: dict[type[errors.ContractsError], type[errors.ContractsError]] = {}


def _failure_class(kind: type[errors.ContractsError]) -> type[errors.ContractsError]:
    if kind not in _classes:
        _classes[kind] = _join(kind)
    return _classes[kind]


def _join(kind: type[errors.ContractsError]) -> type[errors.ContractsError]:
    bases: tuple[type, ...] = (kind, dg.Failure)
    if kind is errors.ReturnTypeError:
        bases = (kind, dg.DagsterInvariantViolationError, dg.Failure)

    def __init__(self: dg.Failure, message: str) -> None:  # noqa: N807
        dg.Failure.__init__(self, description=message, allow_retries=False)
        self.args = (message,)

    def __reduce__(self: errors.ContractsError) -> tuple[object, ...]:  # noqa: N807
        return _rebuild, (kind, str(self))

    return type(
        kind.__name__,
        bases,
        {"__init__": __init__, "__reduce__": __reduce__, "__module__": kind.__module__, "__doc__": kind.__doc__},
    )


def _rebuild(kind: type[errors.ContractsError], message: str) -> errors.ContractsError:
    return _failure_class(kind)(message)
