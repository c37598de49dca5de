"""Whether each column that a query returns can be NULL, and why: one pass over the query, without data."""

from dagster_contracts.sql.nullability.infer import NullColumn, infer_nullability

__all__ = ["NullColumn", "infer_nullability"]
