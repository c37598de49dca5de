SELECT id, name FROM employees
UNION ALL
SELECT id, name FROM customers
