WITH RECURSIVE chain AS (
  SELECT id, manager_id, name, 0 AS depth FROM employees WHERE manager_id IS NULL
  UNION ALL
  SELECT e.id, e.manager_id, e.name, c.depth + 1 FROM employees AS e JOIN chain AS c ON e.manager_id = c.id
)
SELECT id, manager_id, name, depth FROM chain
