SELECT
  customer_id,
  COUNT(*) AS orders,
  SUM(amount) AS revenue,
  MAX(ordered_at) AS last_order,
  LISTAGG(status, ',') AS statuses,
  BOOLOR_AGG(amount > 10) AS any_large,
  MIN(amount) AS smallest,
  COUNT(DISTINCT coupon) AS coupons
FROM orders
GROUP BY customer_id
