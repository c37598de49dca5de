"""What fails a run, in words for whoever is woken by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster_contracts import errors
from dagster_contracts.orchestration.outcome import CONSEQUENCES, Outcome

if TYPE_CHECKING:
    from dagster_contracts.frames.column_schema import ColumnSchemaReport
    from dagster_contracts.frames.split import Split
    from dagster_contracts.orchestration.declaration import Declaration
    from dagster_contracts.orchestration.refused_rows import Refused


def column_schema_error(declaration: Declaration, report: ColumnSchemaReport) -> errors.ColumnSchemaError:
    """What fails a run whose columns are not the contract's."""
    return errors.ColumnSchemaError(
        f"{declaration.name}: {len(report.mismatches)} columns are not as {declaration.contract.name} declares them: "
        f"{'; '.join(map(str, report.mismatches))}. No row was read and nothing was written. Cast or rename in the "
        "asset's function, or change the contract."
    )


def run_error(
    declaration: Declaration, found: Split, outcome: Outcome, refused: Refused | None = None
) -> errors.DataError | None:
    """What fails the run, or `None`."""
    kind = CONSEQUENCES[outcome].error
    counts = f"{declaration.name}: {found.invalid_count} of {found.row_count} rows are invalid ({_worst(found)})"
    if outcome is Outcome.ABORTED and refused is not None and refused.count:
        error = errors.SchemaError(
            f"{declaration.name}: {refused.count} of {found.row_count} rows cannot be brought to the types of "
            f"{declaration.contract.name}, and the asset has no quarantine, so nothing was written.\n{refused.told}\n"
            "Mend the source, widen the contract, or declare quarantine=True to publish the other rows and keep these "
            "aside."
        )
        error.failures = refused.failures
        return error
    if outcome is Outcome.ABORTED:
        return errors.ValidationAbortError(
            f"{counts} and the asset has no quarantine, so nothing was written. Mend the data, or declare "
            "quarantine=True to publish the valid rows and keep the invalid ones aside."
        )
    if kind is not None:
        return kind(f"{counts}, so there is nothing to publish and the table was not written.")
    if declaration.policy.too_many_invalid(found.valid_count, found.invalid_count):
        return errors.TooManyInvalidRowsError(
            f"{counts}, more than max_invalid={declaration.policy.max_invalid} allows; the table was not written."
        )
    if declaration.policy.too_few(found.valid_count):
        return errors.TooFewRowsError(
            f"{declaration.name}: {found.valid_count} valid rows, fewer than min_rows={declaration.policy.min_rows}; "
            f"the table was not written.{f' {found.invalid_count} rows are invalid.' if found.invalid_count else ''}"
        )
    return None


def _worst(found: Split) -> str:
    broken = sorted((item for item in found.rule_counts.items() if item[1]), key=lambda item: -item[1])
    named = [f"{rule}: {count}" for rule, count in broken[:5]]
    return ", ".join(named) + (f", and {len(broken) - 5} more rules" if len(broken) > 5 else "")  # noqa: PLR2004
