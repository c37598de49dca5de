SELECT o.id, o.amount, c.name AS customer, c."NAME" AS again, o.status AS "Status"
FROM orders o
LEFT JOIN customers c ON c.id = o.customer_id
