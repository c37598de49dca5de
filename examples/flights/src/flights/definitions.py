"""Everything under `defs/`, as Dagster loads it."""

from pathlib import Path

import dagster as dg


@dg.definitions
def defs() -> dg.Definitions:
    """The code location."""
    return dg.load_from_defs_folder(path_within_project=Path(__file__).parent)
