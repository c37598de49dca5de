SELECT id, amount FROM orders
UNION ALL
SELECT id, price FROM products
