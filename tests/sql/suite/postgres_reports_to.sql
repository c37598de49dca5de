WITH RECURSIVE chain AS (
  SELECT id, manager_id, name, 1 AS depth FROM employees WHERE manager_id IS NULL
  UNION ALL
  SELECT e.id, e.manager_id, e.name, chain.depth + 1 FROM employees AS e JOIN chain ON e.manager_id = chain.id
)
SELECT *, depth > 3 AS deep, length(name) AS letters FROM chain
