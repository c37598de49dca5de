"""Lazy frames that are nothing but a complete Parquet file of ours, so that a writer may take the file as it is."""

from __future__ import annotations

from pathlib import Path

import polars as pl

_FILE = "_dagster_contracts_staged_file"


def is_unstorable(dtype: pl.DataType | type[pl.DataType]) -> bool:
    """Whether Parquet cannot hold a dtype: objects, and structs without fields, at any depth."""
    if isinstance(dtype, (pl.List, pl.Array)):
        return is_unstorable(dtype.inner)  # type: ignore[arg-type]  # typed as a class of dtypes, too
    if isinstance(dtype, pl.Struct):
        return not dtype.fields or any(is_unstorable(field.dtype) for field in dtype.fields)  # type: ignore[arg-type]
    return dtype == pl.Object


def scan_staged(path: Path) -> pl.LazyFrame:
    """Scan a complete file and remember on the frame which one it is; a frame derived from it does not."""
    frame = pl.scan_parquet(path, glob=False)
    setattr(frame, _FILE, path)
    return frame


def staged_file(frame: object) -> Path | None:
    """The file that a frame is nothing but a scan of, if it is one of ours that is still there."""
    path = getattr(frame, _FILE, None)
    return path if isinstance(path, Path) and path.exists() else None
