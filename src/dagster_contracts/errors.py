"""Every error this package raises.

::

    ContractsError
    ├── DataError                         the data broke a promise: the run fails and is not retried
    │   ├── ColumnSchemaError             a column is missing, has another dtype, or is not declared
    │   ├── ValidationAbortError          invalid rows and no quarantine to put them in
    │   ├── NoValidRowsError              every row is invalid
    │   ├── TooManyInvalidRowsError       more invalid rows than `max_invalid` allows
    │   ├── TooFewRowsError               fewer valid rows than `min_rows` asks for
    │   ├── SchemaError                   rows cannot be brought to their schema's types
    │   └── ContractViolationError        a SQL model's output would break its contract: nothing was run
    └── UsageError                        the caller misused us
        ├── NotAContractError             what was passed is not a contract
        │   └── CollectionNotSupportedError
        ├── ContractParseError            a contract file or a project's configuration cannot be read
        │   └── UnknownTypeError          a type is named that nobody knows
        ├── SchemaDefinitionError         a `dc.Schema` declares what cannot be a table
        ├── AssetError                    an asset with a contract returned what is no table
        │   └── ReturnTypeError           the same, for Dagster one of its own invariants
        ├── SqlModelError                 a SQL model cannot be run by its engine
        ├── RuleError                     a rule cannot be built or evaluated
        ├── AnnotationError               a parameter's annotation names nothing known
        ├── UnknownRuleError              a rule is named that the contract does not have
        ├── ReservedColumnError           a column inside the reserved `dy_` namespace
        ├── CheckNameCollisionError       two rules with one check name
        ├── InvalidSettingError           a setting's value is not allowed
        ├── GranularityMismatchError      specs and results were built with different settings
        ├── MaterializeResultFieldError   a returned result sets a field that the package sets
        ├── MaterializeResultValueError   a returned result carries no frame
        ├── QuarantineDirError            an asset was called, and no directory is set for its quarantine
        ├── QuarantineKeyCollisionError   two owners of one quarantine key
        ├── QuarantineStorageError        the bound IO manager cannot keep a quarantine
        └── StorageError                  `ParquetIOManager` did not write or read what it was asked to

`DataError`s and `UsageError`s that leave a Dagster step are also `dagster.Failure`s that no retry policy retries: the
same data and the same code fail again. Only a `StorageError` whose cause may pass, such as a full disk, is retried.
This module knows no Dagster; `orchestration/failures.py` joins the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


class ContractsError(Exception):
    """Base of every error of this package. Its one argument is the message."""


class DataError(ContractsError):
    """The data broke a promise of its contract."""


class ColumnSchemaError(DataError):
    """A declared column is missing or has another dtype, or a column is not declared and `on_extra_columns="raise"`."""


class ValidationAbortError(DataError):
    """Some rows are invalid and the asset has no quarantine, so nothing was written."""


class NoValidRowsError(DataError):
    """Every row is invalid; all of them are in the quarantine and the table was not written."""


class TooManyInvalidRowsError(DataError):
    """More rows are invalid than `max_invalid` allows; they are in the quarantine and the table was not written."""


class TooFewRowsError(DataError):
    """Fewer rows are valid than `min_rows` asks for; the table was not written."""


class SchemaError(DataError):
    """Rows cannot be brought to their schema's types; the message names the rows, the fields and the reasons.

    `failures` holds each of them as a `RowFailure`, in the order of rows and fields, up to a bound.
    """

    failures: tuple[Any, ...] = ()


class ContractViolationError(DataError):
    """A SQL model's output would break its contract; it was not run and its table stands as it was."""


class UsageError(ContractsError):
    """The package was used in a way that cannot work."""


class NotAContractError(UsageError, TypeError):
    """What was passed as a contract is not one."""


class CollectionNotSupportedError(NotAContractError):
    """A `dy.Collection` was passed where one table's contract is needed."""


class ContractParseError(UsageError, ValueError):
    """A contract file or a project's configuration cannot be read; the message names the file and the line."""


class UnknownTypeError(ContractParseError):
    """A type is named that neither the vocabulary nor the dialect knows."""


class SchemaDefinitionError(UsageError, TypeError):
    """A `dc.Schema` declares what cannot be a table: an unknown type, a recursion, a key twice."""


class AssetError(UsageError):
    """An asset with a contract returned something that is no table."""


class SqlModelError(UsageError):
    """A SQL model cannot be run by its engine; the message carries the engine's own."""


class RuleError(UsageError):
    """A rule's expression cannot be built, does not evaluate, or is not Boolean."""


class AnnotationError(UsageError, TypeError):
    """An annotation of a decorated function's parameter cannot be resolved."""


class UnknownRuleError(UsageError, LookupError):
    """A rule is named that the contract does not have."""


class ReservedColumnError(UsageError, ValueError):
    """A contract declares a column inside the reserved `dy_` namespace."""


class CheckNameCollisionError(UsageError, ValueError):
    """Two rules or columns of one contract map to the same check name."""


class InvalidSettingError(UsageError, ValueError):
    """A setting's value is not allowed, wherever it came from."""


class GranularityMismatchError(UsageError, ValueError):
    """Check results were built with other settings than the check specs of the step."""


class ReturnTypeError(AssetError):
    """The decorated function returned or yielded something that is no frame, no table, no rows and not `None`."""


class MaterializeResultFieldError(UsageError):
    """A returned `dg.MaterializeResult` sets `asset_key` or `check_results`, which the package sets."""


class MaterializeResultValueError(UsageError):
    """A returned `dg.MaterializeResult` has no frame as its `value`."""


class QuarantineDirError(UsageError):
    """An asset with a quarantine was called directly and `DAGSTER_CONTRACTS_QUARANTINE_DIR` does not help."""


class QuarantineKeyCollisionError(UsageError):
    """A quarantine's key belongs to another asset or to another asset's quarantine."""


class QuarantineStorageError(UsageError):
    """The bound IO manager cannot keep a second key, so invalid rows would be lost."""


class StorageError(UsageError):
    """`ParquetIOManager` cannot write or read what it was asked to."""
