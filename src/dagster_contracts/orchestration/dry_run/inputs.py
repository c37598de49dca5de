"""What an asset's function is called with: which inputs it has, which contracts those have, and whether that is all."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dagster_contracts.orchestration import internals
from dagster_contracts.orchestration.compute import WIRING, Wiring
from dagster_contracts.orchestration.dry_run.call import Partitions
from dagster_contracts.orchestration.dry_run.made_up import frame_of, is_family, source_of
from dagster_contracts.orchestration.signature import has_context, resolved_parameters
from dagster_contracts.orchestration.storage.loading import LoadAs, load_as

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import dagster as dg
    import polars as pl

    from dagster_contracts.contract.fields import Contract
    from dagster_contracts.orchestration.dry_run.facts import Source
    from dagster_contracts.orchestration.dry_run.made_up import Rows

_HARMLESS_METADATA = frozenset({"allow_missing_partitions"})


@dataclass(frozen=True, eq=False)
class Asset:
    """A contract asset of a code location.

    Args:
        key: Its key, as the code location knows it.
        definition: Dagster's definition.
        wiring: What `dc.asset` made it of.
        fn: The decorated function.
    """

    key: dg.AssetKey
    definition: dg.AssetsDefinition
    wiring: Wiring
    fn: Callable[..., Any]

    @property
    def name(self) -> str:
        """The asset as messages call it."""
        return self.key.to_user_string()

    @property
    def contract(self) -> Contract:
        """Its contract."""
        return self.wiring.declaration.contract


@dataclass(frozen=True, eq=False)
class Table:
    """A table that functions read.

    Args:
        name: The asset as messages call it.
        contract: What its columns are.
        partitions_def: How it is cut.
        trouble: Why its columns may be others than the contract says, if they may.
        unknown_nulls: Columns of which it is not known whether they have nulls.
    """

    name: str
    contract: Contract
    partitions_def: dg.PartitionsDefinition[Any] | None = None
    trouble: str | None = None
    unknown_nulls: frozenset[str] = frozenset()

    @property
    def source(self) -> Source:
        """What is known of its nulls before any plan."""
        known = source_of(self.name, self.contract)
        return replace(known, nulls={**known.nulls, **dict.fromkeys(self.unknown_nulls)})


@dataclass(frozen=True, eq=False)
class Input:
    """A parameter that gets a table.

    Args:
        parameter: The parameter.
        table: The table that it gets.
        wanted: The form it gets it in.
    """

    parameter: str
    table: Table
    wanted: LoadAs

    def value(self, *, rows: Rows = "none", lazy: bool | None = None, partitions: int = 2) -> Any:
        """A frame that stands for the table.

        Args:
            rows: What it holds.
            lazy: Whether it is lazy; as the parameter asks by default.
            partitions: How many partitions a fan-in has.
        """
        frame = frame_of(self.table.contract, rows)
        one: pl.DataFrame | pl.LazyFrame = frame.lazy() if (self.wanted.lazy if lazy is None else lazy) else frame
        if not self.wanted.by_partition:
            return one
        return Partitions({f"partition_{at}": one for at in range(partitions)})


def contract_assets(definitions: list[dg.AssetsDefinition]) -> dict[dg.AssetKey, Asset]:
    """The assets among these that `dc.asset` made, by key."""
    found = {}
    for definition in definitions:
        compute = internals.decorated_function(definition)
        wiring = getattr(compute, WIRING, None)
        if compute is not None and isinstance(wiring, Wiring):
            fn = inspect.unwrap(compute, stop=lambda one: not hasattr(one, WIRING))
            found[definition.key] = Asset(definition.key, definition, wiring, fn)
    return found


def contract_tables(assets: Mapping[dg.AssetKey, Asset]) -> dict[dg.AssetKey, Table]:
    """The tables that contract assets publish, by key."""
    return {
        key: Table(asset.name, asset.contract, asset.definition.partitions_def, _own_trouble(asset))
        for key, asset in assets.items()
        if asset.contract.fields
    }


def _own_trouble(asset: Asset) -> str | None:
    """Why an asset's table may have other columns than its contract says."""
    if asset.wiring.declaration.on_extra_columns == "keep":
        return f"its input {asset.name} keeps columns that no contract declares"
    return None


def inputs_of(asset: Asset, tables: Mapping[dg.AssetKey, Table]) -> tuple[list[Input], list[str]]:
    """An asset's inputs, and the reasons why its function cannot be called with made-up tables alone."""
    if not asset.wiring.dry_run:
        return [], ["it is declared with dry_run=False"]
    if inspect.isgeneratorfunction(asset.fn) or inspect.isasyncgenfunction(asset.fn):
        return [], ["it yields what it makes"]
    inputs: list[Input] = []
    reasons: list[str] = []
    for at, parameter in enumerate(resolved_parameters(asset.fn)):
        found = _input(asset, parameter, tables, first=at == 0)
        if isinstance(found, Input):
            inputs.append(found)
        else:
            reasons.append(found)
    if not inputs and not reasons:
        reasons.append("it has no input with a contract, so it gets its data from outside")
    return inputs, reasons


def _input(
    asset: Asset, parameter: inspect.Parameter, tables: Mapping[dg.AssetKey, Table], *, first: bool
) -> Input | str:
    """A parameter's table, or why it cannot be made up."""
    name = parameter.name
    if first and has_context([parameter]):
        return "it needs its context"
    if internals.is_resource(parameter.annotation):
        return f"it needs the resource `{name}`"
    key = asset.definition.keys_by_input_name.get(name)
    if key is None:
        return f"it needs its configuration (`{name}`)" if name == "config" else f"`{name}` is no table"
    upstream = tables.get(key)
    if upstream is None:
        return f"its input {key.to_user_string()} has no contract"
    return _trouble(asset, upstream, name) or _as_annotated(asset, upstream, parameter)


def _trouble(asset: Asset, upstream: Table, name: str) -> str | None:
    """Why a table may have other columns than its contract says when it arrives here."""
    if upstream.trouble is not None:
        return upstream.trouble
    loaded = asset.definition.op.ins.get(name)
    if loaded is not None and loaded.input_manager_key is not None:
        return f"its input {upstream.name} is loaded by an input manager of its own"
    if loaded is not None and set(loaded.metadata or {}) - _HARMLESS_METADATA:
        return f"its input {upstream.name} is loaded with metadata that may change its columns"
    several = [spec.name for spec in upstream.contract.fields if is_family(spec)]
    if several:
        return f"the contract of its input {upstream.name} allows several dtypes for `{several[0]}`"
    return None


def _as_annotated(asset: Asset, upstream: Table, parameter: inspect.Parameter) -> Input | str:
    bare = parameter.annotation is inspect.Parameter.empty
    wanted = LoadAs(by_partition=None) if bare else load_as(parameter.annotation)
    if wanted is None:
        return f"`{parameter.name}` takes no Polars frame"
    if wanted.optional:
        return f"`{parameter.name}` may be None, or anything"
    if wanted.by_partition is None:
        theirs, ours = upstream.partitions_def, asset.definition.partitions_def
        if theirs is not None and theirs != ours:
            return f"`{parameter.name}` gets a frame or a dict of them, by the number of partitions"
    return Input(parameter.name, upstream, wanted)
