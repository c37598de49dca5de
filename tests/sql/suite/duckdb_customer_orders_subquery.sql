SELECT
  c.id,
  (SELECT MAX(o.ordered_at) FROM orders AS o WHERE o.customer_id = c.id) AS last_order,
  (SELECT COUNT(*) FROM orders AS o WHERE o.customer_id = c.id) AS orders,
  EXISTS (SELECT 1 FROM payments AS p WHERE p.id = c.id) AS has_payment,
  c.id IN (SELECT e.user_id FROM events AS e) AS has_event
FROM customers AS c
