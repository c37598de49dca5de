"""The Dagster surface."""
