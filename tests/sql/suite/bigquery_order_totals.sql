SELECT
  customer_id,
  COUNT(*) AS orders,
  SUM(amount) AS revenue,
  AVG(amount) AS average,
  SUM(id) AS id_sum,
  AVG(id) AS id_average,
  COUNTIF(status = 'paid') AS paid,
  ARRAY_AGG(status) AS statuses,
  LOGICAL_OR(coupon IS NULL) AS without_coupon,
  STRING_AGG(coupon, ',') AS coupons
FROM orders
GROUP BY customer_id
