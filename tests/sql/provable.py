"""What can be proved about NULL, one line each: the table of docs/sql-nullability.md is made of it."""

from __future__ import annotations

from dataclasses import dataclass

from dagster_contracts.contract.types import Type
from dagster_contracts.sql.relation import Column, Relation


def relation(table_name: str, /, **columns: str) -> Relation:
    """A table; a type that ends in `?` is nullable."""
    return Relation(
        table_name,
        tuple(Column(column, Type(kind.rstrip("?")), nullable=kind.endswith("?")) for column, kind in columns.items()),
    )


ORDERS = relation(
    "orders", id="Int64", customer_id="Int64?", amount="Float64", note="String?", code="String", day="Date", doc="Json"
)
CUSTOMERS = relation("customers", key="Int64", name="String", email="String?", parent="Int64?")
TABLES = {"orders": ORDERS, "customers": CUSTOMERS}
DDL = """
CREATE TABLE orders (id BIGINT NOT NULL, customer_id BIGINT, amount DOUBLE NOT NULL, note VARCHAR, code VARCHAR NOT NULL, day DATE NOT NULL, doc JSON NOT NULL);
CREATE TABLE customers (key BIGINT NOT NULL, name VARCHAR NOT NULL, email VARCHAR, parent BIGINT);
"""

NO, YES, OPEN = False, True, None  # never NULL, can be NULL, not known


@dataclass(frozen=True)
class Case:
    """One query, and for each of its columns whether it can be NULL."""

    sql: str
    nullable: tuple[bool | None, ...]


def _group(title: str, *cases: tuple[str, bool | tuple[bool | None, ...] | None]) -> tuple[str, list[Case]]:
    return title, [Case(sql, n if isinstance(n, tuple) else (n,)) for sql, n in cases]


GROUPS = [
    _group(
        "Sources",
        ("SELECT id FROM orders", NO),
        ("SELECT note FROM orders", YES),
        ("SELECT x FROM somewhere_else", OPEN),
    ),
    _group(
        "Joins",
        ("SELECT o.id, c.name FROM orders o JOIN customers c ON c.key = o.customer_id", (NO, NO)),
        ("SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON c.key = o.customer_id", (NO, YES)),
        ("SELECT o.id, c.name FROM orders o RIGHT JOIN customers c ON c.key = o.customer_id", (YES, NO)),
        ("SELECT o.id, c.name FROM orders o FULL JOIN customers c ON c.key = o.customer_id", (YES, YES)),
        ("SELECT o.id, c.name FROM orders o CROSS JOIN customers c", (NO, NO)),
        ("SELECT o.customer_id FROM orders o JOIN customers c ON c.key = o.customer_id", NO),
        ("SELECT o.customer_id FROM orders o SEMI JOIN customers c ON c.key = o.customer_id", NO),
        ("SELECT o.customer_id FROM orders o ANTI JOIN customers c ON c.key = o.customer_id", YES),
        ("SELECT c.name FROM orders o ASOF JOIN customers c ON o.id >= c.key", NO),
        ("SELECT c.name FROM orders o ASOF LEFT JOIN customers c ON o.id >= c.key", YES),
        ("SELECT o.id, c.name FROM orders o POSITIONAL JOIN customers c", (YES, YES)),
        ("SELECT k FROM (SELECT id AS k FROM orders) FULL JOIN (SELECT key AS k FROM customers) USING (k)", NO),
        (
            "SELECT k FROM (SELECT customer_id AS k FROM orders) FULL JOIN (SELECT key AS k FROM customers) USING (k)",
            YES,
        ),
        (
            "SELECT c.name FROM orders o LEFT JOIN (customers c JOIN customers d ON d.key = c.parent) ON c.key = o.id",
            YES,
        ),
        ("SELECT l.top FROM customers c, LATERAL (SELECT max(amount) AS top FROM orders WHERE id = c.key) l", YES),
    ),
    _group(
        "Conditions that every row meets",
        ("SELECT note FROM orders WHERE note IS NOT NULL", NO),
        ("SELECT note FROM orders WHERE note = 'a'", NO),
        ("SELECT note FROM orders WHERE note <> 'a' AND id > 1", NO),
        ("SELECT note FROM orders WHERE note LIKE 'a%'", NO),
        ("SELECT note FROM orders WHERE length(note) > 1", NO),
        ("SELECT note FROM orders WHERE note IN ('a', 'b')", NO),
        ("SELECT note FROM orders WHERE note NOT IN ('a', 'b')", NO),
        ("SELECT customer_id FROM orders WHERE customer_id IN (SELECT key FROM customers)", NO),
        ("SELECT customer_id FROM orders WHERE customer_id NOT IN (SELECT key FROM customers)", YES),
        ("SELECT customer_id FROM orders WHERE customer_id BETWEEN 1 AND 2", NO),
        ("SELECT note FROM orders WHERE note = 'a' OR note = 'b'", NO),
        ("SELECT note FROM orders WHERE note = 'a' OR id = 1", YES),
        ("SELECT note FROM orders WHERE NOT (note IS NULL OR id = 1)", NO),
        ("SELECT note FROM orders WHERE note IS DISTINCT FROM 'a'", YES),
        ("SELECT note FROM orders WHERE note IS NOT DISTINCT FROM 'a'", NO),
        ("SELECT note FROM orders WHERE coalesce(note = 'a', false)", NO),
        ("SELECT c.name FROM orders o LEFT JOIN customers c ON c.key = o.id WHERE c.email = 'a'", NO),
        ("SELECT o.customer_id FROM orders o LEFT JOIN customers c ON c.key = o.customer_id WHERE c.email = 'a'", NO),
        ("SELECT lag(id) OVER (ORDER BY id) AS l FROM orders QUALIFY l IS NOT NULL", NO),
        ("SELECT max(note) AS m FROM orders GROUP BY id HAVING max(note) IS NOT NULL", NO),
    ),
    _group(
        "Choices",
        ("SELECT coalesce(note, 'none') FROM orders", NO),
        ("SELECT coalesce(note, code) FROM orders", NO),
        ("SELECT ifnull(note, NULL) FROM orders", YES),
        ("SELECT CASE WHEN id > 1 THEN 'a' ELSE 'b' END FROM orders", NO),
        ("SELECT CASE WHEN id > 1 THEN 'a' END FROM orders", YES),
        ("SELECT CASE WHEN note IS NULL THEN 'none' ELSE note END FROM orders", NO),
        ("SELECT CASE WHEN note = 'a' THEN note ELSE 'b' END FROM orders", NO),
        ("SELECT CASE note WHEN 'a' THEN note ELSE code END FROM orders", NO),
        ("SELECT if(note IS NOT NULL, note, code) FROM orders", NO),
        ("SELECT nullif(code, '') FROM orders", YES),
        ("SELECT greatest(note, code) FROM orders", NO),
        ("SELECT note IS NOT NULL AND note > 'a' FROM orders", NO),
        ("SELECT note > 'a' AND id > 1 FROM orders", YES),
    ),
    _group(
        "Expressions",
        ("SELECT amount * 2 + id FROM orders", NO),
        ("SELECT amount / id FROM orders", NO),
        ("SELECT upper(code) || '!' FROM orders", NO),
        ("SELECT note || '!' FROM orders", YES),
        ("SELECT concat(note, '!') FROM orders", NO),
        ("SELECT CAST(code AS INTEGER) FROM orders", NO),
        ("SELECT TRY_CAST(code AS INTEGER) FROM orders", YES),
        ("SELECT doc ->> '$.a' FROM orders", YES),
        ("SELECT CAST(doc AS INTEGER) FROM orders", YES),
        ("SELECT [code, note][id] FROM orders", YES),
        ("SELECT date_trunc('month', day) FROM orders", NO),
        ("SELECT year(day) FROM orders", OPEN),
        ("SELECT year(day) FROM orders WHERE isfinite(day)", NO),
        ("SELECT year(current_date)", NO),
        ("SELECT my_macro(id) FROM orders", OPEN),
        ("SELECT id IN (1, 2), id IN (1, NULL), EXISTS (SELECT 1 FROM customers) FROM orders", (NO, YES, NO)),
        ("SELECT (SELECT count(*) FROM customers), (SELECT max(key) FROM customers)", (NO, YES)),
        ("SELECT (SELECT name FROM customers WHERE key = id LIMIT 1) FROM orders", YES),
    ),
    _group(
        "Aggregates",
        ("SELECT sum(amount) FROM orders GROUP BY code", NO),
        ("SELECT sum(amount) FROM orders", YES),
        ("SELECT code, sum(amount) FROM orders GROUP BY ROLLUP (code)", (YES, YES)),
        ("SELECT code, sum(amount) FROM orders GROUP BY GROUPING SETS ((code), (id))", (YES, NO)),
        ("SELECT max(note) FROM orders GROUP BY code", YES),
        ("SELECT sum(amount) FILTER (WHERE id > 1) FROM orders GROUP BY code", YES),
        ("SELECT count(*), count(note), count(DISTINCT note) FROM orders", (NO, NO, NO)),
        ("SELECT stddev(amount) FROM orders GROUP BY code", YES),
        ("SELECT avg(amount), avg(day), max(day) FROM orders GROUP BY code", (NO, OPEN, NO)),
        ("SELECT list(id), string_agg(code, ',') FROM orders GROUP BY day", (NO, NO)),
        ("SELECT sum(amount) / count(*) FROM orders GROUP BY ALL", YES),
        ("SELECT code, sum(amount) FROM orders GROUP BY ALL", (NO, NO)),
    ),
    _group(
        "Windows",
        ("SELECT row_number() OVER (ORDER BY id), rank() OVER (ORDER BY note) FROM orders", (NO, NO)),
        ("SELECT sum(amount) OVER (PARTITION BY code ORDER BY id) FROM orders", NO),
        ("SELECT sum(amount) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM orders", YES),
        ("SELECT lag(amount) OVER (ORDER BY id) FROM orders", YES),
        ("SELECT lag(amount, 1, 0) OVER (ORDER BY id) FROM orders", NO),
        ("SELECT first_value(code) OVER (ORDER BY id) FROM orders", NO),
        ("SELECT nth_value(code, 2) OVER (ORDER BY id) FROM orders", YES),
        ("SELECT sum(amount) OVER w FROM orders WINDOW w AS (ORDER BY id ROWS 1 PRECEDING EXCLUDE CURRENT ROW)", YES),
    ),
    _group(
        "Whole queries",
        ("SELECT id FROM orders UNION ALL SELECT parent FROM customers", YES),
        ("SELECT id FROM orders UNION ALL SELECT key FROM customers", NO),
        ("SELECT customer_id FROM orders INTERSECT SELECT key FROM customers", NO),
        ("SELECT id FROM orders EXCEPT SELECT parent FROM customers", NO),
        ("SELECT id FROM orders UNION ALL BY NAME SELECT key FROM customers", (YES, YES)),
        ("WITH c AS (SELECT id, note FROM orders) SELECT * FROM c", (NO, YES)),
        ("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n", NO),
        (
            "WITH RECURSIVE n AS (SELECT 1 AS i, 1 AS p UNION ALL SELECT i + 1, nullif(i, 3) FROM n WHERE i < 5) SELECT p FROM n",
            YES,
        ),
        ("SELECT * EXCLUDE (note, customer_id) REPLACE (1 AS id) FROM orders", (NO, NO, NO, NO, NO)),
        ("SELECT x, y FROM (VALUES (1, 2), (3, NULL)) AS v(x, y)", (NO, YES)),
        ("SELECT i FROM range(3) AS r(i)", NO),
        ("SELECT unnest([1, 2]), unnest([1, NULL])", (OPEN, YES)),
        ("SELECT unnest([1, 2]) FROM orders", NO),
        ("SELECT * FROM (SELECT code, amount FROM orders) PIVOT (sum(amount) FOR code IN ('a'))", YES),
        ("SELECT v FROM (SELECT id, note FROM orders) UNPIVOT (v FOR n IN (note))", NO),
    ),
]
ALL = [case for _, cases in GROUPS for case in cases]
WORDS = {NO: "proved", YES: "can be NULL", OPEN: "not known"}


def table() -> str:
    """The table of the docs, in Markdown."""
    lines = []
    for title, cases in GROUPS:
        lines += [f"### {title}", "", "| query | its columns |", "| --- | --- |"]
        for case in cases:
            answer = ", ".join(WORDS[nullable] for nullable in case.nullable)
            lines.append(f"| `{case.sql.replace('|', chr(92) + '|')}` | {answer} |")
        lines.append("")
    return "\n".join(lines)
