SELECT
  id,
  DATE(ordered_at) AS day,
  DATETIME_TRUNC(ordered_at, MONTH) AS month,
  DATETIME_DIFF(shipped_at, ordered_at, DAY) AS took,
  DATETIME_ADD(ordered_at, INTERVAL 3 DAY) AS due,
  EXTRACT(YEAR FROM ordered_at) AS year,
  FORMAT_DATE('%Y-%m', DATE(ordered_at)) AS label,
  CURRENT_TIMESTAMP() AS seen_at,
  DATE_ADD(CURRENT_DATE(), INTERVAL 1 DAY) AS tomorrow,
  PARSE_DATE('%Y%m%d', coupon) AS coupon_day
FROM orders
