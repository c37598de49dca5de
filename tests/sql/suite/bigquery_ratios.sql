SELECT
  id,
  id / 2 AS half,
  DIV(id, 2) AS half_floor,
  SAFE_DIVIDE(id, customer_id) AS ratio,
  amount * 2 AS doubled,
  amount / 3 AS third,
  ROUND(amount, 1) AS rounded,
  SAFE_CAST(coupon AS INT64) AS coupon_number,
  IF(amount > 100, 'large', 'small') AS size,
  CAST(amount AS FLOAT64) AS approximate,
  MOD(id, 10) AS bucket
FROM orders
