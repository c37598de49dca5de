"""Contracts on Dagster assets."""
