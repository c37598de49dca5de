"""The command line, `dagster-contracts`: one file a command."""

from dagster_contracts.cli.app import main

__all__ = ["main"]
