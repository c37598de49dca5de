"""Assets of a module whose annotations are strings, every parameter kind in every place. Imported by `test_outcomes.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dagster as dg
import dataframely as dy

import dagster_contracts as dc

if TYPE_CHECKING:
    import polars as pl


class Doubled(dy.Schema):
    id = dy.Int64(primary_key=True)
    value = dy.Int64(min=0)


class Factor(dg.ConfigurableResource):
    by: int


class Limit(dg.Config):
    rows: int


@dc.asset(Doubled)
def everything(
    context: dg.AssetExecutionContext, config: Limit, factor: Factor, raw: pl.DataFrame, more: pl.LazyFrame
) -> pl.DataFrame:
    context.log.info("computing")
    both = raw.vstack(more.collect())
    return both.head(config.rows).with_columns(both["value"].head(config.rows) * factor.by)


@dc.asset(Doubled, quarantine=True)
def everything_quarantined(
    context: dg.AssetExecutionContext, config: Limit, factor: Factor, raw: pl.DataFrame, more: pl.LazyFrame
) -> pl.LazyFrame:
    context.log.info("computing")
    both = raw.vstack(more.collect())
    return both.head(config.rows).with_columns(both["value"].head(config.rows) * factor.by).lazy()


@dc.asset(Doubled)
def without_context(
    config: Limit, factor: Factor, raw: pl.DataFrame, more: pl.LazyFrame
) -> dg.MaterializeResult[pl.DataFrame]:
    both = raw.vstack(more.collect())
    result = both.head(config.rows).with_columns(both["value"].head(config.rows) * factor.by)
    return dg.MaterializeResult(value=result)


@dc.asset(Doubled, quarantine=True)
def without_context_quarantined(
    config: Limit, factor: Factor, raw: pl.DataFrame, more: pl.LazyFrame
) -> pl.DataFrame | None:
    both = raw.vstack(more.collect())
    return both.head(config.rows).with_columns(both["value"].head(config.rows) * factor.by)
