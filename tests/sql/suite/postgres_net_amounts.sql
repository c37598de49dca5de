SELECT
  id AS "Order ID",
  amount,
  amount - coalesce(discount, 0) AS net,
  round(amount * 0.19, 2) AS tax,
  amount::double precision AS approximate,
  greatest(amount, discount) AS larger,
  nullif(coupon, '') AS coupon,
  'v' || id AS version,
  upper(status) AS Status
FROM orders
