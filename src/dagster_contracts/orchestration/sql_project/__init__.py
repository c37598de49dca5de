"""A folder of SQL models as assets, run on an embedded DuckDB."""
