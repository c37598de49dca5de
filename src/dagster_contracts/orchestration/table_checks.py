"""Contracts as checks on assets that someone else declares: one table's rules, or a collection's filters."""

from __future__ import annotations

from inspect import Parameter
from typing import TYPE_CHECKING, Any

import dagster as dg
import dataframely as dy
import polars as pl

from dagster_contracts.contract import names
from dagster_contracts.contract.dataframely import collection_filters, filter_description
from dagster_contracts.contract.reading import read_contract
from dagster_contracts.errors import NotAContractError, UnknownRuleError, UsageError
from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.checks import build_check_specs
from dagster_contracts.orchestration.corridor import check_frame
from dagster_contracts.orchestration.declaration import Declaration
from dagster_contracts.orchestration.failures import as_failures
from dagster_contracts.orchestration.settings import SettingArguments, resolve_settings
from dagster_contracts.orchestration.signature import set_parameters
from dagster_contracts.orchestration.tables import sample_table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from dagster_contracts.contract.reading import ContractLike
    from dagster_contracts.orchestration.settings import CheckGranularity, SchemaRules


def build_contract_checks(
    contract: ContractLike,
    *,
    assets: Sequence[dg.CoercibleToAssetKey | dg.AssetsDefinition],
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
    warnings: Collection[str] = (),
    check_granularity: CheckGranularity | None = None,
    schema_rules: SchemaRules | None = None,
    max_failure_samples: int | None = None,
    blocking: bool = False,
    lazy: bool = True,
) -> list[dg.AssetChecksDefinition]:
    """Put a contract's checks on assets that are declared elsewhere; the stored table is read, nothing is written.

    Args:
        contract: The contract.
        assets: The assets, all of which keep the same contract.
        severity: Of every failing check.
        warnings: Rules that report at WARN whatever `severity` is.
        check_granularity: As for `dc.asset`.
        schema_rules: As for `dc.asset`.
        max_failure_samples: As for `dc.asset`.
        blocking: Whether a column-schema check that fails keeps downstream assets from running.
        lazy: Whether the assets' IO manager is asked for a `pl.LazyFrame`, else for a `pl.DataFrame`.

    Returns:
        One definition an asset. Each can be run in part.
    """
    known = read_contract(contract, warnings=warnings)
    arguments = SettingArguments(
        check_granularity=check_granularity,
        schema_rules=schema_rules,
        statistics=False,
        max_failure_samples=max_failure_samples,
    )
    assets = [assets] if isinstance(assets, (str, dg.AssetKey, dg.AssetsDefinition)) else list(assets)
    keys = [
        asset.key if isinstance(asset, dg.AssetsDefinition) else dg.AssetKey.from_coercible(asset) for asset in assets
    ]
    declared = [Declaration.of(known, key, resolve_settings(arguments)) for key in keys]
    return [_contract_checks(one, arguments, severity=severity, blocking=blocking, lazy=lazy) for one in declared]


def build_collection_checks(
    collection: type[dy.Collection],
    *,
    members: Mapping[str, dg.CoercibleToAssetKey | dg.AssetsDefinition],
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
    max_failure_samples: int | None = None,
    lazy: bool = True,
) -> dg.AssetChecksDefinition:
    """Put a Dataframely collection's filters on the assets that hold its members.

    Each filter is one check on each member: it fails if rows of the member have a key that the filter does not keep.
    The members' own rules belong to their assets.

    Args:
        collection: The collection.
        members: The asset of each member; every member that is not optional is needed.
        severity: Of every failing check.
        max_failure_samples: As for `dc.asset`.
        lazy: As for `build_contract_checks`.

    Raises:
        NotAContractError: `collection` is not a `dy.Collection`.
        UnknownRuleError: `members` names a member that the collection does not have.
        UsageError: A member is missing, or the collection has no filters.
    """
    keys = _member_keys(collection, members)
    filters = collection_filters(collection)
    if not filters:
        raise UsageError(f"{collection.__name__} declares no filter, so there is nothing to check across its members.")
    samples = resolve_settings(SettingArguments(max_failure_samples=max_failure_samples)).max_failure_samples

    specs = [
        dg.AssetCheckSpec(
            names.filter_check_name(name),
            asset=key,
            description=filter_description(logic)
            or f"Every row is kept by the filter {name!r} of {collection.__name__}.",
        )
        for key in keys.values()
        for name, logic in filters.items()
    ]

    def check_members(**tables: pl.LazyFrame) -> Iterator[dg.AssetCheckResult]:
        frames = {member: _one_frame(table) for member, table in tables.items()}
        instance = collection.cast(frames)
        for name, logic in filters.items():
            kept = logic.logic(instance).select(collection.common_primary_key())
            for member, key in keys.items():
                selected = internals.declared_check_names(key)
                if selected is None or names.filter_check_name(name) in selected:
                    schema = read_contract(collection.member_schemas()[member])
                    lost, checked = _lost_rows(frames[member], kept, collection.common_primary_key(), samples)
                    sample = {
                        "dy_failed_sample": sample_table(lost[1], limit=samples, sensitive=schema.sensitive_columns)
                    }
                    yield dg.AssetCheckResult(
                        passed=lost[0] == 0,
                        asset_key=key,
                        check_name=names.filter_check_name(name),
                        severity=severity,
                        metadata={
                            "dy_rule": name,
                            "dy_failed_count": lost[0],
                            "dy_checked_count": checked,
                            **(sample if lost[0] and samples else {}),
                        },
                    )

    set_parameters(
        check_members,
        [Parameter(member, Parameter.POSITIONAL_OR_KEYWORD, annotation=_frame_type(lazy=lazy)) for member in keys],
    )
    decorate = dg.multi_asset_check(
        name=f"{collection.__name__}__filters",
        specs=specs,
        ins={member: dg.AssetIn(key) for member, key in keys.items()},
        can_subset=True,
    )
    return decorate(check_members)


def _contract_checks(
    declaration: Declaration,
    arguments: SettingArguments,
    *,
    severity: dg.AssetCheckSeverity,
    blocking: bool,
    lazy: bool,
) -> dg.AssetChecksDefinition:
    key = declaration.asset

    def check_table(table: pl.LazyFrame) -> Iterator[dg.AssetCheckResult]:
        selected = internals.declared_check_names(key)
        with as_failures():
            settings = resolve_settings(arguments)
        for result in check_frame(declaration, _one_frame(table), settings=settings, severity=severity):
            if selected is None or result.check_name in selected:
                yield result

    set_parameters(
        check_table, [Parameter("table", Parameter.POSITIONAL_OR_KEYWORD, annotation=_frame_type(lazy=lazy))]
    )
    decorate = dg.multi_asset_check(
        name=f"{key.to_python_identifier()}__contract",
        specs=build_check_specs(declaration.contract, declaration.groups, asset=key, blocking=blocking),
        ins={"table": dg.AssetIn(key)},
        can_subset=True,
    )
    return decorate(check_table)


def _member_keys(
    collection: type[dy.Collection], members: Mapping[str, dg.CoercibleToAssetKey | dg.AssetsDefinition]
) -> dict[str, dg.AssetKey]:
    if not (isinstance(collection, type) and issubclass(collection, dy.Collection)):
        raise NotAContractError(f"build_collection_checks takes a subclass of dy.Collection; got {collection!r:.60}.")
    known = collection.member_schemas()
    for member in members:
        if member not in known:
            raise UnknownRuleError(
                f"{collection.__name__} has no member {member!r}. Known: {', '.join(map(repr, known))}."
            )
    missing = [member for member in collection.required_members() if member not in members]
    if missing:
        raise UsageError(f"{collection.__name__}: members={{…}} names no asset for {', '.join(map(repr, missing))}.")
    return {
        member: asset.key if isinstance(asset, dg.AssetsDefinition) else dg.AssetKey.from_coercible(asset)
        for member, asset in members.items()
    }


def _lost_rows(
    frame: pl.LazyFrame, kept: pl.LazyFrame, key: list[str], samples: int
) -> tuple[tuple[int, pl.DataFrame], int]:
    lost = frame.join(kept.unique(), on=key, how="anti", maintain_order="left")
    count, sample, total = pl.collect_all([lost.select(pl.len()), lost.head(samples), frame.select(pl.len())])
    return (int(count.item()), sample), int(total.item())


def _frame_type(*, lazy: bool) -> type[pl.LazyFrame | pl.DataFrame]:
    return pl.LazyFrame if lazy else pl.DataFrame


def _one_frame(table: Any) -> pl.LazyFrame:
    frame: pl.DataFrame | pl.LazyFrame = pl.concat(table.values()) if isinstance(table, dict) else table
    return frame.lazy()
