"""The assets, their checks and the storage."""
