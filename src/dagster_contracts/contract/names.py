"""The names under which a contract's columns and rules appear in Dagster and in a quarantine.

Dagster allows `^[A-Za-z0-9_]+$` in a check name. A rule or column that fits is used as it is, with the `|` between a
column and its rule written `__`. One that does not fit is spelled with the letters Dagster has, followed by eight hex
digits of its own hash, so that it stays readable and two of them never meet.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING

from dagster_contracts.errors import CheckNameCollisionError, ReservedColumnError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

RESERVED_PREFIX = "dy_"
COLUMNS_CHECK = "dy_schema__columns"
RULES_CHECK = "dy_schema__rules"
MIN_ROWS_CHECK = "contract__min_rows"
CONFORM_CHECK = "dy_row__conform"
SCHEMA_CHANGE_CHECK = "contract__schema_change"

_RULE_PREFIX = "dy_rule__"
_COLUMN_PREFIX = "dy_col__"
_FILTER_PREFIX = "dy_filter__"
_ONE_NAME = re.compile(r"[A-Za-z0-9_]{1,120}")
_RULE_NAME = re.compile(r"[A-Za-z0-9_]{1,120}(\|[A-Za-z0-9_]{1,120})?")
_LONGEST_READABLE = 60


def check_name(rule: str) -> str:
    """The name of a rule's asset check, and of its column in a quarantine.

    Args:
        rule: The rule's name as Dataframely has it, such as `amount|min`.

    Returns:
        `dy_rule__amount__min` for the example; always `^[A-Za-z0-9_]+$`.
    """
    return _RULE_PREFIX + _slug(rule, _RULE_NAME)


def column_check_name(column: str) -> str:
    """The name of the check that holds all rules of one column, at granularity `column`."""
    return _COLUMN_PREFIX + _slug(column, _ONE_NAME)


def raw_column(columns: Collection[str]) -> str:
    """The quarantine's column that has a row as it arrived, where the data may have one of that name itself."""
    return "raw" if "raw" not in columns else "dy_row__raw"


def filter_check_name(name: str) -> str:
    """The name of the check that holds one filter of a Dataframely collection."""
    return _FILTER_PREFIX + _slug(name, _ONE_NAME)


def refuse_reserved_columns(contract: str, columns: Collection[str], *, hint: str = "") -> None:
    """Refuse columns that a quarantine's own columns could meet, and those that Polars takes for other columns.

    Args:
        contract: The contract's name.
        columns: The names of its columns.
        hint: What the contract's form has instead of a reserved name, after "Rename the column".

    Raises:
        ReservedColumnError: A column's name begins with `dy_`, or is `*` or `^…$`.
    """
    patterns = [column for column in columns if column == "*" or (column.startswith("^") and column.endswith("$"))]
    if patterns:
        raise ReservedColumnError(
            f"{contract} declares {', '.join(map(repr, patterns))}: Polars reads such a name as a pattern for other "
            "columns, so its rules would look at those. Rename the column."
        )
    reserved = [column for column in columns if column.startswith(RESERVED_PREFIX)]
    if reserved:
        raise ReservedColumnError(
            f"{contract} declares {', '.join(map(repr, reserved))}: names that begin with {RESERVED_PREFIX!r} are "
            f"reserved for check names and quarantine columns. Rename the column{hint}."
        )


def refuse_collisions(contract: str, names: Sequence[tuple[str, str]]) -> None:
    """Refuse two rules or columns that would report as one check.

    Args:
        contract: The contract's name, for the message.
        names: Pairs of an original name and the check name it maps to.

    Raises:
        CheckNameCollisionError: Two originals share a check name.
    """
    taken: dict[str, str] = {}
    for original, name in names:
        if name in taken:
            raise CheckNameCollisionError(
                f"{contract}: {taken[name]!r} and {original!r} would both report as the check {name!r}. Rename one."
            )
        taken[name] = original


def _slug(text: str, fits: re.Pattern[str]) -> str:
    if fits.fullmatch(text):
        return text.replace("|", "__")
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("|", "__")).encode("ascii", "ignore").decode()
    readable = re.sub(r"[^A-Za-z0-9_]+", "_", plain)[:_LONGEST_READABLE].strip("_")
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{readable}_{digest}" if readable else digest
