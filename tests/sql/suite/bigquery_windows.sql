SELECT
  id,
  ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY ordered_at) AS position,
  LAG(status) OVER (PARTITION BY customer_id ORDER BY ordered_at) AS previous,
  SUM(amount) OVER (PARTITION BY customer_id) AS total,
  CUME_DIST() OVER (ORDER BY amount) AS share
FROM orders
