SELECT day, week, COUNT(o.id) AS orders, COALESCE(SUM(o.amount), 0) AS revenue
FROM calendar
LEFT JOIN (SELECT ordered_at::DATE AS day, id, amount FROM orders) AS o USING (day)
GROUP BY ALL
