SELECT
  id,
  CASE WHEN amount >= 100 THEN 'large' WHEN amount >= 10 THEN 'medium' ELSE 'small' END AS size,
  CASE status WHEN 'paid' THEN amount END AS paid_amount,
  NULLIF(coupon, '') AS coupon,
  amount - COALESCE(discount, 0) AS net,
  TRY_CAST(coupon AS INTEGER) AS coupon_number
FROM orders
