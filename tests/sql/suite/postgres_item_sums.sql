SELECT
  order_id,
  sum(quantity) AS pieces,
  sum(quantity * unit_price) AS total,
  sum(quantity) / count(*) AS per_line,
  quantity_max / 2 AS half
FROM (SELECT order_id, quantity, unit_price, max(quantity) OVER (PARTITION BY order_id) AS quantity_max FROM order_items) AS i
GROUP BY order_id, quantity_max
