SELECT
  customer_id,
  STRUCT(MIN(ordered_at) AS first_order, COUNT(*) AS orders) AS span,
  APPROX_COUNT_DISTINCT(coupon) AS coupons,
  ANY_VALUE(status) AS a_status
FROM orders
GROUP BY customer_id
