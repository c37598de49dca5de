"""What differs from dialect to dialect: how names are compared, and where NULL comes from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs from dialect to dialect.

    Args:
        name: Its name, as sqlglot calls it.
        unquoted: What becomes of a name without quotes.
        quoted_fold: Whether names in quotes are compared without regard to case, too.
        slash_zero: What `/` does with a zero on its right.
        modulo_zero: What `%` and the integer division do with it.
        cast: What CAST does with a value that it cannot convert; `depends` for on the ANSI mode.
        decimal_overflow: What arithmetic on decimals does with a result that has too many digits.
        concat_skips_null: Whether CONCAT leaves NULLs out.
        greatest_skips_null: Whether GREATEST and LEAST leave NULLs out.
        infinite_dates: Whether a date can be infinite, so that its year and its month are NULL.
        nested_compare: Whether comparing two values of nested types is NULL only where one of them is.
        reuses_aliases: Whether a SELECT item can call an item before it by name.
        correlates_from: Whether a subquery in FROM sees the relations on its left without LATERAL.
        merged_first: Whether `*` begins with the columns that USING has merged.
        values_names: The names of the columns of VALUES, with the number from `values_from` on in place of `{}`.
        values_from: The first number.
        listagg_empty: Whether the aggregate of strings over no rows is an empty string.
        null_elements: Whether an array in a table can have NULL elements.
    """

    name: str
    unquoted: Literal["lower", "upper"] = "lower"
    quoted_fold: bool = True
    slash_zero: Literal["error", "null", "depends", "value"] = "error"
    modulo_zero: Literal["error", "null", "depends"] = "error"
    cast: Literal["error", "depends"] = "error"
    decimal_overflow: Literal["error", "depends"] = "error"
    concat_skips_null: bool = False
    greatest_skips_null: bool = False
    infinite_dates: bool = False
    nested_compare: bool = False
    reuses_aliases: bool = False
    correlates_from: bool = False
    merged_first: bool = True
    values_names: str = "column{}"
    values_from: int = 1
    listagg_empty: bool = False
    null_elements: bool = True

    def key(self, identifier: exp.Expr | None) -> str:
        """A name as it is compared."""
        if identifier is None:
            return ""
        text: str = identifier.name
        if self.quoted_fold:
            return text.lower()
        if identifier.args.get("quoted"):
            return text
        return text.lower() if self.unquoted == "lower" else text.upper()

    def shown(self, identifier: exp.Expr) -> str:
        """A name as the dialect returns it."""
        return identifier.name if self.quoted_fold else self.key(identifier)

    def declared_key(self, name: str) -> str:
        """The name of a declared column as it is compared: the dialect has folded it already."""
        return name.lower() if self.quoted_fold else name


def _duckdb() -> Dialect:
    """DuckDB as it is installed: since 2.0 `x // 0` and `x % 0` are errors, before they were NULL."""
    return Dialect(
        "duckdb",
        slash_zero="value",
        modulo_zero="error" if int(version("duckdb").split(".")[0]) > 1 else "null",
        concat_skips_null=True,
        greatest_skips_null=True,
        infinite_dates=True,
        nested_compare=True,
        reuses_aliases=True,
        correlates_from=True,
        merged_first=False,
        values_names="col{}",
        values_from=0,
    )


@cache
def dialect_named(name: str) -> Dialect | None:
    """The dialect of this name, or `None` if nothing is known about its NULLs."""
    match name.lower():
        case "duckdb":
            return _duckdb()
        case "postgres":
            return Dialect(
                "postgres", quoted_fold=False, concat_skips_null=True, greatest_skips_null=True, infinite_dates=True
            )
        case "snowflake":
            return Dialect("snowflake", unquoted="upper", quoted_fold=False, reuses_aliases=True, listagg_empty=True)
        case "bigquery":
            return Dialect("bigquery", null_elements=False)
        case "databricks":
            return Dialect(
                "databricks",
                slash_zero="depends",
                modulo_zero="depends",
                cast="depends",
                decimal_overflow="depends",
                greatest_skips_null=True,
                reuses_aliases=True,
                values_names="col{}",
            )
    return None
