"""Rules that a typed class declares beside its fields."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import dataframely as dy
import polars as pl

from dagster_contracts.errors import SchemaDefinitionError

RuleFunction = Callable[[Any], pl.Expr]

_FACTORY = type(dy.rule()(lambda _: pl.lit(value=True)))

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True)
class Rule:
    """A method that says which rows are valid.

    Args:
        function: Takes the class, returns an expression that is true for a valid row; its name is the rule's name.
        group_by: Columns; the expression is evaluated in each group of rows that are equal in them.
    """

    function: RuleFunction
    group_by: tuple[str, ...] = ()

    def as_dataframely(self) -> Any:
        """The same rule for a Dataframely schema."""
        if not self.group_by:
            return dy.rule()(self.function)

        @functools.wraps(self.function)
        def grouped(cls: Any) -> pl.Expr:
            return self.function(cls).over(self.group_by)

        return dy.rule()(grouped)


@overload
def rule(function: RuleFunction, /) -> Rule: ...
@overload
def rule(*, group_by: Sequence[str] = ...) -> Callable[[RuleFunction], Rule]: ...
def rule(function: RuleFunction | None = None, /, *, group_by: Sequence[str] = ()) -> Any:
    """Mark a method of a `dc.Schema` as a rule on rows, as `@dy.rule()` does in a Dataframely schema.

    Args:
        function: The method, where the decorator stands without brackets. It takes the class and returns a
            `pl.Expr` that is true, or null, for a valid row.
        group_by: Columns; the expression is evaluated in each group of rows that are equal in them, such as
            `pl.len() <= 3`.
    """
    columns = (group_by,) if isinstance(group_by, str) else tuple(group_by)
    if function is None:
        return lambda method: rule_of(method, columns)
    return rule_of(function, columns)


def rule_of(function: RuleFunction, group_by: tuple[str, ...]) -> Rule:
    """A rule of a function.

    Raises:
        SchemaDefinitionError: What was decorated is no plain function.
    """
    if isinstance(function, classmethod | staticmethod) or not callable(function):
        raise SchemaDefinitionError("@dc.rule stands on a plain function: `def rule(cls) -> pl.Expr`.")
    return Rule(function, group_by)


def is_rule(value: object) -> bool:
    """Whether a member of a class is a rule, ours or Dataframely's."""
    return isinstance(value, Rule | _FACTORY)


def refuse_bad_rules(schema: str, rules: dict[str, Any], columns: Collection[str]) -> None:
    """Refuse rules that no table could hold.

    Raises:
        SchemaDefinitionError: A rule is called like a column, or groups by a column that is not there.
    """
    for name, one in rules.items():
        if name in columns or name == "primary_key":
            raise SchemaDefinitionError(f"{schema}: the rule {name!r} is called like a column. Rename it.")
        for column in one.group_by if isinstance(one, Rule) else ():
            if column not in columns:
                raise SchemaDefinitionError(f"{schema}: the rule {name!r} groups by {column!r}, which is no column.")
