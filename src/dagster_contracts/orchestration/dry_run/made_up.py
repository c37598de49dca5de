"""Frames that stand for the tables an asset reads: without rows, or with a few made-up ones."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import polars as pl

from dagster_contracts.orchestration.dry_run.facts import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dagster_contracts.contract.fields import Contract, FieldSpec, RuleSpec

_ROWS = 6
_DAY = dt.date(2024, 2, 28)


Rows: TypeAlias = Literal["none", "some", "nulls"]
"""What a frame holds: no rows, rows with a null here and there, or rows with nulls wherever they are allowed."""


def frame_of(contract: Contract, rows: Rows) -> pl.DataFrame:
    """A frame with a contract's columns; its rows, if any, need not keep the contract's rules."""
    if rows == "none":
        return contract.empty_frame()
    columns = {
        spec.name: pl.Series(spec.name, _values(spec, rows), dtype=spec.dtype, strict=False) for spec in contract.fields
    }
    return pl.DataFrame(columns, schema={spec.name: spec.dtype for spec in contract.fields})


def source_of(name: str, contract: Contract) -> Source:
    """What is known of a table's nulls before any plan."""
    schema = {spec.name: spec.dtype for spec in contract.fields}
    return Source(name, schema, {spec.name: _may_be_null(contract, spec) for spec in contract.fields})


def is_family(spec: FieldSpec) -> bool:
    """Whether a column may have one of several dtypes, so that a frame without rows shows only one of the cases."""
    return any(
        spec.accepts(other)
        for other in (*_others(spec.dtype), pl.Null(), pl.Int8(), pl.String())
        if other != spec.dtype
    )


def is_promised_not_null(contract: Contract, spec: FieldSpec) -> bool:
    """Whether a null in a column makes a row invalid, and is not only warned of."""
    return not spec.nullable and not any(
        rule.name == f"{spec.name}|nullability" and rule.warning for rule in contract.rules
    )


def _may_be_null(contract: Contract, spec: FieldSpec) -> bool | None:
    if is_promised_not_null(contract, spec):
        return False
    rules = [rule for rule in contract.enforced_rules if spec.name in rule.expr.meta.root_names()]
    if any(rule.column != spec.name for rule in rules):
        return None
    return (
        True if all(_takes_null(rule, contract) for rule in rules if rule.name != f"{spec.name}|nullability") else None
    )


def _takes_null(rule: RuleSpec, contract: Contract) -> bool:
    """Whether a row of nulls keeps a rule of one column."""
    nulls = pl.DataFrame({spec.name: pl.Series([None], dtype=spec.dtype) for spec in contract.fields})
    try:
        kept = nulls.select(rule.expr.alias("kept"))["kept"].to_list()
    except Exception:  # noqa: BLE001  (a rule's own Python function may raise anything)
        return False
    return False not in kept


def _others(dtype: pl.DataType) -> Iterator[pl.DataType]:
    """Dtypes near a dtype, one change each."""
    match dtype:
        case pl.List(inner=inner):
            yield from (pl.List(one) for one in _others(_instance(inner)))
        case pl.Array(inner=inner):
            yield from (pl.Array(one, dtype.shape) for one in _others(_instance(inner)))
        case pl.Struct(fields=fields):
            for at, field in enumerate(fields):
                for one in _others(_instance(field.dtype)):
                    yield pl.Struct([*fields[:at], pl.Field(field.name, one), *fields[at + 1 :]])
        case pl.Datetime():
            yield from (
                pl.Datetime(unit, zone) for unit in ("ms", "us", "ns") for zone in (None, "UTC", dtype.time_zone)
            )
        case pl.Duration():
            yield from (pl.Duration(unit) for unit in ("ms", "us", "ns"))
        case pl.Decimal():
            yield from (pl.Decimal(38, 0), pl.Decimal(10, 2), pl.Decimal(20, 7))
        case pl.Enum():
            yield from (pl.Enum(["a"]), pl.Enum([]), pl.Categorical(), pl.String())
        case _:
            yield from (pl.Int8(), pl.Int16(), pl.Int64(), pl.UInt8(), pl.Int128(), pl.Float32(), pl.Float64())
            yield from (pl.String(), pl.Binary(), pl.Boolean(), pl.Date(), pl.Categorical(), pl.Enum(["a"]))


def _instance(dtype: Any) -> pl.DataType:
    instance: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return instance


def _values(spec: FieldSpec, rows: Rows) -> list[Any]:
    if spec.nullable and rows == "nulls":
        return [None] * _ROWS
    values = [_value(spec.dtype, at) for at in range(_ROWS)]
    if spec.nullable:
        values[1] = values[_ROWS - 1] = None
    return values


def _value(dtype: pl.DataType, at: int) -> Any:  # noqa: C901, PLR0911, PLR0912  (one a dtype)
    match dtype:
        case pl.Boolean():
            return at % 2 == 0
        case pl.Float32() | pl.Float64():
            return at / 2
        case pl.String() | pl.Categorical():
            return "abcd"[at % 4]
        case pl.Binary():
            return b"ab"
        case pl.Date():
            return _DAY + dt.timedelta(days=at % 4)
        case pl.Time():
            return dt.time(at, 30)
        case pl.Datetime(time_zone=zone):
            moment = dt.datetime(2024, 2, 28, at, tzinfo=dt.UTC)
            return moment if zone else moment.replace(tzinfo=None)
        case pl.Duration():
            return dt.timedelta(minutes=at)
        case pl.Decimal():
            return Decimal(at % 4)
        case pl.Enum(categories=categories):
            return categories[at % len(categories)] if len(categories) else None
        case pl.List(inner=inner):
            return [_value(_instance(inner), at + more) for more in range(at % 3)]
        case pl.Array(inner=inner):
            return [_value(_instance(inner), at + more) for more in range(dtype.shape[0])]
        case pl.Struct(fields=fields):
            return {field.name: _value(_instance(field.dtype), at) for field in fields}
        case _ if dtype.is_integer():
            return at % 4
    return None
