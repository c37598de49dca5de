"""Keys that a contract does not declare, kept as columns whose types hold for the whole run."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl
import polars.selectors as cs

from dagster_contracts.contract.row_fields import row_schema
from dagster_contracts.errors import SchemaError
from dagster_contracts.orchestration.refused_rows import NUMBER, RAW
from dagster_contracts.orchestration.row_batches import is_pandas
from dagster_contracts.rows.conform import canonical, conform
from dagster_contracts.rows.foreign import as_dict
from dagster_contracts.rows.infer import Inference
from dagster_contracts.rows.raw import raw_json
from dagster_contracts.rows.schema import Schema
from dagster_contracts.rows.shapes import record_shape
from dagster_contracts.rows.sources import Columns, read

if TYPE_CHECKING:
    from collections.abc import Collection

    from dagster_contracts.contract.fields import FieldSpec
    from dagster_contracts.rows.conformed import Conformed
    from dagster_contracts.rows.failure import RowFailure

_ALONE: Final = 100
"""So many rows of a batch are looked at one by one for what no column holds."""

_WAY_OUT: Final = "Declare what it is, or drop undeclared keys. Nothing was written."


@dataclass(frozen=True)
class Taken:
    """A batch, taken apart.

    Args:
        declared: The batch without the keys that nobody declared.
        others: These, with a row for each of the batch's; `None` if there are none.
        failures: What no column can hold, with the rows' numbers.
        retyped: Whether a key has another type from this batch on.
    """

    declared: Any
    others: pl.DataFrame | None = None
    failures: tuple[RowFailure, ...] = ()
    retyped: bool = False


class KeptKeys:
    """What was seen of the keys that nobody declared, and the columns that hold all of it.

    As long as no key has another type than before, what a batch gives can stand below the batches before it. What came
    before a change is brought to the last types by `in_last_types`.

    Args:
        asset: The asset as messages call it.
        known: The keys that the contract declares.
    """

    def __init__(self, asset: str, known: Collection[str]) -> None:
        self._asset, self._known = asset, known
        self._inference = Inference()
        self._typed: dict[str, FieldSpec] = {}
        self._schemas: list[type[Schema] | None] = [None]
        self._tables: dict[str, pl.DataType] = {}
        self.names: set[str] = set()

    def take(self, batch: Any, first_row: int) -> Taken:
        """Take a batch apart.

        Args:
            batch: Rows or a table.
            first_row: The number of its first row.

        Raises:
            SchemaError: A column of a table has another type than before.
        """
        return self._take_rows(batch, first_row) if isinstance(batch, list) else self._take_table(batch)

    def in_last_types(self, frame: pl.DataFrame, change: int) -> pl.DataFrame:
        """Rows that were taken after so many changes of types, in the types that hold all.

        Raises:
            SchemaError: A value cannot be brought to the type that holds the others.
        """
        last, before = self._schemas[-1], self._schemas[change]
        if last is None or before is None:
            return frame
        specs = {spec.name: spec for spec in before.field_specs()}
        changed = [
            self._converted(frame[spec.name], before, spec, specs[spec.name])
            for spec in last.field_specs()
            if spec.name in frame.columns and spec.name in specs and specs[spec.name] != spec
        ]
        return frame.with_columns(changed)

    def in_order(self, frame: pl.DataFrame | pl.LazyFrame) -> pl.DataFrame | pl.LazyFrame:
        """A frame with every key, behind the declared columns and in the order of their names."""
        there = frame.collect_schema().names()
        dtypes = {} if self._schemas[-1] is None else self._schemas[-1].polars_schema()
        absent = [pl.lit(None, dtypes.get(name, pl.String())).alias(name) for name in self.names - {*there}]
        declared = [name for name in there if name not in self.names]
        return frame.with_columns(absent).select(cs.by_name(*declared, *sorted(self.names)))

    def _take_table(self, batch: Any) -> Taken:
        """The columns of a table keep their own types."""
        names = [str(name) for name in batch.columns] if is_pandas(batch) else pl.DataFrame(batch).columns
        others = [name for name in names if name not in self._known]
        if not others:
            return Taken(batch)
        if is_pandas(batch):
            declared, found = batch.drop(columns=others), pl.from_pandas(batch[others], nan_to_null=True)
        else:
            frame = pl.DataFrame(batch)
            declared, found = frame.select(cs.exclude(others)), frame.select(cs.by_name(*others))
        self.names.update(others)
        typed = [name for name in others if found[name].dtype != pl.Null()]
        for name in typed:
            spec = self._typed.get(name)
            self._refuse_other_type(name, found[name].dtype, spec.dtype if spec else self._tables.get(name))
            self._tables[name] = found[name].dtype
        return Taken(declared, found.select(cs.by_name(*typed)) if typed else None)

    def _take_rows(self, rows: list[Any], first_row: int) -> Taken:
        """The values of rows have the types that hold all that were seen so far, but for what no column holds."""
        mappings = [as_dict(row) or {} for row in rows]  # what is no row is refused by conforming
        others = [
            {key: value for key, value in row.items() if isinstance(key, str) and key not in self._known}
            for row in mappings
        ]
        if not any(others):
            return Taken(rows)
        declared = [
            {key: value for key, value in mapping.items() if key in self._known} if other else row
            for row, mapping, other in zip(rows, mappings, others, strict=True)
        ]
        schema, found, failures = self._inferred(others, first_row)
        if schema is None:
            return Taken(declared, None, failures)
        specs = {spec.name: spec for spec in schema.field_specs()}
        self.names.update(specs)
        typed = {name: spec for name, spec in specs.items() if self._inference.keys[name].kinds}
        for name, spec in typed.items():
            self._refuse_other_type(name, spec.dtype, self._tables.get(name))
        retyped = any(specs[name] != spec for name, spec in self._typed.items())
        self._schemas = [*self._schemas, schema] if retyped else [*self._schemas[:-1], schema]
        self._typed = typed
        # A column of nulls has no type that could stand below another one.
        return Taken(declared, found.select(cs.by_name(*typed)) if typed else None, failures, retyped)

    def _inferred(
        self, others: list[dict[str, Any]], first_row: int
    ) -> tuple[type[Schema] | None, pl.DataFrame, tuple[RowFailure, ...]]:
        """The types of all keys, and these as columns; and what no column holds, which decides about no type."""
        odd: list[RowFailure] = []
        for _ in range(2):
            inference = copy.deepcopy(self._inference)
            inference.add(others)
            if not inference.keys:
                return None, pl.DataFrame(), tuple(odd)
            schema = inference.schema("Kept")
            found = conform(schema, others, first_row=first_row)
            if odd or not found.failures:
                break
            odd = _odd(others, found, first_row)
            rows = {one.row - first_row for one in odd}
            others = [{} if at in rows else row for at, row in enumerate(others)]
        self._inference = inference
        return schema, _whole(found), tuple(sorted([*odd, *found.failures], key=lambda one: one.row))

    def _converted(self, column: pl.Series, before: type[Schema], after: FieldSpec, was: FieldSpec) -> pl.Series:
        """A column in the type that holds what came later, too."""
        rows = canonical(record_shape(row_schema(before)), Columns({column.name: column}, len(column))).rows()
        one = Inference({column.name: self._inference.keys[column.name]}).schema("Kept")
        found = conform(one, rows)
        if found.failures:
            raise SchemaError(
                f"{self._asset}: the undeclared key {column.name!r} was {was.type} at first and {after.type} once "
                f"other rows had come, and a value cannot be both: {found.failures[0].cause}. {_WAY_OUT}"
            )
        return found.frame[column.name]

    def _refuse_other_type(self, name: str, dtype: pl.DataType, before: pl.DataType | None) -> None:
        """Refuse that a table's column has another type than the same column, or the same key of rows."""
        if before is not None and dtype != before and not (dtype.is_numeric() and before.is_numeric()):
            raise SchemaError(
                f"{self._asset}: the undeclared column {name!r} is {before} in some tables or rows and {dtype} in "
                f"others, and one column cannot keep both. {_WAY_OUT}"
            )


def with_others(
    found: Conformed, batch: Any, taken: Taken, first_row: int
) -> tuple[Conformed, pl.DataFrame, pl.Series]:
    """What has become of a batch when its other keys are back.

    Args:
        found: The batch without them, conformed.
        batch: The batch as it came.
        taken: What it was taken apart to.
        first_row: The number of its first row.

    Returns:
        The batch; its rows with the keys that are kept; the refused ones as they came, in JSON.
    """
    if taken.failures:
        found = _without_refused(found, taken.failures)
    rows = found.frame if taken.others is None else found.frame.hstack(taken.others[found.numbers - first_row])
    raw = found.raw if taken.declared is batch else _as_they_came(batch, found.refused_numbers - first_row)
    return found, rows, raw


def _without_refused(found: Conformed, failures: tuple[RowFailure, ...]) -> Conformed:
    """A batch that was conformed, of which more rows are refused."""
    reasons: dict[int, list[str]] = {}
    for one in failures:
        reasons.setdefault(one.row, []).append(f"{one.field}{one.place}: {one.reason}")
    moved = found.numbers.is_in([*reasons])
    refused = pl.concat(
        [
            found.refused.with_columns(found.refused_numbers.alias(NUMBER), found.reasons.alias(RAW)),
            found.frame.filter(moved).with_columns(found.numbers.filter(moved).alias(NUMBER), pl.lit("").alias(RAW)),
        ]
    ).sort(NUMBER)
    told = [
        "; ".join([*([own] if own else []), *reasons.get(number, [])])
        for number, own in refused.select(NUMBER, RAW).iter_rows()
    ]
    return replace(
        found,
        frame=found.frame.filter(~moved),
        numbers=found.numbers.filter(~moved),
        refused=refused.drop(NUMBER, RAW),
        refused_numbers=refused[NUMBER],
        reasons=pl.Series("reason", told, dtype=pl.String()),
        failures=tuple(sorted([*found.failures, *failures], key=lambda one: one.row)),
    )


def _as_they_came(batch: Any, numbers: pl.Series) -> pl.Series:
    """Some rows of a batch as JSON, with every key."""
    picked = numbers.to_list()
    given = read(batch)
    rows = given.at(picked).rows() if isinstance(given, Columns) else [batch[at] for at in picked]
    return pl.Series([raw_json(row) for row in rows], dtype=pl.String)


def _odd(others: list[dict[str, Any]], found: Conformed, first_row: int) -> list[RowFailure]:
    """What of the refused rows no column holds, whatever the other rows are; of very many, all of it."""
    numbers = found.refused_numbers.to_list()
    failures: list[RowFailure] = []
    for number in numbers[:_ALONE]:
        row = [others[number - first_row]]
        failures += conform(Schema.infer(row), row, first_row=number).failures
    rest = {*numbers[_ALONE:]}
    return failures + [one for one in found.failures if one.row in rest]


def _whole(found: Conformed) -> pl.DataFrame:
    """All rows of a batch in their order; null where a value was refused."""
    both = [
        found.frame.with_columns(found.numbers.alias(NUMBER)),
        found.refused.with_columns(found.refused_numbers.alias(NUMBER)),
    ]
    return pl.concat(both).sort(NUMBER).drop(NUMBER)
