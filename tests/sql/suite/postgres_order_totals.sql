SELECT
  customer_id,
  count(*) AS orders,
  sum(amount) AS revenue,
  avg(amount) AS average,
  sum(id) AS id_sum,
  avg(id) AS id_average,
  max(ordered_at) AS last_order,
  bool_or(coupon IS NOT NULL) AS used_coupon,
  string_agg(status, ', ') AS statuses
FROM orders
GROUP BY customer_id
