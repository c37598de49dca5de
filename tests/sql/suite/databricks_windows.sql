SELECT
  id,
  row_number() OVER (PARTITION BY customer_id ORDER BY ordered_at) AS position,
  rank() OVER (PARTITION BY customer_id ORDER BY amount) AS place,
  lag(amount) OVER (PARTITION BY customer_id ORDER BY ordered_at) AS previous,
  sum(amount) OVER (PARTITION BY customer_id) AS total,
  percent_rank() OVER (ORDER BY amount) AS standing
FROM orders
