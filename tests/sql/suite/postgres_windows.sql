SELECT
  id,
  row_number() OVER w AS position,
  lag(amount) OVER w AS previous,
  sum(amount) OVER w AS so_far,
  ntile(4) OVER w AS quartile,
  percent_rank() OVER w AS standing,
  count(*) FILTER (WHERE status = 'paid') OVER w AS paid
FROM orders
WINDOW w AS (PARTITION BY customer_id ORDER BY ordered_at)
