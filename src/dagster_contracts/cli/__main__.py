"""`python -m dagster_contracts.cli`."""

from dagster_contracts.cli.app import main

main()
