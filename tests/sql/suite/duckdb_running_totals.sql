SELECT
  id,
  SUM(amount) OVER (PARTITION BY customer_id ORDER BY ordered_at) AS so_far,
  LAG(amount) OVER w AS previous,
  LAG(amount, 1, 0.00) OVER w AS previous_or_zero,
  FIRST_VALUE(status) OVER w AS first_status,
  AVG(amount) OVER (ORDER BY ordered_at ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS recent_average,
  NTILE(4) OVER w AS quartile
FROM orders
WINDOW w AS (PARTITION BY customer_id ORDER BY ordered_at)
