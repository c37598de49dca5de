SELECT
  id,
  ordered_at::DATE AS day,
  DATEADD(day, 3, ordered_at) AS due,
  DATEDIFF(day, ordered_at, shipped_at) AS took,
  TO_CHAR(ordered_at, 'YYYY-MM') AS label,
  CURRENT_DATE() AS today,
  DATE_TRUNC('month', ordered_at) AS month,
  TRY_TO_NUMBER(coupon) AS coupon_number,
  NVL(coupon, 'none') AS coupon,
  ZEROIFNULL(discount) AS discount
FROM orders
