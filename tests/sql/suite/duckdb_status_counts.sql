SELECT *
FROM (SELECT customer_id, status, amount FROM orders)
PIVOT (SUM(amount) AS total, COUNT(*) AS n FOR status IN ('paid', 'open'))
