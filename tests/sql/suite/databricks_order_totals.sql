SELECT
  customer_id,
  count(*) AS orders,
  sum(amount) AS revenue,
  avg(amount) AS average,
  sum(id) AS id_sum,
  avg(id) AS id_average,
  collect_list(status) AS statuses,
  max(ordered_at) AS last_order,
  any_value(coupon) AS a_coupon
FROM orders
GROUP BY customer_id
