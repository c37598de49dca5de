SELECT line_no AS id, note AS label FROM order_items
UNION ALL
SELECT id, name FROM customers
