SELECT amount AS money, status AS label FROM orders
UNION ALL
SELECT paid, method FROM payments
