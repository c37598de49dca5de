"""The six ways a run of a contract asset ends, and what each of them does. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from dagster_contracts import errors

if TYPE_CHECKING:
    from collections.abc import Mapping


class Outcome(Enum):
    """How a run of a contract asset ends; the value is what was returned."""

    COLUMNS_BROKEN = "columns or dtypes not the contract's"
    ALL_VALID = "every row valid"
    ABORTED = "invalid rows, no quarantine"
    QUARANTINED = "invalid rows, quarantine"
    NO_VALID_ROWS = "no valid row, quarantine"
    SKIPPED = "`None`"


@dataclass(frozen=True)
class Consequence:
    """What an outcome does.

    Args:
        table: What is written to the table; `None` leaves the one that is there.
        quarantine: What is written to the quarantine.
        failing_checks: The severity at which broken rules report; `None` where none is broken or none was evaluated.
        error: What fails the run; `None` where it succeeds.
    """

    table: Literal["every row", "valid rows"] | None
    quarantine: Literal["invalid rows", "every row"] | None
    failing_checks: Literal["WARN", "ERROR"] | None
    error: type[errors.DataError] | None


CONSEQUENCES: Mapping[Outcome, Consequence] = {
    Outcome.COLUMNS_BROKEN: Consequence(None, None, None, errors.ColumnSchemaError),
    Outcome.ALL_VALID: Consequence("every row", None, None, None),
    Outcome.ABORTED: Consequence(None, None, "ERROR", errors.ValidationAbortError),
    Outcome.QUARANTINED: Consequence("valid rows", "invalid rows", "WARN", None),
    Outcome.NO_VALID_ROWS: Consequence(None, "every row", "ERROR", errors.NoValidRowsError),
    Outcome.SKIPPED: Consequence(None, None, None, None),
}


def decide(*, valid_count: int, invalid_count: int, has_quarantine: bool) -> Outcome:
    """The outcome of a frame whose columns are the contract's.

    Args:
        valid_count: Rows that keep every rule.
        invalid_count: Rows that break at least one.
        has_quarantine: Whether invalid rows have somewhere to go.
    """
    if invalid_count == 0:
        return Outcome.ALL_VALID
    if not has_quarantine:
        return Outcome.ABORTED
    return Outcome.QUARANTINED if valid_count else Outcome.NO_VALID_ROWS


@dataclass(frozen=True)
class Policy:
    """Limits an asset's author adds to the six outcomes; each one can only make a run stricter.

    Args:
        min_rows: Fewer valid rows than this fail the run.
        max_invalid: More invalid rows than this fail the run: a count, or a share of all rows (a float from 0 to 1).
    """

    min_rows: int | None = None
    max_invalid: int | float | None = None

    def __post_init__(self) -> None:
        """Refuse limits that mean nothing."""
        rows, invalid = self.min_rows, self.max_invalid
        if rows is not None and (not isinstance(rows, int) or isinstance(rows, bool) or rows < 0):
            raise errors.InvalidSettingError(f"min_rows is {rows!r}; allowed is a whole number from 0.")
        is_count = isinstance(invalid, int) and not isinstance(invalid, bool) and invalid >= 0
        is_share = isinstance(invalid, float) and 0.0 <= invalid <= 1.0
        if invalid is not None and not is_count and not is_share:
            raise errors.InvalidSettingError(
                f"max_invalid is {invalid!r}; allowed is a count (a whole number) or a share (a float from 0.0 to 1.0)."
            )

    def too_few(self, valid_count: int) -> bool:
        """Whether so few valid rows must not replace the table."""
        return self.min_rows is not None and valid_count < self.min_rows

    def too_many_invalid(self, valid_count: int, invalid_count: int) -> bool:
        """Whether so many invalid rows mean that the input as a whole is not to be trusted."""
        if self.max_invalid is None or not invalid_count:
            return False
        if isinstance(self.max_invalid, int):
            return invalid_count > self.max_invalid
        # The share as its author wrote it: 0.29 of 100 rows are 29, not the 28.999999999999996 of binary floats.
        return invalid_count > Fraction(str(self.max_invalid)) * (valid_count + invalid_count)
