"""A contract's rules as Dagster asset checks: the specs before any run, the results after each."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dagster as dg
import polars.selectors as cs

from dagster_contracts.contract import names
from dagster_contracts.frames.cells import showable, showable_rows
from dagster_contracts.orchestration.tables import MOST_RULES, mismatch_table, sample_table, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from dagster_contracts.contract.fields import Contract, RuleSpec
    from dagster_contracts.frames.column_schema import ColumnSchemaReport
    from dagster_contracts.frames.split import Split
    from dagster_contracts.orchestration.outcome import Policy
    from dagster_contracts.orchestration.settings import CheckGranularity, SchemaRules

MANY_CHECKS = 50
MOST_NAMED = 20
CONFORM_TEXT = "Every row as it arrived can be brought to the contract's types."
CHANGE_TEXT = "The keys that arrive, and their types, are those of the last materialization."


@dataclass(frozen=True)
class CheckGroup:
    """One asset check and the rules it reports.

    Args:
        name: The check's name.
        description: What it asks for.
        rules: The rules that must hold for it to pass.
        collapsed: Whether it stands for a set of rules, even if there is only one in it today.
    """

    name: str
    description: str
    rules: tuple[RuleSpec, ...]
    collapsed: bool


def group_rules(contract: Contract, granularity: CheckGranularity, schema_rules: SchemaRules) -> tuple[CheckGroup, ...]:
    """The checks a contract's rules report as, in the order they are reported."""
    if granularity == "rule":
        return tuple(_own_check(rule) for rule in contract.rules)
    if granularity == "schema":
        return _collapse(names.RULES_CHECK, "Every rule of the contract", contract.rules)
    groups: list[CheckGroup] = []
    owned: dict[str | None, list[RuleSpec]] = {}
    for rule in contract.rules:
        owned.setdefault(rule.column, []).append(rule)
    for column in contract.column_names:
        rules = tuple(owned.get(column, ()))
        groups += _collapse(names.column_check_name(column), f"Every rule of the column `{column}`", rules)
    shared = tuple(owned.get(None, ()))
    if schema_rules == "per_rule":
        groups += [_own_check(rule) for rule in shared]
    else:
        groups += _collapse(names.RULES_CHECK, "Every rule that no single column owns", shared)
    return tuple(groups)


def build_check_specs(
    contract: Contract,
    groups: tuple[CheckGroup, ...],
    *,
    asset: dg.AssetKey,
    policy: Policy | None = None,
    takes_rows: bool = False,
    partitions_def: dg.PartitionsDefinition[str] | None = None,
    blocking: bool = True,
) -> list[dg.AssetCheckSpec]:
    """The spec of every check that an asset under a contract reports; with rows come two about what arrives."""

    def spec(name: str, description: str, *, blocking: bool = False) -> dg.AssetCheckSpec:
        return dg.AssetCheckSpec(
            name, asset=asset, description=description, blocking=blocking, partitions_def=partitions_def
        )

    text = f"Every column that {contract.name} declares is there, with its dtype."
    with warnings.catch_warnings():
        # Partitions on a check are ours to ask for; whoever declares an asset can do nothing about the warning.
        warnings.simplefilter("ignore", dg.PreviewWarning)
        specs = [spec(names.COLUMNS_CHECK, text, blocking=blocking)] if contract.fields else []
        specs += [spec(names.CONFORM_CHECK, CONFORM_TEXT)] * takes_rows
        specs += [spec(group.name, group.description) for group in groups]
        if policy is not None and policy.min_rows is not None:
            specs.append(spec(names.MIN_ROWS_CHECK, f"At least {policy.min_rows} valid rows."))
        specs += [spec(names.SCHEMA_CHANGE_CHECK, CHANGE_TEXT)] * takes_rows
    return specs


def columns_result(
    report: ColumnSchemaReport | None, asset: dg.AssetKey, metadata: Mapping[str, Any] | None = None
) -> dg.AssetCheckResult:
    """The column-schema check's result; without a report there was no frame to look at."""
    mismatches = report.mismatches if report else ()
    found: dict[str, Any] = {"dy_schema__errors": mismatch_table(mismatches)} if mismatches else {}
    if report and report.dropped:
        found["contract/dropped_columns"] = listed(report.dropped)
    return dg.AssetCheckResult(
        passed=not mismatches,
        asset_key=asset,
        check_name=names.COLUMNS_CHECK,
        severity=dg.AssetCheckSeverity.ERROR,
        description=_columns_in_words(report),
        metadata=found | dict(metadata or {}),
    )


def rule_results(
    split: Split,
    groups: tuple[CheckGroup, ...],
    *,
    asset: dg.AssetKey,
    severity: dg.AssetCheckSeverity,
    max_failure_samples: int,
    fate: str = "",
    metadata: Mapping[str, Any] | None = None,
) -> Iterator[dg.AssetCheckResult]:
    """One result a check; `severity` is that of the run, and a check that only warnings broke stays at WARN.

    Args:
        split: What was found.
        groups: The checks.
        asset: The asset they are on.
        severity: Of a failing check.
        max_failure_samples: How many rows a failing check shows.
        fate: What became of invalid rows, such as `quarantined`.
        metadata: More metadata for every result.
    """
    for group in groups:
        broken = tuple(rule for rule in group.rules if split.rule_counts[rule.name])
        only_warned = bool(broken) and all(rule.warning for rule in broken)
        yield dg.AssetCheckResult(
            passed=not broken,
            asset_key=asset,
            check_name=group.name,
            severity=dg.AssetCheckSeverity.WARN if only_warned else severity,
            description=_in_words(split, group, "only warned of" if only_warned else fate),
            metadata={
                **_what(split, group),
                "dy_failed_count": split.rows_breaking(group.rules),
                "dy_checked_count": split.row_count,
                **_sample(split, group, broken, max_failure_samples),
                **(metadata or {}),
            },
        )


def min_rows_result(
    policy: Policy, valid_count: int | None, asset: dg.AssetKey, metadata: Mapping[str, Any] | None = None
) -> dg.AssetCheckResult:
    """Whether enough valid rows came; a run without a frame writes nothing, so it cannot write too little."""
    found: dict[str, Any] = {"contract/min_rows": policy.min_rows}
    if valid_count is not None:
        found["contract/valid_rows"] = valid_count
    return dg.AssetCheckResult(
        passed=valid_count is None or not policy.too_few(valid_count),
        asset_key=asset,
        check_name=names.MIN_ROWS_CHECK,
        severity=dg.AssetCheckSeverity.ERROR,
        description="There was no data; nothing was written."
        if valid_count is None
        else f"{valid_count:,} valid rows.",
        metadata=found | dict(metadata or {}),
    )


def listed(columns: Sequence[str]) -> str:
    """The names of columns; of many the first ones and how many more there are."""
    rest = len(columns) - MOST_NAMED
    return ", ".join(columns[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _own_check(rule: RuleSpec) -> CheckGroup:
    return CheckGroup(rule.check_name, rule.description, (rule,), collapsed=False)


def _collapse(name: str, title: str, rules: tuple[RuleSpec, ...]) -> tuple[CheckGroup, ...]:
    if not rules:
        return ()
    texts = [rule.description for rule in rules[:10]] + [f"{len(rules) - 10} more"] * (len(rules) > 10)  # noqa: PLR2004
    return (CheckGroup(name, f"{title}: {'; '.join(text.rstrip('.') for text in texts)}.", rules, collapsed=True),)


def _columns_in_words(report: ColumnSchemaReport | None) -> str:
    if report is None:
        return "There was no data."
    if report.mismatches:
        return f"{len(report.mismatches)} columns are not as declared; no row was read."
    return f"{len(report.kept)} columns are as declared."


def _in_words(split: Split, group: CheckGroup, fate: str) -> str:
    failed = split.rows_breaking(group.rules)
    if not failed:
        return f"{split.row_count:,} rows checked."
    return f"{failed:,} of {split.row_count:,} rows{f'; {fate}' if fate else ''}."


def _what(split: Split, group: CheckGroup) -> dict[str, Any]:
    if not group.collapsed:
        rule = group.rules[0]
        return {"dy_rule": showable(rule.name), "dy_rule__expr": showable(rule.expr_text)}
    ranked = sorted(group.rules, key=lambda rule: -split.rule_counts[rule.name])
    rows = [
        {"dy_rule": showable(rule.name), "failed_count": split.rule_counts[rule.name], "expr": showable(rule.expr_text)}
        for rule in ranked[:MOST_RULES]
    ]
    if len(ranked) > MOST_RULES:
        rest = ranked[MOST_RULES:]
        failed = sum(split.rule_counts[rule.name] for rule in rest)
        rows.append({"dy_rule": f"{len(rest)} more rules", "failed_count": failed, "expr": None})
    return {"dy_rules": table(rows, ["dy_rule", "failed_count", "expr"])}


def _sample(split: Split, group: CheckGroup, broken: tuple[RuleSpec, ...], limit: int) -> dict[str, Any]:
    if not broken or not limit:
        return {}
    sensitive = split.contract.sensitive_columns
    if not group.collapsed:
        return {"dy_failed_sample": sample_table(_telling_first(split, broken[0]), limit=limit, sensitive=sensitive)}
    ranked = sorted(broken, key=lambda rule: -split.rule_counts[rule.name])[:limit]
    shown = {
        rule.name: showable_rows(split.rule_samples[rule.name], sensitive=sensitive, limit=limit) for rule in ranked
    }
    in_turn = [(name, rows[turn]) for turn in range(limit) for name, rows in shown.items() if turn < len(rows)]
    rows = [{"dy_rule": showable(name), **row} for name, row in in_turn[:limit]]
    return {"dy_failed_sample": table(rows, list(rows[0]))}


def _telling_first(split: Split, rule: RuleSpec) -> pl.DataFrame:
    """A rule's failing rows with the columns that tell most in front: the key, then what the rule reads."""
    rows = split.rule_samples[rule.name]
    first = [*split.contract.primary_key, *rule.expr.meta.root_names()]
    names = dict.fromkeys([*(name for name in first if name in rows.columns), *rows.columns])
    return rows.select(cs.by_name(*names))
