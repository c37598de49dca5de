"""The findings about a SQL model as the results of asset checks, one check for each kind of rule of its contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import dagster as dg

from dagster_contracts.diagnostics.finding import UNKNOWN_PRESENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dagster_contracts.sql.contract_rules import ContractRules

REQUIRED, PROTECTED, CONSTRAINTS = (
    "contract_required_columns",
    "contract_protected_columns",
    "contract_column_constraints",
)
_CODES = {
    REQUIRED: frozenset({"E010"}),
    PROTECTED: frozenset({"E013"}),
    CONSTRAINTS: frozenset({"E011", "E012", "E014", "E059", "W010"}),
}
CONTRACT_ERRORS = frozenset().union(*_CODES.values()) - {"W010"}
"""The codes that say of a model that it breaks its contract; every other error is about the model itself."""

_DESCRIPTIONS = {
    REQUIRED: "The columns that the contract requires are in the model's output.",
    PROTECTED: "The columns that the contract protects are still in the model's output.",
    CONSTRAINTS: "The model's columns have the types and the nullability that the contract declares.",
}
_WARNING, _UNVERIFIED, _NO_MODEL = "W010", "I003", "W011"


class CompileDiagnostic(Protocol):
    """What is read of a finding, whichever compiler made it."""

    @property
    def code(self) -> str:
        """Such as `E012`."""

    @property
    def message(self) -> str:
        """What was found."""

    @property
    def model(self) -> str:
        """The model that it is about."""


def contract_check_specs_for_model(
    asset_key: dg.AssetKey, rules: ContractRules, *, partitions_def: dg.PartitionsDefinition[Any] | None = None
) -> Iterator[dg.AssetCheckSpec]:
    """Declare the checks of a model's contract, one for each kind of rule that it declares.

    Args:
        asset_key: The model's asset.
        rules: The kinds of rules of its contract.
        partitions_def: The asset's partitions, if it has any.
    """
    for name in _declared(rules):
        yield dg.AssetCheckSpec(name, asset=asset_key, description=_DESCRIPTIONS[name], partitions_def=partitions_def)


def contract_check_results_from_diagnostics(
    diagnostics: Iterable[CompileDiagnostic] | None,
    *,
    asset_key: dg.AssetKey,
    model_name: str,
    rules: ContractRules,
    metadata_prefix: str = "contract",
) -> Iterator[dg.AssetCheckResult]:
    """Report what checking a model found, exactly one result for each check that its contract declares.

    Args:
        diagnostics: The findings about all models; `None` where nothing was checked.
        asset_key: The model's asset.
        model_name: The model's name in the findings.
        rules: The kinds of rules of its contract.
        metadata_prefix: What the keys of the results' metadata begin with.
    """
    found = None if diagnostics is None else [one for one in diagnostics if one.model == model_name]
    if found is None:
        reason = ("compile_missing", "The models were not compiled, so nothing of this contract was checked.")
    elif any(one.code == _NO_MODEL for one in found):
        words = f"The contract names a model {model_name} that the project does not have, so nothing of it was checked."
        reason = ("contract_model_not_found", words)
    else:
        reason = None
    for name in _declared(rules):
        if reason is not None or found is None:
            yield _not_verified(name, asset_key, metadata_prefix, *(reason or ("", "")))
        else:
            yield _result(name, asset_key, metadata_prefix, found)


def _declared(rules: ContractRules) -> Iterator[str]:
    """The names of the checks of a contract, in order."""
    declares = {
        REQUIRED: rules.has_required,
        PROTECTED: rules.has_protected,
        CONSTRAINTS: rules.has_column_constraints,
    }
    return (name for name, is_declared in declares.items() if is_declared)


def _result(name: str, asset_key: dg.AssetKey, prefix: str, found: Iterable[CompileDiagnostic]) -> dg.AssetCheckResult:
    """One check's result."""
    violations = [one for one in found if one.code in _CODES[name]]
    unverified = [
        one for one in found if one.code == _UNVERIFIED and (name == CONSTRAINTS or UNKNOWN_PRESENCE in one.message)
    ]
    metadata: dict[str, Any] = {}
    if violations:
        metadata |= _listed(prefix, "violation", violations)
    if unverified:
        metadata |= _listed(prefix, "unverified", unverified)
    is_mild = bool(violations) and all(one.code == _WARNING for one in violations)
    return dg.AssetCheckResult(
        passed=not violations,
        check_name=name,
        asset_key=asset_key,
        severity=dg.AssetCheckSeverity.WARN if is_mild else dg.AssetCheckSeverity.ERROR,
        description=_summary(len(violations), len(unverified)),
        metadata=metadata,
    )


def _listed(prefix: str, kind: str, found: list[CompileDiagnostic]) -> Mapping[str, Any]:
    """Findings as metadata: their number, and each as a text."""
    texts = {
        f"{prefix}/{kind}_{at}": dg.MetadataValue.text(f"[{one.code}] {one.message}") for at, one in enumerate(found)
    }
    return {f"{prefix}/{kind}_count": dg.MetadataValue.int(len(found)), **texts}


def _summary(violations: int, unverified: int) -> str | None:
    """What a result says in words."""
    parts = [f"{violations} broken"] if violations else []
    parts += [f"{unverified} not verified"] if unverified else []
    return ", ".join(parts) or None


def _not_verified(name: str, asset_key: dg.AssetKey, prefix: str, key: str, words: str) -> dg.AssetCheckResult:
    """The result of a check for which nothing was looked at."""
    return dg.AssetCheckResult(
        passed=False,
        check_name=name,
        asset_key=asset_key,
        severity=dg.AssetCheckSeverity.WARN,
        description=words,
        metadata={f"{prefix}/{key}": True, f"{prefix}/status": dg.MetadataValue.text(f"not verified: {words}")},
    )
