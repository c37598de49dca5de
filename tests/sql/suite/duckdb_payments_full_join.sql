SELECT order_id, o.status, p.method
FROM (SELECT id AS order_id, status FROM orders) AS o
FULL JOIN payments AS p USING (order_id)
