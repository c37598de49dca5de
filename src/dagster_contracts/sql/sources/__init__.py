"""What the tables look like that a project reads and does not make."""

from dagster_contracts.sql.sources.read import Sources, read_sources

__all__ = ["Sources", "read_sources"]
