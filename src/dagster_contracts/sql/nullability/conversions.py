"""What CAST can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from dagster_contracts.sql.nullability import families
from dagster_contracts.sql.nullability.evaluate import described, evaluate, evaluates
from dagster_contracts.sql.nullability.fact import Fact, can_be_null, strict, unknown

if TYPE_CHECKING:
    from dagster_contracts.sql.nullability.scope import Env

_JSON_TYPES = frozenset([exp.DataType.Type.JSON, exp.DataType.Type.JSONB, exp.DataType.Type.VARIANT])
_TEXT_OF_NULL = frozenset(["duckdb", "postgres"])  # where a JSON null is the text null
_ANSI_SAFE = frozenset(
    [families.NUMBER, families.DECIMAL, families.BOOLEAN, families.TEMPORAL, families.FINITE, families.INTERVAL]
)


def target_family(node: exp.Cast) -> str | None:
    """The family of the type that a value is cast to; `None` where it is not known."""
    target = node.args["to"]
    if target.this in _JSON_TYPES:
        return families.JSON
    if target.this in {exp.DataType.Type.ARRAY, exp.DataType.Type.LIST}:
        return families.ARRAY
    if target.args.get("nested"):
        return families.NESTED
    return families.written_family(target)


@evaluates(exp.Cast)
def _cast(node: exp.Cast, env: Env) -> Fact:  # noqa: PLR0911  (one a case)
    """CAST: NULL where the value is, and where the dialect makes NULL of what it cannot convert."""
    value = evaluate(node.this, env)
    target = target_family(node)
    if value.nullable is not False:
        return Fact(value.nullable, value.reasons, target)
    if node.args.get("default") or node.args.get("action") or node.args.get("safe"):
        return unknown(f"{described(node, env)} can be NULL where it fails", target)
    if target is None:
        return unknown(f"it is not known whether {described(node, env)} can be NULL", None)
    if target == families.JSON:
        return strict([value], families.JSON)
    if value.family == families.JSON and target == families.STRING and env.project.dialect.name in _TEXT_OF_NULL:
        return strict([value], target)
    if value.family == families.JSON:
        return can_be_null(f"{described(node, env)} is NULL where the value is a null of JSON", target)
    if value.family is None:
        return unknown(
            f"{described(node, env)} is NULL where the value is a null of JSON, and its type is not known", target
        )
    if env.project.dialect.cast == "depends" and not _never_fails(value.family, target):
        return unknown(f"{described(node, env)} is NULL where it fails unless ANSI mode is on", target)
    return strict([value], _finite(node, value, target))


def _never_fails(source: str, target: str) -> bool:
    """Whether a cast between these families has a value for every value, in whichever mode."""
    if target == families.STRING:
        return source not in {families.NESTED, families.ARRAY}
    if source == target:
        return source != families.DECIMAL
    return source in _ANSI_SAFE and target in _ANSI_SAFE - {families.DECIMAL, families.INTERVAL}


def _finite(node: exp.Cast, value: Fact, target: str) -> str:
    """The family of a cast, a finite date where it can only be one."""
    if target != families.TEMPORAL:
        return target
    literal = node.this
    if isinstance(literal, exp.Literal) and literal.is_string and "inf" not in literal.name.lower():
        return families.FINITE
    return families.FINITE if value.family == families.FINITE else target


@evaluates(exp.TryCast)
def _try_cast(node: exp.TryCast, env: Env) -> Fact:
    """TRY_CAST: NULL for what it cannot convert; any plain value can be text."""
    value = evaluate(node.this, env)
    target = target_family(node)
    if target == families.STRING and value.family not in {None, families.JSON, families.NESTED, families.ARRAY}:
        return strict([value], target)
    return can_be_null(f"{described(node, env)} is NULL for what it cannot convert", target, value.reasons)
