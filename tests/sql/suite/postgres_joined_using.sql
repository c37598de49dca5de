SELECT *
FROM (SELECT id AS order_id, status FROM orders) AS o
JOIN payments USING (order_id)
