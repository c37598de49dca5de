"""Where the tables are kept: `FLIGHTS_DATA_DIR`, or `storage/` in the project's folder."""

import os
from pathlib import Path

import dagster as dg
import dagster_contracts as dc

DEFAULT_DIR = Path(__file__).parents[3] / "storage"


@dg.definitions
def storage() -> dg.Definitions:
    """One IO manager for the tables and their quarantines."""
    base_dir = os.environ.get("FLIGHTS_DATA_DIR") or str(DEFAULT_DIR)
    return dg.Definitions(resources={"io_manager": dc.ParquetIOManager(base_dir=base_dir)})
