"""Contracts on SQL models, checked without a warehouse and without data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dagster_contracts.sql.run import check

__all__ = ["check"]


def __getattr__(name: str) -> Any:
    if name != "check":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dagster_contracts.sql.run import check  # noqa: PLC0415  (imports the SQL parser)

    globals()["check"] = check
    return check
