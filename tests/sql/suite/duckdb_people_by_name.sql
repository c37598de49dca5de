SELECT id, name FROM customers
UNION ALL BY NAME
SELECT name, salary, id FROM employees
