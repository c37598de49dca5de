"""Contracts on SQL models, checked without a warehouse and without data."""
