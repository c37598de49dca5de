WITH base AS (SELECT id, name, price, price * 1.19 AS gross, weight FROM products)
SELECT id, UPPER(name) AS name, gross, ROUND(price) AS rounded, price > 10 AS dear, weight::VARCHAR AS weight, price / 3 AS third
FROM base
