"""What a rule must see to be decided: its own row, all rows with its key, or the whole table.

A wrong answer here would split rows wrongly, so only expressions made of nodes that are known to look at one row, or at
the rows of one key, are taken for such. Everything else sees the whole table, which is slower and always right.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from dagster_contracts.contract.expressions import Node, tree

if TYPE_CHECKING:
    import polars as pl


class Scope(Enum):
    """What a rule must see to be decided."""

    ROW_LOCAL = "its own row"
    KEYED = "all rows with its key"
    WHOLE_TABLE = "the whole table"


@dataclass(frozen=True)
class Sight:
    """What one rule must see.

    Args:
        scope: Its own row, all rows with its key, or the whole table.
        keys: Of a keyed rule, columns such that rows which differ in one of them never see each other.
        is_unique: Whether the rule is nothing but "no other row has these keys".
        not_null: The one column that the rule asks to be not null, if it asks nothing else.
    """

    scope: Scope
    keys: tuple[str, ...] = ()
    is_unique: bool = False
    not_null: str | None = None


WHOLE_TABLE = Sight(Scope.WHOLE_TABLE)

_STRUCTURE = frozenset(["Column", "Literal", "BinaryExpr", "Ternary", "Cast", "Alias"])


def _family(family: str, names: str) -> frozenset[str]:
    return frozenset(f"{family}.{name}" for name in names.split())


_ROW_LOCAL = frozenset().union(
    _STRUCTURE,
    _family("Boolean", "Not IsNull IsNotNull IsFinite IsInfinite IsNan IsNotNan IsBetween AllHorizontal AnyHorizontal"),
    _family("StringExpr", "Contains StartsWith EndsWith LenBytes LenChars Lowercase Uppercase Slice Head Tail Find"),
    _family(
        "StringExpr", "StripChars StripCharsStart StripCharsEnd StripPrefix StripSuffix CountMatches Extract Replace"
    ),
    _family("TemporalExpr", "Year IsoYear Month Quarter Week WeekDay Day OrdinalDay Hour Minute Second Millisecond"),
    _family(
        "TemporalExpr", "Microsecond Nanosecond Date Time Truncate Combine OffsetBy MonthStart MonthEnd IsLeapYear"
    ),
    _family("TemporalExpr", "TotalDays TotalHours TotalMinutes TotalSeconds TotalMilliseconds TotalMicroseconds"),
    _family("ListExpr", "Length Get Contains Sum Min Max Mean NUnique"),
    _family("ArrayExpr", "Length Get Contains Sum Min Max NUnique"),
    _family("StructExpr", "FieldByName FieldByIndex"),
    ["AsStruct", "Abs", "Sign", "Round", "Floor", "Ceil", "Clip", "FillNull", "Coalesce", "Negate"],
    ["MaxHorizontal", "MinHorizontal"],
)
# What may stand inside `list.eval`, whose elements see each other and no other row.
_ON_ELEMENTS = _ROW_LOCAL.union(
    ["Element", "Len"],
    _family("Boolean", "IsUnique IsDuplicated IsFirstDistinct IsLastDistinct Any All"),
    _family("Agg", "Sum Min Max Mean Count NUnique First Last"),
)
_ONE_LIST = ("Literal", "Literal.Series")
_UNIQUENESS = ("Boolean.IsUnique", "Boolean.IsDuplicated")


def classify(expr: pl.Expr) -> Sight:
    """What a rule's expression must see, read from its tree."""
    root = tree(expr)
    found: list[frozenset[str]] = []
    if not _is_readable(root, found):
        return WHOLE_TABLE
    if not found:
        return Sight(Scope.ROW_LOCAL, not_null=_asks_not_null(root))
    # Rows that agree on every key of every window agree on the keys that the windows share.
    shared = frozenset.intersection(*found)
    if not shared:
        return WHOLE_TABLE
    return Sight(Scope.KEYED, tuple(sorted(shared)), is_unique=root.kind == _UNIQUENESS[0])


def _is_readable(node: Node, found: list[frozenset[str]]) -> bool:
    """Whether a node looks at one row but for the windows in it, whose keys are added to `found`."""
    if node.kind in _UNIQUENESS:
        keys = _unique_columns(node)
        found.append(keys)
        return bool(keys)
    if node.kind == "Over":
        keys = _columns(node.keys)
        found.append(keys)
        return bool(keys) and all(_stays_in_its_group(part) for child in node.children for part in child.walk())
    if node.kind == "Eval":
        inside, evaluated = node.children
        return _is_readable(inside, found) and all(part.kind in _ON_ELEMENTS for part in evaluated.walk())
    if node.kind == "Boolean.IsIn":
        # The values are one list for all rows, unless they are a series of lists, one for each row.
        values = node.children[1:]
        return _is_readable(node.children[0], found) and all(part.kind in _ONE_LIST for part in values)
    return node.kind in _ROW_LOCAL and all(_is_readable(child, found) for child in node.children)


def _stays_in_its_group(node: Node) -> bool:
    """Whether a node inside a window sees only the window's rows, in their order."""
    return node.kind not in {"?", "Over", "Literal.Series", "Literal.Lists"}


def _unique_columns(node: Node) -> frozenset[str]:
    inner = node.children[0]
    return _columns(inner.children if inner.kind == "AsStruct" else (inner,))


def _columns(nodes: tuple[Node, ...]) -> frozenset[str]:
    """The columns that nodes are, or none if one of them is anything else."""
    names = [node.column for node in nodes if node.column is not None]
    return frozenset(names) if len(names) == len(nodes) else frozenset()


def _asks_not_null(root: Node) -> str | None:
    return root.children[0].column if root.kind == "Boolean.IsNotNull" and root.children else None
