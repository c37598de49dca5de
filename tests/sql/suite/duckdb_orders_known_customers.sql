SELECT o.id, c.name AS customer, c.segment
FROM orders AS o
LEFT JOIN customers AS c ON c.id = o.customer_id
WHERE c.name IS NOT NULL AND c.segment = 'business'
