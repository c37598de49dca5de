"""A project that checks green as it is: what `init` and the scaffolder write."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "contracts.toml": """\
# The tables that the models read and do not make. A Parquet file, a dy.Schema, a dbt manifest … can describe them, too.
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


def write_project(folder: Path) -> list[str]:
    """Write the project's files; those that are there already are left as they are.

    Args:
        folder: The project's folder, which is made if need be.

    Returns:
        The files that were written.
    """
    written = []
    for name, text in FILES.items():
        file = folder / name
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            written.append(name)
    return written
