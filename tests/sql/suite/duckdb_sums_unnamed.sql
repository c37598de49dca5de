SELECT country, count(*), max(created_at), sum(1), 1 + 1
FROM customers
GROUP BY country
