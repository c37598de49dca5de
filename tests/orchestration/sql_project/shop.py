"""A project of two SQL models on disk, and its runs."""

from pathlib import Path
from textwrap import dedent

import dagster as dg
import duckdb
from dagster.components.testing.utils import create_defs_folder_sandbox

import dagster_contracts as dc

CONFIG = '[[sources]]\nsql = "sources.sql"\n'
SOURCES = "CREATE TABLE raw_orders (id BIGINT NOT NULL, customer VARCHAR, amount DOUBLE NOT NULL);"
PROJECT = {
    "contracts.toml": CONFIG,
    "sources.sql": SOURCES,
    "models/orders.sql": "-- Orders as they came.\nSELECT id, customer, amount FROM raw_orders\n",
    "models/totals.sql": "SELECT customer, sum(amount) AS amount FROM orders WHERE customer IS NOT NULL GROUP BY ALL\n",
    "contracts/totals.contract.toml": """
        [rules]
        required = ["customer"]
        protected = ["amount"]

        [[columns]]
        name = "customer"
        type = "String"
        nullable = false
        description = "Who ordered."

        [[columns]]
        name = "amount"
        type = "Float64"
        nullable = false
        """,
}
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


class Shop:
    """One project on disk, loaded anew for each run as a run's process does."""

    def __init__(self, folder: Path, **files: str) -> None:
        self.folder = folder
        self.attributes: dict = {"database": str(folder / "shop.duckdb"), "wait_seconds": 5}
        self.write(**PROJECT)
        self.write(**files)
        self.query(SOURCES)
        self.query("INSERT INTO raw_orders VALUES (1, 'Ada', 1.5), (2, NULL, 2.0), (3, 'Ada', 3.0)")

    def write(self, **files: str) -> None:
        for name, text in files.items():
            file = self.folder / "project" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(dedent(text))

    def query(self, sql: str) -> list:
        with duckdb.connect(self.attributes["database"]) as connection:
            return connection.execute(sql).fetchall()

    def load(self) -> dg.Definitions:
        with create_defs_folder_sandbox() as sandbox:
            attributes = {"config_path": str(self.folder / "project" / "contracts.toml"), **self.attributes}
            folder = sandbox.scaffold_component(
                component_cls=dc.SqlProjectComponent,
                defs_yaml_contents={"type": "dagster_contracts.SqlProjectComponent", "attributes": attributes},
            )
            with sandbox.load_component_and_build_defs(defs_path=folder) as (_, defs):
                return defs

    def run(self, *names: str, instance=None, partition=None, resources=None, others=(), tags=None):
        defs = dg.Definitions.merge(self.load(), dg.Definitions(assets=others, resources=resources or {}))
        job = defs.resolve_implicit_global_asset_job_def()
        keys = [dg.AssetKey.from_user_string(name) for name in names] or None
        return job.execute_in_process(
            run_config=QUIET,
            raise_on_error=False,
            asset_selection=keys,
            instance=instance,
            partition_key=partition,
            tags=tags,
        )


def failure(result) -> Exception:
    (event,) = result.get_step_failure_events()
    error = event.step_failure_data.error
    while error.cause is not None:
        error = error.cause
    return error
