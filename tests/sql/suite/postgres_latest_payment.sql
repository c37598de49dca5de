SELECT DISTINCT ON (order_id) order_id, id, method, paid, fee, paid_at
FROM payments
ORDER BY order_id, paid_at DESC
