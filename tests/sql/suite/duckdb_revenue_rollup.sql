SELECT status, EXTRACT(year FROM ordered_at) AS year, SUM(amount) AS revenue
FROM orders
GROUP BY ROLLUP (status, year)
