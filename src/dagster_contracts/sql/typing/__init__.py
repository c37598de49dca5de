"""The names and types that a query returns, in each dialect."""

from dagster_contracts.sql.query_error import QueryError, UnknownOutputError
from dagster_contracts.sql.typing.column import TypedColumn
from dagster_contracts.sql.typing.infer import infer_types

__all__ = ["QueryError", "TypedColumn", "UnknownOutputError", "infer_types"]
