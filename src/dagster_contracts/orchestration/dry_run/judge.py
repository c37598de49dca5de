"""What a contract promises against what calling the function found: held, broken, or not verified because …."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from dagster_contracts.diagnostics.codes import severity_of
from dagster_contracts.diagnostics.finding import Diagnostic
from dagster_contracts.frames.column_schema import compare_columns
from dagster_contracts.orchestration.dry_run import place
from dagster_contracts.orchestration.dry_run.facts import Fact
from dagster_contracts.orchestration.dry_run.made_up import is_promised_not_null

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagster_contracts.contract.fields import FieldSpec
    from dagster_contracts.diagnostics.finding import Severity
    from dagster_contracts.frames.column_schema import ColumnMismatch
    from dagster_contracts.orchestration.dry_run.call import Schema
    from dagster_contracts.orchestration.dry_run.inputs import Asset
    from dagster_contracts.orchestration.dry_run.probe import Probed

_NOT_KNOWN = Fact(None, ("nothing is known of it",))


@dataclass
class Judged:
    """What is known of one asset's promises.

    Args:
        diagnostics: The findings: columns in the contract's order, then undeclared ones.
        held: How many promises hold.
        broken: How many do not.
        not_verified: How many could not be decided.
        schema: The columns that it returns, if they are known.
        nulls: Whether they have nulls, as far as that is known.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    held: int = 0
    broken: int = 0
    not_verified: int = 0
    schema: Schema | None = None
    nulls: Mapping[str, bool | None] = field(default_factory=dict)


def judge(asset: Asset, probed: Probed) -> Judged:
    """Hold what was found to the contract.

    Each declared column is a promise, with its dtype; each column that may not be null is another one; so is that there
    are no others, with `on_extra_columns="raise"`.
    """
    declaration = asset.wiring.declaration
    not_null = [spec for spec in asset.contract.fields if is_promised_not_null(asset.contract, spec)]
    raises = declaration.on_extra_columns == "raise"
    promises = len(asset.contract.fields) + len(not_null) + raises
    if probed.failure is not None:
        message = f"on the columns that its inputs promise, {probed.failure}"
        return Judged([_finding(asset, "E030", message)], broken=promises)
    reasons = probed.reasons
    if probed.schema is not None and declaration.conforms:
        reasons = ["what it gives is brought to the contract's types by the run"]
    if probed.schema is None or declaration.conforms:
        found = _finding(asset, "I003", "what it returns is not known before a run", reasons=tuple(reasons))
        return Judged([found], not_verified=promises)
    report = compare_columns(asset.contract, pl.Schema(probed.schema), declaration.on_extra_columns)
    judged = Judged(schema=probed.schema, nulls={name: fact.null for name, fact in probed.nulls.items()})
    mismatches = {mismatch.column: mismatch for mismatch in report.mismatches}
    for spec in asset.contract.fields:
        _judge_column(asset, spec, mismatches.get(spec.name), judged)
        if spec in not_null:
            _judge_nulls(asset, spec, probed, judged)
    extra = [mismatch for mismatch in report.mismatches if mismatch.expected is None]
    judged.diagnostics += [_extra(asset, mismatch) for mismatch in extra]
    judged.broken += int(bool(extra))
    judged.held += int(raises and not extra)
    return judged


def _judge_column(asset: Asset, spec: FieldSpec, mismatch: ColumnMismatch | None, judged: Judged) -> None:
    if mismatch is None:
        judged.held += 1
        return
    judged.broken += 1
    if mismatch.actual is None:
        known = ", ".join(f"`{name}`" for name in list(judged.schema or {})[:20])
        message = f"it is not returned; the contract says {mismatch.expected}"
        judged.diagnostics.append(_finding(asset, "E010", message, spec.name, hint=f"It returns {known}."))
    else:
        message = f"it is {mismatch.actual}, and the contract says {mismatch.expected}"
        hint = f'Cast it: pl.col("{spec.name}").cast(pl.{spec.dtype!r}).' if not spec.dtype.is_nested() else None
        judged.diagnostics.append(_finding(asset, "E011", message, spec.name, hint=hint))


def _judge_nulls(asset: Asset, spec: FieldSpec, probed: Probed, judged: Judged) -> None:
    fact = probed.nulls.get(spec.name, _NOT_KNOWN)
    if spec.name not in (probed.schema or {}):
        judged.broken += 1  # E010 has said so
    elif fact.null is False:
        judged.held += 1
    elif fact.null:
        aside = asset.wiring.quarantine is not None
        message = "it can be null, and the contract says that it never is"
        hint = "Fill it, drop such rows, or join so that there are none."
        hint = f"Such rows go to the quarantine. {hint}" if aside else hint
        severity: Severity = "warning" if aside else "error"
        found = _finding(asset, "E012", message, spec.name, reasons=fact.reasons, hint=hint, severity=severity)
        judged.diagnostics.append(found)
        judged.broken += 1
    else:
        message = "whether it can be null is not known before a run"
        judged.diagnostics.append(_finding(asset, "I003", message, spec.name, reasons=fact.reasons))
        judged.not_verified += 1


def _extra(asset: Asset, mismatch: ColumnMismatch) -> Diagnostic:
    message = f"it is returned as {mismatch.actual}, and the contract does not declare it"
    return _finding(asset, "E031", message, mismatch.column, hint="Drop it, or declare it.")


def _finding(
    asset: Asset,
    code: str,
    message: str,
    column: str | None = None,
    *,
    reasons: tuple[str, ...] = (),
    hint: str | None = None,
    severity: Severity | None = None,
) -> Diagnostic:
    written = asset.wiring.written
    return Diagnostic(
        code,
        severity or severity_of(code),
        message,
        asset.name,
        column,
        contract=place.column_span(written, column) if column is not None else None,
        source=place.function_span(asset.fn),
        reasons=reasons,
        hint=hint,
    )
