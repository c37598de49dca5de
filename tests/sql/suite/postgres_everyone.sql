SELECT id, name, salary::bigint AS number FROM employees
UNION ALL
SELECT id, name, referrer_id FROM customers
