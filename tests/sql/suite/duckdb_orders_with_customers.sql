SELECT o.id, o.amount, c.name AS customer, c.email
FROM orders AS o
LEFT JOIN customers AS c ON c.id = o.customer_id
