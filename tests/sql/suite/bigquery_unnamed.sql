SELECT COUNT(*), country, MAX(created_at), 'x'
FROM customers
GROUP BY country
