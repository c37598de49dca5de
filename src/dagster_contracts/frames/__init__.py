"""Frames held against a contract. Nothing in here knows Dagster."""
