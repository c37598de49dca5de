"""Runs a project's model in a forked process for each line that comes in, and says which it is and how it ended."""

import os
import sys
from pathlib import Path

import dagster as dg
from dagster.components.testing.utils import create_defs_folder_sandbox

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
            say("ready")
            for line in iter(sys.stdin.readline, ""):
                child = os.fork()
                if child == 0:
                    run(job, line.strip())
                say(str(child))
                sys.stdin.readline()  # until then, no other process can have the child's number
                _, status = os.waitpid(child, 0)
                say(str(os.waitstatus_to_exitcode(status)))


def run(job: dg.JobDefinition, model: str) -> None:
    result = job.execute_in_process(run_config=QUIET, raise_on_error=False, asset_selection=[dg.AssetKey(model)])
    os._exit(0 if result.success else 1)


def say(text: str) -> None:
    sys.stdout.write(f"\n> {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], str(Path(sys.argv[2])))
