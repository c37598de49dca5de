"""What a Dataframely column promises, in words: for the Columns tab and for the descriptions of asset checks.

Which promises a column makes is what its `validation_rules` says; this module only knows how to word each of them. So a
subclass with rules of its own is shown with them, and one that drops a rule is shown without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import cleandoc
from typing import Any

import dataframely as dy
import polars as pl

from dagster_contracts.contract.column_check import ColumnCheck
from dagster_contracts.contract.rendering_values import as_text, in_words, listed, one_line, quoted

CONSTRAINT_WIDTH = 30
"""Where Dagster's Columns tab cuts a constraint."""

DTYPE_WIDTH = 100
"""The longest text of a dtype."""

LIST_WIDTH = 200
"""The longest list of values or columns in a sentence."""

_LONGER = LIST_WIDTH - CONSTRAINT_WIDTH

NULLS_EQUAL = " (two nulls are duplicates of each other)"

_BOUNDS = (("min", ">="), ("min_exclusive", ">"), ("max", "<="), ("max_exclusive", "<"))
_LENGTHS = (("min_length", ">="), ("max_length", "<="))
_FAMILIES = ((dy.Any, "any"), (dy.Integer, "integer"), (dy.Float, "float"))


@dataclass(frozen=True)
class _Promise:
    """One promise: of the column itself (no path), of a struct's field (its name) or of every element (`None`)."""

    rule: str
    text: str
    words: str
    path: tuple[str | None, ...] = ()
    by_dtype: bool = False  # kept by the dtype: no rule of the column checks it


# --------------------------------------------------------------------------------------------------- the public names


@dataclass(frozen=True)
class Wording:
    """What a column promises, in words.

    Args:
        constraints: Every promise other than nullable, unique and primary key, as short texts, such as `>= 0.0` or
            `elements not null`: at most 30 characters each where they can be. A pattern, a name or a nested place is
            never cut, a list of values is.
        descriptions: From each rule's name, without the `column|` before it, to a sentence.
    """

    constraints: tuple[str, ...]
    descriptions: dict[str, str]


def worded(column: dy.Column, rules: Iterable[str] | None = None) -> Wording:
    """What a column of a Dataframely schema promises; one pass over it, however many rules it has.

    Args:
        column: The column.
        rules: The names of its rules, if they are known: Dataframely builds every rule to say them.
    """
    promises = _promises(column, rules=rules)
    short = (_short(promises[rule]) for rule in promises if rule not in ("nullability", "unique"))
    sentences = {rule: _sentence(column, promise) for rule, promise in promises.items() if not promise.by_dtype}
    return Wording(tuple(dict.fromkeys(short)), sentences)


def rule_description(column: dy.Column | None, rule: str, *, doc: str | None = None) -> str:
    """What one rule asks for, in a sentence.

    Args:
        column: The column that owns the rule; `None` for a rule of the whole schema.
        rule: The rule's name, without the `column|` before it.
        doc: The docstring of a schema's rule.

    Returns:
        For a column's rule a sentence such as "`amount` >= 0.0"; for a schema's rule the first paragraph of its
        docstring; in both cases the rule's name in words where nothing more is known.
    """
    if column is None:
        paragraph = cleandoc(doc or "").strip().split("\n\n")[0]
        return one_line(" ".join(paragraph.split())) or in_words(rule)
    return worded(column).descriptions.get(rule) or _sentence(column, _unknown(rule))


def primary_key_description(columns: Sequence[str]) -> str:
    """What a primary key asks for, in a sentence.

    Args:
        columns: The columns of the key, in order.
    """
    *others, last = [f"`{one_line(name)}`" for name in columns] or ["primary key"]
    if not others:
        return f"No two rows have the same {last}"
    return f"No two rows have the same {listed(others, LIST_WIDTH)} and {last} together"


def dtype_text(column: dy.Column) -> str:
    """A column's dtype as a reader should see it, in at most 100 characters.

    Args:
        column: A column of a Dataframely schema.

    Returns:
        Polars' text of the dtype; where a column accepts a family of dtypes, the family: `any`, `integer`, `float`, a
        `Decimal` without its precision.
    """
    return one_line(_dtype_text(column, room=DTYPE_WIDTH), DTYPE_WIDTH)


# ------------------------------------------------------------------------------------------------- promises of a column


def _promises(
    column: dy.Column, *, room: int = CONSTRAINT_WIDTH, within: str = "", rules: Iterable[str] | None = None
) -> dict[str, _Promise]:
    """A column's promises by rule, in the order of its rules; lists in short texts take at most `room` characters."""
    known = {promise.rule: promise for promise in (*_own(column, room, within), *_nested(column, room, within))}
    promises = {rule: promise for rule, promise in known.items() if promise.by_dtype}
    for rule in _rule_names(column, default=known) if rules is None else rules:
        promises[rule] = known.get(rule) or _unknown(rule)
    return promises


def _rule_names(column: dy.Column, *, default: Iterable[str]) -> Iterable[str]:
    try:
        return [str(rule) for rule in column.validation_rules(pl.col(column.name))]
    except Exception:  # noqa: BLE001  (a user's check may do anything; whoever builds the rules reports it)
        return default


def _own(column: dy.Column, room: int, within: str) -> Iterator[_Promise]:
    nullable = getattr(column, "nullable", True)
    if not nullable:
        yield _Promise("nullability", "not null", "is never null")
    if getattr(column, "unique", False):
        yield _Promise("unique", "unique", f"is unique{within}{NULLS_EQUAL if nullable else ''}")
    yield from _checks(getattr(column, "check", None))
    yield from _limits(column)
    if not getattr(column, "allow_inf", True):
        yield _Promise("inf", "no infinity", "is never infinite")
    if not getattr(column, "allow_nan", True):
        yield _Promise("nan", "no NaN", "is never NaN")
    if isinstance(is_in := getattr(column, "is_in", None), Iterable):
        yield _one_of("is_in", is_in, room)
    if isinstance(column, dy.Enum):
        yield replace(_one_of("categories", column.categories, room), by_dtype=True)


def _limits(column: dy.Column) -> Iterator[_Promise]:
    for name, sign in _BOUNDS:
        if (value := getattr(column, name, None)) is not None:
            text = f"{sign} {as_text(value)}"
            yield _Promise(name, text, text)
    unit = " byte" if isinstance(column, dy.String) else " element" if isinstance(column, dy.List) else ""
    for name, sign in _LENGTHS:
        if (value := getattr(column, name, None)) is not None:
            text = f"length {sign} {value}{unit}{'s' * bool(unit and value != 1)}"
            yield _Promise(name, text, f"has {text}")
    if (regex := getattr(column, "regex", None)) is not None:
        yield _Promise("regex", f"matches {regex}", f"matches `{regex}`")
    if (resolution := getattr(column, "resolution", None)) is not None:
        yield _Promise("resolution", f"aligned to {resolution}", f"is aligned to {resolution}")


def _checks(check: Any) -> Iterator[_Promise]:
    for rule, name in _named_checks(check):
        function = check.get(name) if isinstance(check, Mapping) else None
        if isinstance(function, ColumnCheck):
            yield _Promise(rule, function.text, function.words)
            continue
        yield _Promise(rule, name, "passes its check" if name == "check" else f"passes the check `{name}`")


def _named_checks(check: Any) -> Iterator[tuple[str, str]]:
    """Each check's rule, named as Dataframely names it, and its own name, which for a lambda is `check`."""
    if isinstance(check, Mapping):
        yield from ((f"check__{name}", str(name)) for name in check)
    elif check is not None:
        functions = check if isinstance(check, Sequence) else [check]
        names = [getattr(function, "__name__", "<lambda>") for function in functions]
        named = [("check", "check") if name == "<lambda>" else (f"check__{name}", name) for name in names]
        seen = Counter[tuple[str, str]]()
        for rule, name in named:
            number = f"__{seen[rule, name]}" if named.count((rule, name)) > 1 else ""
            seen[rule, name] += 1
            yield rule + number, name + number


def _nested(column: dy.Column, room: int, within: str) -> Iterator[_Promise]:
    """What a column promises about its elements or fields; Dataframely puts `inner_` before the names of such rules."""
    if isinstance(column, dy.Struct):
        for name, field in column.inner.items():
            for promise in _promises(field, room=room - len(f"{name}: "), within=within).values():
                yield replace(promise, rule=f"inner_{name}_{promise.rule}", path=(name, *promise.path))
    elif isinstance(column, dy.List | dy.Array):
        within = f" within its {'array' if isinstance(column, dy.Array) else 'list'}"
        for promise in _promises(column.inner, room=room - len("elements "), within=within).values():
            yield replace(promise, rule=f"inner_{promise.rule}", path=(None, *promise.path))
        yield from _element_key(column.inner, within)


def _element_key(inner: dy.Column, within: str) -> Iterator[_Promise]:
    """A primary key inside a list: no two elements of one list share it."""
    fields = inner.inner.items() if isinstance(inner, dy.Struct) and not inner.primary_key else ()
    key = [name for name, field in fields if field.primary_key]
    if inner.primary_key or len(key) == 1:
        yield _Promise("primary_key", "unique", f"is unique{within}", path=(None, *key))
    elif key:
        by = f"unique by {', '.join(key)}"
        yield _Promise("primary_key", by, f"is {by}{within}", path=(None,))


def _one_of(rule: str, values: Iterable[object], room: int) -> _Promise:
    """`room` is what is left of a short text's width; of a sentence's as much is taken."""
    texts, room = [quoted(value) for value in values], room - len("in ()")
    return _Promise(rule, f"in ({listed(texts, room)})", f"is in ({listed(texts, room + _LONGER)})")


def _unknown(rule: str) -> _Promise:
    return _Promise(rule, in_words(rule), f'keeps the rule "{in_words(rule)}"')


# -------------------------------------------------------------------------------------------------------------- as text


def _short(promise: _Promise) -> str:
    place = ".".join("elements" if part is None else part for part in promise.path)
    colon = "" if None in promise.path else ":"
    return one_line(f"{place}{colon} {promise.text}" if place else promise.text)


def _sentence(column: dy.Column, promise: _Promise) -> str:
    subject = f"`{column.name}`" if column.name else "the column"
    for part in promise.path:
        subject = f"every element of {subject}" if part is None else f"`{part}` of {subject}"
    return one_line(f"{subject} {promise.words}")


def _dtype_text(column: dy.Column, room: int, *, exact: bool = False) -> str:
    """`exact`: inside an array, where Dataframely takes no family of dtypes, only the very dtype."""
    if not exact:
        for family, name in _FAMILIES:
            if isinstance(column, family):
                return name
        if isinstance(column, dy.Decimal) and column.precision is None:
            return f"Decimal(scale={column.scale})"
    exact = exact or isinstance(column, dy.Array)
    if exact or not isinstance(column, dy.List | dy.Struct):
        text = str(column.dtype)
        if len(text) <= room:
            return text
    return _assembled_dtype_text(column, room, exact=exact)


def _assembled_dtype_text(column: dy.Column, room: int, *, exact: bool) -> str:
    """The text put together from its parts, each of which may be a family or shortened."""
    match column:
        case dy.Enum():
            return f"Enum(categories=[{listed([repr(name) for name in column.categories], room - 19)}])"
        case dy.List():
            return f"List({_dtype_text(column.inner, room - 6, exact=exact)})"
        case dy.Array():
            shape = f", shape={column.shape}"
            return f"Array({_dtype_text(column.inner, room - 7 - len(shape), exact=True)}{shape})"
        case dy.Struct():
            room -= len("Struct({})")
            spare = len(", +99 more") if len(column.inner) > 1 else 0
            names = {f"{name!r}: ": field for name, field in column.inner.items()}
            parts = [name + _dtype_text(field, room - len(name) - spare, exact=exact) for name, field in names.items()]
            return f"Struct({{{listed(parts, room, 'fields')}}})"
    return one_line(str(column.dtype), max(room, 1))
