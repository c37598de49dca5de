"""Runs a project's model in a forked process for each line that comes in: the name of the model."""

import sys

import dagster as dg
from dagster.components.testing.utils import create_defs_folder_sandbox
from tests.orchestration.forked_runs import serve

import dagster_contracts as dc

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def main(config: str, database: str) -> None:
    with create_defs_folder_sandbox() as sandbox:
        folder = sandbox.scaffold_component(
            component_cls=dc.SqlProjectComponent,
            defs_yaml_contents={
                "type": "dagster_contracts.SqlProjectComponent",
                "attributes": {"config_path": config, "database": database, "wait_seconds": 60},
            },
        )
        with sandbox.load_component_and_build_defs(defs_path=folder) as (_, defs):
            job = defs.resolve_implicit_global_asset_job_def()

            def run(model: str) -> bool:
                selection = [dg.AssetKey(model)]
                result = job.execute_in_process(run_config=QUIET, raise_on_error=False, asset_selection=selection)
                return result.success

            serve(run)


if __name__ == "__main__":
    main(*sys.argv[1:])
