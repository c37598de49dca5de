"""Whatever a user passes as a contract, read into the one model.

Dataframely and pydantic take long to import: each form of contract is looked for only where the library that it is
written with is imported, as it must be for there to be one.
"""

# ruff: noqa: PLC0415
from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from dagster_contracts.contract.fields import Contract
from dagster_contracts.contract.suggestions import did_you_mean
from dagster_contracts.errors import CollectionNotSupportedError, NotAContractError, UnknownRuleError

if TYPE_CHECKING:
    from collections.abc import Collection

    import dataframely as dy

    from dagster_contracts.contract.schema.base import SchemaBase

ContractLike: TypeAlias = "type[dy.Schema | SchemaBase] | Contract"


def read_contract(contract: object, *, warnings: Collection[str] = ()) -> Contract:
    """Read a contract, and mark more of its rules as warnings.

    Args:
        contract: A `dy.Schema` or `dc.Schema` class, or a `Contract` that was read before.
        warnings: Names of rules that shall only warn.

    Raises:
        CollectionNotSupportedError: A `dy.Collection` was passed.
        NotAContractError: Something else than a contract was passed.
        UnknownRuleError: `warnings` names a rule that the contract does not have.
    """
    known = _read(contract)
    warnings = (warnings,) if isinstance(warnings, str) else warnings
    if not warnings:
        return known
    rule_names = [rule.name for rule in known.rules]
    for name in warnings:
        if name not in rule_names:
            raise UnknownRuleError(f"{known.name} has no rule {name!r} to warn about.{did_you_mean(name, rule_names)}")
    marked = (replace(rule, warning=rule.warning or rule.name in warnings) for rule in known.rules)
    return replace(known, rules=tuple(marked))


def _read(contract: object) -> Contract:
    if isinstance(contract, Contract):
        return contract
    if isinstance(contract, type):
        found = _read_dataframely(contract) or _read_typed_class(contract)
        if found is not None:
            return found
    kind = contract.__name__ if isinstance(contract, type) else f"{type(contract).__name__} {contract!r:.60}"
    raise NotAContractError(f"A contract is a subclass of dy.Schema or dc.Schema; got {kind}.")


def _read_dataframely(contract: type) -> Contract | None:
    if "dataframely" not in sys.modules:
        return None
    import dataframely as dy

    if issubclass(contract, dy.Collection):
        raise CollectionNotSupportedError(
            f"{contract.__name__} is a dy.Collection, which describes several tables. Give each asset its own member's "
            "schema, and put the collection's filters on the assets with dc.build_collection_checks()."
        )
    if not issubclass(contract, dy.Schema) or contract is dy.Schema:
        return None
    from dagster_contracts.contract.dataframely import read_schema

    return read_schema(contract)


def _read_typed_class(contract: type) -> Contract | None:
    if "dagster_contracts.contract.schema.base" not in sys.modules:
        return None
    from dagster_contracts.contract.schema.base import SchemaBase
    from dagster_contracts.contract.schema.contract_form import to_contract

    if not issubclass(contract, SchemaBase):
        return None
    return to_contract(contract)  # type: ignore[arg-type]  # mypy takes no class for hashable
