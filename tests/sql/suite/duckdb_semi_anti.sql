SELECT c.id, c.country
FROM customers AS c
SEMI JOIN orders AS o ON o.customer_id = c.id
ANTI JOIN events AS e ON e.user_id = c.id
