SELECT
  CAST(ordered_at AS DATE) AS day,
  COUNT(*) AS orders,
  SUM(amount) AS revenue,
  AVG(amount) AS average,
  MAX(shipped_at) AS last_shipped,
  SUM(discount) AS discounts
FROM orders
GROUP BY 1
