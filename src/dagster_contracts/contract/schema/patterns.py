"""Regular expressions, which rows and frames must read alike."""

from __future__ import annotations

import polars as pl


def pattern_error(pattern: object) -> str | None:
    """Why a pattern cannot be a rule, or nothing where it can: pydantic and Polars both read Rust's dialect."""
    if not isinstance(pattern, str):
        return "a pattern is text"
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.ComputeError as error:
        return " ".join(str(error).split("\n\nThis error")[0].split())
    return None
