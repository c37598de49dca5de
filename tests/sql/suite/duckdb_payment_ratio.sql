SELECT
  o.id,
  p.paid / o.amount AS ratio,
  o.id / 2 AS half,
  o.id // 2 AS half_floor,
  o.id % 2 = 0 AS is_even,
  p.fee IS NULL AS free
FROM orders AS o
JOIN payments AS p ON p.order_id = o.id
