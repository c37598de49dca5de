"""A Dataframely schema as a contract. The only module that reads Dataframely's private parts."""

from __future__ import annotations

import copy
import hashlib
import inspect
from functools import lru_cache
from typing import TYPE_CHECKING

import dataframely as dy
import polars as pl
from dataframely._rule import Rule, RuleFactory

from dagster_contracts.contract import expressions, names, rendering
from dagster_contracts.contract.fields import Contract, FieldSpec, RuleSpec, as_tags, is_sensitive
from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.contract.type_polars import from_polars
from dagster_contracts.contract.types import Type
from dagster_contracts.errors import NotAContractError, RuleError, UnknownRuleError, UnknownTypeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dataframely._filter import Filter

WARN_KEY = "warn"
"""Column metadata: `True` makes every rule of the column a warning, a rule's name or a list of them only those."""


@lru_cache(maxsize=1024)
def read_schema(schema: type[dy.Schema]) -> Contract:
    """Read a Dataframely schema, once.

    Raises:
        NotAContractError: The schema declares no column.
        ReservedColumnError: A column's name begins with `dy_`.
        CheckNameCollisionError: Two rules or columns map to one check name.
        RuleError: A rule's expression cannot be built.
        UnknownRuleError: A column's metadata marks a rule as a warning that the column does not have.
    """
    columns = {name: copy.copy(column) for name, column in schema.columns().items()}
    if not columns:
        raise NotAContractError(
            f"{schema.__name__} declares no column, so a table under it would lose every one it has."
        )
    names.refuse_reserved_columns(schema.__name__, columns, hint="; `alias=` sets its name in the frame")
    built = _built_rules(schema, columns)
    rule_names = _rule_names(schema, columns, built)
    wordings = {name: rendering.worded(column, rule_names[name]) for name, column in columns.items()}
    fields = tuple(_field(name, column, wordings[name]) for name, column in columns.items())
    rules = tuple(_rules(schema, columns, wordings, built))
    names.refuse_collisions(schema.__name__, [(rule.name, rule.check_name) for rule in rules])
    names.refuse_collisions(schema.__name__, [(column, names.column_check_name(column)) for column in columns])
    _refuse_unknown_warnings(schema, columns, wordings)
    return Contract(
        name=schema.__name__,
        description=_docstring(schema),
        fields=fields,
        rules=rules,
        fingerprint=_fingerprint(fields, rules),
    )


def collection_filters(collection: type[dy.Collection]) -> Mapping[str, Filter[dy.Collection]]:
    """The filters that a Dataframely collection declares, by name."""
    return collection._filters()


def filter_description(logic: Filter[dy.Collection]) -> str | None:
    """The docstring of a collection's filter."""
    return inspect.getdoc(logic.logic)


def _field(name: str, column: dy.Column, wording: rendering.Wording) -> FieldSpec:
    repeated = isinstance(column, dy.List | dy.Array)
    type_ = _type(column)
    return FieldSpec(
        name=name,
        type=type_.args[0] if repeated and type_.args else type_,
        repeated=repeated,
        fields=tuple(_field(part, inner, rendering.worded(inner)) for part, inner in _record_of(column).items()),
        dtype=column.dtype,
        type_text=rendering.dtype_text(column),
        accepts=column.validate_dtype,
        nullable=column.nullable,
        unique=column.unique,
        primary_key=column.primary_key,
        description=column.description,
        constraints=wording.constraints,
        tags=as_tags(column.metadata),
        sensitive=_is_sensitive(column),
    )


def _type(column: dy.Column) -> Type:
    """The type of what a column holds; a `Variant` where the vocabulary has no name for it."""
    try:
        return from_polars(column.dtype)
    except UnknownTypeError:
        return Type("Variant")


def _record_of(column: dy.Column) -> dict[str, dy.Column]:
    """The fields of a struct, or of the structs in a list of lists."""
    while isinstance(column, dy.List | dy.Array):
        column = column.inner
    return dict(column.inner) if isinstance(column, dy.Struct) else {}


def _is_sensitive(column: dy.Column) -> bool:
    """Whether a column or anything inside it is marked as private: a sample shows a column or masks it, whole."""
    inner = getattr(column, "inner", None)
    parts = inner.values() if isinstance(inner, dict) else [inner] if isinstance(inner, dy.Column) else []
    return is_sensitive(column.metadata) or any(_is_sensitive(part) for part in parts)


def _rules(
    schema: type[dy.Schema],
    columns: Mapping[str, dy.Column],
    wordings: Mapping[str, rendering.Wording],
    built: Mapping[str, Rule],
) -> Iterator[RuleSpec]:
    owners = {f"{name}|{rule}": (name, rule) for name, wording in wordings.items() for rule in wording.descriptions}
    for name, rule in built.items():
        owner, own_name = owners.get(name, (None, name))
        expr = _expression(schema, name, rule)
        yield RuleSpec(
            name=name,
            check_name=names.check_name(name),
            column=owner,
            expr=expr,
            expr_text=expressions.readable_text(expr),
            description=_description(schema, own_name) if owner is None else wordings[owner].descriptions[own_name],
            warning=owner is not None and _is_warning(columns[owner], own_name),
        )


def _built_rules(schema: type[dy.Schema], columns: Mapping[str, dy.Column]) -> Mapping[str, Rule]:
    """Every rule by its name; of a column `column|rule`."""
    try:
        return schema._validation_rules(with_cast=False)
    except Exception:
        for name, column in columns.items():
            _column_rules(schema, name, column)  # raises for the column it is about
        raise


def _rule_names(
    schema: type[dy.Schema], columns: Mapping[str, dy.Column], built: Mapping[str, Rule]
) -> Mapping[str, Sequence[str]]:
    """The names of each column's rules, read from all names where no column's can be taken for another's."""
    if any("|" in name for name in columns):
        return {name: _column_rules(schema, name, column) for name, column in columns.items()}
    found: dict[str, list[str]] = {name: [] for name in columns}
    for name in built:
        column, bar, rule = name.partition("|")
        if bar and column in found:
            found[column].append(rule)
    return found


def _column_rules(schema: type[dy.Schema], name: str, column: dy.Column) -> list[str]:
    try:
        return [str(rule) for rule in column.validation_rules(pl.col(name))]
    except Exception as error:
        raise RuleError(f"{schema.__name__}: the rules of column {name!r} cannot be built: {error!r}") from error


def _expression(schema: type[dy.Schema], name: str, rule: Rule) -> pl.Expr:
    try:
        return expressions.build(lambda: rule.expr)
    except Exception as error:
        takes_nothing = isinstance(error, TypeError) and "positional argument" in str(error)
        hint = " A @dy.rule() function takes the schema class: `def rule(cls) -> pl.Expr`." * takes_nothing
        raise RuleError(f"{schema.__name__}: the rule {name!r} cannot be built: {error!r}.{hint}") from error


def _description(schema: type[dy.Schema], rule: str) -> str:
    if rule == "primary_key":
        return rendering.primary_key_description(schema.primary_key())
    return rendering.rule_description(None, rule, doc=_rule_docstring(schema, rule))


def _rule_docstring(schema: type[dy.Schema], name: str) -> str | None:
    for base in schema.__mro__:
        factory = base.__dict__.get(name)
        if isinstance(factory, RuleFactory):
            return inspect.getdoc(factory.validation_fn)
    return None


def _is_warning(column: dy.Column, rule: str) -> bool:
    marked = _warned(column)
    return marked if isinstance(marked, bool) else rule in marked


def _warned(column: dy.Column) -> bool | list[str]:
    """Every rule of a column, none, or the ones that its metadata names."""
    marked = (column.metadata or {}).get(WARN_KEY, False)
    if marked is None or isinstance(marked, bool):
        return bool(marked)
    return [marked] if isinstance(marked, str) else list(marked)


def _refuse_unknown_warnings(
    schema: type[dy.Schema], columns: Mapping[str, dy.Column], wordings: Mapping[str, rendering.Wording]
) -> None:
    for name, column in columns.items():
        marked = _warned(column)
        for rule in marked if not isinstance(marked, bool) else ():
            known = wordings[name].descriptions
            if rule not in known:
                raise UnknownRuleError(
                    f"{schema.__name__}: the column {name!r} has no rule {rule!r} to warn about."
                    f"{did_you_mean(str(rule), known)}"
                )


def _docstring(schema: type[dy.Schema]) -> str | None:
    for base in schema.__mro__:
        if base is dy.Schema:
            return None
        if doc := base.__dict__.get("__doc__"):
            return inspect.cleandoc(doc)
    return None


def _fingerprint(fields: tuple[FieldSpec, ...], rules: tuple[RuleSpec, ...]) -> str:
    digest = hashlib.sha256()
    for spec in fields:
        digest.update(f"{spec.name}\0{spec.dtype!r}\0{spec.type_text}\0".encode())
    for rule in rules:
        digest.update(f"{rule.name}\0{expressions.stable_text(rule.expr)}\0{rule.warning}\0".encode())
    return digest.hexdigest()
