WITH priced AS (
  SELECT *, quantity * unit_price AS line_total
  FROM order_items
)
SELECT p.* EXCLUDE (note), prod.category, prod.price * 2 AS double_price
FROM priced AS p
JOIN products AS prod ON prod.id = p.product_id
