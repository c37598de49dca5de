"""`dg scaffold defs dagster_contracts.SqlProjectComponent`: a project that works as it is."""

from __future__ import annotations

import dagster as dg

FILES = {
    "contracts.toml": """\
# What the models read and do not make: here a Parquet file, a dy.Schema, CREATE TABLE statements … can say it, too.
dialect = "duckdb"

[[sources]]
sql = "sources.sql"
""",
    "sources.sql": "CREATE TABLE raw_orders (id BIGINT NOT NULL, customer VARCHAR, amount DECIMAL(10, 2) NOT NULL);\n",
    "models/example_orders.sql": """\
-- Three orders that are made up. Replace this with a query on your own tables.
SELECT * FROM (VALUES (1, 'Ada', 9.50), (2, NULL, 12.00), (3, 'Grace', 3.25)) AS orders (id, customer, amount)
""",
    "models/example_totals.sql": """\
-- What each customer spent.
SELECT
    coalesce(customer, 'unknown') AS customer,
    count(*) AS orders,
    sum(amount) AS amount
FROM example_orders
GROUP BY ALL
""",
    "contracts/example_totals.contract.toml": """\
[rules]
required = ["customer", "amount"]

[[columns]]
name = "customer"
type = "String"
nullable = false

[[columns]]
name = "orders"
type = "Int64"
nullable = false
""",
}


class SqlProjectScaffolder(dg.Scaffolder):
    """Writes a project of two models and a contract beside a `defs.yaml`."""

    def scaffold(self, request: dg.ScaffoldRequest) -> None:
        """Write the files; those that are there already are left."""
        for name, text in FILES.items():
            file = request.target_path / "sql" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                file.write_text(text)
        dg.scaffold_component(request, {"config_path": "sql/contracts.toml", "database": "warehouse.duckdb"})
