"""`dc.asset`: a contract on a Dagster asset."""

from __future__ import annotations

import inspect
import logging
from typing import TYPE_CHECKING, Any

import dagster as dg

from dagster_contracts.contract.fields import Contract
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.errors import InvalidSettingError, NotAContractError, UsageError
from dagster_contracts.orchestration.checks import MANY_CHECKS, build_check_specs
from dagster_contracts.orchestration.compute import Wiring, compute_function, takes_resources
from dagster_contracts.orchestration.declaration import Declaration, extra_columns
from dagster_contracts.orchestration.outcome import Policy
from dagster_contracts.orchestration.quarantine import (
    QUARANTINE_KEY,
    Quarantine,
)
from dagster_contracts.orchestration.settings import SettingArguments, resolve_settings
from dagster_contracts.orchestration.tables import declared_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from dagster_contracts.contract.reading import ContractLike
    from dagster_contracts.frames.column_schema import ExtraColumns
    from dagster_contracts.orchestration.settings import CheckGranularity, SchemaRules
    from dagster_contracts.rows.strategy import MaterializationStrategy

FINGERPRINT_KEY = "contract/fingerprint"
JSON_SCHEMA_KEY = "contract/json_schema"
_WARNINGS = "__dagster_contracts_warnings__"


def asset(
    contract: ContractLike | None = None,
    /,
    *,
    quarantine: bool | Quarantine = False,
    check_granularity: CheckGranularity | None = None,
    schema_rules: SchemaRules | None = None,
    statistics: bool | None = None,
    row_sample: int | None = None,
    max_failure_samples: int | None = None,
    temp_dir: str | Path | None = None,
    memory_budget: int | None = None,
    min_rows: int | None = None,
    max_invalid: float | None = None,
    on_extra_columns: ExtraColumns | None = None,
    on_schema_change: ExtraColumns | None = None,
    materialization_strategy: MaterializationStrategy | str | None = None,
    normalizer: Callable[[Any], Any] | None = None,
    dry_run: bool = True,
    name: str | None = None,
    key_prefix: str | Sequence[str] | None = None,
    key: dg.CoercibleToAssetKey | None = None,
    ins: Mapping[str, dg.AssetIn] | None = None,
    deps: Iterable[Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
    description: str | None = None,
    config_schema: Any = None,
    required_resource_keys: AbstractSet[str] | None = None,
    resource_defs: Mapping[str, object] | None = None,
    hooks: AbstractSet[dg.HookDefinition] | None = None,
    io_manager_def: object | None = None,
    io_manager_key: str | None = None,
    partitions_def: dg.PartitionsDefinition[str] | None = None,
    op_tags: Mapping[str, Any] | None = None,
    group_name: str | None = None,
    automation_condition: dg.AutomationCondition[Any] | None = None,
    freshness_policy: dg.FreshnessPolicy | None = None,
    backfill_policy: dg.BackfillPolicy | None = None,
    retry_policy: dg.RetryPolicy | None = None,
    code_version: str | None = None,
    owners: Sequence[str] | None = None,
    kinds: AbstractSet[str] | None = None,
    pool: str | None = None,
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Declare an asset that is held to a contract on every run.

    The decorated function is an ordinary asset function. What it returns decides, not how it is annotated: a
    `pl.DataFrame` or `pl.LazyFrame`, an Arrow or pandas table, rows (dicts, dataclass or pydantic objects), a
    `dg.MaterializeResult` whose `value` is one of these, or `None` for a run without data. It may also yield rows,
    lists of rows or tables one after another, however many.
    Every parameter that is not listed here is `dg.asset`'s own and means what it means there.

    Args:
        contract: What the table promises, a `dy.Schema` or a `dc.Schema`. Without one, written `@dc.asset()`, nothing
            is checked: a table's columns are taken as they come, and what is no table passes as it is.
        quarantine: Whether invalid rows are written aside, so that the valid ones can be published; a `dc.Quarantine`
            says where. Without one, any invalid row fails the run and nothing is written.
        check_granularity: `"rule"` reports a check a rule, `"column"` one a column, `"schema"` one in all.
        schema_rules: At granularity `"column"`, whether the rules that no single column owns are `"collapsed"` into one
            check or reported `"per_rule"`.
        statistics: Whether the materialization carries a summary of the valid rows.
        row_sample: How many valid and how many invalid rows the materialization shows.
        max_failure_samples: How many rows that break a rule its check shows.
        temp_dir: Where a lazy frame is staged; beside its table by default, where that is on a local disk.
        memory_budget: Bytes that rules over keys or the whole table may use while a lazy frame is split.
        min_rows: Fewer valid rows than this fail the run and leave the table as it is.
        max_invalid: More invalid rows than this, a count or a share from 0.0 to 1.0, fail the run. Needs a quarantine.
        on_extra_columns: Whether columns that the contract does not declare are dropped (as they are by default),
            refused, or kept.
        on_schema_change: The same for keys of rows that the contract does not declare.
        materialization_strategy: `RECONCILE` repairs rows that are not yet as the contract says, `STRICT` refuses them.
        normalizer: Is given what the function returned, or the generator of what it yields; gives what is conformed.
        dry_run: Whether `dc.check_definitions` may call the function with frames that it made up, before any run.

    Returns:
        A decorator that makes a `dg.AssetsDefinition` of one asset.

    Raises:
        UsageError: The contract, a setting or a combination of arguments cannot work; see `dagster_contracts.errors`.
    """
    forwarded = {name: value for name, value in locals().items() if name not in _OURS and value is not None}
    if contract is not None:
        _read(contract)
    arguments = SettingArguments(
        check_granularity,
        schema_rules,
        statistics,
        max_failure_samples,
        row_sample,
        temp_dir,
        memory_budget,
        materialization_strategy,
    )
    policy = Policy(min_rows=min_rows, max_invalid=max_invalid)
    aside = _quarantine(quarantine, contract=contract, policy=policy)
    extra = extra_columns(on_extra_columns, on_schema_change)
    if normalizer is not None and not callable(normalizer):
        raise InvalidSettingError(f"normalizer is {normalizer!r}; allowed is a function of what the asset's gave.")

    def decorate(fn: Callable[..., Any]) -> dg.AssetsDefinition:
        if not callable(fn) or isinstance(fn, (type, dg.AssetsDefinition)):
            raise UsageError(
                "dc.asset takes the contract and decorates a function: @dc.asset(Orders) above def orders()."
            )
        known = read_contract(contract, warnings=getattr(fn, _WARNINGS, ())) if contract is not None else NO_CONTRACT
        asset_key = _asset_key(fn, name=name, key_prefix=key_prefix, key=key)
        declaration = Declaration.of(
            known,
            asset_key,
            resolve_settings(arguments),
            policy=policy,
            on_extra_columns=extra if contract is not None else "keep",
            partitioned=partitions_def is not None,
            source=contract,
            normalizer=normalizer,
        )
        wiring = Wiring(declaration, arguments, aside, contract, dry_run=dry_run)
        return _define(fn, wiring, forwarded, partitions_def)

    return decorate


def warn(*rules: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let rules of an asset's contract only warn: they remove no row, fail no run, and report at WARN.

    Goes below `@dc.asset` on the function.

    Args:
        rules: Names of rules as the contract has them, such as `"amount|max"`.
    """
    if not rules or not all(isinstance(rule, str) for rule in rules):
        raise UsageError('dc.warn takes the names of rules: @dc.warn("amount|max"), below @dc.asset.')

    def mark(fn: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(fn, dg.AssetsDefinition):
            raise UsageError("@dc.warn goes below @dc.asset, on the function itself.")
        setattr(fn, _WARNINGS, (*getattr(fn, _WARNINGS, ()), *rules))
        return fn

    return mark


NO_CONTRACT = Contract(name="no contract", description=None, fields=(), rules=(), fingerprint="")

_OURS = frozenset(
    {
        *("contract", "quarantine", "min_rows", "max_invalid", "on_extra_columns", "on_schema_change", "normalizer"),
        *("dry_run", *SettingArguments.__dataclass_fields__),
    }
)


def _define(
    fn: Callable[..., Any],
    wiring: Wiring,
    forwarded: Mapping[str, Any],
    partitions_def: dg.PartitionsDefinition[str] | None,
) -> dg.AssetsDefinition:
    declaration, contract = wiring.declaration, wiring.declaration.contract
    specs = build_check_specs(
        contract,
        declaration.groups,
        asset=declaration.asset,
        policy=declaration.policy,
        takes_rows=declaration.takes_rows,
        partitions_def=partitions_def,
    )
    _mention_many_checks(declaration, len(specs))
    own = {"description": contract.description} if contract.description else {}
    metadata = dict(forwarded.get("metadata", {}))
    if contract is not NO_CONTRACT:
        metadata |= {"dagster/column_schema": declared_columns(contract), FINGERPRINT_KEY: contract.fingerprint}
    if declaration.takes_rows and declaration.rows is not None:
        metadata[JSON_SCHEMA_KEY] = dg.MetadataValue.json(declaration.rows.json_schema())
    compute = compute_function(fn, wiring)
    required = set(forwarded.get("required_resource_keys", ()))
    if wiring.quarantine is not None:
        metadata[QUARANTINE_KEY] = dg.MetadataValue.asset(wiring.quarantine.resolve_key(declaration.asset))
        if wiring.quarantine.io_manager_key is not None and not takes_resources(compute):
            required.add(wiring.quarantine.io_manager_key)
    arguments = {
        **own,
        **forwarded,
        "metadata": metadata,
        "kinds": {*forwarded.get("kinds", ()), "polars"},
        "required_resource_keys": required,
        "check_specs": specs,
        "output_required": False,
    }
    definition: dg.AssetsDefinition = dg.asset(**arguments)(compute)
    return definition


def _quarantine(argument: object, *, contract: object, policy: Policy) -> Quarantine | None:
    if argument is True:
        argument = Quarantine()
    if argument is False:
        if policy.max_invalid is not None:
            raise InvalidSettingError(
                "max_invalid needs a quarantine: without one, the first invalid row fails the run."
            )
        return None
    if not isinstance(argument, Quarantine):
        raise InvalidSettingError(f"quarantine is {argument!r}; allowed is True, False or a dc.Quarantine.")
    if contract is None:
        raise UsageError("An asset without a contract has no invalid rows, so it can have no quarantine.")
    return argument


def _read(contract: object) -> Contract:
    """Read a contract, or refuse the decorator without brackets, which looks as if there were one."""
    if inspect.isroutine(contract):
        raise NotAContractError(
            f"dc.asset was given the function {contract.__name__} where a contract stands. Write @dc.asset(Orders), "
            "with the contract, or @dc.asset() for an asset that has none."
        )
    return read_contract(contract)


def _asset_key(
    fn: Callable[..., Any],
    *,
    name: str | None,
    key_prefix: str | Sequence[str] | None,
    key: dg.CoercibleToAssetKey | None,
) -> dg.AssetKey:
    if key is not None:
        return dg.AssetKey.from_coercible(key)
    prefix = [key_prefix] if isinstance(key_prefix, str) else list(key_prefix or [])
    return dg.AssetKey([*prefix, name or fn.__name__])


def _mention_many_checks(declaration: Declaration, count: int) -> None:
    if count > MANY_CHECKS:
        logging.getLogger("dagster_contracts").warning(
            "%s declares %d checks. Dagster takes about 15 ms of CPU for each one in every run, more on SQLite; "
            'check_granularity="column" reports one a column, "schema" one in all.',
            declaration.name,
            count,
        )
