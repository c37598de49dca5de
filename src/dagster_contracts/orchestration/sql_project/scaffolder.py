"""`dg scaffold defs dagster_contracts.SqlProjectComponent`: a project that works as it is."""

from __future__ import annotations

import dagster as dg

from dagster_contracts.sql.template import write_project


class SqlProjectScaffolder(dg.Scaffolder):
    """Writes a project of two models and a contract beside a `defs.yaml`."""

    def scaffold(self, request: dg.ScaffoldRequest) -> None:
        """Write the files; those of the project that are there already are left."""
        write_project(request.target_path / "sql")
        dg.scaffold_component(request, {"config_path": "sql/contracts.toml", "database": "warehouse.duckdb"})
