SELECT customer_id, id AS order_id, amount, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY ordered_at DESC) AS position
FROM orders
QUALIFY position = 1
