FROM products
SELECT id, lower(name) AS name, round(price, 2) AS price, price > 10 AND weight < 5 AS handy
